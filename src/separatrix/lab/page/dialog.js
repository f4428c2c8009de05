// Short messages, menus that drop down, and the banner of a lost connection.

import { button, icon, make } from "lab/elements.js";

const SHOWN_FOR = 6000; // milliseconds; an error stays until it is closed
const MOST_TOASTS = 3;

/** Show a sentence for a while; an error until it is closed. The same sentence is not shown twice at once. */
export function toast(text, { error = false } = {}) {
  const host = document.getElementById("toasts");
  for (const other of host.children) if (other.dataset.text === text) other.remove();
  while (host.children.length >= MOST_TOASTS) host.firstChild.remove();
  const message = make("div", { class: error ? "toast error" : "toast", role: error ? "alert" : "status", "data-text": text },
    icon(error ? "wrong" : "proved"), make("p", { text }), button("close", "Close this message", () => message.remove()));
  host.append(message);
  if (!error) setTimeout(() => message.remove(), SHOWN_FOR);
}

/** A button that opens a menu below it: [{name, title, text, run}] or {separator: true}. Returns its element. */
export function dropdown(iconName, label, entries) {
  const host = make("div", { class: "dropdown" });
  const menu = make("div", { class: "menu", role: "menu", "aria-label": label, hidden: true });
  const opener = button(iconName, label, () => (menu.hidden ? open() : close(true)), { named: true, "aria-haspopup": "menu", "aria-expanded": "false" });
  opener.append(icon("chevron"));
  host.append(opener, menu);

  function open() {
    menu.replaceChildren(...entries().map(item));
    menu.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside, true);
    menu.querySelector("[role=menuitem]")?.focus();
  }
  function close(refocus) {
    menu.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    if (refocus) opener.focus();
  }
  function outside(event) {
    if (!host.contains(event.target)) close(false);
  }
  function item(entry) {
    if (entry.separator) return make("hr");
    const run = () => { close(true); entry.run(); };
    return make("button", { type: "button", role: "menuitem", tabindex: "-1", onclick: run },
      make("b", { text: entry.title }), entry.text && make("small", { text: entry.text }));
  }
  host.addEventListener("focusout", (event) => {
    if (!menu.hidden && event.relatedTarget && !host.contains(event.relatedTarget)) close(false);
  });
  host.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !menu.hidden) { event.stopPropagation(); close(true); }
    if (menu.hidden || !["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const items = [...menu.querySelectorAll("[role=menuitem]")];
    const here = items.indexOf(document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: items.length - 1 }[event.key];
    items[(to + items.length) % items.length].focus();
  });
  return host;
}

/** The banner across the page; null takes it away. */
export function banner(text) {
  const host = document.getElementById("banner");
  host.hidden = text === null;
  host.textContent = text ?? "";
}
