// The rules of AXI4-Stream and of the core's contract for its outputs, as in runewire_sim/axi_stream/rules.py.
#pragma once

#include <cstring>
#include <string>

#include "core.h"
#include "wire_format.h"

// While valid waits for ready, valid and payload stay.
template <typename Payload>
class HandshakeRules {
public:
    HandshakeRules(ProtocolErrors& errors, const char* stream) : errors_(errors), stream_(stream) {}

    // Checks a cycle; `payload` is null while valid is low.
    void watch(uint64_t cycle, const Payload* payload, bool ready) {
        if (waiting_ && !payload) errors_.add(cycle, stream_ + ": valid fell before ready");
        if (waiting_ && payload && !(*payload == held_))
            errors_.add(cycle, stream_ + ": the payload changed while valid waited for ready");
        waiting_ = payload && !ready;
        if (waiting_) held_ = *payload;
    }
    bool waiting() const { return waiting_; }

private:
    ProtocolErrors& errors_;
    const std::string stream_;
    Payload held_{};
    bool waiting_ = false;
};

// Checks tkeep of an output beat, and its lanes that are not kept.
inline void check_shape(ProtocolErrors& errors, uint64_t cycle, const OutputBeat& beat) {
    if (beat.full()) return;
    constexpr size_t kElement = RW_SPARSE ? RW_SPARSE : 1;
    size_t kept = 0;
    bool contiguous = true, split = false, stale = false, flagged = false;
    for (size_t lane = 0; lane < kOut; ++lane) {
        if (beat.kept(lane)) {
            contiguous &= kept++ == lane;
        } else {
            stale |= beat.data[lane] != 0;
            flagged |= RW_MARKS && beat.flags(lane) != 0;
        }
        split |= beat.kept(lane) != beat.kept(lane - lane % kElement);
    }
    if (split) errors.add(cycle, "m_axis: tkeep splits an element");
    if (!RW_SPARSE && !contiguous) errors.add(cycle, "m_axis: kept bytes are not contiguous from lane 0");
    if (!RW_SPARSE && !beat.last) errors.add(cycle, "m_axis: a partial beat before the last");
    if (stale) errors.add(cycle, "m_axis: an unkept lane is not zero");
    if (flagged) errors.add(cycle, "m_axis: an unkept lane has a mark");
}
