// The panel's part "Separable?": whether a plane can separate the classes, and the rows that prove it.

import { make, write } from "lab/elements.js";
import { Latest } from "lab/latest.js";
import { figure } from "lab/scale.js";

const VERDICTS = {
  complete: ["Separable", "A straight line separates the classes with room to spare."],
  "quasi-complete": ["Only just", "A line separates the classes, but some rows must lie on it."],
  overlap: ["Not separable", "No line separates the classes: their hulls meet, and the rows below prove it."],
  undecided: ["Undecided", "Rounding hides on which side the answer is."],
};

export class Separable {
  constructor(lab) {
    this.lab = lab;
    this.answer = null;
    this.asks = new Latest(lab.connection, (answer) => this.came(answer));
    this.verdict = make("p", { class: "verdict" });
    this.plain = make("p", {});
    this.pairs = make("div", { class: "pairs" });
    this.text = make("pre", { tabindex: "0", "aria-label": "What was proved" });
    this.toggle = make("input", { type: "checkbox", id: "witness", onchange: () => lab.setLayer("witness", this.toggle.checked) });
    this.details = make("details", {}, make("summary", { text: "In full" }), this.text);
    this.element = make("div", { class: "separable" }, this.verdict, this.plain,
      make("label", { class: "check" }, this.toggle, make("span", { text: "Draw the proof on the points" })), this.pairs, this.details);
  }

  open() {
    this.toggle.checked = this.lab.layers.witness;
    this.ask();
  }

  show() {}

  /** Ask again, if the points have changed and someone looks. */
  ask() {
    if (this.element.closest("[hidden]") || this.version === this.lab.version) return;
    this.version = this.lab.version;
    if (this.lab.classes < 2) return this.say("", "Draw points of two classes to ask whether a line separates them.");
    this.asks.ask({ do: "separable", data: this.lab.message });
  }

  say(verdict, plain) {
    this.answer = null;
    write(this.verdict, verdict);
    this.verdict.dataset.kind = "";
    write(this.plain, plain);
    this.pairs.replaceChildren();
    this.details.hidden = true;
    this.lab.showSeparation(null);
  }

  came(answer) {
    if (answer.kind !== "separation") return this.say("", answer.message ?? "");
    this.answer = answer;
    const [verdict, plain] = VERDICTS[answer.verdict] ?? [answer.verdict, ""];
    write(this.verdict, verdict);
    this.verdict.dataset.kind = answer.verdict;
    write(this.plain, plain);
    write(this.text, answer.text);
    this.details.hidden = false;
    this.pairs.replaceChildren(...answer.pairs.map((pair) => this.pair(pair, answer.pairs.length > 1)));
    this.lab.showSeparation(answer);
    this.lab.say(`${verdict}. ${plain}`);
  }

  pair({ classes, verdict, witness, meeting, margin }, several) {
    const { labels, classes: codes } = this.lab.state.dataset;
    const heading = several && make("h3", { text: `${labels[classes[0]]} and ${labels[classes[1]]}: ${(VERDICTS[verdict] ?? [verdict])[0].toLowerCase()}` });
    const facts = [];
    if (typeof margin === "number" && verdict === "complete") facts.push(`The widest margin is ${figure(margin)} to each side.`);
    if (meeting) facts.push(`A mixture of the rows of each class, with these weights, is the same point: (${meeting.map((each) => figure(each, 3)).join(", ")}).`);
    const rows = (witness?.rows ?? []).slice(0, 40).map((row, k) => make("tr", {},
      make("td", {}, this.lab.swatch(codes[row])), make("td", { text: labels[codes[row]] ?? "" }), make("td", { class: "n", text: `row ${row + 1}` }), make("td", { class: "n", text: figure(witness.weights[k], 4) })));
    const table = rows.length > 0 && make("table", {}, make("thead", {}, make("tr", {}, ["", "class", "row", "weight"].map((text) => make("th", { scope: "col", text, class: text === "row" || text === "weight" ? "n" : null })))), make("tbody", {}, rows));
    return make("section", {}, heading, facts.map((text) => make("p", { text })), table);
  }
}
