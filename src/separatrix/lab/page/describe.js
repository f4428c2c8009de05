/** What the picture shows, in words for a screen reader. */
import {SHAPES} from "lab/shapes.js";

const MAX_ROWS_NAMED = 6;

/** A number with at most four digits, with a true minus. */
export function figure(value) {
  if (!Number.isFinite(value)) return "unknown";
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

/** The name of a class. */
export function labelOf(data, code) {
  return data.labels[code] ?? `class ${code + 1}`;
}

/** Words for places, rows and classes of a scene. */
export function wordsOf(scene) {
  return {
    place: (x, y) => `${scene.data.names[0] ?? "x1"} ${figure(x)}, ${scene.data.names[1] ?? "x2"} ${figure(y)}`,
    row: (row) => `row ${row} of ${labelOf(scene.data, scene.data.classes[row])}`,
    klass: (code) => labelOf(scene.data, code),
  };
}

/** Sentences on all that is drawn now. */
export function describe(scene) {
  return [points(scene), moment(scene), surface(scene), rows(scene), overlap(scene)].filter(Boolean).join(" ");
}

function points({data, view}) {
  const counts = new Map();
  for (const code of data.classes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const parts = [...counts].sort().map(([code, n]) => `${n} of ${labelOf(data, code)} (${SHAPES[code % SHAPES.length]})`);
  const [one, other] = [data.names[0] ?? "x1", data.names[1] ?? "x2"];
  const axes = `${one} from ${figure(view.left)} to ${figure(view.right)}, ${other} from ${figure(view.bottom)} to ${figure(view.top)}.`;
  return data.x.length ? `${counted(data.x.length, "point")}: ${parts.join(", ")}. ${axes}` : `No points yet. ${axes}`;
}

function moment({frame}) {
  return frame?.text ?? "";
}

function surface({model, data}) {
  if (!model) return "";
  const {planes, pairs, field, codes, margin} = model;
  const margins = margin ? ` Margins are drawn where the score is ±${figure(margin)}.` : "";
  if (!codes.length) return "A line around what is ordinary; points outside of it are novel.";
  if (field) return `A curved boundary between ${codes.map((code) => labelOf(data, code)).join(", ")}.${margins}`;
  if (pairs) return `Regions of ${codes.length} classes by votes of ${planes.length} lines.`;
  if (planes.length > 1) return `Regions of ${planes.length} classes, each where its score is the largest.`;
  const [w1, w2, b] = planes[0];
  if (!w1 && !w2) return "There is no line yet.";
  const sign = (value) => (value < 0 ? `− ${figure(-value)}` : `+ ${figure(value)}`);
  const [one, other] = [data.names[0] ?? "x1", data.names[1] ?? "x2"];
  const line = `The line ${figure(w1)} ${one} ${sign(w2)} ${other} ${sign(b)} = 0`;
  return `${line}, ${labelOf(data, codes[1] ?? 1)} where it is positive.${margins}`;
}

function rows({support, wrong, layers}) {
  const said = [];
  if (support && layers.alphas) {
    const bounded = support.bounded?.filter(Boolean).length ?? 0;
    const free = support.rows.length - bounded;
    said.push(`${counted(support.rows.length, "support row")}: ${free} free (whole ring), ${bounded} at the bound (broken ring).`);
  }
  if (layers.wrong && wrong.length) said.push(`${counted(wrong.length, "row")} on the wrong side${listed(wrong)}.`);
  return said.join(" ");
}

function listed(numbers) {
  return numbers.length <= MAX_ROWS_NAMED ? ` (${[...numbers].join(", ")})` : "";
}

function overlap({separation, layers}) {
  if (!separation || !layers.witness) return "";
  const meetings = (separation.pairs ?? [])
    .filter((pair) => pair.meeting)
    .map((pair) => `The hulls meet at ${figure(pair.meeting[0])}, ${figure(pair.meeting[1])}, a mean of rows ${pair.witness.rows.join(", ")}.`);
  return [separation.text, ...meetings].filter(Boolean).join(" ");
}

function counted(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}
