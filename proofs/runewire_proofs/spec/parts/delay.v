// `in`, CYCLES cycles later; before that, zero.
module delay #(parameter WIDTH = 1, parameter CYCLES = 1) (
    input wire clk, input wire [WIDTH-1:0] in, output wire [WIDTH-1:0] out
);
    generate if (CYCLES == 0) assign out = in;
    else begin : line
        reg [WIDTH*CYCLES-1:0] stages = 0;
        always @(posedge clk) stages <= {stages, in};
        assign out = stages[WIDTH*CYCLES-1 -: WIDTH];
    end endgenerate
endmodule
