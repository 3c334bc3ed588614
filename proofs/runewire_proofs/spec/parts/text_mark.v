// Added byte order marks of texts in segments: the beat before a segment is a mark, if it is the text's first segment.
// Any segments of two flows. Nothing here comes from the cores.
module text_mark #(
    parameter MANY = 1,                         // more flows than one
    parameter DELAY = 1
) (
    input  wire clk,
    input  wire go,
    input  wire last,
    input  wire extra,                          // a beat after a segment's last, without bytes
    input  wire flow,
    input  wire watch,
    input  wire more,
    output wire bad_adds
);
    // Before each segment comes a beat without bytes, after it maybe extra beats of any flow.
    reg inside = 0, chosen = 0, choice = 0, of_segment = 0;
    wire is_extra = extra && !inside, mark = !inside && !is_extra, ends = go && inside && last;
    wire watched = chosen ? choice : watch, beat_flow = MANY == 0 ? 1'b0 : mark || is_extra ? flow : of_segment;
    always @(posedge clk) begin
        chosen <= 1;
        choice <= watched;
        if (go && !is_extra) inside <= mark || !last;
        if (go && mark) of_segment <= beat_flow;
    end

    wire adds;
    dut core (.clk(clk), .rst(1'b0), .go(go), .go_last(ends), .mark(go && mark), .more(more), .flow(beat_flow),
              .adds(adds));

    // The watched text has had a segment.
    reg begun = 0;
    always @(posedge clk) if (ends && beat_flow == watched) begun <= more;

    wire due, want;
    delay #(.WIDTH(2), .CYCLES(DELAY)) late (
        .clk(clk), .in({go && beat_flow == watched, mark && !begun}), .out({due, want}));
    assign bad_adds = due && adds != want;
endmodule
