// The sink of a filter's rejected records: drives m_rejects_tready, and writes each record as a message.
#pragma once

#include <cstring>
#include <vector>

#include "core.h"
#include "noise.h"
#include "rules.h"
#include "wire_format.h"

class RejectsSink {
public:
    RejectsSink(Core& core, MessageWriter& writer, ProtocolErrors& errors, Stall stall)
        : core_(core), writer_(writer), errors_(errors), stall_(stall), rules_(errors, "m_rejects") {}

    // Sets the port for a cycle.
    void drive(uint64_t cycle) {
        ready_ = !stall_.at(cycle);
        core_.set_rejects_ready(ready_);
    }
    // Looks at the stream in a cycle; returns whether a beat moved.
    bool watch(uint64_t cycle) {
        valid_ = core_.rejects_valid();
        if (valid_) core_.read_rejects(beat_);
        rules_.watch(cycle, valid_ ? &beat_ : nullptr, ready_);
        waits_ += rules_.waiting();
        if (!valid_ || !ready_) return false;
        check(cycle);
        for (size_t lane = 0; lane < kOut; ++lane)
            if (beat_.kept(lane)) record_.push_back(beat_.data[lane]);
        open_ = !beat_.last;
        if (beat_.last) send();
        return true;
    }
    // Whether a record is on its way out.
    bool inside() const { return valid_ || open_; }

private:
    void check(uint64_t cycle) {
        size_t kept = 0;
        bool contiguous = true, stale = false, early = false;
        for (size_t lane = 0; lane < kOut; ++lane) {
            if (beat_.kept(lane))
                contiguous &= kept++ == lane;
            else
                stale |= beat_.data[lane] != 0;
        }
        for (size_t i = 0; i < kRejects; ++i) early |= beat_.user[i] != 0;
        if (!contiguous) errors_.add(cycle, "m_rejects: kept bytes are not contiguous from lane 0");
        if (!kept) errors_.add(cycle, "m_rejects: a beat without a byte");
        if (kept < kOut && !beat_.last) errors_.add(cycle, "m_rejects: a partial beat before the last");
        if (stale) errors_.add(cycle, "m_rejects: an unkept lane is not zero");
        if (early && !beat_.last) errors_.add(cycle, "m_rejects: tuser is not zero before the last beat");
        if (open_ && (beat_.id != id_ || beat_.dest != dest_))
            errors_.add(cycle, "m_rejects: tid or tdest changed inside a record");
        id_ = beat_.id;
        dest_ = beat_.dest;
    }
    void send() {
        writer_.message(kReject, record_.data(), record_.size());
        const uint64_t end[4] = {beat_.id, beat_.dest, waits_, kRejects};
        writer_.put(end, sizeof end);
        writer_.put(beat_.user, kRejects);
        record_.clear();
        waits_ = 0;
    }

    Core& core_;
    MessageWriter& writer_;
    ProtocolErrors& errors_;
    const Stall stall_;
    HandshakeRules<RejectBeat> rules_;
    RejectBeat beat_{};
    std::vector<uint8_t> record_;  // of the record under way
    uint64_t id_ = 0, dest_ = 0, waits_ = 0;
    bool ready_ = false, valid_ = false, open_ = false;
};
