// UTF-8 a byte at a time: the automata that validator and decoder are proven against.
// Transcribed from RFC 3629. Nothing here comes from the cores or from the golden model.

// The grammar of RFC 3629, section 4: one byte `b`, which is there if `keep`. `look`, `follows`: the packet's next byte,
// and whether there is one.
module utf8_grammar_byte #(
    parameter STRIP = 0,                        // a byte order mark at a packet's start is left out
    parameter DROP = 0                          // an ill-formed subpart gives nothing in place of U+FFFD
) (
    input  wire        keep,
    input  wire [7:0]  b,
    input  wire        follows,
    input  wire [7:0]  look,
    input  wire [2:0]  wanted,                  // what the grammar wants here, and after it
    output wire [2:0]  wants,
    input  wire [20:0] value,                   // of the character under way
    output wire [20:0] value_after,
    input  wire [1:0]  place,                   // of the byte in its packet, 3 for all from the fourth on
    output wire [1:0]  place_after,
    output wire        present,                 // something is put out at this byte:
    output wire [20:0] scalar,                  // this
    output wire        ill                      // which stands for an ill-formed subpart
);
    // What the grammar wants next: CHAR is the first byte of a UTF8-char, the others are parts of one.
    localparam [2:0] CHAR = 0, TAIL1 = 1, TAIL2 = 2, TAIL3 = 3,
                     AFTER_E0 = 4, AFTER_ED = 5, AFTER_F0 = 6, AFTER_F4 = 7;

    function is_in(input [7:0] b, input [7:0] low, input [7:0] high);
        is_in = low <= b && b <= high;
    endfunction

    function is_tail(input [7:0] b);
        is_tail = is_in(b, 8'h80, 8'hBF);
    endfunction

    // {the byte is what the grammar wants, what it wants after that}
    function [3:0] step(input [2:0] wants, input [7:0] b);
        step = wants == TAIL1    ? {is_tail(b), CHAR}
             : wants == TAIL2    ? {is_tail(b), TAIL1}
             : wants == TAIL3    ? {is_tail(b), TAIL2}
             : wants == AFTER_E0 ? {is_in(b, 8'hA0, 8'hBF), TAIL1}
             : wants == AFTER_ED ? {is_in(b, 8'h80, 8'h9F), TAIL1}
             : wants == AFTER_F0 ? {is_in(b, 8'h90, 8'hBF), TAIL2}
             : wants == AFTER_F4 ? {is_in(b, 8'h80, 8'h8F), TAIL2}
             : is_in(b, 8'h00, 8'h7F) ? {1'b1, CHAR}                         // UTF8-1
             : is_in(b, 8'hC2, 8'hDF) ? {1'b1, TAIL1}                        // UTF8-2
             : b == 8'hE0             ? {1'b1, AFTER_E0}                     // UTF8-3
             : is_in(b, 8'hE1, 8'hEC) ? {1'b1, TAIL2}
             : b == 8'hED             ? {1'b1, AFTER_ED}
             : is_in(b, 8'hEE, 8'hEF) ? {1'b1, TAIL2}
             : b == 8'hF0             ? {1'b1, AFTER_F0}                     // UTF8-4
             : is_in(b, 8'hF1, 8'hF3) ? {1'b1, TAIL3}
             : b == 8'hF4             ? {1'b1, AFTER_F4}
             : {1'b0, CHAR};
    endfunction

    // The payload bits of a first byte (section 3).
    function [20:0] payload(input [7:0] b);
        payload = b[7:4] == 4'b1111 ? b[2:0] : b[7:4] == 4'b1110 ? b[3:0] : b[7:5] == 3'b110 ? b[4:0] : b[6:0];
    endfunction

    // What was under way may have ended with the byte before; then this one is looked at afresh.
    wire fits, good, continues;
    wire [2:0] unused, unused_too;
    assign {fits, unused} = step(wanted, b);
    wire first = wanted == CHAR || !fits;
    assign {good, wants} = step(first ? CHAR : wanted, b);
    assign {continues, unused_too} = step(wants, look);
    assign value_after = first ? payload(b) : {value[14:0], b[5:0]};
    wire ends = keep && !(follows && wants != CHAR && continues), whole = good && wants == CHAR;
    wire mark = STRIP && place == 2 && whole && value_after == 21'hFEFF;
    assign present = ends && !mark && (whole || !DROP);
    assign scalar = whole ? value_after : 21'hFFFD;
    assign ill = ends && !whole;
    assign place_after = place == 3 ? 2'd3 : place + 2'd1;
endmodule

// The grammar over one beat: its bytes, one after another.
// `state`, `state_after`: before and after the beat, all zero at a packet's start.
module utf8_grammar #(
    parameter LANES = 1,
    parameter STRIP = 0,
    parameter DROP = 0
) (
    input  wire [8*LANES-1:0]  bytes,
    input  wire [LANES-1:0]    keep,
    input  wire [7:0]          next,
    input  wire                follows,
    input  wire [25:0]         state,
    output wire [25:0]         state_after,
    output wire [LANES-1:0]    present,
    output wire [21*LANES-1:0] scalars,
    output wire                ill
);
    // Before each byte, and after the last.
    wire [3*(LANES+1)-1:0]  wants;
    wire [21*(LANES+1)-1:0] values;
    wire [2*(LANES+1)-1:0]  places;
    wire [8*(LANES+1)-1:0]  looks = {next, bytes};
    wire [LANES:0]          there = {follows, keep};
    wire [LANES-1:0]        ills;
    assign {places[1:0], values[20:0], wants[2:0]} = state;
    genvar i;
    generate for (i = 0; i < LANES; i = i + 1) begin : lane
        utf8_grammar_byte #(.STRIP(STRIP), .DROP(DROP)) one (
            .keep(keep[i]), .b(bytes[8*i +: 8]), .follows(there[i + 1]), .look(looks[8*(i + 1) +: 8]),
            .wanted(wants[3*i +: 3]), .wants(wants[3*(i + 1) +: 3]),
            .value(values[21*i +: 21]), .value_after(values[21*(i + 1) +: 21]),
            .place(places[2*i +: 2]), .place_after(places[2*(i + 1) +: 2]),
            .present(present[i]), .scalar(scalars[21*i +: 21]), .ill(ills[i]));
    end endgenerate
    assign ill = |ills;
    assign state_after = {places[2*LANES +: 2], values[21*LANES +: 21], wants[3*LANES +: 3]};
endmodule

// The first error of a packet, as simdutf has it: a sequence's structure is judged first, and its value when
// all its bytes are there. One byte `b`; where it is not kept the packet is at its end, which breaks off what is under
// way. After the first error nothing counts.
module utf8_first_error_byte #(
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
) (
    input  wire                 keep,
    input  wire [7:0]           b,
    // Of the sequence under way, all zero if there is none: continuation bytes to come and in all, its value, where
    // it began.
    input  wire [1:0]           left,
    input  wire [1:0]           size,
    input  wire [20:0]          value,
    input  wire [OFFSET-1:0]    start,
    output wire [24+OFFSET:0]   after,          // {left, size, value, start} after this byte
    input  wire [2:0]           error,          // the packet's first one so far, and its offset
    input  wire [OFFSET-1:0]    at,
    output wire [2:0]           error_after,
    output wire [OFFSET-1:0]    at_after,
    input  wire [OFFSET-1:0]    here            // the byte's own offset
);
    localparam [2:0] HEADER_BITS = 1, TOO_SHORT = 2, TOO_LONG = 3, OVERLONG = 4, TOO_LARGE = 5, SURROGATE = 6;

    // 0 for a scalar value that `size` bytes after the first are right for.
    function [2:0] judge(input [1:0] size, input [20:0] value);
        judge = size == 1 && value < 21'h80 || size == 2 && value < 21'h800 || size == 3 && value < 21'h10000 ? OVERLONG
              : value > 21'h10FFFF ? TOO_LARGE
              : 21'hD800 <= value && value <= 21'hDFFF ? SURROGATE : 3'd0;
    endfunction

    // {continuation bytes that a first byte asks for, its payload bits}
    function [6:0] first(input [7:0] b);
        first = b[7:5] == 3'b110 ? {2'd1, b[4:0]} : b[7:4] == 4'b1110 ? {2'd2, 1'b0, b[3:0]}
              : b[7:3] == 5'b11110 ? {2'd3, 2'b0, b[2:0]} : 7'd0;
    endfunction

    wire [1:0] asks;
    wire [4:0] bits;
    assign {asks, bits} = first(b);
    wire begins = left == 0, tail = b[7:6] == 2'b10, header = b[7:3] == 5'b11111;
    wire [OFFSET-1:0] start_here = begins ? here : start;
    wire [20:0] value_here = {value[14:0], b[5:0]};
    wire [2:0] now = !keep ? (begins ? 3'd0 : TOO_SHORT)
                   : begins ? (tail ? TOO_LONG : header ? HEADER_BITS : 3'd0)
                   : !tail ? TOO_SHORT : left == 1 ? judge(size, value_here) : 3'd0;
    wire fails = error == 0 && now != 0;
    wire [1:0] left_after = begins ? asks : left - 2'd1;
    wire goes_on = keep && error == 0 && now == 0 && left_after != 0;
    assign after = {25+OFFSET{goes_on}}
        & {left_after, begins ? asks : size, begins ? {16'd0, bits} : value_here, start_here};
    assign error_after = fails ? now : error;
    assign at_after = fails ? start_here : at;
endmodule

// The first error over one beat: its bytes, one after another. `found`, `kind`, `offset`: the packet's first error when
// it ends with this beat. `state`, `state_after`: before and after the beat, all zero at a packet's start.
module utf8_first_error #(
    parameter LANES = 1,
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
) (
    input  wire [8*LANES-1:0]       bytes,
    input  wire [LANES-1:0]         keep,
    input  wire [28+3*OFFSET-1:0]   state,
    output wire [28+3*OFFSET-1:0]   state_after,
    output wire                     found,
    output wire [2:0]               kind,
    output wire [OFFSET-1:0]        offset,
    // For lemmas only, before each byte and after the last: {left, size, value} of the sequence under way, and the
    // error found.
    output wire [25*(LANES+1)-1:0]  under_way,
    output wire [3*(LANES+1)-1:0]   errors,
    // In each lane, where the sequence begins that goes on there, or that begins.
    output wire [OFFSET*LANES-1:0]  begun
);
    localparam [2:0] TOO_SHORT = 2;
    wire [OFFSET*(LANES+1)-1:0] heres, starts, ats;
    assign {ats[OFFSET-1:0], starts[OFFSET-1:0], heres[OFFSET-1:0], errors[2:0], under_way[24:0]} = state;
    genvar i;
    generate for (i = 0; i < LANES; i = i + 1) begin : lane
        utf8_first_error_byte #(.OFFSET(OFFSET)) one (
            .keep(keep[i]), .b(bytes[8*i +: 8]),
            .left(under_way[25*i + 23 +: 2]), .size(under_way[25*i + 21 +: 2]), .value(under_way[25*i +: 21]),
            .start(starts[OFFSET*i +: OFFSET]),
            .after({under_way[25*(i + 1) +: 25], starts[OFFSET*(i + 1) +: OFFSET]}),
            .error(errors[3*i +: 3]), .at(ats[OFFSET*i +: OFFSET]),
            .error_after(errors[3*(i + 1) +: 3]), .at_after(ats[OFFSET*(i + 1) +: OFFSET]),
            .here(heres[OFFSET*i +: OFFSET]));
        wire [OFFSET-1:0] here = heres[OFFSET*i +: OFFSET];
        assign heres[OFFSET*(i + 1) +: OFFSET] = {here[OFFSET-1] | &here[OFFSET-2:0], here[OFFSET-2:0] + 1'b1};
        assign begun[OFFSET*i +: OFFSET] =
            under_way[25*i + 23 +: 2] != 0 ? starts[OFFSET*i +: OFFSET] : heres[OFFSET*i +: OFFSET];
    end endgenerate
    wire [1:0] left = under_way[25*LANES + 23 +: 2];
    wire [2:0] error = errors[3*LANES +: 3];
    wire [OFFSET-1:0] at = ats[OFFSET*LANES +: OFFSET], start = starts[OFFSET*LANES +: OFFSET];
    assign state_after = {at, start, heres[OFFSET*LANES +: OFFSET], error, under_way[25*LANES +: 25]};
    assign found = error != 0 || left != 0;
    assign kind = error != 0 ? error : left != 0 ? TOO_SHORT : 3'd0;
    assign offset = error != 0 ? at : start;
endmodule

// What helps to prove the first error in wide beats: as long as there is none, what is under way before a byte follows
// from the three bytes before it. It says nothing about the core; its output, that this is so, is proven with all else.
module utf8_sequences #(
    parameter LANES = 1
) (
    input  wire [8*LANES-1:0]           bytes,
    input  wire [LANES-1:0]             keep,
    input  wire [23:0]                  past,           // the packet's three bytes before, zero where there are none
    input  wire [25*(LANES+1)-1:0]      under_way,
    input  wire [3*(LANES+1)-1:0]       errors,
    output wire                         bad
);
    function [6:0] first(input [7:0] b);
        first = b[7:5] == 3'b110 ? {2'd1, b[4:0]} : b[7:4] == 4'b1110 ? {2'd2, 1'b0, b[3:0]}
              : b[7:3] == 5'b11110 ? {2'd3, 2'b0, b[2:0]} : 7'd0;
    endfunction
    wire [8*LANES-1:0] kept;
    wire [8*(LANES+3)-1:0] all = {kept, past};
    wire [LANES:0] off;
    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : mask
            assign kept[8*i +: 8] = bytes[8*i +: 8] & {8{keep[i]}};
        end
        for (i = 0; i <= LANES; i = i + 1) begin : lane
            wire [7:0] b1 = all[8*(i + 2) +: 8], b2 = all[8*(i + 1) +: 8], b3 = all[8*i +: 8];
            wire [1:0] asks1, asks2, asks3;
            wire [4:0] bits1, bits2, bits3;
            assign {asks1, bits1} = first(b1);
            assign {asks2, bits2} = first(b2);
            assign {asks3, bits3} = first(b3);
            wire tail1 = b1[7:6] == 2'b10, tail2 = b2[7:6] == 2'b10;
            wire [24:0] should = asks1 != 0 ? {asks1, asks1, 16'd0, bits1}
                               : tail1 && asks2 >= 2 ? {asks2 - 2'd1, asks2, 10'd0, bits2, b1[5:0]}
                               : tail1 && tail2 && asks3 == 3 ? {2'd1, 2'd3, 4'd0, bits3, b2[5:0], b1[5:0]} : 25'd0;
            wire [24:0] shown = should & {25{errors[3*i +: 3] == 0}};
            assign off[i] = under_way[25*i +: 25] != shown;
        end
    endgenerate
    assign bad = |off;
endmodule

// What becomes of the beats of a packet, one after another, as they `go`.
module source #(
    parameter LANES = 1,
    parameter STRIP = 0,
    parameter DROP = 0,
    parameter OFFSET = 33                       // bits of an offset; the highest says that the others no longer hold it
) (
    input  wire                clk,
    input  wire                go,
    input  wire                last,
    input  wire [8*LANES-1:0]  units,
    input  wire [LANES-1:0]    keep,
    input  wire [7:0]          next,            // the packet's next unit, and whether there is one
    input  wire                follows,
    output wire [LANES-1:0]    present,
    output wire [21*LANES-1:0] scalars,
    output wire                found,
    output wire [2:0]          kind,
    output wire [OFFSET-1:0]   offset,
    output wire [LANES-1:0]    sound,           // a scalar ends, and all up to it is well-formed
    output wire [OFFSET*LANES-1:0] starts,      // where its sequence begins
    output wire [21:0]         ahead,           // {there is one, the whole scalar that ends with the next unit}
    output wire                bad_agreement,
    output wire                bad_lemma
);
    localparam STATE = 26, ERROR_STATE = 28 + 3*OFFSET;
    reg  [STATE-1:0] state = 0;
    wire [STATE-1:0] state_after;
    reg  [ERROR_STATE-1:0] error_state = 0;
    wire [ERROR_STATE-1:0] error_after;
    wire ill;
    utf8_grammar #(.LANES(LANES), .STRIP(STRIP), .DROP(DROP)) grammar (
        .bytes(units), .keep(keep), .next(next), .follows(follows),
        .state(state), .state_after(state_after), .present(present), .scalars(scalars), .ill(ill));
    // With nothing known of what comes after it, a sequence is whole, or it is not.
    wire [25:0] unused;
    utf8_grammar #(.LANES(1), .DROP(1)) one_more (
        .bytes(next), .keep(follows), .next(8'd0), .follows(1'b0),
        .state(state_after), .state_after(unused), .present(ahead[21]), .scalars(ahead[20:0]), .ill());
    wire [25*(LANES+1)-1:0] under_way;
    wire [3*(LANES+1)-1:0] errors;
    utf8_first_error #(.LANES(LANES), .OFFSET(OFFSET)) first_error (
        .bytes(units), .keep(keep),
        .state(error_state), .state_after(error_after), .found(found), .kind(kind), .offset(offset),
        .under_way(under_way), .errors(errors), .begun(starts));
    // A sequence that ends whole has nothing under way after it.
    genvar i;
    generate for (i = 0; i < LANES; i = i + 1) begin : lane
        assign sound[i] = present[i] && errors[3*(i + 1) +: 3] == 0 && under_way[25*(i + 1) + 23 +: 2] == 0;
    end endgenerate
    always @(posedge clk) if (go) begin
        state <= last ? {STATE{1'b0}} : state_after;
        error_state <= last ? {ERROR_STATE{1'b0}} : error_after;
    end

    // The two automata agree on which packets are well formed.
    reg broken = 0;
    always @(posedge clk) if (go) broken <= !last && (broken || ill);
    assign bad_agreement = go && last && found != (broken || ill);

    reg [23:0] past = 0;
    wire [8*LANES+23:0] behind = {units, past};
    always @(posedge clk) if (go) past <= last ? 24'd0 : behind[8*LANES +: 24];
    utf8_sequences #(.LANES(LANES)) sequences (
        .bytes(units), .keep(keep), .past(past), .under_way(under_way), .errors(errors), .bad(bad_lemma));
endmodule
