// A core of a few lanes as it is delivered, from port to port, against the serial specifications: a `source` that reads the
// units of one encoding one after another, and a `target` that writes those of another.
//
// Any beats that the contract covers, at any time, any `ready` of the sink, and resets at any time. What is taken is
// judged in its order, and the rows that it makes wait in a queue until the core has given them: so nothing is lost,
// doubled, out of turn or made up, on the whole way from one port to the other.
//
// When a beat is judged is free, as long as it is in turn. Here it is as the output moves, like that of a compact core.
module whole #(
    parameter LANES = 1,                        // units of a beat,
    parameter UNIT = 1,                         // bytes of one,
    parameter SLOTS = 1,                        // units of the target for each, at most,
    parameter WIDTH = 21,                       // of so many bits,
    parameter ITEM = 4,                         // and so many bytes on the bus
    parameter PASS = 0,                         // the input's bytes pass through, each beat is a row
    parameter LOOKAHEAD = 1,                    // a beat waits for the next one of its packet
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter OFFSET = 0,                       // bits of a report's offset, which is not looked at
    parameter AMOUNT = 3,                       // of the report: error, kind and offset
    parameter LATENCY = 1,                      // cycles from a beat to its row,
    parameter START = 1                         // and from the last one in reset to the first in which a beat is taken
) (
    input  wire              clk,
    input  wire [7:0]        reset,             // there is one if all bits are set: by chance it is rare
    input  wire              valid,
    input  wire              last,
    input  wire [$clog2(LANES*UNIT):0] count,   // kept bytes of a last beat, all if more
    input  wire [8*LANES*UNIT-1:0] units,
    input  wire              ready,
    output wire              bad_taken,         // a beat is taken while one waits
    output wire              bad_shut,          // none is taken for too long while nothing hinders it
    output wire              bad_offer,         // a row is offered that is none
    // What is offered is not the row that has to come.
    output wire              bad_last,
    output wire              bad_keep,
    output wire [8*LANES*(PASS ? UNIT : SLOTS*ITEM)-1:0] bad_data,
    output wire              bad_error,
    output wire              bad_kind,
    output wire              bad_stay,          // an offer does not stay until it is taken
    output wire              bad_late,          // a row does not come
    output wire              bad_full,          // more rows are under way than there is room for here
    output wire              bad_agreement
);
    localparam TAKES = LANES*UNIT;                      // bytes of a beat,
    localparam GIVES = LANES*SLOTS;                      // items of a row,
    localparam SIZE = PASS ? TAKES : GIVES*ITEM;        // and bytes of one
    localparam TOLD = AMOUNT >= 2 ? 4 : 1;              // bits of the report that are looked at, or one that is zero
    localparam ROW = 1 + TOLD + SIZE + 8*SIZE;        // {last, report, keep, data}
    genvar g;
    wire aresetn = !(&reset);
    wire [TAKES-1:0] keep;
    generate for (g = 0; g < TAKES; g = g + 1) begin : kept
        assign keep[g] = !last || count > g;
    end endgenerate

    wire core_ready, core_valid;
    wire [ROW-1:0] core_row;
    wire [TOLD+OFFSET-1:0] core_report;
    assign core_row[9*SIZE +: TOLD] = core_report[TOLD-1:0];
    generate if (AMOUNT) begin : reports
        dut core (
            .aclk(clk), .aresetn(aresetn), .s_axis_tdata(units), .s_axis_tkeep(keep), .s_axis_tvalid(valid),
            .s_axis_tready(core_ready), .s_axis_tlast(last), .m_axis_tdata(core_row[8*SIZE-1:0]),
            .m_axis_tkeep(core_row[8*SIZE +: SIZE]), .m_axis_tvalid(core_valid), .m_axis_tready(ready),
            .m_axis_tlast(core_row[ROW-1]), .m_axis_tuser(core_report));
    end else begin : reportless
        dut core (
            .aclk(clk), .aresetn(aresetn), .s_axis_tdata(units), .s_axis_tkeep(keep), .s_axis_tvalid(valid),
            .s_axis_tready(core_ready), .s_axis_tlast(last), .m_axis_tdata(core_row[8*SIZE-1:0]),
            .m_axis_tkeep(core_row[8*SIZE +: SIZE]), .m_axis_tvalid(core_valid), .m_axis_tready(ready),
            .m_axis_tlast(core_row[ROW-1]));
        assign core_report = 0;
    end endgenerate

    // Rows that have to come, the first lowest, and which of them have another of the same beat behind them.
    localparam ROOM = 4;
    reg [ROW*ROOM-1:0] rows = 0;
    reg [ROOM-1:0]     pairs = 0;
    reg [2:0]          level = 0;
    wire moves = !core_valid || (ready && !pairs[0]);

    // A beat waits until the output moves, then, with lookahead, for its packet's next one if it is not the last.
    localparam BEAT = 1 + 9*TAKES;              // {last, keep, units}
    reg            waits = 0, held_valid = 0;
    reg [BEAT-1:0] waiting = 0, passed = 0;
    wire taken = valid && core_ready, comes = waits || taken;
    wire [BEAT-1:0] beat = waits ? waiting : {last, keep, units};
    wire [BEAT-1:0] held = LOOKAHEAD ? passed : beat;
    wire held_last = held[BEAT-1];
    wire go = moves && (LOOKAHEAD ? held_valid && (held_last || comes) : comes);
    always @(posedge clk) if (!aresetn) {waits, held_valid} <= 0;
    else begin
        waits <= comes && !moves;
        if (taken && !waits) waiting <= beat;
        if (moves) begin
            held_valid <= comes || (held_valid && !held_last);
            if (comes) passed <= beat;
        end
    end
    assign bad_taken = aresetn && taken && waits;

    wire [TAKES-1:0]   held_keep = held[8*TAKES +: TAKES];
    wire [8*TAKES-1:0] held_units = held[8*TAKES-1:0];
    wire [LANES-1:0] present;
    wire found, disagree;
    wire [21*LANES-1:0] scalars;
    wire [21:0] ahead;
    wire [2:0] kind;
    source #(.LANES(LANES), .STRIP(STRIP), .DROP(DROP), .OFFSET(2)) from (
        .clk(clk), .go(go || !aresetn), .last(held_last || !aresetn), .units(held_units), .keep(held_keep),
        .next(beat[8*TAKES-1:0]), .follows(beat[8*TAKES +: TAKES] & {TAKES{!held_last}}),
        .present(present), .scalars(scalars), .found(found), .kind(kind), .offset(), .sound(), .starts(),
        .ahead(ahead), .bad_agreement(disagree), .bad_lemma());
    assign bad_agreement = aresetn && go && disagree;
    wire [3:0] told = {kind, 1'b1} & {4{held_last && found && AMOUNT != 0}};
    wire [TOLD-1:0] report = told[TOLD-1:0];

    // What the beat makes: rows that are filled, the last one of a packet in any case.
    wire one, two;
    wire [ROW-1:0] row, second;
    generate if (PASS) begin : pass
        wire [8*SIZE-1:0] mask;
        for (g = 0; g < SIZE; g = g + 1) begin : octet
            assign mask[8*g +: 8] = {8{held_keep[g]}};
        end
        assign one = 1, two = 0, second = 0;
        assign row = {held_last, report, held_keep, held_units & mask};
    end else begin : made
        wire [LANES*SLOTS-1:0] there;
        wire [WIDTH*LANES*SLOTS-1:0] items;
        target #(.LANES(LANES), .SLOTS(SLOTS), .DROP(DROP), .WIDTH(WIDTH)) to (
            .present(present), .scalars(scalars), .ahead(ahead), .unfit(), .there(there), .units(items));
        // Items of the row under way, and how many; item by item.
        localparam COUNT = $clog2(GIVES) + 2;
        reg [COUNT-1:0] number = 0, k;
        reg [8*SIZE-1:0] under_way = 0;
        reg [16*SIZE-1:0] filled;
        integer i;
        always @* begin
            k = number;
            filled = under_way;
            for (i = 0; i < LANES*SLOTS; i = i + 1)
                if (there[i]) begin
                    filled[8*ITEM*k +: 8*ITEM] = items[WIDTH*i +: WIDTH];
                    k = k + 1;
                end
        end
        wire full = k >= GIVES && !(held_last && k == GIVES);
        wire [COUNT-1:0] left = full ? k - GIVES : k;
        wire [8*SIZE-1:0] rest = full ? filled >> 8*SIZE : filled[8*SIZE-1:0];
        always @(posedge clk)
            if (!aresetn) {number, under_way} <= 0;
            else if (go) {number, under_way} <= held_last ? 0 : {left, rest};
        wire [GIVES-1:0] kept = ~({GIVES{1'b1}} << left);
        wire [SIZE-1:0] bytes;
        for (g = 0; g < SIZE; g = g + 1) begin : byte_kept
            assign bytes[g] = kept[g / ITEM];
        end
        wire [ROW-1:0] ending = {1'b1, report, bytes, rest};
        assign one = full || held_last, two = full && held_last, second = ending;
        assign row = full ? {1'b0, {TOLD{1'b0}}, {SIZE{1'b1}}, filled[8*SIZE-1:0]} : ending;
    end endgenerate

    wire offered = aresetn && core_valid, leaves = offered && ready && level != 0;
    wire [2:0] stay = level - leaves;
    wire [ROW*ROOM-1:0] behind = leaves ? rows >> ROW : rows;
    wire [ROOM-1:0] pairs_behind = leaves ? pairs >> 1 : pairs;
    always @(posedge clk)
        if (!aresetn) {level, pairs, rows} <= 0;
        else begin
            level <= stay + (go && one) + (go && two);
            rows <= behind | (go && one ? row << ROW*stay : 0) | (go && two ? second << ROW*(stay + 1) : 0);
            pairs <= pairs_behind | (go && two) << stay;
        end
    assign bad_full = aresetn && stay + (go && one) + (go && two) > ROOM;
    assign bad_offer = offered && level == 0;
    wire [ROW-1:0] off = {ROW{offered && level != 0}} & (core_row ^ rows[ROW-1:0]);
    assign bad_last = off[ROW-1];
    assign bad_keep = |off[8*SIZE +: SIZE];
    assign bad_data = off[8*SIZE-1:0];
    assign bad_error = off[9*SIZE];
    assign bad_kind = |(off[9*SIZE +: TOLD] >> 1);

    reg left_there = 0;
    reg [7:0] late = 0, shut = 0;
    always @(posedge clk) begin
        left_there <= offered && !ready;
        late <= aresetn && level != 0 && !core_valid ? late + 1 : 0;
        shut <= aresetn && !core_ready && !(core_valid && !ready) ? shut + 1 : 0;
    end
    assign bad_stay = aresetn && left_there && !core_valid;
    assign bad_late = aresetn && late > LATENCY;
    assign bad_shut = aresetn && shut > START;
endmodule
