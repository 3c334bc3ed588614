// A sound core and a mutant with the same inputs, any that a core may have: kept bytes are contiguous from lane 0, only a
// packet's last beat is partial; with HOLES any bytes are kept. Reset comes at any time, for a cycle or more; inputs in
// reset do not count. taps.vh and inside.vh are about memories and registers, further_ports.vh is about ports that only
// some cores have.
`include "taps.vh"
module same #(
    parameter IN = 1,           // bytes of an input beat
    parameter OUT = 1,          // bytes of an output beat
    parameter HOLES = 0,        // null bytes may be anywhere
    parameter FURTHER = 0,      // bits of an output beat without data, keep and last
    parameter RESET = 1,        // cycles from the last one in reset to the first in which a core may be ready
    parameter WIDTH = 1         // of a mutant's number
) (
    input  wire            clk,
    input  wire            reset,
    input  wire [8*IN-1:0] data,
    input  wire [IN-1:0]   short,
    input  wire            valid,
    input  wire            last,
    input  wire            ready,
    output wire            bad_accept,      // one is ready, the other is not
    output wire            bad_offer,       // one is valid, the other is not
    output wire            bad_payload,     // their output beats differ
    output wire            bad_report,      // their further streams differ
    output wire [`MEMORIES-1:0] bad_memory, // they use a memory in different ways
    output wire [`HINTS-1:0] hint           // allowed, but probably never 1, which helps to prove the rest
);
    // Cycles since reset. Registers start as after a reset.
    reg [$clog2(RESET + 2) - 1:0] elapsed = 1;
    wire open = elapsed == RESET;
    wire running = !reset;
    // Not open, and at least this many cycles after reset.
    wire [RESET:0] late;
    genvar cycles;
    generate for (cycles = 0; cycles <= RESET; cycles = cycles + 1) begin : passed
        assign late[cycles] = !open && elapsed >= cycles;
    end endgenerate
    always @(posedge clk) elapsed <= reset ? 1 : open ? RESET : elapsed + 1;

    // The number of the mutant: its initial value is set in the finished graph.
    reg [WIDTH-1:0] mutant = 0;
    always @(posedge clk) mutant <= mutant;

    wire [IN-1:0] keep;
    genvar lane;
    generate for (lane = 0; lane < IN; lane = lane + 1) begin : thermometer
        assign keep[lane] = HOLES ? !short[lane] : !last || !short[lane] && (lane == 0 || keep[lane == 0 ? 0 : lane - 1]);
    end endgenerate

    wire [1:0] accepts, offers;
    wire [9*OUT+FURTHER:0] payload [0:1];
`include "further_ports.vh"
`include "inside.vh"
    genvar side;
    generate for (side = 0; side < 2; side = side + 1) begin : core
        dut dut (
            .aclk(clk), .aresetn(running), .mutant(side ? mutant : {WIDTH{1'b0}}),
            .s_axis_tdata(data), .s_axis_tkeep(keep), .s_axis_tvalid(valid), .s_axis_tlast(last),
            .s_axis_tready(accepts[side]),
            .m_axis_tdata(payload[side][0 +: 8*OUT]), .m_axis_tkeep(payload[side][8*OUT +: OUT]),
            .m_axis_tlast(payload[side][9*OUT]),
            .m_axis_tvalid(offers[side]), .m_axis_tready(ready) `FURTHER_PORTS `TAPS
        );
    end endgenerate
    assign bad_accept = running && accepts[0] != accepts[1];
    assign bad_offer = running && offers[0] != offers[1];
    assign bad_payload = running && offers[0] && payload[0] != payload[1];
endmodule
