// The form: a control for each option of the command. What cannot be combined is greyed, with the reason.
import { flagged, make } from "./dom.js";

const TITLES = {
  from: "From", to: "To", lanes: "Lanes", bom: "Byte order mark", user: "tuser bits", id: "tid bits",
  dest: "tdest bits", records: "Record delimiter", rejects: "Rejected records", split: "Records to packets", longest: "Longest record",
  empty: "Empty records", count: "Counters", "report-port": "Report port", package: "Packages",
};

const title = (name) => TITLES[name] ?? name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");

export class Form {
  // `changed` is called with a field's name and its new text.
  constructor(element, fields, changed) {
    this.fields = new Map();
    this.changed = changed;
    const sections = [...element.querySelectorAll("[data-fields]")];
    for (const given of fields) {
      const field = given.kind === "flag" ? { ...given, kind: "one" } : given;
      const named = sections.find((section) => section.dataset.fields.split(" ").includes(field.name));
      (named ?? sections.at(-1)).append(this.control(field));
    }
    for (const section of sections) section.hidden = !section.querySelector(".field");
    element.addEventListener("submit", (event) => event.preventDefault());
  }

  control(field) {
    const inputs = new Map();
    const hint = make("p", { class: "hint", id: `${field.name}-hint` }, field.help);
    const reason = make("ul", { class: "reasons", id: `${field.name}-reason` });
    const described = { "aria-describedby": `${hint.id} ${reason.id}` };
    const flag = make("code", { class: "flag" }, field.name === "core" ? "CORE" : `--${field.name}`);
    let box;
    if (field.kind === "one" || field.kind === "several") {
      const values = make("div", { class: field.kind === "one" ? "values" : "list" });
      for (const value of field.values) {
        const type = field.kind === "one" ? "radio" : "checkbox";
        const input = make("input", { type, name: field.name, value });
        inputs.set(value, input);
        const meaning = field.kind === "several" ? [make("small", {}, field.texts[value])] : [];
        values.append(make("label", {}, input, make("span", {}, value, ...meaning)));
      }
      box = make("fieldset", { class: "field", ...described }, make("legend", {}, title(field.name), " ", flag), values);
      box.addEventListener("change", () => this.changed(field.name, this.text(field.name)));
    } else {
      const id = `field-${field.name}`;
      const input = field.kind === "encoding"
        ? make("select", { id, ...described }, ...field.values.map(
          (value) => make("option", { value }, field.texts[value] ?? value)))
        : make("input", { id, type: "text", size: 6, maxlength: 8, inputmode: field.kind === "number" ? "numeric" : "text",
          placeholder: field.kind === "byte" ? "none" : field.default, ...described });
      inputs.set("", input);
      box = make("div", { class: "field" }, make("label", { for: id }, title(field.name), " ", flag), input);
      input.addEventListener("change", () => this.changed(field.name, this.text(field.name)));
    }
    box.classList.toggle("whole", field.values.length > 3 && field.kind !== "encoding");
    box.append(hint, reason);
    this.fields.set(field.name, { field, box, inputs, hint, reason });
    return box;
  }

  // The text of a field as the user has it; "" for the default.
  text(name) {
    const { field, inputs } = this.fields.get(name);
    if (field.kind === "one" || field.kind === "several") {
      const chosen = [...inputs].filter(([, input]) => input.checked).map(([value]) => value);
      return chosen.join() === field.default ? "" : chosen.join();
    }
    const text = inputs.get("").value.trim();
    return text === field.default ? "" : text;
  }

  // Show a view's values and reasons. A text that was left out stays in its field, with the reason.
  show(view) {
    for (const [name, { field, box, inputs, hint, reason }] of this.fields) {
      const { value, impossible, disabled } = view.fields[name];
      const wrong = new Set(impossible.flatMap(({ values }) => values));
      const left = view.notes.find((note) => note.field === name);
      box.classList.toggle("disabled", disabled);
      for (const [each, input] of inputs) {
        if (field.kind === "one" || field.kind === "several") {
          if (each === value && field.kind === "one") hint.textContent = field.texts[value] ?? field.help;
          input.checked = field.kind === "one" ? each === value : value.split(",").includes(each);
          input.disabled = wrong.has(each) && !input.checked;
        } else {
          input.disabled = disabled;
          const typed = field.kind !== "encoding" && left && !disabled;
          input.setAttribute("aria-invalid", Boolean(typed));
          input.value = typed ? left.value : value === field.default && field.kind !== "encoding" ? "" : value;
        }
      }
      const lines = disabled ? [impossible[0].reason] : impossible.map(({ values, reason: text }) => (
        values.length ? `${values.join(", ")}: ${text}` : text));
      if (left && !disabled && field.kind !== "one") lines.unshift(left.reason);
      reason.replaceChildren(...lines.map((line) => make("li", {}, ...flagged(line))));
    }
  }
}
