// UTF-8 decoder, a byte per cycle: code points, U+FFFD for each maximal subpart, and a packet's first error.
// A byte that cuts a character short takes two cycles: U+FFFD first, then the byte again.
// SPDX-License-Identifier: CC0-1.0

module byte_decoder (
    input  wire        clk,
    input  wire        rst,
    input  wire [7:0]  in_byte,
    input  wire        in_valid,
    output wire        in_ready,
    input  wire        in_last,
    input  wire        in_none,      // the beat has no byte: it only ends the packet
    output reg  [20:0] out_point,
    output reg         out_some,     // low: this beat has no code point
    output reg         out_last,
    output reg         out_valid,
    input  wire        out_ready,
    output reg         error,        // with out_last
    output reg  [1:0]  kind,         // 1 invalid start, 2 invalid continuation, 3 unexpected end
    output reg  [15:0] offset        // of the first byte that cannot continue
);
    reg [1:0]  left;        // continuation bytes that must follow
    reg [7:0]  low, high;   // and the range of the next one
    reg [20:0] point;
    reg [15:0] place;
    reg        seen;
    reg [1:0]  seen_kind;
    reg [15:0] seen_offset;

    wire go    = !out_valid || out_ready;
    wire cont  = in_byte >= low && in_byte <= high;
    wire cut   = left != 0 && !in_none && !cont;
    wire start = left == 0 && in_byte >= 8'h80 && (in_byte < 8'hC2 || in_byte > 8'hF4);
    wire [1:0] next = in_none ? left : left != 0 ? left - 2'd1
                    : in_byte >= 8'hF5 ? 2'd0 : in_byte >= 8'hF0 ? 2'd3 : in_byte >= 8'hE0 ? 2'd2
                    : in_byte >= 8'hC2 ? 2'd1 : 2'd0;
    wire open  = in_last && next != 0;
    wire [20:0] made = left != 0 ? {point[14:0], in_byte[5:0]}
                     : next == 3 ? in_byte[2:0] : next == 2 ? in_byte[3:0] : next == 1 ? in_byte[4:0] : in_byte;
    wire now   = cut || (!in_none && start);
    wire ended = open && !cut;

    assign in_ready = go && !cut;

    always @(posedge clk) begin
        if (go) begin
            out_valid <= in_valid && (cut || next == 0 || in_last);
            out_point <= cut || start || open ? 21'h0FFFD : made;
            out_some  <= cut || !in_none || left != 0;
            out_last  <= in_valid && in_last && !cut;
            error  <= seen || now || ended;
            kind   <= seen ? seen_kind : cut ? 2'd2 : start && !in_none ? 2'd1 : 2'd3;
            offset <= seen ? seen_offset : now ? place : place + !in_none;
            if (in_valid) begin
                if (!seen && now) begin
                    seen <= 1'b1;
                    seen_kind <= cut ? 2'd2 : 2'd1;
                    seen_offset <= place;
                end
                if (cut) left <= 2'd0;
                else begin
                    place <= place + 16'd1;
                    left  <= next;
                    point <= made;
                    low  <= left == 0 && in_byte == 8'hE0 ? 8'hA0 : left == 0 && in_byte == 8'hF0 ? 8'h90 : 8'h80;
                    high <= left == 0 && in_byte == 8'hED ? 8'h9F : left == 0 && in_byte == 8'hF4 ? 8'h8F : 8'hBF;
                    if (in_last) begin
                        left  <= 2'd0;
                        place <= 16'd0;
                        seen  <= 1'b0;
                    end
                end
            end
        end
        if (rst) begin
            {out_valid, seen} <= 2'd0;
            left  <= 2'd0;
            place <= 16'd0;
        end
    end
endmodule
