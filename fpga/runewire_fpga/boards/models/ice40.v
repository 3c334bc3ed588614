// Cells of iCE40 that boards have at their pins, as far as the designs use them.

module SB_IO #(parameter [5:0] PIN_TYPE = 0, parameter [0:0] PULLUP = 0, parameter IO_STANDARD = "") (
    inout PACKAGE_PIN, input D_OUT_0, D_OUT_1, INPUT_CLK, OUTPUT_CLK, OUTPUT_ENABLE, CLOCK_ENABLE, LATCH_INPUT_VALUE,
    output D_IN_0, D_IN_1
);
    initial if (PIN_TYPE != 6'b000001 && PIN_TYPE != 6'b101001) $fatal(1, "a pin that this model does not know");
    assign D_IN_0 = PACKAGE_PIN;
    generate if (PIN_TYPE == 6'b101001) assign PACKAGE_PIN = OUTPUT_ENABLE ? D_OUT_0 : 1'bz; endgenerate
endmodule

module SB_GB_IO #(parameter [5:0] PIN_TYPE = 0, parameter [0:0] PULLUP = 0, parameter IO_STANDARD = "") (
    inout PACKAGE_PIN, output GLOBAL_BUFFER_OUTPUT
);
    assign GLOBAL_BUFFER_OUTPUT = PACKAGE_PIN;
endmodule
