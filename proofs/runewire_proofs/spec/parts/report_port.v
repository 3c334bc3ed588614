// The stream of reports against a queue of two: any rows at any time, any `ready` of both streams. A packet's last row is
// offered only while there is room for its report, and the report comes from the cycle after it is taken.
module report_port #(
    parameter REPORT = 1,                       // bits of a report
    parameter ROW = 1,                          // of all of a row,
    parameter BEAT = 1                          // and of what the output has of it
) (
    input  wire              clk,
    input  wire              valid,
    input  wire [ROW-1:0]    row,
    input  wire              ready,
    input  wire              report_ready,
    output wire              bad_offer,         // a row is offered that is none, or that has to wait; or one is not
    output wire              bad_row,           // what is offered is not the row
    output wire              bad_taken,         // a row is taken that was not offered, or stays though it was taken
    output wire              bad_report_offer,  // a report too many or too few is offered
    output wire              bad_report         // or another one
);
    wire core_open, core_valid, core_ready, core_report_valid;
    wire [BEAT-1:0] core_beat;
    wire [REPORT-1:0] core_report;
    // Fields of the row, by their names: whether it is its packet's last, its report, and all that the output has too.
    wire last;
    wire [REPORT-1:0] told;
    wire [BEAT-1:0] shown;
    dut core (
        .clk(clk), .rst(1'b0), .row_valid(valid), .row(row), .row_ready(core_ready),
        .last(last), .told(told), .shown(shown), .o_valid(core_valid), .o_ready(ready), .beat(core_beat),
        .report_valid(core_report_valid), .report_ready(report_ready), .report(core_report), .open(core_open));

    reg [1:0] level = 0;
    reg [REPORT-1:0] first = 0, second = 0;
    wire held = last && level == 2, offered = core_open && valid && !held;
    wire comes = offered && ready && last, leaves = core_open && level != 0 && report_ready;
    wire [1:0] left = level - leaves;
    always @(posedge clk) begin
        level <= left + comes;
        if (leaves) first <= second;
        if (comes && left == 0) first <= told;
        if (comes && left == 1) second <= told;
    end
    assign bad_offer = core_valid != offered;
    assign bad_row = offered && core_beat != shown;
    assign bad_taken = core_ready != (ready && !held);
    assign bad_report_offer = core_report_valid != (core_open && level != 0);
    assign bad_report = core_report_valid && core_report != first;
endmodule
