// Scalars to UTF-16 (Unicode chapter 3, D91): up to two slots for each, and its last unit is in the last of them.
// Nothing here comes from the cores or from the golden model.
module target #(
    parameter LANES = 1,
    parameter SLOTS = 2,
    parameter DROP = 0,
    parameter WIDTH = 16                       // bits of a unit
) (
    input  wire [LANES-1:0]    present,
    input  wire [21*LANES-1:0] scalars,
    input  wire [21:0]         ahead,
    output wire [LANES-1:0]    unfit,           // scalars that the encoding lacks
    output reg  [SLOTS*LANES-1:0]    there,
    output reg  [16*SLOTS*LANES-1:0] units
);
    assign unfit = 0;
    reg [20:0] c, rest;
    reg [31:0] sequence;
    reg        two;
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        c = scalars[21*i +: 21];
        two = c > 21'hFFFF;
        rest = c - 21'h10000;
        sequence = {two ? 16'hDC00 | rest[9:0] : c[15:0], 16'hD800 | rest[19:10]};
        there[SLOTS*i +: SLOTS] = present[i] ? {1'b1, two} >> 2 - SLOTS : 2'd0;
        units[16*SLOTS*i +: 16*SLOTS] = sequence >> 32 - 16*SLOTS;
    end
endmodule
