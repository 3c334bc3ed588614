// The rows of a splitter against its records, byte by byte: any beats of any packets, and rows that may be sent at any
// time. Nothing here comes from the cores.

// The first row that begins at `place`, counted from the present beat's first lane: negative in the beat before. Its
// record goes on until a delimiter, or its packet's end.
module next_row #(
    parameter LANES = 1,
    parameter KEEPS = 1,                        // rows have the delimiters
    parameter EMPTY = 1,                        // records without a byte but a delimiter are rows
    parameter P = 4                             // bits of a place
) (
    input  wire [8*LANES-1:0]   bytes,          // of this beat,
    input  wire [P-1:0]         number,         // which has so many,
    input  wire                 last,           // and ends its packet
    input  wire [7:0]           delimiter,
    input  wire signed [P-1:0]  place,
    input  wire                 begun,          // the record has had a row
    output reg                  exists,
    output reg signed [P-1:0]   first,          // of the row, after records that are dropped
    output reg signed [P-1:0]   length,
    output reg signed [P-1:0]   after,          // the place of the next row
    output reg                  goes_on         // and it belongs to the same record
);
    integer i;
    reg signed [P-1:0] size;
    reg done, some;
    // Byte after byte, until the row is complete.
    always @* begin
        exists = 0; goes_on = 0; done = 0;
        first = place; length = 0; after = place;
        some = begun;
        size = 0;
        for (i = -LANES; i < LANES; i = i + 1)
            if (!done && i >= place && $signed(i) < $signed(number)) begin
                if (KEEPS == 0 && size == LANES && bytes[8*(i < 0 ? 0 : i) +: 8] != delimiter) begin
                    // A further byte: the row was full, and its record goes on.
                    {exists, done, goes_on} = 3'b111;
                    length = size;
                    after = i;
                end else if (i >= 0 && bytes[8*(i < 0 ? 0 : i) +: 8] == delimiter) begin
                    if (EMPTY == 0 && size == 0 && !some) begin
                        first = i + 1;
                        after = i + 1;
                    end else begin
                        {exists, done} = 2'b11;
                        length = size + KEEPS;
                        after = i + 1;
                    end
                end else begin
                    size = size + 1;
                    if (KEEPS != 0 && size == LANES && !(last && i + 1 == $signed(number))) begin
                        {exists, done, goes_on} = 3'b111;
                        length = size;
                        after = i + 1;
                    end
                end
            end
        if (!done && last && size != 0) begin
            exists = 1;
            length = size;
            after = number;
        end
    end
endmodule

module splitting #(
    parameter LANES = 1,
    parameter BITS = 0,                         // of a lane's number
    parameter ROWS = 2,                         // bits of a number of rows
    parameter KEEPS = 1,
    parameter EMPTY = 1,
    parameter LONGEST = 0,                      // rows after which a record is cut, 0: never
    parameter [7:0] DELIMITER = 8'h0A,
    parameter DELAY = 1
) (
    input  wire               clk,
    input  wire               comes,            // a beat comes, when one may come
    input  wire [8*LANES-1:0] bytes,
    input  wire [$clog2(LANES+1)-1:0] count,    // kept bytes of a last beat; every other beat has all
    input  wire               last,
    input  wire               go,
    output wire               bad_turn,         // a turn has a row that the beat has not, or has none that it has
    output wire               bad_ends,         // the beat leaves too early or too late
    output wire               bad_valid,
    output wire               bad_last,
    output wire               bad_keep,
    output wire               bad_data,
    output wire               bad_cut
);
    localparam P = $clog2(2*LANES + 1) + 2, B = BITS == 0 ? 1 : BITS;
    genvar g;

    reg inside = 0;                             // a beat of the packet came: it does not end with an empty one
    wire [P-1:0] least = inside && count == 0 ? 1 : count, number = !last || least > LANES ? LANES : least;
    wire [(2+BITS)*LANES-1:0] marks;
    wire [ROWS-1:0] rows;
    wire [B-1:0] start, end_of;
    wire full, begun, tells;
    beat_fields #(.LANES(LANES), .BITS(BITS), .ROWS(ROWS), .KEEPS(KEEPS), .EMPTY(EMPTY), .DELIMITER(DELIMITER)) of_beat (
        .clk(clk), .comes(free && comes), .bytes(bytes), .number(number), .last(last), .marks(marks), .rows(rows),
        .full(full), .begun(begun), .start(start), .end_of(end_of), .tells(tells));

    // The beat that is shown.
    reg shown = 0, shown_last = 0, f_one = 0, f_two = 0, f_some = 0, f_full = 0, f_begun = 0, f_tells = 0;
    reg [8*LANES-1:0] now = 0, past = 0;
    reg [(2+BITS)*LANES-1:0] f_marks = 0;
    reg [ROWS-1:0] f_rows = 0;
    reg [B-1:0] f_start = 0, f_end = 0;
    reg [P-1:0] have = 0;
    wire ready, takes, has_row, ends, o_valid, o_last, o_cut;
    wire [LANES-1:0] o_keep;
    wire [8*LANES-1:0] o_data;
    wire free = !shown || ready;
    always @(posedge clk) if (free) begin
        shown <= comes;
        if (comes) begin
            {now, f_marks, f_rows, f_one, f_two, f_some} <= {bytes, marks, rows, rows < 2, rows == 2, rows != 0};
            {f_full, f_begun, f_start, f_end, f_tells} <= {full, begun, start, end_of, tells};
            {have, shown_last} <= {number, last};
            inside <= !last;
        end
    end
    generate if (BITS != 0) begin : wide
        dut core (
            .clk(clk), .rst(1'b0), .row_valid(shown), .data(now), .marks(f_marks), .rows(f_rows), .one(f_one), .two(f_two),
            .some(f_some), .full(f_full), .begun(f_begun), .start(f_start), .\end (f_end), .tells(f_tells),
            .coming_rows(rows), .coming_one(rows < 2), .coming_two(rows == 2), .go(go), .o_valid(o_valid), .o_last(o_last), .o_keep(o_keep),
            .o_data(o_data), .o_cut(o_cut), .takes(takes), .has_row(has_row), .ends(ends), .ready(ready));
    end else begin : one_lane
        dut core (
            .clk(clk), .rst(1'b0), .row_valid(shown), .data(now), .marks(f_marks), .rows(f_rows), .one(f_one), .two(f_two),
            .some(f_some), .full(f_full), .begun(f_begun), .tells(f_tells),
            .coming_rows(rows), .coming_one(rows < 2), .coming_two(rows == 2), .go(go), .o_valid(o_valid), .o_last(o_last), .o_keep(o_keep),
            .o_data(o_data), .o_cut(o_cut), .takes(takes), .has_row(has_row), .ends(ends), .ready(ready));
    end endgenerate

    // The next row, at `place`, and whether the beat has another one after it.
    reg signed [P-1:0] place = 0;
    reg of_record = 0;                          // rows of the record came before
    reg [$clog2(LONGEST+1):0] rows_of = 0;      // so many since it was cut
    wire exists, on_after, other;
    wire signed [P-1:0] first, length, after, at_end;
    next_row #(.LANES(LANES), .KEEPS(KEEPS), .EMPTY(EMPTY), .P(P)) next (
        .bytes(now), .number(have), .last(shown_last), .delimiter(DELIMITER), .place(place),
        .begun(of_record), .exists(exists), .first(first), .length(length), .after(after), .goes_on(on_after));
    wire signed [P-1:0] left_at;
    next_row #(.LANES(LANES), .KEEPS(KEEPS), .EMPTY(EMPTY), .P(P)) then (
        .bytes(now), .number(have), .last(shown_last), .delimiter(DELIMITER), .place(exists ? after : first),
        .begun(exists ? on_after : of_record), .exists(other), .first(left_at), .length(), .after(), .goes_on());
    wire cuts = LONGEST != 0 && on_after && rows_of == LONGEST - 1;
    always @(posedge clk) if (takes) begin
        place <= exists ? after : first;
        if (exists) of_record <= on_after;
        if (exists) rows_of <= !on_after || cuts ? 0 : rows_of + 1;
        if (ends) begin
            past <= now;
            place <= shown_last ? 0 : left_at - LANES;
            if (shown_last) of_record <= 0;
        end
    end
    assign bad_turn = takes && has_row != exists || takes != (shown && go);
    assign bad_ends = takes && ends == other;

    wire [P-1:0] from = first + LANES;
    wire [16*LANES-1:0] both = {now, past} >> {from, 3'b0};
    wire [8*LANES-1:0] want = both[8*LANES-1:0];
    wire due, due_last, due_cut;
    wire [P-1:0] due_length;
    wire [8*LANES-1:0] due_data;
    delay #(.WIDTH(3 + P + 8*LANES), .CYCLES(DELAY)) late (
        .clk(clk), .in({takes && exists, !on_after || cuts, cuts, length, want}),
        .out({due, due_last, due_cut, due_length, due_data}));
    wire [LANES-1:0] keep;
    wire [8*LANES-1:0] mask;
    generate for (g = 0; g < LANES; g = g + 1) begin : lane
        assign keep[g] = g < due_length;
        assign mask[8*g +: 8] = {8{keep[g]}};
    end endgenerate
    assign bad_valid = o_valid != due;
    assign bad_last = due && o_last != due_last;
    assign bad_keep = due && o_keep != keep;
    assign bad_data = due && ((o_data ^ due_data) & mask) != 0;
    assign bad_cut = due && LONGEST != 0 && o_cut != due_cut;
endmodule
