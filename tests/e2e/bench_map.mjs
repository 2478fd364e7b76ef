// Measures the memory map in the published page: node bench_map.mjs --dist DIR --dump FILE [--dump FILE …]
//
// Input comes from DevTools, on a canvas of 1920 × 1080 pixels, at fit, 10 × and 1000 ×. A frame begins when the page
// gets the event and ends with its `putImageData`. A browser keeps turns of the wheel and moves of the pointer back until
// its next frame, two of them when it is busy, and keys while it draws, whatever the page does: the time since the event
// was made is told beside it, and so is the least that any page can do, by one that does nothing but fill a picture and
// show it. The same picture by one `fillRect` a box is timed in the same run. A JSON object a line, as
// `cargo xtask bench` wants them. Environment: CHROMIUM, the browser.

import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { launch } from "./browser.mjs";
import { PATIENCE, hook, serve } from "./support.mjs";

const { values: args } = parseArgs({ options: { dist: { type: "string" }, dump: { type: "string", multiple: true } } });
/** So many that a pause of the browser's own, which there is now and then, does not make the 95th of 100. */
const FRAMES = 160;
const CANVAS = hook("memory-map");

const tell = (row) => console.log(JSON.stringify(row));
const judge = (name, most, measured, unit) => tell({ name, target: `≤ ${most} ${unit}`, measured, unit, pass: measured <= most });
const percentile = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];

/** In the page: when input was made and came, and when pictures were there. */
function watch() {
  globalThis.frames = [];
  globalThis.pictures = 0;
  let since = null;
  const heard = (event) => (since ??= [event.timeStamp, performance.now()]);
  for (const name of ["wheel", "keydown"]) addEventListener(name, heard, { capture: true, passive: true });
  addEventListener("pointermove", (event) => event.buttons && heard(event), { capture: true });
  const put = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function (...given) {
    put.apply(this, given);
    if (this.canvas.dataset.hook !== "memory-map") return;
    const now = performance.now();
    pictures += 1;
    if (since !== null) frames.push({ made: now - since[0], came: now - since[1] });
    since = null;
  };
}

/** A page that has nothing to do: every event fills a picture and shows it. */
const BARE = `<canvas data-hook="memory-map" tabindex="0" width="1920" height="1080" style="width: 1920px"></canvas>
  <script>
    const canvas = document.querySelector("canvas");
    const [context, image] = [canvas.getContext("2d"), new ImageData(1920, 1080)];
    const show = (event) => {
      event.preventDefault();
      new Uint32Array(image.data.buffer).fill(0xff000000 | (Math.random() * 0xffffff));
      context.putImageData(image, 0, 0);
    };
    for (const name of ["wheel", "keydown"]) canvas.addEventListener(name, show, { passive: false });
  </script>`;

const VIEWPORT = { viewport: { width: 2440, height: 1500 } };

/** Turns the wheel, drags, or presses keys, until there are frames enough; gives their times. */
async function framesBy(kind, page, cdp, at) {
  const told = () => page.evaluate(() => pictures);
  const key = (letter) => ({ key: letter, code: `Key${letter.toUpperCase()}`, windowsVirtualKeyCode: letter.toUpperCase().charCodeAt(0) });
  const mouse = (type, more) => cdp.send("Input.dispatchMouseEvent", { type, ...at, ...more });
  const held = { button: "left", buttons: 1 };
  if (kind === "key") await page.focus(CANVAS);
  if (kind === "drag") {
    await mouse("mouseMoved");
    await mouse("mousePressed", { ...held, clickCount: 1 });
    // Farther than a click's slack, and back: what follows are moves of a drag.
    await mouse("mouseMoved", { ...held, x: at.x + 30 });
    await page.waitForTimeout(100);
  }
  await page.evaluate(() => (frames.length = 0));
  for (let i = 0; i < FRAMES; i += 1) {
    const before = await told();
    if (kind === "key") {
      await cdp.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key(i % 2 ? "s" : "w") });
      await cdp.send("Input.dispatchKeyEvent", { type: "keyUp", ...key(i % 2 ? "s" : "w") });
    } else if (kind === "drag") {
      await mouse("mouseMoved", { ...held, x: at.x + (i % 2 ? 60 : 20), y: at.y + 5 + i });
    } else {
      await mouse("mouseWheel", { deltaX: 0, deltaY: i % 2 ? 40 : -40 });
    }
    await page.waitForFunction((n) => pictures > n, before);
  }
  if (kind === "drag") await mouse("mouseReleased", { button: "left", clickCount: 1 });
  const frames = await page.evaluate(() => frames);
  if (frames.length < FRAMES) throw new Error("pictures are missing");
  return frames;
}

/** The least that a page can do. */
async function floor(browser) {
  const page = await browser.newPage(VIEWPORT);
  await page.setContent(BARE);
  await page.evaluate(watch);
  const cdp = await page.context().newCDPSession(page);
  for (const kind of ["wheel", "key"]) {
    const frames = await framesBy(kind, page, cdp, { x: 800, y: 600 });
    for (const from of ["made", "came"]) {
      const measured = percentile(frames.map((f) => f[from]), 0.95);
      tell({ name: `bare page: frame by ${kind} since it ${from === "made" ? "was made" : "came"}, p95`, measured, unit: "ms" });
    }
  }
  await page.close();
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
  await floor(browser);
  for (const dump of args.dump) {
    const boxes = boxesOf(dump);
    const count = boxes.length / 4;
    const million = count > 500_000;
    const of = `map of ${million ? "1M" : `${Math.round(count / 1000)}k`}`;
    const [most, first] = million ? [16, 300] : [8, 300];
    const page = await browser.newPage(VIEWPORT);
    page.setDefaultTimeout(PATIENCE * 5);
    await page.addInitScript(watch);
    await page.goto(site.url);
    await page.waitForSelector("body[data-state]");
    await page.setInputFiles(`input${hook("open")}`, dump);
    await page.waitForSelector("body[data-state=ready]");
    // Other work of opening is done when the judgement is there.
    await page.waitForSelector(`${hook("verdict")}[data-value]`);
    const size = { width: "2004px", height: "1100px" };
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
    const exact = () => page.waitForSelector(`${CANVAS}[data-quick=false]`);
    let fit = 0;
    for (const zoom of [1, 10, 1000]) {
      await page.click("[data-map=fit]");
      // One turn of 300 zooms by e^0.66.
      for (let i = 0; i < Math.round(Math.log(zoom) / 0.66); i += 1) await turn(-300);
      await page.waitForTimeout(700);
      await exact();
      // All of the map has nowhere to be dragged to.
      for (const kind of zoom === 1 ? ["wheel", "key"] : ["wheel", "key", "drag"]) {
        const frames = await framesBy(kind, page, cdp, at);
        const times = frames.map((f) => f.came);
        const frame = percentile(times, 0.95);
        if (zoom === 1 && kind === "wheel") fit = frame;
        judge(`${of}: frame at ${zoom} × by ${kind}, p95`, most, frame, "ms");
        if (million) judge(`${of}: longest frame at ${zoom} × by ${kind}`, 50, Math.max(...times), "ms");
        const measured = percentile(frames.map((f) => f.made), 0.95);
        tell({ name: `${of}: frame at ${zoom} × by ${kind} since it was made, p95`, measured, unit: "ms" });
        await exact();
      }
    }
    await page.click("[data-map=fit]");
    await page.waitForTimeout(700);
    await exact();
    await page.evaluate(() => {
      globalThis.told = null;
      let came = null;
      addEventListener("pointermove", () => (came = performance.now()), { capture: true });
      new MutationObserver(() => (told = performance.now() - came)).observe(document.querySelector("#map-readout"), { childList: true });
    });
    const rest = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(() => done()))));
    for (const rests of [true, false]) {
      const hovers = [];
      for (let i = 0; i < FRAMES; i += 1) {
        if (rests) for (let n = 0; n < 3; n += 1) await rest();
        await page.evaluate(() => (told = null));
        const to = { x: box.x + 40 + (i % 60) * 29, y: box.y + 100 + (i % 60) * 15 + (rests ? 0 : 7) };
        await cdp.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...to });
        hovers.push(await page.waitForFunction(() => told).then((value) => value.jsonValue()));
      }
      const measured = percentile(hovers, 0.95);
      if (rests) judge(`${of}: hover, p95`, 5, measured, "ms");
      else tell({ name: `${of}: hover while the browser draws the one before, p95`, measured, unit: "ms" });
    }
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
    tell({ name: `${of}: fillRect / frame at 1 × by wheel`, measured: slow / fit, unit: "x" });
    await page.close();
  }
} finally {
  await browser.close();
  await site.close();
}
