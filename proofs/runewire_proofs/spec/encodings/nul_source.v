// An encoding without U+0000, over the source of the encoding that has it: the character U+0000 is an ill-formed subpart, of
// a kind of its own. Nothing here comes from the cores or from the golden model.
module source #(
    parameter LANES = 1,
    parameter UNIT = `UNIT_BYTES,
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
) (
    input  wire                clk,
    input  wire                go,
    input  wire                last,
    input  wire [8*UNIT*LANES-1:0] units,
    input  wire [UNIT*LANES-1:0] keep,
    input  wire [8*UNIT-1:0]   next,
    input  wire [UNIT-1:0]     follows,
    output reg  [LANES-1:0]    present,
    output reg  [21*LANES-1:0] scalars,
    output wire                found,
    output wire [2:0]          kind,
    output wire [OFFSET-1:0]   offset,
    output reg  [LANES-1:0]    sound,           // a scalar ends, and all up to it is well-formed
    output wire [OFFSET*LANES-1:0] starts,      // where its sequence begins
    output wire [21:0]         ahead,           // {there is one, the whole scalar that ends with the next unit}
    output wire                bad_agreement,
    output wire                bad_lemma
);
    localparam [2:0] NUL = 7;
    wire [LANES-1:0] present_there, sound_there;
    wire [21*LANES-1:0] scalars_there;
    wire found_there;
    wire [2:0] kind_there;
    wire [OFFSET-1:0] offset_there;
    plain_source #(.LANES(LANES), .STRIP(STRIP), .DROP(DROP), .OFFSET(OFFSET)) plain (
        .clk(clk), .go(go), .last(last), .units(units), .keep(keep), .next(next), .follows(follows),
        .present(present_there), .scalars(scalars_there), .found(found_there), .kind(kind_there), .offset(offset_there),
        .sound(sound_there), .starts(starts), .ahead(ahead), .bad_agreement(bad_agreement), .bad_lemma(bad_lemma));

    // The first U+0000, as long as the encoding itself has shown no error: then it is the packet's first.
    reg              nul = 0, nul_after;
    reg [OFFSET-1:0] at = 0, at_after;
    reg              zero;
    integer i;
    always @* begin
        {nul_after, at_after} = {nul, at};
        for (i = 0; i < LANES; i = i + 1) begin
            zero = present_there[i] && scalars_there[21*i +: 21] == 0;
            if (zero && sound_there[i] && !nul_after) {nul_after, at_after} = {1'b1, starts[OFFSET*i +: OFFSET]};
            present[i] = present_there[i] && !(DROP && zero);
            scalars[21*i +: 21] = zero ? 21'hFFFD : scalars_there[21*i +: 21];
            sound[i] = sound_there[i] && !nul_after;
        end
    end
    always @(posedge clk) if (go) {nul, at} <= last ? 0 : {nul_after, at_after};
    assign found = found_there || nul_after;
    assign kind = nul_after ? NUL : kind_there;
    assign offset = nul_after ? at_after : offset_there;
endmodule
