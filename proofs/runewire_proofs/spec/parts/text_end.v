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
module unfinished_utf16 (
    input  wire       big,
    input  wire [7:0] b,
    input  wire [7:0] before,
    input  wire [1:0] had,
    output wire [1:0] has
);
    wire [7:0] upper = big ? before : b;
    assign has = !had[0] ? had + 2'd1 : upper[7:2] == 6'b110110 ? 2'd2 : 2'd0;
endmodule

// One byte of a text whose first unit may be a little-endian byte order mark: `part` bytes of that unit are there, and
// `like` says that all of them are the mark's.
module text_mark_byte #(parameter UNIT = 2) (
    input  wire [7:0] b,
    input  wire [2:0] part,
    input  wire       like,
    output wire [2:0] part_after,
    output wire       like_after
);
    wire [7:0] of_mark = part == 0 ? 8'hFF : part == 1 ? 8'hFE : 8'h00;
    assign part_after = part == UNIT ? part : part + 3'd1;
    assign like_after = like && (part == UNIT || b == of_mark);
endmodule

module text_end #(
    parameter LANES = 1,                        // bytes of a beat
    parameter UNIT = 1,                         // bytes of a unit: UTF-8, UTF-16 or UTF-32
    parameter BIG = 0,                          // the first byte of a unit is the highest
    parameter ORDERED = 0,                      // unless the text begins with a little-endian byte order mark
    parameter MARKS = 0,                        // a beat for a byte order mark precedes each packet
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
    output wire                     bad_order,  // a packet has not the byte order of its text so far
    output wire                     bad_first   // a packet's first beat, or an extra one, does not say so
);
    localparam PLACES = LANES + 2*MOST;
    // Extra beats only follow a packet's last one. While the beat of a mark is sent, the packet's first beat waits.
    reg inside = 0, followed = 0, marked = 0;
    wire is_extra = extra && followed, now_last = last && !is_extra;
    wire is_mark = MARKS && !is_extra && !inside && !marked;
    genvar i;
    wire [LANES-1:0] keep;
    generate for (i = 0; i < LANES; i = i + 1) assign keep[i] = !last || count > i; endgenerate
    wire [8*LANES-1:0] data;
    generate for (i = 0; i < LANES; i = i + 1)
        assign data[8*(BIG ? i - i % UNIT + UNIT - 1 - i % UNIT : i) +: 8] = bytes[8*i +: 8];
    endgenerate
    always @(posedge clk) if (valid && !is_extra) begin
        marked <= is_mark;
        if (!is_mark) inside <= !last;
        followed <= !is_mark && last;
    end

    wire first, o_extra, o_begun;
    wire [1:0] into;
    wire [8*MOST-1:0] history;
    wire [PLACES-1:0] sent;
    wire [USER-1:0] o_user;
    wire [1:0] order;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(now_last), .i_keep(keep), .i_data(data), .i_user(user),
        .i_tags(tags), .i_extra(is_extra), .first(first), .extra(o_extra), .into(into), .begun(o_begun),
        .order(order), .history(history), .sent(sent), .user(o_user));

    // The last three bytes of the text, how many of them wait, and whether others were sent; of the
    // packet under way: how many bytes go into it.
    reg [1:0] had = 0, wanted = 0;
    reg [23:0] past = 0;
    reg sent_some = 0, began = 0, its_more = 0;
    reg [1:0] went = 0;
    reg [2:0] part = 0;
    reg like = 1, was_little = 0;
    wire [1:0] goes = inside || is_extra ? went : had;
    wire begun = inside || is_extra ? began : sent_some;
    wire beat = valid && !is_extra && !is_mark;
    wire [2*(LANES+1)-1:0] have, want;
    wire [24*(LANES+1)-1:0] pasts;
    wire [LANES:0] some, likes;
    wire [3*(LANES+1)-1:0] parts;
    assign {parts[2:0], likes[0]} = {part, like};
    wire little = inside || is_extra ? was_little : part == UNIT && like;
    assign {have[1:0], want[1:0], pasts[23:0], some[0]} = {had, wanted, past, 1'b0};
    generate for (i = 0; i < LANES; i = i + 1) begin : lane
        wire [1:0] has, wants;
        wire [2:0] part_after;
        wire like_after;
        text_mark_byte #(.UNIT(UNIT)) mark (
            .b(bytes[8*i +: 8]), .part(parts[3*i +: 3]), .like(likes[i]), .part_after(part_after),
            .like_after(like_after));
        assign parts[3*(i + 1) +: 3] = keep[i] ? part_after : parts[3*i +: 3];
        assign likes[i + 1] = keep[i] ? like_after : likes[i];
        if (UNIT == 1) unfinished_utf8 one (
            .b(bytes[8*i +: 8]), .had(have[2*i +: 2]), .wanted(want[2*i +: 2]), .has(has), .wants(wants));
        else if (UNIT == 2) unfinished_utf16 one (
            .big(ORDERED ? !(part_after == UNIT && like_after) : BIG != 0), .b(bytes[8*i +: 8]),
            .before(pasts[24*i +: 8]), .had(have[2*i +: 2]), .has(has));
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
            {part, like} <= now_last && !more ? 4'b0001 : {parts[3*LANES +: 3], likes[LANES]};
            was_little <= little;
            went <= goes;
            began <= begun;
        end
        if (beat && now_last) its_more <= more;
    end
    // Seen from the packet's last beat: first the bytes that go into it, then the beat's own.
    reg [8:0] kept;
    integer j;
    always @* begin
        kept = 0;
        for (j = 0; j < LANES; j = j + 1) kept = kept + keep[j];
    end
    wire [9:0] end_at = MOST + goes + kept - (more ? have[2*LANES +: 2] : 2'd0);
    wire [PLACES-1:0] want_sent;
    generate for (i = 0; i < PLACES; i = i + 1) assign want_sent[i] = i < end_at; endgenerate

    localparam ALL = 2 + 24 + PLACES + 8;
    wire due, due_first, due_last, due_extra, due_mark, want_begun, want_little, want_more;
    wire [1:0] want_into;
    wire [23:0] want_past;
    wire [PLACES-1:0] want_end;
    delay #(.WIDTH(ALL), .CYCLES(DELAY)) late (
        .clk(clk),
        .in({beat, beat && !inside, beat && now_last, valid && is_extra, valid && is_mark, begun, little,
             is_extra ? its_more : more, goes, past, want_sent}),
        .out({due, due_first, due_last, due_extra, due_mark, want_begun, want_little, want_more, want_into, want_past, want_end}));
    wire [23:0] which = want_into == 0 ? 24'd0 : want_into == 1 ? 24'hFF : want_into == 2 ? 24'hFFFF : 24'hFFFFFF;
    assign bad_into = due && into != want_into;
    assign bad_bytes = due_first && ((history ^ want_past) & which) != 0;
    assign bad_end = due_last && sent != want_end;
    assign bad_more = (due_last || due_extra) && o_user[USER-1] != want_more;
    assign bad_order = due && (order[0] != want_begun || ORDERED && order[1] != want_little);
    assign bad_begun = due && o_begun != want_begun;
    assign bad_first = due && first != due_first || due_mark && first || due_extra && !o_extra;
endmodule
