// UTF-16, one unit after another (Unicode chapter 3, D91): a scalar is one unit that is no surrogate, or a high surrogate
// and the low one after it. What is neither stands for U+FFFD, and so does a unit that lacks a byte, together with a high
// surrogate before it. Nothing here comes from the cores or from the golden model.
module source #(
    parameter LANES = 1,
    parameter STRIP = 0,                        // a byte order mark at a packet's start is left out
    parameter DROP = 0,                         // nothing, not U+FFFD, for what is ill-formed
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
) (
    input  wire                clk,
    input  wire                go,
    input  wire                last,
    input  wire [16*LANES-1:0] units,
    input  wire [2*LANES-1:0]  keep,            // a bit per byte: a packet's last unit may lack one
    input  wire [15:0]         next,            // the packet's next unit, and which of its bytes are there
    input  wire [1:0]          follows,
    output reg  [LANES-1:0]    present,
    output reg  [21*LANES-1:0] scalars,
    output wire                found,
    output wire [2:0]          kind,
    output wire [OFFSET-1:0]   offset,
    output reg  [LANES-1:0]    sound,           // a scalar ends, and all up to it is well-formed
    output reg  [OFFSET*LANES-1:0] starts,      // where its sequence begins
    output wire [21:0]         ahead,           // {there is one, the scalar of a pair that ends with the next unit}
    output wire                bad_agreement,
    output wire                bad_lemma
);
    localparam [2:0] TOO_SHORT = 2, SURROGATE = 6;

    function is_in(input [15:0] c, input [15:0] low, input [15:0] high);
        is_in = low <= c && c <= high;
    endfunction

    // What a unit and those after it begin.
    wire [16*(LANES+1)-1:0] all = {next, units};
    wire [2*(LANES+1)-1:0]  there = {follows, keep};

    // `waits`: a high surrogate is under way, and its ten bits are `upper`.
    reg [OFFSET-1:0] here = 0, at = 0, start, here_after, at_after;
    reg [2:0]        first = 0, first_after, now;
    reg [9:0]        upper = 0, upper_after;
    reg              waits = 0, waits_after, begun = 0, begun_after;
    reg [15:0]       c, n;
    reg              whole, high, low, goes_on;
    integer i;
    always @* begin
        {here_after, at_after, first_after, upper_after, waits_after, begun_after} =
            {here, at, first, upper, waits, begun};
        for (i = 0; i < LANES; i = i + 1) begin
            c = all[16*i +: 16];
            n = all[16*(i + 1) +: 16];
            whole = keep[2*i + 1];
            high = whole && is_in(c, 16'hD800, 16'hDBFF);
            low = whole && is_in(c, 16'hDC00, 16'hDFFF);
            // The unit after it is the low surrogate that it wants, or lacks a byte.
            goes_on = high && there[2*(i + 1)] && (!there[2*(i + 1) + 1] || is_in(n, 16'hDC00, 16'hDFFF));
            now = !whole ? TOO_SHORT : high && !goes_on || low && !waits_after ? SURROGATE : 3'd0;
            start = here_after - waits_after;
            scalars[21*i +: 21] = now != 0 ? 21'hFFFD
                : low ? 21'h10000 + {upper_after, c[9:0]} : {5'd0, c};
            present[i] = keep[2*i] && !goes_on && !(DROP && now != 0)
                && !(STRIP && !begun_after && now == 0 && c == 16'hFEFF);
            if (keep[2*i]) begin
                if (first_after == 0 && now != 0) {at_after, first_after} = {start, now};
                begun_after = 1;
            end
            sound[i] = present[i] && first_after == 0;
            starts[OFFSET*i +: OFFSET] = start;
            waits_after = keep[2*i] && goes_on;
            upper_after = c[9:0];
            here_after = {here_after[OFFSET-1] | &here_after[OFFSET-2:0], here_after[OFFSET-2:0] + 1'b1};
        end
    end
    always @(posedge clk) if (go) {here, at, first, upper, waits, begun} <= last ? 0
        : {here_after, at_after, first_after, upper_after, waits_after, begun_after};
    assign found = first_after != 0;
    assign kind = first_after;
    assign offset = at_after;
    // What it waits for is the next unit, or a unit that lacks a byte.
    assign ahead = {waits_after && follows[1], 21'h10000 + {upper_after, next[9:0]}};
    assign {bad_agreement, bad_lemma} = 0;
endmodule
