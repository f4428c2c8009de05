// The strip of drawing tools: what a press on a stage does, for which class, and how wide the brush is.

import { LABELS, MAX_CLASSES } from "lab/dataset.js";
import { button, draw, icon, make, write } from "lab/elements.js";

const TOOLS = [
  ["brush", "Draw", "Press and move to add points (B)"], ["erase", "Erase", "Take points away (E)"], ["drag", "Move", "Drag a point; the methods follow (M)"],
  ["weight", "Weigh", "Drag up or down on a point to change its weight (W)"], ["look", "Look", "Move and zoom the view, read values (L)"],
];
export const TOOL_KEYS = { b: "brush", e: "erase", m: "drag", w: "weight", l: "look" };
const SHAPES = ["M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Z", "M4.2 4.2h11.6v11.6H4.2Z", "M10 3 17.2 16H2.8Z", "M10 2.5 17.5 10 10 17.5 2.5 10Z", "M8 2.5h4V8h5.5v4H12v5.5H8V12H2.5V8H8Z"];

/** The mark of a class: a shape in its colour. */
export function swatch(code) {
  return draw("svg", { viewBox: "0 0 20 20", class: "swatch", "aria-hidden": "true" }, draw("path", { d: SHAPES[code % SHAPES.length], fill: `var(--c${code + 1})` }));
}

export class Toolbox {
  constructor(host, { onTool, onLabels, onClear, onView }) {
    Object.assign(this, { onTool, tool: { name: "brush", klass: 0, size: 0.04 } });
    this.buttons = new Map(TOOLS.map(([name, text, title]) => [name, make("button", { type: "button", class: "tool", title, "aria-pressed": "false", onclick: () => this.choose({ name }) }, icon(name), make("span", { text }))]));
    this.classes = make("div", { class: "classes", role: "group", "aria-label": "Class to draw" });
    this.size = make("input", { type: "range", min: 0, max: 20, step: 1, value: 4, id: "brush-size", oninput: () => this.choose({ size: Number(this.size.value) / 100 }) });
    this.counts = [];
    host.append(
      make("div", { class: "tool-list", role: "group", "aria-label": "Tool" }, [...this.buttons.values()]), this.classes,
      make("div", { class: "brush-size" }, make("label", { for: "brush-size", text: "Brush" }), this.size),
      make("div", { class: "tool-list more" }, button("fit", "Show all", onView, { named: true, class: "tool", title: "Fit the view to the points (F)" }), button("clear", "Clear", onClear, { named: true, class: "tool", title: "Take all points away (can be undone)" })));
    this.onLabels = onLabels;
    this.mark();
  }

  choose(change) {
    Object.assign(this.tool, change);
    this.mark();
    this.onTool({ ...this.tool });
  }

  mark() {
    for (const [name, element] of this.buttons) element.setAttribute("aria-pressed", String(name === this.tool.name));
    [...this.classes.querySelectorAll(".class")].forEach((element, code) => element.setAttribute("aria-pressed", String(code === this.tool.klass)));
  }

  /** Show the classes of a dataset with the number of points of each. */
  setData({ labels, classes }) {
    const counts = labels.map(() => 0);
    for (const code of classes) counts[code] += 1;
    if (this.labels !== labels) this.build(labels);
    this.numbers.forEach((element, code) => write(element, String(counts[code])));
  }

  build(labels) {
    this.labels = labels;
    if (this.tool.klass >= labels.length) this.choose({ klass: 0 });
    this.numbers = labels.map(() => make("small", {}));
    const choices = labels.map((label, code) => make("button", { type: "button", class: "class", title: `Draw points of ${label} (${code + 1})`, onclick: () => this.choose({ klass: code, name: "brush" }) },
      swatch(code), make("span", { text: label }), this.numbers[code]));
    const more = labels.length < MAX_CLASSES && make("button", { type: "button", class: "tool add-class", title: "Add a class", onclick: () => this.add() }, icon("plus"), make("span", { text: "Class" }));
    this.classes.replaceChildren(...choices, ...(more ? [more] : []));
    this.mark();
  }

  add() {
    const fresh = LABELS.find((label) => !this.labels.includes(label)) ?? `class ${this.labels.length + 1}`;
    this.onLabels([...this.labels, fresh]);
    this.choose({ klass: this.labels.length - 1, name: "brush" });
  }
}
