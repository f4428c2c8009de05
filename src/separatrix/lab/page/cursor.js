/** What follows the pointer or the keyboard: the outline of the tool, the point that it would take, the crosshair. */
import {radiusOf, toneOf} from "lab/shapes.js";
import {brushReach} from "lab/tools.js";

const ERASER_DASH = [4, 3];
const HELD = {stroke: "accent", width: 2};
const ARM = 14; // pixels of each arm of the crosshair

/** @param {{at: {x: number, y: number} | null, row: number, cross: number[] | null, carried: number}} cursor */
export function paintCursor(pen, scene, desk, cursor) {
  pen.clip(scene.view.plot);
  if (cursor.at && scene.view.holds(cursor.at.x, cursor.at.y) && !desk.readOnly) paintTool(pen, desk, cursor.at);
  if (cursor.row >= 0) paintHeld(pen, scene, cursor.row);
  if (cursor.carried >= 0) paintHeld(pen, scene, cursor.carried);
  if (cursor.cross) paintCross(pen, desk, ...scene.view.toPixels(...cursor.cross));
  pen.unclip();
}

function paintTool(pen, desk, {x, y}) {
  const {name, klass} = desk.tool;
  if (name !== "brush" && name !== "erase") return;
  pen.begin();
  pen.circle(x, y, Math.max(brushReach(desk), 4));
  if (name === "brush") pen.stroke(toneOf(klass), 1.6);
  else pen.stroke("ink", 1.4, 0.9, ERASER_DASH);
}

function paintHeld(pen, scene, row) {
  const {view, data} = scene;
  if (row < data.x.length) pen.glyph("ring", HELD, radiusOf(scene, row) + 4, view.px(data.x[row]), view.py(data.y[row]));
}

function paintCross(pen, desk, px, py) {
  for (const [tone, width] of [["paper", 4], ["accent", 2]]) {
    pen.begin();
    for (const [u, v] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
      pen.move(px + 4 * u, py + 4 * v);
      pen.line(px + ARM * u, py + ARM * v);
    }
    pen.stroke(tone, width);
  }
  if (desk.tool.name === "erase") {
    pen.begin();
    pen.circle(px, py, brushReach(desk));
    pen.stroke("ink", 1.2, 0.7, ERASER_DASH);
  }
}
