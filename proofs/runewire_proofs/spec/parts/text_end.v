// The unfinished end of a text against a serial reading of it: any packets of one flow. Nothing here comes from the cores.

// One byte: how many bytes of a sequence are there at the text's end, and how many UTF-8's first byte still announces.
module unfinished_utf8 (
    input  wire [7:0] b,
    input  wire [1:0] had,
    input  wire [1:0] wanted,
    output wire [1:0] has,
    output wire [1:0] wants
);
    wire lead2 = b[7:5] == 3'b110, lead3 = b[7:4] == 4'b1110, lead4 = b[7:3] == 5'b11110, tail = b[7:6] == 2'b10;
    assign wants = lead2 ? 2'd1 : lead3 ? 2'd2 : lead4 ? 2'd3 : tail && wanted != 0 ? wanted - 2'd1 : 2'd0;
    assign has = wants == 0 ? 2'd0 : tail ? had + 2'd1 : 2'd1;
endmodule

// The same of UTF-16: an odd byte, a high surrogate, or both. `before`: the byte before this one.
module unfinished_utf16 #(parameter BIG = 0) (
    input  wire [7:0] b,
    input  wire [7:0] before,
    input  wire [1:0] had,
    output wire [1:0] has
);
    wire [7:0] upper = BIG ? before : b;
    assign has = !had[0] ? had + 2'd1 : upper[7:2] == 6'b110110 ? 2'd2 : 2'd0;
endmodule

module text_end #(
    parameter LANES = 1,                        // bytes of a beat
    parameter UNIT = 1,                         // bytes of a unit: UTF-8, UTF-16 or UTF-32
    parameter BIG = 0,                          // the first byte of a unit is the highest
    parameter USER = 1,                         // bits of `user`, the highest is `more`
    parameter TAGS = 1,
    parameter MOST = 3,                         // bytes that may wait
    parameter DELAY = 1
) (
    input  wire                     clk,
    input  wire                     valid,
    input  wire                     last,
    input  wire                     extra,      // a beat after a packet's last, without bytes
    input  wire [$clog2(LANES+1)-1:0] count,    // kept bytes of a last beat; every other beat has all
    input  wire [8*LANES-1:0]       bytes,
    input  wire [USER-1:0]          user,
    input  wire [TAGS-1:0]          tags,
    output wire                     bad_into,   // other bytes go into a packet
    output wire                     bad_bytes,
    output wire                     bad_end,    // a byte is sent that waits, or waits though it is to be sent
    output wire                     bad_more,
    output wire                     bad_begun,
    output wire                     bad_first   // a packet's first beat, or an extra one, does not say so
);
    localparam PLACES = LANES + 2*MOST;
    // Extra beats only follow a packet's last one.
    reg inside = 0, followed = 0;
    wire is_extra = extra && followed, now_last = last && !is_extra;
    genvar i;
    wire [LANES-1:0] keep;
    generate for (i = 0; i < LANES; i = i + 1) assign keep[i] = !last || count > i; endgenerate
    wire [8*LANES-1:0] data;
    generate for (i = 0; i < LANES; i = i + 1)
        assign data[8*(BIG ? i - i % UNIT + UNIT - 1 - i % UNIT : i) +: 8] = bytes[8*i +: 8];
    endgenerate
    always @(posedge clk) if (valid && !is_extra) {inside, followed} <= {!last, last};

    wire first, o_extra, o_begun;
    wire [1:0] into;
    wire [8*MOST-1:0] history;
    wire [PLACES-1:0] sent;
    wire [USER-1:0] o_user;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(now_last), .i_keep(keep), .i_data(data), .i_user(user),
        .i_tags(tags), .i_extra(is_extra), .first(first), .extra(o_extra), .into(into), .begun(o_begun),
        .history(history), .sent(sent), .user(o_user));

    // The last three bytes of the text, how many of them wait, and whether others were sent; of the
    // packet under way: how many bytes go into it.
    reg [1:0] had = 0, wanted = 0;
    reg [23:0] past = 0;
    reg sent_some = 0, began = 0, its_more = 0;
    reg [1:0] went = 0;
    wire [1:0] goes = inside || is_extra ? went : had;
    wire begun = inside || is_extra ? began : sent_some;
    wire beat = valid && !is_extra;
    wire [2*(LANES+1)-1:0] have, want;
    wire [24*(LANES+1)-1:0] pasts;
    wire [LANES:0] some;
    assign {have[1:0], want[1:0], pasts[23:0], some[0]} = {had, wanted, past, 1'b0};
    generate for (i = 0; i < LANES; i = i + 1) begin : lane
        wire [1:0] has, wants;
        if (UNIT == 1) unfinished_utf8 one (
            .b(bytes[8*i +: 8]), .had(have[2*i +: 2]), .wanted(want[2*i +: 2]), .has(has), .wants(wants));
        else if (UNIT == 2) unfinished_utf16 #(.BIG(BIG)) one (
            .b(bytes[8*i +: 8]), .before(pasts[24*i +: 8]), .had(have[2*i +: 2]), .has(has));
        else assign has = have[2*i +: 2] + 2'd1;
        if (UNIT != 1) assign wants = 2'd0;
        assign have[2*(i + 1) +: 2] = keep[i] ? has : have[2*i +: 2];
        assign want[2*(i + 1) +: 2] = keep[i] ? wants : want[2*i +: 2];
        assign pasts[24*(i + 1) +: 24] = keep[i] ? {pasts[24*i +: 16], bytes[8*i +: 8]} : pasts[24*i +: 24];
        // With this byte something is complete: all that waited, or what was there before the byte.
        assign some[i + 1] = some[i] || keep[i] && (has == 0 || has <= have[2*i +: 2]);
    end endgenerate
    wire more = user[USER-1];
    always @(posedge clk) begin
        if (beat) begin
            {had, wanted, past} <= now_last && !more ? 28'd0 : {have[2*LANES +: 2], want[2*LANES +: 2], pasts[24*LANES +: 24]};
            sent_some <= (sent_some || some[LANES]) && !(now_last && !more);
            went <= goes;
            began <= begun;
        end
        if (valid && now_last) its_more <= more;
    end
    // Seen from the packet's last beat: first the bytes that go into it, then the beat's own.
    reg [3:0] kept;
    integer j;
    always @* begin
        kept = 0;
        for (j = 0; j < LANES; j = j + 1) kept = kept + keep[j];
    end
    wire [4:0] end_at = MOST + goes + kept - (more ? have[2*LANES +: 2] : 2'd0);
    wire [PLACES-1:0] want_sent;
    generate for (i = 0; i < PLACES; i = i + 1) assign want_sent[i] = i < end_at; endgenerate

    localparam ALL = 2 + 24 + PLACES + 6;
    wire due, due_first, due_last, due_extra, want_begun, want_more;
    wire [1:0] want_into;
    wire [23:0] want_past;
    wire [PLACES-1:0] want_end;
    delay #(.WIDTH(ALL), .CYCLES(DELAY)) late (
        .clk(clk),
        .in({beat, beat && !inside, beat && now_last, valid && is_extra, begun, is_extra ? its_more : more, goes, past, want_sent}),
        .out({due, due_first, due_last, due_extra, want_begun, want_more, want_into, want_past, want_end}));
    wire [23:0] which = want_into == 0 ? 24'd0 : want_into == 1 ? 24'hFF : want_into == 2 ? 24'hFFFF : 24'hFFFFFF;
    assign bad_into = due && into != want_into;
    assign bad_bytes = due_first && ((history ^ want_past) & which) != 0;
    assign bad_end = due_last && sent != want_end;
    assign bad_more = (due_last || due_extra) && o_user[USER-1] != want_more;
    assign bad_begun = due && o_begun != want_begun;
    assign bad_first = due && first != due_first || due_extra && !o_extra;
endmodule
