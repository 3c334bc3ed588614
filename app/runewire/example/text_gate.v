module text_gate (
    input  wire        clk,
    input  wire        resetn,
    input  wire [63:0] in_data,
    input  wire [7:0]  in_keep,
    input  wire        in_valid,
    output wire        in_ready,
    input  wire        in_last,
    output wire [63:0] out_data,
    output wire [7:0]  out_keep,
    output wire        out_valid,
    input  wire        out_ready,
    output wire        out_last,
    output reg  [7:0]  bad_packets,
    output reg  [31:0] bad_offset
);
    wire [35:0] report;

    runewire_validator_x8 validator (
        .aclk(clk), .aresetn(resetn),
        .s_axis_tdata(in_data), .s_axis_tkeep(in_keep), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready),
        .s_axis_tlast(in_last),
        .m_axis_tdata(out_data), .m_axis_tkeep(out_keep), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready),
        .m_axis_tlast(out_last), .m_axis_tuser(report)
    );

    // Bit 0: the packet is ill-formed; bits 3 to 1: kind; bits 35 to 4: offset. It counts on the last beat.
    always @(posedge clk)
        if (!resetn) begin
            bad_packets <= 0;
            bad_offset <= 0;
        end else if (out_valid && out_ready && out_last && report[0]) begin
            bad_packets <= bad_packets + 1;
            bad_offset <= report[35:4];
        end
endmodule
