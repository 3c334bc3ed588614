// Scalars to an encoding that has the lowest of them alone, in units of as many bits (ISO 8859-1; RFC 20): a question mark,
// another unit, or nothing stands for the others. Nothing here comes from the cores or from the golden model.
`ifndef REPLACEMENT
`define REPLACEMENT 63
`endif
module target #(
    parameter LANES = 1,
    parameter SLOTS = 1,
    parameter DROP = 0,                         // nothing, not the replacement
    parameter WIDTH = 8                         // bits of a unit
) (
    input  wire [LANES-1:0]    present,
    input  wire [21*LANES-1:0] scalars,
    input  wire [21:0]         ahead,
    output reg  [LANES-1:0]    unfit,           // scalars that the encoding lacks
    output reg  [LANES-1:0]    there,
    output reg  [WIDTH*LANES-1:0] units
);
    reg [20:0] c;
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        c = scalars[21*i +: 21];
        unfit[i] = c >= 21'd1 << WIDTH;
        there[i] = present[i] && !(DROP && unfit[i]);
        units[WIDTH*i +: WIDTH] = unfit[i] ? `REPLACEMENT : c;
    end
endmodule
