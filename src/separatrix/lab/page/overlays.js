/** What is drawn about single rows: alphas, support rows, wrong rows, hulls, marks, the proof that classes overlap. */
import {difference, foot, planesOfClasses, visiblePart} from "lab/geometry.js";
import {through} from "lab/pen.js";
import {MAX_RADIUS, radiusOf, toneOf} from "lab/shapes.js";

const MAX_HALO = 16; // pixels that the largest alpha adds to the radius of its point
const MAX_LINES = 24; // from rows to the plane; a batch of thousands would be a web
const FREE = [{stroke: "ink", width: 2}, {stroke: "ink", width: 1.3}]; // the second where points are small
const BOUNDED = [{stroke: "ink", width: 1.6}, {stroke: "ink", width: 1.1}];
const WRONG = [{stroke: "warn", width: 1.5}, {stroke: "warn", width: 1.1}];
const PRESENT = [{stroke: "accent", width: 2.6}, {stroke: "accent", width: 2.4}];
const SMALL = 0.72; // of the size of few points
const MEETING = {fill: "accent", stroke: "paper", width: 1.5};
const POINT = {fill: "ink", stroke: "paper", width: 1.2};

/** Circles in the colour of the class whose areas grow with alpha. */
export function paintHalos(pen, scene) {
  const {support, view, data} = scene;
  if (!support) return;
  let most = 0;
  for (const value of support.alpha) if (value > most) most = value;
  support.rows.forEach((row, k) => {
    if (row >= data.x.length || !(support.alpha[k] > 0)) return;
    const radius = radiusOf(scene, row) + MAX_HALO * grain(scene) * Math.sqrt(support.alpha[k] / most);
    pen.glyph("circle", HALOS[data.classes[row] % HALOS.length], radius, view.px(data.x[row]), view.py(data.y[row]));
  });
}

const HALOS = [0, 1, 2, 3, 4].map((klass) => ({fill: toneOf(klass), opacity: 0.24}));

export function paintOverlays(pen, scene) {
  const {layers, frame, final, separation} = scene;
  if (layers.hulls && final?.hulls) for (const mark of final.hulls) paintMark(pen, scene, mark);
  if (frame?.marks) for (const mark of frame.marks) paintMark(pen, scene, mark);
  if (layers.witness && separation) for (const pair of separation.pairs ?? []) paintWitness(pen, scene, pair);
  if (layers.alphas && scene.support) paintSupport(pen, scene);
  if (layers.wrong) for (const row of scene.wrong) ring(pen, scene, "sight", WRONG, row, 4.5);
  if (frame) paintPresent(pen, scene);
}

/** The size of points as a fraction of that of few points. */
function grain({radius}) {
  return radius / MAX_RADIUS;
}

/** Draws a ring around a row, about `more` pixels outside of its point. */
function ring(pen, scene, shape, inks, row, more) {
  const {view, data} = scene;
  if (row >= data.x.length) return;
  const size = grain(scene);
  pen.glyph(shape, inks[size < SMALL ? 1 : 0], radiusOf(scene, row) + more * size, view.px(data.x[row]), view.py(data.y[row]));
}

function paintSupport(pen, scene) {
  const {rows, bounded} = scene.support;
  rows.forEach((row, k) => ring(pen, scene, bounded?.[k] ? "broken" : "ring", bounded?.[k] ? BOUNDED : FREE, row, 3));
}

/** The rows that the frame is about, with the way from each to the plane that told it wrongly. */
function paintPresent(pen, scene) {
  const {view, data, frame} = scene;
  const rows = (frame.rows ?? []).filter((row) => row < data.x.length);
  if (rows.length <= MAX_LINES) {
    pen.begin();
    rows.forEach((row, k) => {
      const plane = planeFor(scene, row, frame.rivals?.[k]);
      if (!plane || (!plane[0] && !plane[1])) return;
      const [x, y] = [data.x[row], data.y[row]];
      through(pen, view, [x, y, ...foot(plane, x, y)], false);
    });
    pen.stroke("accent", 1.6, 1, NEAR_DASH);
  }
  for (const row of rows) ring(pen, scene, "ring", PRESENT, row, 5);
}

const NEAR_DASH = [1, 4];

/** The plane between the class of a row and the one that it was taken for. */
function planeFor({data, model}, row, rival) {
  if (!model?.planes || model.pairs) return null;
  if (model.planes.length === 1) return model.planes[0];
  const all = planesOfClasses(model.planes);
  const [own, other] = [model.codes.indexOf(data.classes[row]), model.codes.indexOf(rival)];
  return own < 0 || other < 0 || own === other ? null : difference(all[own], all[other]);
}

/** Lines from the rows of a proof that two classes overlap to the point where their hulls meet; or the plane between. */
function paintWitness(pen, scene, {witness, meeting, plane}) {
  const {view, data} = scene;
  if (!meeting) {
    if (plane && !scene.model) paintSeparator(pen, view, plane);
    return;
  }
  const rows = (witness?.rows ?? []).filter((row) => row < data.x.length);
  pen.begin();
  for (const row of rows) through(pen, view, [data.x[row], data.y[row], meeting[0], meeting[1]], false);
  pen.stroke("accent", 1.6);
  for (const row of rows) ring(pen, scene, "ring", PRESENT, row, 4);
  pen.glyph("diamond", MEETING, 8, view.px(meeting[0]), view.py(meeting[1]));
}

function paintSeparator(pen, view, [w1, w2, b]) {
  const long = view.right - view.left + view.top - view.bottom;
  const [x, y] = foot([w1, w2, b], (view.left + view.right) / 2, (view.bottom + view.top) / 2);
  const size = Math.hypot(w1, w2);
  const [u, v] = [(-w2 / size) * long, (w1 / size) * long];
  pen.begin();
  through(pen, view, [x - u, y - v, x + u, y + v], false);
  pen.stroke("accent", 1.8, 1, [8, 4]);
}

const MARK_INK = {hull: [0.1, 1.4], reduced: [0.08, 1.4, [5, 3]], density: [0.06, 1.3], ball: [0, 1.6]};

/** A point, segment, polygon or circle in data coordinates. */
function paintMark(pen, scene, mark) {
  const {view} = scene;
  const tone = mark.class === undefined || mark.class === null ? "ink" : toneOf(mark.class);
  const flat = mark.at.flat();
  if (mark.kind === "point") {
    for (let k = 0; k < flat.length; k += 2) paintSpot(pen, mark, view.px(flat[k]), view.py(flat[k + 1]));
  } else if (mark.kind === "segment") paintSegment(pen, view, mark, flat);
  else {
    const [opacity, width, dash] = MARK_INK[mark.role] ?? [0.06, 1.3];
    pen.begin();
    through(pen, view, mark.kind === "circle" ? circle(mark) : flat, true);
    if (opacity) pen.fill(tone, opacity);
    pen.stroke(tone, width, 0.9, dash);
  }
  if (mark.label && flat.length && mark.role !== "hull") paintLabel(pen, view, mark, flat);
}

/** A label right of a point, at the middle of a segment, above the highest corner of a polygon. */
function paintLabel(pen, view, {kind, label}, flat) {
  let [x, y] = [view.px(flat[0]) + 8, view.py(flat[1]) - 10];
  if (kind === "segment" && flat.length >= 4) {
    const [a, b, c, d] = visiblePart(flat, view) ?? flat;
    [x, y] = [view.px((a + c) / 2) + 8, view.py((b + d) / 2) - 8];
  } else if (kind !== "point") {
    const highest = flat.reduce((best, value, k) => (k % 2 && value > flat[best] ? k : best), 1);
    [x, y] = [view.px(flat[highest - 1]), view.py(flat[highest]) - 12];
  }
  pen.text(label, x, Math.max(view.plot.y + 8, y), {tone: "soft", align: kind === "polygon" || kind === "circle" ? "center" : "left", halo: true});
}

function paintSpot(pen, {role}, px, py) {
  if (role === "extreme") pen.glyph("ring", PRESENT[0], 10, px, py);
  else if (role === "target") pen.glyph("cross", {stroke: "accent", width: 2}, 5, px, py);
  else pen.glyph("diamond", POINT, 6, px, py);
}

/** A way between two points; a step has a head where it ends, unless it is a line through the whole view. */
function paintSegment(pen, view, {role}, flat) {
  const nearest = role === "nearest";
  const within = (k) => view.holds(view.px(flat[k]), view.py(flat[k + 1]));
  const line = flat.length === 4 && !within(0) && !within(2);
  pen.begin();
  through(pen, view, flat, false);
  if (role === "step" && flat.length >= 4 && !line) arrowHead(pen, view, flat);
  pen.stroke(nearest ? "ink" : "accent", nearest ? 2.2 : 1.8, 1, line ? LINE_DASH : undefined);
}

const LINE_DASH = [8, 4];

function arrowHead(pen, view, flat) {
  const [x, y] = [view.px(flat[flat.length - 2]), view.py(flat[flat.length - 1])];
  const angle = Math.atan2(y - view.py(flat[flat.length - 3]), x - view.px(flat[flat.length - 4]));
  for (const side of [-0.45, 0.45]) {
    pen.move(x, y);
    pen.line(x - 9 * Math.cos(angle + side), y - 9 * Math.sin(angle + side));
  }
}

/** A circle as a polygon, since both axes may have scales of their own; its second point may stand for the radius. */
function circle({at, radius}) {
  const [x, y] = at[0];
  const r = radius ?? (at[1] ? Math.hypot(at[1][0] - x, at[1][1] - y) : 0);
  const flat = [];
  for (let k = 0; k < 72; k++) {
    const angle = (2 * Math.PI * k) / 72;
    flat.push(x + r * Math.cos(angle), y + r * Math.sin(angle));
  }
  return flat;
}
