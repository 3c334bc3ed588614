// Drives one generated core at full speed: framed packets in on stdin, framed results out on stdout.
//
// The frames, the stall generator, what is sent beside the data, and the meaning of a cycle are those of
// runewire_sim/frames.py, stalls.py and sidebands.py; every simulator of runewire shares them, so that their results
// compare stamp for stamp.
//
// Compiled with RW_IN_BYTES and RW_OUT_BYTES (bytes a beat), RW_SPARSE (0, or bytes a sparse element), RW_MARK_BEATS
// (output beats of a packet that have no input beat), RW_USER, RW_ID and RW_DEST (bits of s_axis_tuser, tid, tdest),
// RW_LAST (bits of m_axis_tuser that a packet's last beat has), RW_MARKS (0, or 1 for marks of records on every beat),
// RW_REPORT (bytes of m_report_tdata, 0 without) and, for a build that writes waves, RW_WAVES_VCD or RW_WAVES_FST, or
// for one that writes code coverage, RW_COVERAGE.

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "Vtop.h"
#include "verilated.h"
#if defined(RW_COVERAGE)
#include "verilated_cov.h"
#endif
#if defined(RW_WAVES_FST)
#include "verilated_fst_c.h"
using Trace = VerilatedFstC;
#elif defined(RW_WAVES_VCD)
#include "verilated_vcd_c.h"
using Trace = VerilatedVcdC;
#endif

// Ports are copied as bytes, whatever integer or VlWide type Verilator gave them.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the harness needs a little-endian machine");

namespace {

constexpr size_t kIn = RW_IN_BYTES;
constexpr size_t kInItem = RW_IN_ITEM;
constexpr size_t kOut = RW_OUT_BYTES;
constexpr size_t kInKeep = (kIn + 7) / 8;
constexpr size_t kOutKeep = (kOut + 7) / 8;
constexpr size_t kLast = (RW_LAST + 7) / 8;
constexpr size_t kUserBits = RW_LAST + (RW_MARKS ? 2 * kOut : 0);
constexpr size_t kUser = (kUserBits + 7) / 8;
constexpr size_t kChunk = 1 << 18;
constexpr int kResetCycles = 1;
constexpr int kStartCycles = 1024;
constexpr uint64_t kTraffic = 120;      // cycles before a reset that +resets=N asks for, at most
constexpr uint64_t kLongestReset = 24;  // and of that reset
constexpr int kDrainCycles = 64;
constexpr int kMaxReports = 8;

enum Message : uint32_t { kData = 0, kEnd = 1, kProtocol = 2, kStats = 3, kReport = 4, kMarked = 8 };

[[noreturn]] void die(const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(3);
}

uint64_t mix(uint64_t z) {  // the finaliser of SplitMix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ull;

uint64_t low(uint64_t value, int bits) { return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1); }

struct Beside {  // what a packet has beside its data
    uint64_t user, id, dest;
};

Beside beside(uint64_t number) {
    const auto value = [&](int which, int bits) { return low(mix((3 * number + which + 1) * kGolden), bits); };
    return {value(0, RW_USER), value(1, RW_ID), value(2, RW_DEST)};
}

struct Stall {
    uint64_t key, threshold;
    bool at(uint64_t cycle) const { return mix(key + (cycle + 1) * kGolden) < threshold; }
};

class Writer {
public:
    void chunk(uint32_t kind, const void* bytes, size_t count) {
        uint32_t header = kind << 28 | static_cast<uint32_t>(count);
        put(&header, 4);
        put(bytes, count);
    }
    void put(const void* bytes, size_t count) {
        auto from = static_cast<const uint8_t*>(bytes);
        buffer_.insert(buffer_.end(), from, from + count);
        if (buffer_.size() >= kChunk) flush();
    }
    void flush() {
        size_t done = 0;
        while (done < buffer_.size()) {
            ssize_t n = ::write(1, buffer_.data() + done, buffer_.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) std::exit(4);  // the reader has gone; it knows why
            done += static_cast<size_t>(n);
        }
        buffer_.clear();
    }

private:
    std::vector<uint8_t> buffer_;
};

class Source {
public:
    explicit Source(Writer& writer) : writer_(writer), buffer_(kChunk) {}

    // True when a beat is to be sent; reads ahead by at most one packet header.
    bool more() {
        if (open_) return true;
        uint64_t length;
        if (!take(&length, sizeof length, true)) return false;
        remaining_ = length;
        open_ = first_ = true;
        return true;
    }
    // The number of the packet that the last beat was of, from 0.
    uint64_t number() const { return number_ - 1; }
    // Fills the kept lanes of the next beat and returns their number.
    size_t beat(uint8_t* lanes, bool& first, bool& last) {
        size_t count = static_cast<size_t>(std::min<uint64_t>(remaining_, kIn));
        take(lanes, count, false);
        remaining_ -= count;
        first = first_;
        last = remaining_ == 0;
        number_ += first_;
        first_ = false;
        open_ = !last;
        return count;
    }

private:
    bool take(void* to, size_t count, bool may_end) {
        auto out = static_cast<uint8_t*>(to);
        size_t got = 0;
        while (got < count) {
            if (at_ == end_) {
                writer_.flush();
                ssize_t n = ::read(0, buffer_.data(), buffer_.size());
                if (n < 0 && errno == EINTR) continue;
                if (n < 0) die(std::string("cannot read packets: ") + std::strerror(errno));
                if (n == 0) {
                    if (may_end && got == 0) return false;
                    die("the packet stream ends inside a packet");
                }
                at_ = 0;
                end_ = static_cast<size_t>(n);
            }
            size_t n = std::min(count - got, end_ - at_);
            std::memcpy(out + got, buffer_.data() + at_, n);
            got += n;
            at_ += n;
        }
        return true;
    }

    Writer& writer_;
    std::vector<uint8_t> buffer_;
    size_t at_ = 0, end_ = 0;
    uint64_t remaining_ = 0, number_ = 0;
    bool open_ = false, first_ = false;
};

struct OutBeat {
    uint8_t data[kOut], keep[kOutKeep], user[kUser + 1];
    uint64_t id, dest;
    bool last;
    bool operator==(const OutBeat& o) const {
        return last == o.last && id == o.id && dest == o.dest && !std::memcmp(data, o.data, kOut) && !std::memcmp(keep, o.keep, kOutKeep) &&
               !std::memcmp(user, o.user, kUser);
    }
    bool kept(size_t lane) const { return keep[lane / 8] >> (lane % 8) & 1; }
    uint8_t mark(size_t lane) const {
        const auto bit = [&](size_t at) { return user[at / 8] >> (at % 8) & 1; };
        return static_cast<uint8_t>(bit(RW_LAST + 2 * lane) | bit(RW_LAST + 2 * lane + 1) << 1);
    }
    // The fields of tuser that only a packet's last beat has; whether any of them is set.
    bool told(uint8_t* fields) const {
        uint8_t any = 0;
        for (size_t i = 0; i < kLast; ++i) {
            fields[i] = user[i];
            if (i == kLast - 1 && RW_LAST % 8) fields[i] &= (1u << (RW_LAST % 8)) - 1;
            any |= fields[i];
        }
        return any != 0;
    }
};

void keep_first(uint8_t* keep, size_t size, size_t count) {
    std::memset(keep, 0, size);
    for (size_t i = 0; i < count; ++i) keep[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
}

struct Flight {  // a packet that has entered and not yet left; cycles count from the end of reset
    uint64_t first_in, last_in, first_out, beats_in, beats_out, gaps, waits, id, dest;
};

struct Stats {
    uint64_t cycles, first_in, last_out, beats_in, beats_out, bytes_in, bytes_out;
};

uint64_t number(const char* text) { return std::strtoull(text, nullptr, 0); }

}  // namespace

int main(int argc, char** argv) {
    // What begins with a plus is for the Verilog.
    const auto words = std::find_if(argv + 1, argv + argc, [](const char* word) { return *word == '+'; }) - argv;
    if (words != 8 && words != 9)
        die("usage: SOURCE_KEY SOURCE_THRESHOLD SINK_KEY SINK_THRESHOLD REPORT_KEY WATCHDOG SEED [WAVES] [+PLUSARG]...");
    const Stall source_stall{number(argv[1]), number(argv[2])};
    const Stall sink_stall{number(argv[3]), number(argv[4])};
    [[maybe_unused]] const Stall report_stall{number(argv[5]), sink_stall.threshold};
    const uint64_t watchdog = number(argv[6]);
    uint64_t poison = number(argv[7]);

    auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(argc, argv);
    // What no reset and no initial value sets starts at random, or at 0.
    context->randReset(*context->commandArgsPlusMatch("zero=") ? 0 : 2);
    context->randSeed(static_cast<int>(poison & 0x7fffffff) | 1);
#if defined(RW_WAVES_VCD) || defined(RW_WAVES_FST)
    context->traceEverOn(true);
    context->timeunit(-9);
    context->timeprecision(-9);
#endif
    auto top = std::make_unique<Vtop>(context.get());
#if defined(RW_WAVES_VCD) || defined(RW_WAVES_FST)
    if (words != 9) die("this build writes waves and needs a file for them");
    Trace trace;
    top->trace(&trace, 99);
    trace.open(argv[8]);
    if (!trace.isOpen()) die(std::string("cannot write ") + argv[8]);
    const auto dump = [&] {
        trace.dump(context->time());
        context->timeInc(5);
    };
#else
    const auto dump = [] {};
#endif

    Writer writer;
    Source source(writer);
    std::deque<Flight> flights;
    Stats stats{};
    std::vector<uint8_t> out, marks;
    int reports = 0;
    const auto report = [&](uint64_t cycle, const std::string& what) {
        if (++reports > kMaxReports) return;
        std::string text = "cycle " + std::to_string(cycle) + ": " + what;
        writer.chunk(kProtocol, text.data(), text.size());
    };

    const auto give = [&](uint32_t kind) {
        writer.chunk(kind | (marks.empty() ? 0u : kMarked), out.data(), out.size());
        writer.put(marks.data(), marks.size());
        out.clear();
        marks.clear();
    };

    uint8_t full[kOutKeep];
    keep_first(full, kOutKeep, kOut);
    uint8_t lanes[kIn], in_keep[kInKeep];
    const auto fill_poison = [&](size_t from) {
        for (size_t i = from; i < kIn; i += 8) {
            poison += kGolden;
            uint64_t z = mix(poison);
            std::memcpy(lanes + i, &z, std::min<size_t>(8, kIn - i));
        }
    };
    const auto noise = [&] { return mix(poison += kGolden); };
    const auto drive = [&]([[maybe_unused]] const Beside& sent) {
        std::memcpy(&top->s_axis_tdata, lanes, kIn);
        std::memcpy(&top->s_axis_tkeep, in_keep, kInKeep);
#if RW_USER
        top->s_axis_tuser = low(sent.user, RW_USER);
#endif
#if RW_ID
        top->s_axis_tid = low(sent.id, RW_ID);
#endif
#if RW_DEST
        top->s_axis_tdest = low(sent.dest, RW_DEST);
#endif
    };
    const auto set_report_ready = [&]([[maybe_unused]] bool ready) {
#if RW_REPORT
        top->m_report_tready = ready;
#endif
    };
    const auto report_valid = [&]() -> bool {
#if RW_REPORT
        return top->m_report_tvalid;
#else
        return false;
#endif
    };

    const auto tick = [&] {
        top->aclk = 0;
        top->eval();
        dump();
        top->aclk = 1;
        top->eval();
        dump();
    };
    const auto restart = [&](uint64_t cycles) {
        top->aresetn = 0;
        top->s_axis_tvalid = 0;
        for (int i = 0; i < kStartCycles && (cycles || !top->s_axis_tready); ++i) {
            tick();
            if (cycles && --cycles == 0) top->aresetn = 1;
            if (cycles && top->s_axis_tready) report(0, "s_axis: ready in reset");
            if (top->m_axis_tvalid) report(0, "m_axis: valid after reset, before any input");
            if (report_valid()) report(0, "m_report: valid after reset, before any input");
        }
    };
    uint64_t state = poison;
    const auto random = [&](uint64_t below) { return mix(state += kGolden) % below; };
    // Packets that nobody looks at, for a reset to end.
    const auto traffic = [&](uint64_t cycles) {
        Beside tags{0, noise(), noise()};
        for (; cycles; --cycles) {
            if (!top->s_axis_tvalid && random(4)) {
                const bool last = !random(3);
                fill_poison(0);
                keep_first(in_keep, kInKeep, last ? random(kIn / kInItem + 1) * kInItem : kIn);
                top->s_axis_tvalid = 1;
                top->s_axis_tlast = last;
                tags.user = noise();
                drive(tags);
                if (last) tags = {0, noise(), noise()};  // a packet's beats have one tid and tdest
            }
            top->m_axis_tready = random(2);
            set_report_ready(random(2));
            top->aclk = 0;
            top->eval();
            const bool fire = top->s_axis_tready;
            tick();
            if (fire) top->s_axis_tvalid = 0;
        }
    };

    std::memset(lanes, 0, kIn);
    std::memset(in_keep, 0, kInKeep);
    drive({});
    top->s_axis_tlast = 0;
    top->m_axis_tready = 0;
    set_report_ready(false);
    // Cycle 0 is the first in which the core is ready.
    restart(kResetCycles);
    const std::string resets = context->commandArgsPlusMatch("resets=");
    for (uint64_t left = resets.empty() ? 0 : number(resets.c_str() + sizeof "+resets"); left; --left) {
        traffic(1 + random(kTraffic));
        restart(1 + random(kLongestReset));
    }

    OutBeat beat{}, held{};
    bool pending = false, in_last = false, in_first = false, holding = false, started = false;
    size_t in_count = 0;
    uint64_t quiet = 0, next_in = 0, owed = 0;  // owed: packets that have left, but not their reports
    [[maybe_unused]] uint8_t told[RW_REPORT + 1] = {}, told_before[RW_REPORT + 1] = {};
    [[maybe_unused]] bool told_waits = false;
    int drain = 0;
    for (uint64_t cycle = 0;; ++cycle) {
        bool more = pending || source.more();
        if (!more && flights.empty() && !owed && ++drain > kDrainCycles) {
            stats.cycles = cycle;
            break;
        }
        if (!pending) {
            if (more && !source_stall.at(cycle)) {
                in_count = source.beat(lanes, in_first, in_last);
                if (in_count < kIn) fill_poison(in_count);
                keep_first(in_keep, kInKeep, in_count);
                pending = true;
                top->s_axis_tvalid = 1;
                top->s_axis_tlast = in_last;
                Beside sent = beside(source.number());
                if (RW_USER && !in_last) sent.user = noise();
                drive(sent);
            } else if (top->s_axis_tvalid) {
                fill_poison(0);
                keep_first(in_keep, kInKeep, poison % (kIn + 1));
                top->s_axis_tvalid = 0;
                top->s_axis_tlast = poison >> 63;
                drive({noise(), noise(), noise()});
            }
        }
        const bool ready = !sink_stall.at(cycle);
        top->m_axis_tready = ready;
        const bool report_ready = !report_stall.at(cycle);
        set_report_ready(report_ready);
        top->aclk = 0;
        top->eval();
        dump();

        const bool in_fire = pending && top->s_axis_tready;
        const bool valid = top->m_axis_tvalid;
        const bool out_fire = valid && ready;
        if (valid) {
            std::memcpy(beat.data, &top->m_axis_tdata, kOut);
            std::memcpy(beat.keep, &top->m_axis_tkeep, kOutKeep);
#if RW_LAST || RW_MARKS
            std::memcpy(beat.user, &top->m_axis_tuser, kUser);
#endif
#if RW_ID
            beat.id = top->m_axis_tid;
#endif
#if RW_DEST
            beat.dest = top->m_axis_tdest;
#endif
            beat.last = top->m_axis_tlast;
            if (holding && !(beat == held)) report(cycle, "m_axis: the payload changed while valid waited for ready");
            if (!ready) held = beat;
        } else if (holding) {
            report(cycle, "m_axis: valid fell before ready");
        }
        holding = valid && !ready;
        if (holding && !flights.empty()) ++flights.front().waits;

        const bool told_valid = report_valid(), told_fire = told_valid && report_ready;
#if RW_REPORT
        if (told_valid) {
            std::memcpy(told, &top->m_report_tdata, RW_REPORT);
            if (told_waits && std::memcmp(told, told_before, RW_REPORT))
                report(cycle, "m_report: the payload changed while valid waited for ready");
            std::memcpy(told_before, told, RW_REPORT);
            if (!owed) report(cycle, "m_report: valid before a packet's last beat has moved");
        } else if (told_waits) {
            report(cycle, "m_report: valid fell before ready");
        }
        told_waits = told_valid && !report_ready;
        if (told_fire && owed) {
            --owed;
            writer.chunk(kReport, told, RW_REPORT);
        }
#endif

        if (in_fire) {
            // A broken core may end a packet that is still entering.
            if (in_first || flights.empty()) flights.push_back(Flight{cycle, cycle});
            Flight& flight = flights.back();
            if (cycle != next_in && flight.beats_in < 64) flight.gaps |= uint64_t{1} << flight.beats_in;
            next_in = cycle + 1;
            flight.last_in = cycle;
            ++flight.beats_in;
            if (!started) stats.first_in = cycle;
            started = true;
            ++stats.beats_in;
            stats.bytes_in += in_count;
            pending = false;
        }
        if (out_fire) {
            ++stats.beats_out;
            stats.last_out = cycle;
            if (flights.empty()) {
                report(cycle, "an output beat belongs to no packet");
            } else {
                Flight& flight = flights.front();
                if (flight.beats_out++ == 0) {
                    flight.first_out = cycle;
                    flight.id = beat.id;
                    flight.dest = beat.dest;
                } else if (beat.id != flight.id || beat.dest != flight.dest) {
                    report(cycle, "m_axis: tid or tdest changed inside a packet");
                }
                if (!std::memcmp(beat.keep, full, kOutKeep)) {
                    out.insert(out.end(), beat.data, beat.data + kOut);
#if RW_MARKS
                    for (size_t i = 0; i < kOut; ++i) marks.push_back(beat.mark(i));
#endif
                } else {
                    size_t kept = 0;
                    bool contiguous = true, stale = false, split = false;
                    [[maybe_unused]] bool marked = false;
                    for (size_t i = 0; i < kOut; ++i) {
                        if (beat.kept(i)) {
                            out.push_back(beat.data[i]);
                            contiguous &= kept++ == i;
                        } else {
                            stale |= beat.data[i] != 0;
                        }
#if RW_MARKS
                        if (beat.kept(i))
                            marks.push_back(beat.mark(i));
                        else
                            marked |= beat.mark(i) != 0;
#endif
#if RW_SPARSE
                        split |= beat.kept(i) != beat.kept(i / RW_SPARSE * RW_SPARSE);
#endif
                    }
#if RW_SPARSE
                    if (split) report(cycle, "m_axis: tkeep splits an element");
                    (void)contiguous;
#else
                    if (!contiguous) report(cycle, "m_axis: kept bytes are not contiguous from lane 0");
                    if (!beat.last) report(cycle, "m_axis: a partial beat before the last");
                    (void)split;
#endif
                    if (stale) report(cycle, "m_axis: an unkept lane is not zero");
                    if (marked) report(cycle, "m_axis: an unkept lane has a mark");
                }
                uint8_t fields[kLast + 1];
                if (beat.told(fields) && !beat.last) report(cycle, "tuser is not zero before the last beat");
                if (!beat.last && out.size() >= kChunk) {
                    stats.bytes_out += out.size();
                    give(kData);
                }
                if (beat.last) {
#if RW_SPARSE
                    if (flight.beats_out != flight.beats_in + RW_MARK_BEATS)
                        report(cycle, std::to_string(flight.beats_out) + " output beats for " +
                                          std::to_string(flight.beats_in) + " input beats");
#endif
                    stats.bytes_out += out.size();
                    give(kEnd);
                    const uint64_t end[9] = {flight.first_in, flight.last_in, flight.first_out, cycle, flight.gaps,
                                             flight.waits,    beat.id,        beat.dest,        kLast};
                    writer.put(end, sizeof end);
                    writer.put(fields, kLast);
                    flights.pop_front();
                    owed += RW_REPORT > 0;
                }
            }
        }
        quiet = in_fire || out_fire || told_fire ? 0 : quiet + 1;

        top->aclk = 1;
        top->eval();
        dump();

        if (more || !flights.empty() || owed) {
            if (quiet > watchdog) {
                stats.cycles = cycle + 1;
                report(cycle, "deadlock: no beat has moved for " + std::to_string(watchdog) + " cycles, " +
                                  std::to_string(flights.size() + owed) + " packets inside");
                break;
            }
        }
    }
    writer.chunk(kStats, &stats, sizeof stats);
    writer.flush();
    top->final();
#if defined(RW_COVERAGE)
    context->coveragep()->forcePerInstance(true);
    context->coveragep()->write();
#endif
#if defined(RW_WAVES_VCD) || defined(RW_WAVES_FST)
    trace.close();
#endif
    return 0;
}
