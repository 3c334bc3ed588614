// Scalars to UTF-8 (RFC 3629, section 3): up to four slots for each, and its sequence ends in the last of them.
// Nothing here comes from the cores or from the golden model.
module target #(
    parameter LANES = 1,
    parameter SLOTS = 4,
    parameter DROP = 0,
    parameter WIDTH = 8                       // bits of a unit
) (
    input  wire [LANES-1:0]    present,
    input  wire [21*LANES-1:0] scalars,
    input  wire [21:0]         ahead,
    output wire [LANES-1:0]    unfit,           // scalars that the encoding lacks
    output reg  [SLOTS*LANES-1:0]   there,
    output reg  [8*SLOTS*LANES-1:0] units
);
    assign unfit = 0;
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
        there[SLOTS*i +: SLOTS] = present[i] ? size >> 4 - SLOTS : 4'd0;
        units[8*SLOTS*i +: 8*SLOTS] = sequence >> 32 - 8*SLOTS;
    end
endmodule
