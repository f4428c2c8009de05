// Small charts of numbers over the steps of a run or over an option, as SVG.

import { draw } from "lab/elements.js";

const WIDTH = 320;
const LOWEST_SHOWN = 1e-16; // a gap below the rounding of doubles is none

/** Lines over the steps of a run on a log or plain scale, with a mark at the step that is shown. */
export class Lines {
  constructor(host, { height = 96, label, log = true, between = false }) {
    this.log = log;
    this.between = between;
    this.height = height;
    this.svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "lines", role: "img", "aria-label": label, preserveAspectRatio: "none" });
    this.area = draw("path", { class: "area" });
    this.grid = draw("path", { class: "grid" });
    this.head = draw("path", { class: "head" });
    this.paths = [];
    this.svg.append(this.grid, this.area);
    host.append(this.svg);
  }

  /** Draw series [{name, values}] with null where there is no value; a name chooses the line's style. */
  set(series) {
    const count = Math.max(...series.map(({ values }) => values.length));
    const heights = series.map(({ values }) => values.map((value) => this.scaled(value)));
    const all = heights.flat().filter((value) => value !== null);
    this.low = Math.min(...all);
    this.range = Math.max(...all) - this.low || 1;
    this.across = count > 1 ? WIDTH / (count - 1) : 0;
    for (const path of this.paths) path.remove();
    this.paths = series.map(({ name }, k) => draw("path", { class: `line ${name}`, d: this.path(heights[k]) }));
    this.area.setAttribute("d", this.between && heights.length === 2 ? this.path(heights[0]) + this.path(heights[1], true) : "");
    this.grid.setAttribute("d", this.log ? this.decades() : "");
    this.svg.append(...this.paths, this.head);
  }

  scaled(value) {
    if (value === null || value === undefined) return null;
    if (!this.log) return value;
    return value > 0 ? Math.log10(Math.max(value, LOWEST_SHOWN)) : null;
  }

  down(value) {
    return 3 + (this.height - 6) * (1 - (value - this.low) / this.range);
  }

  /** The path through the values that there are, or backwards as the lower edge of an area. */
  path(values, back = false) {
    const points = [];
    values.forEach((value, k) => { if (value !== null) points.push(`${(k * this.across).toFixed(1)},${this.down(value).toFixed(1)}`); });
    if (!points.length) return "";
    return back ? `L${points.reverse().join("L")}Z` : `M${points.join("L")}`;
  }

  decades() {
    const every = Math.max(1, Math.ceil(this.range / 5));
    let path = "";
    for (let decade = Math.ceil(this.low / every) * every; decade <= this.low + this.range; decade += every) path += `M0,${this.down(decade).toFixed(1)}h${WIDTH}`;
    return path;
  }

  setHead(index) {
    this.head.setAttribute("d", `M${(index * this.across).toFixed(1)},0V${this.height}`);
  }
}

/** The curve of errors over an option as a picture under its slider: training and cross-validated, which may be one standard error off. */
export function errorCurve(curve, place) {
  const height = 44;
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "lines errors", role: "img", "aria-label": errorsInWords(curve), preserveAspectRatio: "none" });
  const worst = Math.max(...curve.cv.map((value, k) => value + (curve.error_of_cv[k] ?? 0)), ...curve.training, 0.02);
  const down = (value) => 2 + (height - 4) * (1 - value / worst);
  const across = curve.values.map((value) => WIDTH * place(value));
  const order = across.map((_, k) => k).sort((i, k) => across[i] - across[k]);
  const through = (values) => order.filter((k) => values[k] !== null && values[k] !== undefined).map((k) => `${across[k].toFixed(1)},${down(values[k]).toFixed(1)}`);
  const upper = through(curve.cv.map((value, k) => value + (curve.error_of_cv[k] ?? 0)));
  const lower = through(curve.cv.map((value, k) => Math.max(0, value - (curve.error_of_cv[k] ?? 0)))).reverse();
  if (upper.length) svg.append(draw("path", { class: "area", d: `M${[...upper, ...lower].join("L")}Z` }));
  for (const [name, values] of [["training", curve.training], ["cv", curve.cv]]) {
    const points = through(values);
    if (points.length) svg.append(draw("path", { class: `line ${name}`, d: `M${points.join("L")}` }));
  }
  return svg;
}

function errorsInWords({ parameter, values, cv }) {
  const best = cv.indexOf(Math.min(...cv.filter((value) => value !== null)));
  return best < 0 ? `Errors over ${parameter}` : `Errors over ${parameter}: the least in cross-validation is ${(100 * cv[best]).toFixed(1)} % at ${values[best]}`;
}
