// Contexts against a state for each flow: any packets of any flows, the state after each beat free. Nothing here comes
// from the cores.

// The state of one flow: `before` is what its last beat left that `counts`.
module state_of_flow #(parameter WIDTH = 1) (
    input  wire             clk,
    input  wire             counts,
    input  wire [WIDTH-1:0] after,
    output reg  [WIDTH-1:0] before
);
    initial before = 0;
    always @(posedge clk) if (counts) before <= after;
endmodule

module contexts #(
    parameter BITS = 1,                         // of a flow's number,
    parameter WIDTH = 1                         // and of a state
) (
    input  wire             clk,
    input  wire             go,
    input  wire             last,
    input  wire             idle,               // a beat between packets, of any flow, which leaves the state before it
    input  wire [BITS-1:0]  flow,
    input  wire [BITS-1:0]  watch,
    input  wire [WIDTH-1:0] after_beat,
    input  wire [WIDTH-1:0] after_packet,
    output wire             bad_of_beats,       // the state before a beat is not what the beat before it left
    output wire             bad_of_packets      // nor that before a packet's last beat
);
    // The watched flow is any one flow. All beats of a packet belong to one flow.
    reg chosen = 0, inside = 0;
    reg [BITS-1:0] choice = 0, of_packet = 0;
    wire [BITS-1:0] watched = chosen ? choice : watch, beat_flow = inside ? of_packet : flow;
    wire between = go && idle && !inside, beat_now = go && !between;
    always @(posedge clk) begin
        chosen <= 1;
        choice <= watched;
        if (beat_now) inside <= !last;
        if (beat_now) of_packet <= beat_flow;
    end

    wire beats_valid, beats_last, beats_between, packets_valid, packets_last, packets_between;
    wire [BITS-1:0] beats_flow, packets_flow;
    wire [WIDTH-1:0] beats_before, packets_before, beats_want, packets_want;
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(beat_now && last), .go_flow(beat_flow), .first(beat_now && !inside),
        .go_between(between), .of_beats_after(after_beat), .of_beats_valid(beats_valid), .of_beats_last(beats_last),
        .of_beats_between(beats_between), .of_beats_flow(beats_flow), .of_beats_before(beats_before),
        .of_packets_after(after_packet), .of_packets_valid(packets_valid), .of_packets_last(packets_last),
        .of_packets_between(packets_between), .of_packets_flow(packets_flow), .of_packets_before(packets_before));

    wire beat = beats_valid && !beats_between && beats_flow == watched;
    wire packet = packets_valid && packets_last && packets_flow == watched;
    state_of_flow #(.WIDTH(WIDTH)) of_beats (.clk(clk), .counts(beat), .after(after_beat), .before(beats_want));
    state_of_flow #(.WIDTH(WIDTH)) of_packets (.clk(clk), .counts(packet), .after(after_packet), .before(packets_want));
    assign bad_of_beats = beat && beats_before != beats_want;
    assign bad_of_packets = packet && packets_before != packets_want;
endmodule
