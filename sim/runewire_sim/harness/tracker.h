// Matches the packets that leave the core with those that entered, and writes them as messages.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core.h"
#include "rules.h"
#include "wire_format.h"

class PacketTracker {
public:
    PacketTracker(MessageWriter& writer, ProtocolErrors& errors) : writer_(writer), errors_(errors) {}

    // Packets that entered, at least in part, and have not left, or whose report has not.
    size_t inside() const { return flights_.size() + owed_; }
    // Packets that left without their reports.
    uint64_t owed() const { return owed_; }

    // A pause of the source: a cycle in which the core is ready and no beat is offered.
    void pause() { gap_ = true; }
    // An input beat's handshake, with its kept bytes.
    void enter(uint64_t cycle, bool first, bool last, const uint8_t* bytes, size_t count) {
        if (RW_SPLIT >= 0)
            enter_records(cycle, last, bytes, count);
        else
            enter_packet(cycle, first, count);
        gap_ = false;
        if (!stats_.beats_in) stats_.first_in = cycle;
        ++stats_.beats_in;
        stats_.bytes_in += count;
    }
    void enter_packet(uint64_t cycle, bool first, size_t count) {
        // A broken core may end a packet that is still entering.
        if (first || flights_.empty()) flights_.push_back(Flight{cycle, cycle});
        Flight& flight = flights_.back();
        if (gap_ && flight.beats_in < 64) flight.gaps |= uint64_t{1} << flight.beats_in;
        flight.last_in = cycle;
        ++flight.beats_in;
        flight.add(count);
    }
    // Behind a splitter each record counts as a packet that entered.
    void enter_records(uint64_t cycle, bool last, const uint8_t* bytes, size_t count) {
        for (size_t at = 0; at < count; ++at) {
            const bool ends = bytes[at] == RW_SPLIT;
            if (ends && !record_ && RW_DROP_EMPTY) continue;
            const bool stays = !ends || !RW_DROP_DELIMITER;
            if (stays && open_ && RW_LONGEST && !flights_.empty() && flights_.back().size == RW_LONGEST) open_ = false;
            // A broken core may end a packet that is still entering.
            if (!open_ || flights_.empty()) flights_.push_back(Flight{cycle, cycle});
            Flight& flight = flights_.back();
            if (!flight.beats_in || flight.last_in != cycle) {
                if (gap_ && flight.beats_in < 64) flight.gaps |= uint64_t{1} << flight.beats_in;
                ++flight.beats_in;
            }
            flight.last_in = cycle;
            if (stays) flight.add(1);
            open_ = record_ = !ends;
        }
        if (last) open_ = record_ = false;
    }
    // A cycle in which an output beat waits.
    void wait() {
        if (!flights_.empty()) ++flights_.front().waits;
    }
    // A report's handshake.
    void report(const uint8_t* bytes) {
        if (!owed_) return;
        --owed_;
        writer_.message(kReport, bytes, RW_REPORT);
    }
    // A handshake of the record report.
    void record(const uint8_t* bytes) {
        writer_.message(kRecord, bytes, RW_RECORDS);
        writer_.put(&record_waits_, sizeof record_waits_);
        record_waits_ = 0;
    }
    // A cycle in which a beat of the record report waits.
    void record_waits() { ++record_waits_; }
    // An output beat's handshake.
    void leave(uint64_t cycle, const OutputBeat& beat) {
        ++stats_.beats_out;
        stats_.last_out = cycle;
        if (flights_.empty()) {
            errors_.add(cycle, "an output beat belongs to no packet");
            return;
        }
        Flight& flight = flights_.front();
        if (flight.beats_out++ == 0) {
            flight.first_out = cycle;
            flight.id = beat.id;
            flight.dest = beat.dest;
        } else if (beat.id != flight.id || beat.dest != flight.dest) {
            errors_.add(cycle, "m_axis: tid or tdest changed inside a packet");
        }
        check_shape(errors_, cycle, beat);
        append(beat);
        uint8_t fields[kLast + 1];
        if (beat.last_fields(fields) && !beat.last) errors_.add(cycle, "tuser is not zero before the last beat");
        if (RW_EARLY) {
            const bool flagged = fields[0] & 1;
            if (flight.known && !flagged) errors_.add(cycle, "the error bit falls inside a packet");
            flight.known |= flagged;
            flight.unflagged += !flight.known;
        }
        if (!beat.last && out_.size() >= kChunk) send(kData);
        if (!beat.last) return;
        // A packet's last beat ends a second row behind the packer, if it more than fills the first.
        const uint64_t beats = RW_PACKED ? flight.rows + 1 + (flight.filled > kPacked) : flight.beats_in;
        if (RW_SPARSE && !RW_FLOWS && flight.beats_out != beats + RW_MARK_BEATS)
            errors_.add(cycle, std::to_string(flight.beats_out) + " output beats for " +
                                   std::to_string(flight.beats_in) + " input beats");
        send(kEnd);
        const uint64_t end[10] = {flight.first_in, flight.last_in, flight.first_out,  cycle, flight.gaps,
                                  flight.waits,    beat.id,        beat.dest,         flight.unflagged, kLast};
        writer_.put(end, sizeof end);
        writer_.put(fields, kLast);
        flights_.pop_front();
        owed_ += RW_REPORT > 0;
    }
    // The figures of the run, after `cycles` cycles.
    void finish(uint64_t cycles) {
        stats_.cycles = cycles;
        writer_.message(kStats, &stats_, sizeof stats_);
        writer_.flush();
    }

private:
    static constexpr uint64_t kPacked = RW_PACKED ? RW_PACKED : 1;
    struct Flight {  // a packet inside; cycles count from the end of reset
        uint64_t first_in, last_in, first_out, beats_in, beats_out, gaps, waits, id, dest, rows, filled, unflagged, size;
        bool known;

        void add(size_t count) {
            size += count;
            if (!RW_PACKED) return;
            rows += filled / kPacked;
            filled = filled % kPacked + count;
        }
    };
    struct Stats {
        uint64_t cycles, first_in, last_out, beats_in, beats_out, bytes_in, bytes_out;
    };

    void append(const OutputBeat& beat) {
        const bool full = beat.full();
        if (full) out_.insert(out_.end(), beat.data, beat.data + kOut);
        for (size_t lane = 0; lane < kOut && !(full && !RW_MARKS); ++lane) {
            if (!beat.kept(lane)) continue;
            if (!full) out_.push_back(beat.data[lane]);
            if (RW_MARKS) flags_.push_back(beat.flags(lane));
        }
    }
    void send(uint32_t kind) {
        stats_.bytes_out += out_.size();
        writer_.message(kind | (flags_.empty() ? 0u : kMarked), out_.data(), out_.size());
        writer_.put(flags_.data(), flags_.size());
        out_.clear();
        flags_.clear();
    }

    MessageWriter& writer_;
    ProtocolErrors& errors_;
    std::deque<Flight> flights_;
    std::vector<uint8_t> out_, flags_;  // of the packet under way: bytes, and their record flags
    Stats stats_{};
    uint64_t owed_ = 0, record_waits_ = 0;
    bool gap_ = false;                    // the source has paused since the beat before
    bool open_ = false, record_ = false;  // behind a splitter: a packet is entering, and its record has a byte
};
