// Light, dark, or as the system has it.

const NEXT = { system: "light", light: "dark", dark: "system" };
const WORDS = { system: "Colours as the system has them", light: "Light colours", dark: "Dark colours" };

/** What is chosen: "system", "light" or "dark". */
export function chosen() {
  return document.documentElement.dataset.theme ?? "system";
}

/** What is seen: "light" or "dark". */
export function seen() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return chosen() === "system" ? (dark ? "dark" : "light") : chosen();
}

export function inWords() {
  return WORDS[chosen()];
}

/** Take the next choice and tell those who draw. */
export function turn() {
  const next = NEXT[chosen()];
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  window.dispatchEvent(new Event("lab-theme"));
  return next;
}

/** Whether movement is to be kept low. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
