// The proof at the end of a run: a plain sentence, and the certificate's own lines.

import { make, write } from "lab/elements.js";

export class Certificate {
  constructor() {
    this.sentence = make("p", { class: "certificate-sentence" });
    this.warning = make("p", { class: "look" });
    this.lines = make("pre", { tabindex: "0", "aria-label": "Certificate" });
    this.details = make("details", { open: true }, make("summary", { text: "Certificate" }), this.lines);
    this.element = make("section", { class: "certificate", hidden: true }, make("h3", { text: "Why to believe it" }), this.sentence, this.warning, this.details);
  }

  /** Show the certificate of a result; none while a run is on its way. */
  show(result) {
    this.element.hidden = !result?.certificate;
    if (this.element.hidden) return;
    const { sentence, lines } = result.certificate;
    write(this.sentence, sentence ?? "");
    write(this.lines, lines ?? "");
    write(this.warning, result.warning ?? "");
    this.warning.hidden = !result.warning;
    this.details.hidden = !lines;
  }
}
