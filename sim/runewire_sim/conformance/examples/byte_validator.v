// UTF-8 validator, a byte per cycle: `bad` is right in the cycle in which `done` is high.
// SPDX-License-Identifier: CC0-1.0

module byte_validator (
    input  wire       clk,
    input  wire       rst,
    input  wire [7:0] in_byte,
    input  wire       in_valid,
    input  wire       in_last,
    output reg        done,
    output reg        bad
);
    reg [1:0] left;         // continuation bytes that must follow
    reg [7:0] low, high;    // and the range of the next one
    reg       seen;         // an error in this packet

    wire cont  = in_byte >= low && in_byte <= high;
    wire wrong = left != 0 ? !cont
               : in_byte >= 8'h80 && (in_byte < 8'hC2 || in_byte > 8'hF4);
    wire [1:0] next = left != 0 ? left - 2'd1
                    : in_byte >= 8'hF0 ? 2'd3 : in_byte >= 8'hE0 ? 2'd2 : in_byte >= 8'hC2 ? 2'd1 : 2'd0;

    always @(posedge clk) begin
        done <= in_valid && in_last;
        if (in_valid) begin
            bad  <= seen || wrong || next != 0;
            seen <= seen || wrong;
            left <= next;
            low  <= left == 0 && in_byte == 8'hE0 ? 8'hA0 : left == 0 && in_byte == 8'hF0 ? 8'h90 : 8'h80;
            high <= left == 0 && in_byte == 8'hED ? 8'h9F : left == 0 && in_byte == 8'hF4 ? 8'h8F : 8'hBF;
        end
        if (rst || (in_valid && in_last)) begin
            seen <= 1'b0;
            left <= 2'd0;
        end
    end
endmodule
