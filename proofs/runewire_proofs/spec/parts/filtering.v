// The record buffer of a filter against the way of one row, any one: rows of any records at any time, and outputs that
// have room at any time. Nothing here comes from the cores.
//
// The buffer moves the data of a row and does not look at them. So the first lane's data say whether a row was taken
// before the watched one, is that, or was taken after it; and the rows have to come in this order. Records and rejected
// ones are counted by the flags that come with each row, and those of the watched row have to be its own.
module filtering #(
    parameter LANES = 1,
    parameter ROWS = 2,                         // of the longest record that stays
    parameter COUNT = 2,                        // bits of a number of records
    parameter DELAY = 4,                        // cycles from the output's room to a row that is sent for it,
    parameter LATENCY = 11                      // and from a row to its turn, at most
) (
    input  wire                 clk,
    input  wire                 valid,
    input  wire [2*LANES-1:0]   free,           // data of the other lanes
    input  wire [$clog2(LANES+1)-1:0] count,    // kept bytes of a record's last row, one in any case
    input  wire                 last,
    input  wire                 error,
    input  wire                 kind,
    input  wire                 offset,
    input  wire                 ends,
    input  wire                 hollow,
    input  wire                 behind,
    input  wire                 pick,           // the row that is taken is the watched one
    output wire                 bad_room,       // a row is sent that has no room
    output wire                 bad_order,      // a row comes too early or too late, is lost, comes twice, or was never taken
    output wire                 bad_early,      // a row is sent before it can be judged
    output wire                 bad_output,     // to the wrong output
    output wire                 bad_good,       // with something else
    output wire                 bad_reject,
    output wire                 bad_flags,
    output wire                 bad_number,     // the number of a rejected record, or of a packet's rejected ones
    output wire                 bad_late,       // a row is not sent
    output wire                 bad_shut        // no row is taken, although the outputs have room
);
    localparam MORE = $clog2(ROWS + 1) + 1;
    localparam [COUNT-1:0] FULL = {COUNT{1'b1}};
    // Rows of the record before this one, as many as matter; and whether a packet begins.
    reg [MORE-1:0] before = 0;
    reg begins = 1;
    wire is_hollow = hollow && last && ends && begins && before == 0, wrong = error && last && !is_hollow;
    genvar i;
    wire [LANES-1:0] keep;
    generate for (i = 0; i < LANES; i = i + 1) assign keep[i] = i == 0 || (!is_hollow && (!last || count > i)); endgenerate

    wire ready, good_push, rejects_push, core_reject, core_ends, core_packet_ends;
    wire [COUNT+3*LANES:0] good_row;
    wire [COUNT+3*LANES+3:0] rejects_row;
    wire [2*LANES-1:0] data;
    dut core (
        .clk(clk), .rst(1'b0), .valid(valid), .behind(behind), .ready(ready),
        .row({is_hollow, ends && last, 1'b0, offset && last, kind && last, error && last, last, keep, data}),
        .good_push(good_push), .good_row(good_row), .rejects_push(rejects_push), .rejects_row(rejects_row),
        .reject(core_reject), .ends(core_ends), .packet_ends(core_packet_ends));
    wire taken = valid && ready, sent = good_push || rejects_push;

    wire long = before >= ROWS, fills = before == ROWS - 1 && !last;
    reg [DELAY-1:0] room = 0;
    always @(posedge clk) begin
        room <= {room, behind};
        if (taken) before <= last ? 0 : long ? before : before + 1;
        if (taken && last) begins <= ends;
    end
    assign bad_room = sent && !room[DELAY-1];

    // The watched row.
    localparam [1:0] EARLIER = 1, WATCHED = 2, LATER = 3;
    reg picked = 0, gone = 0, open = 0, known = 0;
    reg of_rejected = 0, of_long = 0, w_last = 0, w_ends = 0, w_hollow = 0, w_kind = 0, w_offset = 0;
    reg [2*LANES-1:0] w_data = 0;
    reg [LANES-1:0] w_keep = 0;
    wire picks = taken && pick && !picked;
    assign data = {free[2*LANES-1:2], picked ? LATER : pick ? WATCHED : EARLIER};
    wire [1:0] which = good_push ? good_row[1:0] : rejects_row[1:0];
    wire turn = sent && which == WATCHED;
    assign bad_order = sent && (which == LATER ? !gone : which == WATCHED ? gone || !picked : which != EARLIER || gone);
    wire decides = last || long || fills;
    always @(posedge clk) begin
        if (picks) begin
            picked <= 1;
            {w_last, w_ends, w_hollow, w_kind, w_offset} <= {last, ends && last, is_hollow, kind && last, offset && last};
            {w_data, w_keep, of_long} <= {data, keep, long};
            open <= !decides;
        end else if (taken && decides) open <= 0;
        if (taken && decides && (picks || open)) {known, of_rejected} <= {1'b1, long || fills || wrong};
        if (turn) gone <= 1;
    end
    wire packet_end = w_last && w_ends;
    assign bad_early = turn && !known;
    assign bad_output = turn && known && (good_push != (!of_rejected || packet_end) || rejects_push != of_rejected);
    function [2*LANES-1:0] twice(input [LANES-1:0] bits);
        integer j;
        for (j = 0; j < 2*LANES; j = j + 1) twice[j] = bits[j / 2];
    endfunction
    wire [LANES-1:0] stay = w_keep & {LANES{!of_rejected && !w_hollow}};
    assign bad_good = turn && known && good_push
        && (good_row[2*LANES +: LANES] != stay || ((good_row[0 +: 2*LANES] ^ w_data) & twice(stay)) != 0 || good_row[3*LANES] != packet_end);
    wire [2:0] report = {w_kind, w_offset, of_long} & {3{w_last}};
    assign bad_reject = turn && known && rejects_push
        && (rejects_row[2*LANES +: LANES] != w_keep || ((rejects_row[0 +: 2*LANES] ^ w_data) & twice(w_keep)) != 0
            || rejects_row[3*LANES] != w_last
            || {rejects_row[3*LANES+1], rejects_row[3*LANES+2], rejects_row[3*LANES+COUNT+3]} != report);

    // Counted by the flags of each row that is sent.
    reg is_reject = 0, is_end = 0, is_packet_end = 0;
    reg [COUNT-1:0] number = 0, rejected = 0;
    wire [COUNT-1:0] rejected_now = rejected + (is_end && is_reject && rejected != FULL);
    always @(posedge clk) begin
        {is_reject, is_end, is_packet_end} <= {core_reject, core_ends, core_packet_ends};
        if (is_packet_end) {number, rejected} <= 0;
        else begin
            number <= number + (is_end && number != FULL);
            rejected <= rejected_now;
        end
    end
    assign bad_flags = turn && known && {is_reject, is_end, is_packet_end} != {of_rejected, w_last, packet_end};
    assign bad_number = good_push && is_packet_end && good_row[3*LANES+1 +: COUNT] != rejected_now
        || rejects_push && is_end && rejects_row[3*LANES+3 +: COUNT] != number;

    reg [3:0] late = 0;
    reg [3:0] shut = 0;
    always @(posedge clk) begin
        late <= picked && known && !gone && behind && !sent ? late + (late != 15) : 0;
        shut <= behind && !ready ? shut + (shut != 15) : 0;
    end
    assign bad_late = late > LATENCY;
    assign bad_shut = shut > LATENCY;
endmodule
