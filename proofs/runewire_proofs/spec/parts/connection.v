// A packer before a core: which wire leads where, and nothing in between. `dut` is the wires alone. Nothing here comes from
// the cores or from the golden model.
//
// Packer and bus have bytes in the order in which they come, byte 0 lowest. In the core a unit is a number.
module connection #(
    parameter LANES = 1,                        // units of a beat,
    parameter UNIT = 1,                         // of so many bytes,
    parameter BIG = 0,                          // the most significant one first
    parameter USER = 0,                         // bits of what is passed along: none is one bit here, and zero
    parameter ID = 0,
    parameter DEST = 0,
    parameter N = LANES*UNIT,
    parameter U = USER ? USER : 1,
    parameter I = ID ? ID : 1,
    parameter D = DEST ? DEST : 1
) (
    input  wire           i_valid,              // the input
    input  wire           i_last,
    input  wire [N-1:0]   i_keep,
    input  wire [8*N-1:0] i_data,
    input  wire [U-1:0]   i_user,
    input  wire [I-1:0]   i_id,
    input  wire [D-1:0]   i_dest,
    input  wire           into_ready,           // the packer takes a beat
    input  wire           out_valid,            // the packer's output
    input  wire           out_last,
    input  wire [N-1:0]   out_keep,
    input  wire [8*N-1:0] out_data,
    input  wire [U-1:0]   out_user,
    input  wire [I-1:0]   out_id,
    input  wire [D-1:0]   out_dest,
    input  wire           packed_ready,         // the core takes a beat
    output wire           bad_handshake,
    output wire           bad_beat,
    output wire           bad_data,
    output wire           bad_sidebands
);
    wire into_valid, into_last, packed_valid, packed_last, i_ready, out_ready;
    wire [N-1:0]   into_keep, packed_keep;
    wire [8*N-1:0] into_data, packed_data;
    wire [U-1:0]   into_user, packed_user;
    wire [I-1:0]   into_id, packed_id;
    wire [D-1:0]   into_dest, packed_dest;
    dut wires (
        .i_valid(i_valid), .i_ready(i_ready), .i_last(i_last), .i_keep(i_keep), .i_data(i_data), .i_user(i_user),
        .i_id(i_id), .i_dest(i_dest), .into_valid(into_valid), .into_ready(into_ready), .into_last(into_last),
        .into_keep(into_keep), .into_data(into_data), .into_user(into_user), .into_id(into_id), .into_dest(into_dest),
        .out_valid(out_valid), .out_ready(out_ready), .out_last(out_last), .out_keep(out_keep), .out_data(out_data),
        .out_user(out_user), .out_id(out_id), .out_dest(out_dest), .packed_valid(packed_valid),
        .packed_ready(packed_ready), .packed_last(packed_last), .packed_keep(packed_keep), .packed_data(packed_data),
        .packed_user(packed_user), .packed_id(packed_id), .packed_dest(packed_dest));

    assign bad_handshake = into_valid != i_valid || packed_valid != out_valid
        || i_ready != into_ready || out_ready != packed_ready;
    assign bad_beat = into_last != i_last || packed_last != out_last || into_keep != i_keep || packed_keep != out_keep;

    // Byte k of a beat is in unit k / UNIT, and there worth 256 to the power of its place.
    wire [8*N-1:0] bytes, numbers;
    genvar k;
    generate for (k = 0; k < N; k = k + 1) begin : octet
        localparam PLACE = k / UNIT * UNIT + (BIG ? UNIT - 1 - k % UNIT : k % UNIT);
        assign bytes[8*k +: 8] = i_data[8*PLACE +: 8];
        assign numbers[8*PLACE +: 8] = out_data[8*k +: 8];
    end endgenerate
    assign bad_data = into_data != bytes || packed_data != numbers;
    assign bad_sidebands = into_user != (USER ? i_user : 0) || packed_user != (USER ? out_user : 0)
        || into_id != (ID ? i_id : 0) || packed_id != (ID ? out_id : 0)
        || into_dest != (DEST ? i_dest : 0) || packed_dest != (DEST ? out_dest : 0);
endmodule
