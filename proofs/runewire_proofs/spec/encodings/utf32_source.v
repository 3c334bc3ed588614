// UTF-32, one unit after another (Unicode chapter 3, D76 and D90): each is a scalar value by itself, or stands for U+FFFD.
// Nothing here comes from the cores or from the golden model.
module source #(
    parameter LANES = 1,
    parameter STRIP = 0,                        // a byte order mark at a packet's start is left out
    parameter DROP = 0,                         // nothing, not U+FFFD, for what is no scalar value
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
) (
    input  wire                clk,
    input  wire                go,
    input  wire                last,
    input  wire [32*LANES-1:0] units,
    input  wire [4*LANES-1:0]  keep,            // a bit per byte: a packet's last unit may lack some
    input  wire [31:0]         next,
    input  wire [3:0]          follows,
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
    localparam [2:0] TOO_SHORT = 2, TOO_LARGE = 5, SURROGATE = 6;

    reg [OFFSET-1:0] here = 0, at = 0, here_after, at_after;
    reg [2:0]        first = 0, first_after, now;
    reg              begun = 0, begun_after;
    reg [31:0]       c;
    integer i;
    always @* begin
        {here_after, at_after, first_after, begun_after} = {here, at, first, begun};
        for (i = 0; i < LANES; i = i + 1) begin
            c = units[32*i +: 32];
            now = !keep[4*i + 3] ? TOO_SHORT : c > 32'h10FFFF ? TOO_LARGE
                : c >= 32'hD800 && c <= 32'hDFFF ? SURROGATE : 3'd0;
            present[i] = keep[4*i] && !(DROP && now != 0) && !(STRIP && !begun_after && now == 0 && c == 32'hFEFF);
            scalars[21*i +: 21] = now != 0 ? 21'hFFFD : c[20:0];
            sound[i] = present[i] && now == 0 && first_after == 0;
            starts[OFFSET*i +: OFFSET] = here_after;
            if (keep[4*i]) begin
                if (first_after == 0 && now != 0) {at_after, first_after} = {here_after, now};
                here_after = {here_after[OFFSET-1] | &here_after[OFFSET-2:0], here_after[OFFSET-2:0] + 1'b1};
                begun_after = 1;
            end
        end
    end
    always @(posedge clk) if (go) {here, at, first, begun} <= last ? 0 : {here_after, at_after, first_after, begun_after};
    assign found = first_after != 0;
    assign kind = first_after;
    assign offset = at_after;
    assign {ahead, bad_agreement, bad_lemma} = 0;
endmodule
