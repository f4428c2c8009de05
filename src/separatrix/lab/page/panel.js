// The panel beside the stages: one method at a time, as tabs.

import { make } from "lab/elements.js";
import { titled } from "lab/menu.js";
import { LETTERS } from "lab/slot.js";

/** Tabs after the pattern of WAI-ARIA: arrows move between them, and each part is built once. */
export class Panel {
  /** `parts`: [{name, title, part}], each part with element, open(slot), and show(slot) on each step. */
  constructor(host, parts, onChange) {
    this.parts = parts;
    this.onChange = onChange;
    this.slot = null;
    this.heading = make("h2", { class: "panel-title" });
    this.tabs = parts.map(({ name, title }) => make("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `part-${name}`, text: title, onclick: () => this.choose(name),
    }));
    this.list = make("div", { class: "tabs", role: "tablist", "aria-label": "About the method", onkeydown: (event) => this.move(event) }, this.tabs);
    this.pages = parts.map(({ name, part }) => make("div", { role: "tabpanel", class: "part", id: `part-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0" }, part.element));
    host.append(this.heading, this.list, make("div", { class: "parts" }, this.pages));
    this.chosen = parts[0].name;
    this.mark();
  }

  choose(name) {
    this.chosen = name;
    this.mark();
    if (this.slot) this.current.part.open?.(this.slot);
    if (this.slot) this.current.part.show(this.slot);
    this.onChange(name);
  }

  get current() {
    return this.parts.find(({ name }) => name === this.chosen);
  }

  mark() {
    this.parts.forEach(({ name }, k) => {
      const here = name === this.chosen;
      this.tabs[k].setAttribute("aria-selected", String(here));
      this.tabs[k].tabIndex = here ? 0 : -1;
      this.pages[k].hidden = !here;
    });
  }

  move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const here = this.parts.findIndex(({ name }) => name === this.chosen);
    const to = event.key === "Home" ? 0 : event.key === "End" ? this.parts.length - 1 : step ? (here + step + this.parts.length) % this.parts.length : null;
    if (to === null) return;
    event.preventDefault();
    this.choose(this.parts[to].name);
    this.tabs[to].focus();
  }

  /** Turn to a slot: another one, or the same with another method. */
  setSlot(slot, several) {
    this.slot = slot;
    const letter = several ? [make("span", { class: "letter", text: LETTERS[slot.index] })] : [];
    this.heading.replaceChildren(...letter, titled(slot.question.method));
    this.current.part.open?.(slot);
    this.current.part.show(slot);
  }

  /** Show the step of the slot that is drawn now. */
  show() {
    if (this.slot) this.current.part.show(this.slot);
  }
}
