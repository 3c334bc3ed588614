// The gates of two descriptions of one design, between the same inputs, registers and rows of memories: an output or a
// next value that differs is wrong. register_correspondence.py makes both modules.
module registers_paired #(parameter GIVEN = 1, RESULT = 1) (
    input wire [GIVEN-1:0] given,
    output wire wrong
);
    wire [RESULT-1:0] described, printed;
    described first (.given(given), .result(described));
    printed second (.given(given), .result(printed));
    assign wrong = |(described ^ printed);
endmodule
