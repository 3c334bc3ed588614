// What helps to prove the packing of many lanes: the way of a beat's items to one lane, any one, as it follows from the
// items' numbers. It says nothing about the core. Its output, that the way agrees with the numbers, is proven with all
// else; its inner signals are stepping stones on which an engine finds the core's.
//
// In a block of 2**b places the items' numbers follow each other. So at most one of them ends in the lane's lowest b
// bits, and how many items of the block are before it is a difference of b bits: no item has to be compared with another.
module ways #(
    parameter LANES = 2,
    parameter COUNT = 3,
    parameter SLOTS = 1,                        // places of a lane of the core: its items stand in the last ones,
    parameter USED = 1                          // at most in so many
) (
    input  wire [LANES-1:0]             present,
    input  wire [LANES-1:0]             data,
    input  wire [COUNT*(LANES+1)-1:0]   numbers,    // of items before each place, and after all
    input  wire [$clog2(LANES):0]       lane,
    output wire                         bad
);
    localparam BITS = $clog2(LANES), TURNS = $clog2(SLOTS);

    // Whether an item may stand in place `place` of a core's lane after so many turns of it.
    function integer filled(input integer turns, input integer place);
        integer n;
        begin
            filled = 0;
            for (n = 0; n < 1 << turns; n = n + 1) if ((place + SLOTS - n) % SLOTS >= SLOTS - USED) filled = 1;
        end
    endfunction

    genvar b, x, k;
    generate
        // Items whose number ends like the lane's, in b bits.
        for (b = 0; b <= BITS; b = b + 1) begin : ending
            wire [LANES-1:0] items;
            if (b == 0) assign items = present;
            else for (x = 0; x < LANES; x = x + 1) begin : place
                assign items[x] = ending[b-1].items[x] && numbers[COUNT*x + b - 1] == lane[b-1];
            end
        end

        // The network: the places of each lane of the core are turned by the number at its end, then neighbouring blocks
        // are merged, by the number of the second one's first item.
        for (b = 0; b <= BITS; b = b + 1) begin : stage
            wire [LANES-1:0] items;
            if (b == 0) assign items = data;
            else for (x = 0; x < LANES; x = x + 1) begin : place
                localparam STEP = 1 << (b - 1), OWN = x % SLOTS, FIRST = x - OWN, MIDDLE = x >> b << b | STEP;
                localparam TURNED = b <= TURNS, OTHER = TURNED ? FIRST + (OWN + SLOTS - STEP % SLOTS) % SLOTS : x ^ STEP;
                wire swap;
                if (TURNED) assign swap = numbers[COUNT*(FIRST + SLOTS) + b - 1];
                else if (b == 1) assign swap = !numbers[COUNT*MIDDLE];
                else assign swap = (numbers[COUNT*MIDDLE +: b - 1] <= x % STEP) ^ numbers[COUNT*MIDDLE + b - 1];
                if (TURNED && !filled(b - 1, OTHER % SLOTS)) assign items[x] = stage[b-1].items[x];
                else if (TURNED && !filled(b - 1, OWN)) assign items[x] = stage[b-1].items[OTHER];
                else assign items[x] = swap ? stage[b-1].items[OTHER] : stage[b-1].items[x];
            end
        end

        // In each block of 2**b places the item that goes to the lane.
        for (b = TURNS; b <= BITS; b = b + 1) begin : size
            wire [(LANES>>b)-1:0] off;
            for (k = 0; k < LANES >> b; k = k + 1) begin : block
                localparam FIRST = k << b, NEXT = (k + 1) << b;
                wire [b:0] first = numbers[COUNT*FIRST +: b + 1], amount = numbers[COUNT*NEXT +: b + 1] - first;
                wire [b:0] before = (lane - first) % (1 << b), number = first + before;
                wire [(1<<b)-1:0] ends = ending[b].items[FIRST +: 1 << b];
                wire there = |ends, item = |(ends & data[FIRST +: 1 << b]);
                wire stands;                    // what stands where it would,
                pick #(.COUNT(1 << b)) place (.all(stage[b].items[FIRST +: 1 << b]), .number(lane[b:0]), .one(stands));
                wire held = there && stands;    // if it is there
                wire differs;                   // from the same, by the block's halves
                if (b == TURNS) assign differs = 0;
                else begin : halves
                    localparam MIDDLE = FIRST + NEXT >> 1;
                    wire swap;
                    if (b == 1) assign swap = !numbers[COUNT*MIDDLE];
                    else assign swap = (numbers[COUNT*MIDDLE +: b - 1] <= lane[b-2:0]) ^ numbers[COUNT*MIDDLE + b - 1];
                    wire upper = swap ^ lane[b-1];
                    wire in_lower = size[b-1].block[2*k].number[b-1] == lane[b-1];
                    wire in_upper = size[b-1].block[2*k+1].number[b-1] == lane[b-1];
                    wire there_too = (size[b-1].block[2*k].there && in_lower) || (size[b-1].block[2*k+1].there && in_upper);
                    wire item_too = (size[b-1].block[2*k].item && in_lower) || (size[b-1].block[2*k+1].item && in_upper);
                    wire stands_too = upper ? size[b-1].block[2*k+1].stands : size[b-1].block[2*k].stands;
                    wire held_too = there && (upper ? size[b-1].block[2*k+1].held : size[b-1].block[2*k].held);
                    assign differs = {there, item, stands, held} != {there_too, item_too, stands_too, held_too};
                end
                assign off[k] = differs || there != (before < amount) || held != item;
            end
        end
        wire [BITS:TURNS] offs;
        for (b = TURNS; b <= BITS; b = b + 1) begin : all
            assign offs[b] = |size[b].off;
        end
    endgenerate
    assign bad = |offs;
endmodule
