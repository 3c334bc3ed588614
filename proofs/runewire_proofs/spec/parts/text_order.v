// Byte order of a text in segments against a serial reading: any packets, each with the order of its text so far.
// Nothing here comes from the cores.
module text_order #(
    parameter LANES = 1,
    parameter UNIT = 2,                         // bytes of a unit
    parameter DELAY = 1
) (
    input  wire                    clk,
    input  wire                    go,
    input  wire                    last,
    input  wire [$clog2(LANES+1)-1:0] count,    // units of a last beat; every other beat has all
    input  wire                    lacks,       // the last unit of a last beat lacks a byte
    input  wire [8*UNIT*LANES-1:0] units,       // as big-endian numbers
    input  wire [1:0]              order,       // {the text is little-endian, it has begun} before the packet
    output wire                    bad_order
);
    localparam BITS = 8*UNIT;
    localparam [BITS-1:0] SWAPPED = UNIT == 2 ? 16'hFFFE : 32'hFFFE0000;

    function [BITS-1:0] swap(input [BITS-1:0] unit);
        integer at;
        for (at = 0; at < UNIT; at = at + 1) swap[8*at +: 8] = unit[8*(UNIT - 1 - at) +: 8];
    endfunction

    // The order before the packet comes with each of its beats; a text that has not begun has none.
    reg inside = 0, begun_kept = 0, little_kept = 0;
    wire begun = inside ? begun_kept : order[0], was_little = begun && (inside ? little_kept : order[1]);
    genvar i;
    wire [LANES-1:0] keep, whole;
    generate for (i = 0; i < LANES; i = i + 1) begin
        assign keep[i] = !last || count > i;
        assign whole[i] = keep[i] && !(last && lacks && count == i + 1);
    end endgenerate
    reg own = 0, some = 0;
    wire own_now = own || !some && whole[0] && units[BITS-1:0] == SWAPPED;
    wire little = begun ? was_little : own_now;
    always @(posedge clk) if (go) begin
        {inside, begun_kept, little_kept} <= {!last, begun, was_little};
        {own, some} <= last ? 2'b00 : {own_now, 1'b1};
    end

    wire [BITS*LANES-1:0] turned;
    dut core (
        .clk(clk), .rst(1'b0), .go(go), .go_last(go && last), .whole(whole), .units(units),
        .order({was_little, begun}), .turned(turned));

    wire [BITS*LANES-1:0] units_then;
    wire [LANES-1:0] due;
    wire little_then;
    delay #(.WIDTH(1 + LANES + BITS*LANES), .CYCLES(DELAY)) late (
        .clk(clk), .in({little, keep & {LANES{go}}, units}), .out({little_then, due, units_then}));
    wire [LANES-1:0] bad;
    generate for (i = 0; i < LANES; i = i + 1)
        assign bad[i] = due[i] && turned[BITS*i +: BITS]
            != (little_then ? swap(units_then[BITS*i +: BITS]) : units_then[BITS*i +: BITS]);
    endgenerate
    assign bad_order = bad != 0;
endmodule
