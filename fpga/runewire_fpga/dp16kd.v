// Model of the ECP5's block RAM: 18 kbit, two ports, each with an optional output register.
//
// A port behaves at an edge of its clock as Yosys' techlibs/lattice/brams_16kd.txt describes, and uses the pins of
// brams_map_16kd.v at each width. Neither file describes output registers: with REGMODE "OUTREG" one takes the data that was
// read, at each edge with OCE. Undocumented values are random ($urandom): data that a port reads while the other writes it,
// data that both ports write, and an output register while its port is disabled. An unlisted parameter stops the build.
//
// Ports of 36 bits have one direction: A writes {DIB, DIA}, B reads {DOB, DOA}, each half with its own side's register.

module DP16KD (
    input CLKA, CEA, OCEA, WEA, RSTA, CSA2, CSA1, CSA0,
    input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
    input DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
    output DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input CLKB, CEB, OCEB, WEB, RSTB, CSB2, CSB1, CSB0,
    input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
    input DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
    output DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG";
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
    parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB";
    parameter [39:0] CSDECODE_A = "0b000", CSDECODE_B = "0b000";
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC";
    parameter GSR = "DISABLED";
    parameter [319:0]
        INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0, INITVAL_05 = 0, INITVAL_06 = 0,
        INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0, INITVAL_0A = 0, INITVAL_0B = 0, INITVAL_0C = 0, INITVAL_0D = 0,
        INITVAL_0E = 0, INITVAL_0F = 0, INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0, INITVAL_14 = 0,
        INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0, INITVAL_18 = 0, INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0,
        INITVAL_1C = 0, INITVAL_1D = 0, INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0,
        INITVAL_23 = 0, INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0, INITVAL_28 = 0, INITVAL_29 = 0,
        INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0, INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0, INITVAL_30 = 0,
        INITVAL_31 = 0, INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0, INITVAL_37 = 0,
        INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0, INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0,
        INITVAL_3F = 0;

    // Position of a port's data in its row of 36 bits. Ports narrower than 9 bits leave out the ninth bit of each byte.
    function automatic [5:0] place(input integer width, input [4:0] low);
        case (width)
            36: place = 0;
            18: place = low[4] ? 18 : 0;
            9: place = 9 * low[4:3];
            4: place = 9 * low[4:3] + 4 * low[2];
            2: place = 9 * low[4:3] + 2 * low[2:1];
            default: place = 9 * low[4:3] + low[2:0];
        endcase
    endfunction

    // Bits from that position on that a write changes. Free low bits of the address are byte enables.
    function automatic [35:0] enabled(input integer width, input [3:0] low);
        case (width)
            36: enabled = {{9{low[3]}}, {9{low[2]}}, {9{low[1]}}, {9{low[0]}}};
            18: enabled = {{9{low[1]}}, {9{low[0]}}};
            default: enabled = ones(width);
        endcase
    endfunction

    function automatic [35:0] ones(input integer width);
        ones = 36'hFFFFFFFFF >> (36 - width);
    endfunction

    reg [35:0] rows [0:511];
`ifndef ANY_START
    localparam [20479:0] CONTENTS = {
        INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
        INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
        INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
        INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
        INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
        INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
        INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
        INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
    integer row;
    initial for (row = 0; row < 512; row = row + 1)
        rows[row] = {CONTENTS[40 * row + 20 +: 18], CONTENTS[40 * row +: 18]};
`endif

    wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    wire [17:0] dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
                       DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
    wire [17:0] dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
                       DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
    wire clka = CLKAMUX == "INV" ? ~CLKA : CLKA;
    wire clkb = CLKBMUX == "INV" ? ~CLKB : CLKB;
    wire reset_at_edges = RESETMODE == "SYNC";

    // A reset at an edge blocks a write.
    wire on_a = CEA && {CSA2, CSA1, CSA0} == {CSDECODE_A[16], CSDECODE_A[8], CSDECODE_A[0]};
    wire on_b = CEB && {CSB2, CSB1, CSB0} == {CSDECODE_B[16], CSDECODE_B[8], CSDECODE_B[0]};
    wire write_a = on_a && WEA && !(reset_at_edges && RSTA);
    wire write_b = on_b && WEB && !(reset_at_edges && RSTB);

    wire [5:0] place_a = place(DATA_WIDTH_A, ada[4:0]);
    wire [5:0] place_b = place(DATA_WIDTH_B, adb[4:0]);
    wire [35:0] bits_a = write_a ? enabled(DATA_WIDTH_A, ada[3:0]) << place_a : 0;
    wire [35:0] bits_b = write_b ? enabled(DATA_WIDTH_B, adb[3:0]) << place_b : 0;
    wire [35:0] data_a = {DATA_WIDTH_A == 36 ? dib : 18'b0, dia} << place_a;
    wire [35:0] data_b = {18'b0, dib} << place_b;
    wire [35:0] row_a = rows[ada[13:5]];
    wire [35:0] row_b = rows[adb[13:5]];
    // Bits of the row that the other port writes at the same edge.
    wire same = ada[13:5] == adb[13:5];
    wire [35:0] lost_a = same ? bits_b : 0;
    wire [35:0] lost_b = same ? bits_a : 0;

    reg [35:0] anything_a, anything_b;
    always @(posedge clka) anything_a <= {$urandom, $urandom};
    always @(posedge clkb) anything_b <= {$urandom, $urandom};

    integer bit_a, bit_b;
    always @(posedge clka)
        for (bit_a = 0; bit_a < 36; bit_a = bit_a + 1)
            if (bits_a[bit_a]) rows[ada[13:5]][bit_a] <= lost_a[bit_a] ? anything_a[bit_a] : data_a[bit_a];
    always @(posedge clkb)
        for (bit_b = 0; bit_b < 36; bit_b = bit_b + 1)
            if (bits_b[bit_b] && !lost_b[bit_b]) rows[adb[13:5]][bit_b] <= data_b[bit_b];

    // Data that a port reads: while it writes, the output stays, or shows the data from before or after the write.
    wire [35:0] seen_a = WEA && WRITEMODE_A == "WRITETHROUGH" ? row_a & ~bits_a | data_a & bits_a : row_a;
    wire [35:0] seen_b = WEB && WRITEMODE_B == "WRITETHROUGH" ? row_b & ~bits_b | data_b & bits_b : row_b;
    wire [35:0] read_a = (seen_a & ~lost_a | anything_a & lost_a) >> place_a & ones(DATA_WIDTH_A);
    wire [35:0] read_b = (seen_b & ~lost_b | anything_b & lost_b) >> place_b & ones(DATA_WIDTH_B);
    wire reads_a = on_a && !(WEA && WRITEMODE_A == "NORMAL");
    wire reads_b = on_b && !(WEB && WRITEMODE_B == "NORMAL");
    reg [35:0] shown_a, shown_b;
    reg [35:0] kept_a, kept_b;
`ifndef ANY_START
    initial {shown_a, shown_b, kept_a, kept_b} = 0;
`endif
    wire clear_a = RSTA && !reset_at_edges;
    wire clear_b = RSTB && !reset_at_edges;
    always @(posedge clka, posedge clear_a)
        if (clear_a || RSTA) begin
            shown_a <= 0;
            kept_a <= 0;
        end else begin
            if (reads_a) shown_a <= read_a;
            if (OCEA) kept_a <= on_a ? shown_a : anything_a;
        end
    wire [35:0] enables_b = DATA_WIDTH_B == 36 ? {{18{OCEB}}, {18{OCEA}}} : {36{OCEB}};
    always @(posedge clkb, posedge clear_b)
        if (clear_b || RSTB) begin
            shown_b <= 0;
            kept_b <= 0;
        end else begin
            if (reads_b) shown_b <= read_b;
            kept_b <= kept_b & ~enables_b | (on_b ? shown_b : anything_b) & enables_b;
        end

    wire [17:0] low = DATA_WIDTH_B == 36 ? (REGMODE_A == "OUTREG" ? kept_b[17:0] : shown_b[17:0])
                                         : (REGMODE_A == "OUTREG" ? kept_a[17:0] : shown_a[17:0]);
    wire [35:0] high = REGMODE_B == "OUTREG" ? kept_b : shown_b;
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
            DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = low;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
            DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = DATA_WIDTH_B == 36 ? high[35:18] : high[17:0];
endmodule
