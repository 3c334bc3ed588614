// Pseudo-random numbers: stalls, sideband values and noise, all of SplitMix64, as in runewire_sim/stalls.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ull;  // the increment of SplitMix64

inline uint64_t mix(uint64_t z) {  // its finaliser
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// The lowest bits of a value.
inline uint64_t low(uint64_t value, int bits) { return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1); }

// The cycles in which one side of a stream pauses.
struct Stall {
    uint64_t key, threshold;
    bool at(uint64_t cycle) const { return mix(key + (cycle + 1) * kGolden) < threshold; }
};

// A sequence of numbers, for values that the core must ignore.
class Noise {
public:
    explicit Noise(uint64_t seed) : state_(seed) {}

    uint64_t next() { return mix(state_ += kGolden); }
    uint64_t below(uint64_t limit) { return next() % limit; }
    // Two values of the state itself: they change with every number drawn.
    uint64_t state_below(uint64_t limit) const { return state_ % limit; }
    bool state_bit() const { return state_ >> 63; }
    void fill(uint8_t* bytes, size_t from, size_t size) {
        for (size_t i = from; i < size; i += 8) {
            const uint64_t z = next();
            std::memcpy(bytes + i, &z, std::min<size_t>(8, size - i));
        }
    }

private:
    uint64_t state_;
};
