// Small helpers to build the page. Text goes in as text nodes only, so nothing that a player types becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element.
 *
 * @param {string} tag - tag name, with classes after dots: "p.note.small".
 * @param {object} [attributes] - attributes; `on` holds listeners by event name, `data` dataset entries, `text` the
 *   text; null, undefined and false leave an attribute out, true sets it empty.
 * @param {...(Node|string|number|null|undefined|false|Array)} children - nodes and texts; empty ones are skipped.
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElement(name), classes, attributes, children);
}

/** Makes an SVG element; the arguments are those of `h`. */
export function svg(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElementNS(SVG, name), classes, attributes, children);
}

function fill(element, classes, attributes, children) {
  if (classes.length > 0) element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key === "text") element.append(String(value));
    else element.setAttribute(key, value === true ? "" : value);
  }
  append(element, children);
  return element;
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
  return h("label.field", {}, h("span.field-label", { text: label }), control, hint && h("span.hint", { text: hint }));
}

/** A select. `choices` are [value, label] pairs. */
export function select(choices, value, onChange, attributes = {}) {
  const options = choices.map(([key, label]) => h("option", { value: key, text: label, selected: key === value }));
  return h("select", { ...attributes, on: { change: (event) => onChange(event.target.value) } }, options);
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
