// A validator of two lanes, for text without errors, that breaks the rule which a packet's first byte names.
module faulty (
    input             aclk, aresetn,
    input      [15:0] s_axis_tdata,
    input      [1:0]  s_axis_tkeep,
    input             s_axis_tvalid, s_axis_tlast,
    output            s_axis_tready,
    output reg [15:0] m_axis_tdata,
    output reg [1:0]  m_axis_tkeep,
    output reg        m_axis_tvalid, m_axis_tlast,
    input             m_axis_tready,
    output reg [35:0] m_axis_tuser
);
    reg [7:0] fault;
    reg open, stuck, twice, waited;
    wire [7:0] name = open ? fault : s_axis_tdata[7:0];
    wire take = s_axis_tvalid && s_axis_tready;
    wire [15:0] mask = {{8{s_axis_tkeep[1]}}, {8{s_axis_tkeep[0]}}};

    assign s_axis_tready = aresetn && !stuck && !twice && (m_axis_tready || !m_axis_tvalid);

    always @(posedge aclk)
        if (!aresetn) begin
            m_axis_tvalid <= 0;
            open <= 0;
            stuck <= 0;
            twice <= 0;
            waited <= 0;
        end else begin
            waited <= m_axis_tvalid && !m_axis_tready;
            if (m_axis_tready || !m_axis_tvalid) begin
                m_axis_tvalid <= twice;
                twice <= 0;
            end else if (!waited) begin
                if (fault == "V") m_axis_tvalid <= 0;  // withdraws what waits
                if (fault == "C") m_axis_tdata[0] <= ~m_axis_tdata[0];  // changes what waits
            end
            if (take) begin
                open <= !s_axis_tlast;
                if (!open) fault <= s_axis_tdata[7:0];
                m_axis_tvalid <= 1;
                m_axis_tdata <= s_axis_tdata & mask;
                m_axis_tkeep <= s_axis_tkeep;
                m_axis_tlast <= s_axis_tlast;
                m_axis_tuser <= 0;
                case (name)
                    "H": m_axis_tkeep <= 2'b10;                           // a hole
                    "P": if (!s_axis_tlast) m_axis_tkeep <= 2'b01;        // a partial beat before the last
                    "S": if (s_axis_tlast) m_axis_tdata[15:8] <= 8'h5A;   // an unkept lane that is not zero
                    "U": if (!s_axis_tlast) m_axis_tuser <= 1;
                    "L": if (s_axis_tlast) m_axis_tvalid <= 0;            // loses the last beat
                    "D": twice <= s_axis_tlast;                           // sends the last beat twice
                    "K": stuck <= 1;                                      // takes no more
                    "B": m_axis_tdata[1] <= ~s_axis_tdata[1];             // a wrong bit
                    "E": if (s_axis_tlast) m_axis_tuser <= 3 << 4 | 2 << 1 | 1; // an error that is none
                    default: ;
                endcase
            end
        end
endmodule
