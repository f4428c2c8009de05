/** The shapes of points and rings, as outlines of radius 1; a class has a shape as well as a colour. */

const R = Math.sqrt(Math.PI); // sides are chosen so that all shapes have about the area of the circle
const D = Math.sqrt(Math.PI / 2);
const T = 1.35;
const P = [0.36, 1.08]; // half the width and the length of the arms of the plus

/** Names of the shapes of the classes, as the markers of the figures of the package. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "plus"];

/** Corners around the middle, y downwards; circles and rings are drawn as arcs. */
const OUTLINES = {
  square: [-R / 2, -R / 2, R / 2, -R / 2, R / 2, R / 2, -R / 2, R / 2],
  triangle: [0, -T, T * 0.94, T * 0.72, -T * 0.94, T * 0.72],
  diamond: [0, -D, D, 0, 0, D, -D, 0],
  plus: [
    -P[0], -P[1], P[0], -P[1], P[0], -P[0], P[1], -P[0], P[1], P[0], P[0], P[0],
    P[0], P[1], -P[0], P[1], -P[0], P[0], -P[1], P[0], -P[1], -P[0], -P[0], -P[0],
  ],
};

const BREAKS = 5; // gaps of a broken ring

const SIGHT = 0.34; // of the radius, which the ticks around a ring are long

/** How far a shape reaches from its middle. */
export function reach(shape, radius) {
  return (shape in OUTLINES ? T : 1) * radius + (shape === "sight" ? SIGHT * radius : 0);
}

/** The shape of a class. */
export function shapeOf(klass) {
  return SHAPES[klass % SHAPES.length];
}

/** The CSS variable with the colour of a class. */
export function toneOf(klass) {
  return `c${(klass % SHAPES.length) + 1}`;
}

/**
 * Adds a shape to the path of a pen.
 * "ring" is whole, "broken" has gaps, "sight" is a ring with four ticks outwards, "cross" two strokes.
 */
export function trace(pen, shape, x, y, radius) {
  const outline = OUTLINES[shape];
  if (outline) {
    for (let k = 0; k < outline.length; k += 2) {
      const [u, v] = [x + radius * outline[k], y + radius * outline[k + 1]];
      if (k) pen.line(u, v);
      else pen.move(u, v);
    }
    pen.close();
  } else if (shape === "broken") {
    for (let k = 0; k < BREAKS; k++) pen.arc(x, y, radius, (k * 2 * Math.PI) / BREAKS, ((k + 0.62) * 2 * Math.PI) / BREAKS);
  } else if (shape === "cross") {
    pen.move(x - radius, y - radius);
    pen.line(x + radius, y + radius);
    pen.move(x - radius, y + radius);
    pen.line(x + radius, y - radius);
  } else {
    pen.circle(x, y, radius);
    if (shape === "sight") ticksAround(pen, x, y, radius);
  }
}

function ticksAround(pen, x, y, radius) {
  for (const [u, v] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
    pen.move(x + radius * u, y + radius * v);
    pen.line(x + radius * (1 + SIGHT) * u, y + radius * (1 + SIGHT) * v);
  }
}

/** The radius of a point in pixels: its area grows with the weight. */
export function radiusOf({data, radius}, row) {
  const weight = data.weights ? data.weights[row] : 1;
  return radius * Math.min(3, Math.max(0.45, Math.sqrt(weight)));
}

export const MAX_RADIUS = 6.5; // pixels of a point of weight 1, where there are few
const MIN_RADIUS = 2.6;
const FEW = 60;
const ROOM = 460; // pixels of the smaller side of a plot, from which points have their full size
const LEAST_SIZE = 0.72;

/** The radius of points of weight 1, in pixels: many are drawn smaller, and all of them where there is little room. */
export function radiusFor(count, room = ROOM) {
  const size = MAX_RADIUS * Math.min(1, Math.max(LEAST_SIZE, Math.sqrt(room / ROOM)));
  return Math.min(size, Math.max(MIN_RADIUS, size * (FEW / Math.max(count, 1)) ** 0.2));
}
