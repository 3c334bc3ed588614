// The byte streams of runewire_sim/wire_format.py: packets from standard input, messages to standard output.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

constexpr size_t kChunk = 1 << 18;  // bytes of a read, and of output that is sent at a time

enum Message : uint32_t {
    kData = 0, kEnd = 1, kProtocol = 2, kStats = 3, kReport = 4, kReject = 5, kRecord = 6, kMarked = 8
};

[[noreturn]] inline void die(const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(3);
}

class MessageWriter {
public:
    void message(uint32_t kind, const void* bytes, size_t count) {
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

// Protocol errors, as messages; after some they say nothing new, and are dropped.
class ProtocolErrors {
public:
    explicit ProtocolErrors(MessageWriter& writer) : writer_(writer) {}

    void add(uint64_t cycle, const std::string& what) {
        if (++count_ > kMost) return;
        const std::string text = "cycle " + std::to_string(cycle) + ": " + what;
        writer_.message(kProtocol, text.data(), text.size());
    }

private:
    static constexpr int kMost = 8;
    MessageWriter& writer_;
    int count_ = 0;
};

class PacketReader {
public:
    explicit PacketReader(MessageWriter& writer) : writer_(writer), buffer_(kChunk) {}

    // Whether there is a further beat; reads ahead by at most one packet header.
    bool more() {
        if (open_) return true;
        uint64_t header[2];
        if (!take(header, sizeof header, true)) return false;
        remaining_ = header[0];
        segment_ = header[1];
        open_ = first_ = true;
        return true;
    }
    // The number, from 0, of the last beat's packet.
    uint64_t number() const { return number_ - 1; }
    // The last beat's packet by `word` of runewire_sim/segments.py, 0 for plain bytes.
    uint64_t segment() const { return segment_; }
    // Reads the bytes of the next beat, at most `width`, and returns their number. With `continues` the beat is not the
    // packet's last, even without further bytes.
    size_t beat(uint8_t* bytes, size_t width, bool& first, bool& last, bool continues = false) {
        const size_t count = static_cast<size_t>(std::min<uint64_t>(remaining_, width));
        take(bytes, count, false);
        remaining_ -= count;
        first = first_;
        last = remaining_ == 0 && !continues;
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
            const size_t n = std::min(count - got, end_ - at_);
            std::memcpy(out + got, buffer_.data() + at_, n);
            got += n;
            at_ += n;
        }
        return true;
    }

    MessageWriter& writer_;
    std::vector<uint8_t> buffer_;
    size_t at_ = 0, end_ = 0;
    uint64_t remaining_ = 0, number_ = 0, segment_ = 0;
    bool open_ = false, first_ = false;
};
