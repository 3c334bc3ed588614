// A queue of one row: rows are passed on in order, none lost and none twice, each at once if the output takes it.
module output_skid #(
    parameter READERS = 1,                      // read controllers of the buffer before it
    parameter ROW = 1
) (
    input  wire           clk,
    input  wire           valid,
    input  wire [ROW-1:0] row,
    input  wire           ready,
    output wire           bad_ready,            // a controller continues while a row waits, or waits while none does
    output wire           bad_valid,
    output wire           bad_row
);
    wire [READERS-1:0] free;
    wire offer;
    wire [ROW-1:0] beat;
    dut core (.clk(clk), .rst(1'b0), .valid(valid), .row(row), .ready(ready), .free(free), .offer(offer), .beat(beat));

    // What left the buffer and was not output.
    reg [1:0] waits = 0;
    reg [ROW-1:0] held = 0;
    wire taken = valid && free[0], leaves = offer && ready;
    always @(posedge clk) begin
        waits <= waits + taken - leaves;
        if (taken) held <= row;
    end
    assign bad_ready = free != {READERS{waits == 0}};
    assign bad_valid = offer != (taken || waits != 0);
    assign bad_row = offer && beat != (waits != 0 ? held : row);
endmodule
