// Elements of the page, made without markup in strings: text is always text.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, listeners (onclick: f) and children; `text` is its text, undefined children are left out. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

const ICONS = {
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "m15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  points: "M6 7h.01M11 4.5h.01M7.5 12.5h.01M18 13h.01M14 18.5h.01M19 19h.01",
  open: "M12 15V4m0 0L7.5 8.5M12 4l4.5 4.5M4 16v3a1.5 1.5 0 0 0 1.5 1.5h13A1.5 1.5 0 0 0 20 19v-3",
  lessons: "M12 6.5C10 5 7 4.5 3.5 4.5v14c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2v-14C17 4.5 14 5 12 6.5Zm0 0v14",
  share: "M10 13.5a4 4 0 0 0 6 .5l3-3a4.2 4.2 0 0 0-6-6l-1 1m2 4.5a4 4 0 0 0-6-.5l-3 3a4.2 4.2 0 0 0 6 6l1-1",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm0-5.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.400 1.400M17.3 17.3l1.400 1.400M5.3 18.7l1.400-1.400M17.3 6.7l1.400-1.400",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z",
  system: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Zm0 0v17M12 7h6.5M12 12h8.5M12 17h6.5",
  brush: "M14.5 5.5l4 4M4 20l1-4.5L16.2 4.3a2 2 0 0 1 2.800 0l.7.7a2 2 0 0 1 0 2.800L8.5 19 4 20Z",
  erase: "M8.5 20.5h11M4.3 14.800 13.5 5.600a2 2 0 0 1 2.800 0l3.600 3.600a2 2 0 0 1 0 2.800l-8.5 8.5H8.2l-3.900-3.900a1.3 1.3 0 0 1 0-1.800Zm4.900-4.900 6.400 6.400",
  drag: "M12 3v18M3 12h18M12 3 9.5 5.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5",
  weight: "M12 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM7.5 8.5h9l3 12h-15l3-12Z",
  look: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  clear: "M4.5 6.5h15M9.5 6.5v-2h5v2M6.5 6.5l1 13h9l1-13M10 10.5v5.5M14 10.5v5.5",
  plus: "M12 5v14M5 12h14",
  close: "m6 6 12 12M18 6 6 18",
  first: "M6 5v14M18.5 5.5v13L9 12Z",
  back: "M15.5 5.5v13L6.5 12Z",
  play: "M7.5 4.5v15l12-7.5Z",
  pause: "M8.5 5v14M15.5 5v14",
  next: "M8.5 5.5v13l9-6.5Z",
  last: "M18 5v14M5.5 5.5v13L15 12Z",
  proved: "m5 12.5 4.5 4.5L19 7.5",
  open_question: "M12 16.5h.01M9.3 9a2.800 2.800 0 1 1 4.2 2.400c-1 .6-1.5 1.2-1.5 2.3",
  wrong: "M12 8v5m0 3.5h.01M12 3.800 2.800 19.5h18.400L12 3.800Z",
  running: "M12 3.5a8.5 8.5 0 1 0 8.5 8.5",
  copy: "M9 9h10.5v10.5H9ZM6 15H4.5V4.5H15V6",
  save: "M12 4v11m0 0 4.5-4.5M12 15l-4.5-4.5M4 19.5h16",
  chevron: "m7 10 5 5 5-5",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
};

/** An icon of 24 by 24 in the colour of the text beside it; it says nothing to a screen reader. */
export function icon(name) {
  const path = draw("path", { d: ICONS[name] });
  return draw("svg", { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true" }, path);
}

/** A button with an icon, whose label is read out and, with `named`, seen. */
export function button(name, label, onclick, { named = false, title = label, ...more } = {}) {
  const attributes = { type: "button", class: named ? "button" : "button bare", title, onclick, ...more };
  if (!named) attributes["aria-label"] = label;
  return make("button", attributes, icon(name), named && make("span", { text: label }));
}

/** Put text into an element if it is not there already: the page is laid out anew only where something changed. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
