/** What is to be drawn, as plain data, from what the page was told: points, a frame, a result, a proof of overlap. */
import {classOf, classByVotes} from "lab/geometry.js";
import {View} from "lab/view.js";

// An interior point has all alphas strictly between their bounds; within these fractions they are drawn as at a bound.
const LEAST_ALPHA = 1e-3; // of the largest alpha
const AT_BOUND = 1 - 1e-3; // of the bound

/** A scene without points. */
export function emptyScene() {
  return {
    view: new View(),
    data: {x: [], y: [], classes: [], weights: null, names: [], labels: []},
    radius: 6,
    model: null, frame: null, final: null, separation: null, support: null, wrong: [],
    previous: null, trail: [],
    layers: {regions: true, margins: true, alphas: true, wrong: true, hulls: true, witness: true, lift: false},
    /** Forgets all that names rows. */
    forgetRows() {
      Object.assign(this, {support: null, wrong: [], separation: null});
      if (this.frame) this.frame = {...this.frame, rows: [], marks: []};
      if (this.final) this.final = {...this.final, hulls: []};
    },
  };
}

/** Sets what is drawn: the model of the result, where one is set, else of the frame; and what belongs to each. */
export function resolve(scene, {frame, result, separation, final}) {
  scene.frame = frame;
  scene.final = frame && final === false ? null : result;
  const source = scene.final ?? frame;
  scene.separation = separation;
  scene.model = modelOf(source, scene.data, source?.margin ?? null);
  scene.support = scene.final ? (scene.final.support ?? null) : supportOf(frame, scene.data);
  scene.wrong = source?.wrong ?? misclassified(scene.model, scene.data);
}

/** The planes, pairs or field of a frame or result, with the codes of its classes. */
function modelOf(source, data, margin) {
  if (!source?.planes && !source?.field) return null;
  const codes = source.classes ?? presentCodes(data);
  return {planes: source.planes ?? null, pairs: source.pairs ?? null, field: source.planes ? null : source.field, codes, margin};
}

/** The codes of the classes that occur, in order. */
export function presentCodes({classes}) {
  return [...new Set(classes)].sort((a, b) => a - b);
}

function same(one, other) {
  return one.length === other?.length && one.every((value, k) => value === other[k]);
}

/** The dual variables of a frame as support rows, those at the bound of their weight apart. */
function supportOf(frame, data) {
  if (!frame?.alpha) return null;
  const {rows, values, bound} = frame.alpha;
  const least = LEAST_ALPHA * values.reduce((most, value) => Math.max(most, value), 0);
  const kept = values.flatMap((value, k) => (value > least ? [k] : []));
  const full = (k) => Number.isFinite(bound) && values[k] >= AT_BOUND * bound * (data.weights?.[rows[k]] ?? 1);
  return {rows: kept.map((k) => rows[k]), alpha: kept.map((k) => values[k]), bounded: kept.map(full)};
}

/** Whether points are those of before after an edit: at least half of the fewer are among the others. */
export function sameDrawing(before, after) {
  if (!before.x.length || !after.x.length) return true;
  const known = new Set(before.x);
  let kept = 0;
  for (const value of after.x) if (known.has(value)) kept++;
  return 2 * kept >= Math.min(before.x.length, after.x.length);
}

/** The rows that planes give another class; none where they say nothing, or know no classes. */
export function misclassified(model, data) {
  if (!model?.planes || !model.codes.length || model.planes.every(([w1, w2, b]) => !w1 && !w2 && !b)) return [];
  const {planes, pairs, codes} = model;
  const rows = [];
  for (let i = 0; i < data.x.length; i++) {
    const found = pairs ? classByVotes(planes, pairs, data.x[i], data.y[i]) : classOf(planes, data.x[i], data.y[i]);
    if (codes[found] !== data.classes[i]) rows.push(i);
  }
  return rows;
}

/** Whether the way from one plane to another can be shown: there are as many, and they point somewhere. */
export function worthTweening(before, after) {
  if (!before?.planes || !after?.planes || before.planes.length !== after.planes.length) return false;
  return before.planes.every(([w1, w2]) => w1 || w2) && !same(before.planes.flat(), after.planes.flat());
}

/** Planes on the way between others. */
export function tweened(from, to, part) {
  return from.map((plane, k) => plane.map((value, p) => value * (1 - part) + to[k][p] * part));
}
