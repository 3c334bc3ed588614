// Latin-1, one byte after another: each is the scalar of its number (ISO 8859-1). Nothing here comes from the cores or from
// the golden model.
module source #(
    parameter LANES = 1,
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
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
    output wire [LANES-1:0]    sound,           // a scalar ends, and all up to it is well-formed
    output reg  [OFFSET*LANES-1:0] starts,      // where its sequence begins
    output wire [21:0]         ahead,           // the whole scalar that ends with the next unit: looked at for UTF-8 alone
    output wire                bad_agreement,
    output wire                bad_lemma
);
    integer i;
    reg [OFFSET-1:0] here = 0;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        scalars[21*i +: 21] = {13'd0, units[8*i +: 8]};
        starts[OFFSET*i +: OFFSET] = here + i;
    end
    always @(posedge clk) if (go) here <= last ? 0 : here[OFFSET-1] ? here : here + LANES;
    assign present = keep;
    assign sound = keep;
    assign {found, kind, offset, ahead, bad_agreement, bad_lemma} = 0;
endmodule
