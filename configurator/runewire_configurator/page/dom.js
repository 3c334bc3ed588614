// Elements of the page.

export const $ = (id) => document.getElementById(id);

// A new element: its attributes, and its content of elements and texts.
export function make(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...content);
  return element;
}

// A table row; the first cell is its head.
export function row(head, ...cells) {
  return make("tr", {}, make("th", { scope: "row" }, head), ...cells.map((cell) => make("td", {}, cell)));
}

// Text in which no line breaks inside an option: "--offset-bits".
export function flagged(text) {
  return text.split(/(?<!\w)(--?[a-z][a-z-]*)/).map((part, index) => (index % 2 ? make("span", { class: "whole-word" }, part) : part));
}
