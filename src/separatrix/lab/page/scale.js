// Values of an option as places on a slider: logarithmic or linear, with the words "0" and "inf" as ends of their own.

export const STOPS = 1000;
const ROOM = 40; // stops beyond an end, where a word stands
const DIGITS = 2; // significant ones of a value that a slider chooses

export class Scale {
  constructor({ least, most, scale, kind, words = [] }) {
    Object.assign(this, { least, most, log: scale === "log", whole: kind === "whole" });
    this.first = words.includes("0") ? -ROOM : 0;
    this.last = words.includes("inf") ? STOPS + ROOM : STOPS;
  }

  /** The stop of a value. */
  stop(value) {
    if (value === "inf" || value === Infinity) return this.last;
    if (this.log && Number(value) <= 0) return this.first;
    const part = this.log ? Math.log(value / this.least) / Math.log(this.most / this.least) : (value - this.least) / (this.most - this.least);
    return Math.round(STOPS * Math.max(0, Math.min(1, part)));
  }

  /** The value at a stop. */
  value(stop) {
    if (stop > STOPS + ROOM / 2) return "inf";
    if (stop < -ROOM / 2) return "0";
    const part = Math.max(0, Math.min(STOPS, stop)) / STOPS;
    if (part === 0 || part === 1) return part ? this.most : this.least;
    const value = this.log ? this.least * (this.most / this.least) ** part : this.least + part * (this.most - this.least);
    return this.whole ? Math.round(value) : this.short(value);
  }

  /** The stop that an arrow key leads to between a word at an end and the number beside it; null where it is a usual step. */
  leap(stop, up) {
    if (up) return stop === this.first && stop < 0 ? 0 : stop >= STOPS && this.last > STOPS ? this.last : null;
    return stop === this.last && stop > STOPS ? STOPS : stop <= 0 && this.first < 0 ? this.first : null;
  }

  short(value) {
    return this.log ? Number(value.toPrecision(DIGITS)) : Number(value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(this.most - this.least)))));
  }

  /** Where a value is from left to right, from 0 to 1. */
  place(value) {
    return (this.stop(value) - this.first) / (this.last - this.first);
  }
}

/** A value as people read it. */
export function shown(value) {
  if (value === "inf" || value === Infinity) return "∞";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential().replace("e+", "e");
  return String(value);
}

/** A number as people read it, to some significant digits. */
export function figure(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return (value + 0).toLocaleString("en"); // -0 + 0 is 0
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  return Number(value.toPrecision(digits)).toString();
}
