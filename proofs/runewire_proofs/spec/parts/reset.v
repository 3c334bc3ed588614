// A core with all registers in any state, and the same core in its first state: one edge of reset, and then the same
// inputs, for CYCLES cycles; of what comes later nothing is said. Memories are apart: what is read is anything, the same for both, so both must write the same to the
// same rows, and read the same rows.
module reset #(
    parameter BYTES = 1,                        // of an input beat
    parameter BEAT = 1,                         // bits of an output beat
    parameter FREE = 1,                         // bits that are read
    parameter ENABLE = 1,
    parameter WRITE = 1,
    parameter ADDRESS = 1,
    parameter REGISTERS = 1,
    parameter ROWS = 1,                         // registers behind memories
    parameter START = 1,                        // cycles until the core opens
    parameter CYCLES = 2,                       // that are looked at
    parameter LEMMAS = 1                        // the core's registers are looked at too
) (
    input  wire               clk,
    input  wire               valid,
    input  wire               last,
    input  wire [BYTES-1:0]   keep,
    input  wire [8*BYTES-1:0] data,
    input  wire               ready,
    input  wire [FREE-1:0]    free,
    output wire               bad_closed,       // a beat is taken or offered while something of before is under way
    output wire               bad_accept,       // one accepts a beat, the other does not
    output wire               bad_offer,
    output wire               bad_beat,
    output wire               bad_write,
    output wire               bad_read,
    output wire               bad_state,        // a register differs, but for those of rows and of an error that was found
    output wire [1:0]         bad_lemma         // a row is shown that was not loaded since
);
    // Cycles from the one in reset.
    reg [7:0] elapsed = 0;
    wire open = elapsed >= START && elapsed <= CYCLES;
    always @(posedge clk) elapsed <= elapsed > CYCLES ? elapsed : elapsed + 1;

    wire [1:0] accepts, offers;
    wire [BEAT-1:0] beats [0:1];
    wire [ENABLE-1:0] enables [0:1];
    wire [WRITE-1:0] writes [0:1];
    wire [ADDRESS-1:0] addresses [0:1];
    wire [REGISTERS-1:0] differs;
    wire [ROWS-1:0] rows_differ;
    wire shown_off;
    dut core (
        .clk(clk), .rst(elapsed == 0), .i_valid(valid), .i_last(last), .i_keep(keep), .i_data(data), .o_ready(ready),
        .free(free),
        .any_accept(accepts[0]), .any_offer(offers[0]), .any_beat(beats[0]),
        .any_enable(enables[0]), .any_write(writes[0]), .any_address(addresses[0]),
        .first_accept(accepts[1]), .first_offer(offers[1]), .first_beat(beats[1]),
        .first_enable(enables[1]), .first_write(writes[1]), .first_address(addresses[1]),
        .differs(differs), .rows_differ(rows_differ), .shown_off(shown_off));

    assign bad_closed = elapsed != 0 && elapsed < START && (accepts[0] || offers[0]);
    assign bad_accept = open && accepts[0] != accepts[1];
    assign bad_offer = open && offers[0] != offers[1];
    assign bad_beat = open && offers[1] && beats[0] != beats[1];
    assign bad_write = open && (enables[0] != enables[1] || writes[0] != writes[1]);
    assign bad_read = open && addresses[0] != addresses[1];
    assign bad_state = LEMMAS != 0 && open && |differs;
    assign bad_lemma = {2{LEMMAS != 0 && open}} & {|rows_differ, shown_off};
endmodule
