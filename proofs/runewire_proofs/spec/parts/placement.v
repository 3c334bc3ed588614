// A compact core from its items to the register of the output's row, in the cycles in which it does not wait: the items of
// a packet are numbered from 0, and item k of it belongs into lane k mod LANES. What goes with them is as `placed` has it, STAGES
// cycles after the beat. Of each beat one lane, any one, is looked at.
//
// Any beats at any time, with any items. In the lanes of a slotted core, of SLOTS places each, items stand in the last of
// USED places, without gaps.
module placement #(
    parameter LANES = 1,
    parameter WIDTH = 1,
    parameter STAGES = 1,
    parameter SLOTS = 1,
    parameter USED = 1,
    parameter LEMMAS = 1                        // what helps to prove it is proven too
) (
    input  wire                   clk,
    input  wire                   go,
    input  wire                   go_last,
    input  wire [LANES-1:0]       present,
    input  wire [LANES*WIDTH-1:0] data,
    input  wire [$clog2(LANES):0] choice,       // of the lane, its highest bit unused
    output wire                   bad_filled,   // a row is full and is not said to be, or the other way round
    output wire                   bad_ends,
    output wire                   bad_kept,
    output wire                   bad_there,    // a lane gets an item that is not there, or does not get one that is
    output wire                   bad_wrapped,
    output wire                   bad_items,
    output wire [1:0]             bad_lemma     // a stepping stone does not hold
);
    localparam COUNT = $clog2(LANES) + 2;
    wire core_filled, core_ends;
    wire [LANES-1:0] core_kept, core_there, core_wrapped;
    wire [LANES*WIDTH-1:0] core_items;
    reg [LANES-1:0] given;
    integer i;
    always @* begin
        given = 0;
        for (i = LANES - 1; i >= 0; i = i - 1)
            if (SLOTS == 1 || i % SLOTS == SLOTS - 1)
                given[i] = go && present[i];
            else
                given[i] = present[i] && given[i + 1] && i % SLOTS >= SLOTS - USED;
    end
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go_last), .present(given), .data(data), .filled(core_filled),
        .ends(core_ends), .kept(core_kept), .there(core_there), .wrapped(core_wrapped), .items(core_items));

    wire [COUNT-1:0] count;
    wire [COUNT-1:0] number [0:LANES];          // items of the row under way, before each of the beat's
    assign number[0] = count;
    wire [COUNT-1:0] after = number[LANES];
    wire [COUNT*LANES-1:0] numbers;
    wire [$clog2(LANES):0] lane = choice % LANES;
    wire [LANES-1:0] hits;                      // the item that belongs into the lane
    wire [WIDTH-1:0] item;
    genvar g, d, b;
    generate
        for (g = 0; g < LANES; g = g + 1) begin : numbered
            assign number[g + 1] = number[g] + given[g];
            assign numbers[COUNT*g +: COUNT] = number[g];
            assign hits[g] = given[g] && number[g] % LANES == lane;
        end
        for (b = 0; b < WIDTH; b = b + 1) begin : bits
            wire [LANES-1:0] column;
            for (d = 0; d < LANES; d = d + 1) assign column[d] = data[WIDTH*d + b];
            assign item[b] = |(hits & column);
        end
    endgenerate
    wire gets = |hits;
    wire filled, ends;
    wire [LANES-1:0] kept, there, wrapped;
    placed #(.LANES(LANES)) placed (
        .clk(clk), .go(go), .go_last(go_last), .advance(1'b1), .after(after), .count(count), .filled(filled),
        .ends(ends), .kept(kept), .there(there), .wrapped(wrapped));

    localparam WANT = 4 + $clog2(LANES) + 2*LANES + WIDTH;
    wire want_filled, want_ends, want_there;
    wire [LANES-1:0] want_kept, want_wrapped;
    wire [WIDTH-1:0] want_item;
    wire [$clog2(LANES):0] want_lane;
    delay #(.WIDTH(WANT), .CYCLES(STAGES)) stages (
        .clk(clk), .in({filled, ends, kept, gets, wrapped, item, lane}),
        .out({want_filled, want_ends, want_kept, want_there, want_wrapped, want_item, want_lane}));
    wire said;
    wire [WIDTH-1:0] put;
    pick #(.COUNT(LANES)) there_of_lane (.all(core_there), .number(want_lane), .one(said));
    pick #(.COUNT(LANES), .WIDTH(WIDTH)) item_of_lane (.all(core_items), .number(want_lane), .one(put));
    assign bad_filled = core_filled != want_filled;
    assign bad_ends = core_ends != want_ends;
    assign bad_kept = want_ends && core_kept != want_kept;
    // The last lane gets an item where the row is full.
    assign bad_there = said != (want_there && want_lane != LANES - 1);
    assign bad_wrapped = core_wrapped != want_wrapped;
    assign bad_items = want_there && put != want_item;

    // Stepping stones: the way to the lane, and that it gets an item by their numbers where it gets one by the count.
    wire astray, expected;
    pick #(.COUNT(LANES)) by_count (.all(there), .number(lane), .one(expected));
    generate
        if (!LEMMAS || LANES == 1) assign astray = 0;
        else ways #(.LANES(LANES), .COUNT(COUNT), .SLOTS(SLOTS), .USED(USED)) ways (
            .present(given), .data(data), .numbers({number[LANES], numbers}), .lane(lane), .bad(astray));
    endgenerate
    assign bad_lemma = {LEMMAS != 0 && expected != gets, astray};
endmodule
