// The window logic of validator and decoder against the byte-serial automata.
//
// Any beats at any time: `ready` is as free as `valid`. `present`, `scalars`, `passed` and `report` of the core
// belong to step 0 of its pipeline, which they follow by ITEM_DELAY and REPORT_DELAY cycles.
module window #(
    parameter LANES = 1,
    parameter DECODES = 1,                      // 0: bytes pass through
    parameter IN_PLACE = 0,                     // what is present without a beat is not written
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter OFFSET = 32,
    parameter ITEM_DELAY = 1,
    parameter REPORT_DELAY = 1,
    parameter WIDTH = 21
) (
    input  wire                clk,
    input  wire                valid,
    input  wire                last,
    input  wire [7:0]          count,           // kept bytes of a last beat, all if more
    input  wire [8*LANES-1:0]  bytes,
    output wire                bad_beat,
    output wire                bad_present,
    output wire                bad_data,
    output wire                bad_report_beat,
    output wire                bad_error,
    output wire                bad_kind,
    output wire                bad_offset,
    output wire                bad_agreement,
    output wire                bad_lemma
);
    genvar g;
    wire [LANES-1:0] keep;
    generate for (g = 0; g < LANES; g = g + 1) begin : kept
        assign keep[g] = !last || count > g;
    end endgenerate

    // A beat is judged when its packet's next one comes, or at once if it is the last.
    reg               held_valid = 0, held_last = 0;
    reg [LANES-1:0]   held_keep = 0;
    reg [8*LANES-1:0] held_bytes = 0;
    always @(posedge clk) begin
        if (valid) {held_last, held_keep, held_bytes} <= {last, keep, bytes};
        held_valid <= valid || (held_valid && !held_last);
    end
    wire go = held_valid && (held_last || valid);

    localparam STATE = 26, ERROR_STATE = 28 + 3*OFFSET;
    reg  [STATE-1:0] state = 0;
    wire [STATE-1:0] state_after;
    reg  [ERROR_STATE-1:0] error_state = 0;
    wire [ERROR_STATE-1:0] error_after;
    wire [LANES-1:0] present;
    wire [21*LANES-1:0] scalars;
    wire ill, found;
    wire [2:0] kind;
    wire [OFFSET-1:0] offset;
    utf8_grammar #(.LANES(LANES), .STRIP(STRIP), .DROP(DROP)) grammar (
        .bytes(held_bytes), .keep(held_keep), .next(bytes[7:0]), .follows(!held_last && keep[0]),
        .state(state), .state_after(state_after), .present(present), .scalars(scalars),
        .ill(ill));
    wire [25*(LANES+1)-1:0] under_way;
    wire [3*(LANES+1)-1:0] errors;
    utf8_first_error #(.LANES(LANES), .OFFSET(OFFSET)) first_error (
        .bytes(held_bytes), .keep(held_keep),
        .state(error_state), .state_after(error_after), .found(found), .kind(kind), .offset(offset),
        .under_way(under_way), .errors(errors));
    always @(posedge clk) if (go) begin
        state <= held_last ? {STATE{1'b0}} : state_after;
        error_state <= held_last ? {ERROR_STATE{1'b0}} : error_after;
    end

    // The two automata agree on which packets are well formed.
    reg broken = 0;
    always @(posedge clk) if (go) broken <= !held_last && (broken || ill);
    assign bad_agreement = go && held_last && found != (broken || ill);

    reg [23:0] past = 0;
    wire [8*LANES+23:0] behind = {held_bytes, past};
    always @(posedge clk) if (go) past <= held_last ? 24'd0 : behind[8*LANES +: 24];
    utf8_sequences #(.LANES(LANES)) sequences (
        .bytes(held_bytes), .keep(held_keep), .past(past), .under_way(under_way), .errors(errors), .bad(bad_lemma));

    // What the core should show, as late as it does.
    localparam ITEMS = 2 + LANES + WIDTH*LANES, REPORT = 2 + 4 + OFFSET;
    wire [LANES-1:0] want_present = DECODES ? present : held_keep;
    wire [WIDTH*LANES-1:0] want_data;
    generate if (DECODES) assign want_data = scalars; else assign want_data = held_bytes; endgenerate
    wire [ITEMS-1:0] items;
    wire [REPORT-1:0] report;
    delay #(.WIDTH(ITEMS), .CYCLES(ITEM_DELAY)) items_delay (
        .clk(clk), .in({go, go && held_last, want_present & {LANES{go}}, want_data}), .out(items));
    delay #(.WIDTH(REPORT), .CYCLES(REPORT_DELAY)) report_delay (
        .clk(clk), .in({go, go && held_last, {found, kind, offset} & {(4+OFFSET){go && held_last}}}), .out(report));

    wire core_item_valid, core_item_last, core_report_valid, core_report_last;
    wire [LANES-1:0] core_present;
    wire [WIDTH*LANES-1:0] core_data;
    wire [3+OFFSET:0] core_report;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(bytes),
        .item_valid(core_item_valid), .item_last(core_item_last), .present(core_present), .data(core_data),
        .report_valid(core_report_valid), .report_last(core_report_last), .report(core_report));

    wire [LANES-1:0] item_present = items[WIDTH*LANES +: LANES];
    assign bad_beat = {core_item_valid, core_item_last} != items[ITEMS-1 -: 2];
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
    assign bad_report_beat = {core_report_valid, core_report_last} != report[REPORT-1 -: 2];
    assign bad_error = begun && core_report[3+OFFSET] != report[3+OFFSET];
    assign bad_kind = begun && core_report[2+OFFSET:OFFSET] != report[2+OFFSET:OFFSET];
    assign bad_offset = begun && core_report[OFFSET-1:0] != report[OFFSET-1:0];
endmodule
