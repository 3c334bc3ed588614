// The page: a choice, its view, and the work in two workers. One always answers; the other generates and can be ended.
import { $ } from "./dom.js";
import { Form } from "./form.js";
import { Python, newest } from "./python.js";
import { showAnswer, showFiles, showView } from "./results.js";

const EXAMPLE = "Grüße, 世界 😀 \\xE2\\x82!";

const start = await (await fetch("start.json")).json();

// A choice with its fields in the order of the form, as Python has them; then those that are none.
function ordered(texts) {
  const names = [...new Set([...start.fields.map(({ name }) => name), ...Object.keys(texts)])];
  return Object.fromEntries(names.filter((name) => texts[name]).map((name) => [name, texts[name]]));
}

const key = (texts) => new URLSearchParams(texts).toString();
const linked = () => ordered(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
const prepared = new Map(start.views.map((view) => [key(view.choice), view]));

let choice = {};
let model = null;
let generator = null;
let addresses = [];

const form = new Form($("form"), start.fields, (name, text) => choose(ordered({ ...choice, [name]: text })));

// Show the view of a choice: a prepared one at once, others as soon as Python answers.
function choose(wanted) {
  choice = wanted;
  const known = prepared.get(key(choice));
  if (known) show(known);
  else {
    $("result").setAttribute("aria-busy", "true");
    compute(choice);
  }
}

const compute = newest(async (wanted) => {
  try {
    const view = await model.call("view", wanted);
    if (key(wanted) === key(choice)) show(view);
  } catch (error) {
    failed(error);
  }
});

function show(view) {
  choice = view.choice;
  history.replaceState(null, "", `#${key(choice)}`);
  $("result").removeAttribute("aria-busy");
  form.show(view);
  showView(view);
  stop();
  clearFiles();
  respond();
}

function failed(error) {
  $("python").textContent = `Python failed: ${error.message}`;
  $("python").classList.add("problem");
}

const compose = newest(async (wanted, text, hex) => {
  try {
    showAnswer(await model.call("answer", wanted, text, hex));
    $("answer").removeAttribute("aria-busy");
  } catch (error) {
    failed(error);
  }
});

function respond() {
  $("answer").setAttribute("aria-busy", "true");
  compose(choice, $("packet").value, document.querySelector("[name=form]:checked").value === "hex");
}

function clearFiles() {
  addresses.forEach(URL.revokeObjectURL);
  addresses = [];
  $("files").replaceChildren();
  $("progress").textContent = "";
}

let run = 0;
let clock = null;

async function generate() {
  stop();
  clearFiles();
  const mine = ++run;
  const began = performance.now();
  let step = "Loading Python…";
  const seconds = () => Math.round((performance.now() - began) / 1000);
  generator ??= new Python(() => {});
  generator.watch = (stage) => { step = stage; $("progress").textContent = step; };
  clock = setInterval(() => { $("cancel").textContent = `Cancel (${seconds()} s)`; }, 1000);
  $("cancel").hidden = false;
  $("generate").disabled = true;
  $("progress").textContent = step;
  $("cancel").focus();
  try {
    const made = await generator.call("generate", choice);
    if (mine !== run) return;
    showFiles(made, addresses);
    $("files").scrollIntoView({ block: "nearest" });
    $("progress").textContent = `Generated in ${((performance.now() - began) / 1000).toFixed(1)} s.`;
  } catch (error) {
    if (mine !== run) return;
    generator.end();
    generator = null;
    $("progress").textContent = `Not generated: ${error.message}`;
  }
  idle();
}

function idle() {
  const focused = document.activeElement === $("cancel");
  clearInterval(clock);
  clock = null;
  $("cancel").hidden = true;
  $("cancel").textContent = "Cancel";
  $("generate").disabled = false;
  if (focused) $("generate").focus();
}

// End a generation that runs, together with its worker.
function stop() {
  if (clock === null) return;
  run++;
  generator.end();
  generator = null;
  idle();
}

$("generate").addEventListener("click", generate);
$("cancel").addEventListener("click", () => { stop(); $("progress").textContent = "Cancelled."; });
$("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText($("command").textContent);
    $("copy").textContent = "Copied";
  } catch { // the browser does not allow it
    getSelection().selectAllChildren($("command"));
    $("copy").textContent = "Selected";
  }
  setTimeout(() => { $("copy").textContent = "Copy"; }, 2000);
});
$("packet").value = EXAMPLE;
$("try").addEventListener("input", respond);
addEventListener("hashchange", () => choose(linked()));

// What is prepared is on the screen before Python is loaded: the link's core, if not all of its options.
const wanted = linked();
const like = (view) => ["core", "from", "to", "encoding"].every((name) => view.choice[name] === wanted[name]);
const first = prepared.get(key(wanted)) ?? start.views.find(like) ?? prepared.get("core=validator&lanes=8");
$("version").textContent = `runewire ${start.version}`;
form.show(first);
showView(first);
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
performance.mark("first view");
model = new Python((stage) => { $("python").textContent = stage; });
model.ready.then(() => { $("python").textContent = "Ready. Everything is computed in this page."; }, failed);
choose(location.hash ? linked() : first.choice);
