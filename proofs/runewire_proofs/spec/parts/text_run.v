// Runs of ill-formed subparts over segments, lane after lane: any packets of two flows. Nothing here comes from the
// cores.
module text_run #(
    parameter LANES = 1,
    parameter MANY = 1,                         // more flows than one
    parameter DELAY = 1
) (
    input  wire             clk,
    input  wire             go,
    input  wire             last,
    input  wire             flow,
    input  wire             watch,
    input  wire             more,
    input  wire [LANES-1:0] ends,               // a character or an ill-formed subpart ends in the lane
    input  wire [LANES-1:0] sound,              // it is a character
    output wire             bad_before
);
    // The watched flow is any one flow. All beats of a packet belong to one flow.
    reg chosen = 0, choice = 0, inside = 0, of_packet = 0;
    wire watched = chosen ? choice : watch, beat_flow = MANY == 0 ? 1'b0 : inside ? of_packet : flow;
    always @(posedge clk) begin
        chosen <= 1;
        choice <= watched;
        if (go) inside <= !last;
        if (go) of_packet <= beat_flow;
    end

    wire before;
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go && last), .flow(beat_flow), .more(more), .every(ends),
        .whole(ends & sound), .before(before));

    // The watched text ends with an ill-formed subpart.
    reg bad = 0, after;
    integer i;
    always @* begin
        after = bad;
        for (i = 0; i < LANES; i = i + 1) if (ends[i]) after = !sound[i];
    end
    wire of_text = go && beat_flow == watched;
    always @(posedge clk) if (of_text) bad <= after && !(last && !more);

    wire due, want;
    delay #(.WIDTH(2), .CYCLES(DELAY)) late (.clk(clk), .in({of_text, bad}), .out({due, want}));
    assign bad_before = due && before != want;
endmodule
