/** The map between data coordinates and pixels; what of the plane is visible. */

/** @typedef {{left: number, right: number, bottom: number, top: number}} Rectangle in data coordinates */

const PADDING = 0.08; // fraction of the extent of the points, on each side; as in the figures of the package
const MAX_ASPECT_RATIO = 4; // of data that are drawn to one scale, so that right angles look right
const EMPTY = {left: -1, right: 1, bottom: -1, top: 1}; // shown while there are no points
const LEAST_EXTENT = 1e-9; // fraction of the largest coordinate; doubles cannot tell much less apart
const CHARACTER = 6; // pixels of a digit of a tick's label

/** A rectangle around points, with some room on every side. */
export function rectangleAround(x, y) {
  const n = x.length;
  if (!n) return {...EMPTY};
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < n; i++) {
    if (x[i] < left) left = x[i];
    if (x[i] > right) right = x[i];
    if (y[i] < bottom) bottom = y[i];
    if (y[i] > top) top = y[i];
  }
  const most = Math.max(right - left, top - bottom) || 2;
  const [wide, high] = [right - left || most, top - bottom || most];
  const [across, up] = [(left + right) / 2, (bottom + top) / 2];
  return {
    left: across - wide * (0.5 + PADDING), right: across + wide * (0.5 + PADDING),
    bottom: up - high * (0.5 + PADDING), top: up + high * (0.5 + PADDING),
  };
}

/** The largest of 1, 2 and 5 times a power of ten that is at most about `step`. */
export function roundStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  const lead = step / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/** Round numbers between low and high, each with its label. */
export function ticks(low, high, count) {
  const step = roundStep((high - low) / Math.max(count, 1));
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high && found.length < 50; k++) {
    found.push({value: k * step, label: String(Number((k * step).toPrecision(10))).replace("-", "−")});
  }
  return found;
}

export class View {
  constructor() {
    /** @type {Rectangle} what must be visible */
    this.wanted = {...EMPTY};
    this.width = this.height = 0;
    this.plot = {x: 0, y: 0, width: 1, height: 1};
    this.axes = {x: [], y: []};
    this.toScale = true;
    /** counts the changes, so that layers know when to draw anew */
    this.version = 0;
    this.layout();
  }

  /** Takes the size of the drawing in pixels. */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.layout();
  }

  /** Shows at least a rectangle; whether both axes have one scale follows from its shape. */
  set(rectangle) {
    const [wide, high] = [rectangle.right - rectangle.left, rectangle.top - rectangle.bottom];
    if (!(wide > 0 && high > 0 && Number.isFinite(wide) && Number.isFinite(high))) return;
    this.wanted = {left: rectangle.left, right: rectangle.right, bottom: rectangle.bottom, top: rectangle.top};
    this.toScale = wide / high <= MAX_ASPECT_RATIO && high / wide <= MAX_ASPECT_RATIO;
    this.layout();
  }

  /** Shows all points. */
  fit(x, y) {
    this.set(rectangleAround(x, y));
  }

  /** What is visible: at least what was wanted. @returns {Rectangle} */
  get visible() {
    return {left: this.left, right: this.right, bottom: this.bottom, top: this.top};
  }

  /** Sets the plot's place among the axes, its ticks, and the scales. */
  layout() {
    const small = this.width < 420;
    const [right, top, bottom] = [small ? 8 : 14, small ? 8 : 12, small ? 36 : 42];
    let left = small ? 30 : 40;
    for (let round = 0; round < 2; round++) { // the labels of the second axis take room from the first
      this.place(left, top, Math.max(this.width - left - right, 20), Math.max(this.height - top - bottom, 20));
      const longest = Math.max(1, ...this.axes.y.map((tick) => tick.label.length));
      left = Math.max(left, 24 + CHARACTER * longest);
    }
    this.version++;
  }

  place(x, y, width, height) {
    this.plot = {x, y, width, height};
    let {left, right, bottom, top} = this.wanted;
    if (this.toScale) {
      const scale = Math.min(width / (right - left), height / (top - bottom));
      const [across, up, half, other] = [(left + right) / 2, (bottom + top) / 2, width / scale / 2, height / scale / 2];
      [left, right, bottom, top] = [across - half, across + half, up - other, up + other];
    }
    Object.assign(this, {left, right, bottom, top, sx: width / (right - left), sy: height / (top - bottom)});
    this.axes = {x: ticks(left, right, width / 90), y: ticks(bottom, top, height / 60)};
  }

  /** The first coordinate in pixels. */
  px(x) {
    return this.plot.x + (x - this.left) * this.sx;
  }

  /** The second coordinate in pixels, which count downwards. */
  py(y) {
    return this.plot.y + (this.top - y) * this.sy;
  }

  toPixels(x, y) {
    return [this.px(x), this.py(y)];
  }

  toData(px, py) {
    return [this.left + (px - this.plot.x) / this.sx, this.top - (py - this.plot.y) / this.sy];
  }

  /** Whether a pixel lies within the plot. */
  holds(px, py) {
    const {x, y, width, height} = this.plot;
    return px >= x && px <= x + width && py >= y && py <= y + height;
  }

  /** Whether all points are visible. */
  shows(x, y) {
    for (let i = 0; i < x.length; i++) {
      if (x[i] < this.left || x[i] > this.right || y[i] < this.bottom || y[i] > this.top) return false;
    }
    return true;
  }

  /** Shows `factor` times less around a pixel, which stays where it is. */
  zoom(factor, px, py) {
    const [x, y] = this.toData(px, py);
    const extent = Math.max(this.right - this.left, this.top - this.bottom) / factor;
    const largest = Math.max(Math.abs(x), Math.abs(y), 1e-300);
    if (extent < LEAST_EXTENT * largest || extent > 1e12 * Math.max(largest, 1)) return;
    this.show({
      left: x + (this.left - x) / factor, right: x + (this.right - x) / factor,
      bottom: y + (this.bottom - y) / factor, top: y + (this.top - y) / factor,
    });
  }

  /** Moves what is visible by pixels. */
  pan(dx, dy) {
    const [x, y] = [dx / this.sx, dy / this.sy];
    this.show({left: this.left - x, right: this.right - x, bottom: this.bottom + y, top: this.top + y});
  }

  /** Shows a rectangle without deciding anew on the scale of the axes. */
  show(rectangle) {
    this.wanted = rectangle;
    this.layout();
  }
}
