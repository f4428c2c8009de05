// What the page shows: points with their history, slots (a method and its options each), seed and view.

import { edited, decimalsFor, empty, MAX_POINTS } from "lab/dataset.js";

const MAX_UNDO = 100; // datasets kept; of 5,000 points each has about 0.1 MB
export const MAX_SLOTS = 4;

/** Fires "points" (detail.live while a gesture lasts), "slots" (detail.slot, or none for all), "loaded" and "full". */
export class State extends EventTarget {
  constructor() {
    super();
    this.dataset = empty();
    this.slots = [];
    this.seed = 0;
    this.view = null;
    this.past = [];
    this.future = [];
    this.gesture = null; // the dataset before the gesture that is under way
  }

  /** Take over a whole state, as a link or a lesson has it; an undo leads back to the points before. */
  load({ dataset, slots, seed, view }) {
    if (slots) {
      this.slots = slots.slice(0, MAX_SLOTS).map(({ method, options }) => ({ method, options: { ...options } }));
      this.seed = seed ?? 0;
    }
    if (dataset) this.put(dataset, view ?? null);
    this.tell("loaded", { whole: Boolean(dataset) });
  }

  /** Put other points in place of all, as one step that can be undone. */
  replace(dataset) {
    this.put(dataset, null);
    this.tell("points", { live: false, whole: true });
  }

  put(dataset, view) {
    if (this.dataset.x.length) this.remember(this.dataset);
    this.dataset = dataset;
    this.view = view;
    this.gesture = null;
  }

  /** Apply what a stage reports of a gesture; its end makes one undo step of the whole gesture. */
  edit(change, view) {
    if (change.kind === "end") {
      if (this.gesture && this.gesture !== this.dataset) this.remember(this.gesture);
      const moved = this.gesture !== null;
      this.gesture = null;
      if (moved) this.tell("points", { live: false });
      return;
    }
    this.gesture ??= this.dataset;
    if (change.kind === "add" && this.dataset.x.length + change.points.length > MAX_POINTS) this.tell("full", {});
    const decimals = [decimalsFor(view.right - view.left), decimalsFor(view.top - view.bottom)];
    this.dataset = edited(this.dataset, change, decimals);
    this.tell("points", { live: true });
  }

  /** Give the classes names; more of them make room for points of another class. */
  relabel(labels) {
    this.dataset = { ...this.dataset, labels };
    this.tell("points", { live: false, named: true });
  }

  remember(dataset) {
    this.past.push(dataset);
    if (this.past.length > MAX_UNDO) this.past.shift();
    this.future.length = 0;
  }

  undo() {
    this.restore(this.past, this.future);
  }

  redo() {
    this.restore(this.future, this.past);
  }

  restore(from, to) {
    if (!from.length) return;
    to.push(this.dataset);
    this.dataset = from.pop();
    this.gesture = null;
    this.tell("points", { live: false });
  }

  /** Give a slot a method or options; a slot one past the last is a new one. */
  setSlot(index, method, options) {
    this.slots[index] = { method, options };
    this.tell("slots", { slot: index });
  }

  removeSlot(index) {
    this.slots.splice(index, 1);
    this.tell("slots", {});
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
