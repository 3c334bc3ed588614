// The rows that beats end come out in order, as soon as STAGES registers and the rows before them let them, and wait there
// until they are taken: one for a beat that ends `any`, and a second one behind it, its packet's last, where it ends `both`.
module rows_out #(
    parameter LANES = 1,
    parameter WIDTH = 1,
    parameter STAGES = 1                        // registers between a beat and the output's
) (
    input  wire                   clk,
    input  wire                   any,
    input  wire                   both,
    input  wire                   last,         // the first of a beat's rows is its packet's last
    input  wire [WIDTH-1:0]       report,       // told with the last
    input  wire                   tag,
    input  wire [2*LANES-1:0]     marks,
    input  wire [LANES-1:0]       keep,
    input  wire [LANES*WIDTH-1:0] items,
    input  wire [LANES-1:0]       second_keep,
    input  wire [LANES*WIDTH-1:0] second_items,
    input  wire                   ready,
    input  wire                   core_advance,
    input  wire                   core_offer,
    input  wire                   core_last,
    input  wire [WIDTH-1:0]       core_report,
    input  wire                   core_tag,
    input  wire [2*LANES-1:0]     core_marks,
    input  wire [LANES-1:0]       core_keep,
    input  wire [LANES*WIDTH-1:0] core_data,
    output wire                   advance,      // the beat is taken, and all registers before the row move on
    output wire                   bad_advance,  // the pipeline waits without need, or does not where it must
    output wire                   bad_offer,    // a row that is none, is too late or is missing
    output wire                   bad_items,    // keep bits or items that are not the row's
    output wire                   bad_last,
    output wire                   bad_report,
    output wire                   bad_tag,
    output wire                   bad_marks
);
    // A row: {last, report, tag, marks, keep, items}.
    localparam ROW = 1 + WIDTH + 1 + 2*LANES + LANES + LANES*WIDTH;
    wire [ROW-1:0] first = {last, last ? report : {WIDTH{1'b0}}, tag, marks, keep, items};
    wire [ROW-1:0] second = {1'b1, report, tag, marks, second_keep, second_items};
    localparam BEAT = 2 + 2*ROW;
    wire [BEAT-1:0] beat = {any, both, first, second};
    wire [BEAT-1:0] arrives;
    generate if (STAGES == 0) begin : at_once
        assign arrives = beat;
    end else begin : later
        reg [BEAT*STAGES-1:0] line = 0;
        always @(posedge clk) if (advance) line <= {line, beat};
        assign arrives = line[BEAT*(STAGES-1) +: BEAT];
    end endgenerate

    reg offer = 0, rests = 0;
    reg [ROW-1:0] row = 0, rest = 0;
    wire leaves = !offer || ready;
    assign advance = leaves && !rests;
    always @(posedge clk) if (leaves) begin
        offer <= rests || arrives[BEAT-1];
        row <= rests ? rest : arrives[2*ROW-1:ROW];
        rests <= !rests && arrives[BEAT-2];
        if (!rests) rest <= arrives[ROW-1:0];
    end

    wire last_out, tag_out;
    wire [WIDTH-1:0] report_out;
    wire [2*LANES-1:0] marks_out;
    wire [LANES-1:0] keep_out;
    wire [LANES*WIDTH-1:0] data_out;
    assign {last_out, report_out, tag_out, marks_out, keep_out, data_out} = row;
    assign bad_advance = core_advance != advance;
    assign bad_offer = core_offer != offer;
    assign bad_items = offer && (core_keep != keep_out || core_data != data_out);
    assign bad_last = offer && core_last != last_out;
    assign bad_report = offer && core_report != report_out;
    assign bad_tag = offer && core_tag != tag_out;
    assign bad_marks = offer && core_marks != marks_out;
endmodule
