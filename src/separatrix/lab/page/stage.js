/** A drawing of points and of what a method makes of them, on which a person draws. */
import {paintCursor} from "lab/cursor.js";
import {describe, wordsOf} from "lab/describe.js";
import {HELP, Keys} from "lab/keys.js";
import {emptyScene, resolve, sameDrawing, tweened, worthTweening} from "lab/scene.js";
import {paintOver, paintPoints, paintUnder} from "lab/paint.js";
import {pngOf, svgOf} from "lab/picture.js";
import {Screen} from "lab/screen.js";
import {radiusFor} from "lab/shapes.js";
import {stillness} from "lab/theme.js";
import {Tools} from "lab/tools.js";

const TWEEN = 130; // milliseconds in which a plane turns to the next
const SLOW = 220; // milliseconds between two frames from which there is time for that
const NAMING = 200; // milliseconds of rest after which the picture is described anew
const TRAIL = 12; // planes that a trail holds

export class Stage {
  /**
   * @param {HTMLElement} host
   * @param {{onEdit?: Function, onHover?: Function, onSay?: Function, onView?: Function, onPick?: Function, readOnly?: boolean}} told
   */
  constructor(host, told = {}) {
    this.told = told;
    this.scene = emptyScene();
    this.shown = {frame: null, result: null, separation: null, final: true};
    this.cursor = {at: null, row: -1, cross: null, carried: -1};
    this.desk = this.makeDesk(told);
    this.tween = null;
    this.screen = new Screen(host, {
      under: (pen) => paintUnder(pen, this.scene),
      points: (pen) => paintPoints(pen, this.scene),
      over: (pen) => this.paintOver(pen),
    }, {
      onSize: (width, height) => {
        this.scene.view.resize(width, height);
        this.size();
      },
      onFrame: (now) => this.turn(now),
    });
    this.dressRoot();
    this.tools = new Tools(this.screen.root, this.desk);
    this.keys = new Keys(this.screen.root, this.desk);
  }

  /** What tools and keys may see and do. */
  makeDesk(told) {
    const stage = this;
    return {
      get view() { return stage.scene.view; },
      get data() { return stage.scene.data; },
      get readOnly() { return Boolean(told.readOnly); },
      tool: {name: "brush", klass: 0, size: 0.04},
      words: wordsOf(this.scene),
      edit: (change) => told.onEdit?.(change),
      say: (text) => told.onSay?.(text),
      get pointer() { return stage.cursor.at; },
      pick: () => {
        this.keys.leave();
        told.onPick?.();
      },
      redraw: () => this.screen.soil("over"),
      hover: (at, row = -1) => this.hover(at, row),
      look: (change) => this.look(change),
    };
  }

  dressRoot() {
    const {root} = this.screen;
    root.tabIndex = 0;
    root.setAttribute("role", "application");
    root.setAttribute("aria-roledescription", this.told.readOnly ? "picture" : "drawing");
    root.setAttribute("aria-label", "Points and boundary");
    root.setAttribute("aria-description", this.told.readOnly ? "Plus and minus zoom, 0 shows all points." : HELP);
    root.style.touchAction = this.told.readOnly ? "pan-y" : "none";
    root.style.userSelect = "none";
    root.style.cursor = "crosshair";
    root.style.outlineOffset = "-3px"; // what is around the drawing may cut off what lies outside of it
    root.addEventListener("focus", () => this.told.onPick?.());
  }

  paintOver(pen) {
    paintOver(pen, this.scene);
    const {cross = null, carried = -1} = this.keys ?? {};
    paintCursor(pen, this.scene, this.desk, Object.assign(this.cursor, {cross, carried}));
  }

  /** Takes the points; arrays may be plain. The view stays while it shows them all, or while a tool is at work. */
  setData(data) {
    const {scene} = this;
    const fewer = data.x.length < scene.data.x.length;
    const first = !scene.data.x.length && !this.ownView && !this.busy;
    const {x, y, classes, weights = null, names = [], labels = []} = data;
    if (!sameDrawing(scene.data, data)) this.forget();
    scene.data = {x, y, classes, weights, names, labels};
    this.size();
    if (first || !(this.ownView || this.busy || scene.view.shows(x, y))) scene.view.fit(x, y);
    this.resolve();
    if (fewer) scene.forgetRows(); // numbers of rows stand for others now, until an answer comes
    this.screen.soil("under", "points", "over");
  }

  /** Forgets what was made of the points: others came. */
  forget() {
    Object.assign(this.shown, {frame: null, result: null, separation: null});
    Object.assign(this.scene, {previous: null, model: null});
    this.scene.trail.length = 0;
  }

  /** Sets the size of points by their number and the room there is. */
  size() {
    const {data, view} = this.scene;
    this.scene.radius = radiusFor(data.x.length, Math.min(view.plot.width, view.plot.height));
  }

  /** Whether a hand is at work, under which the view must not move. */
  get busy() {
    return Boolean(this.tools?.down.size) || document.activeElement === this.screen.root;
  }

  /** Shows a rectangle, or with null all points. */
  setView(rectangle) {
    const {view, data} = this.scene;
    this.ownView = rectangle !== null;
    if (rectangle) view.set(rectangle);
    else view.fit(data.x, data.y);
    this.screen.soil("under", "points", "over");
  }

  /** What is visible. */
  get view() {
    return this.scene.view.visible;
  }

  toPixels(x, y) {
    return this.scene.view.toPixels(x, y);
  }

  toData(px, py) {
    return this.scene.view.toData(px, py);
  }

  /** Changes the view by hand: by a function of it, or with null back to all points. */
  look(change) {
    if (change) change(this.scene.view);
    else this.scene.view.fit(this.scene.data.x, this.scene.data.y);
    this.ownView = change !== null;
    this.screen.soil("under", "points", "over");
    this.told.onView?.(this.view);
  }

  setTool(tool) {
    Object.assign(this.desk.tool, tool);
    const cursors = {drag: "grab", weight: "ns-resize", look: "move"};
    this.screen.root.style.cursor = cursors[tool.name] ?? "crosshair";
    this.screen.soil("over");
  }

  hover(at, row) {
    const before = this.cursor.row;
    this.cursor.at = at;
    this.cursor.row = row;
    if (row !== before) this.told.onHover?.(row < 0 ? null : row);
    this.screen.soil("over");
  }

  /** Shows a frame, or with null the result alone. While a result is set its model is drawn, unless `final` is false. */
  show(frame, {previous = null, trail = false, instant = false, final = true} = {}) {
    const {scene, shown} = this;
    const before = scene.model;
    const back = !frame || !shown.frame || frame.number < shown.frame.number;
    Object.assign(shown, {frame, final});
    scene.previous = previous?.planes?.length === frame?.planes?.length ? (previous?.planes ?? null) : null;
    if (!trail || back) scene.trail.length = 0;
    else if (before?.planes) scene.trail.push(before.planes);
    if (scene.trail.length > TRAIL) scene.trail.shift();
    this.resolve();
    const now = performance.now();
    const calm = now - (this.lastShow ?? -Infinity) > SLOW;
    this.lastShow = now;
    const move = !instant && calm && !stillness() && worthTweening(before, scene.model);
    this.tween = move ? {from: before.planes, to: scene.model.planes, begun: now} : null;
    this.screen.soil("under", "over");
  }

  /** Puts the plane where it is at a time between two frames; ends at the true one. @returns whether it still turns */
  turn(now) {
    const {tween, scene} = this;
    if (!tween || !scene.model) return false;
    const part = Math.min(1, Math.max(0, (now - tween.begun) / TWEEN));
    scene.model.planes = part < 1 ? tweened(tween.from, tween.to, part) : tween.to;
    if (part === 1) this.tween = null;
    this.screen.dirty.add("under");
    return part < 1;
  }

  showResult(result) {
    this.shown.result = result;
    this.resolve();
    this.screen.soil("under", "over");
  }

  showSeparation(separation) {
    this.shown.separation = separation;
    this.resolve();
    this.screen.soil("over");
  }

  setLayers(layers) {
    Object.assign(this.scene.layers, layers);
    this.screen.soil("under", "over");
  }

  resolve() {
    resolve(this.scene, this.shown);
    if (this.tween && this.tween.to !== this.scene.model?.planes) this.tween = null;
    clearTimeout(this.naming);
    this.naming = setTimeout(() => this.screen.root.setAttribute("aria-label", this.describe()), NAMING);
  }

  /** What is drawn now, in words. */
  describe() {
    return describe(this.scene);
  }

  /** The picture as a text of SVG. */
  toSVG() {
    return svgOf(this.scene, this.screen.colours, this.describe());
  }

  /** The picture as a Blob of PNG, with `scale` pixels for each of the screen. */
  toPNG(scale = 2) {
    return pngOf(this.scene, this.screen.colours, scale);
  }

  destroy() {
    clearTimeout(this.naming);
    this.tools.destroy();
    this.keys.destroy();
    this.screen.destroy();
  }
}
