// The AXI4-Stream source: drives s_axis with the packets from standard input.
#pragma once

#include "core.h"
#include "noise.h"
#include "wire_format.h"

class Source {
public:
    // `holes`: null bytes, by the number of the lane, as `spread` of runewire_sim/axi_stream/beats.py has them.
    Source(Core& core, PacketReader& packets, Noise& noise, Stall stall, Stall holes)
        : core_(core), packets_(packets), noise_(noise), stall_(stall), holes_(holes) {}

    // Whether a beat is offered or still to come.
    bool more() { return pending_ || packets_.more(); }
    // Sets the ports for a cycle. A beat stays until its handshake; without one the payload is noise.
    void drive(uint64_t cycle, bool more) {
        if (pending_) return;
        if (more && !stall_.at(cycle)) {
            bool& last = last_;
            if (holes_.threshold) {
                spread(last);
            } else {
                count_ = packets_.beat(lanes_, kIn, first_, last);
                std::memcpy(bytes_, lanes_, count_);
                if (count_ < kIn) noise_.fill(lanes_, count_, kIn);
                keep_first(keep_, kInKeep, count_);
            }
            pending_ = true;
            SidebandValues tags = of_packet(packets_.number(), packets_.segment());
            if (RW_USER && !last) tags.user = noise_.next();
            core_.offer(lanes_, keep_, last, tags);
            core_.assert_valid();
        } else if (core_.offered()) {
            noise_.fill(lanes_, 0, kIn);
            keep_first(keep_, kInKeep, noise_.state_below(kIn + 1));
            const bool last = noise_.state_bit();
            const uint64_t user = noise_.next(), id = noise_.next(), dest = noise_.next();
            core_.offer(lanes_, keep_, last, {user, id, dest});
            core_.withdraw();
        }
    }
    bool handshake() const { return pending_ && core_.ready(); }
    // Whether no beat is offered to a core that is ready.
    bool pauses() const { return !pending_ && core_.ready(); }
    void sent() { pending_ = false; }
    // The offered beat: whether it is its packet's first, or last, and its kept bytes.
    bool first() const { return first_; }
    bool last() const { return last_; }
    const uint8_t* bytes() const { return bytes_; }
    size_t count() const { return count_; }

private:
    // The next beat, with null bytes at any places.
    void spread(bool& last) {
        size_t lanes[kIn], width = 0;
        for (size_t lane = 0; lane < kIn; ++lane)
            if (!holes_.at(lane_++)) lanes[width++] = lane;
        const bool continues = holes_.at(lane_++);
        count_ = packets_.beat(bytes_, width, first_, last, continues);
        noise_.fill(lanes_, 0, kIn);
        std::memset(keep_, 0, kInKeep);
        for (size_t i = 0; i < count_; ++i) {
            lanes_[lanes[i]] = bytes_[i];
            keep_[lanes[i] / 8] |= static_cast<uint8_t>(1u << (lanes[i] % 8));
        }
    }
    // The tags of a packet by its number, as in runewire_sim/sidebands.py. A segment has its own flow and `more`.
    static SidebandValues of_packet(uint64_t number, [[maybe_unused]] uint64_t segment) {
        const auto value = [&](int which, int bits) { return low(mix((3 * number + which + 1) * kGolden), bits); };
        SidebandValues tags{value(0, RW_USER), value(1, RW_ID), value(2, RW_DEST)};
#if RW_FLOWS
        if (segment) {
            tags.user = low(tags.user, RW_USER - 1) | (segment >> 1 & 1) << (RW_USER - 1);
            tags.id = segment >> 2;
        }
#endif
        return tags;
    }

    Core& core_;
    PacketReader& packets_;
    Noise& noise_;
    const Stall stall_, holes_;
    uint64_t lane_ = 0;
    uint8_t lanes_[kIn] = {}, keep_[kInKeep] = {}, bytes_[kIn] = {};
    size_t count_ = 0;
    bool pending_ = false, first_ = false, last_ = false;
};
