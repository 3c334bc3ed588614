// UTF-8 a byte at a time: the automata that validator and decoder are proven against.
// Transcribed from RFC 3629. Nothing here comes from the cores or from the golden model.

// The grammar of RFC 3629, section 4, over one beat: its bytes go through the automaton one after another.
// `keep`: the bytes that are there. `next`, `follows`: the packet's next byte, and whether there is one.
// `state`, `state_after`: the automaton before and after the beat, all zero at a packet's start.
module utf8_grammar #(
    parameter LANES = 1,
    parameter STRIP = 0,                        // a byte order mark at a packet's start is left out
    parameter DROP = 0                          // an ill-formed subpart gives nothing in place of U+FFFD
) (
    input  wire [8*LANES-1:0]  bytes,
    input  wire [LANES-1:0]    keep,
    input  wire [7:0]          next,
    input  wire                follows,
    input  wire [25:0]         state,
    output reg  [25:0]         state_after,
    output reg  [LANES-1:0]    present,         // something is put out at this byte:
    output reg  [21*LANES-1:0] scalars,         // this
    output reg                 ill              // some of it stands for an ill-formed subpart
);
    // What the grammar wants next: CHAR is the first byte of a UTF8-char, the others are parts of one.
    localparam [2:0] CHAR = 0, TAIL1 = 1, TAIL2 = 2, TAIL3 = 3,
                     AFTER_E0 = 4, AFTER_ED = 5, AFTER_F0 = 6, AFTER_F4 = 7;

    function is_in(input [7:0] b, input [7:0] low, input [7:0] high);
        is_in = low <= b && b <= high;
    endfunction

    // {the byte is what the grammar wants, what it wants after that}
    function [3:0] step(input [2:0] wants, input [7:0] b);
        case (wants)
            CHAR:
                if      (is_in(b, 8'h00, 8'h7F)) step = {1'b1, CHAR};        // UTF8-1
                else if (is_in(b, 8'hC2, 8'hDF)) step = {1'b1, TAIL1};       // UTF8-2
                else if (b == 8'hE0)             step = {1'b1, AFTER_E0};    // UTF8-3
                else if (is_in(b, 8'hE1, 8'hEC)) step = {1'b1, TAIL2};
                else if (b == 8'hED)             step = {1'b1, AFTER_ED};
                else if (is_in(b, 8'hEE, 8'hEF)) step = {1'b1, TAIL2};
                else if (b == 8'hF0)             step = {1'b1, AFTER_F0};    // UTF8-4
                else if (is_in(b, 8'hF1, 8'hF3)) step = {1'b1, TAIL3};
                else if (b == 8'hF4)             step = {1'b1, AFTER_F4};
                else                             step = {1'b0, CHAR};
            TAIL1:    step = {is_in(b, 8'h80, 8'hBF), CHAR};
            TAIL2:    step = {is_in(b, 8'h80, 8'hBF), TAIL1};
            TAIL3:    step = {is_in(b, 8'h80, 8'hBF), TAIL2};
            AFTER_E0: step = {is_in(b, 8'hA0, 8'hBF), TAIL1};
            AFTER_ED: step = {is_in(b, 8'h80, 8'h9F), TAIL1};
            AFTER_F0: step = {is_in(b, 8'h90, 8'hBF), TAIL2};
            AFTER_F4: step = {is_in(b, 8'h80, 8'h8F), TAIL2};
        endcase
    endfunction

    // The payload bits of a first byte (section 3).
    function [20:0] payload(input [7:0] b);
        if      (b[7:4] == 4'b1111) payload = b[2:0];
        else if (b[7:4] == 4'b1110) payload = b[3:0];
        else if (b[7:5] == 3'b110)  payload = b[4:0];
        else                        payload = b[6:0];
    endfunction

    integer i;
    reg [2:0]  wants, then;
    reg [20:0] value;                           // of the character under way
    reg [1:0]  place;                           // of the byte in its packet, 3 for all from the fourth on
    reg [7:0]  b, look;
    reg        good, continued;
    always @* begin
        {place, value, wants} = state;
        present = 0;
        scalars = 0;
        ill = 0;
        for (i = 0; i < LANES; i = i + 1) begin
            b = bytes[8*i +: 8];
            {good, then} = step(wants, b);
            if (wants != CHAR && !good) begin
                // What was under way ended with the byte before; this one is looked at afresh.
                wants = CHAR;
                {good, then} = step(CHAR, b);
            end
            value = wants == CHAR ? payload(b) : {value[14:0], b[5:0]};
            if (i + 1 < LANES) begin
                look = bytes[8*((i + 1) % LANES) +: 8];
                continued = keep[(i + 1) % LANES];
            end else begin
                look = next;
                continued = follows;
            end
            continued = continued && then != CHAR && step(then, look) >= 8;
            present[i] = keep[i] && !continued;
            scalars[21*i +: 21] = value;
            if (!good || then != CHAR) begin
                scalars[21*i +: 21] = 21'hFFFD;
                if (present[i]) ill = 1;
                if (DROP) present[i] = 0;
            end else if (STRIP && place == 2 && value == 21'hFEFF)
                present[i] = 0;
            if (place != 3) place = place + 1;
            wants = then;
        end
        state_after = {place, value, wants};
    end
endmodule

// The first error of a packet, as simdutf has it: a sequence's structure is judged first, and its value when
// all its bytes are there. `found`, `kind`, `offset`: the packet's first error when it ends with this beat.
module utf8_first_error #(
    parameter LANES = 1,
    parameter OFFSET = 32                       // offsets count modulo 2**OFFSET
) (
    input  wire [8*LANES-1:0]       bytes,
    input  wire [LANES-1:0]         keep,
    input  wire [28+3*OFFSET-1:0]   state,
    output reg  [28+3*OFFSET-1:0]   state_after,
    output reg                      found,
    output reg  [2:0]               kind,
    output reg  [OFFSET-1:0]        offset
);
    localparam [2:0] HEADER_BITS = 1, TOO_SHORT = 2, TOO_LONG = 3, OVERLONG = 4, TOO_LARGE = 5, SURROGATE = 6;

    // 0 for a scalar value that `size` bytes are right for.
    function [2:0] judge(input [1:0] size, input [20:0] value);
        if ((size == 1 && value < 21'h80) || (size == 2 && value < 21'h800) || (size == 3 && value < 21'h10000))
            judge = OVERLONG;
        else if (value > 21'h10FFFF)
            judge = TOO_LARGE;
        else if (21'hD800 <= value && value <= 21'hDFFF)
            judge = SURROGATE;
        else
            judge = 0;
    endfunction

    integer i;
    reg [1:0]        left, size;                // continuation bytes of the sequence under way: to come, and in all
    reg [20:0]       value;
    reg [2:0]        error;
    reg [OFFSET-1:0] here, start, at;
    reg [7:0]        b;
    reg [2:0]        now;
    always @* begin
        {at, start, here, error, value, size, left} = state;
        for (i = 0; i < LANES; i = i + 1) begin
            b = bytes[8*i +: 8];
            now = 0;
            if (keep[i]) begin
                if (left == 0) begin
                    start = here;
                    if      (b[7] == 1'b0)       begin size = 0; left = 0; value = b[6:0]; end
                    else if (b[7:6] == 2'b10)    now = TOO_LONG;
                    else if (b[7:5] == 3'b110)   begin size = 1; left = 1; value = b[4:0]; end
                    else if (b[7:4] == 4'b1110)  begin size = 2; left = 2; value = b[3:0]; end
                    else if (b[7:3] == 5'b11110) begin size = 3; left = 3; value = b[2:0]; end
                    else                         now = HEADER_BITS;
                end else if (b[7:6] != 2'b10)
                    now = TOO_SHORT;
                else begin
                    value = {value[14:0], b[5:0]};
                    left = left - 1;
                    if (left == 0) now = judge(size, value);
                end
                here = here + 1;
            end
            if (error == 0 && now != 0) begin
                error = now;
                at = start;
            end
        end
        // After the first error nothing counts.
        if (error != 0) {left, size, value, start} = 0;
        state_after = {at, start, here, error, value, size, left};
        found = error != 0 || left != 0;
        kind = error != 0 ? error : left != 0 ? TOO_SHORT : 3'd0;
        offset = error != 0 ? at : left != 0 ? start : {OFFSET{1'b0}};
    end
endmodule
