// One of COUNT values, a power of two, by its number.
module pick #(parameter COUNT = 1, parameter WIDTH = 1) (
    input wire [COUNT*WIDTH-1:0] all, input wire [$clog2(COUNT):0] number, output wire [WIDTH-1:0] one
);
    genvar b, x;
    generate for (b = 0; b < WIDTH; b = b + 1) begin : bits
        wire [COUNT-1:0] column;
        for (x = 0; x < COUNT; x = x + 1) assign column[x] = all[WIDTH*x + b];
        if (COUNT == 1) assign one[b] = column;
        else assign one[b] = column[number[$clog2(COUNT)-1:0]];
    end endgenerate
endmodule
