// The board at the pins of its PHY: the FPGA delays the clock that comes with the bytes to send by a quarter cycle.
module board (
    input clk30, rx_clk, rx_ctl, input [3:0] rx_data, output tx_clk, tx_ctl, output [3:0] tx_data, output reset_n
);
    wire at_the_pin;
    assign #2 tx_clk = at_the_pin;
    runewire_butterstick dut (
        .clk30_0__io(clk30), .eth_rgmii_0__rst__io(reset_n),
        .eth_rgmii_0__rx_clk__io(rx_clk), .eth_rgmii_0__rx_ctl__io(rx_ctl), .eth_rgmii_0__rx_data__io(rx_data),
        .eth_rgmii_0__tx_clk__io(at_the_pin), .eth_rgmii_0__tx_ctl__io(tx_ctl), .eth_rgmii_0__tx_data__io(tx_data));
endmodule
