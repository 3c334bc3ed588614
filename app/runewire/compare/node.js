// One thread of Node that does jobs on buffers, and times itself.
// A request is its header's size in eight hexadecimal digits, the header in JSON, {job, times, lengths}, and the
// packets, bytes of UTF-8. The answer is a line of JSON. It ends with its input.
'use strict';
const { readSync, writeSync } = require('node:fs');
const { isUtf8, transcode } = require('node:buffer');

// `made` does the work that is timed; `given` is what a program has beforehand, `answer` what is said of the results.
const jobs = {
  validate: { given: (packet) => packet, made: isUtf8, answer: Number },
  decode: {
    given: (packet) => packet,
    made: (packet) => transcode(packet, 'utf8', 'utf16le'),
    answer: (text) => {
      let count = 0;
      for (let i = 1; i < text.length; i += 2) count += (text[i] & 0xfc) !== 0xdc;
      return count;
    },
  },
  encode: {
    given: (packet) => transcode(packet, 'utf8', 'utf16le'),
    made: (text) => transcode(text, 'utf16le', 'utf8'),
    answer: (bytes) => bytes.length,
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

function work({ job, times, lengths }) {
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
