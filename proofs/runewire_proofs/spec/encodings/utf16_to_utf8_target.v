// Scalars of UTF-16 to UTF-8 (RFC 3629, section 3), four slots in each unit's lane, of which the last are used: the sequence
// of a scalar is in the lane where it ends, but for the first two bytes of four, which are in the lane before. Nothing here
// comes from the cores or from the golden model.
module target #(
    parameter LANES = 1,
    parameter SLOTS = 4,
    parameter DROP = 0,
    parameter WIDTH = 8                       // bits of a unit
) (
    input  wire [LANES-1:0]    present,
    input  wire [21*LANES-1:0] scalars,
    input  wire [21:0]         ahead,           // {there is one, the scalar of a pair that ends in the lane after the beat}
    output wire [LANES-1:0]    unfit,           // scalars that the encoding lacks
    output reg  [SLOTS*LANES-1:0]   there,
    output reg  [8*SLOTS*LANES-1:0] units
);
    assign unfit = 0;
    wire [LANES:0] ends = {ahead[21], present};
    wire [21*(LANES+1)-1:0] all = {ahead[20:0], scalars};
    reg [20:0] c, later;
    integer i;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        c = all[21*i +: 21];
        later = all[21*(i + 1) +: 21];
        there[4*i +: 4] = 0;
        units[32*i +: 32] = 0;
        if (ends[i + 1] && later > 21'hFFFF) begin
            there[4*i +: 4] = 4'b1100;
            units[32*i +: 32] = {2'b10, later[17:12], 5'b11110, later[20:18], 16'd0};
        end else if (present[i]) begin
            if (c <= 21'h7F)        begin there[4*i +: 4] = 4'b1000; units[32*i +: 32] = {1'b0, c[6:0], 24'd0}; end
            else if (c <= 21'h7FF)  begin there[4*i +: 4] = 4'b1100;
                units[32*i +: 32] = {2'b10, c[5:0], 3'b110, c[10:6], 16'd0}; end
            else if (c <= 21'hFFFF) begin there[4*i +: 4] = 4'b1110;
                units[32*i +: 32] = {2'b10, c[5:0], 2'b10, c[11:6], 4'b1110, c[15:12], 8'd0}; end
            else                    begin there[4*i +: 4] = 4'b1100;
                units[32*i +: 32] = {2'b10, c[5:0], 2'b10, c[11:6], 16'd0}; end
        end
    end
endmodule
