// The connection to the server: questions with a number, answers to whoever asked, and a new try after a loss.

const FIRST_WAIT = 500; // milliseconds before the first new try; each next one waits twice as long
const LONGEST_WAIT = 8000;
const LAST_OF_ANSWERS = new Set(["result", "error", "cancelled", "separation", "lift", "menu", "model", "page", "points"]);

/** Fires "open", "lost" (detail.wait in milliseconds) and "stray" (detail: an answer that nobody waits for). */
export class Connection extends EventTarget {
  constructor(address) {
    super();
    this.address = address;
    this.number = 0;
    this.waiting = new Map(); // from the number of a question to who hears its answers
    this.wait = FIRST_WAIT;
    this.socket = null;
    this.clock = null;
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.clock);
    this.socket = new WebSocket(this.address);
    this.socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      this.dispatchEvent(new Event("open"));
    });
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.lose());
  }

  lose() {
    this.waiting.clear();
    this.dispatchEvent(new CustomEvent("lost", { detail: { wait: this.wait } }));
    this.clock = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  /** Ask, and hear each answer by `hearer(answer)`; the number of the question, or null while there is no connection. */
  ask(message, hearer) {
    if (!this.open) return null;
    const id = ++this.number;
    this.waiting.set(id, hearer);
    this.socket.send(JSON.stringify({ id, ...message }));
    return id;
  }

  /** Hear no more answers to a question. */
  forget(id) {
    this.waiting.delete(id);
  }

  hear(answer) {
    const hearer = this.waiting.get(answer.id);
    if (LAST_OF_ANSWERS.has(answer.kind) || answer.last) this.waiting.delete(answer.id);
    if (hearer) hearer(answer);
    else this.dispatchEvent(new CustomEvent("stray", { detail: answer }));
  }
}

/** The address of the socket of the page's own server. */
export function socketAddress() {
  const address = new URL("socket", document.baseURI);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.search = address.hash = "";
  return address.href;
}
