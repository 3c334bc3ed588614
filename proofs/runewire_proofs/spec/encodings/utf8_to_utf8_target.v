// UTF-8 to well-formed UTF-8, in place: each byte of the sequence of a scalar is in its own lane, up to three before the one
// where the scalar ends (RFC 3629, section 3). A byte of choice, or nothing, stands for an ill-formed subpart, in the lane
// where that ends. The bytes are those of scalars that were read. Nothing here comes from the cores or from the golden model.
module target #(
    parameter LANES = 1,
    parameter AHEAD = 3,                        // units after the beat that are known
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter REPLACEMENT = 63,
    parameter WIDTH = 8                         // bits of a unit
) (
    input  wire                clk,
    input  wire                go,
    input  wire                last,
    input  wire [8*LANES-1:0]  units,
    input  wire [LANES-1:0]    keep,
    input  wire [8*AHEAD-1:0]  after,           // the packet's next units, and which of them there are
    input  wire [AHEAD-1:0]    follows,
    output reg  [LANES-1:0]    there,
    output reg  [8*LANES-1:0]  made
);
    localparam ALL = LANES + AHEAD;
    reg  [25:0] state = 0;
    wire [25:0] state_after, unused;
    wire [LANES-1:0] ends;
    wire [ALL-1:0] whole;
    wire [21*ALL-1:0] scalars;
    utf8_grammar #(.LANES(LANES), .STRIP(STRIP), .DROP(0)) here (
        .bytes(units), .keep(keep), .next(after[7:0]), .follows(follows[0]),
        .state(state), .state_after(state_after), .present(ends), .scalars(), .ill());
    // With nothing known of what comes after it, a sequence is whole, or it is not.
    utf8_grammar #(.LANES(ALL), .STRIP(STRIP), .DROP(1)) further (
        .bytes({after, units}), .keep({follows, keep}), .next(8'd0), .follows(1'b0),
        .state(state), .state_after(unused), .present(whole), .scalars(scalars), .ill());
    always @(posedge clk) if (go) state <= last ? 26'd0 : state_after;

    function [2:0] size(input [20:0] c);
        size = c <= 21'h7F ? 3'd1 : c <= 21'h7FF ? 3'd2 : c <= 21'hFFFF ? 3'd3 : 3'd4;
    endfunction

    // The byte of the sequence of `c` that comes `back` before its last.
    function [7:0] octet(input [20:0] c, input [1:0] back);
        octet = back == 0 ? (size(c) == 1 ? {1'b0, c[6:0]}       : {2'b10, c[5:0]})
              : back == 1 ? (size(c) == 2 ? {3'b110, c[10:6]}    : {2'b10, c[11:6]})
              : back == 2 ? (size(c) == 3 ? {4'b1110, c[15:12]}  : {2'b10, c[17:12]})
              :                             {5'b11110, c[20:18]};
    endfunction

    integer i, k;
    always @* for (i = 0; i < LANES; i = i + 1) begin
        there[i] = ends[i] && !DROP;
        made[8*i +: 8] = REPLACEMENT;
        for (k = 0; k <= AHEAD; k = k + 1)
            if (whole[i + k] && size(scalars[21*(i + k) +: 21]) > k) begin
                there[i] = 1;
                made[8*i +: 8] = octet(scalars[21*(i + k) +: 21], k);
            end
    end
endmodule
