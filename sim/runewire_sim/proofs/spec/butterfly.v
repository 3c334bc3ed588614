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
    genvar b, x, i, j, k;
    generate
        // Two items of a block of 2**(b+1) lanes differ in the lowest b+1 bits of their numbers.
        wire [LANES-1:0] meet;
        for (i = 0; i < LANES; i = i + 1) begin : first
            wire [LANES-1:0] meets;
            for (j = 0; j < LANES; j = j + 1) begin : second
                localparam BLOCK = j > i ? $clog2((i ^ j) + 1) : 1;
                assign meets[j] = j > i && present[i] && present[j]
                    && numbers[COUNT*i +: BLOCK] == numbers[COUNT*j +: BLOCK];
            end
            assign meet[i] = |meets;
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
                    wire came = stage[b-1].there[MATE] && stage[b-1].number[BITS*MATE + b - 1] == OWN;
                    wire stayed = stage[b-1].there[x] && stage[b-1].number[BITS*x + b - 1] == OWN;
                    assign there[x] = came || stayed;
                    assign number[BITS*x +: BITS] =
                        came ? stage[b-1].number[BITS*MATE +: BITS] : stage[b-1].number[BITS*x +: BITS];
                    // The same from the numbers alone: of the block's items the one whose number ends like the lane's.
                    wire [2*SIZE-1:0] mine;
                    for (i = 0; i < 2*SIZE; i = i + 1) begin : item
                        assign mine[i] = present[FIRST + i]
                            && numbers[COUNT*(FIRST + i) +: b] == (x & ((1 << b) - 1));
                    end
                    wire should_stay = |mine[HALF +: SIZE], should_come = |mine[SIZE - HALF +: SIZE];
                    wire [BITS-1:0] should;
                    for (k = 0; k < BITS; k = k + 1) begin : bits
                        wire [2*SIZE-1:0] column;
                        for (i = 0; i < 2*SIZE; i = i + 1) begin : of
                            assign column[i] = mine[i] && numbers[COUNT*(FIRST + i) + k];
                        end
                        assign should[k] = |column;
                    end
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
    assign bad = |meet || |offs;
endmodule
