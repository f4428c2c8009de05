// The methods of the server's menu: choosing one, finding one by name, and the first options of each.

import { make } from "lab/elements.js";

/** A name with a capital, as headings have it. */
export function titled(name) {
  return name[0].toUpperCase() + name.slice(1);
}

/** A menu of all methods by family. */
export function methodMenu(methods, { label, onChange }) {
  const families = new Map();
  for (const method of methods) {
    if (!families.has(method.family)) families.set(method.family, []);
    families.get(method.family).push(make("option", { value: method.name, text: titled(method.name), title: method.rule }));
  }
  const groups = [...families].map(([family, options]) => make("optgroup", { label: family }, options));
  const select = make("select", { class: "method", "aria-label": label, onchange: () => onChange(select.value) }, groups);
  return select;
}

export function methodNamed(methods, name) {
  return methods.find((method) => method.name === name) ?? null;
}

/** The slots whose methods and options there are, and a sentence on what had to be left out (or null). */
export function knownSlots(methods, slots) {
  const unknown = new Set();
  const known = [];
  for (const { method, options } of slots) {
    const found = methodNamed(methods, method);
    if (!found) { unknown.add(`the method "${method}"`); continue; }
    const kept = Object.entries(options).filter(([name]) => found.controls.some((spec) => spec.name === name) || !unknown.add(`the option "${name}" of ${method}`));
    known.push({ method, options: Object.fromEntries(kept) });
  }
  return [known, unknown.size ? `This lab does not have ${[...unknown].join(", ")}; it is left out.` : null];
}

const COMPARISONS = ["linear SVM", "perceptron, online", "kernel SVM", "logistic discrimination", "pocket", "Fisher's discriminant"];

/** A method to compare next: one that is not shown yet. */
export function nextMethod(methods, slots) {
  const shown = new Set(slots.map(({ method }) => method));
  const names = [...COMPARISONS, ...methods.map(({ name }) => name)];
  return names.find((name) => !shown.has(name) && methodNamed(methods, name)) ?? methods[0].name;
}
