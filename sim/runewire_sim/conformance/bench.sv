// Sends the packets of a stimulus file to a core and writes what comes out to a results file.
// SPDX-License-Identifier: CC0-1.0
//
// It knows no Unicode: the wiring of the core is in a module that `run.py` writes, and `run.py` judges the results.
// Three passes: packet after packet, each once the last is answered; then back to back; then with pauses.
//
// stimulus, a line for each packet:   number of the packet, number of its bytes, the bytes in hex
// results, a line for each event:     o PASS PACKET DATA KEEP LAST    an output beat
//                                     r PASS PACKET ERROR KIND OFFSET a report
//                                     e PASS PACKET                   the packet is answered
//                                     t PASS PACKET                   it is not, within PATIENCE cycles
//                                     end                             all passes are through

`timescale 1ns/1ps

module conformance_bench #(
    parameter integer IN_BYTES = 1,
    parameter integer OUT_BYTES = 1,
    parameter integer OUT_WAITS = 0,     // the output has back-pressure
    parameter integer REPORT_WAITS = 0,  // the report has
    parameter integer OUT_ENDS = 0,      // the core says when the output of a packet ends
    parameter integer REPORT_ENDS = 0,   // it says when the report is there
    parameter integer SETTLE = -1,       // otherwise: cycles until both are; -1 where the core says it
    parameter integer FRAMED = 1,        // it sees where a packet ends; otherwise it is reset before each
    parameter integer PASSES = 3,
    parameter integer RESET_CYCLES = 4,
    parameter integer PATIENCE = 2000
) (
    output reg                    clk,
    output reg                    reset,
    output reg [8*IN_BYTES-1:0]   in_data,
    output reg [IN_BYTES-1:0]     in_keep,
    output reg [31:0]             in_empty,
    output reg                    in_first,
    output reg                    in_last,
    output reg                    in_valid,
    input wire                    in_ready,
    input wire [8*OUT_BYTES-1:0]  out_data,
    input wire [OUT_BYTES-1:0]    out_keep,
    input wire                    out_last,
    input wire                    out_valid,
    output reg                    out_ready,
    input wire                    report_valid,
    output reg                    report_ready,
    input wire                    report_error,
    input wire [31:0]             report_kind,
    input wire [63:0]             report_offset
);
    localparam integer LONGEST = 4096;
    localparam integer UNANSWERED = 20;  // so many packets, and a pass is given up

    string stimulus_name, results_name;
    reg [7:0] bytes [0:LONGEST-1];
    reg [7:0] octet;
    reg [31:0] noise;
    integer stimulus, results, pass, packet, size, got, place, lane;
    integer sent_packets, out_packets, reports, resetting, waited, settled, unanswered;
    // sending: the packet has beats left. answering: it is sent, the answer is awaited.
    reg sending, answering, more, out_ended, reported, done, pausing;

    initial begin
        clk = 1'b0;
        reset = 1'b1;
        in_valid = 1'b0;
        in_last = 1'b0;
        in_first = 1'b0;
        in_data = 0;
        in_keep = 0;
        in_empty = 0;
        out_ready = 1'b1;
        report_ready = 1'b1;
        noise = 32'h1234_5678;
        done = 1'b0;
        if (!$value$plusargs("stimulus=%s", stimulus_name)) stimulus_name = "stimulus.txt";
        if (!$value$plusargs("results=%s", results_name)) results_name = "results.txt";
        results = $fopen(results_name, "w");
        pass = -1;
        next_pass;
    end

    always #5 clk = ~clk;

    task next_pass;
        begin
            pass = pass + 1;
            if (pass == PASSES) begin
                $fwrite(results, "end\n");
                $fclose(results);
                done = 1'b1;
                $finish;
            end else begin
                stimulus = $fopen(stimulus_name, "r");
                if (stimulus == 0) begin
                    $display("cannot read the stimulus file");
                    $finish;
                end
                sent_packets = 0;
                out_packets = 0;
                reports = 0;
                unanswered = 0;
                resetting = RESET_CYCLES;
                sending = 1'b0;
                answering = 1'b0;
                next_packet;
            end
        end
    endtask

    // Read the next packet; `more` is low when there is none.
    task next_packet;
        begin
            got = $fscanf(stimulus, "%d %d", packet, size);
            more = got == 2;
            for (place = 0; more && place < size; place = place + 1) begin
                got = $fscanf(stimulus, "%h", octet);
                bytes[place] = octet;
            end
            place = 0;
            waited = 0;
            out_ended = 1'b0;
            reported = 1'b0;
            sending = more;
            if (more && !FRAMED) resetting = RESET_CYCLES;
            if (!more) begin
                answering = 1'b1;
                $fclose(stimulus);
            end
        end
    endtask

    task answered;
        begin
            $fwrite(results, "e %0d %0d\n", pass, packet);
            answering = 1'b0;
            next_packet;
            if (!more) next_pass;
        end
    endtask

    task give_up;
        begin
            $fwrite(results, "t %0d %0d\n", pass, packet);
            unanswered = unanswered + 1;
            sending = 1'b0;
            answering = 1'b0;
            resetting = RESET_CYCLES;
            if (pass > 0 || unanswered == UNANSWERED) begin
                if (more) $fclose(stimulus);
                next_pass;
            end else begin
                next_packet;
                if (!more) next_pass;
            end
        end
    endtask

    task write_report;
        begin
            $fwrite(results, "r %0d %0d %b %h %h\n", pass, pass == 0 ? packet : reports, report_error, report_kind,
                report_offset);
            reported = 1'b1;
            reports = reports + 1;
            waited = 0;
        end
    endtask

    always @(posedge clk)
        if (!done) begin
            noise = {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
            if (resetting > 0) begin
                resetting = resetting - 1;
                reset <= resetting > 0;
                in_valid <= 1'b0;
            end else begin
                waited = waited + 1;
                // What comes out in this cycle.
                if (out_valid === 1'b1 && out_ready) begin
                    $fwrite(results, "o %0d %0d %h %b %b\n", pass, pass == 0 ? packet : out_packets, out_data,
                        out_keep, out_last);
                    waited = 0;
                    if (OUT_ENDS != 0 && out_last === 1'b1) begin
                        out_ended = 1'b1;
                        out_packets = out_packets + 1;
                    end
                end
                if (SETTLE < 0 && report_valid === 1'b1 && report_ready) write_report;
                // What goes in.
                if (in_valid && in_ready === 1'b1) begin
                    waited = 0;
                    place = place + IN_BYTES;
                    in_valid <= 1'b0;
                    in_last <= 1'b0;
                    in_first <= 1'b0;
                    if (place >= size) begin
                        sending = 1'b0;
                        sent_packets = sent_packets + 1;
                        settled = 0;
                        if (pass > 0) next_packet;
                        else answering = 1'b1;
                    end
                end else if (answering) settled = settled + 1;
                // A pass's packets are answered, or one of the first pass.
                if (pass == 0) begin
                    if (answering && SETTLE >= 0 && settled == SETTLE) begin
                        write_report;
                        answered;
                    end else if (answering && SETTLE < 0 && (OUT_ENDS == 0 || out_ended)
                                 && (REPORT_ENDS == 0 || reported)) answered;
                    else if (waited > PATIENCE) give_up;
                end else if (!sending && (OUT_ENDS == 0 || out_packets >= sent_packets)
                             && (REPORT_ENDS == 0 || reports >= sent_packets)) begin
                    if (waited > 50) next_pass;  // time for an output too many
                end else if (waited > PATIENCE) give_up;
                // The next beat.
                pausing = pass == 2 && noise[4:3] != 2'b00 && noise[9];
                if (!done && resetting == 0 && sending && !pausing && (!in_valid || in_ready === 1'b1)) begin
                    in_valid <= 1'b1;
                    in_first <= place == 0;
                    in_last <= place + IN_BYTES >= size;
                    in_empty <= place + IN_BYTES > size ? place + IN_BYTES - size : 0;
                    for (lane = 0; lane < IN_BYTES; lane = lane + 1) begin
                        in_keep[lane] <= place + lane < size;
                        in_data[8*lane +: 8] <= place + lane < size ? bytes[place + lane] : 8'h80;
                    end
                end else if (!in_valid || in_ready === 1'b1) begin
                    in_data <= {IN_BYTES{8'h80}};
                    in_keep <= {IN_BYTES{1'b1}};
                end
                out_ready <= OUT_WAITS == 0 || pass < 2 || noise[6:5] != 2'b00;
                report_ready <= REPORT_WAITS == 0 || pass < 2 || noise[12:11] != 2'b00;
                reset <= resetting > 0;
            end
        end
endmodule
