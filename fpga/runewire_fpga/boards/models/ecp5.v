// Cells of ECP5 that boards have at their pins, as far as the designs use them: no delays, and a PLL that divides.

module IB (input I, output O);
    assign O = I;
endmodule

module OBZ (input I, T, output O);
    assign O = T ? 1'bz : I;
endmodule

// Clock to an output: CLKI * CLKOP_DIV / CLKOS_DIV, as CLKOP is fed back and both dividers before it are 1.
module EHXPLLL #(
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, FEEDBK_PATH = "CLKOP", CLKOP_ENABLE = "ENABLED", CLKOP_DIV = 8,
    CLKOP_CPHASE = 0, CLKOS_ENABLE = "DISABLED", CLKOS_DIV = 8, CLKOS_CPHASE = 0
) (
    input CLKI, CLKFB, RST, STDBY, ENCLKOP, ENCLKOS, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
    PLLWAKESYNC, output CLKOP, output reg CLKOS = 0, output reg LOCK = 0
);
    real earlier = 0, half = 0;
    assign CLKOP = CLKI;
    always @(posedge CLKI) begin
        if (earlier > 0) half = ($realtime - earlier) * CLKOS_DIV / CLKOP_DIV / 2;
        earlier = $realtime;
    end
    initial begin
        if (CLKI_DIV != 1 || CLKFB_DIV != 1 || FEEDBK_PATH != "CLKOP") $fatal(1, "a PLL that this model does not know");
        wait (half > 0);
        repeat (20) @(posedge CLKI);
        LOCK = 1;
        forever #(half) CLKOS = ~CLKOS;
    end
endmodule

module DELAYG #(parameter DEL_MODE = "USER_DEFINED", DEL_VALUE = 0) (input A, output Z);
    assign Z = A;
endmodule

// Both halves of a cycle come out at the next rising edge.
module IDDRX1F (input D, SCLK, RST, output reg Q0, Q1);
    reg rising, falling;
    always @(posedge SCLK) begin rising <= D; Q0 <= rising; Q1 <= falling; end
    always @(negedge SCLK) falling <= D;
endmodule

module ODDRX1F (input D0, D1, SCLK, RST, output Q);
    reg first, second;
    always @(posedge SCLK) begin first <= D0; second <= D1; end
    assign Q = SCLK ? first : second;
endmodule

module FD1S3BX (input D, CK, PD, output reg Q = 1);
    always @(posedge CK or posedge PD) if (PD) Q <= 1; else Q <= D;
endmodule
