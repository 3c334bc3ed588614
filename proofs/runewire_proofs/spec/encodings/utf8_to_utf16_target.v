// Scalars of UTF-8 to UTF-16 (Unicode chapter 3, D91), one unit in each byte's lane: that of a scalar is in the lane where it
// ends, and so is the second of two; the first of two is in the lane before. Nothing here comes from the cores or from the
// golden model.
module target #(
    parameter LANES = 1,
    parameter SLOTS = 1,
    parameter DROP = 0,
    parameter WIDTH = 16                        // bits of a unit
) (
    input  wire [LANES-1:0]    present,
    input  wire [21*LANES-1:0] scalars,
    input  wire [21:0]         ahead,           // {there is one, the whole scalar that ends in the lane after the beat}
    output wire [LANES-1:0]    unfit,           // scalars that the encoding lacks
    output reg  [LANES-1:0]    there,
    output reg  [16*LANES-1:0] units
);
    assign unfit = 0;
    wire [LANES:0] ends = {ahead[21], present};
    wire [21*(LANES+1)-1:0] all = {ahead[20:0], scalars};
    reg [20:0] c, later, rest, rest_later;
    reg        before;
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        c = all[21*i +: 21];
        later = all[21*(i + 1) +: 21];
        rest = c - 21'h10000;
        rest_later = later - 21'h10000;
        before = ends[i + 1] && later > 21'hFFFF;
        there[i] = present[i] || before;
        units[16*i +: 16] = before ? 16'hD800 | rest_later[19:10] : c > 21'hFFFF ? 16'hDC00 | rest[9:0] : c[15:0];
    end
endmodule
