// What every test uses: fixtures, a web server, pages that notice when the page complains, and readers of the hooks.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const DATA = path.join(ROOT, "tests/data");

/** How long the page may take for anything; the slowest machine decides, not the page. */
export const PATIENCE = 60_000;

export const hook = (name) => `[data-hook=${name}]`;

// ---- claims ----

export class Failed extends Error {}

export function check(holds, claim) {
  if (!holds) throw new Failed(claim);
}

export function equal(found, expected, what) {
  const [a, b] = [found, expected].map((value) => JSON.stringify(value));
  if (a !== b) throw new Failed(`${what}: expected ${brief(b)}, found ${brief(a)}`);
}

const brief = (text) => (text !== undefined && text.length > 600 ? `${text.slice(0, 600)}…` : text);

// ---- fixtures ----

export const dataFile = (...parts) => path.join(DATA, ...parts);

/** The text of a dump, unpacked. */
export function textOf(file) {
  const bytes = fs.readFileSync(file);
  return (file.endsWith(".gz") ? zlib.gunzipSync(bytes) : bytes).toString("utf8");
}

/** A file for `setInputFiles` that exists only in memory. */
export const made = (name, content) => ({ name, mimeType: "", buffer: Buffer.from(content) });

/** A file of the disk as one in memory: the two kinds cannot be opened together. */
export const inMemory = (file) => made(path.basename(file), fs.readFileSync(file));

/** Every dump with an independent calculation beside it: `{ name, file, expected }`. */
export function expectations() {
  const all = [];
  const add = (file, expected) => all.push({ name: path.relative(DATA, file), file, expected });
  for (const group of ["dumps", "generations"]) {
    for (const entry of fs.readdirSync(dataFile(group), { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const dir = dataFile(group, entry.name);
      for (const name of fs.readdirSync(dir).sort()) {
        if (!/^expected(_\d+)?\.json$/.test(name)) continue;
        const value = JSON.parse(fs.readFileSync(path.join(dir, name), "utf8"));
        if (value.counts) {
          const number = name.match(/_(\d+)\.json$/)?.[1];
          add(path.join(dir, number ? `Ascend_somas_tensor_offset_${number}.ir` : "dump.ir"), value);
          continue;
        }
        for (const [dump, facts] of Object.entries(value)) {
          const plain = path.join(dir, dump.replace(/\.gz$/, ""));
          add(fs.existsSync(plain) ? plain : `${plain}.gz`, facts);
        }
      }
    }
  }
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The one expectation whose path contains `part`. */
export function expectation(part) {
  const found = expectations().filter((e) => e.name.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} fixtures are called ${part}`);
  return found[0];
}

/** A plan of that many nodes (two tensors each, nearly), made once; the one of the benches where that is as large. */
export function madePlan(nodes) {
  const target = process.env.CARGO_TARGET_DIR ?? path.join(ROOT, "target");
  const bench = path.join(target, "bench/plan-1m.ir");
  if (nodes <= 583_000 && fs.existsSync(bench)) return bench;
  const file = path.join(target, `e2e/plan-${nodes / 1000}k.ir`);
  if (fs.existsSync(file)) return file;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const part = file.replace(/ir$/, "part.ir");
  execFileSync("python3", [path.join(ROOT, "tests/makers/make_ascend.py"), "--nodes", String(nodes), "--seed", "1", "--out", part]);
  fs.renameSync(part, file);
  return file;
}

export const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Whether a text is that many bytes as the page shows them: four significant digits, KB = 1024 B. */
export function isFigure(text, bytes) {
  if (bytes < 1024) return text === `${bytes} B`;
  const [, digits, decimals, unit] = text.match(/^(\d+(?:\.(\d+))?) ([KMGTP])B$/) ?? [];
  if (!digits || digits.replace(".", "").length !== 4) return false;
  const size = 1024 ** (" KMGTP".indexOf(unit));
  // Halves may be rounded either way.
  const half = 0.5 / 10 ** (decimals?.length ?? 0);
  return Math.abs(Number(digits) - bytes / size) <= half * (1 + 1e-9);
}

// ---- a web server ----

const TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  wasm: "application/wasm",
  ir: "text/plain; charset=utf-8",
  md: "text/plain; charset=utf-8",
};

/**
 * Serves a folder under the path `base` of a new origin. `edit(name, content)` may change a file on the way.
 * `requests` lists everything that arrives, WebSocket upgrades too; other paths than those of `dir` give 404.
 */
export async function serve(dir, base, edit = (_, content) => content) {
  const requests = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume();
    const { pathname } = new URL(request.url, "http://host");
    const name = pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) || "index.html" : "";
    const file = dir && name ? path.join(dir, name) : "";
    if (!file || !file.startsWith(dir + path.sep) || !fs.statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404, { "content-type": "text/plain", "access-control-allow-origin": "*" });
      return response.end("nothing here");
    }
    const type = TYPES[path.extname(file).slice(1)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
    response.end(edit(name, fs.readFileSync(file)));
  });
  server.on("upgrade", (request, socket) => {
    requests.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { origin, url: origin + base, requests, close };
}

// ---- pages ----

/** What one test works with; ends everything it started, and knows what the pages complained about. */
export class Lab {
  #contexts = [];
  #sites = [];
  #scratch;
  complaints = [];

  constructor({ browser, site, dist, base, cli }) {
    Object.assign(this, { browser, site, dist, base, cli });
  }

  /** A file in a folder that goes when the test ends. */
  scratch(name, content) {
    this.#scratch ??= fs.mkdtempSync(path.join(os.tmpdir(), "somascope-e2e-"));
    const file = path.join(this.#scratch, name);
    fs.writeFileSync(file, content);
    return file;
  }

  /** Another origin, see `serve`. */
  async serve(...args) {
    const site = await serve(...args);
    this.#sites.push(site);
    return site;
  }

  /**
   * The page, loaded and empty. `options` are those of a browser context, and `url`, and
   * `complaints: "expected"` where a test makes the browser refuse something; `state` is the one it comes to.
   */
  async page({ url = this.site.url, complaints, state = "empty", ...options } = {}) {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 900 },
      locale: "en-US",
      colorScheme: "light",
      ...options,
    });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    if (complaints !== "expected") this.#listen(page);
    await page.addInitScript(() => {
      // Every state the page has been in, so that a short one is not missed.
      const states = (globalThis.states = []);
      const look = () => {
        const state = document.body?.dataset.state;
        if (state && states.at(-1) !== state) states.push(state);
      };
      new MutationObserver(look).observe(document, { subtree: true, attributeFilter: ["data-state"] });
    });
    await page.goto(url);
    await page.waitForSelector("body[data-state]");
    equal(await stateOf(page), state, "state of a page just loaded");
    return page;
  }

  #listen(page) {
    const complain = (what) => this.complaints.push(what);
    page.on("console", (message) => {
      if (!["log", "info", "debug"].includes(message.type())) complain(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complain(`page error: ${error.message}`));
    page.on("crash", () => complain("the page crashed"));
    page.on("requestfailed", (request) => complain(`request failed: ${request.url()}`));
    page.on("dialog", async (dialog) => {
      complain(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
  }

  async close() {
    await Promise.all(this.#contexts.map((context) => context.close()));
    await Promise.all(this.#sites.map((site) => site.close()));
    if (this.#scratch) fs.rmSync(this.#scratch, { recursive: true });
  }
}

export const stateOf = (page) => page.evaluate(() => document.body.dataset.state);

/** Does something that makes the page load, and waits until it is done; gives the state after. */
export async function settled(page, action) {
  const before = await page.evaluate(() => states.length);
  await action();
  await page.waitForFunction((n) => states.length > n && states.at(-1) !== "loading", before, { timeout: PATIENCE });
  return stateOf(page);
}

/** Opens files through the file input. */
export const open = (page, files) => settled(page, () => page.setInputFiles(`input${hook("open")}`, files));

/** Opens files that must give a graph. */
export async function openReady(page, files) {
  equal(await open(page, files), "ready", "state after opening");
}

/** Files and folders dropped by the browser itself, as from a file manager. */
export async function dropPaths(page, paths) {
  const box = await page.locator(hook("drop")).boundingBox();
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  const cdp = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    const at = { x: box.x + box.width / 2, y: box.y + Math.min(box.height, 600) / 2 };
    await cdp.send("Input.dispatchDragEvent", { type, ...at, data });
  }
  await cdp.detach();
}

/** Files made in the page and dropped by an event made in the page. */
export const dropMade = (page, files) =>
  page.evaluate(
    ([target, files]) => {
      const dataTransfer = new DataTransfer();
      for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
      const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector(target).dispatchEvent(event);
    },
    [hook("drop"), files],
  );

/** Pastes a text as the keyboard would. */
export const paste = (page, text) =>
  page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);

// ---- what the page shows ----

/** All facts: `{ KEY: { value, text, seen } }`; a key that is there twice must say the same twice. */
export async function factsOf(page) {
  const list = await page.$$eval("[data-fact]", (all) =>
    all.map((e) => ({
      key: e.dataset.fact,
      value: e.dataset.value,
      text: e.innerText.trim(),
      seen: e.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    })),
  );
  const facts = {};
  for (const { key, ...fact } of list) {
    if (facts[key]) equal(fact.value, facts[key].value, `fact ${key}, shown twice`);
    facts[key] = fact;
  }
  return facts;
}

export async function valueOf(page, key) {
  return (await factsOf(page))[key]?.value;
}

/** Errors, warnings and notes: `{ code, text, seen }`; those of a plan may be folded away. */
export const messagesOf = (page) =>
  page.$$eval(`${hook("errors")} [data-code]`, (all) =>
    all.map((e) => {
      const seen = e.checkVisibility();
      return { code: e.dataset.code, text: (seen ? e.innerText : e.textContent).trim(), seen };
    }),
  );

/** The texts of all visible text nodes, with the names of their elements. */
export const visibleTexts = (page) =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.trim();
      const element = node.parentElement;
      if (text && element.checkVisibility({ visibilityProperty: true }) && !/^(SCRIPT|STYLE|NOSCRIPT)$/.test(element.tagName)) {
        texts.push(text);
      }
    }
    return texts;
  });

/** Ids of all rows of a table that shows only the rows in sight, by scrolling through it. */
export async function allRows(page, table) {
  const body = `[data-table=${table}]`;
  return page.evaluate(async (selector) => {
    const table = document.querySelector(selector);
    let box = table.parentElement;
    while (box.parentElement && getComputedStyle(box).overflowY === "visible") box = box.parentElement;
    const rows = () => [...table.querySelectorAll("[data-row]")].map((e) => e.dataset.row);
    const found = [];
    const take = () => {
      for (const row of rows()) if (!found.includes(row)) found.push(row);
    };
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const inSight = () => {
      if (box.scrollHeight <= box.clientHeight) return true;
      const { top, bottom } = box.getBoundingClientRect();
      return [...table.querySelectorAll("[data-row]")].some((e) => {
        const row = e.getBoundingClientRect();
        return row.bottom > top + 40 && row.top < bottom;
      });
    };
    box.scrollTop = 0;
    for (;;) {
      const end = performance.now() + 10_000;
      do await frame();
      while (!inSight() && performance.now() < end);
      take();
      const before = box.scrollTop;
      box.scrollTop += Math.max(1, box.clientHeight / 2);
      if (box.scrollTop === before) break;
    }
    box.scrollTop = 0;
    return found;
  }, body);
}

/** Clicks a button that copies, and gives what was copied. */
export async function copied(page, button) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  // Writing takes its time: what is copied must follow what is known to be there.
  const before = `before ${performance.now()}`;
  await page.evaluate(async (before) => {
    await navigator.clipboard.writeText(before);
    while ((await navigator.clipboard.readText()) !== before) await new Promise(requestAnimationFrame);
  }, before);
  await page.click(hook(button));
  return page.evaluate(
    async ([before, patience]) => {
      for (const end = performance.now() + patience; performance.now() < end; ) {
        const text = await navigator.clipboard.readText();
        if (text !== before) return text;
        await new Promise(requestAnimationFrame);
      }
      throw new Error("nothing was copied");
    },
    [before, PATIENCE],
  );
}

/** What lies in a link, unpacked. */
export const insideOf = (link) => zlib.inflateRawSync(Buffer.from(link.split("#s=")[1], "base64url").subarray(1));

/** Reads again and again until it is as expected. */
export async function eventually(read, expected, what) {
  const end = performance.now() + 10_000;
  let found;
  do {
    found = await read();
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    // Lets the browser's events in, which `read` may look at.
    await new Promise(setImmediate);
  } while (performance.now() < end);
  equal(found, expected, what);
}

/** The tensors of a dump of 2.0 or later, read by the plainest means: `{ id, aligned, offset, first, last }`. */
export function tensorsOf(file) {
  const row = /^%(\d+)T\t#(\d+)S\t#\d+S\t&(\d+)\t\w+\t(\w+)\t(\d+)\t(\d+)/gm;
  return [...textOf(file).matchAll(row)].map(([, id, aligned, offset, lifelong, first, last]) => ({
    id: Number(id),
    aligned: Number(aligned),
    offset: Number(offset),
    first: /All|Start/.test(lifelong) ? 0 : Number(first),
    last: /All|End/.test(lifelong) ? Infinity : Number(last),
  }));
}

/** The selection: `[kind, key]`. */
export const selectionOf = (page) =>
  page.$eval(hook("selection"), (e) => [e.dataset.kind, e.dataset.key]);
