/** The frame of the plot with its ticks and the names of both features. */

const TICK = 4; // pixels

export function paintAxes(pen, {view, data}) {
  const {x, y, width, height} = view.plot;
  pen.begin();
  for (const tick of view.axes.x) {
    const px = view.px(tick.value);
    pen.move(px, y + height);
    pen.line(px, y + height + TICK);
  }
  for (const tick of view.axes.y) {
    const py = view.py(tick.value);
    pen.move(x - TICK, py);
    pen.line(x, py);
  }
  pen.stroke("faint", 1);
  pen.begin();
  pen.move(x, y);
  pen.line(x + width, y);
  pen.line(x + width, y + height);
  pen.line(x, y + height);
  pen.close();
  pen.stroke("faint", 1);
  for (const tick of view.axes.x) pen.text(tick.label, view.px(tick.value), y + height + 13);
  for (const tick of view.axes.y) pen.text(tick.label, x - 7, view.py(tick.value), {align: "right"});
  pen.text(brief(data.names[0] ?? "x1"), x + width / 2, y + height + (view.width < 420 ? 28 : 31), NAME);
  pen.text(brief(data.names[1] ?? "x2"), 9, y + height / 2, SIDE);
}

const NAME = {tone: "ink", size: 12};
const SIDE = {tone: "ink", size: 12, turned: true};

/** A name of at most 40 characters. */
function brief(name) {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
