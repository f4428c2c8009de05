// The panel's part "3-D": the points lifted into the space of a kernel, where a plane cuts them, turned by hand.

import { make, write } from "lab/elements.js";
import { Latest } from "lab/latest.js";

export class Lifted {
  constructor(lab) {
    this.lab = lab;
    this.asks = new Latest(lab.connection, (answer) => this.came(answer));
    this.host = make("div", { class: "lift" });
    this.text = make("p", {});
    this.element = make("div", { class: "lifted" },
      make("p", { text: "A curve in the plane is a flat cut in a space of more directions. Turn it by dragging, or with the arrow keys." }), this.host, this.text);
  }

  async open(slot) {
    this.slot = slot;
    this.lift ??= import("lab/lift.js").then(({ Lift }) => new Lift(this.host, {})); // drawn in three dimensions only when looked at
    await this.lift;
    this.ask();
  }

  show() {}

  ask() {
    const { slot } = this;
    if (!slot || this.element.closest("[hidden]") || slot.missing || slot.failure) return;
    const asked = JSON.stringify([this.lab.version, slot.question, this.lab.state.seed]);
    if (this.asked === asked) return;
    this.asked = asked;
    write(this.text, "The points are being lifted.");
    this.asks.ask(slot.asks("lift"));
  }

  async came(answer) {
    const found = answer.kind === "lift";
    this.host.hidden = !found;
    if (found) (await this.lift).show(answer, this.lab.state.dataset);
    write(this.text, found ? answer.text : answer.message ?? "");
  }
}
