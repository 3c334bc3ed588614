// The same as `conditions.v`, of parts that make one text of segments, and of a splitter.

// Extra beats follow a packet's last beat, and are no last beats. `mark`: a beat before a packet.
module extra_after_last (
    input wire clk, input wire go, input wire last, input wire extra, input wire mark, output wire broken
);
    reg followed = 0;
    always @(posedge clk) if (go && !extra) followed <= last && !mark;
    assign broken = go && extra && (last || !followed);
endmodule

// The beats of a packet: one before it if MARKS, its own, and as many extra ones as bytes may come more than its last
// beat has room for. `finish`: the last of them. `kept`: bytes of a beat.
module framed #(parameter SIZE = 1, parameter MARKS = 0, parameter MOST = 3, parameter COUNT = $clog2(SIZE + 1)) (
    input wire clk, input wire go, input wire last, input wire extra, input wire finish, input wire mark,
    input wire [COUNT-1:0] kept, output wire broken
);
    localparam EXTRA = (MOST + SIZE - 1) / SIZE;
    reg inside = 0, marked = 0;
    reg [1:0] left = 0;
    wire is_extra = left != 0, is_mark = MARKS && !is_extra && !inside && !marked, own = !is_extra && !is_mark;
    wire full = SIZE <= MOST || kept > SIZE - MOST;
    always @(posedge clk) if (go) begin
        if (!is_extra) marked <= is_mark;
        if (own) inside <= !last;
        left <= is_extra ? left - 1 : own && last && full ? EXTRA : 0;
    end
    assign broken = go && (extra != is_extra || mark != is_mark || last && !own || own && !last && kept != SIZE
        || kept > SIZE || finish != (is_extra ? left == 1 : own && last && !full));
endmodule

// A packet's first beat says so, and no other does; with IDLE nothing does without a beat. `between`: beats that are in no
// packet.
module first_says_so #(parameter IDLE = 0) (
    input wire clk, input wire go, input wire last, input wire between, input wire first, output wire broken
);
    reg inside = 0;
    wire own = go && !between;
    always @(posedge clk) if (own) inside <= !last;
    assign broken = (go || IDLE) && first != (own && !inside);
endmodule

// Beats that are in no packet come between packets, and are no last beats.
module between_packets (
    input wire clk, input wire go, input wire last, input wire between, output wire broken
);
    reg inside = 0;
    always @(posedge clk) if (go && !between) inside <= !last;
    assign broken = go && between && (inside || last);
endmodule

// A beat without `opens` has the value of the beat before it.
module of_packet #(parameter WIDTH = 1) (
    input wire clk, input wire go, input wire opens, input wire [WIDTH-1:0] value, output wire broken
);
    reg [WIDTH-1:0] held = 0;
    always @(posedge clk) if (go) held <= value;
    assign broken = go && !opens && value != held;
endmodule

// Of a packet's last beat: the bytes that are sent end at one place. All bytes before it are sent that the packet has, carried ones
// too, but for MOST. `sent` begins MOST bytes before the beat.
module sent_to_end #(
    parameter SIZE = 1, parameter MOST = 3, parameter COUNT = $clog2(SIZE + 1)
) (
    input wire clk, input wire go, input wire last, input wire first, input wire [COUNT-1:0] kept,
    input wire [1:0] into, input wire [SIZE+2*MOST-1:0] sent, output wire broken
);
    // Bytes before this beat; 3: three or more.
    reg [1:0] there = 0;
    wire [7:0] all = (first ? into : there) + kept, top = MOST + into + kept;
    wire [7:0] least = top - (all < MOST ? all : MOST);
    wire [SIZE+2*MOST-1:0] one = 1, missing = ~sent, below = missing << (SIZE + 2*MOST - least);
    always @(posedge clk) if (go) there <= all > 3 ? 3 : all;
    assign broken = go && last && ((sent & (sent + one)) != 0 || (sent >> top) != 0 || below != 0);
endmodule

// A mark is a beat before a packet.
module adds_before (input wire clk, input wire go, input wire mark, input wire adds, output wire broken);
    assign broken = go && adds && !mark;
endmodule

// A mark precedes each packet: between packets there are only marks, and beats that are not last.
module mark_before (input wire clk, input wire go, input wire last, input wire mark, output wire broken);
    reg inside = 0;
    always @(posedge clk) if (go) inside <= (mark || inside) && !last;
    assign broken = go && (inside ? mark : last);
endmodule

// A text that has not begun is not little-endian. `order`: {little-endian, begun}.
module little_if_begun (input wire clk, input wire go, input wire [1:0] order, output wire broken);
    assign broken = go && order[1] && !order[0];
endmodule

// What is not taken stays.
module stays #(parameter WIDTH = 1) (
    input wire clk, input wire go, input wire ready, input wire [WIDTH-1:0] word, output wire broken
);
    reg waits = 0;
    reg [WIDTH-1:0] held = 0;
    always @(posedge clk) {waits, held} <= {go && !ready, word};
    assign broken = waits && (!go || word != held);
endmodule

// Each bit that is set in `some` is set in `all`.
module among #(parameter LANES = 1) (
    input wire clk, input wire go, input wire [LANES-1:0] some, input wire [LANES-1:0] all, output wire broken
);
    assign broken = go && (some & ~all) != 0;
endmodule

// The report of a packet is zero but on its last beat; with EARLY its lowest bit may be set on each.
module early_report #(parameter WIDTH = 1, parameter EARLY = 0) (
    input wire clk, input wire go, input wire last, input wire [WIDTH-1:0] report, output wire broken
);
    assign broken = (report & (go && last ? {WIDTH{1'b0}} : go && EARLY ? ~{WIDTH{1'b0}} << 1 : {WIDTH{1'b1}})) != 0;
endmodule

// Delimiters are in lanes that are kept. `rest` says that a lane after the last of them is ill-formed.
module record_lanes #(parameter LANES = 1) (
    input wire clk, input wire [LANES-1:0] keep, input wire [LANES-1:0] ends, input wire any_end, input wire rest,
    output wire broken
);
    reg open;
    integer at;
    always @* begin
        open = 0;
        for (at = 0; at < LANES; at = at + 1) if (keep[at]) open = !ends[at];
    end
    assign broken = (ends & ~keep) != 0 || any_end != (ends != 0) || rest && !open;
endmodule

// The turns of a packet: `begins` with its first one, `ends` with its last.
module turns_of_packet (
    input wire clk, input wire turn, input wire begins, input wire ends, output wire broken
);
    reg inside = 0;
    always @(posedge clk) if (turn) inside <= !ends;
    assign broken = turn ? begins == inside : begins || ends;
endmodule

// A report without an error is zero.
module report_of_error #(parameter WIDTH = 1) (input wire clk, input wire [WIDTH-1:0] report, output wire broken);
    assign broken = !report[0] && report != 0;
endmodule

// A value is what is due.
module equal #(parameter WIDTH = 1) (
    input wire clk, input wire go, input wire [WIDTH-1:0] value, input wire [WIDTH-1:0] due, output wire broken
);
    assign broken = go && value != due;
endmodule

// A packet's last beat has a byte, unless it is the packet's only one.
module empty_alone (input wire clk, input wire go, input wire last, input wire some, output wire broken);
    reg inside = 0;
    always @(posedge clk) if (go) inside <= !last;
    assign broken = go && inside && last && !some;
endmodule
