/**
 * Points that a kernel lifts into three dimensions, with the plane that cuts them, turned by hand.
 *
 * What is far is drawn first. The plane divides the points into those behind it, as seen from the eye, and those before.
 */
import {figure, labelOf} from "lab/describe.js";
import {Screen} from "lab/screen.js";
import {MAX_RADIUS, radiusFor, shapeOf, toneOf} from "lab/shapes.js";
import {Box, Camera, EDGES, foot, height, obliqueYaw, section} from "lab/space.js";

const MAX_STEMS = 250; // lines from points to the plane; more would be a thicket
const TURN = 0.09; // radians an arrow key turns
const DRAG = 0.008; // radians a pixel
const LIFTED = 0.06; // of half the cube by which points lie before the surface that they are on
const CELLS = 28; // of a surface, in each direction
const KEYS = {ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN]};
const AXES = [[1.12, -1, -1], [-1, 1.12, -1], [-1, -1, 1.12]]; // where they end
const INKS = [0, 1, 2, 3, 4].map((klass) => ({fill: toneOf(klass), stroke: "paper", width: 1}));

export class Lift {
  constructor(host, {onSay} = {}) {
    this.onSay = onSay;
    this.camera = new Camera();
    this.items = {points: [], codes: [], plane: null, section: [], surface: []};
    this.answer = null;
    if (host.clientHeight < 40) host.style.aspectRatio = "4 / 3";
    this.screen = new Screen(host, {lift: (pen) => this.paint(pen)}, {
      onSize: (width, up) => this.camera.fit(width, up),
      onFrame: () => false,
    });
    this.ending = new AbortController();
    this.listen();
  }

  listen() {
    const {root} = this.screen;
    root.tabIndex = 0;
    root.setAttribute("role", "application");
    root.setAttribute("aria-roledescription", "picture in three dimensions");
    root.setAttribute("aria-label", "Lifted points");
    root.setAttribute("aria-description", "Arrow keys turn it, plus and minus zoom, 0 turns it back.");
    Object.assign(root.style, {touchAction: "none", cursor: "grab", outlineOffset: "-3px"});
    const on = (name, act) => root.addEventListener(name, act, {signal: this.ending.signal});
    on("pointerdown", (event) => {
      root.setPointerCapture?.(event.pointerId);
      this.held = [event.clientX, event.clientY];
    });
    on("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) on(name, () => { this.held = null; });
    on("keydown", (event) => this.press(event));
  }

  drag({clientX, clientY}) {
    if (!this.held) return;
    this.camera.turn((clientX - this.held[0]) * DRAG, (clientY - this.held[1]) * DRAG);
    this.held = [clientX, clientY];
    this.screen.soil("lift");
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (KEYS[event.key]) this.camera.turn(...KEYS[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(1.15);
    else if (event.key === "-") this.zoom(1 / 1.15);
    else if (event.key === "0") this.camera.home();
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.camera.fit(this.screen.width, this.screen.height);
    this.onSay?.(`Turned by ${degrees(this.camera.yaw)} degrees, seen from ${degrees(this.camera.pitch)} degrees above.`);
    this.screen.soil("lift");
  }

  zoom(factor) {
    this.camera.zoom = Math.min(4, Math.max(0.5, this.camera.zoom * factor));
  }

  /** Takes the answer of the server and the points that were asked about. */
  show(answer, data) {
    const surface = answer.surface ? lattice(answer.surface) : [];
    const box = new Box([...answer.points, ...surface.flat()]);
    const plane = answer.plane ? box.plane(answer.plane) : null;
    if (plane && this.answer?.axes.join() !== answer.axes.join()) this.camera.yaw = obliqueYaw(plane);
    this.answer = answer;
    this.data = data;
    this.items = {
      points: answer.points.map((point) => box.inside(point)),
      codes: answer.classes ?? data.classes,
      plane,
      section: plane ? section(plane) : [],
      surface: surface.map((cell) => cell.map((point) => box.inside(point))),
    };
    this.radius = radiusFor(answer.points.length, Math.min(this.screen.width, this.screen.height));
    this.screen.root.setAttribute("aria-label", this.describe());
    this.screen.soil("lift");
  }

  /** What is drawn, in words. */
  describe() {
    const {answer, items} = this;
    if (!answer) return "Lifted points";
    const counts = new Map();
    items.points.forEach((point, k) => {
      const side = items.plane && height(items.plane, point) > 0 ? "above" : "below";
      const name = items.plane ? `${labelOf(this.data, items.codes[k])} ${side} the plane` : labelOf(this.data, items.codes[k]);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    });
    const cut = answer.plane ? ` The plane ${answer.plane.map(figure).join(", ")} cuts them.` : "";
    const parts = [...counts].map(([name, count]) => `${count} of ${name}`).join(", ");
    return `${answer.points.length} points lifted along ${answer.axes.join(", ")}: ${parts}.${cut}`;
  }

  paint(pen) {
    const {items, camera} = this;
    camera.fit(this.screen.width, this.screen.height);
    this.paintBox(pen);
    const ahead = (point) => !items.plane || height(items.plane, point) * height(items.plane, camera.eye) > 0;
    const order = items.points.map((point, k) => ({point, k, near: camera.turned(point)[2]}));
    order.sort((one, other) => one.near - other.near);
    if (items.surface.length) this.paintAmong(pen, order);
    else {
      this.paintPoints(pen, order.filter(({point}) => !ahead(point)));
      this.paintPlane(pen);
      this.paintPoints(pen, order.filter(({point}) => ahead(point)));
    }
    this.paintNames(pen);
  }

  /** The edges of the cube, three of them as axes. */
  paintBox(pen) {
    pen.begin();
    for (const [from, to] of EDGES) this.segment(pen, from, to);
    pen.stroke("rule", 1);
    pen.begin();
    for (const end of AXES) this.segment(pen, [-1, -1, -1], end);
    pen.stroke("soft", 1.4);
  }

  /** The names of the axes at their ends, over all else. */
  paintNames(pen) {
    (this.answer?.axes ?? []).forEach((name, axis) => {
      const [x, y] = this.camera.project(AXES[axis].map((value) => (value > 1 ? 1.2 : value)));
      pen.text(name, x, y, {tone: "ink", size: 12, halo: true});
    });
  }

  segment(pen, from, to) {
    const [x, y] = this.camera.project(from);
    const [u, v] = this.camera.project(to);
    pen.move(x, y);
    pen.line(u, v);
  }

  outline(pen, corners) {
    pen.begin();
    corners.forEach((corner, k) => {
      const [x, y] = this.camera.project(corner);
      if (k) pen.line(x, y);
      else pen.move(x, y);
    });
    pen.close();
  }

  paintPlane(pen) {
    if (!this.items.section.length) return;
    this.outline(pen, this.items.section);
    pen.fill("accent", 0.2);
    pen.stroke("accent", 1.6);
  }

  paintPoints(pen, order) {
    const {plane, points} = this.items;
    if (plane && points.length <= MAX_STEMS) {
      pen.begin();
      for (const {point} of order) this.stem(pen, point, foot(plane, point));
      pen.stroke("faint", 1, 0.5);
    }
    for (const {point, k} of order) this.paintPoint(pen, point, this.items.codes[k]);
  }

  /** The way from a point to the plane, where it ends within the cube. */
  stem(pen, point, end) {
    if (end.every((value) => Math.abs(value) <= 1)) this.segment(pen, point, end);
  }

  paintPoint(pen, point, code) {
    const [x, y, size] = this.camera.project(point);
    pen.glyph(shapeOf(code), INKS[code % INKS.length], Math.min(this.radius, MAX_RADIUS) * size * size * 0.9, x, y);
  }

  /** Points and the cells of a surface, from far to near. */
  paintAmong(pen, order) {
    const [negative = 0, positive = 1] = [...new Set(this.items.codes)].sort();
    const cells = this.items.surface.map((cell) => ({cell, near: Math.max(...cell.map((corner) => this.camera.turned(corner)[2]))}));
    const near = order.map((item) => ({...item, near: item.near + LIFTED}));
    const all = [...near, ...cells].sort((one, other) => one.near - other.near);
    for (const {point, k, cell} of all) {
      if (point) this.paintPoint(pen, point, this.items.codes[k]);
      else {
        const above = this.items.plane ? cell.reduce((sum, corner) => sum + height(this.items.plane, corner), 0) > 0 : true;
        this.outline(pen, cell);
        pen.fill(toneOf(above ? positive : negative), 0.28);
        pen.stroke("paper", 0.5, 0.6);
      }
    }
    if (this.items.section.length) {
      this.outline(pen, this.items.section);
      pen.stroke("accent", 1.6);
    }
  }

  destroy() {
    this.ending.abort();
    this.screen.destroy();
  }
}

function degrees(radians) {
  return Math.round((radians * 180) / Math.PI);
}

/** The cells of a surface, each with its four corners; of a fine grid, only some lines. */
function lattice({nx, ny, x, y, z}) {
  const [across, up] = [Math.max(1, Math.round((nx - 1) / CELLS)), Math.max(1, Math.round((ny - 1) / CELLS))];
  const at = (i, j) => [x[0] + (i * (x[1] - x[0])) / (nx - 1), y[0] + (j * (y[1] - y[0])) / (ny - 1), z[j * nx + i]];
  const cells = [];
  for (let j = 0; j + up < ny; j += up) {
    for (let i = 0; i + across < nx; i += across) {
      cells.push([at(i, j), at(i + across, j), at(i + across, j + up), at(i, j + up)]);
    }
  }
  return cells;
}
