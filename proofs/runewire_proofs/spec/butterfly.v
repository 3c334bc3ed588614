// What helps to prove the packing of many lanes: the way of a beat's items to their lanes, a bit of the lane's number
// at a time, as it follows from the items' numbers. It says nothing about the core. Its output, that the ways agree
// with the numbers, is proven with all else; its inner signals are stepping stones on which an engine finds the core's.
module butterfly #(
    parameter LANES = 2,
    parameter COUNT = 3
) (
    input  wire [LANES-1:0]       present,
    input  wire [COUNT*LANES-1:0] numbers,      // of each item in its packet's row
    output wire                   bad
);
    localparam BITS = $clog2(LANES);
    genvar b, x, k;
    generate
        for (k = 0; k < BITS; k = k + 1) begin : column
            wire [LANES-1:0] bits;              // bit k of all numbers
            for (x = 0; x < LANES; x = x + 1) assign bits[x] = numbers[COUNT*x + k];
        end
        // Items whose number ends in the bits of `x`, but for its highest one.
        for (x = 1; x < 2*LANES; x = x + 1) begin : ends
            localparam TOP = $clog2(x + 1) - 1;
            wire [LANES-1:0] items;
            if (TOP == 0) assign items = present;
            else begin : longer
                localparam SHORTER = 1 << (TOP - 1) | (x & ((1 << (TOP - 1)) - 1));
                wire [LANES-1:0] bits = x >> (TOP - 1) & 1 ? column[TOP-1].bits : ~column[TOP-1].bits;
                assign items = ends[SHORTER].items & bits;
            end
        end
        for (b = 0; b <= BITS; b = b + 1) begin : stage
            wire [LANES-1:0] there, off;
            wire [BITS*LANES-1:0] number;
            for (x = 0; x < LANES; x = x + 1) begin : lane
                if (b == 0) begin : begins
                    assign there[x] = present[x];
                    assign number[BITS*x +: BITS] = numbers[COUNT*x +: BITS];
                    assign off[x] = 0;
                end else begin : moves
                    localparam MATE = x ^ (1 << (b - 1)), OWN = (x >> (b - 1)) & 1;
                    localparam FIRST = x >> b << b, HALF = OWN << (b - 1), SIZE = 1 << (b - 1);
                    localparam END = 1 << b | (x & ((1 << b) - 1));
                    wire came = stage[b-1].there[MATE] && stage[b-1].number[BITS*MATE + b - 1] == OWN;
                    wire stayed = stage[b-1].there[x] && stage[b-1].number[BITS*x + b - 1] == OWN;
                    assign there[x] = came || stayed;
                    assign number[BITS*x +: BITS] =
                        came ? stage[b-1].number[BITS*MATE +: BITS] : stage[b-1].number[BITS*x +: BITS];
                    // The same from the numbers alone: of the block's items the one whose number ends like the lane's.
                    wire [2*SIZE-1:0] mine = ends[END].items[FIRST +: 2*SIZE];
                    wire should_stay = |mine[HALF +: SIZE], should_come = |mine[SIZE - HALF +: SIZE];
                    wire [BITS-1:0] should;
                    for (k = 0; k < BITS; k = k + 1) begin : bits
                        assign should[k] = |(mine & column[k].bits[FIRST +: 2*SIZE]);
                    end
                    // Two items of a block have numbers that end differently.
                    wire both = should_stay && should_come;
                    wire [BITS-1:0] wrong = (number[BITS*x +: BITS] ^ should) & {BITS{there[x]}};
                    assign off[x] = came != should_come || stayed != should_stay || both || |wrong;
                end
            end
        end
        wire [BITS:0] offs;
        for (b = 0; b <= BITS; b = b + 1) begin : all
            assign offs[b] = |stage[b].off;
        end
    endgenerate
    assign bad = |offs;
endmodule
