// A compact core from its items to its output against a serial counter: the items of a packet are numbered from 0, and
// item k of it belongs into lane k mod LANES of its packet's row k / LANES. (IN_PLACE: each beat is a row, each item in
// its own lane.) Rows come out as `rows_out` has it.
//
// Any beats at any time, with any items and reports; what comes without a beat is none of it. In the lanes of a slotted
// core, of SLOTS places each, items stand in the last of USED places, without gaps.
module rows #(
    parameter LANES = 1,
    parameter WIDTH = 1,
    parameter STAGES = 1,                       // registers between a beat and the output's
    parameter IN_PLACE = 0,
    parameter SLOTS = 1,
    parameter USED = 1,
    parameter REPORTS = 1,                      // a row has a report,
    parameter TAGS = 0,                         // a tag, which is the same for all beats of a packet,
    parameter MARKS = 0                         // marks of each lane
) (
    input  wire                         clk,
    input  wire                         go,
    input  wire                         go_last,
    input  wire [LANES-1:0]             present,
    input  wire [LANES*WIDTH-1:0]       data,
    input  wire [WIDTH-1:0]             report,
    input  wire                         tag,
    input  wire [2*LANES-1:0]           marks,
    input  wire                         ready,
    output wire                         bad_advance,    // the pipeline waits without need, or does not where it must
    output wire                         bad_offer,      // a row that is none, is too late or is missing
    output wire                         bad_items,      // keep bits or items that are not the row's
    output wire                         bad_last,
    output wire                         bad_report,
    output wire                         bad_tag,
    output wire                         bad_marks
);
    wire core_advance, core_offer, core_last, core_tag;
    wire [LANES-1:0] core_keep;
    wire [LANES*WIDTH-1:0] core_data;
    wire [WIDTH-1:0] core_report;
    wire [2*LANES-1:0] core_marks;
    wire advance;

    // A packet's first beat says its tag.
    reg tagged = 0, under_way = 0;
    wire tag_now = TAGS != 0 && (under_way ? tagged : tag);
    always @(posedge clk) if (go && advance) {tagged, under_way} <= {tag_now, !go_last};

    reg [LANES-1:0] there;
    integer i;
    always @* begin
        there = 0;
        for (i = LANES - 1; i >= 0; i = i - 1)
            if (SLOTS == 1 || i % SLOTS == SLOTS - 1)
                there[i] = present[i];
            else
                there[i] = present[i] && there[i + 1] && i % SLOTS >= SLOTS - USED;
        if (!IN_PLACE && !go)
            there = 0;
    end
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go_last), .present(there), .data(data), .report(report),
        .tag(tag_now), .marks(marks), .ready(ready), .advance(core_advance), .offer(core_offer), .out_last(core_last),
        .out_keep(core_keep), .out_data(core_data), .out_report(core_report), .out_tag(core_tag),
        .out_marks(core_marks));

    // The packet's items in the row under way, and how many; then what a beat makes of them: two rows.
    localparam COUNT = $clog2(LANES) + 2;
    reg [COUNT-1:0] count = 0, k;
    reg [LANES*WIDTH-1:0] items = 0;
    reg [2*LANES*WIDTH-1:0] two;
    reg [2*LANES-1:0] filled;
    always @* begin
        k = count;
        two = items;
        filled = 0;
        for (i = 0; i < LANES; i = i + 1)
            if (i < count) filled[i] = 1;
        for (i = 0; i < LANES; i = i + 1)
            if (there[i]) begin
                two[WIDTH*k +: WIDTH] = data[WIDTH*i +: WIDTH];
                filled[k] = 1;
                k = k + 1;
            end
        if (IN_PLACE) begin
            filled = there;
            two = 0;
            for (i = 0; i < LANES; i = i + 1)
                if (there[i]) two[WIDTH*i +: WIDTH] = data[WIDTH*i +: WIDTH];
        end
    end
    wire full = !IN_PLACE && k >= LANES && !(go_last && k == LANES);
    always @(posedge clk) if (go && advance && !IN_PLACE) begin
        count <= go_last ? 0 : full ? k - LANES : k;
        items <= go_last ? 0 : full ? two >> LANES*WIDTH : two;
    end

    wire [WIDTH-1:0] told = REPORTS && go_last ? report : 0;
    wire any = go && (full || go_last || IN_PLACE), both = go && full && go_last;
    rows_out #(.LANES(LANES), .WIDTH(WIDTH), .STAGES(STAGES)) rows_out (
        .clk(clk), .any(any), .both(both), .last(go_last && !full), .report(told), .tag(tag_now),
        .marks(MARKS ? marks : {2*LANES{1'b0}}), .keep(filled[LANES-1:0]), .items(two[LANES*WIDTH-1:0]),
        .second_keep(filled[2*LANES-1:LANES]), .second_items(two[2*LANES*WIDTH-1:LANES*WIDTH]), .ready(ready),
        .core_advance(core_advance), .core_offer(core_offer), .core_last(core_last), .core_report(core_report),
        .core_tag(core_tag), .core_marks(core_marks), .core_keep(core_keep), .core_data(core_data),
        .advance(advance), .bad_advance(bad_advance), .bad_offer(bad_offer), .bad_items(bad_items),
        .bad_last(bad_last), .bad_report(bad_report), .bad_tag(bad_tag), .bad_marks(bad_marks));
endmodule
