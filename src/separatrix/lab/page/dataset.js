// A dataset as the stages draw it, {x, y, classes, weights, names, labels}: never changed in place, each edit makes another.

export const LABELS = ["blue", "orange", "green", "pink", "gold"];
export const MAX_POINTS = 5000;
export const MAX_CLASSES = 5;
const GRID_STEPS = 60000; // of the 65,536 of a link's 16 bits; the rest is room for points that are moved outwards
const WEIGHT_DECIMALS = 2;

export function empty() {
  return { x: new Float64Array(0), y: new Float64Array(0), classes: new Uint8Array(0), weights: null, names: ["x1", "x2"], labels: LABELS.slice(0, 2) };
}

/** The dataset of a message or a lesson. */
export function fromMessage(data) {
  return {
    x: Float64Array.from(data.x),
    y: Float64Array.from(data.y),
    classes: Uint8Array.from(data.class),
    weights: data.weight ? Float64Array.from(data.weight) : null,
    names: [...(data.names ?? ["x1", "x2"])],
    labels: (data.classes ?? LABELS).slice(0, Math.max(1, ...data.class) + 1), // names of classes without points are not kept
  };
}

/** The dataset as messages hold it. */
export function toMessage(dataset) {
  return {
    x: Array.from(dataset.x),
    y: Array.from(dataset.y),
    class: Array.from(dataset.classes),
    weight: dataset.weights && Array.from(dataset.weights),
    names: dataset.names,
    classes: dataset.labels,
  };
}

/** The codes of the classes that have points. */
export function present(dataset) {
  return [...new Set(dataset.classes)].sort();
}

/** Decimals such that numbers over this range keep about four digits, and fit a link. */
export function decimalsFor(range) {
  return Math.floor(Math.log10(GRID_STEPS / (range > 0 ? range : 1)));
}

/** The number n / 10^decimals nearest to a value; dividing by a whole power gives the double that the decimals mean. */
export function rounded(value, decimals) {
  return decimals >= 0 ? Math.round(value * 10 ** decimals) / 10 ** decimals : Math.round(value / 10 ** -decimals) * 10 ** -decimals;
}

/** The fewest decimals that write all numbers exactly, or `most` where more would be needed. */
export function decimalsOf(values, most) {
  for (let decimals = Math.min(0, most); decimals < most; decimals++) {
    if (values.every((value) => rounded(value, decimals) === value)) return decimals;
  }
  return most;
}

/** The dataset after an edit of a stage; `decimals` [x, y] are those of the grid that new positions lie on. */
export function edited(dataset, change, decimals) {
  if (change.kind === "add") return added(dataset, change.points, decimals);
  if (change.kind === "remove") return removed(dataset, new Set(change.rows));
  if (change.kind === "move") return moved(dataset, change, decimals);
  if (change.kind === "weight") return weighted(dataset, change);
  return dataset;
}

function added(dataset, points, decimals) {
  const fresh = points.slice(0, MAX_POINTS - dataset.x.length);
  const weighted = dataset.weights || fresh.some((point) => (point.weight ?? 1) !== 1);
  return {
    ...dataset,
    x: Float64Array.of(...dataset.x, ...fresh.map((point) => rounded(point.x, decimals[0]))),
    y: Float64Array.of(...dataset.y, ...fresh.map((point) => rounded(point.y, decimals[1]))),
    classes: Uint8Array.of(...dataset.classes, ...fresh.map((point) => point.klass ?? point.class ?? 0)),
    weights: weighted ? Float64Array.of(...(dataset.weights ?? dataset.x.map(() => 1)), ...fresh.map((point) => point.weight ?? 1)) : null,
  };
}

function removed(dataset, rows) {
  const kept = (values) => values && values.filter((_, row) => !rows.has(row));
  return { ...dataset, x: kept(dataset.x), y: kept(dataset.y), classes: kept(dataset.classes), weights: kept(dataset.weights) };
}

function moved(dataset, { rows, x, y }, decimals) {
  const next = { ...dataset, x: dataset.x.slice(), y: dataset.y.slice() };
  rows.forEach((row, k) => {
    next.x[row] = rounded(x[k], decimals[0]);
    next.y[row] = rounded(y[k], decimals[1]);
  });
  return next;
}

function weighted(dataset, { rows, weights }) {
  const next = dataset.weights ? dataset.weights.slice() : dataset.x.map(() => 1);
  rows.forEach((row, k) => { next[row] = rounded(weights[k], WEIGHT_DECIMALS); });
  return { ...dataset, weights: next.every((weight) => weight === 1) ? null : next };
}
