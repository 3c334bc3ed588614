// First error of a text against a serial one: any packets of two flows, each with any report. Nothing here comes from the
// cores.
module text_error #(
    parameter LANES = 1,
    parameter MANY = 1,                         // more flows than one
    parameter OFFSET = 3,                       // bits of an offset,
    parameter EARLY = 0,                        // each beat has whether there is an error so far
    parameter WIDTH = 7,                        // and of a report: {offset, kind, error}, as many of them as there are
    parameter DELAY = 1
) (
    input  wire                 clk,
    input  wire                 go,
    input  wire                 last,
    input  wire [$clog2(LANES+1)-1:0] count,    // kept units of a last beat; every other beat has all
    input  wire                 flow,
    input  wire                 watch,
    input  wire                 more,
    input  wire                 error,
    input  wire [2:0]           kind,
    input  wire [OFFSET-1:0]    offset,
    output wire                 bad_error,
    output wire                 bad_kind,
    output wire                 bad_offset
);
    localparam ALL = 4 + OFFSET;
    localparam [OFFSET:0] FULL = (1 << OFFSET) - 1;
    // The watched flow is any one flow. All beats of a packet belong to one flow.
    reg chosen = 0, choice = 0, inside = 0, of_packet = 0;
    wire watched = chosen ? choice : watch, beat_flow = MANY == 0 ? 1'b0 : inside ? of_packet : flow;
    wire ends = go && last;
    always @(posedge clk) begin
        chosen <= 1;
        choice <= watched;
        if (go) inside <= !last;
        if (go) of_packet <= beat_flow;
    end

    genvar i;
    wire [LANES-1:0] keep;
    generate for (i = 0; i < LANES; i = i + 1) assign keep[i] = !last || count > i; endgenerate
    wire [ALL-1:0] report = {{offset, kind} & {(ALL-1){ends && error}}, (EARLY ? go : ends) && error}, told;
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(ends), .keep(keep), .flow(beat_flow), .more(more),
        .report(report), .told(told));

    // What saturates stays there.
    function [OFFSET-1:0] sum(input [OFFSET-1:0] a, input [OFFSET+8:0] b);
        sum = a + b > FULL ? FULL : a + b;
    endfunction

    // The watched text: its units before this packet, its units in this packet, and its first error.
    reg [OFFSET-1:0] units = 0, packet = 0;
    reg [ALL-1:0] first = 0;
    wire of_text = go && beat_flow == watched;
    wire [8:0] here = last ? count > LANES ? LANES : count : LANES;
    wire [OFFSET-1:0] packet_after = sum(packet, here);
    wire [ALL-1:0] from_start = {sum(units, offset), kind, 1'b1} & {ALL{error}};
    wire [ALL-1:0] first_after = first[0] ? first : from_start;
    always @(posedge clk) if (of_text) begin
        packet <= last ? 0 : packet_after;
        if (last) units <= more ? sum(units, packet_after) : 0;
        if (last) first <= more ? first_after : 0;
    end

    wire beat, due;
    wire [ALL-1:0] want;
    delay #(.WIDTH(ALL + 2), .CYCLES(DELAY)) late (
        .clk(clk), .in({of_text, of_text && last, first_after}), .out({beat, due, want}));
    assign bad_error = (EARLY ? beat : due) && told[0] != want[0];
    assign bad_kind = due && WIDTH > 1 && told[3:1] != want[3:1];
    assign bad_offset = due && WIDTH > 4 && told[ALL-1:4] != want[ALL-1:4];
endmodule
