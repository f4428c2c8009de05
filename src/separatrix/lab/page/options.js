// The panel's part "Options": every option of the method, the errors over one of them, and what is drawn.

import { Control, matters, valueOf } from "lab/controls.js";
import { make } from "lab/elements.js";
import { Latest } from "lab/latest.js";

const WAIT = 700; // milliseconds without an edit before errors over an option are computed
const RARE = new Set(["tol", "max_iter", "fit_intercept", "shuffle", "bias_step", "batch_size", "normalized"]); // folded away
const LAYERS = [["regions", "Regions of the classes"], ["margins", "Margins"], ["alphas", "Weights of support rows"], ["wrong", "Rows on the wrong side"], ["hulls", "Hulls and nearest points"]];

export class Options {
  constructor(lab) {
    this.lab = lab;
    this.controls = [];
    this.clock = null;
    this.curves = new Latest(lab.connection, (answer) => this.curveCame(answer));
    this.list = make("div", { class: "option-list" });
    this.key = make("p", { class: "legend", hidden: true },
      make("span", { class: "key cv", text: "error in cross-validation" }), make("span", { class: "key training", text: "error in training" }));
    this.seed = make("input", { type: "text", class: "value", id: "seed", inputmode: "numeric", value: "0", onchange: () => lab.setSeed(Number(this.seed.value)) });
    const layers = LAYERS.map(([name, text]) => make("label", { class: "check" },
      make("input", { type: "checkbox", checked: lab.layers[name], onchange: (event) => lab.setLayer(name, event.target.checked) }), make("span", { text })));
    this.element = make("div", { class: "options" }, this.list,
      make("div", { class: "option" }, make("div", { class: "option-line" }, make("label", { class: "option-name", for: "seed" }, make("b", { text: "seed" }), make("span", { text: "of what is drawn by lot" })), this.seed)),
      make("fieldset", { class: "layers" }, make("legend", { text: "Drawn on the points" }), layers));
  }

  open(slot) {
    this.seed.value = String(this.lab.state.seed);
    if (this.slot !== slot || this.method !== slot.method) {
      Object.assign(this, { slot, method: slot.method });
      this.controls = slot.method.controls.map((spec) => new Control(spec, { value: valueOf(spec, slot.question.options), onChange: (value, live) => slot.choose(spec, value, live) }));
      const [rare, usual] = [true, false].map((each) => this.controls.filter(({ spec }) => RARE.has(spec.name) === each).map(({ element }) => element));
      this.list.replaceChildren(...usual, make("details", {}, make("summary", { text: "More options" }), rare));
    }
    for (const control of this.controls) {
      control.set(valueOf(control.spec, slot.question.options));
      control.element.hidden = !matters(control.spec, slot.method.controls, slot.question.options);
      if (slot.failure?.option === control.spec.name) control.mistake(slot.failure.message);
    }
    this.later();
  }

  show() {}

  /** Compute the errors over the main option once nothing has changed for a while. */
  later() {
    clearTimeout(this.clock);
    this.clock = setTimeout(() => this.askCurve(), WAIT);
  }

  get curved() {
    const can = this.controls.filter(({ spec, element }) => spec.curve && spec.kind !== "choice" && !element.hidden);
    return can.find(({ spec }) => spec.name === this.method.main) ?? can[0] ?? null;
  }

  askCurve() {
    const { slot, curved } = this;
    if (!curved || this.element.closest("[hidden]") || slot.missing || slot.failure || !this.lab.slots.includes(slot)) return;
    const { [curved.spec.name]: _, ...options } = slot.question.options;
    const asked = JSON.stringify([this.lab.version, slot.question.method, options, this.lab.state.seed]);
    if (this.asked === asked) return;
    this.asked = asked;
    this.curves.ask(slot.asks("curve", { parameter: curved.spec.name }), { now: true });
  }

  curveCame(answer) {
    const control = this.controls.find(({ spec }) => spec.name === answer.parameter);
    for (const each of this.controls) if (each !== control && each.picture) each.setCurve(null);
    if (answer.kind === "error") this.asked = null;
    if (control && answer.kind === "curve") control.setCurve(answer);
    this.key.hidden = !control?.picture;
    control?.track.after(this.key);
  }
}
