// Bytes of segments behind the bytes that are carried into them, counted: any packets, with any number of bytes carried
// into them and out of them. Nothing here comes from the cores.
//
// A beat waits in a line of AHEAD places. It moves on with each beat that comes, or in each cycle once its packet is
// complete. So when it leaves, its packet's end is known, or so many bytes follow that none of its own waits.
module rotation #(
    parameter SIZE = 1,                         // bytes of a beat
    parameter UNIT = 1,                         // bytes of a unit,
    parameter BIG = 0,                          // the first of which is the highest
    parameter DROPS = 0,                        // beats without a byte are left out, unless the packet has none
    parameter MARKS = 0,                        // a beat for a byte order mark precedes each packet
    parameter BEGUN = 0,
    parameter ORDERED = 0,
    parameter MOST = 3,                         // bytes that may be carried
    parameter AHEAD = 1,
    parameter DELAY = 1                         // cycles to the line
) (
    input  wire                        clk,
    input  wire                        valid,
    input  wire                        last,
    input  wire [$clog2(SIZE+1)-1:0]   count,   // kept bytes of a last beat; every other beat has all
    input  wire [8*SIZE-1:0]           data,
    input  wire                        user,    // of a last beat: `more`
    input  wire                        id,      // of a packet, as all that follow:
    input  wire [1:0]                  into,    // bytes that are carried into it, the last of `history`,
    input  wire [1:0]                  out,     // and out of it
    input  wire [8*MOST-1:0]           history, // the last one lowest
    input  wire                        begun,
    input  wire [1:0]                  order,
    input  wire                        adds,    // the beat for a mark has one
    input  wire [SIZE+2*MOST-1:0]      free,    // what no claim is about
    output wire                        bad_valid,
    output wire                        bad_keep,
    output wire                        bad_data,
    output wire                        bad_last,
    output wire                        bad_more,
    output wire                        bad_flow,
    output wire                        bad_flags,
    output wire                        bad_dropped
);
    localparam EXTRA = (MOST + SIZE - 1) / SIZE;
    // The beats of a packet: one for a mark, its own, and extra ones if its last beat may be too full.
    reg inside = 0, marked = 0, of_id = 0, of_begun = 0, of_user = 0;
    reg [1:0] left = 0, went = 0, of_order = 0;
    reg [2:0] there = 0;                        // bytes before this beat, with the carried ones; 3: three or more
    wire extra = left != 0, mark = MARKS && !extra && !inside && !marked, beat = valid && !extra && !mark;
    wire first = beat && !inside, ends = beat && last;
    wire opens = !extra && !inside && !marked;  // the first beat of all that belong to a packet
    wire now_id = opens ? id : of_id;
    wire [1:0] goes = first ? into : went, now_order = first ? order : of_order;
    wire now_begun = first ? begun : of_begun, now_user = extra ? of_user : user;
    wire [7:0] kept = last ? count > SIZE ? SIZE : count : SIZE;
    wire full = SIZE <= MOST || kept > SIZE - MOST;
    wire [7:0] all = (first ? into : there) + kept;
    wire [7:0] leaves = all < out ? all : out;  // no more are carried on than there are
    // Bytes from this beat on, if it is its packet's last, plus MOST: bytes of earlier beats may wait too.
    wire [7:0] number = MOST + goes + kept - leaves;
    wire finish = extra ? left == 1 : ends && !full;
    always @(posedge clk) if (valid) begin
        of_id <= now_id;
        {of_begun, of_order} <= {now_begun, now_order};
        if (mark) marked <= 1;
        else if (extra) left <= left - 1;
        else begin
            inside <= !last;
            if (last) {marked, of_user} <= {1'b0, user};
            left <= last && full ? EXTRA : 0;
            went <= goes;
            there <= all > 3 ? 3 : all;
        end
    end
    wire [SIZE+2*MOST-1:0] end_bits;
    genvar i, p;
    generate for (i = 0; i < SIZE + 2*MOST; i = i + 1)
        assign end_bits[i] = ends ? i < number : free[i];
    endgenerate

    wire o_valid, o_last, o_user, o_id, o_mark, o_adds, o_begun, dropped;
    wire [8*SIZE-1:0] o_bus, o_data;
    wire [SIZE-1:0] o_keep;
    wire [1:0] o_order;
    dut core (
        .clk(clk), .rst(1'b0), .valid(valid), .last(ends), .first(first), .extra(valid && extra),
        .finish(valid && finish), .data(data), .user(now_user), .id(now_id), .mark(valid && mark),
        .adds(valid && mark && adds), .into(goes), .history(history), .begun(now_begun), .order(now_order), .sent(end_bits), .o_valid(o_valid), .o_data(o_bus),
        .o_keep(o_keep), .o_last(o_last), .o_user(o_user), .o_id(o_id), .o_mark(o_mark), .o_adds(o_adds),
        .o_begun(o_begun), .o_order(o_order), .dropped(dropped));
    generate for (i = 0; i < SIZE; i = i + 1)
        assign o_data[8*i +: 8] = o_bus[8*(BIG ? i - i % UNIT + UNIT - 1 - i % UNIT : i) +: 8];
    endgenerate

    // A beat in the line: its flags, the packet's, and its bytes.
    localparam NUMBER = 8*SIZE + 8*MOST + 12, WORD = NUMBER + 8;
    localparam USER = NUMBER-1, ID = NUMBER-2, MARK = NUMBER-3, ADDS = NUMBER-4, FIRST = NUMBER-5, LAST = NUMBER-6,
        EXTRAS = NUMBER-7, FINISH = NUMBER-8, BEGAN = NUMBER-9, ORDER = NUMBER-11;
    wire [WORD:0] in = {valid, number, now_user, now_id, mark, mark && adds, first, ends, extra, finish, now_begun,
        now_order, 1'b0, history, data};
    wire [WORD:0] comes;
    wire [1:0] comes_into;
    delay #(.WIDTH(WORD + 3), .CYCLES(DELAY)) late (.clk(clk), .in({in, goes}), .out({comes, comes_into}));

    wire [AHEAD:0] is_there, moves;             // at each place; 0 is the beat that comes
    wire [(WORD+2)*(AHEAD+1)-1:0] word;
    wire ended = comes[WORD] && (comes[LAST] || comes[EXTRAS]);
    assign is_there[0] = comes[WORD];
    assign word[WORD+1:0] = {comes_into, comes[WORD-1:0]};
    assign moves[0] = 1;
    wire [AHEAD:0] whole_before;
    assign whole_before[0] = 0;
    generate for (p = 1; p <= AHEAD; p = p + 1) begin : place
        reg here = 0, whole = 0;
        reg [WORD+1:0] content = 0;
        wire arrives = is_there[p-1] && moves[p-1];
        assign moves[p] = whole || comes[WORD];
        assign is_there[p] = here;
        assign word[(WORD+2)*p +: WORD+2] = content;
        assign whole_before[p] = whole;
        always @(posedge clk) begin
            whole <= ended || whole_before[p-1];
            if (moves[p]) here <= arrives;
            if (arrives) content <= word[(WORD+2)*(p-1) +: WORD+2];
        end
    end endgenerate

    // A flag of the beat at a place.
    `define OF(p, at) word[(WORD+2)*(p) + (at)]
    wire [7:0] held_number = word[(WORD+2)*AHEAD + NUMBER +: 8];
    wire [1:0] held_into = word[(WORD+2)*AHEAD + WORD +: 2];
    wire [8*SIZE-1:0] held_data = word[(WORD+2)*AHEAD +: 8*SIZE];
    wire held_last = `OF(AHEAD, LAST), held_extra = `OF(AHEAD, EXTRAS), held_mark = `OF(AHEAD, MARK);

    function [7:0] from_lane(input [7:0] sum);
        from_lane = sum > MOST ? sum - MOST : 0;
    endfunction

    // The three bytes before the beat in the last place, in the text's order. Bytes that are left for extra beats.
    reg [8*MOST-1:0] past = 0;
    reg [7:0] over = 0;
    wire loads = is_there[AHEAD-1] && moves[AHEAD-1];
    wire [8*MOST-1:0] loaded = word[(WORD+2)*(AHEAD-1) + 8*SIZE +: 8*MOST];
    wire [8*(MOST+SIZE)-1:0] text = {held_data, past};
    wire [7:0] held_left = held_extra ? over : from_lane(held_number);
    wire [8*MOST-1:0] turned;
    generate for (i = 0; i < MOST; i = i + 1) assign turned[8*i +: 8] = loaded[8*(MOST-1-i) +: 8]; endgenerate
    always @(posedge clk) if (loads) begin
        past <= `OF(AHEAD-1, FIRST) ? turned : text[8*SIZE +: 8*MOST];
        over <= held_left > SIZE ? held_left - SIZE : 0;
    end

    // Bytes of the packet from the beat's lane 0 on. They are counted from its last beat, if that is near.
    reg [7:0] remains;
    reg more, found;
    integer d;
    always @* begin
        remains = 2*SIZE;
        more = `OF(AHEAD, USER);
        found = held_last || held_extra;
        if (found) remains = held_left;
        for (d = 1; d <= AHEAD; d = d + 1) if (!found && is_there[AHEAD-d] && `OF(AHEAD-d, LAST)) begin
            found = 1;
            remains = from_lane(d*SIZE + word[(WORD+2)*(AHEAD-d) + NUMBER +: 8]);
            more = `OF(AHEAD-d, USER);
        end
    end
    wire goes_on = is_there[AHEAD] && moves[AHEAD];
    wire sent = !DROPS || (held_mark ? `OF(AHEAD, ADDS) : `OF(AHEAD, FIRST) || remains != 0);
    wire want_last = !held_mark && (DROPS ? remains <= SIZE : `OF(AHEAD, FINISH));
    reg want_dropped = 0;
    always @(posedge clk) want_dropped <= goes_on && !sent;

    wire [SIZE-1:0] want_keep, other;
    generate for (i = 0; i < SIZE; i = i + 1) begin
        wire [7:0] octet = text >> 8*(MOST + i - held_into);
        assign want_keep[i] = i < remains;
        assign other[i] = o_data[8*i +: 8] != octet;
    end endgenerate
    assign bad_valid = o_valid != (goes_on && sent);
    assign bad_keep = o_valid && !held_mark && o_keep != want_keep;
    assign bad_data = o_valid && !held_mark && (other & want_keep) != 0;
    assign bad_last = o_valid && o_last != want_last;
    assign bad_more = o_valid && want_last && o_user != more;
    assign bad_flow = o_valid && o_id != `OF(AHEAD, ID);
    assign bad_flags = o_valid && (MARKS && (o_mark != held_mark || o_adds != `OF(AHEAD, ADDS))
        || BEGUN && !held_mark && o_begun != `OF(AHEAD, BEGAN)
        || ORDERED && !held_mark && o_order != word[(WORD+2)*AHEAD + ORDER +: 2]);
    assign bad_dropped = dropped != want_dropped;
endmodule
