// Beats before and after packets, counted: any packets, and any `ready`. Nothing here comes from the cores.
module extra_beats #(
    parameter SIZE = 1,                         // bytes of a beat
    parameter MARKS = 0,                        // a beat for a byte order mark precedes each packet
    parameter MOST = 3                          // bytes that a packet may have more when it leaves
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
    output wire                      bad_ready, // a beat is taken at another time than its own
    output wire                      bad_beat,  // other bytes or flags than the beat's
    output wire                      bad_extra,
    output wire                      bad_final, // the last of the packet's beats does not say so
    output wire                      bad_mark
);
    localparam EXTRA = (MOST + SIZE - 1) / SIZE;
    genvar i;
    wire [SIZE-1:0] keep, o_keep;
    generate for (i = 0; i < SIZE; i = i + 1) assign keep[i] = !last || count > i; endgenerate

    wire i_ready, o_valid, o_last, o_user, o_id, o_extra, o_final, o_mark;
    wire [8*SIZE-1:0] o_data;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_data(data), .i_keep(keep), .i_last(last), .i_user(user), .i_id(id),
        .i_ready(i_ready), .o_ready(ready), .o_valid(o_valid), .o_data(o_data), .o_keep(o_keep), .o_last(o_last),
        .o_user(o_user), .o_id(o_id), .o_extra(o_extra), .o_final(o_final), .o_mark(o_mark));

    // Beats that are due after a packet, and whether the next packet's mark is due.
    reg [1:0] left = 0;
    reg begins = 1;
    wire extra = left != 0, mark = MARKS && !extra && begins, own = valid && !extra && !mark;
    wire ends = own && last, full = ends && (SIZE <= MOST || count > SIZE - MOST);
    always @(posedge clk) if (ready && (extra || valid)) begin
        left <= extra ? left - 1 : full ? EXTRA : 0;
        if (!extra) begins <= mark ? 0 : ends;
    end
    assign bad_valid = o_valid != (extra || valid);
    assign bad_ready = i_ready != (ready && !extra && !mark);
    assign bad_beat = own && (o_data != data || o_keep != keep || o_user != user)
        || (own || mark && valid) && o_id != id || o_valid && o_last != ends;
    assign bad_extra = o_valid && o_extra != extra;
    assign bad_final = o_valid && o_final != (extra ? left == 1 : ends && !full);
    assign bad_mark = MARKS && o_valid && o_mark != mark;
endmodule
