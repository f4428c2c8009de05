/** Lines and regions within a rectangle: the polygons where a class has the largest score, or most votes. */

/** @typedef {number[]} Plane [w1, w2, b]: the score w1 x + w2 y + b */
/** @typedef {number[]} Polygon x and y of the corners in turn */

/** The four corners of a rectangle, in order around it. @returns {Polygon} */
export function corners({left, right, bottom, top}) {
  return [left, bottom, right, bottom, right, top, left, top];
}

export function score(plane, x, y) {
  return plane[0] * x + plane[1] * y + plane[2];
}

/** The part of a convex polygon where the score is at least 0 (Sutherland and Hodgman, 1974). */
export function clip(polygon, plane) {
  const kept = [];
  const n = polygon.length;
  for (let k = 0; k < n; k += 2) {
    const before = (k + n - 2) % n;
    const [x, y, u, v] = [polygon[k], polygon[k + 1], polygon[before], polygon[before + 1]];
    const [here, there] = [score(plane, x, y), score(plane, u, v)];
    if (here * there < 0) {
      const part = there / (there - here);
      kept.push(u * (1 - part) + x * part, v * (1 - part) + y * part);
    }
    if (here >= 0) kept.push(x, y);
  }
  return kept.length > 4 ? kept : [];
}

/** Both ends of the line where the score is 0 within a rectangle, or null. @returns {Polygon | null} */
export function segment(plane, rectangle) {
  if (!plane[0] && !plane[1]) return null;
  const around = corners(rectangle);
  const ends = [];
  for (let k = 0; k < 8; k += 2) {
    const [x, y, u, v] = [around[k], around[k + 1], around[(k + 2) % 8], around[(k + 3) % 8]];
    const [here, there] = [score(plane, x, y), score(plane, u, v)];
    if (here === 0) ends.push(x, y);
    else if (here * there < 0) {
      const part = here / (here - there);
      ends.push(x * (1 - part) + u * part, y * (1 - part) + v * part);
    }
  }
  return ends.length >= 4 ? ends.slice(0, 4) : null;
}

/** The part of the way between two points that lies within a rectangle, or null (Liang and Barsky, 1984). */
export function visiblePart([x, y, u, v], {left, right, bottom, top}) {
  let [from, to] = [0, 1];
  for (const [slope, room] of [[x - u, x - left], [u - x, right - x], [y - v, y - bottom], [v - y, top - y]]) {
    if (slope === 0 && room < 0) return null;
    if (slope < 0) from = Math.max(from, room / slope);
    if (slope > 0) to = Math.min(to, room / slope);
  }
  if (from > to) return null;
  const at = (part) => [x + part * (u - x), y + part * (v - y)];
  return [...at(from), ...at(to)];
}

export function difference(one, other) {
  return [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
}

/** One plane stands for two classes: the first where the score is at most 0, the second where it is above. */
export function planesOfClasses(planes) {
  return planes.length === 1 ? [[0, 0, 0], planes[0]] : planes;
}

function anyPart(plane) {
  return plane[0] !== 0 || plane[1] !== 0 || plane[2] !== 0;
}

/** The polygon of each class: where its score is the largest; without corners if it is nowhere. */
export function regions(planes, rectangle) {
  const all = planesOfClasses(planes);
  if (all.every((plane) => !anyPart(difference(plane, all[0])))) return all.map(() => []);
  return all.map((own, k) => largest(corners(rectangle), own, all, k));
}

/** The part of a polygon where one score is the largest of several; the first of equal ones has it. */
function largest(polygon, own, all, k) {
  for (let other = 0; other < all.length && polygon.length; other++) {
    const apart = difference(own, all[other]);
    if (anyPart(apart)) polygon = clip(polygon, apart);
    else if (other < k) return [];
  }
  return polygon;
}

/**
 * Polygons with the class that wins most of the pairs; ties go to the larger sum of scores.
 * The lines cut the rectangle into cells, in each of which all votes are the same.
 * @returns {{polygon: Polygon, winner: number}[]}
 */
export function votes(planes, pairs, rectangle) {
  let cells = [corners(rectangle)];
  for (const plane of planes) {
    const against = plane.map((part) => -part);
    cells = cells.flatMap((cell) => [clip(cell, plane), clip(cell, against)]).filter((cell) => cell.length);
  }
  return cells.flatMap((polygon) => winners(polygon, planes, pairs));
}

/** The winner of a cell, or the parts of several that have equally many votes. */
function winners(polygon, planes, pairs) {
  const [x, y] = middle(polygon);
  const count = Math.max(...pairs.flat()) + 1;
  const won = new Array(count).fill(0);
  pairs.forEach(([i, j], k) => won[score(planes[k], x, y) > 0 ? j : i]++);
  const most = Math.max(...won);
  const tied = won.flatMap((own, k) => (own === most ? [k] : []));
  if (tied.length === 1) return [{polygon, winner: tied[0]}];
  const sums = tied.map((k) => sumFor(k, planes, pairs));
  return tied
    .map((winner, k) => ({polygon: largest(polygon, sums[k], sums, k), winner}))
    .filter((part) => part.polygon.length);
}

/** The sum of the scores for a class, those against it negative, which is a plane again. */
function sumFor(k, planes, pairs) {
  const sum = [0, 0, 0];
  pairs.forEach(([i, j], p) => {
    const sign = k === j ? 1 : k === i ? -1 : 0;
    for (let part = 0; part < 3; part++) sum[part] += sign * planes[p][part];
  });
  return sum;
}

function middle(polygon) {
  let [x, y] = [0, 0];
  for (let k = 0; k < polygon.length; k += 2) {
    x += polygon[k];
    y += polygon[k + 1];
  }
  return [(2 * x) / polygon.length, (2 * y) / polygon.length];
}

/** The foot of the perpendicular from a point to the line where the score is 0. */
export function foot(plane, x, y) {
  const part = score(plane, x, y) / (plane[0] * plane[0] + plane[1] * plane[1]);
  return [x - part * plane[0], y - part * plane[1]];
}

/** The number of the class that planes give a point: of the largest score; of one plane, 1 where it is above 0. */
export function classOf(planes, x, y) {
  if (planes.length === 1) return score(planes[0], x, y) > 0 ? 1 : 0;
  let best = 0;
  let most = score(planes[0], x, y);
  for (let k = 1; k < planes.length; k++) {
    const own = score(planes[k], x, y);
    if (own > most) [best, most] = [k, own];
  }
  return best;
}

/** The number of the class with most votes; ties go to the larger sum of scores. */
export function classByVotes(planes, pairs, x, y) {
  const count = Math.max(...pairs.flat()) + 1;
  const won = new Array(count).fill(0);
  pairs.forEach(([i, j], k) => won[score(planes[k], x, y) > 0 ? j : i]++);
  let best = 0;
  for (let k = 1; k < count; k++) {
    const more = won[k] - won[best] || score(sumFor(k, planes, pairs), x, y) - score(sumFor(best, planes, pairs), x, y);
    if (more > 0) best = k;
  }
  return best;
}
