// Measures the module in a browser: node bench.mjs --module DIR --dump FILE
//
// DIR holds `app.js` and `app_bg.wasm`, built with the feature `bench`. Environment: CHROMIUM, the browser. What it
// measured goes to standard output, a JSON object a line; only the memory has a target of its own.

import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { parseArgs } from "node:util";

import { launch } from "./browser.mjs";

/** Bytes handed to the module at a time, as the page does. */
const PIECE = 8 << 20;
const WARM_UPS = 2;
const RUNS = 5;

const { values: args } = parseArgs({ options: { module: { type: "string" }, dump: { type: "string" } } });
const dump = fs.openSync(args.dump, "r");
const { size } = fs.fstatSync(dump);

/** In a worker: `resident` times the dump in the module's memory, `streamed` tells what memory reading it takes. */
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
onmessage = async ({ data: task }) => {
  try {
    const module = await WebAssembly.compileStreaming(fetch("app_bg.wasm"));
    postMessage(await tasks[task](wasm_bindgen.initSync({ module })));
  } catch (error) {
    postMessage({ error: String(error.stack ?? error) });
  }
};
`;

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://host");
  const send = (type, content) => response.writeHead(200, { "content-type": type }).end(content);
  if (pathname === "/") return send("text/html", "<!doctype html>");
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
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
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
          worker.postMessage(task);
        }),
      task,
    );
    if (result.error) throw new Error(`${task}: ${result.error}`);
    return result;
  };

  const streamed = await run("streamed");
  const resident = await run("resident");
  if (!resident.tensors || resident.tensors !== streamed.tensors) {
    throw new Error(`${resident.tensors} tensors at once, ${streamed.tensors} in pieces`);
  }
  console.log(`${size} bytes, ${resident.lines} lines, ${resident.tensors} tensors`);
  const tell = (row) => console.log(JSON.stringify(row));
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
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
