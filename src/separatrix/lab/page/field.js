/**
 * Contours of scores on a grid, by marching squares (Lorensen and Cline, 1987, in the plane).
 *
 * The grid has nx columns and ny rows over view = [left, right, bottom, top], edges included; the score number
 * j nx + i is that of column i in row j, counted from the bottom. Between grid points the score is taken as linear.
 */

/** @typedef {{nx: number, ny: number, view: number[], scores: number[][] | number[]}} Field */

const known = new WeakMap();

/** What was computed for a field before; a field is never changed. */
function memory(field) {
  let found = known.get(field);
  if (!found) known.set(field, (found = {lines: new Map(), areas: null, leads: null}));
  return found;
}

/** The lists of scores of a field: one for two classes, else one a class. */
export function lists(field) {
  return Array.isArray(field.scores[0]) ? field.scores : [field.scores];
}

/** For each class, by how much its score exceeds the largest of the others; class 1 of two has the score itself. */
export function leads(field) {
  const held = memory(field);
  if (held.leads) return held.leads;
  const scores = lists(field);
  if (scores.length === 1) {
    held.leads = [scores[0].map((value) => -value), scores[0]];
  } else {
    held.leads = scores.map((own, k) => own.map((value, at) => value - best(scores, at, k)));
  }
  return held.leads;
}

function best(scores, at, without) {
  let most = -Infinity;
  for (let k = 0; k < scores.length; k++) if (k !== without && scores[k][at] > most) most = scores[k][at];
  return most;
}

/** The lines where the score of two classes has a level: x and y of their points in turn. @returns {number[][]} */
export function contour(field, level) {
  const {lines} = memory(field);
  if (!lines.has(level)) lines.set(level, chains(march(field, lists(field)[0], level).pieces));
  return lines.get(level);
}

/** The polygons of each class, and their borders. @returns {{polygons: number[][], borders: number[][]}[]} */
export function areas(field) {
  const held = memory(field);
  if (!held.areas) {
    held.areas = leads(field).map((lead) => {
      const {polygons, pieces} = march(field, lead, 0);
      return {polygons, borders: chains(pieces)};
    });
  }
  return held.areas;
}

/** Joins pieces that share ends to lines, so that dashes run on. */
export function chains(pieces) {
  const ends = new Map();
  const key = (k) => `${pieces[k]},${pieces[k + 1]}`;
  for (let k = 0; k < pieces.length; k += 2) {
    const there = ends.get(key(k));
    if (there) there.push(k);
    else ends.set(key(k), [k]);
  }
  const used = new Uint8Array(pieces.length);
  const grow = (line, from) => { // from the end number `from` of a piece, along pieces that were not used yet
    for (let end = from; end >= 0; ) {
      line.push(pieces[end], pieces[end + 1]);
      const next = ends.get(key(end)).find((k) => !used[k - (k % 4)]);
      if (next === undefined) return line;
      used[next - (next % 4)] = 1;
      end = next % 4 ? next - 2 : next + 2;
    }
    return line;
  };
  const lines = [];
  for (let k = 0; k < pieces.length; k += 4) {
    if (used[k]) continue;
    used[k] = 1;
    const back = grow([], k);
    const line = [];
    for (let p = back.length - 2; p >= 0; p -= 2) line.push(back[p], back[p + 1]);
    lines.push(grow(line, k + 2));
  }
  return lines;
}

/**
 * The line at a level, and the polygons where values are at least it.
 * @returns {{pieces: number[], polygons: number[][]}}
 */
export function march(field, values, level) {
  const {nx, ny} = field;
  const [left, right, bottom, top] = field.view;
  const [wide, high] = [(right - left) / (nx - 1), (top - bottom) / (ny - 1)];
  const found = {pieces: [], polygons: []};
  const cell = {h: [0, 0, 0, 0], x: 0, y: 0, right: 0, top: 0};
  for (let j = 0; j + 1 < ny; j++) {
    let start = null; // of the cells up to this one that lie inside as a whole: they become one rectangle
    [cell.y, cell.top] = [bottom + j * high, bottom + (j + 1) * high];
    for (let i = 0; i + 1 < nx; i++) {
      const at = j * nx + i;
      const h = cell.h;
      [h[0], h[1], h[2], h[3]] = [values[at] - level, values[at + 1] - level, values[at + nx + 1] - level, values[at + nx] - level];
      const inside = (h[0] >= 0) + (h[1] >= 0) + (h[2] >= 0) + (h[3] >= 0);
      [cell.x, cell.right] = [left + i * wide, left + (i + 1) * wide];
      if (inside === 4) start ??= cell.x;
      else {
        rectangle(found.polygons, cell, start, cell.x);
        start = null;
        if (inside) cut(found, cell);
      }
    }
    rectangle(found.polygons, cell, start, cell.right);
  }
  return found;
}

/** Adds the rectangle of the cells of a row from `start`, if there are any, to `end`. */
function rectangle(polygons, {y, top}, start, end) {
  if (start !== null) polygons.push([start, y, end, y, end, top, start, top]);
}

/** Adds what of a cell is inside, and the line through it. */
function cut({pieces, polygons}, cell) {
  const {h, x, y, right, top} = cell;
  const u = [x, right, right, x];
  const v = [y, y, top, top];
  const polygon = [];
  const crossings = []; // in turn around the cell, with the place of each among the corners of the polygon
  for (let k = 0; k < 4; k++) {
    const after = (k + 1) % 4;
    if (h[k] >= 0) polygon.push(u[k], v[k]);
    if (h[k] >= 0 === h[after] >= 0) continue;
    const [from, to] = k < 2 ? [k, after] : [after, k]; // as the cell beyond has it, to the last bit
    const part = h[from] / (h[from] - h[to]);
    const point = [u[from] + part * (u[to] - u[from]), v[from] + part * (v[to] - v[from])];
    crossings.push(point);
    polygon.push(...point);
  }
  if (crossings.length === 2) {
    pieces.push(...crossings[0], ...crossings[1]);
    polygons.push(polygon);
  } else saddle(pieces, polygons, h, crossings, polygon);
}

/** Two opposite corners are inside: whether they meet is said by the mean of all four. */
function saddle(pieces, polygons, h, crossings, polygon) {
  const meet = h[0] + h[1] + h[2] + h[3] >= 0;
  const first = h[0] >= 0;
  const [a, b, c, d] = crossings;
  if (first !== meet) pieces.push(...d, ...a, ...b, ...c);
  else pieces.push(...a, ...b, ...c, ...d);
  if (meet) polygons.push(polygon);
  else if (first) polygons.push([polygon[0], polygon[1], ...a, ...d], [...b, ...cornerBetween(polygon, b), ...c]);
  else polygons.push([...a, ...cornerBetween(polygon, a), ...b], [...c, ...cornerBetween(polygon, c), ...d]);
}

/** The corner of the polygon that follows a crossing. */
function cornerBetween(polygon, crossing) {
  for (let k = 0; k < polygon.length; k += 2) {
    if (polygon[k] === crossing[0] && polygon[k + 1] === crossing[1]) return [polygon[k + 2], polygon[k + 3]];
  }
  return crossing;
}

/** The scores at a point, linear between grid points; null outside of the grid. */
export function scoresAt(field, x, y) {
  const {nx, ny} = field;
  const [left, right, bottom, top] = field.view;
  const [s, t] = [((x - left) / (right - left)) * (nx - 1), ((y - bottom) / (top - bottom)) * (ny - 1)];
  if (!(s >= 0 && t >= 0 && s <= nx - 1 && t <= ny - 1)) return null;
  const [i, j] = [Math.min(Math.floor(s), nx - 2), Math.min(Math.floor(t), ny - 2)];
  const [a, b, at] = [s - i, t - j, j * nx + i];
  return lists(field).map((v) =>
    (v[at] * (1 - a) + v[at + 1] * a) * (1 - b) + (v[at + nx] * (1 - a) + v[at + nx + 1] * a) * b);
}
