// Measures in a browser: node bench.mjs --module DIR --page DIR --dump FILE --small FILE [--only TEXT]
//
// The folder of the module holds `app.js` and `app_bg.wasm`, built with the feature `bench`, that of the page what
// `cargo xtask dist` makes. The dumps are of 1,000,000 and of 20,000 tensors. `--only` runs the targets whose word
// (`reading`, and those of bench-page.mjs) contains TEXT. Environment: CHROMIUM, the browser. What it measured goes to
// standard output, a JSON object a line.

import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { parseArgs } from "node:util";

import { Bench, plainParse, TARGETS } from "./bench-page.mjs";
import { launch } from "./browser.mjs";
import { serve } from "./support.mjs";

/** Bytes handed to the module at a time, as the page does. */
const PIECE = 8 << 20;
const WARM_UPS = 2;
const RUNS = 5;

const options = Object.fromEntries(["module", "page", "dump", "small", "only"].map((name) => [name, { type: "string" }]));
const { values: args } = parseArgs({ options });
const dump = fs.openSync(args.dump, "r");
const { size } = fs.fstatSync(dump);

/**
 * In a worker: `resident` times the dump in the module's memory, `streamed` tells what memory reading it takes; `floor`
 * and `plain` are what the page's own time is compared with, given the file itself.
 */
const WORKER = `
importScripts("app.js");
const piece = async (at) => new Uint8Array(await (await fetch("dump?at=" + at)).arrayBuffer());
const best = (run) => {
  let seconds = Infinity;
  for (let i = 0; i < ${WARM_UPS + RUNS}; i += 1) {
    const started = performance.now();
    run();
    if (i >= ${WARM_UPS}) seconds = Math.min(seconds, (performance.now() - started) / 1000);
  }
  return seconds;
};
const tasks = {
  async resident() {
    const dump = new wasm_bindgen.ResidentDump(${size});
    for (let at = 0; at < ${size}; at += ${PIECE}) if (!dump.fill(at, await piece(at))) throw new Error("does not fit");
    return { tensors: dump.parse(), lines: dump.scan(), parse: best(() => dump.parse()), scan: best(() => dump.scan()) };
  },
  async streamed(wasm) {
    const dump = new wasm_bindgen.StreamedDump(${size});
    for (let at = 0; at < ${size}; at += ${PIECE}) dump.push(await piece(at));
    return { tensors: dump.finish(), memory: wasm.memory.buffer.byteLength };
  },
};
const plainParse = ${plainParse};
const timed = async (run) => {
  const started = performance.now();
  await run();
  return performance.now() - started;
};
tasks.floor = async (_, file) => {
  let bytes;
  const read = await timed(async () => (bytes = await file.arrayBuffer()));
  const dump = new wasm_bindgen.ResidentDump(${size});
  if (!dump.fill(0, new Uint8Array(bytes))) throw new Error("does not fit");
  return { read, scan: await timed(() => dump.scan()) };
};
tasks.plain = async (_, file) => {
  let parsed;
  const all = await timed(async () => (parsed = await plainParse(file)));
  return { ...parsed, all };
};
onmessage = async ({ data: { task, file } }) => {
  try {
    const module = await WebAssembly.compileStreaming(fetch("app_bg.wasm"));
    postMessage(await tasks[task](wasm_bindgen.initSync({ module }), file));
  } catch (error) {
    postMessage({ error: String(error.stack ?? error) });
  }
};
`;

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://host");
  const send = (type, content) => response.writeHead(200, { "content-type": type }).end(content);
  if (pathname === "/") return send("text/html", "<!doctype html><input type=file>");
  if (pathname === "/worker.js") return send("text/javascript", WORKER);
  if (pathname === "/app.js") return send("text/javascript", fs.readFileSync(path.join(args.module, "app.js")));
  if (pathname === "/app_bg.wasm") return send("application/wasm", fs.readFileSync(path.join(args.module, "app_bg.wasm")));
  if (pathname !== "/dump") return response.writeHead(404).end();
  const at = Number(searchParams.get("at"));
  const piece = Buffer.alloc(Math.min(PIECE, size - at));
  fs.readSync(dump, piece, 0, piece.length, at);
  return send("application/octet-stream", piece);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const browser = await launch();
const site = await serve(path.resolve(args.page), "/");
const tell = (row) => console.log(JSON.stringify(row));
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.setInputFiles("input", path.resolve(args.dump));
  /** Each task has a worker, so an instance of the module, of its own. */
  const run = async (task) => {
    const result = await page.evaluate(
      (task) =>
        new Promise((resolve, reject) => {
          const worker = new Worker("worker.js");
          worker.onerror = (event) => reject(new Error(event.message));
          worker.onmessage = ({ data }) => {
            worker.terminate();
            resolve(data);
          };
          worker.postMessage({ task, file: document.querySelector("input").files[0] });
        }),
      task,
    );
    if (result.error) throw new Error(`${task}: ${result.error}`);
    return result;
  };

  const [big, little] = [args.dump, args.small].map((file) => path.resolve(file));
  const bench = new Bench({ browser, url: site.url, big, small: little, tell, compare: run });
  const targets = { reading: () => reading(run), ...TARGETS };
  for (const [word, target] of Object.entries(targets)) if (word.includes(args.only ?? "")) await target(bench);
  await bench.close();
} finally {
  await browser.close();
  await site.close();
  server.closeAllConnections();
  server.close();
}

/** How fast the module reads, and in how much memory. */
async function reading(run) {
  const streamed = await run("streamed");
  const resident = await run("resident");
  if (!resident.tensors || resident.tensors !== streamed.tensors) {
    throw new Error(`${resident.tensors} tensors at once, ${streamed.tensors} in pieces`);
  }
  console.log(`${size} bytes, ${resident.lines} lines, ${resident.tensors} tensors`);
  tell({ name: "wasm seconds", measured: resident.parse, unit: "s" });
  tell({ name: "wasm parse + resolve / newline scan", measured: resident.parse / resident.scan, unit: "x" });
  const most = 1.3 * size + 50e6;
  tell({
    name: "wasm memory",
    target: `<= ${Math.round(most / 1e6)} MB (1.3 x file + 50 MB)`,
    measured: streamed.memory / 1e6,
    unit: "MB",
    pass: streamed.memory <= most,
  });
}
