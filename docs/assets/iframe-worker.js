// Search from a folder: a page opened as file:// may start no worker, so the search index runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      const load = source => new Promise((loaded, failed) => {
        const script = inside.document.createElement("script");
        script.onload = loaded;
        script.onerror = failed;
        script.src = source;
        inside.document.body.append(script);
      });
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      inside.importScripts = (...sources) => Promise.all(sources.map(load));
      this.ready = load(new URL(url, location).href);
      this.postMessage = data => this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", {data})));
    }
  };
}
