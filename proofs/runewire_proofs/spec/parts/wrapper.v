// The delivered ports around a core that is any: AXI4-Stream (Arm IHI 0051), and which of its wires is which of the core's
// own streams. `dut` has the bus, and in place of the core all that goes in there, `in_`, and comes out, `out_`. Nothing
// here comes from the cores or from the golden model.
//
// On the bus the byte that comes first is lowest, and each byte has a bit that keeps it. In the core a unit is a number.
// What a core does not have has no width: it is one bit here, and zero.
module wrapper #(
    parameter LANES = 1,                        // units of an input beat,
    parameter UNIT = 1,                         // of so many bytes,
    parameter IN_BIG = 0,                       // the most significant one first
    parameter ITEMS = 1,                        // items of an output beat,
    parameter WIDTH = 8,                        // of so many bits,
    parameter ITEM = 1,                         // and so many bytes on the bus,
    parameter OUT_BIG = 0,                      // the most significant one first
    parameter USER = 0,                         // bits of what is passed along
    parameter ID = 0,
    parameter DEST = 0,
    parameter TOLD = 0,                         // bits of a report:
    parameter BESIDE = 0,                       // it is beside a packet's last beat,
    parameter APART = 0,                        // it has a stream of its own
    parameter MARKS = 0,                        // bits for each byte of the output
    parameter SIZE = ITEMS*ITEM,
    parameter LAST = (BESIDE ? TOLD : 0) + USER,
    parameter TUSER = LAST + MARKS*SIZE,
    parameter REPORT = APART ? (TOLD + 7)/8*8 : 0
) (
    input  wire                              aclk,
    input  wire                              aresetn,
    input  wire [8*UNIT*LANES-1:0]           s_axis_tdata,
    input  wire [UNIT*LANES-1:0]             s_axis_tkeep,
    input  wire                              s_axis_tvalid,
    input  wire                              s_axis_tlast,
    input  wire [USER-(USER > 0):0]          s_axis_tuser,
    input  wire [ID-(ID > 0):0]              s_axis_tid,
    input  wire [DEST-(DEST > 0):0]          s_axis_tdest,
    input  wire                              m_axis_tready,
    input  wire                              m_report_tready,
    input  wire                              out_ready,
    input  wire                              out_valid,
    input  wire                              out_last,
    input  wire [ITEMS-1:0]                  out_keep,      // a bit an item
    input  wire [WIDTH*ITEMS-1:0]            out_data,
    input  wire [TOLD-(TOLD > 0):0]          out_told,      // error, kind, offset, counters from bit 0 on, those that it has
    input  wire [USER-(USER > 0):0]          out_user,
    input  wire [ID-(ID > 0):0]              out_id,
    input  wire [DEST-(DEST > 0):0]          out_dest,
    input  wire [(MARKS ? MARKS*SIZE : 1)-1:0] out_marks,   // those of the byte that comes first lowest
    input  wire                              out_reports,   // valid of the report's own stream
    input  wire [TOLD-(TOLD > 0):0]          out_report,    // as `out_told`
    output wire                              bad_ports,     // one is missing, or of another width
    output wire                              bad_clock,
    output wire                              bad_reset,
    output wire                              bad_valid,
    output wire                              bad_ready,
    output wire                              bad_last,
    output wire                              bad_keep,
    output wire                              bad_data,
    output wire                              bad_user,
    output wire                              bad_tags,
    output wire                              bad_report     // of a stream of its own
);
    wire core_clk, core_rst, core_valid, core_last, core_pulls, core_takes;
    wire [UNIT*LANES-1:0]   core_keep;
    wire [8*UNIT*LANES-1:0] core_data;
    wire [USER-(USER > 0):0] core_user;
    wire [ID-(ID > 0):0]     core_id, m_axis_tid;
    wire [DEST-(DEST > 0):0] core_dest, m_axis_tdest;
    wire [8*SIZE-1:0] m_axis_tdata;
    wire [SIZE-1:0]   m_axis_tkeep;
    wire [TUSER-(TUSER > 0):0]   m_axis_tuser;
    wire [REPORT-(REPORT > 0):0] m_report_tdata;
    wire s_axis_tready, m_axis_tvalid, m_axis_tlast, m_report_tvalid;
    wire [16*22-1:0] widths;
    dut ports (
        .aclk(aclk), .aresetn(aresetn), .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser), .s_axis_tid(s_axis_tid), .s_axis_tdest(s_axis_tdest),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser), .m_axis_tid(m_axis_tid),
        .m_axis_tdest(m_axis_tdest), .m_report_tdata(m_report_tdata), .m_report_tvalid(m_report_tvalid),
        .m_report_tready(m_report_tready), .widths(widths),
        .in_clk(core_clk), .in_rst(core_rst), .in_valid(core_valid), .in_last(core_last), .in_keep(core_keep),
        .in_data(core_data), .in_user(core_user), .in_id(core_id), .in_dest(core_dest), .in_ready(core_pulls),
        .in_takes(core_takes), .out_ready(out_ready), .out_valid(out_valid), .out_last(out_last), .out_keep(out_keep),
        .out_data(out_data), .out_told(out_told), .out_user(out_user), .out_id(out_id), .out_dest(out_dest),
        .out_marks(out_marks), .out_reports(out_reports), .out_report(out_report));

    // Widths of the bus, 0 for a port that is not there, and the number of all others.
    wire [15:0] one = 1, tdata = 8*UNIT*LANES, tkeep = UNIT*LANES, user = USER, id = ID, dest = DEST,
        data_out = 8*SIZE, keep_out = SIZE, user_out = TUSER, report = REPORT, reports = APART != 0;
    assign bad_ports = widths != {16'd0, reports, reports, report, dest, id, user_out, one, one, one, keep_out, data_out,
                                  dest, id, user, one, one, one, tkeep, tdata, one, one};

    assign bad_clock = core_clk != aclk;
    assign bad_reset = core_rst == aresetn;
    assign bad_valid = core_valid != s_axis_tvalid || m_axis_tvalid != out_valid
        || m_report_tvalid != (APART && out_reports);
    assign bad_ready = s_axis_tready != out_ready || core_pulls != m_axis_tready
        || core_takes != (APART && m_report_tready);
    assign bad_last = core_last != s_axis_tlast || m_axis_tlast != out_last;

    // Byte k of a beat is in unit k / UNIT, and there worth 256 to the power of its place.
    wire [8*UNIT*LANES-1:0] data;
    wire [8*SIZE-1:0] bytes;
    wire [SIZE-1:0] kept;
    genvar k;
    generate
        for (k = 0; k < UNIT*LANES; k = k + 1) begin : taken
            localparam PLACE = IN_BIG ? UNIT - 1 - k % UNIT : k % UNIT;
            assign data[8*(k / UNIT * UNIT + PLACE) +: 8] = s_axis_tdata[8*k +: 8];
        end
        for (k = 0; k < SIZE; k = k + 1) begin : given
            localparam PLACE = OUT_BIG ? ITEM - 1 - k % ITEM : k % ITEM;
            wire [31:0] item = out_data[WIDTH*(k / ITEM) +: WIDTH];
            assign bytes[8*k +: 8] = item[8*PLACE +: 8];
            assign kept[k] = out_keep[k / ITEM];
        end
    endgenerate
    assign bad_data = core_data != data || m_axis_tdata != bytes;
    assign bad_keep = core_keep != s_axis_tkeep || m_axis_tkeep != kept;

    // From bit 0 on: the report, the user bits that came in, the marks of each byte.
    wire [TUSER:0] told = BESIDE && TOLD ? out_told : 0, passed = USER ? out_user : 0, marks = MARKS ? out_marks : 0;
    assign bad_user = core_user != (USER ? s_axis_tuser : 0)
        || m_axis_tuser != (told | passed << LAST - USER | marks << LAST);
    assign bad_tags = core_id != (ID ? s_axis_tid : 0) || core_dest != (DEST ? s_axis_tdest : 0)
        || m_axis_tid != (ID ? out_id : 0) || m_axis_tdest != (DEST ? out_dest : 0);
    assign bad_report = m_report_tdata != (APART ? out_report : 0);
endmodule
