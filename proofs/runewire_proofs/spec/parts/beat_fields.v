// The rows that a beat of a splitter ends, and where, from its bytes. Nothing here comes from the cores.
module beat_fields #(
    parameter LANES = 1,
    parameter BITS = 0,                         // of a lane's number
    parameter ROWS = 2,                         // bits of a number of rows
    parameter KEEPS = 1,                        // rows have the delimiters
    parameter EMPTY = 1,                        // records without a byte but a delimiter are rows
    parameter [7:0] DELIMITER = 8'h0A,
    parameter P = $clog2(2*LANES + 1) + 2, B = BITS == 0 ? 1 : BITS
) (
    input  wire                 clk,
    input  wire                 comes,
    input  wire [8*LANES-1:0]   bytes,
    input  wire [P-1:0]         number,         // of its bytes; a beat that is not its packet's last has all
    input  wire                 last,
    output reg  [(2+BITS)*LANES-1:0] marks,     // of each lane: a row ends there, a record begins, rows that end before
    output wire [ROWS-1:0]      rows,           // that the beat ends
    output wire                 full,           // the first of them is full, and its record goes on
    output wire                 begun,          // it begins in the beat before
    output reg  [B-1:0]         start,          // the lane in which the record before the beat began
    output wire [B-1:0]         end_of,         // the number of bytes modulo the lanes, one less if delimiters stay
    output wire                 tells           // the packet's last record ends
);
    integer i;
    reg under_way = 0;                          // a record is, before the beat
    initial start = 0;
    reg [LANES-1:0] there, delimits, slots, starts;
    reg [B-1:0] highest, early, latest;
    reg on, any_slot, any_start, open_end, told_end;
    reg [ROWS-1:0] slot_count;
    always @* begin
        on = under_way;
        {any_slot, any_start, open_end, told_end} = 0;
        highest = 0; early = 0; latest = start; slot_count = 0; marks = 0;
        for (i = 0; i < LANES; i = i + 1) begin
            there[i] = i < number;
            delimits[i] = there[i] && bytes[8*i +: 8] == DELIMITER;
            slots[i] = delimits[i] && (EMPTY != 0 || on);
            starts[i] = there[i] && !on && (EMPTY != 0 || !delimits[i]);
            marks[(2+BITS)*i] = slots[i];
            marks[(2+BITS)*i + 1] = starts[i];
            if (BITS != 0) marks[(2+BITS)*i + 2 +: B] = slot_count;
            if (starts[i]) {any_start, latest} = {1'b1, i[B-1:0]};
            if (delimits[i] && !any_slot) {any_slot, early} = {1'b1, i[B-1:0]};
            slot_count = slot_count + slots[i];
            if (there[i]) highest = i;
            if (there[i]) open_end = !delimits[i];
            if (there[i]) told_end = slots[i] || !delimits[i];
            on = there[i] && !delimits[i];
        end
    end
    wire begins_inside = under_way && (BITS != 0 && start != 0);
    wire full_kept = (!any_slot || (begins_inside && early >= start)) && (!last || (begins_inside && number > start));
    wire full_dropped = under_way && (!any_slot || early > start) && (!last || number > start);
    assign full = KEEPS ? full_kept : full_dropped;
    assign begun = KEEPS ? begins_inside : under_way;
    assign rows = slot_count + full + (last && open_end);
    assign end_of = KEEPS ? highest : highest + 1'b1;
    assign tells = last && told_end;
    always @(posedge clk) if (comes) begin
        under_way <= on && !last;
        if (any_start) start <= latest;
    end
endmodule
