// The window logic of a core that sends units for which it must know more than the unit after them, against serial
// specifications: a `source` that reads the units of one encoding one after another, for errors and counters, and a `target`
// that writes those of another and reads them too.
//
// Any beats at any time: `ready` is as free as `valid`. `present`, `data` and `report` of the core belong to step 0 of its
// pipeline, which they follow by ITEM_DELAY and REPORT_DELAY cycles; and so do `tags`, where there are any.
module window_ahead #(
    parameter LANES = 1,                        // units per beat, of a byte
    parameter WIDTH = 8,                        // bits of a unit of the target
    parameter LOOKAHEAD = 1,                    // beats of its packet that a beat waits for, if the last does not come sooner
    parameter AHEAD = 3,                        // units that it then knows
    parameter IN_PLACE = 0,                     // what is present without a beat is not written
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter REPLACEMENT = 63,
    parameter OFFSET = 32,                      // bits of a reported offset
    parameter AMOUNT = 3,                       // of the report: error, kind, offset
    parameter COUNTERS = 0,                     // so many, whose flags are looked at here,
    parameter COUNT = 0,                        // of these, four bits for each, the first lowest: see `counter`
    parameter FLAG_DELAYS = 0,                  // which follow step 0 by so many cycles, eight bits for each
    parameter USER = 0,                         // bits of `user`, behind the report
    parameter TAGS = 0,
    parameter ITEM_DELAY = 1,
    parameter REPORT_DELAY = 1,
    parameter TAG_DELAY = 1
) (
    input  wire                clk,
    input  wire                valid,
    input  wire                last,
    input  wire [7:0]          count,           // kept units of a last beat, all if more
    input  wire [8*LANES-1:0]  units,
    input  wire [(USER ? USER : 1)-1:0] user,
    input  wire [(TAGS ? TAGS : 1)-1:0] tags,
    output wire                bad_beat,
    output wire                bad_present,
    output wire                bad_data,
    output wire                bad_report_beat,
    output wire                bad_error,
    output wire                bad_kind,
    output wire                bad_offset,
    output wire                bad_count,       // a flag is not counted, or a wrong one
    output wire                bad_user,
    output wire                bad_tags,
    output wire                bad_agreement,
    output wire                bad_lemma
);
    genvar g;
    wire [LANES-1:0] keep;
    generate for (g = 0; g < LANES; g = g + 1) begin : kept
        assign keep[g] = !last || count > g;
    end endgenerate

    // Beats wait in line, place 0 for the one that comes. One moves on if one comes, or if its packet is whole: then its last
    // is in the same place, or in one behind.
    localparam BESIDE = (USER ? USER : 1) + (TAGS ? TAGS : 1), BEAT = 9*LANES + BESIDE;
    reg  [LOOKAHEAD:1] waiting = 0, ends = 0;
    reg  [BEAT*LOOKAHEAD-1:0] held = 0;
    wire [LOOKAHEAD:0] there = {waiting, valid}, finals = {ends, last};
    wire [BEAT*(LOOKAHEAD+1)-1:0] beats = {held, keep, units, user, tags};
    wire [LOOKAHEAD:0] moves;
    assign moves[0] = valid;
    generate for (g = 1; g <= LOOKAHEAD; g = g + 1) begin : place
        assign moves[g] = moves[g - 1] || (waiting[g] && ends[g]);
        always @(posedge clk) begin
            if (moves[g]) waiting[g] <= there[g - 1] && moves[g - 1];
            if (moves[g - 1]) {ends[g], held[BEAT*(g - 1) +: BEAT]} <= {finals[g - 1], beats[BEAT*(g - 1) +: BEAT]};
        end
    end endgenerate
    wire go = waiting[LOOKAHEAD] && moves[LOOKAHEAD], held_last = ends[LOOKAHEAD];
    wire [LANES-1:0] held_keep;
    wire [8*LANES-1:0] held_units;
    wire [(USER ? USER : 1)-1:0] held_user;
    wire [(TAGS ? TAGS : 1)-1:0] held_tags;
    assign {held_keep, held_units, held_user, held_tags} = beats[BEAT*LOOKAHEAD +: BEAT];

    // The units after it, as long as its packet goes on.
    wire [8*AHEAD-1:0] after;
    wire [AHEAD-1:0] follows;
    wire [LOOKAHEAD:0] goes_on;                 // so far that it has a beat in the place
    assign goes_on[LOOKAHEAD] = 1;
    generate
        for (g = 0; g < LOOKAHEAD; g = g + 1) assign goes_on[g] = goes_on[g + 1] && !finals[g + 1];
        for (g = 0; g < AHEAD; g = g + 1) begin : unit
            localparam AT = LOOKAHEAD - 1 - g / LANES, LANE = g % LANES;
            assign after[8*g +: 8] = beats[BEAT*AT + BESIDE + 8*LANE +: 8];
            assign follows[g] = goes_on[AT] && beats[BEAT*AT + BESIDE + 8*LANES + LANE];
        end
    endgenerate

    wire [LANES-1:0] present, want_present;
    wire [21*LANES-1:0] scalars;
    wire [WIDTH*LANES-1:0] want_data;
    wire wrong;
    wire [2:0] wrong_kind;
    localparam FAR = OFFSET + 1;                // with one that says that it does not fit
    wire [FAR-1:0] wrong_far;
    source #(.LANES(LANES), .STRIP(STRIP), .DROP(DROP), .OFFSET(FAR)) from (
        .clk(clk), .go(go), .last(held_last), .units(held_units), .keep(held_keep), .next(after[7:0]), .follows(follows[0]),
        .present(present), .scalars(scalars), .found(wrong), .kind(wrong_kind), .offset(wrong_far),
        .bad_agreement(bad_agreement), .bad_lemma(bad_lemma));
    target #(.LANES(LANES), .AHEAD(AHEAD), .STRIP(STRIP), .DROP(DROP), .REPLACEMENT(REPLACEMENT), .WIDTH(WIDTH)) to (
        .clk(clk), .go(go), .last(held_last), .units(held_units), .keep(held_keep), .after(after), .follows(follows),
        .there(want_present), .made(want_data));
    wire [OFFSET-1:0] wrong_at = wrong_far[OFFSET-1:0] | {OFFSET{wrong_far[OFFSET]}};

    // What is counted.
    localparam CODE_POINTS = 0, UTF16_UNITS = 1, REPLACEMENTS = 2, OCTETS = 3;
    localparam NUMBERS = COUNTERS ? COUNTERS : 1, RULES = 4*NUMBERS, FLAGS = 2*LANES;
    localparam [RULES-1:0] RULE = COUNT;
    localparam [8*NUMBERS-1:0] LATE = FLAG_DELAYS;
    wire [LANES-1:0] ill, beyond;
    wire [FLAGS*NUMBERS-1:0] core_flags;
    wire [NUMBERS-1:0] miscounted;
    generate
        for (g = 0; g < LANES; g = g + 1) assign beyond[g] = present[g] && scalars[21*g +: 21] > 21'hFFFF;
        if (COUNTERS) begin : subparts
            ill_formed #(.LANES(LANES)) from (
                .clk(clk), .go(go), .last(held_last), .units(held_units), .keep(held_keep), .next(after[7:0]),
                .follows(follows[0]), .ends(), .ill(ill));
        end else begin : none
            assign ill = 0;
            assign miscounted = 0;
        end
        for (g = 0; g < COUNTERS; g = g + 1) begin : counter
            localparam [3:0] THIS = RULE[4*g +: 4];
            wire [FLAGS-1:0] flags;
            wire [FLAGS:0] want_flags;
            if (THIS == CODE_POINTS) assign flags = present;
            if (THIS == UTF16_UNITS) assign flags = {beyond, present};
            if (THIS == REPLACEMENTS) assign flags = ill;
            if (THIS == OCTETS) assign flags = held_keep;
            delay #(.WIDTH(FLAGS + 1), .CYCLES(LATE[8*g +: 8])) flags_delay (
                .clk(clk), .in({go, flags}), .out(want_flags));
            assign miscounted[g] = want_flags[FLAGS] && core_flags[FLAGS*g +: FLAGS] != want_flags[FLAGS-1:0];
        end
    endgenerate

    // What the core should show, as late as it does.
    localparam FIRST = AMOUNT == 3 ? 4 + OFFSET : AMOUNT == 2 ? 4 : AMOUNT, TOLD = FIRST + USER;
    localparam ITEM_BITS = 2 + LANES + WIDTH*LANES, REPORT = TOLD ? TOLD : 1;
    wire [ITEM_BITS-1:0] items;
    wire [REPORT+1:0] report;
    wire last_goes = go && held_last, reports = last_goes && wrong;
    // Bit 0 of what comes in with a packet's last beat says that it is bad already.
    wire bad = reports || (USER != 0 && last_goes && held_user[0]);
    wire [3+OFFSET:0] first = {{wrong_at, wrong_kind} & {(3+OFFSET){reports}}, bad};
    wire [TOLD:0] want;
    assign want[TOLD] = 0;
    generate
        if (FIRST) assign want[FIRST-1:0] = first[FIRST-1:0];
        if (USER) assign want[FIRST +: (USER ? USER : 1)] = held_user & {(USER ? USER : 1){last_goes}};
    endgenerate
    delay #(.WIDTH(ITEM_BITS), .CYCLES(ITEM_DELAY)) items_delay (
        .clk(clk), .in({go, last_goes, want_present & {LANES{go}}, want_data}), .out(items));
    delay #(.WIDTH(REPORT + 2), .CYCLES(REPORT_DELAY)) report_delay (
        .clk(clk), .in({go, last_goes, want[REPORT-1:0]}), .out(report));
    wire [TAGS:0] carried;
    delay #(.WIDTH(TAGS + 1), .CYCLES(TAG_DELAY)) tags_delay (.clk(clk), .in({go, held_tags} >> !TAGS), .out(carried));

    wire core_item_valid, core_item_last, core_report_valid, core_report_last;
    wire [LANES-1:0] core_present;
    wire [WIDTH*LANES-1:0] core_data;
    wire [REPORT-1:0] core_report;
    wire [2*LANES-1:0] core_marks;
    wire [(TAGS ? TAGS : 1)-1:0] core_tags;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(units), .i_user(user), .i_tags(tags),
        .item_valid(core_item_valid), .item_last(core_item_last), .present(core_present), .data(core_data),
        .report_valid(core_report_valid), .report_last(core_report_last), .report(core_report),
        .marks(core_marks), .tags(core_tags), .flags(core_flags));

    wire [LANES-1:0] item_present = items[WIDTH*LANES +: LANES];
    assign bad_beat = {core_item_valid, core_item_last} != items[ITEM_BITS-1 -: 2];
    assign bad_present = (!IN_PLACE || core_item_valid) && core_present != item_present;
    wire [LANES-1:0] differs;
    generate for (g = 0; g < LANES; g = g + 1) begin : data
        assign differs[g] = item_present[g] && core_data[WIDTH*g +: WIDTH] != items[WIDTH*g +: WIDTH];
    end endgenerate
    assign bad_data = |differs;
    // Before the first beat the report means nothing: nothing is pushed with it.
    reg seen = 0;
    wire begun = seen || core_report_valid;
    always @(posedge clk) seen <= begun;
    wire [TOLD:0] off = {1'b0, {REPORT{begun}} & (core_report ^ report[REPORT-1:0])};
    assign bad_count = |miscounted;
    assign bad_report_beat = {core_report_valid, core_report_last} != report[REPORT +: 2];
    generate
        if (AMOUNT >= 1) assign bad_error = off[0]; else assign bad_error = 0;
        if (AMOUNT >= 2) assign bad_kind = |off[3:1]; else assign bad_kind = 0;
        if (AMOUNT >= 3) assign bad_offset = |off[4 +: OFFSET]; else assign bad_offset = 0;
        if (USER) assign bad_user = |off[FIRST +: (USER ? USER : 1)]; else assign bad_user = 0;
        if (TAGS) assign bad_tags = carried[TAGS] && core_tags != carried[(TAGS ? TAGS : 1)-1:0]; else assign bad_tags = 0;
    endgenerate
endmodule
