// Bytes and ends of segments in a queue of three: any packets of one flow. Nothing here comes from the cores.
module byte_line #(
    parameter USER = 1,                         // bits of `user`, the highest is `more`
    parameter BEGUN = 0
) (
    input  wire            clk,
    input  wire            valid,
    input  wire            last,
    input  wire            keep,                // only a last beat may lack its byte
    input  wire [7:0]      data,
    input  wire [USER-1:0] user,
    output wire            bad_ready,
    output wire            bad_valid,           // something leaves where nothing waits
    output wire            bad_kind,            // a byte for an end, or an end for a byte
    output wire            bad_data,
    output wire            bad_user,
    output wire            bad_begun,
    output wire            bad_many,            // more than three bytes and ends wait
    output wire            bad_late             // an end waits though nothing leaves
);
    // A last beat is there for two cycles: in the second comes the packet's end.
    reg second = 0, kept = 0;
    reg [7:0] held_data = 0;
    reg [USER-1:0] held_user = 0;
    wire [7:0] now_data = second ? held_data : data;
    wire [USER-1:0] now_user = second ? held_user : user;
    wire now_keep = second ? kept : keep || !last, now_valid = second || valid, now_last = second || last;
    always @(posedge clk) begin
        second <= valid && last && !second;
        {kept, held_data, held_user} <= {now_keep, now_data, now_user};
    end

    wire ready, o_valid, o_keep, o_last, o_begun;
    wire [7:0] o_data;
    wire [USER-1:0] o_user;
    dut core (
        .clk(clk), .rst(1'b0), .i_valid(now_valid), .i_data(now_data), .i_keep(now_keep), .i_last(now_last),
        .i_user(now_user), .i_ready(ready), .o_valid(o_valid), .o_data(o_data), .o_keep(o_keep), .o_last(o_last),
        .o_user(o_user), .o_begun(o_begun));
    wire comes = now_valid && now_keep && !second, more = now_user[USER-1];

    // Bytes of the unfinished character at the text's end.
    reg [1:0] had = 0, wanted = 0;
    wire [1:0] has, wants;
    unfinished_utf8 one (.b(now_data), .had(had), .wanted(wanted), .has(has), .wants(wants));
    always @(posedge clk)
        if (second && !more) {had, wanted} <= 0;
        else if (comes) {had, wanted} <= {has, wants};

    // The queue: {it is an end, user, byte}, the first in `slots` lowest.
    localparam WORD = 9 + USER;
    reg [3*WORD-1:0] slots = 0;
    reg [1:0] number = 0;
    wire [WORD-1:0] token = {second, now_user, now_data};
    // An end comes before as many bytes as wait.
    wire [1:0] behind = second && more ? had : 2'd0;
    wire [1:0] place = number - behind;
    reg [4*WORD-1:0] all;
    reg [2:0] count;
    integer i;
    always @* begin
        all = slots;
        count = number;
        if (second || comes) begin
            for (i = 3; i > 0; i = i - 1) if (i > place) all[WORD*i +: WORD] = slots[WORD*(i-1) +: WORD];
            for (i = 0; i < 4; i = i + 1) if (i == place) all[WORD*i +: WORD] = token;
            count = number + 1;
        end
    end
    wire [2:0] left = count - o_valid;
    always @(posedge clk) begin
        slots <= o_valid ? all[4*WORD-1:WORD] : all;
        number <= left;
    end
    wire first_end = all[WORD-1];
    wire an_end = count > 0 && all[WORD-1] || count > 1 && all[2*WORD-1] || count > 2 && all[3*WORD-1]
        || count > 3 && all[4*WORD-1];

    // Whether an earlier packet, or this one, had a byte of the text; cycles in which an end waits and nothing leaves.
    reg begun = 0, some = 0;
    reg [2:0] silent = 0;
    always @(posedge clk) begin
        if (o_valid) some <= !first_end;
        if (o_valid && first_end) begun <= all[WORD-2] && (begun || some);
        silent <= o_valid || !an_end ? 0 : silent + 1;
    end

    assign bad_ready = ready != !(valid && last && !second);
    assign bad_valid = o_valid && count == 0;
    assign bad_kind = o_valid && (o_last != first_end || o_keep == first_end);
    assign bad_data = o_valid && !first_end && o_data != all[7:0];
    assign bad_user = o_valid && first_end && o_user != all[8 +: USER];
    assign bad_begun = BEGUN && o_valid && o_begun != begun;
    assign bad_many = left > 3;
    assign bad_late = silent > 3;
endmodule
