// Scalars to UTF-8 (RFC 3629, section 3): four slots for each, and its sequence ends in the last of them.
// Nothing here comes from the cores or from the golden model.
module target #(
    parameter LANES = 1
) (
    input  wire [LANES-1:0]    present,
    input  wire [21*LANES-1:0] scalars,
    output reg  [4*LANES-1:0]  there,
    output reg  [32*LANES-1:0] units
);
    reg [20:0] c;
    reg [31:0] sequence;
    reg [3:0]  size;                            // a bit a byte of the sequence
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        c = scalars[21*i +: 21];
        if      (c <= 21'h7F)   begin size = 4'b1000; sequence = {1'b0, c[6:0], 24'd0}; end
        else if (c <= 21'h7FF)  begin size = 4'b1100; sequence = {2'b10, c[5:0], 3'b110, c[10:6], 16'd0}; end
        else if (c <= 21'hFFFF) begin size = 4'b1110;
            sequence = {2'b10, c[5:0], 2'b10, c[11:6], 4'b1110, c[15:12], 8'd0}; end
        else                    begin size = 4'b1111;
            sequence = {2'b10, c[5:0], 2'b10, c[11:6], 2'b10, c[17:12], 5'b11110, c[20:18]}; end
        there[4*i +: 4] = present[i] ? size : 4'd0;
        units[32*i +: 32] = sequence;
    end
endmodule
