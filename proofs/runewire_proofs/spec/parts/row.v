// The output's row of a compact core: of a beat any items come, in the lanes where `placed` has them, STAGES registers later.
// Each row comes out with its items, those of beats before too; rows come in order, as `rows_out` has it.
module row #(
    parameter LANES = 1,
    parameter WIDTH = 1,
    parameter STAGES = 1,
    parameter REPORTS = 1,
    parameter TAGS = 0
) (
    input  wire                       clk,
    input  wire                       go,
    input  wire                       go_last,
    input  wire [$clog2(LANES)+1:0]   beat_items,   // how many the beat has
    input  wire [LANES*WIDTH-1:0]     data,         // the item that each lane gets
    input  wire [LANES-1:0]           any_kept,     // what is said where no row ends
    input  wire [WIDTH-1:0]           report,
    input  wire                       tag,
    input  wire                       ready,
    output wire                       bad_advance,
    output wire                       bad_offer,
    output wire                       bad_items,
    output wire                       bad_last,
    output wire                       bad_report,
    output wire                       bad_tag
);
    localparam COUNT = $clog2(LANES) + 2;
    wire advance;
    reg tagged = 0, under_way = 0;
    wire tag_now = TAGS != 0 && (under_way ? tagged : tag);
    always @(posedge clk) if (go && advance) {tagged, under_way} <= {tag_now, !go_last};

    wire [COUNT-1:0] count;
    wire [COUNT-1:0] after = count + (!go ? 0 : beat_items > LANES ? LANES : beat_items);
    wire filled, ends;
    wire [LANES-1:0] kept, there, wrapped;
    placed #(.LANES(LANES)) placed (
        .clk(clk), .go(go), .go_last(go_last), .advance(advance), .after(after), .count(count), .filled(filled),
        .ends(ends), .kept(kept), .there(there), .wrapped(wrapped));

    // The items of the row under way; then what a beat makes of them: two rows.
    reg [LANES*WIDTH-1:0] held = 0, this_row, next_row;
    reg [LANES-1:0] this_keep, next_keep;
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        this_keep[i] = i < after;
        next_keep[i] = i + LANES < after;
        this_row[WIDTH*i +: WIDTH] = i < count ? held[WIDTH*i +: WIDTH] : i < after ? data[WIDTH*i +: WIDTH] : 0;
        next_row[WIDTH*i +: WIDTH] = next_keep[i] ? data[WIDTH*i +: WIDTH] : 0;
    end
    always @(posedge clk) if (go && advance) held <= go_last ? 0 : after >= LANES ? next_row : this_row;

    localparam SAID = 2 + LANES*(3 + WIDTH);
    wire [SAID-1:0] said = {filled, ends, ends ? kept : any_kept, there, wrapped, data}, arrives;
    generate if (STAGES == 0) begin : at_once
        assign arrives = said;
    end else begin : later
        reg [SAID*STAGES-1:0] line = 0;
        always @(posedge clk) if (advance) line <= {line, said};
        assign arrives = line[SAID*(STAGES-1) +: SAID];
    end endgenerate
    wire core_advance, core_offer, core_last, core_tag;
    wire [LANES-1:0] core_keep;
    wire [LANES*WIDTH-1:0] core_data;
    wire [WIDTH-1:0] core_report;
    wire row_filled, row_ends;
    wire [LANES-1:0] row_kept, row_there, row_wrapped;
    wire [LANES*WIDTH-1:0] row_items;
    assign {row_filled, row_ends, row_kept, row_there, row_wrapped, row_items} = arrives;
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go_last), .report(report), .tag(tag_now), .ready(ready),
        .filled(row_filled), .ends(row_ends), .kept(row_kept), .there(row_there), .wrapped(row_wrapped),
        .items(row_items), .advance(core_advance), .offer(core_offer), .out_last(core_last), .out_keep(core_keep),
        .out_data(core_data), .out_report(core_report), .out_tag(core_tag));

    rows_out #(.LANES(LANES), .WIDTH(WIDTH), .STAGES(STAGES)) rows_out (
        .clk(clk), .any(filled || ends), .both(filled && ends), .last(ends && !filled),
        .report(REPORTS && go_last ? report : {WIDTH{1'b0}}), .tag(tag_now), .marks({2*LANES{1'b0}}),
        .keep(this_keep), .items(this_row), .second_keep(next_keep), .second_items(next_row), .ready(ready),
        .core_advance(core_advance), .core_offer(core_offer), .core_last(core_last), .core_report(core_report),
        .core_tag(core_tag), .core_marks({2*LANES{1'b0}}), .core_keep(core_keep), .core_data(core_data),
        .advance(advance), .bad_advance(bad_advance), .bad_offer(bad_offer), .bad_items(bad_items),
        .bad_last(bad_last), .bad_report(bad_report), .bad_tag(bad_tag), .bad_marks());
endmodule
