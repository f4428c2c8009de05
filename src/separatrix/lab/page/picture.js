/** The picture as a vector drawing (SVG) and as pixels (PNG), by the same painting as on screen. */
import {paintOver, paintPoints, paintUnder} from "lab/paint.js";
import {CanvasPen} from "lab/pen.js";
import {trace} from "lab/shapes.js";

const TITLE = "Points and boundary";

/** A pen that writes SVG. Coordinates have two decimals, a twentieth of what an eye can tell. */
export class SvgPen {
  constructor(colours) {
    this.colours = colours;
    this.parts = [];
    this.path = [];
    this.clips = 0;
  }

  clip({x, y, width, height}) {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"/></clipPath>`);
    this.parts.push(`<g clip-path="url(#${id})">`);
  }

  unclip() {
    this.parts.push("</g>");
  }

  begin() {
    this.path = [];
  }

  move(x, y) {
    this.path.push(`M${n(x)},${n(y)}`);
  }

  line(x, y) {
    this.path.push(`L${n(x)},${n(y)}`);
  }

  close() {
    this.path.push("Z");
  }

  circle(x, y, radius) {
    this.path.push(`M${n(x + radius)},${n(y)}a${n(radius)},${n(radius)} 0 1,1 ${n(-2 * radius)},0a${n(radius)},${n(radius)} 0 1,1 ${n(2 * radius)},0Z`);
  }

  arc(x, y, radius, from, to) {
    this.move(x + radius * Math.cos(from), y + radius * Math.sin(from));
    const large = to - from > Math.PI ? 1 : 0;
    this.path.push(`A${n(radius)},${n(radius)} 0 ${large},1 ${n(x + radius * Math.cos(to))},${n(y + radius * Math.sin(to))}`);
  }

  fill(tone, opacity = 1) {
    this.put(`fill="${this.colours[tone]}"${opacity < 1 ? ` fill-opacity="${opacity}"` : ""}`);
  }

  stroke(tone, width, opacity = 1, dash = []) {
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    const faint = opacity < 1 ? ` stroke-opacity="${n(opacity)}"` : "";
    this.put(`fill="none" stroke="${this.colours[tone]}" stroke-width="${width}"${faint}${dashes}`);
  }

  glyph(shape, ink, radius, x, y) {
    this.begin();
    trace(this, shape, x, y, radius);
    const fill = ink.fill ? `fill="${this.colours[ink.fill]}"` : 'fill="none"';
    const stroke = ink.stroke ? ` stroke="${this.colours[ink.stroke]}" stroke-width="${ink.width ?? 1}"` : "";
    this.put(`class="${shape}" ${fill}${stroke}${ink.opacity ? ` opacity="${ink.opacity}"` : ""}`);
  }

  put(how) {
    if (this.path.length) this.parts.push(`<path d="${this.path.join("")}" ${how}/>`);
  }

  text(string, x, y, {tone = "soft", size = 11, align = "center", turned = false, halo = false} = {}) {
    const anchor = {center: "middle", right: "end", left: "start"}[align];
    const around = halo ? ` stroke="${this.colours.paper}" stroke-width="3" paint-order="stroke"` : "";
    const turn = turned ? ` transform="rotate(-90 ${n(x)} ${n(y)})"` : "";
    this.parts.push(
      `<text x="${n(x)}" y="${n(y)}" dy="0.35em" font-size="${size}" text-anchor="${anchor}" ` +
      `fill="${this.colours[tone]}"${around}${turn}>${escaped(string)}</text>`,
    );
  }
}

function n(value) {
  return Number(value.toFixed(2));
}

/** Text that may stand in markup. */
export function escaped(text) {
  const entities = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"};
  return String(text)
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, " ") // what XML may not hold
    .replace(/[&<>"]/g, (sign) => entities[sign]);
}

function paint(pen, scene) {
  paintUnder(pen, scene);
  paintPoints(pen, scene);
  paintOver(pen, scene);
}

/** A scene as a text of SVG that needs nothing else. */
export function svgOf(scene, colours, description) {
  const {width, height} = scene.view;
  const pen = new SvgPen(colours);
  paint(pen, scene);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `role="img" aria-labelledby="title desc" font-family="${escaped(colours.font)}" stroke-linejoin="round" stroke-linecap="round">` +
    `<title id="title">${TITLE}</title><desc id="desc">${escaped(description)}</desc>` +
    `<rect width="${width}" height="${height}" fill="${colours.paper}"/>${pen.parts.join("\n")}</svg>\n`
  );
}

/** A scene as a Blob of PNG. @returns {Promise<Blob>} */
export function pngOf(scene, colours, scale) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(scene.view.width * scale);
  canvas.height = Math.round(scene.view.height * scale);
  const pen = new CanvasPen(canvas.getContext("2d"), colours, scale);
  pen.clear();
  pen.begin();
  pen.move(0, 0);
  pen.line(scene.view.width, 0);
  pen.line(scene.view.width, scene.view.height);
  pen.line(0, scene.view.height);
  pen.fill("paper");
  paint(pen, scene);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("The canvas gave no picture."))), "image/png"));
}
