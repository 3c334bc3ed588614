// What a core says of a packet beside its units, one unit or flag after another. Nothing here comes from the cores or from
// the golden model.

// The units of a beat as parts, scalars and ill-formed subparts, of which each ends at one of its units: where one does,
// and whether it is ill-formed. That is where `source` leaves a scalar or U+FFFD, and where it leaves nothing if it is to
// drop what is ill-formed.
module ill_formed #(
    parameter LANES = 1,
    parameter UNIT = 1
) (
    input  wire                    clk,
    input  wire                    go,
    input  wire                    last,
    input  wire [8*UNIT*LANES-1:0] units,
    input  wire [UNIT*LANES-1:0]   keep,
    input  wire [8*UNIT-1:0]       next,
    input  wire [UNIT-1:0]         follows,
    output wire [LANES-1:0]        ends,
    output wire [LANES-1:0]        ill
);
    wire [LANES-1:0] sound;
    source #(.LANES(LANES), .DROP(0), .STRIP(0)) every (
        .clk(clk), .go(go), .last(last), .units(units), .keep(keep), .next(next), .follows(follows), .present(ends));
    source #(.LANES(LANES), .DROP(1), .STRIP(0)) whole (
        .clk(clk), .go(go), .last(last), .units(units), .keep(keep), .next(next), .follows(follows), .present(sound));
    assign ill = ends & ~sound;
endmodule

// Records, one byte after another: each ends with the delimiter, or with the packet. A byte's two marks: it ends a record;
// an ill-formed subpart is in that. As no part goes on over a delimiter, it begins and ends in the same record.
module records #(
    parameter LANES = 1,
    parameter DELIMITER = 8'h0A
) (
    input  wire               clk,
    input  wire               go,
    input  wire               last,
    input  wire [8*LANES-1:0] bytes,
    input  wire [LANES-1:0]   keep,
    input  wire               follows,          // the packet has one more byte
    input  wire [LANES-1:0]   ends,
    input  wire [LANES-1:0]   ill,
    output reg  [2*LANES-1:0] marks,
    output reg                bad_agreement     // a part goes on over a delimiter
);
    wire [LANES:0] there = {follows, keep};
    reg bad = 0, bad_after, between = 1, between_after, at_end;
    reg [7:0] b;
    integer i;
    always @* begin
        {bad_after, between_after, bad_agreement} = {bad, between, 1'b0};
        for (i = 0; i < LANES; i = i + 1) begin
            b = bytes[8*i +: 8];
            at_end = keep[i] && (b == DELIMITER || !there[i + 1]);
            if (keep[i] && ill[i]) bad_after = 1;
            marks[2*i +: 2] = {at_end && bad_after, at_end};
            if (at_end) bad_after = 0;
            if (go && keep[i] && b == DELIMITER && !(between_after && ends[i])) bad_agreement = 1;
            if (keep[i]) between_after = ends[i];
        end
    end
    always @(posedge clk) if (go) {bad, between} <= last ? 2'b01 : {bad_after, between_after};
endmodule
