// The window logic of a core, front end and back end together, against serial specifications: a `source` that reads the
// units of one encoding one after another, and a `target` that writes those of another.
//
// Any beats at any time: `ready` is as free as `valid`. `present`, `data` and `report` of the core belong to step 0 of its
// pipeline, which they follow by ITEM_DELAY and REPORT_DELAY cycles.
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
    parameter ITEM_DELAY = 1,
    parameter REPORT_DELAY = 1
) (
    input  wire                    clk,
    input  wire                    valid,
    input  wire                    last,
    input  wire [7:0]              count,       // kept bytes of a last beat, all if more
    input  wire [8*UNIT*LANES-1:0] units,
    output wire                    bad_beat,
    output wire                    bad_present,
    output wire                    bad_data,
    output wire                    bad_report_beat,
    output wire                    bad_error,
    output wire                    bad_kind,
    output wire                    bad_offset,
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
    always @(posedge clk) begin
        if (valid) {held_last, held_keep, held_units} <= {last, keep, units};
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
    source #(.LANES(LANES), .STRIP(STRIP), .DROP(DROP), .OFFSET(FAR)) from (
        .clk(clk), .go(go), .last(held_last), .units(held_units), .keep(held_keep),
        .next(units[8*UNIT-1:0]), .follows(keep[UNIT-1:0] & {UNIT{!held_last}}),
        .present(present), .scalars(scalars), .found(found), .kind(kind), .offset(offset),
        .sound(sound), .starts(starts), .ahead(ahead),
        .bad_agreement(bad_agreement), .bad_lemma(bad_lemma));
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

    // What the core should show, as late as it does.
    localparam ITEM_BITS = 2 + ITEMS + WIDTH*ITEMS, REPORT = 2 + 4 + OFFSET;
    wire [ITEM_BITS-1:0] items;
    wire [REPORT-1:0] report;
    wire reports = go && held_last && wrong;
    delay #(.WIDTH(ITEM_BITS), .CYCLES(ITEM_DELAY)) items_delay (
        .clk(clk), .in({go, go && held_last, want_present & {ITEMS{go}}, want_data}), .out(items));
    delay #(.WIDTH(REPORT), .CYCLES(REPORT_DELAY)) report_delay (
        .clk(clk), .in({go, go && held_last, {wrong_at, wrong_kind, wrong} & {(4+OFFSET){reports}}}), .out(report));

    wire core_item_valid, core_item_last, core_report_valid, core_report_last;
    wire [ITEMS-1:0] core_present;
    wire [WIDTH*ITEMS-1:0] core_data;
    wire [3+OFFSET:0] core_report;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(units),
        .item_valid(core_item_valid), .item_last(core_item_last), .present(core_present), .data(core_data),
        .report_valid(core_report_valid), .report_last(core_report_last), .report(core_report));

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
    assign bad_report_beat = {core_report_valid, core_report_last} != report[REPORT-1 -: 2];
    assign bad_error = begun && core_report[0] != report[0];
    assign bad_kind = begun && core_report[3:1] != report[3:1];
    assign bad_offset = begun && core_report[4 +: OFFSET] != report[4 +: OFFSET];
endmodule
