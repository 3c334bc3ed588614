// The output buffer against a queue of rows. What comes before it is free, but for what it promises: beats are
// taken only when accepted, and all else keeps to `border`.
//
// One row of the buffer, any one, is watched: what is written there has to come out when its turn is. The memories
// keep that row, and give anything at all for the others.
module buffer #(
    parameter LANES = 3,
    parameter GROUP = 2,
    parameter WIDTH = 1,
    parameter METADATA = 2,                     // a row's last bit and its report
    parameter ROW = 5,
    parameter FREE = 1,
    parameter CREDIT_LOOP = 3,                  // beats that are accepted when no more are
    parameter LEMMAS = 1,                       // the core's inner counters are looked at too
    parameter WRITTEN = 2,
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
    input  wire                      metadata_write,
    input  wire [ROW-1:0]            metadata_to,
    input  wire [METADATA-1:0]       metadata_data,
    input  wire [(LANES+GROUP-1)/GROUP-1:0] mark_write,
    input  wire [(LANES+GROUP-1)/GROUP*ROW-1:0] mark_to,
    input  wire [LANES-1:0]          mark_data,     // a bit more of each lane, written apart
    input  wire [FREE-1:0]           free,
    output wire                      bad_valid,     // a beat is offered that is none, or is not offered in time
    output wire                      bad_drop,      // an offer is withdrawn
    output wire                      bad_hold,      // a beat changes while it waits
    output wire                      bad_row,       // a beat is not the row whose turn it is
    output wire                      bad_credit,    // more rows promised than there are
    output wire                      bad_starved,   // rows are free, and no beat is accepted
    output wire [61:0]               bad_lemma      // the counters of the core do not say what they count
);
    localparam GROUPS = (LANES + GROUP - 1) / GROUP, N = ROW + 2, DEPTH = 1 << ROW;

    reg started = 0;
    reg [ROW-1:0] chosen = 0;
    wire [ROW-1:0] watch = started ? chosen : choice;
    always @(posedge clk) {started, chosen} <= {1'b1, watch};

    // Rows loaded, beats gone, from the start.
    reg [N-1:0] fetches = 0, beats = 0;
    wire [N-1:0] held, pushes, whole_rows;
    reg accepted = 0;
    wire accept, valid;
    wire [1:0] core_fetch;
    wire took = offer && accept;
    wire [1:0] core_push;
    wire push = |core_push, returned, metadata_enable;
    wire [LANES-1:0] lane_enable;
    wire [GROUPS-1:0] keep_enable, mark_enable;
    border #(.LANES(LANES), .GROUPS(GROUPS), .ROW(ROW), .WRITTEN(WRITTEN)) border (
        .clk(clk), .took(took), .push({2{may_push}} & 2'b01 << pushes[0]), .returned(may_return),
        .lane_enable(lane_write), .lane_row(lane_to), .keep_enable(keep_write), .keep_row(keep_to),
        .metadata_enable(metadata_write), .metadata_row(metadata_to), .mark_enable(mark_write), .mark_row(mark_to),
        .through_push(core_push), .through_returned(returned), .through_lane(lane_enable), .through_keep(keep_enable),
        .through_metadata(metadata_enable), .through_mark(mark_enable),
        .held(held), .pushes(pushes), .whole_rows(whole_rows));
    wire leaves = valid && ready;
    always @(posedge clk) begin
        accepted <= took;
        fetches <= fetches + |core_fetch;
        beats <= beats + leaves;
    end

    // Pushes of the last cycles, and how many of the last so many.
    reg [LATENCY-2:0] young = 0;
    always @(posedge clk) young <= {young, push};
    reg [3:0] youngest [0:LATENCY-1];
    integer i;
    always @* begin
        youngest[0] = 0;
        for (i = 0; i < LATENCY - 1; i = i + 1) youngest[i + 1] = youngest[i] + young[i];
    end
    // The watched row: what was written there since it was last whole, and what was there the last two times.
    localparam CONTENT = LANES*WIDTH + 2*LANES + METADATA;
    wire [LANES-1:0] lane_hit;
    wire [GROUPS-1:0] keep_hit, mark_hit;
    wire metadata_hit = metadata_enable && metadata_to == watch;
    reg [LANES*WIDTH-1:0] items = 0;
    reg [LANES-1:0] kept = 0, marks = 0, lane_written = 0;
    reg [METADATA-1:0] metadata = 0;
    reg [GROUPS-1:0] keep_written = 0, mark_written = 0;
    reg metadata_written = 0;
    wire [LANES*WIDTH-1:0] items_now, items_shown;
    wire [LANES-1:0] kept_now, marks_now;
    wire [METADATA-1:0] metadata_now = metadata_hit ? metadata_data : metadata;
    genvar g;
    generate
        for (g = 0; g < LANES; g = g + 1) begin : lane
            assign lane_hit[g] = lane_enable[g] && lane_to[ROW*g +: ROW] == watch;
            assign items_now[WIDTH*g +: WIDTH] = lane_hit[g] ? lane_data[WIDTH*g +: WIDTH] : items[WIDTH*g +: WIDTH];
            assign items_shown[WIDTH*g +: WIDTH] = items_now[WIDTH*g +: WIDTH] & {WIDTH{kept_now[g]}};
            assign kept_now[g] = keep_hit[g / GROUP] ? keep_data[g] : kept[g];
            assign marks_now[g] = mark_hit[g / GROUP] ? mark_data[g] : marks[g];
        end
        for (g = 0; g < GROUPS; g = g + 1) begin : group
            assign keep_hit[g] = keep_enable[g] && keep_to[ROW*g +: ROW] == watch;
            assign mark_hit[g] = mark_enable[g] && mark_to[ROW*g +: ROW] == watch;
        end
    endgenerate
    wire whole = &(lane_written | lane_hit | ~kept_now) && &(keep_written | keep_hit)
        && &(mark_written | mark_hit) && (metadata_written || metadata_hit);
    wire pushed = young[WRITTEN-1] && whole_rows[ROW-1:0] == watch;
    reg [CONTENT:0] even = 0, odd = 0;          // {it was all written, what}
    always @(posedge clk) begin
        {items, kept, metadata, marks} <= {items_now, kept_now, metadata_now, marks_now};
        lane_written <= pushed ? 0 : lane_written | lane_hit;
        keep_written <= pushed ? 0 : keep_written | keep_hit;
        mark_written <= pushed ? 0 : mark_written | mark_hit;
        metadata_written <= !pushed && (metadata_written || metadata_hit);
        if (pushed && !whole_rows[ROW]) even <= {whole, marks_now & kept_now, metadata_now, kept_now, items_shown};
        if (pushed && whole_rows[ROW]) odd <= {whole, marks_now & kept_now, metadata_now, kept_now, items_shown};
    end

    // Internal to the core, for lemmas only.
    wire [DEPTH-1:0] core_credit, core_backlog;
    wire [1:0] core_fetched, core_reads, core_shown;
    wire [6:0] core_changes;
    wire [1:0] core_announce;
    wire [3:0] core_pending;
    wire [2*ROW-3:0] core_rows;
    wire [ROW-2:0] core_after;
    wire [CONTENT-1:0] core_words;
    wire [LANES*WIDTH+METADATA+LANES-1:0] core_read, core_held;
    wire [LANES-1:0] core_ahead;
    wire [2*LANES-1:0] core_masks;

    wire [CONTENT-1:0] beat;
    dut core (
        .clk(clk), .rst(1'b0), .accept(accept), .accepted(accepted), .returned(returned),
        .push(core_push),
        .lane_enable(lane_enable), .lane_row(lane_to), .lane_data(lane_data),
        .keep_enable(keep_enable), .keep_row(keep_to), .keep_data(keep_data),
        .metadata_enable(metadata_enable), .metadata_row(metadata_to), .metadata_data(metadata_data),
        .mark_enable(mark_enable), .mark_row(mark_to), .mark_data(mark_data),
        .watch(watch), .free(free), .ready(ready), .valid(valid), .beat(beat),
        .credit(core_credit), .backlog(core_backlog), .changes(core_changes), .announce(core_announce),
        .pending(core_pending), .fetch(core_fetch), .fetched(core_fetched), .reads(core_reads), .shown(core_shown),
        .rows(core_rows), .after(core_after), .words(core_words), .read(core_read), .held(core_held),
        .ahead(core_ahead), .masks(core_masks));

    // A row is offered LATENCY cycles after its push, or when those before it are gone.
    wire [N-1:0] all = pushes - beats;
    assign bad_valid = valid != (all != youngest[LATENCY-1]);

    reg waited = 0;
    reg [CONTENT-1:0] past = 0;
    always @(posedge clk) {waited, past} <= {valid && !ready, beat};
    assign bad_drop = waited && !valid;
    assign bad_hold = waited && beat != past;

    wire [CONTENT:0] turn = beats[ROW] ? odd : even;
    assign bad_row = valid && beats[ROW-1:0] == watch && turn[CONTENT] && beat != turn[CONTENT-1:0];

    // Rows promised or in use: from the taking of a beat to the fetching of its row, or its credit's return.
    wire [N-1:0] used = held + pushes - fetches;
    assign bad_credit = used > DEPTH;
    reg [1:0] back = 0;
    always @(posedge clk) back <= {back[0], returned};
    wire [N-1:0] at_most = held + all + back[0] + back[1];
    assign bad_starved = !accept && at_most <= DEPTH - CREDIT_LOOP;

    // What the core counts, in unary, is what was seen of it.
    wire fetching = |core_fetch, is_fetched = |core_fetched, is_shown = |core_shown;
    reg [1:0] was_fetch = 0;
    always @(posedge clk) was_fetch <= core_fetch;
    wire [N-1:0] starts = fetches + fetching, last = starts - 1'b1;
    reg [N-1:0] credit = DEPTH, change = 0;
    reg [6:0] changes = 0;
    reg [1:0] entered = 0;
    reg was_fetching = 0, was_accepted = 0;
    wire [N-1:0] change_is = was_fetching + back[1] - was_accepted;
    always @(posedge clk) begin
        entered <= {push && pushes[0], push && !pushes[0]};
        was_fetching <= fetching;
        was_accepted <= accepted;
        changes <= core_changes;
        change <= fetching + back[0] - accepted;
        credit <= credit + change;
    end
    wire [DEPTH-1:0] credit_off;
    wire [N-1:0] total = credit + change + back[0] - accepted + used;
    generate for (g = 0; g < DEPTH; g = g + 1) begin : level
        assign credit_off[g] = core_credit[g] != (credit > g);
    end endgenerate
    // Rows that are counted, and of each bank those that are not yet announced; announced ones that are not yet fetching,
    // as yet to be seen (`told`) and seen (`next`).
    wire [N-1:0] counted = pushes - youngest[2];
    wire [2:0] told [0:1];
    wire [1:0] next [0:1];
    wire [1:0] pending_off, fresh_off;
    wire [1:0] backlog_off, entered_off, change_off, row_off, again, fetch_off, fetched_off, shown_off, mask_off;
    generate for (g = 0; g < 2; g = g + 1) begin : bank
        wire [N-1:0] counted_up = counted + (g == 0), fetches_up = fetches + (g == 0);
        wire [1:0] pending = core_pending[2*g] + core_pending[2*g + 1];
        assign next[g] = pending - core_fetch[g];
        assign told[g] = next[g] + core_announce[g];
        wire [N-2:0] loaded = fetches_up[N-1:1], backlog = counted_up[N-1:1] - loaded - pending;
        wire fresh = young[2] && counted[0] != g;   // the last one counted is new
        wire [DEPTH/2-1:0] off;
        for (genvar k = 0; k < DEPTH/2; k = k + 1) begin : unary
            assign off[k] = core_backlog[DEPTH/2*g + k] != (backlog > k);
        end
        assign backlog_off[g] = |off || backlog > DEPTH/2;
        assign entered_off[g] = entered[g] != (young[0] && pushes[0] != g);
        // Pushed two cycles ago, and counted from now on.
        wire came = young[1] && counted[0] == g;
        assign change_off[g] = (changes[2*g +: 2] != 0) != (came != core_announce[g])
            || changes[2*g + 1] != (core_announce[g] && !came);
        assign row_off[g] = core_rows[(ROW-1)*g +: ROW-1] != loaded[ROW-2:0];
        assign again[g] = core_fetch[g] && was_fetch[g];
        assign fetch_off[g] = core_fetch[g] && (!core_fetched[g] || core_shown[g] || fetches[0] != g || pending == 0);
        assign pending_off[g] = core_pending[2*g +: 2] == 2 || (core_announce[g] && pending > 1);
        assign fresh_off[g] = backlog < core_announce[g] + fresh || (told[g] == 0 && backlog > fresh);
        assign fetched_off[g] = core_fetched[g] && last[0] != g;
        assign shown_off[g] = core_shown[g] && beats[0] != g;
        assign mask_off[g] = !core_shown[g] && core_masks[LANES*g +: LANES] != 0;
    end endgenerate
    wire [ROW-2:0] after = core_rows[ROW-2:0] + 1'b1;
    wire after_off = core_after != after;
    // The bank that is to load next, as announced, and the other.
    wire [2:0] told_first = told[starts[0]], told_second = told[!starts[0]];
    wire [1:0] next_first = next[starts[0]], next_second = next[!starts[0]];
    wire [N-1:0] to_tell = pushes - starts - told_first - told_second, to_see = pushes - starts - next_first - next_second;
    wire [N-1:0] to_start = pushes - starts, begun = starts - beats;
    // Whole rows since the watched one, and whether that is still to be loaded.
    wire [ROW-1:0] age = whole_rows[ROW-1:0] - watch - 1'b1;
    wire [N-1:0] turn_of = whole_rows - 1'b1 - age, to_fetch = whole_rows - fetches, to_read = pushes - fetches;
    wire unread = age < to_fetch;
    wire [CONTENT:0] latest = turn_of[ROW] ? odd : even, fetched_turn = last[ROW] ? odd : even;
    wire [LANES*WIDTH-1:0] stored_items, held_items, seen_items;
    wire [LANES-1:0] fetched_keep = fetched_turn[LANES*WIDTH +: LANES], turn_keep = turn[LANES*WIDTH +: LANES];
    generate for (g = 0; g < LANES; g = g + 1) begin : store
        assign stored_items[WIDTH*g +: WIDTH] = items[WIDTH*g +: WIDTH] & {WIDTH{kept[g]}};
        assign held_items[WIDTH*g +: WIDTH] = core_held[WIDTH*g +: WIDTH] & {WIDTH{fetched_keep[g]}};
        assign seen_items[WIDTH*g +: WIDTH] = core_held[WIDTH*g +: WIDTH] & {WIDTH{turn_keep[g]}};
    end endgenerate
    // A row is read in the cycle before it is loaded, when it is whole.
    reg was_unread = 0;
    always @(posedge clk) was_unread <= unread;
    wire next_here = core_rows[(ROW-1)*watch[0] +: ROW-1] == watch[ROW-1:1];
    wire [METADATA-1:0] held_metadata = core_held[LANES*WIDTH +: METADATA];
    wire [LANES-1:0] held_marks = core_held[LANES*WIDTH+METADATA +: LANES];
    wire fetched_here = core_fetched[watch[0]] && last[ROW-1:0] == watch && fetched_turn[CONTENT];
    wire shown_here = core_shown[watch[0]] && beats[ROW-1:0] == watch && turn[CONTENT];
    assign bad_lemma = {62{LEMMAS != 0}} & {
        // What the core counts is what happened.
        |credit_off, backlog_off, entered_off, change_off, row_off, after_off, total != DEPTH, change != change_is,
        (changes[6:4] != 0) != (change != 0) || (changes[6:4] == 2) != (change == 2) || changes[6] != change[N-1],
        // Rows are loaded, come and are shown in turns.
        fetch_off, again, fetched_off, shown_off, mask_off, &core_fetch, &core_fetched, &core_shown, valid != is_shown,
        begun != is_shown + is_fetched, core_reads != ~(core_fetched & ~core_fetch)
            && (started || |core_pending || is_fetched),
        // Banks are told of rows in turns.
        pending_off, fresh_off, told_second > told_first, told_first > told_second + 1,
        next_first == 0 && next_second != 0, next_first == 0 && &core_announce,
        !is_fetched && next_first != 0 && next_second != 0,
        // Nothing is counted below zero, or above what there is.
        held > DEPTH, used > DEPTH, credit > DEPTH, to_fetch > DEPTH, to_read > DEPTH,
        accepted && (held == 0 || credit < 2), was_fetching && begun == fetching, change == {N{1'b1}} && credit == 0,
        // How far a row has come a few cycles after its push: no further, and no less far than it can.
        to_tell < youngest[LATENCY-4], told_first == 0 && to_tell != youngest[LATENCY-4],
        to_see < youngest[LATENCY-3], next_first == 0 && to_see != youngest[LATENCY-3],
        to_start < youngest[LATENCY-2], !is_fetched && to_start != youngest[LATENCY-2],
        all - is_shown < youngest[LATENCY-1],
        // Until it is loaded, a row stays as it was; and then, until it leaves.
        unread && (|lane_written || |keep_written || |mark_written || metadata_written),
        unread && latest[CONTENT] && latest[CONTENT-1:0] != {marks & kept, metadata, kept, stored_items},
        core_words != {marks, metadata, kept, items},
        next_here && core_fetch[watch[0]] && !was_unread,
        next_here && was_unread && unread && !was_fetch[watch[0]] && core_read != {marks, metadata, items},
        fetched_here && core_ahead != fetched_keep,
        fetched_here && !fetching
            && {held_marks & fetched_keep, held_metadata, fetched_keep, held_items} != fetched_turn[CONTENT-1:0],
        shown_here && core_masks[LANES*watch[0] +: LANES] != turn_keep,
        shown_here && {held_marks & turn_keep, held_metadata, turn_keep, seen_items} != turn[CONTENT-1:0]};
endmodule
