// The core under test: its ports as bytes, its clock, and its waves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

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

#include "noise.h"
#include "wire_format.h"

// Ports are copied as bytes, whatever integer or VlWide type Verilator gave them.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the harness needs a little-endian machine");

constexpr size_t kIn = RW_IN_BYTES;
constexpr size_t kInItem = RW_IN_ITEM;
constexpr size_t kOut = RW_OUT_BYTES;
constexpr size_t kInKeep = (kIn + 7) / 8;
constexpr size_t kOutKeep = (kOut + 7) / 8;
constexpr size_t kLast = (RW_LAST + 7) / 8;
constexpr size_t kRejects = (RW_REJECTS + 7) / 8;
constexpr size_t kUser = (RW_LAST + (RW_MARKS ? 2 * kOut : 0) + 7) / 8;

// s_axis_tuser of a packet's last beat, and tid and tdest of all of its beats.
struct SidebandValues {
    uint64_t user, id, dest;
};

// Sets the first `count` bits of a tkeep of `size` bytes.
inline void keep_first(uint8_t* keep, size_t size, size_t count) {
    std::memset(keep, 0, size);
    for (size_t i = 0; i < count; ++i) keep[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
}

struct OutputBeat {
    uint8_t data[kOut], keep[kOutKeep], user[kUser + 1];
    uint64_t id, dest;
    bool last;

    bool operator==(const OutputBeat& o) const {
        return last == o.last && id == o.id && dest == o.dest && !std::memcmp(data, o.data, kOut) &&
               !std::memcmp(keep, o.keep, kOutKeep) && !std::memcmp(user, o.user, kUser);
    }
    bool kept(size_t lane) const { return keep[lane / 8] >> (lane % 8) & 1; }
    bool full() const {
        for (size_t lane = 0; lane < kOut; lane += 8)
            if (keep[lane / 8] != (kOut - lane < 8 ? (1u << (kOut - lane)) - 1 : 0xff)) return false;
        return true;
    }
    // The two record flags of a lane.
    uint8_t flags(size_t lane) const {
        const auto bit = [&](size_t at) { return user[at / 8] >> (at % 8) & 1; };
        return static_cast<uint8_t>(bit(RW_LAST + 2 * lane) | bit(RW_LAST + 2 * lane + 1) << 1);
    }
    // Copies the fields of tuser that a packet's last beat has; returns whether any bit is set that only it may have.
    bool last_fields(uint8_t* fields) const {
        uint8_t any = 0;
        for (size_t i = 0; i < kLast; ++i) {
            fields[i] = user[i];
            if (i == kLast - 1 && RW_LAST % 8) fields[i] &= (1u << (RW_LAST % 8)) - 1;
            any |= RW_EARLY && !i ? fields[i] & ~1u : fields[i];
        }
        return any != 0;
    }
};

// A beat of a filter's rejected records.
struct RejectBeat {
    uint8_t data[kOut], keep[kOutKeep], user[kRejects + 1];
    uint64_t id, dest;
    bool last;

    bool operator==(const RejectBeat& o) const {
        return last == o.last && id == o.id && dest == o.dest && !std::memcmp(data, o.data, kOut) &&
               !std::memcmp(keep, o.keep, kOutKeep) && !std::memcmp(user, o.user, kRejects);
    }
    bool kept(size_t lane) const { return keep[lane / 8] >> (lane % 8) & 1; }
};

class Core {
public:
    // `waves`: the file for them, null without. `seed`: of what no reset and no initial value sets.
    Core(int argc, char** argv, const char* waves, uint64_t seed) {
        context_->commandArgs(argc, argv);
        context_->randReset(*context_->commandArgsPlusMatch("zero=") ? 0 : 2);
        context_->randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
#if defined(RW_WAVES_VCD) || defined(RW_WAVES_FST)
        if (!waves) die("this build writes waves and needs a file for them");
        context_->traceEverOn(true);
        context_->timeunit(-9);
        context_->timeprecision(-9);
        top_ = std::make_unique<Vtop>(context_.get());
        top_->trace(&trace_, 99);
        trace_.open(waves);
        if (!trace_.isOpen()) die(std::string("cannot write ") + waves);
#else
        (void)waves;
        top_ = std::make_unique<Vtop>(context_.get());
#endif
        const uint8_t lanes[kIn] = {}, keep[kInKeep] = {};
        offer(lanes, keep, false, {});
        withdraw();
        top_->m_axis_tready = 0;
        set_report_ready(false);
        set_records_ready(false);
        set_rejects_ready(false);
    }

    // The value after the equals sign of the argument +name=value, empty without it.
    std::string argument(const std::string& name) const {
        const std::string found = context_->commandArgsPlusMatch((name + "=").c_str());
        return found.empty() ? "" : found.substr(name.size() + 2);
    }

    // Shows a payload on s_axis.
    void offer(const uint8_t* data, const uint8_t* keep, bool last, [[maybe_unused]] const SidebandValues& tags) {
        std::memcpy(&top_->s_axis_tdata, data, kIn);
        std::memcpy(&top_->s_axis_tkeep, keep, kInKeep);
        top_->s_axis_tlast = last;
#if RW_USER
        top_->s_axis_tuser = low(tags.user, RW_USER);
#endif
#if RW_ID
        top_->s_axis_tid = low(tags.id, RW_ID);
#endif
#if RW_DEST
        top_->s_axis_tdest = low(tags.dest, RW_DEST);
#endif
    }
    void assert_valid() { top_->s_axis_tvalid = 1; }
    void withdraw() { top_->s_axis_tvalid = 0; }
    bool offered() const { return top_->s_axis_tvalid; }
    bool ready() const { return top_->s_axis_tready; }

    void set_ready(bool ready) { top_->m_axis_tready = ready; }
    bool valid() const { return top_->m_axis_tvalid; }
    void read(OutputBeat& beat) const {
        std::memcpy(beat.data, &top_->m_axis_tdata, kOut);
        std::memcpy(beat.keep, &top_->m_axis_tkeep, kOutKeep);
#if RW_LAST || RW_MARKS
        std::memcpy(beat.user, &top_->m_axis_tuser, kUser);
#endif
#if RW_ID
        beat.id = top_->m_axis_tid;
#endif
#if RW_DEST
        beat.dest = top_->m_axis_tdest;
#endif
        beat.last = top_->m_axis_tlast;
    }

    void set_report_ready([[maybe_unused]] bool ready) {
#if RW_REPORT
        top_->m_report_tready = ready;
#endif
    }
    bool report_valid() const {
#if RW_REPORT
        return top_->m_report_tvalid;
#else
        return false;
#endif
    }
    void read_report([[maybe_unused]] uint8_t* report) const {
#if RW_REPORT
        std::memcpy(report, &top_->m_report_tdata, RW_REPORT);
#endif
    }

    void set_records_ready([[maybe_unused]] bool ready) {
#if RW_RECORDS
        top_->m_records_tready = ready;
#endif
    }
    bool record_valid() const {
#if RW_RECORDS
        return top_->m_records_tvalid;
#else
        return false;
#endif
    }
    void read_record([[maybe_unused]] uint8_t* record) const {
#if RW_RECORDS
        std::memcpy(record, &top_->m_records_tdata, RW_RECORDS);
#endif
    }
    void set_rejects_ready([[maybe_unused]] bool ready) {
#if RW_REJECTS
        top_->m_rejects_tready = ready;
#endif
    }
    bool rejects_valid() const {
#if RW_REJECTS
        return top_->m_rejects_tvalid;
#else
        return false;
#endif
    }
    void read_rejects([[maybe_unused]] RejectBeat& beat) const {
#if RW_REJECTS
        std::memcpy(beat.data, &top_->m_rejects_tdata, kOut);
        std::memcpy(beat.keep, &top_->m_rejects_tkeep, kOutKeep);
        std::memcpy(beat.user, &top_->m_rejects_tuser, kRejects);
#if RW_ID
        beat.id = top_->m_rejects_tid;
#endif
#if RW_DEST
        beat.dest = top_->m_rejects_tdest;
#endif
        beat.last = top_->m_rejects_tlast;
#endif
    }

    void set_reset(bool active) { top_->aresetn = !active; }
    // The falling edge of the clock: outputs settle.
    void fall() { clock(0); }
    // The rising edge.
    void rise() { clock(1); }

    void finish() {
        top_->final();
#if defined(RW_COVERAGE)
        context_->coveragep()->forcePerInstance(true);
        context_->coveragep()->write();
#endif
#if defined(RW_WAVES_VCD) || defined(RW_WAVES_FST)
        trace_.close();
#endif
    }

private:
    void clock(uint8_t level) {
        top_->aclk = level;
        top_->eval();
#if defined(RW_WAVES_VCD) || defined(RW_WAVES_FST)
        trace_.dump(context_->time());
        context_->timeInc(5);
#endif
    }

    std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vtop> top_;
#if defined(RW_WAVES_VCD) || defined(RW_WAVES_FST)
    Trace trace_;
#endif
};
