// What comes before the buffer keeps to what the buffer counts on (`border`), for any beats with any items. A beat is
// taken LATER cycles after its step 0 here, just before anything comes of it: so no beats that are only under way have to
// be counted. In the core it is taken earlier, which gives more room.
module before_buffer #(
    parameter LANES = 1,
    parameter WIDTH = 1,
    parameter ROW = 4,
    parameter GROUP = 4,
    parameter WRITTEN = 0,
    parameter LATER = 0
) (
    input  wire                   clk,
    input  wire                   go,
    input  wire                   go_last,
    input  wire [LANES-1:0]       present,
    input  wire [LANES*WIDTH-1:0] data,
    input  wire [WIDTH-1:0]       report,
    input  wire                   tag,
    input  wire [2*LANES-1:0]     marks,
    output wire                   bad_border
);
    localparam GROUPS = (LANES + GROUP - 1) / GROUP;
    wire took, returned, metadata_enable;
    wire [1:0] push;
    wire [LANES-1:0] lane_enable;
    wire [ROW*LANES-1:0] lane_row;
    wire [GROUPS-1:0] keep_enable, mark_enable;
    wire [GROUPS*ROW-1:0] keep_row, mark_row;
    wire [ROW-1:0] metadata_row;
    delay #(.WIDTH(1), .CYCLES(LATER)) later (.clk(clk), .in(go), .out(took));
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go_last), .present(present), .data(data), .report(report),
        .tag(tag), .marks(marks), .lane_enable(lane_enable), .lane_row(lane_row), .keep_enable(keep_enable),
        .keep_row(keep_row), .metadata_enable(metadata_enable), .metadata_row(metadata_row), .mark_enable(mark_enable),
        .mark_row(mark_row), .push(push), .returned(returned));
    border #(.LANES(LANES), .GROUPS(GROUPS), .ROW(ROW), .WRITTEN(WRITTEN)) border (
        .clk(clk), .took(took), .push(push), .returned(returned), .lane_enable(lane_enable), .lane_row(lane_row),
        .keep_enable(keep_enable), .keep_row(keep_row), .metadata_enable(metadata_enable), .metadata_row(metadata_row),
        .mark_enable(mark_enable), .mark_row(mark_row), .broken(bad_border));
endmodule
