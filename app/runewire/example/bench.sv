module bench;
    bit clk, resetn, valid, last;
    bit [63:0] data;
    bit [7:0] keep, bad_packets;
    wire ready, out_valid, out_last;
    wire [31:0] bad_offset;

    text_gate dut (
        .clk, .resetn, .in_data(data), .in_keep(keep), .in_valid(valid), .in_ready(ready), .in_last(last),
        .out_data(), .out_keep(), .out_valid, .out_ready(1'b1), .out_last, .bad_packets, .bad_offset
    );

    always #5 clk = !clk;

    task automatic send(input [63:0] bytes, input [7:0] kept);
        data = bytes; keep = kept; last = 1; valid = 1;
        do @(posedge clk); while (!ready);
        #1 valid = 0;
        do @(posedge clk); while (!(out_valid && out_last));
        #1 $display("bad packets %0d, last one bad at byte %0d", bad_packets, bad_offset);
    endtask

    initial begin
        repeat (2) @(posedge clk);
        #1 resetn = 1;
        send(64'h0000_00A9_C366_6163, 8'b0001_1111);
        send(64'h0000_0000_C366_6163, 8'b0000_1111);
        $finish;
    end
endmodule
