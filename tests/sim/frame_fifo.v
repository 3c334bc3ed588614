// A frame FIFO as others build it: takes a frame whole, and drops it when bit 0 of tuser is set with its last beat.
module frame_fifo #(
    parameter WIDTH = 8,  // bits of tdata
    parameter ROWS = 256 // of its memory: a frame has fewer beats
) (
    input                clk, rst,
    input  [WIDTH-1:0]   s_axis_tdata,
    input  [WIDTH/8-1:0] s_axis_tkeep,
    input                s_axis_tvalid, s_axis_tlast,
    input                s_axis_tuser,
    output               s_axis_tready,
    output [WIDTH-1:0]   m_axis_tdata,
    output [WIDTH/8-1:0] m_axis_tkeep,
    output               m_axis_tvalid, m_axis_tlast,
    input                m_axis_tready
);
    reg [WIDTH+WIDTH/8:0] rows [0:ROWS-1];
    reg [31:0] read, whole, next;

    assign s_axis_tready = next - read < ROWS;
    assign m_axis_tvalid = read != whole;
    assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = rows[read % ROWS];

    always @(posedge clk)
        if (rst) begin
            read <= 0;
            whole <= 0;
            next <= 0;
        end else begin
            if (m_axis_tvalid && m_axis_tready) read <= read + 1;
            if (s_axis_tvalid && s_axis_tready) begin
                rows[next % ROWS] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
                next <= next + 1;
                if (s_axis_tlast && s_axis_tuser) next <= whole;
                if (s_axis_tlast && !s_axis_tuser) whole <= next + 1;
            end
        end
endmodule
