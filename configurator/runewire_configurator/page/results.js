// What is shown for a choice: symbol, ports, figures, command, files, and the answer to a packet.
import { $, flagged, make, row } from "./dom.js";

const picture = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

export function showView(view) {
  $("title").textContent = view.core;
  document.title = `${view.core} – runewire configurator`;
  $("notes").replaceChildren(...view.notes.map(({ field, value, reason }) => (
    make("li", {}, make("code", {}, `${field} ${value}`), " was left out: ", ...flagged(reason)))));
  $("symbol").src = picture(view.symbol);
  $("symbol").alt = `Symbol of the ${view.core}, with the width of each port; the list of ports has the same.`;
  $("ports").tBodies[0].replaceChildren(...view.ports.map(({ name, direction, width, text }) => (
    row(make("code", {}, name), String(width), `${direction}: ${text}`))));
  $("command").replaceChildren(...flagged(view.command));
  $("figures").replaceChildren(...figures(view.rows));
}

function figures(rows) {
  if (!rows.length) return [make("p", { class: "note" }, "The datasheet has no row of such a core.")];
  const [first, ...others] = rows;
  const facts = [
    ["LUT", first.luts], ["flip-flops", first.ffs], ["block RAM", first.block_rams ?? "–"],
    ["clock", `${first.clock_mhz} MHz`], ["latency", `${first.latency_cycles} cycles`, `${first.latency_ns} ns`],
    ["input", `${first.input_gigabytes} GB/s`],
  ];
  const which = first.differs.length ? "nearest row" : "row of this core";
  const parts = [
    make("dl", { class: "facts" }, ...facts.map(([name, ...values]) => make(
      "div", {}, make("dt", {}, name), ...values.map((value) => make("dd", {}, String(value)))))),
    make("p", { class: "note" }, `Datasheet, ${which}: ${first.row} on ${first.device} (speed ${first.speed}), placed `
      + `and routed.${first.differs.length ? ` It differs: ${first.differs.join("; ")}.` : ""}`),
  ];
  if (others.length) {
    const head = ["device", "row", "LUT", "FF", "MHz", "cycles"];
    parts.push(make("details", {}, make("summary", {}, `Other devices (${others.length})`), make(
      "div", { class: "scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, ...others.map((each) => row(
          each.target, each.row, String(each.luts), String(each.ffs), String(each.clock_mhz),
          String(each.latency_cycles))))))));
  }
  return parts;
}

export function showFiles({ top, files, zip }, addresses) {
  const link = (name, content, type) => {
    const address = URL.createObjectURL(new Blob([content], { type }));
    addresses.push(address);
    return make("a", { href: address, download: name }, name);
  };
  const [, verilog] = files.find(([name]) => name === `${top}.v`);
  const size = (content) => `${Math.ceil(content.length / 1024)} KiB`;
  $("files").replaceChildren(
    make("p", {}, link(`${top}.zip`, zip, "application/zip"), ` – all files, ${size(zip)}`),
    make("ul", {}, ...files.map(([name, content]) => (
      make("li", {}, link(name, content, "text/plain"), ` ${size(content)}`)))),
    make("details", {}, make("summary", {}, `Head of ${top}.v`),
      make("pre", { tabindex: 0 }, new TextDecoder().decode(verilog).split("\n").slice(0, 80).join("\n"))));
}

export function showAnswer(answer) {
  if (answer.problem) return $("answer").replaceChildren(make("p", { class: "problem" }, answer.problem));
  const [kind, verdict] = answer.verdict;
  const parts = [
    make("p", { class: kind === "note" ? kind : `verdict ${kind}` }, verdict),
    make("dl", { class: "bytes" },
      make("dt", {}, `in, ${answer.bytes[0]} bytes`), make("dd", {}, ...marked(answer.packet, answer.marks)),
      make("dt", {}, `out, ${answer.bytes[1]} bytes`), make("dd", {}, answer.output || "–"),
      make("dt", {}, "out, as text"), make("dd", { class: "text" }, answer.text || "–")),
  ];
  if (answer.records.length) {
    const words = answer.filters ? ["stays", "rejected"] : ["good", "bad"];
    const records = answer.records.map((bad, index) => `${index} ${words[Number(bad)]}`);
    parts.push(make("p", {}, `Records: ${records.join(", ")}`));
  }
  parts.push(...tables(answer));
  return $("answer").replaceChildren(...parts);
}

// What the core says of the packet, of its records, and of the packets that a splitter makes of it.
function tables({ unit, fields, packets, rejects, bad_records: bad }) {
  const found = [];
  const offset = `offset, ${unit}s`;
  const place = (error) => [error?.kind ?? "–", String(error?.offset ?? "–")];
  if (packets) {
    const checked = packets.some((each) => "error" in each);
    found.push(table(
      "Packets that leave", ["packet", "record", ...(checked ? ["kind", offset] : []), "bytes"], packets.map(
        ({ record, cut, error, output }, index) => [
          String(index), `${record}${cut ? ", cut" : ""}`, ...(checked ? place(error) : []), bytes(output)])));
  }
  if (rejects) {
    found.push(table("Rejected records, on m_rejects", ["record", "kind", offset, "too long", "bytes"], rejects.map(
      ({ record, error, long, rejected }) => [String(record), ...place(error), long ? "yes" : "–", bytes(rejected)])));
  }
  if (bad) {
    found.push(table("Ill-formed records, on m_records", ["record", "kind", offset], bad.map(
      (each) => [String(each.record), ...place(each)])));
  }
  if (fields.length) {
    found.push(table("Report of the packet", ["field", "bits", "value", "meaning"], fields.map(
      ({ name, bits, value, text }) => [name, bits, String(value), text])));
  }
  return found.length ? found : [make("p", { class: "note" }, "This core has no report.")];
}

const bytes = (hex) => make("span", { class: "hex" }, hex || "–");

function table(caption, head, rows) {
  if (!rows.length) return make("p", { class: "note" }, `${caption}: none`);
  return make("div", { class: "scroll" }, make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((cells) => row(...cells)))));
}

// The packet's bytes; the unit at each error is marked.
function marked(packet, marks) {
  if (!packet) return ["–"];
  const octets = packet.split(" ");
  const parts = [];
  let done = 0;
  for (const [start, end] of marks) {
    parts.push(octets.slice(done, start).join(" "), " ", make("mark", {}, octets.slice(start, end).join(" ")), " ");
    done = end;
  }
  return [...parts, octets.slice(done).join(" ")];
}
