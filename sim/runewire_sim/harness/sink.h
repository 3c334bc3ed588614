// The AXI4-Stream sinks: drive m_axis_tready, m_report_tready and m_records_tready, and watch these streams.
#pragma once

#include <cstring>

#include "core.h"
#include "noise.h"
#include "rules.h"
#include "tracker.h"

class Sink {
public:
    Sink(Core& core, ProtocolErrors& errors, Stall stall, Stall report_stall, Stall record_stall)
        : core_(core), errors_(errors), stall_(stall), report_stall_(report_stall), record_stall_(record_stall),
          rules_(errors, "m_axis"), report_rules_(errors, "m_report"), record_rules_(errors, "m_records") {}

    // Sets the ports for a cycle.
    void drive(uint64_t cycle) {
        ready_ = !stall_.at(cycle);
        report_ready_ = !report_stall_.at(cycle);
        core_.set_ready(ready_);
        core_.set_report_ready(report_ready_);
        record_ready_ = !record_stall_.at(cycle);
        core_.set_records_ready(record_ready_);
    }
    // Looks at the streams in a cycle; returns whether a report or a record moved.
    bool watch(uint64_t cycle, PacketTracker& tracker) {
        valid_ = core_.valid();
        if (valid_) core_.read(beat_);
        rules_.watch(cycle, valid_ ? &beat_ : nullptr, ready_);
        if (rules_.waiting()) tracker.wait();
        const bool valid = core_.report_valid();
        if (valid) core_.read_report(report_.bytes);
        report_rules_.watch(cycle, valid ? &report_ : nullptr, report_ready_);
        if (valid && !tracker.owed()) errors_.add(cycle, "m_report: valid before a packet's last beat has moved");
        if (valid && report_ready_) tracker.report(report_.bytes);
        record_valid_ = core_.record_valid();
        if (record_valid_) core_.read_record(record_.bytes);
        record_rules_.watch(cycle, record_valid_ ? &record_ : nullptr, record_ready_);
        if (record_rules_.waiting()) tracker.record_waits();
        if (record_valid_ && record_ready_) tracker.record(record_.bytes);
        return (valid && report_ready_) || (record_valid_ && record_ready_);
    }
    bool record_valid() const { return record_valid_; }
    bool handshake() const { return valid_ && ready_; }
    const OutputBeat& beat() const { return beat_; }

private:
    template <size_t size>
    struct Bytes {
        uint8_t bytes[size + 1];
        bool operator==(const Bytes& o) const { return !std::memcmp(bytes, o.bytes, size); }
    };
    using Report = Bytes<RW_REPORT>;
    using Record = Bytes<RW_RECORDS>;

    Core& core_;
    ProtocolErrors& errors_;
    const Stall stall_, report_stall_, record_stall_;
    HandshakeRules<OutputBeat> rules_;
    HandshakeRules<Report> report_rules_;
    HandshakeRules<Record> record_rules_;
    OutputBeat beat_{};
    Report report_{};
    Record record_{};
    bool ready_ = false, report_ready_ = false, record_ready_ = false, valid_ = false, record_valid_ = false;
};
