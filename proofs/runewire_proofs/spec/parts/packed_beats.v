// Beats of a packer before a core with flows: any packets, and any `ready`. Nothing here comes from the cores.
//
// The packer has bytes in the order in which they come, byte 0 lowest. In the core a unit is a number.
module packed_beats #(
    parameter LANES = 1,                        // units of a beat,
    parameter UNIT = 1,                         // of so many bytes,
    parameter BIG = 0,                          // the most significant one first
    parameter MARKS = 0,                        // a beat for a byte order mark precedes each packet
    parameter SKID = 1,                         // a beat may wait, so that the packer's `ready` is a register
    parameter MOST = 3,                         // bytes that a packet may have more when it leaves
    parameter SIZE = LANES*UNIT
) (
    input  wire                      clk,
    input  wire                      valid,
    input  wire                      last,
    input  wire [$clog2(SIZE+1)-1:0] count,     // kept bytes of a last beat; every other beat has all
    input  wire [8*SIZE-1:0]         data,
    input  wire                      user,
    input  wire                      id,
    input  wire                      ready,
    output wire                      bad_valid,
    output wire                      bad_ready, // a beat is accepted at another time than its own
    output wire                      bad_beat,  // other bytes or flags than the beat's
    output wire                      bad_extra,
    output wire                      bad_final, // the last of the packet's beats does not say so
    output wire                      bad_mark
);
    localparam EXTRA = (MOST + SIZE - 1) / SIZE, WORD = 9*SIZE + 3;
    genvar i;
    wire [SIZE-1:0] keep, o_keep;
    wire [8*SIZE-1:0] numbers, o_data;
    generate for (i = 0; i < SIZE; i = i + 1) begin : octet
        localparam PLACE = i / UNIT * UNIT + (BIG ? UNIT - 1 - i % UNIT : i % UNIT);
        assign keep[i] = !last || count > i;
        assign numbers[8*PLACE +: 8] = data[8*i +: 8];
    end endgenerate

    wire i_ready, o_valid, o_last, o_user, o_id, o_extra, o_final, o_mark;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_data(data), .i_keep(keep), .i_last(last), .i_user(user), .i_id(id),
        .i_ready(i_ready), .o_ready(ready), .o_valid(o_valid), .o_data(o_data), .o_keep(o_keep), .o_last(o_last),
        .o_user(o_user), .o_id(o_id), .o_extra(o_extra), .o_final(o_final), .o_mark(o_mark));

    // A queue of one, or none.
    reg waits = 0;
    reg [WORD-1:0] held = 0;
    wire [WORD-1:0] given = {numbers, keep, last, user, id}, word = waits ? held : given;
    wire [8*SIZE-1:0] its_data;
    wire [SIZE-1:0] its_keep;
    wire its_last, its_user, its_id, there = valid || waits;
    assign {its_data, its_keep, its_last, its_user, its_id} = word;

    // Beats that are due after a packet, and whether the next packet's mark is due.
    reg [1:0] left = 0;
    reg begins = 1;
    wire extra = left != 0, mark = MARKS && !extra && begins, own = there && !extra && !mark, takes = own && ready;
    // Whether a last beat has no room for the bytes that may come before it.
    wire ends = own && its_last, full = ends && (SIZE <= MOST || its_keep[SIZE <= MOST ? 0 : SIZE - MOST]);
    always @(posedge clk) begin
        waits <= SKID && there && !takes;
        if (!waits) held <= given;
        if (ready && (extra || there)) begin
            left <= extra ? left - 1 : full ? EXTRA : 0;
            if (!extra) begins <= mark ? 0 : ends;
        end
    end
    assign bad_valid = o_valid != (extra || there);
    assign bad_ready = i_ready != (SKID ? !waits : ready && !extra && !mark);
    assign bad_beat = own && (o_data != its_data || o_keep != its_keep || o_user != its_user)
        || (own || mark && there) && o_id != its_id || o_valid && o_last != ends;
    assign bad_extra = o_valid && o_extra != extra;
    assign bad_final = o_valid && o_final != (extra ? left == 1 : ends && !full);
    assign bad_mark = MARKS && o_valid && o_mark != mark;
endmodule
