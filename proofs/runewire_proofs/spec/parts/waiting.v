// A compact core: no register of its pipeline changes in a cycle in which the pipeline waits, and what it offers stays until
// it is taken.
module waiting #(
    parameter REST = 1                          // bits of an input beat but its last bit
) (
    input  wire            clk,
    input  wire            valid,
    input  wire            last,
    input  wire [REST-1:0] rest,
    input  wire            ready,
    output wire            bad_moved,
    output wire            bad_offer
);
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(valid), .i_last(last), .i_rest(rest), .o_ready(ready), .moved(bad_moved),
        .changed(bad_offer));
endmodule
