// How a method stands, in words: proved or why not, rows wrong, steps and time.

import { figure } from "lab/scale.js";

/** The icon of each kind of standing. */
export const SIGNS = { proved: "proved", unproved: "open_question", failed: "wrong", running: "running", step: "running", empty: "brush" };
const STEPS = { update: "updates", pass: "passes", step: "steps", iteration: "iterations" };

export function seconds(value) {
  if (value < 1e-3) return `${Math.max(1, Math.round(1e6 * value))} µs`;
  return value < 1 ? `${figure(1e3 * value, value < 0.1 ? 2 : 3)} ms` : `${figure(value, 2)} s`;
}

/** "3 of 40 wrong". */
export function wrongOf(count, total) {
  return `${count} of ${total} wrong`;
}

export function plural(count, unit) {
  const word = STEPS[unit] ?? `${unit}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? word.replace(/(ss|)e?s$/, "$1") : word}`;
}

/** {kind, word, facts, reason} of a slot at the step that is shown. */
export function standing(slot) {
  const total = slot.lab.state.dataset.x.length;
  if (slot.missing) return { kind: "empty", word: "Waiting for points", facts: "", reason: "" };
  if (slot.failure) return { kind: "failed", word: "No fit", facts: "", reason: slot.failure.message };
  if (slot.result && (slot.finished || !slot.frames.length)) return finished(slot.result, slot, total);
  if (!slot.shown) return { kind: "running", word: "Learning", facts: "", reason: "" };
  const { number, values } = slot.shown;
  const unit = slot.begun?.unit ?? "step";
  const facts = [`${unit} ${number}`];
  if (values?.wrong !== undefined) facts.push(wrongOf(values.wrong, total));
  if (values?.gap > 0) facts.push(`gap ${figure(values.gap, 3)}`);
  return { kind: "step", word: "Learning", facts: facts.join(" · "), reason: "" };
}

function finished(result, slot, total) {
  const facts = [];
  const wrong = result.errors ?? result.wrong.length;
  facts.push(slot.method.task === "novelty" ? `${wrong} of ${total} outside` : wrongOf(wrong, total));
  if (slot.frames.length > 1) facts.push(plural(slot.frames.at(-1).number, slot.begun?.unit ?? "step"));
  if (result.seconds !== null && result.seconds !== undefined) facts.push(seconds(result.seconds));
  const because = (result.stopped ?? result.status ?? "").replace("It stopped because ", "Because ").split(", ")[0];
  const proved = result.proof && !result.warning; // a warning says that the error asked for was not reached
  const reason = proved ? because : result.warning ?? result.certificate?.sentence ?? because;
  return { kind: proved ? "proved" : "unproved", word: proved ? "Proved" : result.proof ? "Stopped early" : "Not proved", facts: facts.join(" · "), reason };
}
