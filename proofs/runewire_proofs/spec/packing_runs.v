// Packing of lanes of several places each: as `packing` has it, where the items of a lane stand in its last places, without
// gaps, and none in the first of those that are never used.
module packing_runs #(
    parameter LANES = 1,
    parameter WIDTH = 1,
    parameter ROW = 4,
    parameter GROUP = 4,
    parameter IN_PLACE = 0,
    parameter WRITE_DELAY = 1,
    parameter KEEP_DELAY = 1,
    parameter PUSH_DELAY = 1,
    parameter METADATA_DELAY = 0,
    parameter WRITTEN = 0,
    parameter RETURN_DELAY = 1,
    parameter REPORTS = 1,
    parameter TAGS = 0,
    parameter MARKS = 0,
    parameter MARK_DELAY = 1,
    parameter LEMMAS = 1,
    parameter SLOTS = 1,                        // places of a lane,
    parameter USED = 1                          // and how many of these are used
) (
    input  wire                       clk,
    input  wire                       go,
    input  wire                       go_last,
    input  wire [LANES-1:0]           present,
    input  wire [LANES*WIDTH-1:0]     data,
    input  wire [WIDTH-1:0]           report,
    input  wire                       tag,
    input  wire [2*LANES-1:0]         marks,
    output wire                       bad_write,
    output wire                       bad_data,
    output wire                       bad_metadata,
    output wire                       bad_marks,
    output wire                       bad_push,
    output wire                       bad_late,
    output wire                       bad_row,
    output wire                       bad_credit,
    output wire [8:0]                 bad_lemma
);
    wire [LANES-1:0] runs;
    genvar g;
    generate for (g = 0; g < LANES; g = g + 1) begin : place
        localparam LAST = g % SLOTS == SLOTS - 1;
        if (g % SLOTS < SLOTS - USED) assign runs[g] = 0;
        else if (LAST) assign runs[g] = present[g];
        else assign runs[g] = present[g] && runs[g + 1];
    end endgenerate
    packing #(
        .LANES(LANES), .WIDTH(WIDTH), .ROW(ROW), .GROUP(GROUP), .IN_PLACE(IN_PLACE), .WRITE_DELAY(WRITE_DELAY),
        .KEEP_DELAY(KEEP_DELAY), .PUSH_DELAY(PUSH_DELAY), .METADATA_DELAY(METADATA_DELAY), .WRITTEN(WRITTEN),
        .RETURN_DELAY(RETURN_DELAY), .REPORTS(REPORTS), .TAGS(TAGS), .MARKS(MARKS), .MARK_DELAY(MARK_DELAY), .LEMMAS(LEMMAS)
    ) checked (
        .clk(clk), .go(go), .go_last(go_last), .present(runs), .data(data),
        .report(report), .tag(tag), .marks(marks), .bad_write(bad_write), .bad_data(bad_data),
        .bad_metadata(bad_metadata), .bad_marks(bad_marks), .bad_push(bad_push), .bad_late(bad_late), .bad_row(bad_row),
        .bad_credit(bad_credit), .bad_lemma(bad_lemma)
    );
endmodule
