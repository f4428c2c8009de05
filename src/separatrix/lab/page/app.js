// The start of the page: makes its parts, connects them, and listens to the keyboard.

import * as appearance from "lab/appearance.js";
import { banner, dropdown, toast } from "lab/dialog.js";
import { button, icon, make } from "lab/elements.js";
import { Files } from "lab/files.js";
import { Lab, pageTitle } from "lab/lab.js";
import { Lessons } from "lab/lessons.js";
import { Lifted } from "lab/lifted.js";
import { Options } from "lab/options.js";
import { Panel } from "lab/panel.js";
import { Separable } from "lab/separable.js";
import { empty, MAX_CLASSES } from "lab/dataset.js";
import { MAX_SLOTS } from "lab/state.js";
import { Connection, socketAddress } from "lab/socket.js";
import { TakeAway, copy } from "lab/takeaway.js";
import { Timeline } from "lab/timeline.js";
import { Toolbox, TOOL_KEYS } from "lab/toolbox.js";
import { Why } from "lab/why.js";

const place = (id) => document.getElementById(id);
const connection = new Connection(socketAddress());
const lab = new Lab(connection);

lab.share = () => copy(lab.link().address, "The link");

/** Make all parts, once the menu is here. */
function build() {
  const parts = { why: new Why(), options: new Options(lab), separable: new Separable(lab), lifted: new Lifted(lab), take: new TakeAway(lab) };
  const panel = new Panel(place("panel"), [
    { name: "why", title: "Why", part: parts.why }, { name: "options", title: "Options", part: parts.options },
    { name: "separable", title: "Separable?", part: parts.separable }, { name: "lift", title: "3-D", part: parts.lifted },
    { name: "take", title: "Take away", part: parts.take },
  ], () => lab.drawLayers());
  const timeline = new Timeline(place("timeline"), { onShow: (position, playing) => lab.show(position, playing) });
  const toolbox = new Toolbox(place("tools"), {
    onTool: (tool) => lab.setTool(tool), onLabels: (labels) => lab.state.relabel(labels),
    onClear: () => lab.state.replace({ ...empty(), labels: lab.state.dataset.labels, names: lab.state.dataset.names }),
    onView: () => fitView(),
  });
  lab.attach({ timeline, panel, parts, toolbox, stages: place("stages") });
  buildBar();
  window.lab = Object.assign(lab, { connection });
}

function fitView() {
  lab.state.view = null;
  for (const slot of lab.slots) slot.stage.setView(null);
  lab.fitAll(false);
  lab.settled();
}

function buildBar() {
  const lessons = new Lessons(place("lesson"), lab);
  const files = new Files(place("stages").parentElement, { ask: (message, hearer) => connection.ask(message, hearer), onPoints: (answer) => lab.takePoints(answer) });
  const undo = button("undo", "Undo", () => lab.state.undo(), { title: "Undo (Ctrl-Z)" });
  const redo = button("redo", "Redo", () => lab.state.redo(), { title: "Redo (Ctrl-Shift-Z)" });
  const theme = button(appearance.chosen(), "Colours", () => turnTheme(theme));
  const compare = button("plus", "Compare", () => lab.addSlot(), { named: true, title: "Put another method beside these" });
  const points = () => [
    ...lab.menu.toys.map(({ name, title, text }) => ({ title, text, run: () => lab.toy({ name, seed: lab.state.seed }) })),
    { separator: true }, { title: "Open a file", text: "CSV and others; or drop one on the page", run: () => files.choose() },
  ];
  place("bar").append(undo, redo, dropdown("points", "Points", points), compare, dropdown("lessons", "Lessons", () => lessons.entries()),
    make("span", { class: "gap" }), button("share", "Share", () => lab.share(), { named: true, title: "Copy a link to this page as it is" }), theme);
  lab.onSettled = () => {
    undo.disabled = lab.state.past.length === 0;
    redo.disabled = lab.state.future.length === 0;
    compare.disabled = lab.slots.length >= MAX_SLOTS;
    document.title = pageTitle(lab.state.slots);
  };
}

function turnTheme(theme) {
  theme.replaceChildren(icon(appearance.turn()));
  theme.title = appearance.inWords();
  lab.say(appearance.inWords());
}

// ---- keys

const BUTTONS = new Set(["BUTTON", "SELECT", "INPUT", "TEXTAREA", "SUMMARY"]);

document.addEventListener("keydown", (event) => {
  if (!lab.menu || event.altKey) return;
  const typing = event.target.matches("input[type=text], textarea, select");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
    event.preventDefault();
    return event.shiftKey ? lab.state.redo() : lab.state.undo();
  }
  if (event.ctrlKey && event.key.toLowerCase() === "y" && !typing) {
    event.preventDefault();
    return lab.state.redo();
  }
  if (event.ctrlKey || event.metaKey || typing || event.defaultPrevented) return;
  if (event.key === " " && !BUTTONS.has(event.target.tagName)) {
    event.preventDefault();
    return lab.timeline.playing ? lab.timeline.pause() : lab.timeline.play();
  }
  const step = { ",": -1, ".": 1 }[event.key];
  if (step) lab.timeline.go(lab.timeline.position + step);
  else if (TOOL_KEYS[event.key]) lab.toolbox.choose({ name: TOOL_KEYS[event.key] });
  else if (event.key === "f") fitView();
  else if (/^[1-5]$/.test(event.key) && event.key <= MAX_CLASSES) chooseClass(Number(event.key) - 1);
});

function chooseClass(code) {
  while (code >= lab.state.dataset.labels.length) lab.toolbox.add();
  lab.toolbox.choose({ klass: code });
}

// ---- the connection

connection.addEventListener("open", () => {
  banner(null);
  connection.ask({ do: "hello" }, (answer) => (answer.kind === "menu" ? started(answer) : toast(answer.message, { error: true })));
});
connection.addEventListener("lost", ({ detail }) => {
  banner(`The connection to the lab's server is lost. Your points are kept; the next try is in ${Math.max(1, Math.round(detail.wait / 1000))} s. Is "separatrix lab" still running?`);
  for (const slot of lab.slots) slot.fits.stop();
});
connection.addEventListener("stray", ({ detail }) => {
  if (detail.kind === "error") toast(detail.message, { error: true });
  if (detail.kind === "points" && lab.menu && !lab.fromLink) lab.takePoints(detail);
});

function started(menu) {
  const again = Boolean(lab.menu);
  lab.menu = menu;
  if (again) return lab.fitAll(false);
  document.getElementById("starting").remove();
  build();
  lab.fromLink = lab.openHash(location.hash);
  if (lab.fromLink) return;
  if (menu.start) lab.loadState(menu.start);
  else lab.firstState();
}

window.addEventListener("hashchange", () => {
  if (lab.menu && location.hash !== lab.written) lab.openHash(location.hash);
});

connection.connect();
