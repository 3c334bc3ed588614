// A sound core beside a mutant, for any inputs that a core may have: only bytes from lane 0 on are kept, only a
// packet's last beat is partial. Reset comes at any time, for a cycle or more; what is offered in it does not count. What
// `TAPS` and `HINTS` say of memories and registers, the file inside.vh makes; what `BESIDE` says of ports that not every
// core has, beside.vh.
`include "taps.vh"
module same #(
    parameter IN = 1,           // bytes of an input beat
    parameter OUT = 1,          // bytes of an output beat
    parameter BESIDE = 0,       // bits beside data, keep and last of an output beat
    parameter RESET = 1,        // cycles from the last one in reset to the first in which a core may take a beat
    parameter WIDTH = 1         // of a mutant's number
) (
    input  wire            clk,
    input  wire            reset,
    input  wire [8*IN-1:0] data,
    input  wire [IN-1:0]   short,
    input  wire            valid,
    input  wire            last,
    input  wire            ready,
    output wire            bad_accept,      // one takes a beat, the other does not
    output wire            bad_offer,       // one offers a beat, the other does not
    output wire            bad_payload,     // they offer different beats
    output wire            bad_report,      // one offers another report, or none, at the report port
    output wire [`MEMORIES-1:0] bad_memory, // they use a memory in different ways
    output wire [`HINTS-1:0] hint           // not wrong, but most likely never so, which helps to prove the rest
);
    // Cycles from the last one in reset. Registers start as a reset leaves them.
    reg [7:0] elapsed = 1;
    wire open = elapsed == RESET;
    wire running = !reset;
    // Closed, and so many cycles of it have passed at least.
    wire [255:0] late;
    genvar cycles;
    generate for (cycles = 0; cycles < 256; cycles = cycles + 1) begin : passed
        assign late[cycles] = !open && elapsed >= cycles;
    end endgenerate
    always @(posedge clk) elapsed <= reset ? 1 : open ? RESET : elapsed + 1;

    // Which mutant it is, the initial value says, which is put into the finished graph.
    reg [WIDTH-1:0] mutant = 0;
    always @(posedge clk) mutant <= mutant;

    wire [IN-1:0] keep;
    genvar lane;
    generate for (lane = 0; lane < IN; lane = lane + 1) begin : thermometer
        assign keep[lane] = !last || !short[lane] && (lane == 0 || keep[lane == 0 ? 0 : lane - 1]);
    end endgenerate

    wire [1:0] accepts, offers;
    wire [9*OUT+BESIDE:0] payload [0:1];
`include "beside.vh"
`include "inside.vh"
    genvar side;
    generate for (side = 0; side < 2; side = side + 1) begin : core
        dut dut (
            .aclk(clk), .aresetn(running), .mutant(side ? mutant : {WIDTH{1'b0}}),
            .s_axis_tdata(data), .s_axis_tkeep(keep), .s_axis_tvalid(valid), .s_axis_tlast(last),
            .s_axis_tready(accepts[side]),
            .m_axis_tdata(payload[side][0 +: 8*OUT]), .m_axis_tkeep(payload[side][8*OUT +: OUT]),
            .m_axis_tlast(payload[side][9*OUT]),
            .m_axis_tvalid(offers[side]), .m_axis_tready(ready) `BESIDE `TAPS
        );
    end endgenerate
    assign bad_accept = running && accepts[0] != accepts[1];
    assign bad_offer = running && offers[0] != offers[1];
    assign bad_payload = running && offers[0] && payload[0] != payload[1];
endmodule
