// One thread of Node that does jobs on buffers, and times itself.
// A request is its header's size in eight hexadecimal digits, the header in JSON, {job, times, lengths}, and the
// packets. The answer is a line of JSON. It ends with its input.
'use strict';
const { readSync, writeSync } = require('node:fs');
const { isUtf8, transcode } = require('node:buffer');

// `made` does the work that is timed; `given` is what a program has beforehand, `answer` what is said of the results.
const same = (packet) => packet;
const size = (buffer) => buffer.length;
const toUtf16 = (packet) => transcode(packet, 'utf8', 'utf16le');
const fromUtf16 = (packet) => transcode(packet, 'utf16le', 'utf8');
const jobs = {
  validate: { given: same, made: isUtf8, answer: Number },
  decode: {
    given: same,
    made: toUtf16,
    answer: (text) => {
      let count = 0;
      for (let i = 1; i < text.length; i += 2) count += (text[i] & 0xfc) !== 0xdc;
      return count;
    },
  },
  encode: { given: same, made: fromUtf16, answer: size },
  to16: { given: same, made: toUtf16, answer: (text) => text.length / 2 },
  string: { given: same, made: (packet) => packet.toString('utf8'), answer: size },
  bytes: {
    given: same,
    made: (packet) => Buffer.from(packet.toString('utf8'), 'utf16le'),
    answer: (text) => text.length / 2,
  },
  from16: { given: same, made: fromUtf16, answer: size },
  latin1: {
    given: (packet) => [packet.toString('latin1'), Buffer.allocUnsafeSlow(2 * packet.length)],
    made: ([string, room]) => room.utf8Write(string),
    answer: Number,
  },
};

// What comes to a verdict on each line: 1 where it is well-formed.
const onLines = {
  lines: (text, starts) => {
    const lines = [];
    for (let i = 0; i + 1 < starts.length; i++) lines.push(text.subarray(starts[i], starts[i + 1]));
    const verdicts = new Uint8Array(lines.length);
    return () => {
      for (let i = 0; i < lines.length; i++) verdicts[i] = isUtf8(lines[i]);
      return verdicts;
    };
  },
  halves: (text, starts) => {
    const count = starts.length - 1;
    const verdicts = new Uint8Array(count);
    const wellFormed = (first, end) => isUtf8(text.subarray(starts[first], starts[end]));
    const search = (first, end) => {  // One of these lines at least is ill-formed.
      if (end - first === 1) {
        verdicts[first] = 0;
        return;
      }
      const middle = (first + end) >> 1;
      const left = wellFormed(first, middle);
      if (!left) search(first, middle);
      if (left || !wellFormed(middle, end)) search(middle, end);
    };
    return () => {
      verdicts.fill(1);
      if (!wellFormed(0, count)) search(0, count);
      return verdicts;
    };
  },
};

function read(size) {
  const buffer = Buffer.allocUnsafeSlow(size);
  for (let have = 0; have < size;) {
    const more = readSync(0, buffer, have, size - have);
    if (more === 0) process.exit();
    have += more;
  }
  return buffer;
}

function say(answer) {
  writeSync(1, JSON.stringify(answer) + '\n');
}

function nanoseconds() {
  const { user, system } = process.cpuUsage();
  return 1000 * (user + system);
}

function workOnLines({ job, times, lengths }) {
  const starts = [0];
  for (const length of lengths) starts.push(starts[starts.length - 1] + length);
  const judge = onLines[job](read(starts[lengths.length]), starts);
  let verdicts = judge();
  gc();
  const start = nanoseconds();
  for (let time = 0; time < times; time++) verdicts = judge();
  const took = nanoseconds() - start;
  return { nanoseconds: took, answer: verdicts.reduce((sum, good, i) => sum + (good ? 0 : i + 1), 0) };
}

function work(request) {
  if (request.job in onLines) return workOnLines(request);
  const { job, times, lengths } = request;
  const { given, made, answer } = jobs[job];
  const packets = lengths.map((length) => read(length)).map(given);
  const results = packets.map(made);
  gc();  // Here, so that it is in no sample; what it frees, the results of the sample are written to.
  const start = nanoseconds();
  for (let time = 0; time < times; time++) {
    for (let i = 0; i < packets.length; i++) results[i] = made(packets[i]);
  }
  const took = nanoseconds() - start;
  return { nanoseconds: took, answer: results.map(answer).reduce((sum, count) => sum + count, 0) };
}

say({ node: process.versions.node, simdutf: process.versions.simdutf ?? null });
for (;;) {
  const header = read(parseInt(read(8), 16));
  try {
    say(work(JSON.parse(header)));
  } catch (error) {
    say({ error: error.message });
  }
}
