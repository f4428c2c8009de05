/**
 * Tools under a pointer: a mouse, a pen or fingers. One finger uses the tool, two move and scale the view.
 *
 * Tools know the stage by a desk: `view`, `data`, `tool`, `readOnly`, and the functions edit, redraw, look, hover, pick.
 */

const GRASP = 26; // pixels within which the nearest point is taken; fingers are thicker
const FINGER = 36;
const HOVER = 12;
const TAP = 5; // pixels that a finger may shake before it draws; a second finger may come until then
const MIN_SPACING = 7; // pixels between two points of a brush
const DOUBLING = 60; // pixels of a drag upwards that double a weight
export const [MIN_WEIGHT, MAX_WEIGHT] = [0.1, 10];

/** The radius of the brush in pixels: its size is a fraction of the plot's smaller side. */
export function brushReach({view, tool}) {
  return (tool.size ?? 0.04) * Math.min(view.plot.width, view.plot.height);
}

/** The row nearest to a pixel, not farther than `reach` pixels; -1 if there is none. */
export function nearest({view, data}, px, py, reach = Infinity) {
  let [best, least] = [-1, reach * reach];
  for (let i = 0; i < data.x.length; i++) {
    const [u, v] = [view.px(data.x[i]) - px, view.py(data.y[i]) - py];
    if (u * u + v * v <= least) [best, least] = [i, u * u + v * v];
  }
  return best;
}

/** All rows within a circle of pixels. */
export function within({view, data}, px, py, radius) {
  const rows = [];
  for (let i = 0; i < data.x.length; i++) {
    if (Math.hypot(view.px(data.x[i]) - px, view.py(data.y[i]) - py) <= radius) rows.push(i);
  }
  return rows;
}

/** A weight with two digits within its bounds. */
export function tidyWeight(weight) {
  return Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, Number(weight.toPrecision(2))));
}

export class Tools {
  constructor(element, desk) {
    this.element = element;
    this.desk = desk;
    /** pointers that are down, with their last places */
    this.down = new Map();
    this.gesture = null;
    this.ending = new AbortController();
    this.moving = 0;
    const listen = (name, act, passive = true) =>
      element.addEventListener(name, act, {signal: this.ending.signal, passive});
    listen("pointerdown", (event) => this.press(event));
    listen("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) listen(name, (event) => this.release(event));
    listen("pointerleave", () => desk.hover(null));
    listen("wheel", (event) => this.wheel(event), false);
    listen("dblclick", () => desk.tool.name === "look" && desk.look(null));
  }

  destroy() {
    this.ending.abort();
    cancelAnimationFrame(this.moving);
  }

  place(event) {
    const box = this.element.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  press(event) {
    if (event.button > 1) return;
    const at = this.place(event);
    this.desk.pick();
    this.element.setPointerCapture?.(event.pointerId);
    this.down.set(event.pointerId, at);
    if (this.down.size === 2) this.pinch();
    if (this.down.size > 1) return;
    if (!this.desk.view.holds(at.x, at.y)) return;
    const name = this.desk.readOnly || event.button === 1 ? "look" : this.desk.tool.name;
    this.gesture = {name, start: at, last: at, row: -1, touch: event.pointerType === "touch", begun: false, edited: false};
    if (!this.gesture.touch) this.begin(at);
  }

  move(event) {
    const at = this.place(event);
    const before = this.down.get(event.pointerId);
    if (!before) {
      this.desk.hover(at, this.desk.view.holds(at.x, at.y) ? nearest(this.desk, at.x, at.y, HOVER) : -1);
      return;
    }
    if (this.down.size === 2) {
      this.stretch(event.pointerId, at);
      return;
    }
    this.down.set(event.pointerId, at);
    const {gesture} = this;
    if (!gesture) return;
    if (!gesture.begun && Math.hypot(at.x - gesture.start.x, at.y - gesture.start.y) > TAP) this.begin(gesture.start);
    if (gesture.begun) STROKES[gesture.name]?.(this.desk, gesture, at, this);
    this.desk.hover(at, gesture.row);
  }

  begin(at) {
    this.gesture.begun = true;
    STARTS[this.gesture.name]?.(this.desk, this.gesture, at);
    this.desk.hover(at, this.gesture.row);
  }

  release(event) {
    if (!this.down.delete(event.pointerId)) return;
    const {gesture} = this;
    if (!gesture) return;
    if (!gesture.begun && event.type === "pointerup") this.begin(gesture.start);
    this.finish();
    if (gesture.touch) this.desk.hover(null);
  }

  /** Ends a gesture: what it still owes is sent, then that it is over. */
  finish() {
    const {gesture} = this;
    this.gesture = null;
    this.flush(gesture);
    if (gesture.edited) this.desk.edit({kind: "end"});
  }

  /** Sends a change of the gesture at the next frame of the screen, the newest one only. */
  soon(gesture, change) {
    gesture.edited = true;
    gesture.owed = change;
    this.moving ||= requestAnimationFrame(() => {
      this.moving = 0;
      this.flush(gesture);
    });
  }

  flush(gesture) {
    if (gesture.owed) this.desk.edit(gesture.owed);
    gesture.owed = null;
  }

  pinch() {
    if (this.gesture?.begun) this.finish();
    this.gesture = null;
    this.desk.hover(null);
  }

  /** Two fingers: their middle moves the view, their distance scales it. */
  stretch(id, at) {
    const [other] = [...this.down].filter(([key]) => key !== id).map(([, place]) => place);
    const before = this.down.get(id);
    this.down.set(id, at);
    const far = Math.hypot(at.x - other.x, at.y - other.y);
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    this.desk.look((view) => {
      view.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
      if (was > 1 && far > 1) view.zoom(far / was, (at.x + other.x) / 2, (at.y + other.y) / 2);
    });
  }

  /** The wheel scales with Ctrl (which is also what two fingers on a touch pad send), or with the tool for looking. */
  wheel(event) {
    if (!event.ctrlKey && this.desk.tool.name !== "look") return;
    event.preventDefault();
    const at = this.place(event);
    const notches = event.deltaMode ? event.deltaY / 3 : event.deltaY / 100;
    this.desk.look((view) => view.zoom(2 ** (-notches / 2), at.x, at.y));
  }
}

/** A point of the tool's class at a pixel. */
export function pointAt(desk, px, py) {
  const [x, y] = desk.view.toData(px, py);
  return {x, y, class: desk.tool.klass};
}

/** Adds a point at the pointer, and on the way of a stroke others at random within the brush. */
function spray(desk, gesture, at) {
  const reach = brushReach(desk);
  const spacing = Math.max(MIN_SPACING, 0.9 * reach);
  const points = [];
  for (;;) {
    const [u, v] = [at.x - gesture.last.x, at.y - gesture.last.y];
    const far = Math.hypot(u, v);
    if (far < spacing) break;
    gesture.last = {x: gesture.last.x + (u * spacing) / far, y: gesture.last.y + (v * spacing) / far};
    const [angle, radius] = [2 * Math.PI * Math.random(), 0.8 * reach * Math.sqrt(Math.random())];
    const [x, y] = [gesture.last.x + radius * Math.cos(angle), gesture.last.y + radius * Math.sin(angle)];
    if (desk.view.holds(x, y)) points.push(pointAt(desk, x, y));
  }
  if (points.length) desk.edit({kind: "add", points});
}

function wipe(desk, gesture, at) {
  const rows = within(desk, at.x, at.y, Math.max(brushReach(desk), 6));
  if (!rows.length) return;
  gesture.edited = true;
  desk.edit({kind: "remove", rows});
}

/** Takes hold of the nearest point. */
function grasp(desk, gesture, at) {
  gesture.row = nearest(desk, at.x, at.y, gesture.touch ? FINGER : GRASP);
  if (gesture.row < 0) return;
  const {x, y, weights} = desk.data;
  gesture.offset = {x: desk.view.px(x[gesture.row]) - at.x, y: desk.view.py(y[gesture.row]) - at.y};
  gesture.weight = weights ? weights[gesture.row] : 1;
}

const STARTS = {
  brush(desk, gesture, at) {
    gesture.edited = true;
    desk.edit({kind: "add", points: [pointAt(desk, at.x, at.y)]});
  },
  erase: wipe,
  drag: grasp,
  weight: grasp,
};

const STROKES = {
  brush: spray,
  erase: wipe,
  drag(desk, gesture, at, tools) {
    if (gesture.row < 0) return;
    const {x, y, width, height} = desk.view.plot;
    const px = Math.min(x + width, Math.max(x, at.x + gesture.offset.x));
    const py = Math.min(y + height, Math.max(y, at.y + gesture.offset.y));
    const [u, v] = desk.view.toData(px, py);
    tools.soon(gesture, {kind: "move", rows: [gesture.row], x: [u], y: [v]});
  },
  weight(desk, gesture, at, tools) {
    if (gesture.row < 0) return;
    const weight = tidyWeight(gesture.weight * 2 ** ((gesture.start.y - at.y) / DOUBLING));
    tools.soon(gesture, {kind: "weight", rows: [gesture.row], weights: [weight]});
  },
  look(desk, gesture, at) {
    const [u, v] = [at.x - gesture.last.x, at.y - gesture.last.y];
    gesture.last = at;
    desk.look((view) => view.pan(u, v));
  },
};
