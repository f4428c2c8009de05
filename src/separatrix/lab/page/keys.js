/** Drawing with the keyboard: arrows move a crosshair, Enter adds, Delete erases, M moves, + and − scale the view. */
import {brushReach, nearest, pointAt, tidyWeight, within} from "lab/tools.js";

const STEP = 0.025; // of the plot's width that an arrow key moves; with Shift four times, with Alt an eighth
const REACH = 60; // pixels within which a key finds a point
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

export const HELP =
  "Arrow keys move a crosshair, Enter adds a point of the chosen class, Delete erases the nearest one, M picks it up or " +
  "drops it, square brackets change its weight, plus and minus zoom, 0 shows all points.";

export class Keys {
  constructor(element, desk) {
    this.desk = desk;
    /** where the crosshair is, in data coordinates; null before the first arrow key */
    this.cross = null;
    /** the row that is carried, or -1 */
    this.carried = -1;
    this.ending = new AbortController();
    element.addEventListener("keydown", (event) => this.press(event), {signal: this.ending.signal});
    element.addEventListener("blur", () => this.leave(), {signal: this.ending.signal});
  }

  destroy() {
    this.ending.abort();
  }

  leave() {
    this.drop();
    this.cross = null;
    this.desk.redraw();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    const act = arrow ? () => this.walk(arrow, event) : this.actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (event.key === "Escape" && !this.cross)) return;
    event.preventDefault();
    event.stopPropagation();
    act.call(this);
    this.desk.redraw();
  }

  get actions() {
    const looks = {"+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), 0: () => this.desk.look(null)};
    looks.Escape = this.leave;
    if (this.desk.readOnly) return looks;
    const weigh = {"[": () => this.weigh(1 / 1.25), "]": () => this.weigh(1.25)};
    return {...looks, ...weigh, Enter: this.add, Delete: this.erase, Backspace: this.erase, m: this.carry};
  }

  /** The crosshair in pixels, at first where the pointer is, or in the middle. */
  at() {
    const {view, pointer} = this.desk;
    const {x, y, width, height} = view.plot;
    const start = pointer && view.holds(pointer.x, pointer.y) ? pointer : {x: x + width / 2, y: y + height / 2};
    this.cross ??= view.toData(start.x, start.y);
    return this.desk.view.toPixels(...this.cross);
  }

  walk([u, v], {shiftKey, altKey}) {
    const {view} = this.desk;
    const {x, y, width, height} = view.plot;
    const step = STEP * Math.min(width, height) * (shiftKey ? 4 : altKey ? 0.125 : 1);
    const [px, py] = this.at();
    this.cross = view.toData(Math.min(x + width, Math.max(x, px + u * step)), Math.min(y + height, Math.max(y, py + v * step)));
    if (this.carried >= 0) this.desk.edit({kind: "move", rows: [this.carried], x: [this.cross[0]], y: [this.cross[1]]});
    this.desk.say(`${this.desk.words.place(...this.cross)}${this.near()}`);
  }

  near() {
    if (this.carried >= 0) return `, carrying ${this.desk.words.row(this.carried)}`;
    const row = nearest(this.desk, ...this.at(), REACH);
    return row < 0 ? "" : `, near ${this.desk.words.row(row)}`;
  }

  zoom(factor) {
    const at = this.at();
    this.desk.look((view) => view.zoom(factor, ...at));
    this.desk.say(factor > 1 ? "Zoomed in." : "Zoomed out.");
  }

  add() {
    this.drop();
    const [px, py] = this.at();
    this.change({kind: "add", points: [{...pointAt(this.desk, px, py), x: this.cross[0], y: this.cross[1]}]});
    this.desk.say(`Added a point of ${this.desk.words.klass(this.desk.tool.klass)} at ${this.desk.words.place(...this.cross)}.`);
  }

  /** With the eraser all rows within its circle, else the nearest. */
  erase() {
    this.drop();
    const at = this.at();
    const one = nearest(this.desk, ...at, REACH);
    const rows = this.desk.tool.name === "erase" ? within(this.desk, ...at, brushReach(this.desk)) : [];
    if (!rows.length && one >= 0) rows.push(one);
    if (!rows.length) this.desk.say("There is no point near the crosshair.");
    else {
      const said = rows.length === 1 ? this.desk.words.row(rows[0]) : `${rows.length} points`;
      this.change({kind: "remove", rows});
      this.desk.say(`Erased ${said}.`);
    }
  }

  carry() {
    if (this.carried >= 0) {
      this.desk.say(`Dropped ${this.desk.words.row(this.carried)} at ${this.desk.words.place(...this.cross)}.`);
      this.drop();
      return;
    }
    this.carried = nearest(this.desk, ...this.at(), REACH);
    if (this.carried < 0) this.desk.say("There is no point near the crosshair.");
    else {
      this.cross = [this.desk.data.x[this.carried], this.desk.data.y[this.carried]];
      this.desk.say(`Picked up ${this.desk.words.row(this.carried)}. Arrow keys move it, M drops it.`);
    }
  }

  drop() {
    if (this.carried >= 0) this.desk.edit({kind: "end"});
    this.carried = -1;
  }

  weigh(factor) {
    const row = this.carried >= 0 ? this.carried : nearest(this.desk, ...this.at(), REACH);
    if (row < 0) {
      this.desk.say("There is no point near the crosshair.");
      return;
    }
    const weight = tidyWeight((this.desk.data.weights?.[row] ?? 1) * factor);
    this.change({kind: "weight", rows: [row], weights: [weight]});
    this.desk.say(`${this.desk.words.row(row)} weighs ${weight}.`);
  }

  change(change) {
    this.desk.edit(change);
    this.desk.edit({kind: "end"});
  }
}
