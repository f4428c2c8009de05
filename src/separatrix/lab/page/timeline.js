// The run, step by step: play, pause, step, back, scrub and speed, with the sentence of the step that is shown.

import { button, icon, make, write } from "lab/elements.js";

const WHOLE_RUN = 7; // seconds that playing all steps takes at speed 1, within these bounds of steps a second
const SLOWEST = 1.25;
const FASTEST = 40;
const SPEEDS = [[0.25, "¼ ×"], [0.5, "½ ×"], [1, "1 ×"], [2, "2 ×"], [4, "4 ×"]];

export class Timeline {
  constructor(host, { onShow }) {
    this.host = host;
    this.onShow = onShow;
    this.count = 0;
    this.position = 0;
    this.playing = false;
    this.speed = 1;
    this.clock = 0; // of the next animation frame
    this.due = 0; // the position in whole and parts of a step, while playing
    this.tick = (now) => this.advance(now);
    this.build();
  }

  build() {
    this.sentence = make("p", { class: "sentence" });
    this.playButton = button("play", "Play", () => (this.playing ? this.pause() : this.play()), { named: true, class: "button main play", title: "Play or pause (space)" });
    this.scrub = make("input", { type: "range", class: "scrub", min: 0, max: 0, value: 0, step: 1, "aria-label": "Step of the run", oninput: () => this.go(Number(this.scrub.value)) });
    this.label = make("output", { class: "step-number" });
    const options = SPEEDS.map(([value, text]) => make("option", { value, text, selected: value === 1 }));
    this.speedMenu = make("select", { class: "speed", "aria-label": "Speed", title: "Speed", onchange: () => { this.speed = Number(this.speedMenu.value); } }, options);
    this.controls = make("div", { class: "transport" },
      button("first", "To the start", () => this.go(0), { class: "button bare edge" }),
      button("back", "One step back", () => this.go(this.position - 1)),
      this.playButton,
      button("next", "One step on", () => this.go(this.position + 1)),
      button("last", "To the end", () => this.go(this.count - 1), { class: "button bare edge" }),
      this.scrub, this.label, this.speedMenu);
    this.host.append(this.sentence, this.controls);
    this.setCount(0);
  }

  /** How many steps there are; while frames arrive the number grows. */
  setCount(count) {
    this.count = count;
    this.scrub.max = Math.max(0, count - 1);
    for (const control of this.controls.children) control.disabled = count < 2 && control !== this.speedMenu;
    if (this.position > count - 1) this.position = Math.max(0, count - 1);
    this.mark();
  }

  setLabel(label, sentence) {
    write(this.label, label);
    write(this.sentence, sentence);
  }

  /** Show one step and stop playing. */
  go(index) {
    this.pause();
    this.show(index);
  }

  show(index) {
    this.position = Math.max(0, Math.min(this.count - 1, index));
    this.mark();
    this.onShow(this.position, this.playing);
  }

  mark() {
    this.scrub.value = this.position;
    const part = this.count > 1 ? this.position / (this.count - 1) : 0;
    this.scrub.style.setProperty("--part", `${100 * part}%`);
    this.scrub.setAttribute("aria-valuetext", this.count ? `step ${this.position + 1} of ${this.count}` : "no steps");
  }

  /** Play on from here, or from the start where the end is shown. */
  play() {
    if (this.count < 2 || this.playing) return;
    this.setPlaying(true);
    if (this.position >= this.count - 1) this.show(0);
    this.due = this.position;
    this.last = performance.now();
    this.clock = requestAnimationFrame(this.tick);
  }

  pause() {
    if (!this.playing) return;
    cancelAnimationFrame(this.clock);
    this.setPlaying(false);
    this.onShow(this.position, false);
  }

  setPlaying(playing) {
    this.playing = playing;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"), make("span", { text: playing ? "Pause" : "Play" }));
  }

  /** Steps a second at the chosen speed: a run takes the same time whatever its number of steps, within bounds. */
  get rate() {
    return this.speed * Math.min(FASTEST, Math.max(SLOWEST, (this.count - 1) / WHOLE_RUN));
  }

  advance(now) {
    this.due = Math.min(this.count - 1, this.due + (this.rate * Math.min(250, now - this.last)) / 1000);
    this.last = now;
    const end = Math.floor(this.due) >= this.count - 1;
    if (Math.floor(this.due) !== this.position) this.show(Math.floor(this.due));
    if (end) this.pause();
    else this.clock = requestAnimationFrame(this.tick);
  }

  destroy() {
    cancelAnimationFrame(this.clock);
    this.host.replaceChildren();
  }
}
