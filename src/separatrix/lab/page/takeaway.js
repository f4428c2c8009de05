// The panel's part "Take away": code, a link, pictures, a page that replays the run, and the model with its points.

import { toast } from "lab/dialog.js";
import { button, make, write } from "lab/elements.js";

/** Copy text; a sentence says that it was, or why not. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} is copied.`);
  } catch {
    toast(`${what} could not be copied: the browser does not allow it. Select the text and copy it by hand.`, { error: true });
  }
}

/** Save text or a blob as a file. */
export function save(content, name, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export class TakeAway {
  constructor(lab) {
    this.lab = lab;
    this.python = make("pre", { tabindex: "0", "aria-label": "Python" });
    this.command = make("pre", { tabindex: "0", "aria-label": "Command line" });
    this.link = make("input", { type: "text", id: "link", readonly: true, class: "link", onfocus: () => this.link.select() });
    this.linkNote = make("p", { class: "about" });
    this.other = make("input", { type: "text", id: "other-link", class: "link", placeholder: "paste a link of a lab", onchange: () => this.openLink() });
    this.files = make("div", { class: "files" },
      button("save", "Picture (SVG)", () => this.picture("svg"), { named: true }),
      button("save", "Picture (PNG)", () => this.picture("png"), { named: true }),
      button("save", "Replay (HTML)", () => this.fetch("replay", { theme: lab.theme }), { named: true, title: "A page of its own that plays this run, without a server" }),
      button("save", "Model and points", () => this.fetch("model"), { named: true, title: "model.json and points.csv, which separatrix verify accepts" }));
    this.element = make("div", { class: "take" },
      this.code("Python", this.python, "copy-python"), this.code("Command line", this.command, "copy-command"),
      make("section", {}, make("h3", {}, make("label", { for: "link", text: "Link to this page as it is" })),
        make("div", { class: "with-button" }, this.link, button("copy", "Copy the link", () => this.lab.share())), this.linkNote,
        make("div", { class: "with-button" }, make("label", { class: "unseen", for: "other-link", text: "Open a link" }), this.other, button("open", "Open the pasted link", () => this.openLink()))),
      make("section", {}, make("h3", { text: "Files" }), this.files));
  }

  code(title, pre, id) {
    return make("section", {}, make("div", { class: "head-line" }, make("h3", { text: title }),
      button("copy", `Copy ${title}`, () => copy(pre.textContent, title), { id })), pre);
  }

  open(slot) {
    this.show(slot);
  }

  show(slot) {
    this.slot = slot;
    write(this.python, slot.result?.python ?? "# Nothing is fitted yet.");
    write(this.command, slot.result?.command ?? "# Nothing is fitted yet.");
    const { address, exact } = this.lab.link();
    if (this.link.value !== address) this.link.value = address;
    write(this.linkNote, exact ? "It holds the points, methods and options." : "It holds the points, rounded to what a link can carry, and the methods and options.");
  }

  openLink() {
    const hash = this.other.value.slice(Math.max(0, this.other.value.indexOf("#")));
    if (hash.length > 1) this.lab.openHash(hash);
    this.other.value = "";
  }

  get name() {
    return this.slot.question.method.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "").toLowerCase();
  }

  async picture(kind) {
    const { stage } = this.slot;
    try {
      if (kind === "svg") save(stage.toSVG(), `${this.name}.svg`, "image/svg+xml");
      else save(await stage.toPNG(2), `${this.name}.png`);
    } catch (problem) {
      toast(`The picture could not be made: ${problem.message}`, { error: true });
    }
  }

  /** Ask the server for files of this slot, and save them. */
  fetch(what, more = {}) {
    if (this.slot.missing) return toast(this.slot.missing, { error: true });
    const { name } = this;
    this.lab.connection.ask(this.slot.asks(what, more), (answer) => {
      if (answer.kind === "error") return toast(answer.message, { error: true });
      if (answer.kind === "page") save(answer.html, `${name}-replay.html`, "text/html");
      if (answer.kind === "model") {
        save(answer.model, "model.json", "application/json");
        save(answer.csv, "points.csv", "text/csv");
      }
    });
  }
}
