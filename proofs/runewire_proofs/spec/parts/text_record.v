// Records over segments, byte after byte: any packets of two flows. Nothing here comes from the cores.
module text_record #(
    parameter LANES = 1,
    parameter MANY = 1,                         // more flows than one
    parameter DELAY = 1,
    parameter TAIL = 1
) (
    input  wire             clk,
    input  wire             go,
    input  wire             last,
    input  wire [$clog2(LANES+1)-1:0] count,    // kept units of a last beat; every other beat has all
    input  wire             flow,
    input  wire             watch,
    input  wire             more,
    input  wire [LANES-1:0] delimiter,
    input  wire [LANES-1:0] wrong,              // the lane is ill-formed
    output wire             bad_before,
    output wire             bad_tail
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
    genvar i;
    wire [LANES-1:0] keep;
    generate for (i = 0; i < LANES; i = i + 1) assign keep[i] = !last || count > i; endgenerate
    wire [LANES-1:0] ends = keep & delimiter;

    // The watched text's record under way: it has a unit, it is ill-formed so far. `rest`: in this beat alone.
    reg opened = 0, bad = 0, opened_after, bad_after, rest;
    integer at;
    always @* begin
        {opened_after, bad_after, rest} = {opened, bad, 1'b0};
        for (at = 0; at < LANES; at = at + 1) if (keep[at]) begin
            opened_after = !ends[at];
            bad_after = !ends[at] && (bad_after || wrong[at]);
            rest = !ends[at] && (rest || wrong[at]);
        end
    end
    wire of_text = go && beat_flow == watched, closes = of_text && last && !more;
    always @(posedge clk) if (of_text) {opened, bad} <= closes ? 2'b00 : {opened_after, bad_after};

    wire was_bad;
    wire [1:0] tail;
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go && last), .flow(beat_flow), .more(more), .keep(keep), .ends(ends),
        .any_end(ends != 0), .rest(rest), .bad(was_bad), .tail(tail));

    wire due, want_bad, due_tail;
    wire [1:0] want_tail;
    delay #(.WIDTH(2), .CYCLES(DELAY)) late (.clk(clk), .in({of_text, bad}), .out({due, want_bad}));
    delay #(.WIDTH(3), .CYCLES(TAIL)) later (
        .clk(clk), .in({of_text, {opened_after && bad_after, opened_after} & {2{closes}}}),
        .out({due_tail, want_tail}));
    assign bad_before = due && was_bad != want_bad;
    assign bad_tail = due_tail && tail != want_tail;
endmodule
