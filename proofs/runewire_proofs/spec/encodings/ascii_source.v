// ASCII, one byte after another (RFC 20): each is a scalar of seven bits, or stands for U+FFFD. Nothing here comes from the
// cores or from the golden model.
module source #(
    parameter LANES = 1,
    parameter STRIP = 0,
    parameter DROP = 0,                         // nothing, not U+FFFD, for what is not ASCII
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
) (
    input  wire                clk,
    input  wire                go,
    input  wire                last,
    input  wire [8*LANES-1:0]  units,
    input  wire [LANES-1:0]    keep,
    input  wire [7:0]          next,
    input  wire                follows,
    output reg  [LANES-1:0]    present,
    output reg  [21*LANES-1:0] scalars,
    output wire                found,
    output wire [2:0]          kind,
    output wire [OFFSET-1:0]   offset,
    output reg  [LANES-1:0]    sound,           // a scalar ends, and all up to it is well-formed
    output reg  [OFFSET*LANES-1:0] starts,      // where its sequence begins
    output wire [21:0]         ahead,           // the whole scalar that ends with the next unit: looked at for UTF-8 alone
    output wire                bad_agreement,
    output wire                bad_lemma
);
    localparam [2:0] TOO_LARGE = 5;
    reg [OFFSET-1:0] here = 0, at = 0, here_after, at_after;
    reg              wrong = 0, wrong_after;
    reg [7:0]        b;
    integer i;
    always @* begin
        {here_after, at_after, wrong_after} = {here, at, wrong};
        for (i = 0; i < LANES; i = i + 1) begin
            b = units[8*i +: 8];
            present[i] = keep[i] && !(DROP && b > 8'h7F);
            scalars[21*i +: 21] = b > 8'h7F ? 21'hFFFD : {13'd0, b};
            if (keep[i] && b > 8'h7F && !wrong_after) {at_after, wrong_after} = {here_after, 1'b1};
            sound[i] = keep[i] && !wrong_after;
            starts[OFFSET*i +: OFFSET] = here_after;
            here_after = {here_after[OFFSET-1] | &here_after[OFFSET-2:0], here_after[OFFSET-2:0] + 1'b1};
        end
    end
    always @(posedge clk) if (go) {here, at, wrong} <= last ? 0 : {here_after, at_after, wrong_after};
    assign {found, kind, offset} = {wrong_after, wrong_after ? TOO_LARGE : 3'd0, at_after};
    assign {ahead, bad_agreement, bad_lemma} = 0;
endmodule
