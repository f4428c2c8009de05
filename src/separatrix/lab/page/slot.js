// One method beside others: its header, its stage, and the line below that says how it stands.

import { Control, matters, valueOf, withOption } from "lab/controls.js";
import { present } from "lab/dataset.js";
import { button, icon, make, write } from "lab/elements.js";
import { Latest } from "lab/latest.js";
import { methodMenu, methodNamed } from "lab/menu.js";
import { Stage } from "lab/stage.js";
import { SIGNS, standing } from "lab/standing.js";

export const LETTERS = "ABCD";
const MAX_FRAMES = 400;

export class Slot {
  /** `lab` has state, connection and methods, and hears of edits, picks and frames. */
  constructor(lab, index) {
    Object.assign(this, { lab, index, frames: [], result: null, failure: null, begun: null, shown: null });
    this.fits = new Latest(lab.connection, (answer) => this.hear(answer));
    this.build();
    lab.host.append(this.element);
    this.stage = new Stage(this.host, {
      onEdit: (change) => this.edit(change),
      onView: (view) => lab.viewed(view, this),
      onSay: (text) => lab.say(text),
      onHover: (row) => lab.hover(row),
    });
    this.stage.setData(lab.state.dataset);
    this.stage.setView(lab.state.view);
    this.stage.setTool(lab.tool);
    this.setLayers(lab.layers);
    this.refresh();
  }

  build() {
    const letter = LETTERS[this.index];
    this.menu = methodMenu(this.lab.methods, { label: `Method ${letter}`, onChange: (name) => this.lab.state.setSlot(this.index, name, {}) });
    this.remove = button("close", `Take method ${letter} away`, () => this.lab.state.removeSlot(this.index));
    this.letter = make("button", { type: "button", class: "letter", text: letter, title: `Show method ${letter} on the right`, "aria-label": `Method ${letter}: show it in the panel`, onclick: () => this.lab.pick(this.index) });
    this.main = make("div", { class: "slot-option" });
    this.host = make("div", { class: "stage" });
    this.hint = make("p", { class: "hint", hidden: true });
    this.badge = make("span", { class: "badge" });
    this.facts = make("span", { class: "facts" });
    this.reason = make("p", { class: "reason" });
    this.element = make("article", { class: "slot", "aria-label": `Method ${letter}`, onpointerdown: () => this.picked() },
      make("header", { class: "slot-head" }, this.letter, this.menu, this.main, this.remove),
      make("div", { class: "slot-stage" }, this.host, this.hint),
      make("footer", { class: "slot-foot" }, make("p", {}, this.badge, this.facts), this.reason));
  }

  get question() {
    return this.lab.state.slots[this.index];
  }

  get method() {
    return methodNamed(this.lab.methods, this.question.method);
  }

  edit(change) {
    this.picked();
    this.lab.edit(change, this.stage.view);
  }

  /** What is pressed or edited here is about this method; to pass with Tab is not. */
  picked() {
    if (this.lab.slot !== this) this.lab.pick(this.index);
  }

  /** Show the method and the main option that the state has. */
  refresh() {
    const { method, options } = this.question;
    this.menu.value = method;
    const specs = this.method.controls;
    const spec = specs.find(({ name }) => name === this.method.main);
    if (!spec || !matters(spec, specs, options)) {
      this.control = null;
      this.main.replaceChildren();
    } else if (this.control?.spec !== spec) {
      this.control = new Control(spec, { value: valueOf(spec, options), compact: true, onChange: (value, live) => this.choose(spec, value, live) });
      this.main.replaceChildren(this.control.element);
    } else this.control.set(valueOf(spec, options));
  }

  /** What is drawn: hulls always where a method is about them, the proof of separation while one reads about it. */
  setLayers(layers) {
    const witness = layers.witness && this.lab.panel.chosen === "separable";
    this.stage.setLayers({ ...layers, witness, hulls: layers.hulls || this.method.family === "Hulls" });
  }

  /** Set an option; while a slider is dragged the fit shows its result only. */
  choose(spec, value, live) {
    this.live = live;
    const { method, options } = this.question;
    this.lab.state.setSlot(this.index, method, withOption(options, spec, value));
  }

  /** The message that asks about this slot: points, method and options. */
  asks(what, more = {}) {
    const { method, options } = this.question;
    const { left, right, bottom, top } = this.stage.view;
    return { do: what, slot: this.index, data: this.lab.message, method, options, seed: this.lab.state.seed, view: [left, right, bottom, top], ...more };
  }

  /** Why these points cannot be learnt from yet, or null. */
  get missing() {
    const { dataset } = this.lab.state;
    if (!dataset.x.length) return "Draw here: choose a class on the left, press and move.";
    if (this.method.task !== "novelty" && present(dataset).length < 2) return "Now draw points of a second class.";
    return null;
  }

  /** Fit the points as they are: with frames, or while they are being changed the result alone. */
  fit({ live = false } = {}) {
    write(this.hint, this.missing ?? "");
    this.hint.hidden = this.missing === null;
    if (this.missing) return this.clear();
    this.failure = null;
    this.fits.ask(this.asks("fit", { record: !live, max_frames: live ? 0 : MAX_FRAMES }), { now: !live });
    if (!live) this.stand();
  }

  clear() {
    this.fits.stop();
    this.blank(null);
    this.lab.cleared(this);
  }

  /** Draw no model, perhaps because of an error. */
  blank(failure) {
    Object.assign(this, { frames: [], result: null, shown: null, finished: false, failure });
    this.stage.show(null, {});
    this.stage.showResult(null);
    this.stand();
  }

  hear(answer) {
    if (answer.kind === "begin") Object.assign(this, { begun: answer, fresh: true });
    else if (answer.kind === "frames") {
      if (this.fresh) Object.assign(this, { frames: [], result: null, fresh: false });
      for (const frame of answer.frames) this.frames.push(frame);
      this.lab.framesCame(this);
    } else if (answer.kind === "result") {
      if (this.fresh) this.frames = [];
      Object.assign(this, { result: answer, fresh: false, failure: null });
      this.lab.resultCame(this);
    } else if (answer.kind === "error") {
      this.blank(answer);
      this.lab.failed(this, answer);
    }
  }

  /** Show a step of the run: beyond its last one, the result. */
  show(position, playing) {
    const last = this.frames.length - 1;
    const index = Math.min(position, last);
    this.finished = this.result !== null && position >= last;
    this.shown = index < 0 ? null : this.frames[index];
    this.position = index;
    this.stage.show(this.shown, { previous: index > 0 ? this.frames[index - 1] : null, trail: true, instant: !playing });
    this.stage.showResult(this.finished ? this.result : null);
    this.stand();
  }

  /** Write how the method stands below its stage. */
  stand() {
    const { kind, word, facts, reason } = standing(this);
    if (this.badge.dataset.kind !== kind) {
      this.badge.dataset.kind = kind;
      this.badge.replaceChildren(icon(SIGNS[kind]), make("b"));
    }
    write(this.badge.lastChild, word);
    write(this.facts, facts);
    write(this.reason, reason);
    this.reason.title = reason;
  }

  destroy() {
    this.fits.stop();
    this.stage.destroy();
    this.element.remove();
  }
}
