/** Canvases over each other that are drawn anew at most once a frame of the screen, each only if it must be. */
import {CanvasPen} from "lab/pen.js";
import {coloursOf, onTheme} from "lab/theme.js";

const MAX_RATIO = 3; // device pixels a pixel; more cost time and are not seen

export class Screen {
  /**
   * @param {HTMLElement} host whose size the canvases take
   * @param {Object<string, (pen: CanvasPen) => void>} painters one for each layer, from below
   * @param {{onSize: (width: number, height: number) => void, onFrame: (now: number) => boolean}} told `onFrame` says whether the lowest layer moves on
   */
  constructor(host, painters, told) {
    this.painters = painters;
    this.layers = Object.keys(painters);
    this.told = told;
    this.root = document.createElement("div");
    Object.assign(this.root.style, {position: "absolute", inset: "0", overflow: "hidden", borderRadius: "inherit"});
    if (getComputedStyle(host).position === "static") host.style.position = "relative";
    this.width = this.height = 0;
    this.pens = this.layers.map(() => this.canvas());
    host.append(this.root);
    this.dirty = new Set(this.layers);
    this.waiting = 0;
    this.observer = new ResizeObserver(() => this.measure() && this.draw());
    this.observer.observe(this.root);
    this.unwatch = onTheme(() => this.dress());
    this.dress();
    this.measure();
  }

  canvas() {
    const canvas = document.createElement("canvas");
    Object.assign(canvas.style, {position: "absolute", left: "0", top: "0", pointerEvents: "none"});
    canvas.setAttribute("aria-hidden", "true");
    this.root.append(canvas);
    return new CanvasPen(canvas.getContext("2d"), {}, 1);
  }

  /** Takes the size of the host, and the number of device pixels a pixel. @returns whether there is room to draw */
  measure() {
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    this.ratio = Math.min(devicePixelRatio || 1, MAX_RATIO);
    if (width < 2 || height < 2) return false;
    Object.assign(this, {width, height});
    for (const pen of this.pens) {
      const {canvas} = pen.context;
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
      Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
      pen.dress(this.colours, this.ratio);
    }
    this.told.onSize(width, height);
    return true;
  }

  /** Reads the colours anew. */
  dress() {
    this.colours = coloursOf(this.root);
    for (const pen of this.pens) pen.dress(this.colours, this.ratio ?? 1);
    this.soil(...this.layers);
  }

  /** Asks for layers to be drawn at the next frame of the screen. */
  soil(...layers) {
    for (const layer of layers) this.dirty.add(layer);
    this.waiting ||= requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.waiting = 0;
    if (Math.min(devicePixelRatio || 1, MAX_RATIO) !== this.ratio && this.measure()) this.soil(...this.layers);
    const more = this.told.onFrame(now);
    for (const layer of this.dirty) this.paint(layer);
    this.dirty.clear();
    if (more) this.soil(this.layers[0]);
  }

  /** Draws all layers at once. */
  draw() {
    for (const layer of this.layers) this.paint(layer);
  }

  paint(layer) {
    const pen = this.pens[this.layers.indexOf(layer)];
    pen.clear();
    this.painters[layer](pen);
  }

  destroy() {
    cancelAnimationFrame(this.waiting);
    this.waiting = -1; // nothing is drawn any more
    this.observer.disconnect();
    this.unwatch();
    this.root.remove();
  }
}
