// Calls of Python in a worker.

export class Python {
  // `watch` is called with each step that begins, in a few words.
  constructor(watch) {
    this.watch = watch;
    this.calls = new Map();
    this.number = 0;
    this.worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    this.ready = new Promise((resolve, reject) => {
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
      this.worker.onmessage = ({ data }) => {
        if (data.stage) this.watch(data.stage);
        else if (data.ready) resolve();
        else if (data.failed) reject(new Error(data.failed));
        else this.settle(data);
      };
    });
    this.ready.catch(() => {});
  }

  settle({ id, result, error }) {
    const { resolve, reject } = this.calls.get(id);
    this.calls.delete(id);
    if (error) reject(new Error(error));
    else resolve(result);
  }

  // The result of a method of worker.mjs. It is rejected if Python fails, and never settled after `end`.
  async call(method, ...given) {
    await this.ready;
    return new Promise((resolve, reject) => {
      this.calls.set(++this.number, { resolve, reject });
      this.worker.postMessage({ id: this.number, method, given });
    });
  }

  end() {
    this.worker.terminate();
  }
}

// Calls a function with the newest arguments only: while a call runs, later ones replace each other.
export function newest(run) {
  let waiting = null;
  let running = false;
  return async (...given) => {
    waiting = given;
    if (running) return;
    running = true;
    try {
      while (waiting) {
        const now = waiting;
        waiting = null;
        await run(...now);
      }
    } finally {
      running = false;
    }
  };
}
