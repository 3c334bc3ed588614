// Packing against a serial counter: the items of a packet are numbered from 0, and item k of it belongs into
// lane k mod LANES of its packet's row k / LANES. (IN_PLACE: each beat is a row, each item in its own lane.) Of each beat
// one lane, any one, is looked at: it gets the item that belongs there, and none if there is none.
//
// Any beats at any time, with any items and reports; what comes without a beat is none of it. Where a lane of the core has
// SLOTS places, its items stand in the last of them, without gaps, and none in the first of those that are never used.
// Writes follow a beat's step 0 by WRITE_DELAY cycles, those of keep bits in place by KEEP_DELAY; the rows that it ends may
// be pushed PUSH_DELAY cycles after it, and must be one cycle later. What goes with a row is written METADATA_DELAY cycles
// after its push. All writing to a row must be done WRITTEN cycles after its push.
module packing #(
    parameter LANES = 1,
    parameter WIDTH = 1,
    parameter ROW = 4,
    parameter GROUP = 4,
    parameter IN_PLACE = 0,
    parameter WRITE_DELAY = 1,
    parameter KEEP_DELAY = 1,
    parameter PUSH_DELAY = 1,
    parameter METADATA_DELAY = 0,
    parameter WRITTEN = 0,
    parameter RETURN_DELAY = 1,
    parameter REPORTS = 1,                      // a row has a report,
    parameter TAGS = 0,                         // and a tag, which is the same for all beats of a packet
    parameter MARKS = 0,                        // marks of each lane come MARK_DELAY cycles after a beat's step 0, IN_PLACE
    parameter MARK_DELAY = 1,
    parameter SLOTS = 1,                        // places of a lane,
    parameter USED = 1,                         // and how many of these are used
    parameter LEMMAS = 1                        // what helps to prove it is proven too
) (
    input  wire                         clk,
    input  wire                         go,
    input  wire                         go_last,
    input  wire [LANES-1:0]             present,
    input  wire [LANES*WIDTH-1:0]       data,
    input  wire [WIDTH-1:0]             report,
    input  wire                         tag,
    input  wire [2*LANES-1:0]           marks,
    input  wire [$clog2(LANES):0]       choice,         // of the lane, its highest bit unused
    output wire                         bad_write,      // an item is missing, is too many, or is in a wrong row
    output wire                         bad_data,
    output wire                         bad_metadata,   // keep bits or report written anywhere but in the row pushed
    output wire                         bad_marks,      // marks written anywhere but in their beat's row, or too late
    output wire                         bad_push,       // a row too many
    output wire                         bad_late,       // a row too late, or never
    output wire                         bad_row,        // a row that is not as its packet says
    output wire                         bad_credit,     // more rows in use than credits held, or a credit lost
    output wire [8:0]                   bad_lemma       // a stepping stone does not hold
);
    localparam GROUPS = (LANES + GROUP - 1) / GROUP;
    wire core_returned, metadata_enable, metadata_clash;
    wire [1:0] core_push;                       // into which bank
    wire [LANES-1:0] core_enable, lane_clash, core_keep;
    wire [ROW*LANES-1:0] core_row;
    wire [WIDTH*LANES-1:0] core_data;
    wire [GROUPS-1:0] keep_enable, keep_clash;
    wire [GROUPS*ROW-1:0] keep_row;
    wire [ROW-1:0] metadata_row;
    wire [WIDTH+1:0] core_metadata;             // {tag, report, last}
    wire [GROUPS-1:0] mark_enable, mark_clash;
    wire [GROUPS*ROW-1:0] mark_row;
    wire [2*LANES-1:0] core_marks;
    // A packet's first beat says its tag.
    reg tagged = 0, under_way = 0;
    wire tag_now = TAGS != 0 && (under_way ? tagged : tag);
    always @(posedge clk) if (go) {tagged, under_way} <= {tag_now, !go_last};
    wire [LANES-1:0] items;
    genvar g, d;
    generate for (g = 0; g < LANES; g = g + 1) begin : place
        if (IN_PLACE || g % SLOTS == SLOTS - 1) assign items[g] = present[g];
        else assign items[g] = g % SLOTS >= SLOTS - USED && present[g] && items[g + 1];
    end endgenerate
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go_last), .present(items), .data(data), .report(report),
        .tag(tag_now), .marks(marks), .mark_enable(mark_enable), .mark_clash(mark_clash), .mark_row(mark_row),
        .mark_data(core_marks),
        .lane_enable(core_enable), .lane_clash(lane_clash), .lane_row(core_row), .lane_data(core_data),
        .keep_enable(keep_enable), .keep_clash(keep_clash), .keep_row(keep_row), .keep_data(core_keep),
        .metadata_enable(metadata_enable), .metadata_clash(metadata_clash), .metadata_row(metadata_row),
        .metadata_data(core_metadata),
        .push(core_push), .returned(core_returned));

    // The packet's items in the row under way, and that row.
    localparam COUNT = $clog2(LANES) + 2;
    reg [COUNT-1:0] count = 0;
    reg [ROW-1:0] row = 0;
    wire [ROW-1:0] next_row = row + 1'b1;
    wire [LANES-1:0] there = IN_PLACE ? {LANES{1'b1}} : items & {LANES{go}};
    wire [COUNT-1:0] number [0:LANES];          // items of the row under way, before each of the beat's
    wire [COUNT*LANES-1:0] numbers;
    wire [$clog2(LANES):0] lane = choice % LANES;
    wire [LANES-1:0] hits, over;                // the item that belongs into the lane, and those of the next row
    wire [WIDTH-1:0] item;
    assign number[0] = IN_PLACE ? 0 : count;
    generate
        for (g = 0; g < LANES; g = g + 1) begin : numbered
            assign number[g + 1] = number[g] + there[g];
            assign numbers[COUNT*g +: COUNT] = number[g];
            assign hits[g] = there[g] && number[g] % LANES == lane;
            assign over[g] = number[g] >= LANES;
        end
        for (g = 0; g < WIDTH; g = g + 1) begin : bits
            wire [LANES-1:0] column;
            for (d = 0; d < LANES; d = d + 1) assign column[d] = data[WIDTH*d + g];
            assign item[g] = |(hits & column);
        end
    endgenerate

    wire [COUNT-1:0] k = IN_PLACE ? 0 : number[LANES];
    wire full = !IN_PLACE && k >= LANES && !(go_last && k == LANES);    // a row is full
    wire extra = IN_PLACE || go_last;                                   // a packet's last row comes (after it)
    wire [COUNT-1:0] left = full ? k - LANES : k;
    wire [LANES-1:0] last_keep;
    generate for (g = 0; g < LANES; g = g + 1) begin : kept
        assign last_keep[g] = !IN_PLACE && left > g;
    end endgenerate
    always @(posedge clk) if (go) begin
        count <= go_last ? 0 : k % LANES;
        row <= row + full + extra;
    end

    wire want_enable;
    wire [ROW-1:0] want_row;
    wire [WIDTH-1:0] want_item;
    wire [$clog2(LANES):0] want_lane;
    delay #(.WIDTH(2 + $clog2(LANES) + ROW + WIDTH), .CYCLES(WRITE_DELAY)) writes_delay (
        .clk(clk), .in({go && |hits, |(hits & over) ? next_row : row, item, lane}),
        .out({want_enable, want_row, want_item, want_lane}));
    wire enabled;
    wire [ROW-1:0] written_to;
    wire [WIDTH-1:0] put;
    pick #(.COUNT(LANES)) enable_of_lane (.all(core_enable), .number(want_lane), .one(enabled));
    pick #(.COUNT(LANES), .WIDTH(ROW)) row_of_lane (.all(core_row), .number(want_lane), .one(written_to));
    pick #(.COUNT(LANES), .WIDTH(WIDTH)) item_of_lane (.all(core_data), .number(want_lane), .one(put));
    assign bad_write = enabled != want_enable || |lane_clash || (want_enable && written_to != want_row);
    assign bad_data = want_enable && put != want_item;

    // Rows that are complete, oldest first: {tag, last, keep, report}.
    localparam TOKEN = 2 + LANES + WIDTH;
    wire [WIDTH-1:0] told = REPORTS ? report : 0;
    wire [1:0] arrives;
    wire [TOKEN-1:0] extra_token;
    delay #(.WIDTH(2 + TOKEN), .CYCLES(PUSH_DELAY)) tokens_delay (
        .clk(clk),
        .in({full && go, extra && go, tag_now, go_last, last_keep, told & {WIDTH{go_last}}}),
        .out({arrives, extra_token}));
    wire [TOKEN-1:0] full_token = {extra_token[TOKEN-1], 1'b0, {LANES{1'b1}}, {WIDTH{1'b0}}};
    reg [TOKEN-1:0] waiting = 0;
    reg is_waiting = 0;
    wire [1:0] level = is_waiting + arrives[1] + arrives[0];
    wire [TOKEN-1:0] arrived = arrives[1] ? full_token : extra_token;
    wire [TOKEN-1:0] queue0 = is_waiting ? waiting : arrived, queue1 = is_waiting ? arrived : extra_token;
    reg [ROW-1:0] pushes = 0;
    wire push = |core_push;
    assign bad_push = push && (level == 0 || core_push != 2'b01 << pushes[0]);
    wire [1:0] remain = level - push;
    assign bad_late = !bad_push && remain > 1;
    always @(posedge clk) begin
        is_waiting <= remain != 0;
        waiting <= push ? queue1 : queue0;
        pushes <= pushes + push;
    end

    // What goes with a row is written when it is pushed or soon after, but for keep bits in place.
    wire written;
    wire [ROW-1:0] written_row;
    wire [TOKEN-1:0] token;
    delay #(.WIDTH(1 + ROW + TOKEN), .CYCLES(METADATA_DELAY)) metadata_delay (
        .clk(clk), .in({push, pushes, queue0}), .out({written, written_row, token}));
    wire [LANES-1:0] want_keep;
    wire due;
    wire [ROW-1:0] due_row;
    delay #(.WIDTH(1 + ROW + LANES), .CYCLES(KEEP_DELAY)) keep_delay (
        .clk(clk), .in({go, row, present}), .out({due, due_row, want_keep}));
    wire keep_time = IN_PLACE ? due : written;
    wire [ROW-1:0] keep_to = IN_PLACE ? due_row : written_row;
    assign bad_metadata = metadata_enable != written || |keep_clash || metadata_clash || (written && metadata_row != written_row)
        || keep_enable != {GROUPS{keep_time}} || (keep_time && keep_row != {GROUPS{keep_to}})
        || METADATA_DELAY > WRITTEN || WRITE_DELAY > PUSH_DELAY + WRITTEN
        || (IN_PLACE && KEEP_DELAY > PUSH_DELAY + WRITTEN);
    assign bad_row = (written && {core_metadata[WIDTH+1], core_metadata[0], core_metadata[WIDTH:1]} != {token[TOKEN-1 -: 2], token[WIDTH-1:0]})
        || (keep_time && core_keep != (IN_PLACE ? want_keep : token[WIDTH +: LANES]));

    // Marks go with their beat's row, and are there when it is read.
    wire [ROW+2*LANES:0] want_marks;
    delay #(.WIDTH(1 + ROW + 2*LANES), .CYCLES(MARK_DELAY)) marks_delay (.clk(clk), .in({go, row, marks}), .out(want_marks));
    wire marked = want_marks[ROW+2*LANES];
    assign bad_marks = MARKS != 0 && (|mark_clash || mark_enable != {GROUPS{marked}} || MARK_DELAY > PUSH_DELAY + WRITTEN
        || (marked && (mark_row != {GROUPS{want_marks[2*LANES +: ROW]}} || core_marks != want_marks[2*LANES-1:0])));

    // Credits, beat by beat: beats - returned credits - rows in use, where a row is in use from its first item on.
    wire [4:0] uses;
    delay #(.WIDTH(5), .CYCLES(RETURN_DELAY)) uses_delay (
        .clk(clk),
        .in({go, full && go, extra && go, !IN_PLACE && !go_last && k % LANES != 0, !IN_PLACE && count != 0}),
        .out(uses));
    reg [2:0] slack = 0;
    wire [2:0] slack_after = slack + uses[4] - core_returned - (uses[4] ? uses[3] + uses[2] + uses[1] - uses[0] : 0);
    always @(posedge clk) slack <= slack_after;
    assign bad_credit = slack_after > 1;

    // Stepping stones: the way to the lane, and what has to be remembered of a packet, as one must to get it right.
    generate if (IN_PLACE || !LEMMAS) assign bad_lemma = 0;
    else begin : lemmas
        wire astray;
        if (LANES == 1) assign astray = 0;
        else ways #(.LANES(LANES), .COUNT(COUNT), .SLOTS(SLOTS), .USED(USED)) ways (
            .present(there), .data(data), .numbers({number[LANES], numbers}), .lane(lane), .bad(astray));

        // Of a beat's first g items there are g at most.
        wire [LANES:0] too_many;
        for (g = 0; g <= LANES; g = g + 1) begin : items_before
            wire [COUNT-1:0] these = number[g] - count;
            assign too_many[g] = these > g;
        end

        // The next rows, kept as numbers of their own.
        reg [ROW-1:0] row1 = 1, row2 = 2;
        wire [ROW-1:0] moved = full + extra;
        always @(posedge clk) if (go) begin
            row1 <= row1 + moved;
            row2 <= row2 + moved;
        end

        // While each beat of a packet fills a row, none is under way, and rows are a cycle late, as last ones are.
        reg gapless = 1, late = 0, begun = 0;
        reg [TOKEN-1:0] late_token = 0;
        wire pushes_now = late || (go && full && !gapless);
        wire early = !begun && !go;             // what the report may be before the first beat
        always @(posedge clk) begin
            if (go) gapless <= go_last || (gapless && full);
            late <= go && (go_last || (full && gapless));
            late_token <= {tag_now, go && go_last, last_keep | {LANES{!(go && go_last)}},
                           told & {WIDTH{early || (go && go_last)}}};
            begun <= begun || go;
        end
        wire late_then, pushes_then;
        wire [TOKEN-1:0] token_then;
        delay #(.WIDTH(2 + TOKEN), .CYCLES(PUSH_DELAY)) ghost_delay (
            .clk(clk), .in({late, pushes_now, late_token}), .out({late_then, pushes_then, token_then}));
        wire gap_then, under_way_then;
        delay #(.WIDTH(2), .CYCLES(RETURN_DELAY)) gap_delay (
            .clk(clk), .in({!gapless, count != 0}), .out({gap_then, under_way_then}));

        assign bad_lemma = {
            astray, |too_many, gapless && count != 0, late && !gapless, is_waiting != late_then, push != pushes_then,
            is_waiting && waiting != token_then, row1 != next_row || row2 != row1 + 1'b1,
            slack != (gap_then && !under_way_then)};
    end endgenerate
endmodule
