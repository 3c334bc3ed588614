// The packer before its tail: each kept byte is an item, in its lane, whatever other lanes are kept. Any beats at any time.
// `present`, `data`, the report and `tags` follow a beat's handshake by one cycle and ITEM_DELAY, REPORT_DELAY and TAG_DELAY.
module window_octets #(
    parameter LANES = 1,
    parameter USER = 0,
    parameter TAGS = 0,
    parameter ITEM_DELAY = 1,
    parameter REPORT_DELAY = 1,
    parameter TAG_DELAY = 1
) (
    input  wire               clk,
    input  wire               valid,
    input  wire               last,
    input  wire [LANES-1:0]   keep,
    input  wire [8*LANES-1:0] bytes,
    input  wire [(USER ? USER : 1)-1:0] user,
    input  wire [(TAGS ? TAGS : 1)-1:0] tags,
    output wire               bad_beat,
    output wire               bad_present,
    output wire               bad_data,
    output wire               bad_user,
    output wire               bad_tags
);
    localparam U = USER ? USER : 1, T = TAGS ? TAGS : 1;
    reg go = 0, ends = 0;
    reg [LANES-1:0] there = 0;
    reg [8*LANES-1:0] held = 0;
    reg [U-1:0] held_user = 0;
    reg [T-1:0] held_tags = 0;
    always @(posedge clk) begin
        {go, ends, there} <= {valid, valid && last, keep & {LANES{valid}}};
        {held, held_user, held_tags} <= {bytes, user & {U{valid && last}}, tags};
    end

    wire [9*LANES+1:0] items;
    delay #(.WIDTH(9*LANES + 2), .CYCLES(ITEM_DELAY)) items_delay (.clk(clk), .in({go, ends, there, held}), .out(items));
    wire [U+1:0] report;
    delay #(.WIDTH(U + 2), .CYCLES(REPORT_DELAY)) report_delay (.clk(clk), .in({go, ends, held_user}), .out(report));
    wire [T:0] carried;
    delay #(.WIDTH(T + 1), .CYCLES(TAG_DELAY)) tags_delay (.clk(clk), .in({go, held_tags}), .out(carried));

    wire item_valid, item_last, report_valid, report_last;
    wire [LANES-1:0] present;
    wire [8*LANES-1:0] data;
    wire [U-1:0] told;
    wire [T-1:0] core_tags;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(bytes), .i_user(user), .i_tags(tags),
        .item_valid(item_valid), .item_last(item_last), .present(present), .data(data),
        .report_valid(report_valid), .report_last(report_last), .report(told), .tags(core_tags));

    assign bad_beat = {item_valid, item_last} != items[9*LANES +: 2] || {report_valid, report_last} != report[U +: 2];
    assign bad_present = present != items[8*LANES +: LANES];
    wire [LANES-1:0] differs;
    genvar g;
    generate for (g = 0; g < LANES; g = g + 1) begin : lane
        assign differs[g] = items[8*LANES + g] && data[8*g +: 8] != items[8*g +: 8];
    end endgenerate
    assign bad_data = |differs;
    // Before the first beat the report means nothing: nothing is pushed with it.
    reg seen = 0;
    wire begun = seen || report_valid;
    always @(posedge clk) seen <= begun;
    assign bad_user = USER != 0 && begun && told != report[U-1:0];
    assign bad_tags = TAGS != 0 && carried[T] && core_tags != carried[T-1:0];
endmodule
