// Opening a file of numbers: by a button or by dropping it on the page; and choosing which columns are drawn.

import { toast } from "lab/dialog.js";
import { button, make } from "lab/elements.js";

const MAX_BYTES = 6 * 2 ** 20; // base64 makes a third more of it, and a message holds 8 MB

/** Opens files for `onTable(table)` and `onPoints(answer)`; `ask(message, hearer)` is the connection's. */
export class Files {
  constructor(host, { ask, onPoints }) {
    Object.assign(this, { host, ask, onPoints });
    this.input = make("input", { type: "file", accept: ".csv,.tsv,.txt,.dat,.data", hidden: true, onchange: () => { this.read(this.input.files[0]); this.input.value = ""; } });
    host.append(this.input);
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => { event.preventDefault(); this.read(event.dataTransfer.files[0]); });
  }

  choose() {
    this.input.click();
  }

  async read(file) {
    if (!file) return;
    if (file.size > MAX_BYTES) return toast(`${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MB; the lab reads at most ${MAX_BYTES / 2 ** 20} MB. Take fewer rows.`, { error: true });
    const reader = new FileReader();
    reader.addEventListener("error", () => toast(`${file.name} could not be read. Open it again.`, { error: true }));
    reader.addEventListener("load", () => {
      this.file = { name: file.name, text: reader.result.slice(reader.result.indexOf(",") + 1) };
      this.ask({ do: "read", ...this.file }, (answer) => this.hear(answer));
    });
    reader.readAsDataURL(file);
  }

  hear(answer) {
    if (answer.kind === "table") this.showColumns(answer);
    else if (answer.kind === "points") this.onPoints(answer);
    else if (answer.kind === "error") toast(answer.message, { error: true });
  }

  /** A line with three menus: what is drawn to the right, upwards, and which column has the classes. */
  showColumns(table) {
    this.strip?.remove();
    const numeric = table.columns.filter((column) => column.numeric);
    const menu = (label, columns, value) => {
      const select = make("select", { onchange: () => this.columns() }, columns.map(({ name }) => make("option", { value: name, text: name || "(one class)", selected: name === value })));
      return [make("label", {}, make("span", { text: label }), select), select];
    };
    const [x, xMenu] = menu("across", numeric, table.x);
    const [y, yMenu] = menu("up", numeric, table.y);
    const [target, targetMenu] = menu("classes", [...table.columns, { name: "" }], table.target ?? "");
    this.menus = { x: xMenu, y: yMenu, target: targetMenu };
    const project = numeric.length > 2 && button("look", "Best projection", () => this.columns("project"), { named: true, title: "The two directions in which the classes differ most" });
    this.strip = make("div", { class: "columns", role: "group", "aria-label": `Columns of ${this.file.name}` },
      make("b", { text: this.file.name }), x, y, target, project, button("close", "Hide the columns", () => this.strip.remove()));
    this.host.prepend(this.strip);
    if (table.text) toast(table.text);
  }

  columns(what = "columns") {
    const chosen = Object.fromEntries(Object.entries(this.menus).map(([name, menu]) => [name, menu.value || null]));
    this.ask({ do: what, ...this.file, ...chosen }, (answer) => this.hear(answer));
  }
}
