// What the buffer may count on, of all that comes before it. `packing` is proven to keep to it: `broken` is never set.
// The proof of `buffer` starts from what gets through: each signal as it came while all keep to it, and nothing of
// what does not.
//
// A beat is taken; against each at most one row is pushed, or one credit returned. Rows are pushed into the two banks in
// turns. They are written up to WRITTEN cycles after their push, and those to be pushed next, no more of them than
// beats that were taken and neither pushed nor returned.
module border #(
    parameter LANES = 1,
    parameter GROUPS = 1,
    parameter ROW = 4,
    parameter WRITTEN = 2
) (
    input  wire                  clk,
    input  wire                  took,
    input  wire [1:0]            push,          // into which bank
    input  wire                  returned,
    input  wire [LANES-1:0]      lane_enable,
    input  wire [LANES*ROW-1:0]  lane_row,
    input  wire [GROUPS-1:0]     keep_enable,
    input  wire [GROUPS*ROW-1:0] keep_row,
    input  wire                  metadata_enable,
    input  wire [ROW-1:0]        metadata_row,
    input  wire [GROUPS-1:0]     mark_enable,
    input  wire [GROUPS*ROW-1:0] mark_row,
    output wire [1:0]            through_push,
    output wire                  through_returned,
    output wire [LANES-1:0]      through_lane,
    output wire [GROUPS-1:0]     through_keep,
    output wire                  through_metadata,
    output wire [GROUPS-1:0]     through_mark,
    output wire                  broken,
    output reg  [ROW+1:0]        held,          // beats taken, and neither pushed nor returned
    output reg  [ROW+1:0]        pushes,        // rows pushed, from the start
    output wire [ROW+1:0]        whole_rows     // those to which nothing is written any more
);
    initial {held, pushes} = 0;
    wire pushed = held != 0 && push == 2'b01 << pushes[0];
    assign through_push = push & {2{pushed}};
    assign through_returned = returned && held > pushed;

    reg [WRITTEN-1:0] young = 0;                // pushes of the last cycles
    reg [ROW+1:0] recent;
    integer i;
    always @* begin
        recent = 0;
        for (i = 0; i < WRITTEN; i = i + 1) recent = recent + young[i];
    end
    assign whole_rows = pushes - recent;
    always @(posedge clk) begin
        held <= held + took - pushed - through_returned;
        pushes <= pushes + pushed;
        young <= {young, pushed};
    end

    // Rows from the first that is not whole on.
    wire [ROW+1:0] open = held + recent;
    function is_open(input [ROW-1:0] row);
        reg [ROW-1:0] ahead;
        begin
            ahead = row - whole_rows[ROW-1:0];
            is_open = ahead < open;
        end
    endfunction
    genvar g;
    generate
        for (g = 0; g < LANES; g = g + 1) begin : lane
            assign through_lane[g] = lane_enable[g] && is_open(lane_row[ROW*g +: ROW]);
        end
        for (g = 0; g < GROUPS; g = g + 1) begin : group
            assign through_keep[g] = keep_enable[g] && is_open(keep_row[ROW*g +: ROW]);
            assign through_mark[g] = mark_enable[g] && is_open(mark_row[ROW*g +: ROW]);
        end
    endgenerate
    assign through_metadata = metadata_enable && is_open(metadata_row);

    assign broken = through_push != push || through_returned != returned || through_lane != lane_enable
        || through_keep != keep_enable || through_mark != mark_enable || through_metadata != metadata_enable;
endmodule
