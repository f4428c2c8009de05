/**
 * A pen on a canvas. Pictures are drawn through a pen, so that the same code draws on screen and into an SVG
 * (`picture.js` has that pen).
 *
 * A path is begun, moved, lined, closed; then filled or stroked with a tone (a name of the theme). Glyphs are small
 * shapes that are drawn often: on a canvas each is drawn once per tone and size, and copied from then on.
 */
import {reach, trace} from "lab/shapes.js";

/** @typedef {{fill?: string, stroke?: string, width?: number, opacity?: number}} Ink */

const MAX_SPRITES = 600; // of one pen; sizes are rounded, so that a page needs far fewer

export class CanvasPen {
  /** @param {CanvasRenderingContext2D} context @param {Object<string, string>} colours @param {number} ratio */
  constructor(context, colours, ratio) {
    this.context = context;
    this.sprites = new Map();
    this.dress(colours, ratio);
  }

  /** Takes the colours of a theme and the number of device pixels a pixel. */
  dress(colours, ratio) {
    this.colours = colours;
    this.ratio = ratio;
    this.sprites.clear();
  }

  clear() {
    const {canvas} = this.context;
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, canvas.width, canvas.height);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.lineJoin = this.context.lineCap = "round";
  }

  clip({x, y, width, height}) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip() {
    this.context.restore();
  }

  begin() {
    this.context.beginPath();
  }

  move(x, y) {
    this.context.moveTo(x, y);
  }

  line(x, y) {
    this.context.lineTo(x, y);
  }

  close() {
    this.context.closePath();
  }

  circle(x, y, radius) {
    this.arc(x, y, radius, 0, 2 * Math.PI);
  }

  arc(x, y, radius, from, to) {
    this.context.moveTo(x + radius * Math.cos(from), y + radius * Math.sin(from));
    this.context.arc(x, y, radius, from, to);
  }

  fill(tone, opacity = 1) {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = this.colours[tone];
    this.context.fill();
    this.context.globalAlpha = 1;
  }

  stroke(tone, width, opacity = 1, dash = NO_DASH) {
    this.context.globalAlpha = opacity;
    this.context.strokeStyle = this.colours[tone];
    this.context.lineWidth = width;
    this.context.setLineDash(dash);
    this.context.stroke();
    this.context.globalAlpha = 1;
  }

  /** A shape filled and stroked around a point, copied from its sprite to whole device pixels. @param {Ink} ink */
  glyph(shape, ink, radius, x, y) {
    const size = Math.max(0.5, Math.round(radius * 2) / 2);
    const key = `${shape}|${ink.fill}|${ink.stroke}|${ink.width}|${size}`;
    let sprite = this.sprites.get(key);
    if (!sprite) {
      if (this.sprites.size >= MAX_SPRITES) this.sprites.clear();
      sprite = this.sprite(shape, ink, size);
      this.sprites.set(key, sprite);
    }
    const half = sprite.width / 2;
    const {context, ratio} = this;
    context.setTransform(1, 0, 0, 1, 0, 0); // a copy of whole pixels is several times as fast as a scaled one
    context.drawImage(sprite, Math.round(x * ratio - half), Math.round(y * ratio - half));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  sprite(shape, ink, radius) {
    const half = Math.ceil((reach(shape, radius) + (ink.width ?? 0) / 2 + 1) * this.ratio);
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 2 * half;
    const pen = new CanvasPen(canvas.getContext("2d"), this.colours, this.ratio);
    pen.clear();
    const middle = half / this.ratio;
    pen.begin();
    trace(pen, shape, middle, middle, radius);
    if (ink.fill) pen.fill(ink.fill, ink.opacity);
    if (ink.stroke) pen.stroke(ink.stroke, ink.width ?? 1, ink.opacity);
    return canvas;
  }

  /** Text at a point. @param {{tone?: string, size?: number, align?: CanvasTextAlign, turned?: boolean, halo?: boolean}} how */
  text(string, x, y, {tone = "soft", size = 11, align = "center", turned = false, halo = false} = {}) {
    const {context} = this;
    context.save();
    context.translate(x, y);
    if (turned) context.rotate(-Math.PI / 2);
    context.font = `${size}px ${this.colours.font}`;
    context.textAlign = align;
    context.textBaseline = "middle";
    if (halo) {
      context.strokeStyle = this.colours.paper;
      context.lineWidth = 3;
      context.setLineDash(NO_DASH);
      context.strokeText(string, 0, 0);
    }
    context.fillStyle = this.colours[tone];
    context.fillText(string, 0, 0);
    context.restore();
  }
}

const NO_DASH = [];

/** Adds a path through data coordinates, given as x and y in turn. */
export function through(pen, view, flat, closed) {
  for (let k = 0; k < flat.length; k += 2) {
    const [x, y] = [view.px(flat[k]), view.py(flat[k + 1])];
    if (k) pen.line(x, y);
    else pen.move(x, y);
  }
  if (closed) pen.close();
}
