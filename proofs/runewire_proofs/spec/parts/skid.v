// A queue of one: beats are passed on in order, none lost and none twice, each at once if the pipeline takes it.
module skid #(
    parameter WIDTH = 1
) (
    input  wire             clk,
    input  wire             valid,
    input  wire [WIDTH-1:0] data,
    input  wire             advance,
    input  wire             open,
    output wire             bad_ready,          // ready while a beat waits, or not while none does
    output wire             bad_valid,
    output wire             bad_data
);
    wire ready, passes;
    wire [WIDTH-1:0] passed;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_data(data), .i_ready(ready), .o_valid(passes), .o_data(passed),
        .advance(advance), .open(open));

    // What was taken and not passed on.
    reg [1:0] waits = 0;
    reg [WIDTH-1:0] beat = 0;
    wire taken = valid && ready, leaves = passes && advance;
    always @(posedge clk) begin
        waits <= waits + taken - leaves;
        if (taken) beat <= data;
    end
    assign bad_ready = ready != (open && waits == 0);
    assign bad_valid = passes != (taken || waits != 0);
    assign bad_data = passes && passed != (waits != 0 ? beat : data);
endmodule
