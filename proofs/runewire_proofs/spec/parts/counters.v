// Counters of a packet's flags against serial ones: any flags, at any beats. Nothing here comes from the cores.

// How many flags are set, one after another.
module ones #(parameter FLAGS = 1, parameter BITS = 1) (input wire [FLAGS-1:0] flags, output reg [BITS-1:0] number);
    integer i;
    always @* begin
        number = 0;
        for (i = 0; i < FLAGS; i = i + 1) number = number + flags[i];
    end
endmodule

// The sum of a number over the beats of a packet so far, without the present one and with it.
module tally #(parameter BITS = 1, parameter WIDTH = 16) (
    input  wire             clk,
    input  wire             go,
    input  wire             last,
    input  wire [BITS-1:0]  number,
    output reg  [WIDTH:0]   before,             // the highest bit says that the others no longer hold it
    output wire [WIDTH:0]   after
);
    initial before = 0;
    wire carry;
    assign {carry, after[WIDTH-1:0]} = before[WIDTH-1:0] + number;
    assign after[WIDTH] = before[WIDTH] || carry;
    always @(posedge clk) if (go) before <= last ? 0 : after;
endmodule

// A counter tells a packet's number with its last beat, DELAY cycles after the flags, and zero at any other time: all ones
// for what does not fit.
module counters #(
    parameter COUNTERS = 1,
    parameter FLAGS = 1,                        // of each counter, eight bits for each,
    parameter SUM = 1,                          // and of all
    parameter WIDTHS = 16,                      // bits of each, likewise,
    parameter WIDTH = 16,                       // and of the widest
    parameter DELAY = 1,
    parameter CHUNK = 8,                        // bits that the core adds at once
    parameter LEMMAS = 1
) (
    input  wire                 clk,
    input  wire                 go,
    input  wire                 last,
    input  wire [SUM-1:0]       flags,
    output wire [COUNTERS-1:0]  bad_number,
    output wire [COUNTERS-1:0]  bad_lemma
);
    localparam [8*COUNTERS-1:0] EACH = FLAGS, BITS_OF = WIDTHS;
    function integer sum(input integer count);
        begin
            sum = 0;
            for (integer k = 0; k < count; k = k + 1) sum = sum + EACH[8*k +: 8];
        end
    endfunction
    wire [WIDTH*COUNTERS-1:0] numbers;
    dut core (.clk(clk), .rst(1'b0), .go(go), .go_last(go && last), .flags(flags), .numbers(numbers));

    // The same counter after each number of cycles, from 0 to DELAY: each is where the one before it was a cycle ago.
    genvar c, d, k;
    generate for (c = 0; c < COUNTERS; c = c + 1) begin : counter
        localparam F = EACH[8*c +: 8], BITS = $clog2(F + 1), W = BITS_OF[8*c +: 8];
        wire [BITS-1:0] number;
        ones #(.FLAGS(F), .BITS(BITS)) set (.flags(flags[sum(c) +: F] & {F{go}}), .number(number));
        localparam CHUNKS = (W + CHUNK - 1) / CHUNK;
        wire [DELAY:0] off;
        for (d = 0; d <= DELAY; d = d + 1) begin : at
            wire [BITS+1:0] beat;
            wire [W:0] before, after;
            delay #(.WIDTH(BITS + 2), .CYCLES(d)) line (.clk(clk), .in({go, last, number}), .out(beat));
            tally #(.BITS(BITS), .WIDTH(W)) serial (
                .clk(clk), .go(beat[BITS+1]), .last(beat[BITS]), .number(beat[BITS-1:0]), .before(before), .after(after));
            // Stepping stones: what is carried over the chunks of the core, and that each counter lags by a cycle.
            wire [CHUNKS-1:0] carries;
            for (k = 0; k < CHUNKS; k = k + 1) begin : carry
                localparam HIGH = CHUNK*(k + 1) > W ? W : CHUNK*(k + 1);
                assign carries[k] = after[HIGH-1:0] < before[HIGH-1:0];
            end
            if (d == 0) assign off[d] = 0;
            else begin : lags
                reg [CHUNKS-1:0] carried = 0;
                always @(posedge clk) carried <= at[d - 1].carries;
                assign off[d] = (beat[BITS+1] && beat[BITS] ? at[d - 1].before != 0 : at[d - 1].before != (beat[BITS+1] ? after : before))
                    || (beat[BITS+1] && carried != carries);
            end
        end
        assign bad_lemma[c] = LEMMAS != 0 && |off;
        wire told = at[DELAY].beat[BITS+1] && at[DELAY].beat[BITS];
        wire [W-1:0] want = (at[DELAY].after[W-1:0] | {W{at[DELAY].after[W]}}) & {W{told}};
        assign bad_number[c] = numbers[WIDTH*c +: WIDTH] != want;
    end endgenerate
endmodule
