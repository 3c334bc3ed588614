// The window logic of a core that adds byte order marks, against the serial specifications of `window.v`: a `source` that
// reads the units of one encoding one after another, and leaves a mark at a packet's start out, and a `target` that writes
// those of another. Before each packet goes a beat of the mark alone, of which nothing else comes from the text.
//
// Any beats at any time: one that is not taken, as the mark goes before it, is to what follows no beat.
module window_mark #(
    parameter LANES = 1,                        // units per beat,
    parameter UNIT = 1,                         // of so many bytes
    parameter SLOTS = 1,                        // units of the target for each, at most,
    parameter WIDTH = 21,                       // of so many bits
    parameter LOOKAHEAD = 1,                    // a beat waits for the next one of its packet
    parameter IN_PLACE = 0,                     // what is present without a beat is not written
    parameter DROP = 0,
    parameter OFFSET = 32,                      // bits of a reported offset
    parameter AMOUNT = 3,                       // of the report: error, kind, offset
    parameter USER = 0,                         // bits of `user`, behind the report
    parameter TAGS = 0,
    parameter ITEM_DELAY = 1,
    parameter REPORT_DELAY = 1,
    parameter TAG_DELAY = 1
) (
    input  wire                    clk,
    input  wire                    valid,
    input  wire                    last,
    input  wire [7:0]              count,       // kept bytes of a last beat, all if more
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
    output wire                    bad_user,
    output wire                    bad_tags,
    output wire                    bad_agreement,
    output wire                    bad_lemma
);
    localparam BYTES = UNIT*LANES, ITEMS = SLOTS*LANES, FAR = OFFSET + 1;
    // U+FEFF in UTF-8 (RFC 3629, section 6), or as one unit.
    localparam PLACES = WIDTH == 8 ? 3 : 1;
    // Units of a lane stand in its last slots, and so do those of the mark in the last of its lanes.
    localparam BEFORE = (SLOTS - PLACES % SLOTS) % SLOTS;
    localparam [WIDTH*PLACES-1:0] MARK = WIDTH == 8 ? 24'hBFBBEF : 24'h00FEFF;
    genvar g;
    wire [BYTES-1:0] keep;
    generate for (g = 0; g < BYTES; g = g + 1) begin : kept
        assign keep[g] = !last || count > g;
    end endgenerate

    // The next beat is a packet's first, and its mark has not gone before it.
    reg begins = 1;
    always @(posedge clk) if (valid) begins <= last && !begins;

    // A beat is judged when its packet's next one comes, or at once if it is the last; or always at once.
    reg               held_valid = 0, held_last = 0, held_mark = 0;
    reg [BYTES-1:0]   held_keep = 0;
    reg [8*BYTES-1:0] held_units = 0;
    reg [(USER ? USER : 1)-1:0] held_user = 0;
    reg [(TAGS ? TAGS : 1)-1:0] held_tags = 0;
    always @(posedge clk) begin
        if (valid) {held_mark, held_last, held_keep, held_units, held_user, held_tags} <=
            {begins, last && !begins, keep & {BYTES{!begins}}, units, user, tags};
        held_valid <= valid || (LOOKAHEAD && held_valid && !held_last);
    end
    wire go = held_valid && (held_last || valid || !LOOKAHEAD), ends = go && held_last;

    wire [LANES-1:0] present, sound, unfit;
    wire [21*LANES-1:0] scalars;
    wire [21:0] ahead;
    wire [FAR*LANES-1:0] starts;
    wire found, disagree, off_lemma;
    wire [2:0] kind;
    wire [FAR-1:0] offset;
    source #(.LANES(LANES), .STRIP(1), .DROP(DROP), .OFFSET(FAR)) from (
        .clk(clk), .go(go && !held_mark), .last(held_last), .units(held_units), .keep(held_keep),
        .next(units[8*UNIT-1:0]), .follows(keep[UNIT-1:0] & {UNIT{!held_last}}),
        .present(present), .scalars(scalars), .found(found), .kind(kind), .offset(offset),
        .sound(sound), .starts(starts), .ahead(ahead), .bad_agreement(disagree), .bad_lemma(off_lemma));
    wire [ITEMS-1:0] there, want_present;
    wire [WIDTH*ITEMS-1:0] made, want_data;
    target #(.LANES(LANES), .SLOTS(SLOTS), .DROP(DROP), .WIDTH(WIDTH)) to (
        .present(present), .scalars(scalars), .ahead(ahead), .unfit(unfit), .there(there), .units(made));
    assign want_present = held_mark ? ({ITEMS{1'b0}} | {PLACES{1'b1}}) << BEFORE : there;
    assign want_data = held_mark ? ({WIDTH*ITEMS{1'b0}} | MARK) << WIDTH*BEFORE : made;
    assign bad_agreement = disagree && !held_mark;
    assign bad_lemma = off_lemma && !held_mark;

    // What the core should show, as late as it does.
    localparam FIRST = AMOUNT == 3 ? 4 + OFFSET : AMOUNT == 2 ? 4 : AMOUNT, TOLD = FIRST + USER;
    localparam ITEM_BITS = 2 + ITEMS + WIDTH*ITEMS, REPORT = TOLD ? TOLD : 1;
    wire [ITEM_BITS-1:0] items;
    wire [REPORT+1:0] report;
    wire reports = ends && found;
    wire bad = reports || (USER != 0 && ends && held_user[0]);
    wire [OFFSET-1:0] wrong_at = offset[OFFSET-1:0] | {OFFSET{offset[OFFSET]}};
    wire [3+OFFSET:0] first = {{wrong_at, kind} & {(3+OFFSET){reports}}, bad};
    wire [TOLD:0] want;
    assign want[TOLD] = 0;
    generate
        if (FIRST) assign want[FIRST-1:0] = first[FIRST-1:0];
        if (USER) assign want[FIRST +: (USER ? USER : 1)] = held_user & {(USER ? USER : 1){ends}};
    endgenerate
    delay #(.WIDTH(ITEM_BITS), .CYCLES(ITEM_DELAY)) items_delay (
        .clk(clk), .in({go, ends, want_present & {ITEMS{go}}, want_data}), .out(items));
    delay #(.WIDTH(REPORT + 2), .CYCLES(REPORT_DELAY)) report_delay (
        .clk(clk), .in({go, ends, want[REPORT-1:0]}), .out(report));
    wire [TAGS:0] carried;
    delay #(.WIDTH(TAGS + 1), .CYCLES(TAG_DELAY)) tags_delay (.clk(clk), .in({go, held_tags} >> !TAGS), .out(carried));

    wire core_item_valid, core_item_last, core_report_valid, core_report_last;
    wire [ITEMS-1:0] core_present;
    wire [WIDTH*ITEMS-1:0] core_data;
    wire [REPORT-1:0] core_report;
    wire [(TAGS ? TAGS : 1)-1:0] core_tags;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(units), .i_user(user), .i_tags(tags),
        .item_valid(core_item_valid), .item_last(core_item_last), .present(core_present), .data(core_data),
        .report_valid(core_report_valid), .report_last(core_report_last), .report(core_report), .tags(core_tags));

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
    assign bad_report_beat = {core_report_valid, core_report_last} != report[REPORT +: 2];
    generate
        if (AMOUNT >= 1) assign bad_error = off[0]; else assign bad_error = 0;
        if (AMOUNT >= 2) assign bad_kind = |off[3:1]; else assign bad_kind = 0;
        if (AMOUNT >= 3) assign bad_offset = |off[4 +: OFFSET]; else assign bad_offset = 0;
        if (USER) assign bad_user = |off[FIRST +: (USER ? USER : 1)]; else assign bad_user = 0;
        if (TAGS) assign bad_tags = carried[TAGS] && core_tags != carried[(TAGS ? TAGS : 1)-1:0]; else assign bad_tags = 0;
    endgenerate
endmodule
