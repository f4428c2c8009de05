/** The colours of the page, read from its CSS variables, and the moments at which they change. */

const NAMES = ["paper", "raised", "ink", "soft", "faint", "rule", "accent", "tint", "good", "warn", "c1", "c2", "c3", "c4", "c5"];
const WITHOUT_STYLE = "#777777"; // for a page that has no variables

/** The present colours by name, for an element. */
export function coloursOf(element) {
  const style = getComputedStyle(element);
  const found = {};
  for (const name of NAMES) found[name] = style.getPropertyValue(`--${name}`).trim() || WITHOUT_STYLE;
  found.font = style.fontFamily || "sans-serif";
  return found;
}

const listeners = new Set();
let watching = false;

function tell() {
  for (const listener of [...listeners]) listener();
}

function watch() {
  watching = true;
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", tell);
  }
  new MutationObserver(tell).observe(document.documentElement, {attributes: true, attributeFilter: ["data-theme", "class"]});
  window.addEventListener("lab-theme", tell);
}

/** Calls `listener` whenever the colours change; returns what ends that. */
export function onTheme(listener) {
  if (!watching) watch();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the person asked for less motion. */
export function stillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
