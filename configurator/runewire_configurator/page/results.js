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
  const { error, fields, records } = answer;
  const verdict = error
    ? make("p", { class: "verdict bad" }, `Bad packet: ${error.kind} at ${error.unit} ${error.offset}`)
    : answer.checked ? make("p", { class: "verdict good" }, "No error in the packet")
      : make("p", { class: "note" }, "The packer moves bytes and checks none");
  const parts = [
    verdict,
    make("dl", { class: "bytes" },
      make("dt", {}, `in, ${answer.bytes[0]} bytes`), make("dd", {}, marked(answer.packet, error)),
      make("dt", {}, `out, ${answer.bytes[1]} bytes`), make("dd", {}, answer.output || "–"),
      make("dt", {}, "out, as text"), make("dd", { class: "text" }, answer.text || "–")),
  ];
  if (records.length) {
    parts.push(make("p", {}, `Records: ${records.map((bad, index) => `${index + 1} ${bad ? "bad" : "good"}`).join(", ")}`));
  }
  const head = ["field", "bits", "value", "meaning"];
  parts.push(fields.length ? make("div", { class: "scroll" }, make("table", {},
    make("caption", {}, "Report of the packet"),
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...fields.map(({ name, bits, value, text }) => row(name, bits, String(value), text)))))
    : make("p", { class: "note" }, "This core has no report."));
  return $("answer").replaceChildren(...parts);
}

// The packet's bytes, the unit at the first error marked.
function marked(packet, error) {
  if (!error) return packet || "–";
  const bytes = packet.split(" ");
  const [start, end] = [error.at, error.at + error.unit_bytes];
  return make("span", {}, bytes.slice(0, start).join(" "), start ? " " : "",
    make("mark", {}, bytes.slice(start, end).join(" ")), " ", bytes.slice(end).join(" "));
}
