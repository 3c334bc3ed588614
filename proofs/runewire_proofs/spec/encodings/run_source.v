// One replacement for a run of adjoining ill-formed subparts, over a source that has one for each: that of the first stays.
// Nothing here comes from the cores or from the golden model.
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
    output wire [21*LANES-1:0] scalars,
    output wire                found,
    output wire [2:0]          kind,
    output wire [OFFSET-1:0]   offset,
    output wire [LANES-1:0]    sound,           // a scalar ends, and all up to it is well-formed
    output wire [OFFSET*LANES-1:0] starts,      // where its sequence begins
    output wire [21:0]         ahead,           // {there is one, the whole scalar that ends with the next unit}
    output wire                bad_agreement,
    output wire                bad_lemma
);
    wire [LANES-1:0] every, whole;
    plain_source #(.LANES(LANES), .STRIP(STRIP), .DROP(0), .OFFSET(OFFSET)) each_part (
        .clk(clk), .go(go), .last(last), .units(units), .keep(keep), .next(next), .follows(follows),
        .present(every), .scalars(scalars), .found(found), .kind(kind), .offset(offset),
        .sound(sound), .starts(starts), .ahead(ahead), .bad_agreement(bad_agreement), .bad_lemma(bad_lemma));
    plain_source #(.LANES(LANES), .STRIP(STRIP), .DROP(1), .OFFSET(OFFSET)) characters (
        .clk(clk), .go(go), .last(last), .units(units), .keep(keep), .next(next), .follows(follows), .present(whole));

    // Whether the last one that ended was no character.
    reg run = 0, run_after;
    integer i;
    always @* begin
        run_after = run;
        for (i = 0; i < LANES; i = i + 1) begin
            present[i] = every[i] && (whole[i] || !run_after);
            if (every[i]) run_after = !whole[i];
        end
    end
    always @(posedge clk) if (go) run <= !last && run_after;
endmodule
