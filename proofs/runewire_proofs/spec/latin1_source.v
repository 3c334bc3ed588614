// Latin-1, one byte after another: each is the scalar of its number (ISO 8859-1). Nothing here comes from the cores or from
// the golden model.
module source #(
    parameter LANES = 1,
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter OFFSET = 32
) (
    input  wire                clk,
    input  wire                go,
    input  wire                last,
    input  wire [8*LANES-1:0]  units,
    input  wire [LANES-1:0]    keep,
    input  wire [7:0]          next,
    input  wire                follows,
    output wire [LANES-1:0]    present,
    output reg  [21*LANES-1:0] scalars,
    output wire                found,
    output wire [2:0]          kind,
    output wire [OFFSET-1:0]   offset,
    output wire                bad_agreement,
    output wire                bad_lemma
);
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) scalars[21*i +: 21] = {13'd0, units[8*i +: 8]};
    assign present = keep;
    assign {found, kind, offset, bad_agreement, bad_lemma} = 0;
endmodule
