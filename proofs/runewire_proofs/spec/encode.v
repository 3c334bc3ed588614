// Scalars to UTF-8, one after another: what the encoder's window logic is proven against (RFC 3629, section 3).
//
// Each scalar has four byte lanes of its own, and its sequence ends in the last of them.
module encode #(
    parameter LANES = 1,
    parameter DROP = 0,                         // nothing, not U+FFFD, for what is no scalar value
    parameter STRIP = 0,
    parameter OFFSET = 32,
    parameter ITEM_DELAY = 1,
    parameter REPORT_DELAY = 1,
    parameter WIDTH = 8
) (
    input  wire                clk,
    input  wire                valid,
    input  wire                last,
    input  wire [7:0]          count,           // kept scalars of a last beat, all if more
    input  wire [32*LANES-1:0] scalars,
    output wire                bad_beat,
    output wire                bad_present,
    output wire                bad_data,
    output wire                bad_report_beat,
    output wire                bad_report
);
    localparam [2:0] TOO_LARGE = 5, SURROGATE = 6;

    reg [LANES-1:0]   keep;
    reg [4*LANES-1:0] present;
    reg [32*LANES-1:0] bytes;
    reg [OFFSET-1:0]  here, at, here_after, at_after;
    reg [2:0]         kind, kind_after, now;
    reg [31:0]        c, sequence;
    reg [3:0]         size;                     // a bit a byte of the sequence
    integer i;
    always @* begin
        present = 0;
        {here_after, at_after, kind_after} = {here, at, kind};
        for (i = 0; i < LANES; i = i + 1) begin
            keep[i] = !last || count > i;
            c = scalars[32*i +: 32];
            now = c > 32'h10FFFF ? TOO_LARGE : c >= 32'hD800 && c <= 32'hDFFF ? SURROGATE : 0;
            if (now != 0) c = 32'hFFFD;
            if      (c <= 32'h7F)   begin size = 4'b1000; sequence = {1'b0, c[6:0], 24'd0}; end
            else if (c <= 32'h7FF)  begin size = 4'b1100; sequence = {2'b10, c[5:0], 3'b110, c[10:6], 16'd0}; end
            else if (c <= 32'hFFFF) begin size = 4'b1110;
                sequence = {2'b10, c[5:0], 2'b10, c[11:6], 4'b1110, c[15:12], 8'd0}; end
            else                    begin size = 4'b1111;
                sequence = {2'b10, c[5:0], 2'b10, c[11:6], 2'b10, c[17:12], 5'b11110, c[20:18]}; end
            present[4*i +: 4] = keep[i] && valid && !(DROP && now != 0) ? size : 4'd0;
            bytes[32*i +: 32] = sequence;
            if (keep[i]) begin
                if (kind_after == 0 && now != 0) {at_after, kind_after} = {here_after, now};
                here_after = here_after + 1;
            end
        end
    end
    initial {here, at, kind} = 0;
    always @(posedge clk) if (valid) {here, at, kind} <= last ? 0 : {here_after, at_after, kind_after};

    localparam ITEMS = 2 + 4*LANES + 32*LANES, REPORT = 2 + 4 + OFFSET;
    wire [ITEMS-1:0] items;
    wire [REPORT-1:0] report;
    wire found = kind_after != 0 && valid && last;
    delay #(.WIDTH(ITEMS), .CYCLES(ITEM_DELAY + 1)) items_delay (
        .clk(clk), .in({valid, valid && last, present, bytes}), .out(items));
    delay #(.WIDTH(REPORT), .CYCLES(REPORT_DELAY + 1)) report_delay (
        .clk(clk), .in({valid, valid && last, found, {kind_after, at_after} & {(3+OFFSET){found}}}), .out(report));

    wire core_item_valid, core_item_last, core_report_valid, core_report_last;
    wire [4*LANES-1:0] core_present;
    wire [32*LANES-1:0] core_data;
    wire [3+OFFSET:0] core_report;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(scalars),
        .item_valid(core_item_valid), .item_last(core_item_last), .present(core_present), .data(core_data),
        .report_valid(core_report_valid), .report_last(core_report_last), .report(core_report));
    wire [4*LANES-1:0] want_present = items[32*LANES +: 4*LANES], differs;
    genvar g;
    generate for (g = 0; g < 4*LANES; g = g + 1) begin : data
        assign differs[g] = want_present[g] && core_data[8*g +: 8] != items[8*g +: 8];
    end endgenerate
    assign bad_beat = {core_item_valid, core_item_last} != items[ITEMS-1 -: 2];
    assign bad_present = core_present != want_present;
    assign bad_data = |differs;
    // Before the first beat the report means nothing: nothing is pushed with it.
    reg seen = 0;
    wire begun = seen || core_report_valid;
    always @(posedge clk) seen <= begun;
    assign bad_report_beat = {core_report_valid, core_report_last} != report[REPORT-1 -: 2];
    assign bad_report = begun && core_report != report[3+OFFSET:0];
endmodule
