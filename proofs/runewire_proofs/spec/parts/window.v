// The window logic of a core, front end and back end together, against serial specifications: a `source` that reads the
// units of one encoding one after another, and a `target` that writes those of another.
//
// Any beats at any time: `ready` is as free as `valid`. `present`, `data` and `report` of the core belong to step 0 of its
// pipeline, which they follow by ITEM_DELAY and REPORT_DELAY cycles; and so do `marks` and `tags`, where there are any.
module window #(
    parameter LANES = 1,                        // units per beat,
    parameter UNIT = 1,                         // of so many bytes
    parameter SLOTS = 1,                        // units of the target for each, at most,
    parameter WIDTH = 21,                       // of so many bits
    parameter PASS = 0,                         // the input's bytes pass through,
    parameter BIG = 0,                          // of each unit the most significant one first
    parameter LOOKAHEAD = 1,                    // a beat waits for the next one of its packet
    parameter IN_PLACE = 0,                     // what is present without a beat is not written
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter OFFSET = 32,                      // bits of a reported offset
    parameter AMOUNT = 3,                       // of the report: error, kind, offset
    parameter COUNTERS = 0,                     // so many, whose flags are looked at here,
    parameter COUNT = 0,                        // of these, four bits for each, the first lowest: see `counter`
    parameter FLAG_DELAYS = 0,                  // which follow step 0 by so many cycles, eight bits for each
    parameter USER = 0,                         // bits of `user`, behind the report
    parameter TAGS = 0,
    parameter RECORDS = 0,                      // records are marked, which end with the byte
    parameter DELIMITER = 0,
    parameter ITEM_DELAY = 1,
    parameter REPORT_DELAY = 1,
    parameter MARK_DELAY = 1,
    parameter TAG_DELAY = 1
) (
    input  wire                    clk,
    input  wire                    valid,
    input  wire                    last,
    // Kept bytes of a last beat, all if more: none, some or all, also where a beat has 256.
    input  wire [(UNIT*LANES > 255 ? 8 : 7):0] count,
    input  wire [8*UNIT*LANES-1:0] units,
    input  wire [(USER ? USER : 1)-1:0] user,
    input  wire [(TAGS ? TAGS : 1)-1:0] tags,
    output wire                    bad_beat,
    output wire                    bad_present,
    output wire                    bad_data,
    output wire                    bad_report_beat,
    output wire                    bad_error,
    output wire                    bad_kind,
    output wire                    bad_offset,
    output wire                    bad_count,      // a flag is not counted, or a wrong one
    output wire                    bad_user,
    output wire                    bad_marks,
    output wire                    bad_tags,
    output wire                    bad_agreement,
    output wire                    bad_lemma
);
    localparam BYTES = UNIT*LANES, ITEMS = SLOTS*LANES;
    genvar g;
    wire [BYTES-1:0] keep;
    generate for (g = 0; g < BYTES; g = g + 1) begin : kept
        assign keep[g] = !last || count > g;
    end endgenerate

    // A beat is judged when its packet's next one comes, or at once if it is the last; or always at once.
    reg               held_valid = 0, held_last = 0;
    reg [BYTES-1:0]   held_keep = 0;
    reg [8*BYTES-1:0] held_units = 0;
    reg [(USER ? USER : 1)-1:0] held_user = 0;
    reg [(TAGS ? TAGS : 1)-1:0] held_tags = 0;
    always @(posedge clk) begin
        if (valid) {held_last, held_keep, held_units, held_user, held_tags} <= {last, keep, units, user, tags};
        held_valid <= valid || (LOOKAHEAD && held_valid && !held_last);
    end
    wire go = held_valid && (held_last || valid || !LOOKAHEAD);

    wire [LANES-1:0] present;
    wire [21*LANES-1:0] scalars;
    wire found;
    wire [2:0] kind;
    localparam FAR = OFFSET + 1;                // with one that says that it does not fit
    wire [FAR-1:0] offset;
    wire [LANES-1:0] sound, unfit;
    wire [21:0] ahead;
    wire [FAR*LANES-1:0] starts;
    wire disagree;
    source #(.LANES(LANES), .STRIP(STRIP), .DROP(DROP), .OFFSET(FAR)) from (
        .clk(clk), .go(go), .last(held_last), .units(held_units), .keep(held_keep),
        .next(units[8*UNIT-1:0]), .follows(keep[UNIT-1:0] & {UNIT{!held_last}}),
        .present(present), .scalars(scalars), .found(found), .kind(kind), .offset(offset),
        .sound(sound), .starts(starts), .ahead(ahead),
        .bad_agreement(disagree), .bad_lemma(bad_lemma));
    wire [ITEMS-1:0] want_present;
    wire [WIDTH*ITEMS-1:0] want_data;
    generate if (PASS) begin : pass
        assign unfit = 0;
        assign want_present = held_keep;
        for (g = 0; g < BYTES; g = g + 1) begin : octet
            assign want_data[8*g +: 8] = held_units[8*(BIG ? g / UNIT * UNIT + UNIT - 1 - g % UNIT : g) +: 8];
        end
    end else begin : made
        target #(.LANES(LANES), .SLOTS(SLOTS), .DROP(DROP), .WIDTH(WIDTH)) to (
            .present(present), .scalars(scalars), .ahead(ahead), .unfit(unfit), .there(want_present), .units(want_data));
    end endgenerate

    // The first scalar that the target lacks, as long as the source has shown no error: then it is the packet's first.
    reg              lacks = 0, lacks_after;
    reg [FAR-1:0]    lacked = 0, lacked_after;
    integer i;
    always @* begin
        {lacks_after, lacked_after} = {lacks, lacked};
        for (i = 0; i < LANES; i = i + 1)
            if (sound[i] && unfit[i] && !lacks_after) {lacks_after, lacked_after} = {1'b1, starts[FAR*i +: FAR]};
    end
    always @(posedge clk) if (go) {lacks, lacked} <= held_last ? 0 : {lacks_after, lacked_after};
    wire wrong = found || lacks_after;
    wire [2:0] wrong_kind = lacks_after ? 3'd5 : kind;
    wire [FAR-1:0] wrong_far = lacks_after ? lacked_after : offset;
    wire [OFFSET-1:0] wrong_at = wrong_far[OFFSET-1:0] | {OFFSET{wrong_far[OFFSET]}};

    // What is counted, and where records end.
    localparam CODE_POINTS = 0, UTF16_UNITS = 1, REPLACEMENTS = 2, OCTETS = 3, ENDED = 4, ENDED_BAD = 5;
    localparam NUMBERS = COUNTERS ? COUNTERS : 1, RULES = 4*NUMBERS, FLAGS = BYTES + LANES;
    localparam [RULES-1:0] RULE = COUNT;
    localparam [8*NUMBERS-1:0] LATE = FLAG_DELAYS;
    wire [LANES-1:0] ill, beyond, parts;
    wire [2*LANES-1:0] want_marks;
    wire bad_record;
    wire [FLAGS*NUMBERS-1:0] core_flags;
    wire [NUMBERS-1:0] miscounted;
    assign bad_agreement = disagree || bad_record;
    generate
        for (g = 0; g < LANES; g = g + 1) assign beyond[g] = present[g] && scalars[21*g +: 21] > 21'hFFFF;
        if (COUNTERS || RECORDS) begin : subparts
            ill_formed #(.LANES(LANES), .UNIT(UNIT)) from (
                .clk(clk), .go(go), .last(held_last), .units(held_units), .keep(held_keep), .next(units[8*UNIT-1:0]),
                .follows(keep[UNIT-1:0] & {UNIT{!held_last}}), .ends(parts), .ill(ill));
        end else assign {parts, ill} = 0;
        if (RECORDS) begin : split
            records #(.LANES(LANES), .DELIMITER(DELIMITER)) in (
                .clk(clk), .go(go), .last(held_last), .bytes(held_units), .keep(held_keep),
                .follows(keep[0] && !held_last), .ends(parts), .ill(ill),
                .marks(want_marks), .bad_agreement(bad_record));
        end else assign {want_marks, bad_record} = 0;
        if (!COUNTERS) assign miscounted = 0;
        for (g = 0; g < COUNTERS; g = g + 1) begin : counter
            localparam [3:0] THIS = RULE[4*g +: 4];
            wire [FLAGS-1:0] flags;
            wire [FLAGS:0] want_flags;
            if (THIS == CODE_POINTS) assign flags = present;
            if (THIS == UTF16_UNITS) assign flags = {beyond, present};
            if (THIS == REPLACEMENTS) assign flags = ill;
            if (THIS == OCTETS) assign flags = held_keep;
            if (THIS == ENDED || THIS == ENDED_BAD) begin : marked
                for (genvar k = 0; k < FLAGS; k = k + 1)
                    if (k < LANES) assign flags[k] = want_marks[2*k + (THIS == ENDED_BAD)];
                    else assign flags[k] = 0;
            end
            delay #(.WIDTH(FLAGS + 1), .CYCLES(LATE[8*g +: 8])) flags_delay (
                .clk(clk), .in({go, flags}), .out(want_flags));
            assign miscounted[g] = want_flags[FLAGS] && core_flags[FLAGS*g +: FLAGS] != want_flags[FLAGS-1:0];
        end
    endgenerate

    // What the core should show, as late as it does.
    localparam FIRST = AMOUNT == 3 ? 4 + OFFSET : AMOUNT == 2 ? 4 : AMOUNT, TOLD = FIRST + USER;
    localparam ITEM_BITS = 2 + ITEMS + WIDTH*ITEMS, REPORT = TOLD ? TOLD : 1;
    wire [ITEM_BITS-1:0] items;
    wire [REPORT+1:0] report;
    wire reports = go && held_last && wrong, ends = go && held_last;
    // Bit 0 of what comes in with a packet's last beat says that it is bad already.
    wire bad = reports || (USER != 0 && ends && held_user[0]);
    wire [3+OFFSET:0] first = {{wrong_at, wrong_kind} & {(3+OFFSET){reports}}, bad};
    wire [TOLD:0] want;
    assign want[TOLD] = 0;
    generate
        if (FIRST) assign want[FIRST-1:0] = first[FIRST-1:0];
        if (USER) assign want[FIRST +: (USER ? USER : 1)] = held_user & {(USER ? USER : 1){ends}};
    endgenerate
    delay #(.WIDTH(ITEM_BITS), .CYCLES(ITEM_DELAY)) items_delay (
        .clk(clk), .in({go, go && held_last, want_present & {ITEMS{go}}, want_data}), .out(items));
    delay #(.WIDTH(REPORT + 2), .CYCLES(REPORT_DELAY)) report_delay (
        .clk(clk), .in({go, ends, want[REPORT-1:0]}), .out(report));
    wire [2*LANES:0] marks;                     // whether there is a beat, and its marks
    delay #(.WIDTH(2*LANES + 1), .CYCLES(MARK_DELAY)) marks_delay (.clk(clk), .in({go, want_marks}), .out(marks));
    wire [TAGS:0] carried;
    delay #(.WIDTH(TAGS + 1), .CYCLES(TAG_DELAY)) tags_delay (.clk(clk), .in({go, held_tags} >> !TAGS), .out(carried));

    wire core_item_valid, core_item_last, core_report_valid, core_report_last;
    wire [ITEMS-1:0] core_present;
    wire [WIDTH*ITEMS-1:0] core_data;
    wire [REPORT-1:0] core_report;
    wire [2*LANES-1:0] core_marks;
    wire [(TAGS ? TAGS : 1)-1:0] core_tags;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(units), .i_user(user), .i_tags(tags),
        .item_valid(core_item_valid), .item_last(core_item_last), .present(core_present), .data(core_data),
        .report_valid(core_report_valid), .report_last(core_report_last), .report(core_report),
        .marks(core_marks), .tags(core_tags), .flags(core_flags));

    wire [ITEMS-1:0] item_present = items[WIDTH*ITEMS +: ITEMS];
    assign bad_beat = {core_item_valid, core_item_last} != items[ITEM_BITS-1 -: 2];
    assign bad_present = (!IN_PLACE || core_item_valid) && core_present != item_present;
    wire [ITEMS-1:0] differs;
    generate for (g = 0; g < ITEMS; g = g + 1) begin : data
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
        if (RECORDS) assign bad_marks = marks[2*LANES] && core_marks != marks[2*LANES-1:0]; else assign bad_marks = 0;
        if (TAGS) assign bad_tags = carried[TAGS] && core_tags != carried[(TAGS ? TAGS : 1)-1:0]; else assign bad_tags = 0;
    endgenerate
endmodule
