// The output buffer against a queue of rows. What comes before it is free, but for what it promises: beats are taken
// only when accepted; a row is pushed, and a credit returned, only against a beat that was taken; and rows are
// written from the one to be pushed next on, no more of them than there are such beats.
//
// One row of the buffer, any one, is watched: what is written there has to come out when its turn is. The memories
// keep that row, and give anything at all for the others.
module buffer #(
    parameter LANES = 3,
    parameter GROUP = 2,
    parameter WIDTH = 1,
    parameter ABOUT = 2,                        // a row's last bit and its report
    parameter ROW = 5,
    parameter FREE = 1,
    parameter CREDIT_LOOP = 3,                  // beats that are accepted when no more are
    parameter LEMMAS = 1,                       // the core's inner counters are looked at too
    parameter LATENCY = 5                       // cycles from a push to its row's offer, when no row waits before it
) (
    input  wire                      clk,
    input  wire                      offer,
    input  wire                      may_push,
    input  wire                      may_return,
    input  wire                      ready,
    input  wire [ROW-1:0]            choice,
    input  wire [LANES-1:0]          lane_write,
    input  wire [LANES*ROW-1:0]      lane_to,
    input  wire [LANES*WIDTH-1:0]    lane_data,
    input  wire [(LANES+GROUP-1)/GROUP-1:0] keep_write,
    input  wire [(LANES+GROUP-1)/GROUP*ROW-1:0] keep_to,
    input  wire [LANES-1:0]          keep_data,
    input  wire                      about_write,
    input  wire [ROW-1:0]            about_to,
    input  wire [ABOUT-1:0]          about_data,
    input  wire [FREE-1:0]           free,
    output wire                      bad_valid,     // a beat is offered that is none, or is not offered in time
    output wire                      bad_drop,      // an offer is withdrawn
    output wire                      bad_hold,      // a beat changes while it waits
    output wire                      bad_row,       // a beat is not the row whose turn it is
    output wire                      bad_credit,    // more rows promised than there are
    output wire                      bad_starved,   // rows are free, and no beat is accepted
    output wire [27:0]               bad_lemma      // the counters of the core do not say what they count
);
    localparam GROUPS = (LANES + GROUP - 1) / GROUP, N = ROW + 2, DEPTH = 1 << ROW;

    reg started = 0;
    reg [ROW-1:0] chosen = 0;
    wire [ROW-1:0] watch = started ? chosen : choice;
    always @(posedge clk) {started, chosen} <= {1'b1, watch};

    // Beats taken whose row is not yet pushed, rows pushed and not yet read, rows read whose beat is not yet gone.
    reg [N-1:0] held = 0, unread = 0, out = 0;
    // Rows pushed, rows read, beats gone, from the start.
    reg [N-1:0] pushes = 0, reads = 0, beats = 0;
    reg accepted = 0;
    wire accept, core_read, valid;
    wire took = offer && accept;
    wire push = may_push && held != 0;
    wire returned = may_return && held > push;
    wire leaves = valid && ready;
    always @(posedge clk) begin
        accepted <= took;
        held <= held + took - push - returned;
        unread <= unread + push - core_read;
        out <= out + core_read - leaves;
        pushes <= pushes + push;
        reads <= reads + core_read;
        beats <= beats + leaves;
    end

    function allowed(input [ROW-1:0] row);
        reg [ROW-1:0] ahead;
        begin
            ahead = row - pushes[ROW-1:0];
            allowed = ahead < held;
        end
    endfunction

    // The watched row: what was written there since it was last pushed, and what was there at its last two pushes.
    localparam CONTENT = LANES*WIDTH + LANES + ABOUT;
    wire [LANES-1:0] lane_enable, lane_hit;
    wire [GROUPS-1:0] keep_enable, keep_hit;
    wire about_enable = about_write && allowed(about_to), about_hit = about_enable && about_to == watch;
    reg [LANES*WIDTH-1:0] items = 0;
    reg [LANES-1:0] kept = 0, lane_written = 0;
    reg [ABOUT-1:0] about = 0;
    reg [GROUPS-1:0] keep_written = 0;
    reg about_written = 0;
    wire [LANES*WIDTH-1:0] items_now, items_shown;
    wire [LANES-1:0] kept_now;
    wire [ABOUT-1:0] about_now = about_hit ? about_data : about;
    genvar g;
    generate
        for (g = 0; g < LANES; g = g + 1) begin : lane
            assign lane_enable[g] = lane_write[g] && allowed(lane_to[ROW*g +: ROW]);
            assign lane_hit[g] = lane_enable[g] && lane_to[ROW*g +: ROW] == watch;
            assign items_now[WIDTH*g +: WIDTH] = lane_hit[g] ? lane_data[WIDTH*g +: WIDTH] : items[WIDTH*g +: WIDTH];
            assign items_shown[WIDTH*g +: WIDTH] = items_now[WIDTH*g +: WIDTH] & {WIDTH{kept_now[g]}};
            assign kept_now[g] = keep_hit[g / GROUP] ? keep_data[g] : kept[g];
        end
        for (g = 0; g < GROUPS; g = g + 1) begin : group
            assign keep_enable[g] = keep_write[g] && allowed(keep_to[ROW*g +: ROW]);
            assign keep_hit[g] = keep_enable[g] && keep_to[ROW*g +: ROW] == watch;
        end
    endgenerate
    wire whole = &(lane_written | lane_hit | ~kept_now) && &(keep_written | keep_hit) && (about_written || about_hit);
    wire pushed = push && pushes[ROW-1:0] == watch;
    reg [CONTENT:0] even = 0, odd = 0;          // {it was all written, what}
    always @(posedge clk) begin
        {items, kept, about} <= {items_now, kept_now, about_now};
        lane_written <= pushed ? 0 : lane_written | lane_hit;
        keep_written <= pushed ? 0 : keep_written | keep_hit;
        about_written <= !pushed && (about_written || about_hit);
        if (pushed && !pushes[ROW]) even <= {whole, about_now, kept_now, items_shown};
        if (pushed && pushes[ROW]) odd <= {whole, about_now, kept_now, items_shown};
    end

    // Internal to the core, for lemmas only.
    wire [DEPTH-1:0] core_credit, core_backlog;
    wire [3:0] core_waiting;
    wire core_give, core_loaded;
    wire [CONTENT-1:0] core_words, core_loaded_beat;
    wire [LANES-1:0] core_next_words, core_next_keep;

    wire [CONTENT-1:0] beat;
    dut core (
        .clk(clk), .rst(1'b0), .accept(accept), .accepted(accepted), .returned(returned), .push(push),
        .lane_enable(lane_enable), .lane_row(lane_to), .lane_data(lane_data),
        .keep_enable(keep_enable), .keep_row(keep_to), .keep_data(keep_data),
        .about_enable(about_enable), .about_row(about_to), .about_data(about_data),
        .watch(watch), .free(free), .ready(ready), .valid(valid),
        .beat(beat), .read(core_read), .credit(core_credit), .backlog(core_backlog), .waiting(core_waiting),
        .give(core_give), .loaded(core_loaded), .words(core_words), .next_words(core_next_words),
        .next_keep(core_next_keep), .loaded_beat(core_loaded_beat));

    // A row is offered LATENCY cycles after its push, or when those before it are gone.
    reg [LATENCY-2:0] young = 0;                // pushes of the last cycles
    always @(posedge clk) young <= {young, push};
    reg [3:0] youngest [0:LATENCY-1];           // how many of the last so many cycles
    integer i;
    always @* begin
        youngest[0] = 0;
        for (i = 0; i < LATENCY - 1; i = i + 1) youngest[i + 1] = youngest[i] + young[i];
    end
    wire [N-1:0] all = unread + out;
    assign bad_valid = valid != (all != youngest[LATENCY-1]);

    reg waited = 0;
    reg [CONTENT-1:0] past = 0;
    always @(posedge clk) {waited, past} <= {valid && !ready, beat};
    assign bad_drop = waited && !valid;
    assign bad_hold = waited && beat != past;

    wire [CONTENT:0] turn = beats[ROW] ? odd : even;
    assign bad_row = valid && beats[ROW-1:0] == watch && turn[CONTENT] && beat != turn[CONTENT-1:0];

    // Rows promised or in use: from the taking of a beat to the reading of its row, or its credit's return.
    wire [N-1:0] used = held + unread;
    assign bad_credit = used > DEPTH;
    reg [1:0] gone = 0, back = 0;
    always @(posedge clk) {gone, back} <= {gone[0], leaves, back[0], returned};
    wire [N-1:0] at_most = used + out + gone[0] + gone[1] + back[0] + back[1];
    assign bad_starved = !accept && at_most <= DEPTH - CREDIT_LOOP;

    // What the core counts, in unary, is what was seen of it.
    reg [N-1:0] credit = DEPTH, backlog = 0;
    reg [2:0] waiting = 0;
    reg [1:0] popped = 0;
    reg was_accepted = 0;
    reg [N-1:0] change = 0;
    always @(posedge clk) begin
        popped <= {popped[0], core_read};
        was_accepted <= accepted;
        change <= popped[0] + back[0] - accepted;
        credit <= credit + change;
        backlog <= backlog + push - core_give;
        waiting <= waiting + core_give - core_read;
    end
    wire [DEPTH-1:0] credit_off, backlog_off;
    wire [3:0] waiting_off;
    generate
        for (g = 0; g < DEPTH; g = g + 1) begin : level
            assign credit_off[g] = core_credit[g] != (credit > g);
            assign backlog_off[g] = core_backlog[g] != (backlog > g);
        end
        for (g = 0; g < 4; g = g + 1) begin : announced
            assign waiting_off[g] = core_waiting[g] != (waiting > g);
        end
    endgenerate
    wire [N-1:0] total = credit + change + popped[0] + back[0] - accepted + used;
    wire [N-1:0] change_is = popped[1] + back[1] - was_accepted;
    // Rows pushed since the watched one was, and whether that is still to be read.
    wire [ROW-1:0] age = pushes[ROW-1:0] - watch - 1;
    wire [N-1:0] turn_of = pushes - 1 - age;
    wire to_read = age < unread;
    wire [CONTENT:0] latest = turn_of[ROW] ? odd : even;
    wire [CONTENT-1:0] stored;
    assign stored[LANES*WIDTH +: LANES + ABOUT] = {about, kept};
    generate for (g = 0; g < LANES; g = g + 1) begin : store
        assign stored[WIDTH*g +: WIDTH] = items[WIDTH*g +: WIDTH] & {WIDTH{kept[g]}};
    end endgenerate
    reg [ROW-1:0] after_next = 1;               // the row to be read after the next one
    always @(posedge clk) if (core_read) after_next <= after_next + 1;
    wire [ROW-1:0] next_but_one = reads[ROW-1:0] + 1;
    // The row that the memory registers hold, and its turn.
    wire [N-1:0] read_last = reads - 1;
    wire [CONTENT:0] read_turn = read_last[ROW] ? odd : even;
    assign bad_lemma = {28{LEMMAS != 0}} & {
        // What the core counts is what happened.
        |credit_off, |backlog_off, |waiting_off, total != DEPTH, change != change_is,
        unread != backlog + waiting, out != core_loaded + valid, pushes - reads != unread, reads - beats != out, after_next != next_but_one,
        // Nothing is counted below zero, or above what there is.
        held > DEPTH || unread > DEPTH || backlog > DEPTH || credit > DEPTH || waiting > 4,
        accepted && (held == 0 || credit < 2), change == {N{1'b1}} && credit == 0,
        core_give && (backlog <= young[0] || waiting == 4),
        out + gone[0] < popped[0] || out + gone[0] + gone[1] < popped[0] + popped[1],
        // How far a row has come a few cycles after its push: no further, and no less far than it can.
        backlog < youngest[2], unread < youngest[3], unread + core_loaded < youngest[4],
        waiting < 2 && core_give != (backlog > young[0]), waiting == 0 && backlog != youngest[2],
        !core_loaded && unread != youngest[3], !valid && unread + core_loaded != youngest[4],
        // Until it is read, a row stays as it was pushed.
        to_read && (|lane_written || |keep_written || about_written), to_read && latest[CONTENT] && latest[CONTENT-1:0] != stored,
        core_words != {about, kept, items}, core_next_words != kept,
        to_read && reads[ROW-1:0] == watch && waiting != 0 && core_next_keep != kept,
        core_loaded && read_last[ROW-1:0] == watch && read_turn[CONTENT] && core_loaded_beat != read_turn[CONTENT-1:0]};
endmodule
