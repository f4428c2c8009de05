/** Three dimensions on a flat screen: a cube from -1 to 1 that is turned, seen from a point before it. */

/** @typedef {number[]} Point x, y, z */

const DISTANCE = 5; // of the eye from the middle of the cube: near enough to show depth, too far to distort
const HOME = {yaw: -0.6, pitch: 0.35, zoom: 1};
const SLANT = 0.6; // cosine between the normal of a plane and the way to the eye
export const [LEAST_PITCH, MOST_PITCH] = [-1.5, 1.5];

/** Where the eye is, and where points appear. */
export class Camera {
  constructor() {
    this.home();
  }

  home() {
    Object.assign(this, HOME);
  }

  turn(yaw, pitch) {
    this.yaw = (this.yaw + yaw) % (2 * Math.PI);
    this.pitch = Math.min(MOST_PITCH, Math.max(LEAST_PITCH, this.pitch + pitch));
  }

  /** Takes the size of the picture in pixels. */
  fit(width, height) {
    this.middle = [width / 2, height * 0.48];
    this.scale = (Math.min(width, height) / 4) * this.zoom;
  }

  /** A point of the cube: across, up, and towards the eye. @param {Point} point */
  turned([x, y, z]) {
    const [cos, sin] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [across, away] = [cos * x - sin * y, sin * x + cos * y];
    const [cosine, sine] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    return [across, cosine * z - sine * -away, cosine * -away + sine * z];
  }

  /** Where a point appears, in pixels, and how near it is to the eye: 1 in the middle, more in front. */
  project(point) {
    const [across, up, near] = this.turned(point);
    const size = DISTANCE / (DISTANCE - near);
    return [this.middle[0] + across * size * this.scale, this.middle[1] - up * size * this.scale, size];
  }

  /** The place of the eye. @returns {Point} */
  get eye() {
    const [cosine, sine] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const away = -cosine * DISTANCE;
    return [Math.sin(this.yaw) * away, Math.cos(this.yaw) * away, sine * DISTANCE];
  }
}

/** Maps points of a box to the cube, with some room around them. */
export class Box {
  /** @param {Point[]} points */
  constructor(points) {
    this.middle = [0, 0, 0];
    this.half = [1, 1, 1];
    for (let axis = 0; axis < 3 && points.length; axis++) {
      let [low, high] = [Infinity, -Infinity];
      for (const point of points) {
        low = Math.min(low, point[axis]);
        high = Math.max(high, point[axis]);
      }
      this.middle[axis] = (low + high) / 2;
      this.half[axis] = ((high - low) / 2 || 1) * 1.08;
    }
  }

  inside(point) {
    return point.map((value, axis) => (value - this.middle[axis]) / this.half[axis]);
  }

  /** A plane [a, b, c, d] of the data as a plane of the cube. */
  plane([a, b, c, d]) {
    const [[x, y, z], [u, v, w]] = [this.middle, this.half];
    return [a * u, b * v, c * w, a * x + b * y + c * z + d];
  }
}

export function height([a, b, c, d], [x, y, z]) {
  return a * x + b * y + c * z + d;
}

/** The point of a plane that is nearest to another. */
export function foot(plane, point) {
  const part = height(plane, point) / (plane[0] ** 2 + plane[1] ** 2 + plane[2] ** 2);
  return point.map((value, axis) => value - part * plane[axis]);
}

/** The turn from which a plane is seen neither on its edge nor flat. */
export function obliqueYaw([a, b, c]) {
  const size = Math.hypot(a, b, c) || 1;
  if (Math.abs(c) > 0.8 * size) return HOME.yaw;
  let [best, least] = [HOME.yaw, Infinity];
  for (let k = 0; k < 24; k++) {
    const yaw = HOME.yaw + (k * Math.PI) / 12;
    const slant = Math.abs(Math.sin(yaw) * a + Math.cos(yaw) * b) / size;
    if (Math.abs(slant - SLANT) < least - 1e-9) [best, least] = [yaw, Math.abs(slant - SLANT)];
  }
  return best;
}

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1]);

/** The edges of the cube as pairs of corners. */
export const EDGES = CORNERS.flatMap((from, k) =>
  [1, 2, 4].filter((bit) => !(k & bit)).map((bit) => [from, CORNERS[k | bit]]));

/** The polygon in which a plane cuts the cube, its corners in turn. @returns {Point[]} */
export function section(plane) {
  const found = [];
  for (const [from, to] of EDGES) {
    const [here, there] = [height(plane, from), height(plane, to)];
    if (here * there > 0 || here === there) continue;
    const part = here / (here - there);
    const point = from.map((value, axis) => value * (1 - part) + to[axis] * part);
    if (!found.some((other) => Math.hypot(...other.map((value, axis) => value - point[axis])) < 1e-9)) found.push(point);
  }
  if (found.length < 3) return [];
  const middle = [0, 1, 2].map((axis) => found.reduce((sum, point) => sum + point[axis], 0) / found.length);
  const normal = plane.slice(0, 3);
  const first = found[0].map((value, axis) => value - middle[axis]);
  const second = cross(normal, first);
  const angle = (point) => {
    const arm = point.map((value, axis) => value - middle[axis]);
    return Math.atan2(dot(arm, second) / Math.hypot(...second), dot(arm, first) / Math.hypot(...first));
  };
  return found.sort((one, other) => angle(one) - angle(other));
}

function cross([a, b, c], [u, v, w]) {
  return [b * w - c * v, c * u - a * w, a * v - b * u];
}

function dot(one, other) {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}
