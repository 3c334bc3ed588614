// A simulator of one core at full speed: packets from standard input, results to standard output.
//
// Every simulator of runewire shares the byte streams (wire_format.py), the stalls (stalls.py), the sidebands
// (sidebands.py) and the meaning of a cycle, so that their results are equal to the cycle.
//
// Macros: RW_IN_BYTES and RW_OUT_BYTES (bytes of a beat), RW_IN_ITEM (bytes of a unit of the source), RW_SPARSE (bytes of
// an element that tkeep may leave out, 0 without), RW_MARK_BEATS (output beats of a packet for an added byte order mark),
// RW_PACKED (bytes of the beats behind a packer or a splitter at the input, 0 without), RW_SPLIT (the delimiter after which
// the input is split into packets, -1 without), RW_DROP_DELIMITER, RW_DROP_EMPTY and RW_LONGEST (0 without) of a splitter,
// RW_DELIMITER (the byte that ends a record, -1 without), RW_USER, RW_ID and RW_DEST (bits of s_axis_tuser, tid and tdest), RW_FLOWS (1 with flows), RW_LAST (bits of
// m_axis_tuser in a packet's last beat), RW_MARKS (1 with record flags on every beat), RW_REPORT (bytes of
// m_report_tdata, 0 without), RW_RECORDS (bytes of m_records_tdata, 0 without), RW_REJECTS (bits of m_rejects_tuser, 0
// without), and at most one of RW_WAVES_VCD, RW_WAVES_FST (waves) and RW_COVERAGE (code coverage).

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core.h"
#include "noise.h"
#include "rejects.h"
#include "resets.h"
#include "sink.h"
#include "source.h"
#include "tracker.h"
#include "wire_format.h"

namespace {

// A core must stay silent that long after its last packet; a record report comes later than the packet.
constexpr int kDrainCycles = RW_RECORDS ? 256 : 64;

uint64_t number(const char* text) { return std::strtoull(text, nullptr, 0); }

// Plays all packets. Cycle 0 is the first in which the core is ready.
void play(Core& core, Source& source, Sink& sink, RejectsSink& rejects, PacketTracker& tracker, ProtocolErrors& errors,
          uint64_t watchdog) {
    int drained = 0;
    uint64_t quiet = 0;
    for (uint64_t cycle = 0;; ++cycle) {
        const bool more = source.more();
        if (sink.record_valid()) drained = 0;
        const bool idle = !more && !tracker.inside() && !rejects.inside();
        if (idle && ++drained > kDrainCycles) return tracker.finish(cycle);
        source.drive(cycle, more);
        sink.drive(cycle);
        rejects.drive(cycle);
        core.fall();
        const bool entered = source.handshake(), reported = sink.watch(cycle, tracker), left = sink.handshake();
        const bool rejected = rejects.watch(cycle);
        if (entered) {
            tracker.enter(cycle, source.first(), source.last(), source.bytes(), source.count());
            source.sent();
        } else if (source.pauses()) {
            tracker.pause();
        }
        if (left) tracker.leave(cycle, sink.beat());
        quiet = entered || left || reported || rejected ? 0 : quiet + 1;
        core.rise();
        if (!idle && quiet > watchdog) {
            errors.add(cycle, "deadlock: no beat has moved for " + std::to_string(watchdog) + " cycles, " +
                                  std::to_string(tracker.inside()) + " packets inside");
            return tracker.finish(cycle + 1);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    // Arguments that begin with a plus are for the Verilog.
    const auto words = std::find_if(argv + 1, argv + argc, [](const char* word) { return *word == '+'; }) - argv;
    if (words != 14 && words != 15)
        die("usage: SOURCE_KEY SOURCE_THRESHOLD SINK_KEY SINK_THRESHOLD REPORT_KEY WATCHDOG HOLES_KEY HOLES_THRESHOLD SEED "
            "REJECTS_KEY REJECTS_THRESHOLD RECORDS_KEY RECORDS_THRESHOLD [WAVES] [+PLUSARG]...");
    const Stall source_stall{number(argv[1]), number(argv[2])}, sink_stall{number(argv[3]), number(argv[4])};
    const Stall report_stall{number(argv[5]), sink_stall.threshold};
    const Stall holes{number(argv[7]), number(argv[8])};
    const uint64_t seed = number(argv[9]);
    const Stall rejects_stall{number(argv[10]), number(argv[11])}, record_stall{number(argv[12]), number(argv[13])};

    MessageWriter writer;
    ProtocolErrors errors(writer);
    PacketReader packets(writer);
    Noise noise(seed);
    Core core(argc, argv, words == 15 ? argv[14] : nullptr, seed);
    Source source(core, packets, noise, source_stall, holes);
    Sink sink(core, errors, sink_stall, report_stall, record_stall);
    RejectsSink rejects(core, writer, errors, rejects_stall);
    PacketTracker tracker(writer, errors);

    reset(core, errors, kResetCycles);
    random_resets(core, errors, noise, Noise(seed), number(core.argument("resets").c_str()));
    play(core, source, sink, rejects, tracker, errors, number(argv[6]));
    core.finish();
    return 0;
}
