// A faulty two-lane validator with all sidebands, for text without errors. It breaks the rule which a
// packet's first byte names: --report flag --offset-bits 16 --report-port beside --count bytes --records 0A --user 3
// --id 2 --dest 2.
module faulty_beside (
    input             aclk, aresetn,
    input      [15:0] s_axis_tdata,
    input      [1:0]  s_axis_tkeep,
    input             s_axis_tvalid, s_axis_tlast,
    output            s_axis_tready,
    input      [2:0]  s_axis_tuser,
    input      [1:0]  s_axis_tid, s_axis_tdest,
    output reg [15:0] m_axis_tdata,
    output reg [1:0]  m_axis_tkeep,
    output reg        m_axis_tvalid, m_axis_tlast,
    input             m_axis_tready,
    output     [23:0] m_axis_tuser,
    output reg [1:0]  m_axis_tid, m_axis_tdest,
    output     [23:0] m_report_tdata,
    output reg        m_report_tvalid,
    input             m_report_tready
);
    reg [7:0] fault;
    reg open, waited, early;
    reg [3:0] marks;
    reg [2:0] user;
    reg [15:0] count, told;
    reg bad, flipped;
    wire [7:0] name = open ? fault : s_axis_tdata[7:0];
    wire take = s_axis_tvalid && s_axis_tready;
    wire [15:0] mask = {{8{s_axis_tkeep[1]}}, {8{s_axis_tkeep[0]}}};
    wire [1:0] ends = s_axis_tkeep & {
        s_axis_tdata[15:8] == 8'h0A || s_axis_tlast,
        s_axis_tdata[7:0] == 8'h0A || s_axis_tlast && !s_axis_tkeep[1]};
    wire leaves = m_axis_tvalid && m_axis_tready;

    // One packet at a time, until its report has gone.
    assign s_axis_tready = aresetn && !m_report_tvalid && !(m_axis_tvalid && m_axis_tlast)
        && (m_axis_tready || !m_axis_tvalid);
    assign m_axis_tuser = {marks, m_axis_tlast ? {user, count, user[0]} : 20'd0};
    assign m_report_tdata = {7'd0, told, bad ^ flipped};

    always @(posedge aclk)
        if (!aresetn) begin
            m_axis_tvalid <= 0;
            m_report_tvalid <= 0;
            open <= 0;
            waited <= 0;
            flipped <= 0;
        end else begin
            if (leaves) m_axis_tvalid <= 0;
            waited <= m_report_tvalid && !m_report_tready;
            if (m_report_tvalid && m_report_tready) m_report_tvalid <= 0;
            if (m_report_tvalid && !m_report_tready && !waited) begin
                if (fault == "W") m_report_tvalid <= 0;                   // withdraws a report
                if (fault == "X") flipped <= 1;                           // changes it
            end
            if (leaves && m_axis_tlast) begin
                told <= fault == "Q" ? count + 1 : count;                 // counts one too many, on the port
                bad <= user[0];
                flipped <= 0;
                m_report_tvalid <= fault != "N";                          // has none
            end
            if (take) begin
                open <= !s_axis_tlast;
                if (!open) fault <= s_axis_tdata[7:0];
                m_axis_tvalid <= 1;
                m_axis_tdata <= s_axis_tdata & mask;
                m_axis_tkeep <= s_axis_tkeep;
                m_axis_tlast <= s_axis_tlast;
                m_axis_tid <= s_axis_tid;
                m_axis_tdest <= s_axis_tdest;
                marks <= {1'b0, ends[1], 1'b0, ends[0]};
                user <= s_axis_tuser;
                count <= (open ? count : 16'd0) + s_axis_tkeep[0] + s_axis_tkeep[1];
                case (name)
                    "I": if (open) m_axis_tid <= s_axis_tid + 1;          // tid changes amid the packet
                    "T": m_axis_tdest <= s_axis_tdest + 1;                // a wrong tdest
                    "M": if (s_axis_tlast) marks[2] <= 1;                 // a mark in an unkept lane
                    "Z": if (s_axis_tlast) marks[1] <= 1;                 // a record that is not ill-formed
                    "E": if (s_axis_tlast) marks[0] <= 0;                 // the last record does not end
                    "Y": user[2] <= ~s_axis_tuser[2];                     // a wrong bit carried
                    "B": user[0] <= ~s_axis_tuser[0];                     // takes what came in for bad, or not
                    "R": if (!s_axis_tlast) m_report_tvalid <= 1;         // a report before the last beat
                    default: ;
                endcase
            end
        end
endmodule
