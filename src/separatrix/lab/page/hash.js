// The state as the hash of an address and back: a link holds the points, methods, options, seed and view.
//
// Points are whole steps of a decimal grid, 16 bits each: v / 10^decimals is again the double that was drawn. Numbers
// of a file that have more digits than fit are rounded, and `encode` says so.

import { decimalsFor, decimalsOf, MAX_CLASSES, MAX_POINTS, rounded } from "lab/dataset.js";
import { MAX_SLOTS } from "lab/state.js";

const VERSION = "1";
const LOWEST = -32768;
const WEIGHT_STEPS = 100; // a weight of 1
const BYTES = { x: 2, y: 2, class: 1, weight: 2 };

export class BadLink extends Error {}
class Damage extends Error {}

/** {hash, exact}: the state as text, and whether its points come back to the last digit. */
export function encode(state) {
  const { dataset } = state;
  const axes = [axis(dataset.x), axis(dataset.y)];
  const fields = new URLSearchParams({ v: VERSION, slots: JSON.stringify(state.slots), seed: String(state.seed) });
  fields.set("names", JSON.stringify([dataset.names, dataset.labels]));
  if (state.view) fields.set("view", ["left", "right", "bottom", "top"].map((side) => Number(state.view[side].toPrecision(6))).join());
  fields.set("grid", axes.map(({ decimals, low }) => `${decimals},${low}`).join());
  if (dataset.weights) fields.set("weighted", "1");
  fields.set("points", toBase64(packed(dataset, axes)));
  return { hash: `#${fields}`, exact: axes.every(({ exact }) => exact) };
}

/** The state of a hash, for `State.load`; null where there is none. Raises BadLink with a sentence. */
export function decode(hash) {
  if (hash.length < 2) return null;
  const fields = new URLSearchParams(hash.slice(1));
  if (fields.get("v") !== VERSION) throw new BadLink("This link was not made by the lab, or by another version of it.");
  try {
    return { slots: slotsOf(fields), seed: wholeNumber(fields.get("seed")), view: viewOf(fields), dataset: unpacked(fields) };
  } catch (problem) {
    throw new BadLink(`This link is damaged or cut off: ${problem instanceof Damage ? problem.message : "it cannot be read"}.`);
  }
}

/** The grid of one coordinate: decimals, the step of its lowest value, and whether it writes all values exactly. */
function axis(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
  if (!values.length) return { decimals: 0, low: 0, exact: true };
  const decimals = decimalsOf(values, decimalsFor(high - low || Math.abs(high)));
  return { decimals, low: steps(low, decimals), exact: values.every((value) => rounded(value, decimals) === value) };
}

function steps(value, decimals) {
  return decimals >= 0 ? Math.round(value * 10 ** decimals) : Math.round(value / 10 ** -decimals);
}

function value(step, decimals) {
  return decimals >= 0 ? step / 10 ** decimals : step * 10 ** -decimals;
}

function packed(dataset, [horizontal, vertical]) {
  const size = dataset.x.length;
  const bytes = new DataView(new ArrayBuffer(size * rowBytes(dataset.weights)));
  let at = 0;
  const column = (values, write, width) => values.forEach((each) => { write(at, each); at += width; });
  const grid = (values, { decimals, low }) =>
    column(values, (place, each) => bytes.setInt16(place, steps(each, decimals) - low + LOWEST, true), BYTES.x);
  grid(dataset.x, horizontal);
  grid(dataset.y, vertical);
  column(dataset.classes, (place, each) => bytes.setUint8(place, each), BYTES.class);
  if (dataset.weights) column(dataset.weights, (place, each) => bytes.setUint16(place, Math.round(each * WEIGHT_STEPS), true), BYTES.weight);
  return new Uint8Array(bytes.buffer);
}

function rowBytes(weighted) {
  return BYTES.x + BYTES.y + BYTES.class + (weighted ? BYTES.weight : 0);
}

function unpacked(fields) {
  const bytes = fromBase64(fields.get("points") ?? "");
  const [decimals, low, decimalsY, lowY] = numbers(fields.get("grid"), 4);
  const [names, labels] = namesOf(fields);
  const weighted = fields.has("weighted");
  const size = bytes.byteLength / rowBytes(weighted);
  if (!Number.isInteger(size) || size > MAX_POINTS) throw new Damage("its points are not whole");
  const view = new DataView(bytes.buffer);
  const grid = (start, places, origin) => Float64Array.from({ length: size }, (_, row) => value(view.getInt16(start + 2 * row, true) - LOWEST + origin, places));
  const classes = bytes.slice(4 * size, 5 * size);
  if (classes.some((code) => code >= labels.length)) throw new Damage("it has a class without a name");
  const weights = weighted ? Float64Array.from({ length: size }, (_, row) => view.getUint16(5 * size + 2 * row, true) / WEIGHT_STEPS) : null;
  const dataset = { x: grid(0, decimals, low), y: grid(2 * size, decimalsY, lowY), classes, weights, names, labels };
  if (![...dataset.x, ...dataset.y].every(Number.isFinite)) throw new Damage("its grid is not one of finite numbers");
  return dataset;
}

function namesOf(fields) {
  const [names, labels] = JSON.parse(fields.get("names") ?? "null") ?? [];
  const texts = (list, least, most) => Array.isArray(list) && list.length >= least && list.length <= most && list.every((each) => typeof each === "string");
  if (!texts(names, 2, 2) || !texts(labels, 1, MAX_CLASSES)) throw new Damage("its names are missing");
  return [names, labels];
}

function slotsOf(fields) {
  const slots = JSON.parse(fields.get("slots") ?? "null");
  const fits = ({ method, options }) => typeof method === "string" && typeof options === "object" && options !== null && !Array.isArray(options);
  if (!Array.isArray(slots) || !slots.length || slots.length > MAX_SLOTS || !slots.every((slot) => slot && fits(slot))) throw new Damage("its methods are missing");
  return slots.map(({ method, options }) => ({ method, options }));
}

function viewOf(fields) {
  if (!fields.has("view")) return null;
  const [left, right, bottom, top] = numbers(fields.get("view"), 4);
  if (!(left < right && bottom < top)) throw new Damage("its view is empty");
  return { left, right, bottom, top };
}

function numbers(text, count) {
  const list = (text ?? "").split(",").map((each) => (each === "" ? NaN : Number(each)));
  if (list.length !== count || !list.every(Number.isFinite)) throw new Damage("a number is missing");
  return list;
}

function wholeNumber(text) {
  const number = Number(text);
  return Number.isInteger(number) && number >= 0 ? number : 0;
}

function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
