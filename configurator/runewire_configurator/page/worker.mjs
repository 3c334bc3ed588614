// Python in a worker: loads Pyodide and the project's sources, then answers calls of `runewire_configurator.session`.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const FOLDER = "/home/pyodide/runewire";

const stage = (text) => postMessage({ stage: text });

async function fetched(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
  return response;
}

async function load() {
  stage("Loading Python…");
  const sources = fetched("./python.zip").then((response) => response.arrayBuffer());
  const start = fetched("./start.json").then((response) => response.json());
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  stage("Loading the golden model…");
  python.unpackArchive(await sources, "zip", { extractDir: FOLDER });
  python.runPython(`import sys; sys.path.insert(0, "${FOLDER}")`);
  const { Session } = python.pyimport("runewire_configurator.session");
  return Session(JSON.stringify((await start).fields));
}

const METHODS = {
  view: (session, choice) => JSON.parse(session.view(JSON.stringify(choice))),
  answer: (session, choice, text, hex) => JSON.parse(session.answer(JSON.stringify(choice), text, hex)),
  generate: (session, choice) => {
    const made = session.generate(JSON.stringify(choice), stage);
    const [top, files, zip] = made.toJs();
    made.destroy();
    return { top, files, zip };
  },
};

const session = load();
session.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: String(error) }));

onmessage = async ({ data: { id, method, given } }) => {
  try {
    postMessage({ id, result: METHODS[method](await session, ...given) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
