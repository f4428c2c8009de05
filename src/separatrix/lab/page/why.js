// The panel's part "Why": what the method does, how it stands at this step, and at the end the proof.

import { Certificate } from "lab/certificate.js";
import { Lines } from "lab/curves.js";
import { icon, make, write } from "lab/elements.js";
import { figure } from "lab/scale.js";
import { SIGNS, standing } from "lab/standing.js";

const NAMES = {
  gap: "duality gap", loss: "loss", rate: "step size", temperature: "temperature", best: "fewest wrong so far",
  distance: "distance of the hulls", lower: "proved lower bound", barrier: "barrier",
};
const ALWAYS = ["wrong", "mistakes", "bound", "primal", "dual"]; // that have a place of their own

export class Why {
  constructor() {
    this.badge = make("span", { class: "badge large" });
    this.stopped = make("p", { class: "stopped" });
    this.note = make("p", { class: "look" });
    this.rule = make("code", { class: "rule" });
    this.source = make("small", {});
    this.wrong = make("b", {});
    this.wrongNote = make("span", {});
    this.values = make("dl", { class: "values" });
    this.bar = make("div", { class: "bar-part" });
    this.mistakes = make("p", { class: "mistakes" });
    this.bound = make("section", { class: "chart", hidden: true }, make("h3", { text: "Mistakes against the bound" }), make("div", { class: "bar-track" }, this.bar), this.mistakes);
    this.pair = this.chart("Primal and dual close in", "Primal and dual values over the steps, on a log scale", { between: true });
    this.gap = this.chart("Gap between them", "The gap over the steps, on a log scale", { height: 64 });
    this.errors = this.chart("Rows on the wrong side", "Rows on the wrong side over the steps", { height: 64, log: false });
    this.loss = this.chart("Loss", "The loss over the steps", { height: 64 });
    this.certificate = new Certificate();
    this.element = make("div", { class: "why" },
      make("p", { class: "status" }, this.badge), this.stopped, this.note,
      make("p", { class: "tally" }, this.wrong, this.wrongNote), this.values,
      this.bound, this.pair.element, this.gap.element, this.errors.element, this.loss.element,
      this.certificate.element,
      make("section", { class: "method-rule" }, make("h3", { text: "What it does" }), this.rule, this.source));
  }

  chart(title, label, options) {
    const host = make("div", {});
    const legend = make("p", { class: "legend" });
    return { element: make("section", { class: "chart", hidden: true }, make("h3", { text: title }), host, legend), lines: new Lines(host, { label, ...options }), legend };
  }

  open(slot) {
    write(this.rule, slot.method.rule);
    write(this.source, slot.method.source);
    this.drawn = null;
  }

  show(slot) {
    const { kind, word } = standing(slot);
    if (this.badge.dataset.kind !== kind) this.badge.replaceChildren(icon(SIGNS[kind]), make("b"));
    this.badge.dataset.kind = kind;
    write(this.badge.lastChild, word);
    const done = slot.result && (slot.finished || !slot.frames.length);
    write(this.stopped, done ? slot.result.stopped ?? slot.result.status ?? "" : slot.failure?.message ?? "");
    write(this.note, slot.result?.note ?? "");
    const values = slot.shown?.values ?? {};
    this.tally(slot, done ? slot.result.errors ?? slot.result.wrong.length : values.wrong);
    this.list(values);
    this.against(values);
    this.curves(slot);
    this.certificate.show(done ? slot.result : null);
  }

  tally(slot, wrong) {
    const total = slot.lab.state.dataset.x.length;
    const known = wrong !== undefined && wrong !== null && total > 0;
    this.wrong.parentElement.hidden = !known;
    if (!known) return;
    write(this.wrong, String(wrong));
    write(this.wrongNote, ` of ${total} rows ${slot.method.task === "novelty" ? "outside" : "on the wrong side"} (${((100 * wrong) / total).toFixed(1)} %)`);
  }

  list(values) {
    const shown = Object.keys(NAMES).filter((name) => typeof values[name] === "number" && !ALWAYS.includes(name));
    const key = shown.join();
    if (this.listed !== key) {
      this.listed = key;
      this.values.replaceChildren(...shown.map((name) => make("div", {}, make("dt", { text: NAMES[name] }), make("dd", { "data-name": name }))));
    }
    for (const place of this.values.querySelectorAll("dd")) write(place, figure(values[place.dataset.name]));
  }

  /** Mistakes as a bar, whose full width is the bound. */
  against({ mistakes, bound }) {
    this.bound.hidden = typeof mistakes !== "number";
    if (this.bound.hidden) return;
    const limited = typeof bound === "number" && bound > 0;
    this.bar.parentElement.hidden = !limited;
    if (limited) this.bar.style.setProperty("inline-size", `${Math.min(100, (100 * mistakes) / bound)}%`);
    write(this.mistakes, limited
      ? `${figure(mistakes)} so far; on these points it can make at most ${figure(Math.floor(bound))}.`
      : `${figure(mistakes)} so far. There is no bound: the classes overlap, or it is not known that they do not.`);
  }

  /** The curves of the whole run, drawn anew only when frames came, and the mark of the step on them. */
  curves(slot) {
    const { frames } = slot;
    const key = frames.length ? frames[frames.length - 1] : null;
    if (this.drawn !== key || this.drawnCount !== frames.length) {
      this.drawn = key;
      this.drawnCount = frames.length;
      const series = (name) => ({ name, values: frames.map(({ values }) => values?.[name] ?? null) });
      const has = ({ values }) => values.filter((value) => value !== null).length > 1;
      this.put(this.pair, [series("primal"), series("dual")].filter(has), ["primal", "dual"]);
      this.put(this.gap, [series("gap")].filter(has), []);
      const rest = this.pair.element.hidden && this.gap.element.hidden;
      this.put(this.errors, rest ? [series("wrong"), series("best")].filter(has) : [], ["wrong", "best"]);
      this.put(this.loss, rest ? [series("loss")].filter(has) : [], []);
    }
    for (const { element, lines } of [this.pair, this.gap, this.errors, this.loss]) if (!element.hidden) lines.setHead(Math.max(0, slot.position ?? 0));
  }

  put(chart, series, names) {
    const { element, lines, legend } = chart;
    element.hidden = series.length === 0;
    if (element.hidden) return;
    lines.set(series);
    const used = series.length > 1 ? names : [];
    legend.replaceChildren(...used.map((name) => make("span", { class: `key ${name}`, text: name === "wrong" ? "at this step" : name === "best" ? "fewest so far" : name })));
  }
}
