// Measures the memory map in the published page: node bench_map.mjs --dist DIR --dump FILE [--dump FILE …]
//
// A frame is the time from an input event (made by DevTools) to the end of its `putImageData`, on a canvas of 1920 ×
// 1080 pixels, at fit, 10 × and 1000 ×. The same picture by one `fillRect` a box is timed in the same run. A JSON
// object a line, as `cargo xtask bench` wants them. Environment: CHROMIUM, the browser.

import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { launch } from "./browser.mjs";
import { PATIENCE, hook, serve } from "./support.mjs";

const { values: args } = parseArgs({ options: { dist: { type: "string" }, dump: { type: "string", multiple: true } } });
const FRAMES = 60;
const CANVAS = hook("memory-map");

const tell = (row) => console.log(JSON.stringify(row));
const judge = (name, most, measured, unit) => tell({ name, target: `≤ ${most} ${unit}`, measured, unit, pass: measured <= most });
const percentile = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];

/** In the page: when input came, and when pictures were there. */
function watch() {
  globalThis.frames = [];
  globalThis.pictures = 0;
  let since = null;
  addEventListener("wheel", (event) => (since ??= event.timeStamp), { capture: true, passive: true });
  const put = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function (...given) {
    put.apply(this, given);
    if (this.canvas.dataset.hook !== "memory-map") return;
    const now = performance.now();
    pictures += 1;
    if (since !== null) frames.push([since, now]);
    since = null;
  };
}

/** Boxes of a dump as numbers between 0 and 1: left, bottom, width, height. */
function boxesOf(file) {
  const text = fs.readFileSync(file, "latin1");
  const row = /^%\d+T\t#(\d+)S\t#\d+S\t&(\d+)\t\w+\t\w+\t(\d+)\t(\d+)/gm;
  const rows = [];
  let [steps, top] = [1, 1];
  for (const [, size, offset, first, last] of text.matchAll(row)) {
    if (size === "0") continue;
    rows.push([+first, +offset, +last - first + 1, +size]);
    steps = Math.max(steps, +last + 1);
    top = Math.max(top, +offset + +size);
  }
  const boxes = new Float32Array(rows.length * 4);
  rows.forEach(([x, y, w, h], i) => boxes.set([x / steps, y / top, w / steps, h / top], i * 4));
  return boxes;
}

const browser = await launch();
const site = await serve(path.resolve(args.dist), "/map/");
try {
  for (const dump of args.dump) {
    const boxes = boxesOf(dump);
    const count = boxes.length / 4;
    const million = count > 500_000;
    const of = `map of ${million ? "1M" : `${Math.round(count / 1000)}k`}`;
    const [most, first] = million ? [16, 300] : [8, 300];
    const page = await browser.newPage({ viewport: { width: 2440, height: 1500 } });
    page.setDefaultTimeout(PATIENCE * 5);
    await page.addInitScript(watch);
    await page.goto(site.url);
    await page.waitForSelector("body[data-state]");
    await page.setInputFiles(`input${hook("open")}`, dump);
    await page.waitForSelector("body[data-state=ready]");
    // Other work of opening is done when the judgement is there.
    await page.waitForSelector(`${hook("verdict")}[data-value]`);
    const size = { width: "1990px", height: "1100px" };
    await page.$eval(".map-box", (box, size) => Object.assign(box.style, size), size);
    const opened = await page.evaluate(async (canvas) => {
      const started = performance.now();
      document.querySelector("[data-tab=map]").click();
      while (!pictures) await new Promise(requestAnimationFrame);
      return performance.now() - started;
    }, CANVAS);
    judge(`${of}: first picture`, first, opened, "ms");
    const pixels = await page.$eval(CANVAS, (canvas) => [canvas.width, canvas.height]);
    if (pixels.join() !== "1920,1080") throw new Error(`the canvas has ${pixels} pixels`);
    await page.$eval(CANVAS, (canvas) => canvas.scrollIntoView({ block: "center" }));
    const box = await page.locator(CANVAS).boundingBox();
    const cdp = await page.context().newCDPSession(page);
    const at = { x: box.x + box.width * 0.4, y: box.y + box.height * 0.6 };
    const turn = (deltaY) => cdp.send("Input.dispatchMouseEvent", { type: "mouseWheel", ...at, deltaX: 0, deltaY });
    const told = () => page.evaluate(() => pictures);
    for (const zoom of [1, 10, 1000]) {
      await page.click("[data-map=fit]");
      // One turn of 300 zooms by e^0.66.
      for (let i = 0; i < Math.round(Math.log(zoom) / 0.66); i += 1) await turn(-300);
      await page.waitForTimeout(1500);
      await page.evaluate(() => (frames.length = 0));
      const start = await told();
      for (let i = 0; i < FRAMES; i += 1) {
        const before = await told();
        await turn(i % 2 ? 40 : -40);
        await page.waitForFunction((n) => pictures > n, before);
      }
      const frames = await page.evaluate(() => frames);
      if ((await told()) - start < FRAMES) throw new Error("pictures are missing");
      const times = frames.map(([from, to]) => to - from);
      judge(`${of}: frame at ${zoom} ×, p95`, most, percentile(times, 0.95), "ms");
      if (million) judge(`${of}: longest frame at ${zoom} ×`, 50, Math.max(...times), "ms");
    }
    await page.click("[data-map=fit]");
    await page.waitForTimeout(1500);
    const hovers = [];
    for (let i = 0; i < 40; i += 1) {
      hovers.push(
        await page.evaluate(
          async ([canvas, x, y]) => {
            const target = document.querySelector(canvas);
            const out = document.querySelector("#map-readout");
            const done = new Promise((resolve) => new MutationObserver(resolve).observe(out, { childList: true }));
            const started = performance.now();
            const box = target.getBoundingClientRect();
            const place = { clientX: box.x + x, clientY: box.y + y };
            target.dispatchEvent(new PointerEvent("pointermove", { ...place, bubbles: true }));
            await done;
            return performance.now() - started;
          },
          [CANVAS, 40 + i * 37, 100 + i * 17],
        ),
      );
    }
    judge(`${of}: hover, p95`, 5, percentile(hovers, 0.95), "ms");
    const bytes = Buffer.from(boxes.buffer).toString("base64");
    const slow = await page.evaluate(async (bytes) => {
      const boxes = new Float32Array(Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer);
      const canvas = new OffscreenCanvas(1920, 1080);
      const context = canvas.getContext("2d");
      const colours = ["#2f7fc1", "#e69f00", "#009e73", "#7dc4ee", "#d55e00", "#8a6d3b", "#d9cb2e", "#a3acb6"];
      const started = performance.now();
      for (let i = 0; i < boxes.length; i += 4) {
        context.fillStyle = colours[(i / 4) % 8];
        const [x, y, w, h] = boxes.subarray(i, i + 4);
        context.fillRect(x * 1920, (1 - y - h) * 1080, w * 1920, h * 1080);
      }
      context.getImageData(0, 0, 1, 1);
      return performance.now() - started;
    }, bytes);
    tell({ name: `${of}: the same by fillRect`, measured: slow, unit: "ms" });
    await page.close();
  }
} finally {
  await browser.close();
  await site.close();
}
