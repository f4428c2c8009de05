// Lessons: a few steps each, which set up the page and say in plain words what to see and to try.

import { button, make } from "lab/elements.js";

export class Lessons {
  constructor(host, lab) {
    this.host = host;
    this.lab = lab;
    this.lesson = null;
    this.step = 0;
    host.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  /** The lessons as entries of a menu. */
  entries() {
    return this.lab.menu.lessons.map((lesson, k) => ({ title: `${k + 1}  ${lesson.title}`, text: lesson.text, run: () => this.start(lesson) }));
  }

  start(lesson) {
    this.lesson = lesson;
    this.host.hidden = false;
    this.go(0);
  }

  close() {
    this.host.hidden = true;
    this.lesson = null;
  }

  go(step) {
    this.step = step;
    const { title, steps } = this.lesson;
    const { title: heading, text, state, play, panel } = steps[step];
    const paragraphs = text.split("\n\n").map((each) => make("p", { text: each }));
    const back = button("back", "Back", () => this.go(step - 1), { named: true });
    const last = step === steps.length - 1;
    const on = button(last ? "proved" : "next", last ? "Done" : "Next", () => (last ? this.close() : this.go(step + 1)), { named: true, class: "button main" });
    back.disabled = step === 0;
    this.heading = make("h2", { text: heading, tabindex: "-1" });
    this.host.replaceChildren(
      make("header", {}, make("p", { class: "lesson-name" }, make("b", { text: title }), make("span", { text: `step ${step + 1} of ${steps.length}` })), button("close", "Close the lesson", () => this.close())),
      make("div", { class: "lesson-text" }, this.heading, paragraphs), make("footer", {}, back, on));
    this.lab.loadLesson({ state, play, panel: panel ?? (step === 0 ? "why" : null) });
    this.heading.focus({ preventScroll: true });
    this.host.scrollIntoView({ block: "nearest" });
  }
}
