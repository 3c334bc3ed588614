// Resets: one at the start; with +resets=N, also N at random times inside random packets.
#pragma once

#include "core.h"
#include "noise.h"
#include "wire_format.h"

constexpr uint64_t kResetCycles = 1;
constexpr int kStartCycles = 1024;      // after a reset a core is ready by then
constexpr uint64_t kTraffic = 120;      // cycles of packets before a random reset, at most
constexpr uint64_t kLongestReset = 24;  // cycles of a random reset, at most

// Holds reset for so many cycles, and waits until the core is ready.
inline void reset(Core& core, ProtocolErrors& errors, uint64_t cycles) {
    core.set_reset(true);
    core.withdraw();
    for (int i = 0; i < kStartCycles && (cycles || !core.ready()); ++i) {
        core.fall();
        core.rise();
        if (cycles && --cycles == 0) core.set_reset(false);
        if (cycles && core.ready()) errors.add(0, "s_axis: ready in reset");
        if (core.valid()) errors.add(0, "m_axis: valid after reset, before any input");
        if (core.report_valid()) errors.add(0, "m_report: valid after reset, before any input");
        if (core.record_valid()) errors.add(0, "m_records: valid after reset, before any input");
        if (core.rejects_valid()) errors.add(0, "m_rejects: valid after reset, before any input");
    }
}

// Puts delimiters into a beat: none, few or many. Random bytes hardly ever are one.
inline void scatter(uint8_t* lanes, Noise& random) {
    const uint64_t tenths = 4 * random.below(3);
    for (size_t at = 0; at < kIn; ++at)
        if (random.below(10) < tenths) lanes[at] = RW_DELIMITER;
}

// Random packets with random handshakes, whose results are ignored. `noise` makes payloads, `random` makes times.
inline void random_traffic(Core& core, Noise& noise, Noise& random, uint64_t cycles) {
    uint8_t lanes[kIn], keep[kInKeep];
    const auto tags = [&] {
        const uint64_t id = noise.next(), dest = noise.next();
        return SidebandValues{0, id, dest};
    };
    SidebandValues packet = tags();
    for (; cycles; --cycles) {
        if (!core.offered() && random.below(4)) {
            const bool last = !random.below(3);
            noise.fill(lanes, 0, kIn);
            if constexpr (RW_DELIMITER >= 0) scatter(lanes, random);
            keep_first(keep, kInKeep, last ? random.below(kIn / kInItem + 1) * kInItem : kIn);
            packet.user = noise.next();
            core.offer(lanes, keep, last, packet);
            core.assert_valid();
            if (last) packet = tags();  // a packet's beats have one tid and tdest
        }
        core.set_ready(random.below(2));
        core.set_report_ready(random.below(2));
        if (RW_RECORDS) core.set_records_ready(random.below(2));
        if (RW_REJECTS) core.set_rejects_ready(random.below(2));
        core.fall();
        const bool handshake = core.ready();
        core.rise();
        if (handshake) core.withdraw();
    }
}

inline void random_resets(Core& core, ProtocolErrors& errors, Noise& noise, Noise random, uint64_t count) {
    for (; count; --count) {
        random_traffic(core, noise, random, 1 + random.below(kTraffic));
        reset(core, errors, 1 + random.below(kLongestReset));
    }
}
