/**
 * The picture in three layers: what lies under the points (regions, planes, margins), the points with the axes, and
 * what lies over them (rings, hulls, marks).
 *
 * A scene is plain data that `Stage` keeps: view, data, model (planes, pairs or field that are drawn, with margin and
 * codes), previous, trail, frame, final (the result, where it belongs to what is drawn), separation, layers, radius.
 */
import {paintAxes} from "lab/axes.js";
import {areas, contour, lists} from "lab/field.js";
import {classByVotes, regions, segment, votes} from "lab/geometry.js";
import {paintHalos, paintOverlays} from "lab/overlays.js";
import {through} from "lab/pen.js";
import {radiusOf, shapeOf, toneOf} from "lab/shapes.js";

const TINT = 0.13; // opacity of the region of a class; as in the figures of the package
const MARGIN_DASH = [6, 4];
const PREVIOUS_DASH = [2, 4];
const SIDE = 1e-6; // fraction of the view by which both sides of an edge are tried

export function paintUnder(pen, scene) {
  const {view, model, layers} = scene;
  pen.clip(view.plot);
  if (model?.field) paintField(pen, scene);
  else if (model?.planes) {
    if (layers.regions) paintRegions(pen, scene);
    if (layers.alphas) paintHalos(pen, scene);
    scene.trail.forEach((planes, k) => paintLines(pen, view, planes, "faint", 1, 0.15 + (0.5 * k) / scene.trail.length));
    if (scene.previous) paintLines(pen, view, scene.previous, "faint", 1.2, 1, PREVIOUS_DASH);
    if (layers.margins) paintMargins(pen, view, model);
    paintBorders(pen, scene);
  }
  if (!model?.planes && layers.alphas) paintHalos(pen, scene);
  pen.unclip();
}

export function paintPoints(pen, scene) {
  const {view, data} = scene;
  pen.clip(view.plot);
  for (let i = 0; i < data.x.length; i++) {
    pen.glyph(shapeOf(data.classes[i]), INKS[data.classes[i] % INKS.length], radiusOf(scene, i), view.px(data.x[i]), view.py(data.y[i]));
  }
  pen.unclip();
  paintAxes(pen, scene);
}

const INKS = [0, 1, 2, 3, 4].map((klass) => ({fill: toneOf(klass), stroke: "paper", width: 1}));

export function paintOver(pen, scene) {
  pen.clip(scene.view.plot);
  paintOverlays(pen, scene);
  pen.unclip();
}

function paintRegions(pen, {view, model}) {
  const {planes, pairs, codes} = model;
  const cells = pairs
    ? votes(planes, pairs, view)
    : regions(planes, view).map((polygon, winner) => ({polygon, winner}));
  for (const {polygon, winner} of cells) {
    const tone = toneOfPart(codes, winner);
    if (!polygon.length || !tone) continue;
    pen.begin();
    through(pen, view, polygon, true);
    pen.fill(tone, TINT);
  }
}

/** The colour of a region: of its class, or where there are none (novelty) that of what is ordinary, inside of the line. */
function toneOfPart(codes, k) {
  if (!codes.length) return k === 1 ? "accent" : null;
  return codes[k] === undefined ? null : toneOf(codes[k]);
}

/** The line between two classes, or the lines between the regions of several. */
function paintBorders(pen, {view, model}) {
  const {planes, pairs} = model;
  if (planes.length === 1) {
    paintLines(pen, view, planes, "ink", 2);
    return;
  }
  pen.begin();
  if (pairs) voteEdges(pen, view, planes, pairs);
  else for (const polygon of regions(planes, view)) edges(pen, view, polygon, () => true);
  pen.stroke("ink", 1.8);
}

function voteEdges(pen, view, planes, pairs) {
  for (const {polygon, winner} of votes(planes, pairs, view)) {
    edges(pen, view, polygon, (x, y) => classByVotes(planes, pairs, x, y) !== winner);
  }
}

/** The edges of a polygon within the view, beyond which `differs` holds. */
function edges(pen, view, polygon, differs) {
  const n = polygon.length;
  const near = SIDE * Math.max(view.right - view.left, view.top - view.bottom);
  const outside = (x, y) =>
    x <= view.left + near || x >= view.right - near || y <= view.bottom + near || y >= view.top - near;
  for (let k = 0; k < n; k += 2) {
    const [x, y, u, v] = [polygon[k], polygon[k + 1], polygon[(k + 2) % n], polygon[(k + 3) % n]];
    const [across, up, long] = [(x + u) / 2, (y + v) / 2, Math.hypot(u - x, v - y)];
    if (!long || outside(across, up)) continue;
    if (!differs(across + (near * (v - y)) / long, up - (near * (u - x)) / long)) continue;
    pen.move(view.px(x), view.py(y));
    pen.line(view.px(u), view.py(v));
  }
}

/** Planes that stand for two classes or pairs as lines; those of several classes as the borders of their regions. */
function paintLines(pen, view, planes, tone, width, opacity = 1, dash = undefined) {
  pen.begin();
  if (planes.length === 1) {
    const ends = segment(planes[0], view);
    if (ends) through(pen, view, ends, false);
  } else for (const polygon of regions(planes, view)) edges(pen, view, polygon, () => true);
  pen.stroke(tone, width, opacity, dash);
}

function paintMargins(pen, view, {planes, margin}) {
  if (!margin || planes.length !== 1) return;
  const [w1, w2, b] = planes[0];
  for (const level of [-margin, margin]) paintLines(pen, view, [[w1, w2, b - level]], "ink", 1.2, 0.8, MARGIN_DASH);
}

function paintField(pen, scene) {
  const {view, model, layers} = scene;
  const {field, codes} = model;
  const parts = areas(field);
  if (layers.regions) parts.forEach(({polygons}, k) => fillAll(pen, view, polygons, toneOfPart(codes, k)));
  if (layers.alphas) paintHalos(pen, scene);
  if (lists(field).length > 1) for (const {borders} of parts) strokeAll(pen, view, borders, 1.8);
  else {
    if (layers.margins && model.margin) {
      for (const sign of [-1, 1]) strokeAll(pen, view, contour(field, sign * model.margin), 1.2, 0.8, MARGIN_DASH);
    }
    strokeAll(pen, view, contour(field, 0), 2);
  }
}

function fillAll(pen, view, polygons, tone) {
  if (!tone) return;
  pen.begin();
  for (const polygon of polygons) through(pen, view, polygon, true);
  pen.fill(tone, TINT);
}

function strokeAll(pen, view, lines, width, opacity = 1, dash = undefined) {
  pen.begin();
  for (const line of lines) through(pen, view, line, false);
  pen.stroke("ink", width, opacity, dash);
}
