// Questions of which only the latest matters, such as fits while a point is dragged: none queue up, none starve.

const PATIENCE = 150; // milliseconds that an answer is waited for before a newer question takes its place

export class Latest {
  constructor(connection, hearer) {
    this.connection = connection;
    this.hearer = hearer;
    this.request = null; // the number of the question under way
    this.next = null; // what is asked when that is answered
    this.clock = null;
  }

  /** Ask now, or as soon as the question under way is answered or has had its time. */
  ask(message, { now = false } = {}) {
    const age = performance.now() - this.asked;
    if (this.request === null || now || age >= PATIENCE) return this.send(message);
    this.next = message;
    this.clock ??= setTimeout(() => this.send(this.next), PATIENCE - age);
  }

  send(message) {
    this.stop();
    this.asked = performance.now();
    this.request = this.connection.ask(message, (answer) => this.hear(answer));
  }

  hear(answer) {
    if (answer.id !== this.request) return;
    const over = answer.kind === "error" || answer.kind === "cancelled" || answer.kind === "result" || answer.kind === "separation" || answer.kind === "lift" || answer.last;
    if (over) this.request = null;
    this.hearer(answer);
    if (over && this.request === null && this.next) this.send(this.next);
  }

  /** Hear no more of what was asked. */
  stop() {
    clearTimeout(this.clock);
    this.clock = null;
    this.next = null;
    if (this.request !== null) this.connection.forget(this.request);
    this.request = null;
  }
}
