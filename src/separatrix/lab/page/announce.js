// Sentences for screen readers, one at a time: the latest of a burst, and while a run plays only now and then.

const PAUSE = 350; // milliseconds of quiet before a sentence is said, so that the last of a burst is
const PAUSE_PLAYING = 4000; // between two sentences of a run that plays

export class Announcer {
  constructor(element) {
    this.element = element;
    this.clock = null;
    this.said = 0;
  }

  /** Say a sentence soon; a later one takes its place. */
  say(text, playing = false) {
    if (!text) return;
    this.text = text;
    const wait = playing ? Math.max(PAUSE, this.said + PAUSE_PLAYING - performance.now()) : PAUSE;
    if (this.clock !== null && playing) return;
    clearTimeout(this.clock);
    this.clock = setTimeout(() => this.speak(), wait);
  }

  speak() {
    this.clock = null;
    this.said = performance.now();
    if (this.element.textContent !== this.text) this.element.textContent = this.text;
  }
}
