// The whole page: what the parts ask of it and tell it, and what follows from that.

import { Announcer } from "lab/announce.js";
import * as appearance from "lab/appearance.js";
import { fromMessage, present, toMessage } from "lab/dataset.js";
import { toast } from "lab/dialog.js";
import { BadLink, decode, encode } from "lab/hash.js";
import { knownSlots, nextMethod, titled } from "lab/menu.js";
import { LETTERS, Slot } from "lab/slot.js";
import { standing } from "lab/standing.js";
import { State } from "lab/state.js";
import { swatch } from "lab/toolbox.js";

const SAVE_AFTER = 300; // milliseconds without a change before the address is written
const FIRST_TOY = { name: "separable", seed: 1, n: 60 };
export const FIRST_SLOTS = [{ method: "perceptron, online", options: {} }, { method: "linear SVM", options: {} }];

export class Lab {
  constructor(connection) {
    this.connection = connection;
    this.state = new State();
    this.slots = [];
    this.active = 0;
    this.version = 0; // of the points: what was asked for another version is old
    this.tool = { name: "brush", klass: 0, size: 0.04 };
    this.layers = { regions: true, margins: true, alphas: true, wrong: true, hulls: false, witness: true, lift: false };
    this.announcer = new Announcer(document.getElementById("live"));
    this.swatch = swatch;
    this.turn = 0; // of the states that were asked for: the answer to an earlier one is dropped
    this.wantsPlay = false; // whether the run is played as soon as frames come
  }

  /** Take the parts that show things, and follow the state. */
  attach({ timeline, panel, parts, toolbox, stages }) {
    Object.assign(this, { timeline, panel, parts, toolbox, host: stages });
    new ResizeObserver(() => this.resized()).observe(stages);
    this.state.addEventListener("points", (event) => this.pointsChanged(event.detail));
    this.state.addEventListener("slots", (event) => this.slotsChanged(event.detail));
    this.state.addEventListener("loaded", (event) => { this.takeDataset(event.detail.whole); this.buildSlots(); });
    this.state.addEventListener("full", () => toast(`The lab draws at most ${this.menu.limits.points.toLocaleString("en")} points.`));
  }

  get methods() {
    return this.menu.methods;
  }

  get theme() {
    return appearance.seen();
  }

  get slot() {
    return this.slots[this.active];
  }

  /** How many classes have points. */
  get classes() {
    return present(this.state.dataset).length;
  }

  // ---- what the state tells

  pointsChanged({ live, whole, named }) {
    this.takeDataset(whole);
    if (!named) this.fitAll(live);
    if (!live) this.settled();
  }

  /** Hand the points of the state to all that draw them; `whole` where they are others than before. */
  takeDataset(whole) {
    this.message = toMessage(this.state.dataset);
    this.version += 1;
    this.toolbox.setData(this.state.dataset);
    for (const slot of this.slots) {
      slot.stage.setData(this.state.dataset);
      if (whole) slot.stage.setView(this.state.view);
    }
  }

  slotsChanged({ slot }) {
    if (slot === undefined || slot >= this.slots.length || this.slots.length !== this.state.slots.length) return this.buildSlots();
    const changed = this.slots[slot];
    changed.refresh();
    changed.setLayers(this.layers);
    this.pick(slot);
    changed.fit({ live: changed.live });
    if (!changed.live) this.settled();
    changed.live = false;
  }

  /** Make the slots anew; those whose method and options are the same are kept. */
  buildSlots() {
    const { slots } = this.state;
    while (this.slots.length > slots.length) this.slots.pop().destroy();
    for (const slot of this.slots) { slot.refresh(); slot.setLayers(this.layers); }
    while (this.slots.length < slots.length) {
      const slot = new Slot(this, this.slots.length);
      this.slots.push(slot);
    }
    this.host.dataset.slots = slots.length;
    for (const slot of this.slots) slot.remove.hidden = slots.length === 1;
    this.pick(Math.min(this.active, slots.length - 1));
    this.message ??= toMessage(this.state.dataset);
    requestAnimationFrame(() => requestAnimationFrame(() => this.fitAll(false))); // once the stages know their sizes
    this.settled();
  }

  /** Fit again, where the picture has grown beyond the grid of scores that is drawn. */
  resized() {
    const beyond = ({ result, stage }) => result?.field && !covers(result.field.view, stage.view);
    clearTimeout(this.refitting);
    this.refitting = setTimeout(() => { if (this.slots.some(beyond)) this.fitAll(false); }, SAVE_AFTER);
  }

  fitAll(live) {
    if (live) this.timeline.pause();
    for (const slot of this.slots) slot.fit({ live });
  }

  /** What is done once a change is complete: the address, and what is computed when one looks at it. */
  settled() {
    for (const part of [this.parts.separable, this.parts.lifted]) part.ask();
    this.parts.options.later();
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.saveAddress(), SAVE_AFTER);
    this.onSettled?.();
  }

  // ---- what stages tell

  edit(change, view) {
    this.state.edit(change, view);
  }

  viewed(view, from) {
    this.state.view = view;
    for (const slot of this.slots) if (slot !== from) slot.stage.setView(view);
    this.settled();
    clearTimeout(this.refitting);
    this.refitting = setTimeout(() => this.fitAll(false), SAVE_AFTER);
  }

  pick(index) {
    this.active = index;
    this.slots.forEach((slot, k) => {
      slot.element.classList.toggle("active", k === index && this.slots.length > 1);
      slot.letter.setAttribute("aria-pressed", String(k === index));
    });
    this.panel.setSlot(this.slot, this.slots.length > 1);
    this.label();
  }

  hover() {}

  say(text, playing = false) {
    this.announcer.say(text, playing);
  }

  // ---- what answers tell

  framesCame(slot) {
    this.timeline.setCount(Math.max(0, ...this.slots.map(({ frames }) => frames.length)));
    if (this.wantsPlay && slot.frames.length > 1) {
      this.wantsPlay = false;
      this.timeline.show(0);
      this.timeline.play();
    }
  }

  resultCame(slot) {
    this.timeline.setCount(Math.max(0, ...this.slots.map(({ frames }) => frames.length)));
    if (this.timeline.playing) slot.show(this.timeline.position, true);
    else {
      this.timeline.position = Math.max(0, this.timeline.count - 1);
      this.timeline.mark();
      for (const each of this.slots) if (each === slot || each.frames.length) each.show(this.timeline.position, false);
    }
    if (slot === this.slot) {
      this.panel.setSlot(slot, this.slots.length > 1);
      this.label();
    }
  }

  failed(slot, answer) {
    this.cleared(slot);
    this.say(answer.message);
  }

  cleared(slot) {
    this.framesCame(slot);
    if (slot === this.slot) this.panel.setSlot(slot, this.slots.length > 1);
    this.label();
  }

  // ---- what the timeline tells

  show(position, playing) {
    for (const slot of this.slots) slot.show(position, playing);
    this.panel.show();
    this.label(playing);
  }

  /** The sentence of the step that is shown, for eyes and ears. */
  label(playing = false) {
    const { slot } = this;
    const frame = slot.shown;
    const unit = slot.begun?.unit ?? "step";
    const last = slot.frames.at(-1)?.number;
    const done = slot.result && (slot.finished || !slot.frames.length);
    const number = frame ? `${unit} ${frame.number.toLocaleString("en")} of ${last.toLocaleString("en")}` : "";
    const stopped = done ? slot.result.stopped ?? slot.result.status ?? "" : "";
    const text = slot.missing ?? slot.failure?.message ?? (done ? stopped : frame?.text ?? "");
    const letter = this.slots.length > 1 ? `${LETTERS[slot.index]}: ` : "";
    this.timeline.setLabel(number, text);
    this.say(done ? `${letter}${standing(slot).word}. ${standing(slot).facts}. ${text}` : `${letter}${text}`, playing);
  }

  // ---- what the bar and the panel ask

  setTool(tool) {
    this.tool = tool;
    for (const slot of this.slots) slot.stage.setTool(tool);
  }

  setLayer(name, on) {
    this.layers[name] = on;
    this.drawLayers();
  }

  drawLayers() {
    for (const slot of this.slots) slot.setLayers(this.layers);
  }

  showSeparation(separation) {
    for (const slot of this.slots) slot.stage.showSeparation(separation);
  }

  setSeed(seed) {
    this.state.seed = Number.isInteger(seed) && seed >= 0 ? seed : 0;
    this.fitAll(false);
    this.settled();
  }

  addSlot() {
    this.active = this.slots.length;
    this.state.setSlot(this.slots.length, nextMethod(this.methods, this.state.slots), {});
  }

  /** Ask for a toy set and show it, with other parts of a state if they are given; what was asked for before is dropped. */
  toy(toy, others = {}) {
    const turn = ++this.turn;
    this.connection.ask({ do: "toy", seed: 0, ...toy }, (answer) => {
      if (turn !== this.turn) return;
      if (answer.kind === "error") return toast(answer.message, { error: true });
      this.state.load({ dataset: fromMessage(answer.data), ...others });
      this.say(answer.text);
    });
  }

  takePoints(answer) {
    this.state.replace(fromMessage(answer.data));
    if (answer.text) this.say(answer.text);
  }

  // ---- links and lessons

  link() {
    const { hash, exact } = encode(this.state);
    return { address: location.href.split("#")[0] + hash, hash, exact };
  }

  saveAddress() {
    const { hash } = this.link();
    this.written = hash;
    history.replaceState(null, "", hash);
  }

  /** Show what a hash holds; a bad one is refused with a sentence, and the page stays as it is. True if it was shown. */
  openHash(hash) {
    try {
      const wanted = decode(hash);
      if (wanted) this.loadState(wanted);
      return wanted !== null;
    } catch (problem) {
      if (!(problem instanceof BadLink)) throw problem;
      toast(problem.message, { error: true });
      return false;
    }
  }

  /** Show a state of a link, a lesson or the server: {dataset or data or toy, slots, seed, layers, view}. */
  loadState({ dataset, data, toy, slots, seed, layers, view }) {
    const [known, left] = slots ? knownSlots(this.methods, slots) : [null, null];
    if (left) toast(left, { error: true });
    for (const [name, on] of Object.entries(layers ?? {})) this.layers[name] = on;
    this.drawLayers();
    const parts = { slots: known?.length ? known : slots && FIRST_SLOTS, seed, view: viewOf(view) };
    if (toy) return this.toy(toy, parts);
    this.turn += 1;
    this.state.load({ dataset: dataset ?? (data && fromMessage(data)), ...parts });
  }

  loadLesson({ state, play, panel }) {
    this.timeline.pause();
    this.wantsPlay = Boolean(play) && !appearance.still();
    if (state) this.loadState(state);
    else if (this.wantsPlay) { this.wantsPlay = false; this.timeline.go(0); this.timeline.play(); }
    if (panel) this.panel.choose(panel);
  }

  /** What is shown at first, where neither a link nor the server says. */
  firstState() {
    this.wantsPlay = !appearance.still();
    const toy = this.menu.toys.find(({ name }) => name === FIRST_TOY.name) ?? this.menu.toys[0];
    this.loadState({ toy: { ...FIRST_TOY, name: toy.name }, slots: FIRST_SLOTS });
  }
}

function covers([left, right, bottom, top], view) {
  const slack = 0.01 * (view.right - view.left);
  return left <= view.left + slack && right >= view.right - slack && bottom <= view.bottom + slack && top >= view.top - slack;
}

/** A view as the stages have it, also from the four numbers of a message. */
function viewOf(view) {
  if (!Array.isArray(view)) return view ?? null;
  const [left, right, bottom, top] = view;
  return { left, right, bottom, top };
}

/** The heading of the document for a list of slots. */
export function pageTitle(slots) {
  return slots.length ? `${slots.map(({ method }) => titled(method)).join(", ")} – separatrix lab` : "separatrix lab";
}

