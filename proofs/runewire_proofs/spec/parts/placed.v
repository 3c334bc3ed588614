// What the output's row of a compact core may count on, of all that comes before it. `placement` is proven to keep to it, and
// the proof of `row` starts from it.
//
// The items of a packet fill one row after another, from its first lane on. A beat finds `count` items in the row under
// way, and leaves `after` of them there, LANES and more if it fills the row.
module placed #(
    parameter LANES = 1
) (
    input  wire                       clk,
    input  wire                       go,
    input  wire                       go_last,
    input  wire                       advance,  // the beat is taken, if there is one
    input  wire [$clog2(LANES)+1:0]   after,
    output reg  [$clog2(LANES)+1:0]   count,
    output wire                       filled,   // a row that is not its packet's last is full
    output wire                       ends,     // the packet's last row comes
    output reg  [LANES-1:0]           kept,     // its keep bits
    output reg  [LANES-1:0]           there,    // a lane gets an item, of this row or the next
    output reg  [LANES-1:0]           wrapped   // a lane had one in this row before, so what it gets is of the next
);
    initial count = 0;
    assign filled = go && after >= LANES && !(go_last && after == LANES);
    assign ends = go && go_last;
    wire [$clog2(LANES)+1:0] left = filled ? after - LANES : after;
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        kept[i] = i < left;
        there[i] = (count <= i && i < after) || i + LANES < after;
        wrapped[i] = i < count;
    end
    always @(posedge clk) if (go && advance) count <= go_last ? 0 : after % LANES;
endmodule
