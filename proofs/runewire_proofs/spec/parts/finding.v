// The rows that each beat ends against its bytes: any beats of any packets at any time. Nothing here comes from the
// cores. A beat waits until the next one comes, if it is not its packet's last; and it is the last one if the next one
// has no byte.
module finding #(
    parameter LANES = 1,
    parameter BITS = 0,                         // of a lane's number
    parameter ROWS = 2,                         // bits of a number of rows
    parameter KEEPS = 1,
    parameter EMPTY = 1,
    parameter [7:0] DELIMITER = 8'h0A,
    parameter DELAY = 1
) (
    input  wire               clk,
    input  wire               valid,
    input  wire [8*LANES-1:0] bytes,
    input  wire [$clog2(LANES+1)-1:0] count,    // kept bytes of a last beat; every other beat has all
    input  wire               last,
    output wire               bad_valid,
    output wire               bad_bytes,
    output wire               bad_last,
    output wire               bad_marks,
    output wire               bad_rows,
    output wire               bad_full,
    output wire               bad_begin,
    output wire               bad_end
);
    localparam P = $clog2(2*LANES + 1) + 2, B = BITS == 0 ? 1 : BITS;
    genvar g;
    wire [P-1:0] number = !last || count > LANES ? LANES : count;
    wire [LANES-1:0] keep;
    generate for (g = 0; g < LANES; g = g + 1) assign keep[g] = g < number; endgenerate

    // The beat that waits.
    reg waits = 0, held_last = 0;
    reg [8*LANES-1:0] held = 0;
    reg [P-1:0] held_number = 0;
    wire leaves = waits && (held_last || valid), is_last = held_last || (last && number == 0);
    always @(posedge clk) begin
        waits <= valid || (waits && !held_last);
        if (valid) {held, held_number, held_last} <= {bytes, number, last};
    end

    wire [(2+BITS)*LANES-1:0] marks, o_marks;
    wire [ROWS-1:0] rows, o_rows;
    wire [B-1:0] start, end_of, o_start, o_end;
    wire full, begun, tells, o_full, o_begun, o_tells, o_one, o_two, o_some, o_valid, o_last;
    wire [8*LANES-1:0] o_data;
    beat_fields #(.LANES(LANES), .BITS(BITS), .ROWS(ROWS), .KEEPS(KEEPS), .EMPTY(EMPTY), .DELIMITER(DELIMITER)) of_beat (
        .clk(clk), .comes(leaves), .bytes(held), .number(held_number), .last(is_last), .marks(marks), .rows(rows),
        .full(full), .begun(begun), .start(start), .end_of(end_of), .tells(tells));
    generate if (BITS != 0) begin : wide
        dut core (
            .clk(clk), .rst(1'b0), .i_valid(valid), .i_data(bytes), .i_keep(keep), .i_last(last), .o_valid(o_valid),
            .o_data(o_data), .o_last(o_last), .o_marks(o_marks), .o_rows(o_rows), .o_one(o_one), .o_two(o_two), .o_some(o_some),
            .o_full(o_full), .o_begun(o_begun), .o_start(o_start), .o_end(o_end), .o_tells(o_tells));
    end else begin : one_lane
        dut core (
            .clk(clk), .rst(1'b0), .i_valid(valid), .i_data(bytes), .i_keep(keep), .i_last(last), .o_valid(o_valid),
            .o_data(o_data), .o_last(o_last), .o_marks(o_marks), .o_rows(o_rows), .o_one(o_one), .o_two(o_two), .o_some(o_some),
            .o_full(o_full), .o_begun(o_begun), .o_tells(o_tells));
        assign {o_start, o_end} = 0;
    end endgenerate

    localparam ALL = 8*LANES + (2+BITS)*LANES + ROWS + 2*B + P + 5;
    wire due, due_last, due_full, due_begun, due_tells;
    wire [8*LANES-1:0] due_bytes, mask;
    wire [P-1:0] due_number;
    wire [(2+BITS)*LANES-1:0] due_marks;
    wire [ROWS-1:0] due_rows;
    wire [B-1:0] due_start, due_end;
    delay #(.WIDTH(ALL), .CYCLES(DELAY)) late (
        .clk(clk), .in({leaves, held_number, is_last, full, begun, tells, held, marks, rows, start, end_of}),
        .out({due, due_number, due_last, due_full, due_begun, due_tells, due_bytes, due_marks, due_rows, due_start, due_end}));
    assign bad_valid = o_valid != due;
    generate for (g = 0; g < LANES; g = g + 1) begin : lane
        assign mask[8*g +: 8] = {8{g < due_number}};
    end endgenerate
    assign bad_bytes = due && ((o_data ^ due_bytes) & mask) != 0;
    assign bad_last = due && o_last != due_last;
    assign bad_marks = due && o_marks != due_marks;
    assign bad_rows = due && (o_rows != due_rows || o_one != (due_rows < 2) || o_two != (due_rows == 2) || o_some != (due_rows != 0));
    assign bad_full = due && (o_full != due_full || o_begun != due_begun);
    assign bad_begin = due && BITS != 0 && o_start != due_start;
    assign bad_end = due && (due_number != 0 && BITS != 0 && o_end != due_end || o_tells != due_tells);
endmodule
