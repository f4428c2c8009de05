// Options of a method as controls, made of what the server says of each: sliders, choices and flags.

import { errorCurve } from "lab/curves.js";
import { make, write } from "lab/elements.js";
import { Scale, shown, STOPS } from "lab/scale.js";

const SLIDER_STEP = 5; // stops that an arrow key moves
const WORDS = { scale: "from the data", auto: "1 / features", nearest: "from neighbours", inverse: "1 / t", radius2: "R²", inf: "∞" };
const NAMES = { squared_hinge: "squared hinge", rest: "each against the rest", crammer_singer: "all jointly", poly: "polynomial", rbf: "RBF (Gaussian)" };

/** What a word for a value means to a reader. */
export function wordShown(word) {
  return WORDS[word] ?? NAMES[word] ?? String(word).replaceAll("_", " ");
}

/** The value of an option: what was chosen, or the default. */
export function valueOf(spec, options) {
  return spec.name in options ? options[spec.name] : spec.default;
}

/** Whether an option matters with the others as they are. */
export function matters(spec, specs, options) {
  return Object.entries(spec.needs ?? {}).every(([name, values]) => {
    const other = specs.find((each) => each.name === name);
    return !other || values.includes(valueOf(other, options));
  });
}

/** The options with one of them set, left out where it is the default. */
export function withOption(options, spec, value) {
  const { [spec.name]: _, ...others } = options;
  return value === spec.default ? others : { ...others, [spec.name]: value };
}

let lastId = 0;

/** One option. `onChange(value, live)`: live while a slider is dragged. `compact`: without text, for a slot's header. */
export class Control {
  constructor(spec, { value, compact = false, onChange }) {
    this.spec = spec;
    this.onChange = onChange;
    this.id = `option-${++lastId}`;
    const [label, ...rest] = spec.label.split(", ");
    this.message = make("p", { class: "mistake", id: `${this.id}-mistake`, hidden: true });
    this.element = make("div", { class: compact ? `option compact ${spec.kind}` : `option ${spec.kind}` });
    this.heading = make("label", { class: "option-name", for: this.id }, make("b", { text: label }), !compact && rest.length > 0 && make("span", { text: rest.join(", ") }));
    const parts = { choice: () => this.choice(), flag: () => this.flag(), number: () => this.number(compact), whole: () => this.number(compact) }[spec.kind]();
    this.element.append(...parts);
    if (!compact) this.element.append(this.message, make("p", { class: "about", text: spec.text }));
    this.set(value);
  }

  choice() {
    const options = this.spec.choices.map((each) => make("option", { value: each, text: wordShown(each) }));
    this.input = make("select", { id: this.id, onchange: () => this.onChange(this.input.value, false) }, options);
    return [this.heading, this.input];
  }

  flag() {
    this.input = make("input", { type: "checkbox", id: this.id, onchange: () => this.onChange(this.input.checked, false) });
    return [make("span", { class: "check" }, this.input, this.heading)];
  }

  number(compact) {
    this.scale = new Scale(this.spec);
    this.slider = make("input", {
      type: "range", min: this.scale.first, max: this.scale.last, step: SLIDER_STEP, "aria-label": this.spec.label,
      oninput: () => this.slid(true), onchange: () => this.slid(false), onkeydown: (event) => this.leap(event),
    });
    this.input = make("input", { type: "text", id: this.id, class: "value", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "aria-describedby": this.message.id, onchange: () => this.typed() });
    this.track = make("div", { class: "track" }, this.slider);
    if (compact) return [this.heading, this.track, this.input];
    return [make("div", { class: "option-line" }, this.heading, this.input), this.wordButtons(), this.track];
  }

  /** Buttons for the words that are not an end of the slider. */
  wordButtons() {
    const words = this.spec.words.filter((word) => word !== "inf" && word !== "0");
    this.words = words.map((word) => make("button", { type: "button", class: "word", "data-word": word, text: wordShown(word), title: `"${word}"`, onclick: () => this.onChange(word, false) }));
    return make("span", { class: "words" }, this.words);
  }

  slid(live) {
    const value = this.scale.value(Number(this.slider.value));
    this.stop = this.scale.stop(value);
    this.live = live;
    if (!live) this.slider.value = this.stop;
    this.write(value);
    this.onChange(value, live);
  }

  leap(event) {
    const up = { ArrowRight: true, ArrowUp: true, ArrowLeft: false, ArrowDown: false }[event.key];
    const stop = up === undefined ? null : this.scale.leap(this.stop, up);
    if (stop === null) return;
    event.preventDefault();
    this.slider.value = stop;
    this.slid(false);
  }

  typed() {
    const text = this.input.value.trim().replace("∞", "inf").replace("−", "-");
    const value = this.spec.words.includes(text) ? text : Number(text);
    if (text !== "" && (typeof value === "string" || Number.isFinite(value))) {
      this.mistake(null);
      this.onChange(value, false);
    } else {
      const words = this.spec.words.length ? `, or ${this.spec.words.join(", ")}` : "";
      this.mistake(`${this.spec.name} is a number from about ${shown(this.spec.least)} to ${shown(this.spec.most)}${words}. This is "${text}".`);
    }
  }

  /** Show a value that the state holds. */
  set(value) {
    this.mistake(null);
    if (this.spec.kind === "flag") this.input.checked = value;
    else if (this.spec.kind === "choice") this.input.value = value;
    else if (!this.live) {
      const isWord = typeof value === "string" && value !== "inf" && value !== "0";
      this.stop = isWord ? STOPS / 2 : this.scale.stop(value);
      this.slider.value = this.stop;
      this.element.classList.toggle("by-word", isWord);
      this.write(value);
    }
  }

  write(value) {
    const text = shown(value);
    if (this.input.value !== text) this.input.value = text;
    this.slider.setAttribute("aria-valuetext", wordShown(text));
    for (const each of this.words ?? []) each.setAttribute("aria-pressed", String(each.dataset.word === value));
  }

  /** Say what is wrong with the value, or that nothing is. */
  mistake(text) {
    this.message.hidden = text === null;
    write(this.message, text ?? "");
    if (this.input) this.input.setAttribute("aria-invalid", String(text !== null));
  }

  /** Draw the errors over this option behind its slider; null takes them away. */
  setCurve(curve) {
    this.picture?.remove();
    this.picture = curve && curve.values.length > 1 ? errorCurve(curve, (value) => this.scale.place(value)) : null;
    this.element.classList.toggle("with-curve", this.picture !== null);
    if (this.picture) this.track.prepend(this.picture);
  }
}
