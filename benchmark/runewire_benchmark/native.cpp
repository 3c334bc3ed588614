// A process that does jobs with a libsimdutf, named by the first argument, and times itself.
// Its first line is JSON: {path, jobs}, or {error}. A request is a line with a job and a line of numbers: times, the place
// where packets are kept, and their number. Without a number it is about the packets that are there. Else the bytes of each
// packet follow in that line, and the packets. The answer is a line of JSON: {nanoseconds, answer}. It ends with its input.
// Functions are looked up by name, so that a library of another version serves for the jobs that it has.
#include <dlfcn.h>
#include <time.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Result {  // simdutf::result, and simdutf_result
  int error;
  std::size_t count;
};
using Check = bool (*)(const void *, std::size_t);
using Convert = std::size_t (*)(const void *, std::size_t, void *);
using Length = std::size_t (*)(const void *, std::size_t);
using Validate = Result (*)(const void *, std::size_t);
using Attempt = Result (*)(const void *, std::size_t, void *);

enum Kind { check, convert, replacing, lines, onwards, drop_lines, drop_blocks, drop_onwards };

// A function by its C name, from 8.0 on, or as the Itanium ABI names that of C++.
struct Name {
  const char *c, *cxx;
};

struct Job {
  const char *name;
  Kind kind;
  int unit, room;  // bytes of a unit that is read, and the most bytes that are written for one
  Name function, length;
  std::size_t block = 0;  // least bytes of the lines that are checked at once
};

const Name validate_utf8 = {"simdutf_validate_utf8", "_ZN7simdutf13validate_utf8EPKcm"};
const Name find_error = {"simdutf_validate_utf8_with_errors", "_ZN7simdutf25validate_utf8_with_errorsEPKcm"};

const Job jobs[] = {
    {"validate", check, 1, 0, validate_utf8, {}},
    {"check utf-16le", check, 2, 0, {"simdutf_validate_utf16le", "_ZN7simdutf16validate_utf16leEPKDsm"}, {}},
    {"check utf-32le", check, 4, 0, {"simdutf_validate_utf32", "_ZN7simdutf14validate_utf32EPKDim"}, {}},
    {"decode", convert, 1, 4, {"simdutf_convert_utf8_to_utf32", "_ZN7simdutf21convert_utf8_to_utf32EPKcmPDi"}, {}},
    {"utf-8 to utf-16le", convert, 1, 2,
     {"simdutf_convert_utf8_to_utf16le", "_ZN7simdutf23convert_utf8_to_utf16leEPKcmPDs"}, {}},
    {"utf-16le to utf-8", convert, 2, 3,
     {"simdutf_convert_utf16le_to_utf8", "_ZN7simdutf23convert_utf16le_to_utf8EPKDsmPc"}, {}},
    {"utf-16le to utf-8, replacing", convert, 2, 3,
     {"simdutf_convert_utf16le_to_utf8_with_replacement", "_ZN7simdutf40convert_utf16le_to_utf8_with_replacementEPKDsmPc"},
     {}},
    {"latin-1 to utf-8", convert, 1, 2,
     {"simdutf_convert_latin1_to_utf8", "_ZN7simdutf22convert_latin1_to_utf8EPKcmPc"}, {}},
    {"encode", convert, 4, 4, {"simdutf_convert_utf32_to_utf8", "_ZN7simdutf21convert_utf32_to_utf8EPKDimPc"}, {}},
    {"decode, replacing", replacing, 1, 4,
     {"simdutf_convert_utf8_to_utf32_with_errors", "_ZN7simdutf33convert_utf8_to_utf32_with_errorsEPKcmPDi"},
     {"simdutf_count_utf8", "_ZN7simdutf10count_utf8EPKcm"}},
    {"utf-8 to utf-16le, replacing", replacing, 1, 2,
     {"simdutf_convert_utf8_to_utf16le_with_errors", "_ZN7simdutf35convert_utf8_to_utf16le_with_errorsEPKcmPDs"},
     {"simdutf_utf16_length_from_utf8", "_ZN7simdutf22utf16_length_from_utf8EPKcm"}},
    {"lines", lines, 1, 0, validate_utf8, {}},
    {"onwards", onwards, 1, 0, find_error, {}},
    {"drop, line by line", drop_lines, 1, 1, validate_utf8, {}},
    {"drop, blocks of 512 bytes", drop_blocks, 1, 1, validate_utf8, {}, 512},
    {"drop, blocks of 4 KiB", drop_blocks, 1, 1, validate_utf8, {}, 4096},
    {"drop, onwards", drop_onwards, 1, 1, find_error, {}},
};

void *found(void *library, const Name &name) {
  void *function = dlsym(library, name.c);
  return function ? function : dlsym(library, name.cxx);
}

// Bytes of the ill-formed sequence at `text`, which one U+FFFD replaces: the longest beginning of a character.
std::size_t subpart(const unsigned char *text, std::size_t left) {
  const unsigned char first = text[0];
  if (first < 0xE0 || first > 0xF4 || left < 2) return 1;
  const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (text[1] < least || text[1] > most) return 1;
  return first < 0xF0 || left < 3 || (text[2] & 0xC0) != 0x80 ? 2 : 3;
}

// The library converts up to each error; this loop writes U+FFFD and goes on behind it.
std::size_t replace(const Job &job, Attempt attempt, Length length, const unsigned char *text, std::size_t size,
                    unsigned char *output) {
  std::size_t made = 0;
  for (std::size_t at = 0;;) {
    const Result result = attempt(text + at, size - at, output + job.room * made);
    if (!result.error) return made + result.count;
    made += length(text + at, result.count);
    const char16_t narrow = 0xFFFD;
    const char32_t wide = 0xFFFD;
    std::memcpy(output + job.room * made, job.room == 2 ? static_cast<const void *>(&narrow) : &wide, job.room);
    made++;
    at += result.count;
    at += subpart(text + at, size - at);
    if (at == size) return made;
  }
}

using Bytes = const unsigned char *;

// The place behind the first LF from `at` on, or `end`.
Bytes behind_line(Bytes at, Bytes end) {
  const void *found = std::memchr(at, '\n', end - at);
  return found ? static_cast<Bytes>(found) + 1 : end;
}

// The place behind the last LF before `at`, or `start`.
Bytes line_start(Bytes start, Bytes at) {
  while (at > start && at[-1] != '\n') at--;
  return at;
}

// Copies the well-formed lines, each checked by itself.
unsigned char *keep_lines(Check valid, Bytes text, Bytes end, unsigned char *output) {
  for (Bytes next; text < end; text = next) {
    next = behind_line(text, end);
    if (!valid(text, next - text)) continue;
    std::memcpy(output, text, next - text);
    output += next - text;
  }
  return output;
}

// Copies the well-formed lines: all at once, or else those of each half.
unsigned char *keep(Check valid, Bytes text, Bytes end, unsigned char *output) {
  if (valid(text, end - text)) {
    std::memcpy(output, text, end - text);
    return output + (end - text);
  }
  const Bytes half = text + (end - text) / 2;
  Bytes middle = behind_line(half, end);
  if (middle == end) middle = line_start(text, half);
  if (middle == text) return output;  // one line
  output = keep(valid, text, middle, output);
  return keep(valid, middle, end, output);
}

// Copies the well-formed lines; checks blocks of whole lines, `block` bytes at least.
unsigned char *keep_blocks(Check valid, Bytes text, Bytes end, unsigned char *output, std::size_t block) {
  while (text < end) {
    const Bytes next = end - text > static_cast<std::ptrdiff_t>(block) ? behind_line(text + block - 1, end) : end;
    output = keep(valid, text, next, output);
    text = next;
  }
  return output;
}

// Copies the well-formed lines; after an error it goes on behind its line.
unsigned char *keep_onwards(Validate find, Bytes text, Bytes end, unsigned char *output) {
  while (text < end) {
    const Result result = find(text, end - text);
    const Bytes bad = text + result.count, good = result.error ? line_start(text, bad) : end;
    std::memcpy(output, text, good - text);
    output += good - text;
    text = result.error ? behind_line(bad, end) : end;
  }
  return output;
}

unsigned int crc32(const unsigned char *text, std::size_t size) {
  unsigned int crc = ~0U;
  for (std::size_t i = 0; i < size; i++) {
    crc ^= text[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

struct Packets {
  std::vector<std::size_t> starts;
  std::vector<unsigned char> text;
};
Packets places[4];
std::vector<unsigned char> output;  // of all requests, so that none pays for new pages

struct Request {
  const Job *job;
  const std::vector<std::size_t> &starts;
  const std::vector<unsigned char> &text;
  void *function, *length;
  std::vector<unsigned char> verdicts;

  // The sum of units made or of packets that are well-formed; the bytes of lines that are kept.
  std::size_t once() {
    const std::size_t count = starts.size() - 1;
    std::size_t sum = 0;
    const unsigned char *const whole = text.data();
    switch (job->kind) {
      case check:
        for (std::size_t i = 0; i < count; i++)
          sum += reinterpret_cast<Check>(function)(whole + starts[i], (starts[i + 1] - starts[i]) / job->unit);
        return sum;
      case convert:
        for (std::size_t i = 0; i < count; i++)
          sum += reinterpret_cast<Convert>(function)(whole + starts[i], (starts[i + 1] - starts[i]) / job->unit,
                                                     output.data());
        return sum;
      case replacing:
        for (std::size_t i = 0; i < count; i++)
          sum += replace(*job, reinterpret_cast<Attempt>(function), reinterpret_cast<Length>(length),
                         whole + starts[i], starts[i + 1] - starts[i], output.data());
        return sum;
      case lines:
        for (std::size_t i = 0; i < count; i++)
          verdicts[i] = reinterpret_cast<Check>(function)(whole + starts[i], starts[i + 1] - starts[i]);
        break;
      case onwards:
        std::memset(verdicts.data(), 1, count);
        for (std::size_t i = 0; i < count; i++) {
          const Result result = reinterpret_cast<Validate>(function)(whole + starts[i], starts[count] - starts[i]);
          if (!result.error) break;
          const std::size_t at = starts[i] + result.count;
          // The line of an error is looked for in steps that double: it may be the next, or far away.
          std::size_t step = 1;
          while (i + step < count && starts[i + step] <= at) i += step, step *= 2;
          for (; step; step /= 2)
            if (i + step < count && starts[i + step] <= at) i += step;
          verdicts[i] = 0;
        }
        break;
      case drop_lines:
        return keep_lines(reinterpret_cast<Check>(function), whole, whole + starts[count], output.data()) - output.data();
      case drop_blocks:
        return keep_blocks(reinterpret_cast<Check>(function), whole, whole + starts[count], output.data(), job->block) -
               output.data();
      case drop_onwards:
        return keep_onwards(reinterpret_cast<Validate>(function), whole, whole + starts[count], output.data()) -
               output.data();
    }
    return sum;
  }

  // The sum; of verdicts that of the numbers, from 1, of ill-formed lines; of lines that are kept their CRC-32.
  std::size_t answer(std::size_t sum) const {
    if (job->kind >= drop_lines) return crc32(output.data(), sum);
    for (std::size_t i = 0; i < verdicts.size(); i++) sum += verdicts[i] ? 0 : i + 1;
    return sum;
  }
};

long long nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1000000000LL * now.tv_sec + now.tv_nsec;
}

std::string quoted(const char *text) {
  std::string made = "\"";
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') made += '\\';
    made += static_cast<unsigned char>(*text) < 0x20 ? ' ' : *text;
  }
  return made + '"';
}

bool serve(void *library) {
  char name[80];
  unsigned long times, place, count;
  if (!std::fgets(name, sizeof name, stdin) || std::scanf("%lu %lu", &times, &place) != 2 || place > 3) return false;
  name[std::strcspn(name, "\n")] = 0;
  Packets &packets = places[place];
  if (std::getchar() == ' ') {
    if (std::scanf("%lu", &count) != 1) return false;
    packets.starts.assign(1, 0);
    for (unsigned long i = 0, length; i < count; i++) {
      if (std::scanf("%lu", &length) != 1) return false;
      packets.starts.push_back(packets.starts.back() + length);
    }
    std::getchar();
    packets.text.resize(packets.starts.back());
    if (std::fread(packets.text.data(), 1, packets.text.size(), stdin) != packets.text.size()) return false;
  }
  const Job *job = nullptr;
  for (const Job &known : jobs)
    if (!std::strcmp(known.name, name)) job = &known;
  if (!job) {
    std::printf("{\"error\": \"no such job\"}\n");
  } else {
    Request request{job, packets.starts, packets.text, found(library, job->function),
                    job->length.c ? found(library, job->length) : nullptr, {}};
    const std::size_t room = (packets.text.size() / job->unit + 64) * job->room;
    if (output.size() < room) output.resize(room);
    if (job->kind == lines || job->kind == onwards) request.verdicts.resize(packets.starts.size() - 1);
    std::size_t sum = request.once();
    const long long start = nanoseconds();
    for (unsigned long time = 0; time < times; time++) sum = request.once();
    const long long took = nanoseconds() - start;
    std::printf("{\"nanoseconds\": %lld, \"answer\": %zu}\n", took, request.answer(sum));
  }
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int, char **arguments) {
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (!library) {
    std::printf("{\"error\": %s}\n", quoted(dlerror()).c_str());
    return 1;
  }
  std::string names, path = quoted(arguments[1]);
  for (const Job &job : jobs) {
    void *function = found(library, job.function);
    if (!function || (job.length.c && !found(library, job.length))) continue;
    Dl_info info;
    if (dladdr(function, &info) && info.dli_fname) path = quoted(info.dli_fname);
    names += (names.empty() ? "" : ", ") + quoted(job.name);
  }
  std::printf("{\"path\": %s, \"jobs\": [%s]}\n", path.c_str(), names.c_str());
  std::fflush(stdout);
  while (serve(library)) {
  }
}
