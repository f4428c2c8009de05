/** Plays a recorded run in a page of its own that needs no server: the stage, the timeline, and the certificate. */
import {Certificate} from "lab/certificate.js";
import {fromMessage} from "lab/dataset.js";
import {make, write} from "lab/elements.js";
import {Stage} from "lab/stage.js";
import {Timeline} from "lab/timeline.js";

/**
 * What was recorded, as the server sent it: the points, `begin`, all frames, the result.
 * @typedef {{title?: string, data: Object, begin?: {call: string, unit: string, total: ?number}, frames: Object[], result: ?Object, view?: number[]}} Recording
 */

export class Player {
  /** @param {HTMLElement} host @param {Recording} recording */
  constructor(host, recording) {
    const {frames, result, data, begin = {}, view = null} = recording;
    Object.assign(this, {frames, result, unit: begin.unit ?? "step", total: begin.total ?? null});
    this.dataset = fromMessage(data);
    this.stageHost = make("div", {class: "stage"});
    this.live = make("p", {class: "unseen", role: "status", "aria-live": "polite"});
    const controls = make("div", {class: "timeline", role: "group", "aria-label": "Run, step by step"});
    this.status = make("p", {class: "status"});
    this.certificate = new Certificate();
    host.append(
      make("h1", {text: recording.title ?? begin.call ?? result?.call ?? "A recorded run"}),
      make("div", {class: "frame"}, this.stageHost),
      controls,
      legend(this.dataset),
      this.status,
      this.certificate.element,
      result?.python && make("details", {}, make("summary", {text: "The same fit in Python"}), make("pre", {tabindex: "0", text: result.python})),
      this.live,
    );
    this.stage = new Stage(this.stageHost, {readOnly: true, onSay: (text) => write(this.live, text)});
    this.stage.setData(this.dataset);
    this.stage.setView(view && {left: view[0], right: view[1], bottom: view[2], top: view[3]});
    this.timeline = new Timeline(controls, {onShow: (index, playing) => this.show(index, playing)});
    this.timeline.setCount(frames.length);
    if (frames.length) this.timeline.go(0);
    else this.finish();
    this.listen(host.ownerDocument);
  }

  /** Shows a frame; with the last one, what the run came to. */
  show(index, playing) {
    const frame = this.frames[index];
    const last = index === this.frames.length - 1;
    this.stage.show(frame, {previous: this.frames[index - 1] ?? null, trail: true, instant: !playing});
    this.timeline.setLabel(this.label(frame), frame.text ?? "");
    if (last) this.finish();
    else {
      this.stage.showResult(null);
      this.certificate.show(null);
      write(this.status, "");
    }
    if (!playing) write(this.live, `${this.label(frame)}: ${frame.text ?? ""}`);
  }

  label(frame) {
    const name = `${this.unit[0].toUpperCase()}${this.unit.slice(1)}`;
    return this.total === null ? `${name} ${frame.number}` : `${name} ${frame.number} of ${this.total}`;
  }

  finish() {
    const {result} = this;
    this.stage.showResult(result);
    this.certificate.show(result);
    write(this.status, [result?.stopped ?? result?.status, result?.warning].filter(Boolean).join(" "));
  }

  /** Space plays and pauses, arrows step, where no control has a use for these keys. */
  listen(page) {
    page.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, input, select, summary")) return;
      const act = {
        " ": () => (this.timeline.playing ? this.timeline.pause() : this.timeline.play()),
        ArrowRight: () => this.timeline.go(this.timeline.position + 1),
        ArrowLeft: () => this.timeline.go(this.timeline.position - 1),
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  destroy() {
    this.timeline.destroy();
    this.stage.destroy();
  }
}

/** The classes with their numbers of points, in words: colours and shapes are named for those who cannot see them apart. */
function legend(dataset) {
  const shapes = ["●", "■", "▲", "◆", "✚"];
  const entries = [...new Set(dataset.classes)].sort().map((code) => {
    const count = dataset.classes.filter((other) => other === code).length;
    const sign = make("span", {class: "sign", "aria-hidden": "true", text: shapes[code]});
    sign.style.color = `var(--c${code + 1})`;
    return make("li", {}, sign, ` ${dataset.labels[code] ?? `class ${code + 1}`} (${count})`);
  });
  return make("ul", {class: "legend"}, ...entries);
}

/** Plays the recording that the page holds. @param {Document} page */
export function play(page) {
  const recording = JSON.parse(page.getElementById("recording").textContent);
  return new Player(page.getElementById("player"), recording);
}
