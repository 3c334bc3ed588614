// Scalars to UTF-32: each is a unit as it is; the upper bits, which are always 0, are left to the port.
module target #(
    parameter LANES = 1,
    parameter SLOTS = 1,
    parameter DROP = 0,
    parameter WIDTH = 21                       // bits of a unit
) (
    input  wire [LANES-1:0]    present,
    input  wire [21*LANES-1:0] scalars,
    input  wire [21:0]         ahead,
    output wire [LANES-1:0]    unfit,           // scalars that the encoding lacks
    output wire [LANES-1:0]    there,
    output wire [21*LANES-1:0] units
);
    assign unfit = 0;
    assign there = present;
    assign units = scalars;
endmodule
