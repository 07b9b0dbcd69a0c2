// Small helpers to build the page. Text goes in as text nodes only, so nothing that a player types becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element.
 *
 * @param {string} tag - tag name, with classes after dots: "p.note.small".
 * @param {...*} rest - first, if wanted, an object of attributes: `on` holds listeners by event name, `data` dataset
 *   entries, `text` the text; null, undefined and false leave an attribute out, true sets it empty. Then the children:
 *   nodes, texts and lists of them; empty ones are skipped.
 * @returns {HTMLElement}
 */
export function h(tag, ...rest) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElement(name), classes, rest);
}

/** Makes an SVG element; the arguments are those of `h`. */
export function svg(tag, ...rest) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElementNS(SVG, name), classes, rest);
}

function fill(element, classes, rest) {
  const [attributes, children] = rest[0]?.constructor === Object ? [rest[0], rest.slice(1)] : [{}, rest];
  if (classes.length > 0) element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key === "text") element.append(String(value));
    else element.setAttribute(key, value === true ? "" : value);
  }
  return append(element, children);
}

/** Appends nodes and texts; nested lists are flattened and empty entries skipped. */
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Replaces all children. */
export function replace(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** A label with its control below it. The control is any form element. */
export function field(label, control, hint = null) {
  return h("label.field", h("span.field-label", { text: label }), control, hint && h("span.hint", { text: hint }));
}

/** A select. `choices` are [value, label] pairs. */
export function select(choices, value, onChange, attributes = {}) {
  const options = choices.map(([key, label]) => h("option", { value: key, text: label, selected: key === value }));
  return h("select", { ...attributes, on: { change: (event) => onChange(event.target.value) } }, options);
}

/** A box to tick with its label. */
export function checkbox(label, onChange, attributes = {}) {
  const on = { change: (event) => onChange(event.target.checked) };
  return h("label.row.check", h("input", { type: "checkbox", ...attributes, on }), h("span", { text: label }));
}

/** A button. `look` is its classes, `content` what stands on it; `label` says what one with an icon alone does. */
export function button(look, content, onClick, { label = null, ...attributes } = {}) {
  const said = { "aria-label": label, title: label };
  return h(`button${look}`, { type: "button", ...said, ...attributes, on: { click: onClick } }, content);
}

/** A card of the page under a heading, by which screen readers know it. */
export function section(look, id, heading, ...content) {
  return h(`section.card${look}`, { "aria-labelledby": id }, h("h2", { id, text: heading }), content);
}

/** Wide content that scrolls by itself, by keys too. */
export function scrolling(label, ...content) {
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": label }, content);
}

/**
 * A table of figures.
 *
 * @param {string} label - what it shows.
 * @param {[string, boolean][]} heads - texts, each with whether its column holds numbers.
 * @param {...*} rows - lists of what stands in the cells, or of cells; or whole rows.
 */
export function figureTable(label, heads, rows, look = "") {
  const top = heads.map(([text, isNumber]) =>
    text === "" ? h("td") : h(`th${isNumber ? ".num" : ""}`, { scope: "col", text }),
  );
  const cell = (content, column) =>
    content instanceof HTMLTableCellElement ? content : h(heads[column][1] ? "td.num" : "td", content);
  const lines = rows.map((row) => (Array.isArray(row) ? h("tr", row.map(cell)) : row));
  return scrolling(label, h(`table.figures${look}`, h("thead", h("tr", top)), h("tbody", lines)));
}

/** The cell that says what a row of a table is about. */
export function rowHead(text) {
  return h("th", { scope: "row", text });
}

/** A cell with a number. */
export function numberCell(text, attributes = {}) {
  return h("td.num", { text, ...attributes });
}

/** Shows that there is nothing to see, with a way on. */
export function deadEnd(main, text, way) {
  replace(main, h("div.card.stack", h("p", { text }), way));
}

/** An icon from the folder `icons`, hidden from screen readers. Its colour is that of the text around it. */
export function icon(name) {
  return h(`span.icon.icon-${name}`, { "aria-hidden": "true" });
}

/** Tells screen readers what changed. A text repeated is said again. */
export function announce(text) {
  const region = document.getElementById("announcer");
  region.textContent = "";
  // A change of text is what is read out, so the new text must come in a later step than the clearing.
  window.setTimeout(() => {
    region.textContent = text;
  }, 30);
}

/** Resolves after some milliseconds. */
export function pause(milliseconds) {
  return new Promise((done) => {
    window.setTimeout(done, milliseconds);
  });
}
