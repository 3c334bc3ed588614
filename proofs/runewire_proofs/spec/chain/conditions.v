// What a part of a proof counts on at its inputs: `broken` is set in a cycle in which it does not hold. The part that is
// said to prove it is held against the same module.

// A packet's beats have all their bytes, but for the last, which has some from byte 0 on.
module whole_beats #(parameter BYTES = 1) (
    input wire clk, input wire go, input wire last, input wire [BYTES-1:0] keep, output wire broken
);
    assign broken = go && (last ? (keep & (keep + 1'b1)) != 0 : !(&keep));
endmodule

// All beats of a packet have one tag.
module one_tag #(parameter WIDTH = 1) (
    input wire clk, input wire go, input wire last, input wire [WIDTH-1:0] tag, output wire broken
);
    reg inside = 0;
    reg [WIDTH-1:0] first = 0;
    always @(posedge clk) if (go) {inside, first} <= {!last, tag};
    assign broken = go && inside && tag != first;
endmodule

// A last beat is a beat.
module last_is_beat (input wire clk, input wire go, input wire last, output wire broken);
    assign broken = last && !go;
endmodule

// Without a beat no item is there.
module items_with_beat #(parameter LANES = 1) (
    input wire clk, input wire go, input wire [LANES-1:0] present, output wire broken
);
    assign broken = !go && |present;
endmodule

// The items of a lane are in the last of its SLOTS places, without gaps, and only in USED of them.
module last_places #(parameter LANES = 1, parameter SLOTS = 1, parameter USED = 1) (
    input wire clk, input wire [LANES-1:0] present, output wire broken
);
    wire [LANES-1:0] off;
    generate for (genvar g = 0; g < LANES; g = g + 1)
        if (g % SLOTS == SLOTS - 1) assign off[g] = 0;
        else assign off[g] = present[g] && !(present[g + 1] && g % SLOTS >= SLOTS - USED);
    endgenerate
    assign broken = |off;
endmodule

// From the first beat on the report is zero, but with a packet's last beat.
module report_at_end #(parameter WIDTH = 1) (
    input wire clk, input wire go, input wire last, input wire [WIDTH-1:0] report, output wire broken
);
    reg seen = 0;
    always @(posedge clk) seen <= seen || go;
    assign broken = (seen || go) && !(go && last) && report != 0;
endmodule

// What is not there is zero.
module zero_if_absent #(parameter LANES = 1, parameter WIDTH = 1) (
    input wire clk, input wire [LANES-1:0] present, input wire [LANES*WIDTH-1:0] data, output wire broken
);
    wire [LANES-1:0] off;
    generate for (genvar g = 0; g < LANES; g = g + 1)
        assign off[g] = !present[g] && data[WIDTH*g +: WIDTH] != 0;
    endgenerate
    assign broken = |off;
endmodule

// Beats are taken only when they are accepted.
module taken_if_accepted (input wire clk, input wire took, input wire accept, output wire broken);
    assign broken = took && !accept;
endmodule

// What comes to the output's row is due there: each input has what came above what was due. Of `there` one lane is looked at,
// and never the last, which has an item where the row is full.
module as_placed #(parameter LANES = 1, parameter LANE = 2) (
    input wire clk, input wire [1:0] filled, input wire [1:0] ends, input wire [2*LANES-1:0] kept,
    input wire [2*LANES-1:0] there, input wire [2*LANES-1:0] wrapped, input wire [LANE-1:0] lane, output wire broken
);
    wire [2*LANES-1:0] of_lane = there >> lane;
    assign broken = filled[1] != filled[0] || ends[1] != ends[0] || (ends[0] && kept[LANES +: LANES] != kept[0 +: LANES])
        || wrapped[LANES +: LANES] != wrapped[0 +: LANES] || (lane < LANES - 1 && of_lane[LANES] != of_lane[0]);
endmodule
