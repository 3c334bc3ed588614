// State of the turns of a record report against a state for each flow. Each beat has one turn or more, each turn may
// set the state. Any packets of any flows. Nothing here comes from the cores.
module turn_state #(
    parameter BITS = 1,                         // of a flow's number
    parameter MANY = 1                          // more flows than one
) (
    input  wire            clk,
    input  wire            turn,
    input  wire            last_turn,           // the beat's last turn
    input  wire            last,                // the beat is its packet's last
    input  wire [BITS-1:0] flow,
    input  wire [BITS-1:0] watch,
    input  wire            when,
    input  wire [1:0]      after,
    output wire            bad_before           // the state before a turn is not what the flow's turn before left
);
    // All turns of a beat, and all beats of a packet, belong to one flow.
    reg chosen = 0, inside = 0, again = 0, of_beat = 0;
    reg [BITS-1:0] choice = 0, of_packet = 0;
    wire [BITS-1:0] watched = chosen ? choice : watch;
    wire [BITS-1:0] turn_flow = MANY == 0 ? {BITS{1'b0}} : inside || again ? of_packet : flow;
    wire beat_last = again ? of_beat : last;
    wire ends = turn && last_turn && beat_last;
    always @(posedge clk) begin
        chosen <= 1;
        choice <= watched;
        if (turn) begin
            again <= !last_turn;
            of_beat <= beat_last;
            of_packet <= turn_flow;
            if (last_turn) inside <= !beat_last;
        end
    end

    wire valid;
    wire [BITS-1:0] of_flow;
    wire [1:0] before;
    dut core (
        .clk(clk), .rst(1'b0), .turn(turn), .begins(turn && !inside && !again), .ends(ends), .flow(turn_flow),
        .when(when), .after(after), .valid(valid), .of_flow(of_flow), .before(before));

    reg [1:0] want = 0;
    wire watched_turn = valid && of_flow == watched;
    always @(posedge clk) if (watched_turn && when) want <= after;
    assign bad_before = watched_turn && before != want;
endmodule
