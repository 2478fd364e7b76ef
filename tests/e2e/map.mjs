// The memory map shows what the dump says, zooms, moves, tells and selects.

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const CANVAS = s.hook("memory-map");
const STEPS = LENET.expected.counts.nodes;

/** Bytes of the dump's tensors by the plainest reading; union members lie in one place. */
const TENSORS = s.tensorsOf(LENET.file).filter((t) => t.aligned > 0);

async function openMap(lab, file = LENET.file, options = {}) {
  const page = await lab.page(options);
  await s.openReady(page, file);
  await page.click("[data-tab=map]");
  await page.waitForSelector(`${CANVAS}[data-window]`);
  await page.$eval(CANVAS, (canvas) => canvas.scrollIntoView({ block: "end" }));
  return page;
}

/** What the picture that is there shows: left, right (steps), bottom, top (bytes). */
const windowOf = (page) =>
  page.$eval(CANVAS, (canvas) => canvas.dataset.window.split(" ").map(Number));

/** Does something and waits for another picture; gives its window. */
async function moved(page, action) {
  const before = await page.$eval(CANVAS, (canvas) => canvas.dataset.window);
  await action();
  await page.waitForFunction(
    ([canvas, before]) => document.querySelector(canvas).dataset.window !== before,
    [CANVAS, before],
  );
  return windowOf(page);
}

/** Where a step and a byte are on the screen. */
async function placeOf(page, step, byte) {
  const [left, right, bottom, top] = await windowOf(page);
  const box = await page.locator(CANVAS).boundingBox();
  return [
    box.x + ((step - left) / (right - left)) * box.width,
    box.y + ((top - byte) / (top - bottom)) * box.height,
  ];
}

/** Ids of the tensors that hold a byte at a step. */
const holders = (step, byte) =>
  TENSORS.filter((t) => t.first <= step && step <= t.last && t.offset <= byte && byte < t.offset + t.aligned).map((t) => `%${t.id}T`);

/** Reads the picture once; the value tells the colour at a step and a byte. */
async function coloursOf(page) {
  const [left, right, bottom, top] = await windowOf(page);
  const { width, height, data } = await page.$eval(CANVAS, (canvas) => {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d");
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    let text = "";
    for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
    return { width, height, data: btoa(text) };
  });
  const pixels = Buffer.from(data, "base64");
  return (step, byte) => {
    const x = Math.floor(((step - left) / (right - left)) * width);
    const y = Math.floor(((top - byte) / (top - bottom)) * height);
    return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
  };
}

/** Places well inside and well outside of boxes: in the middle of steps and of what is held. */
function places() {
  const top = LENET.expected.planned_total;
  const found = [];
  for (let step = 0; step < STEPS; step += Math.ceil(STEPS / 9)) {
    for (let part = 0.5; part < 40; part += 1) found.push([step, Math.floor((top * part) / 40)]);
  }
  return found;
}

const near = (a, b, most, what) => s.check(Math.abs(a - b) <= most, `${what}: ${a} and ${b}`);

export default {
  async "what is held is drawn, what is free is not"(lab) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await openMap(lab, LENET.file, { colorScheme });
      const [, right, , top] = await windowOf(page);
      s.equal(right, STEPS, "steps in sight");
      s.check(top > LENET.expected.planned_total, "the planned total is in sight");
      const colourAt = await coloursOf(page);
      const ground = colourAt(0, (top + LENET.expected.planned_total) / 2);
      const pixel = (top / (await page.$eval(CANVAS, (c) => c.height))) * 2;
      let [held, free] = [0, 0];
      for (const [step, byte] of places()) {
        const around = [byte - pixel, byte, byte + pixel].map((at) => holders(step, at).length > 0);
        if (around[0] !== around[1] || around[1] !== around[2]) continue;
        const colour = colourAt(step + 0.5, byte);
        const apart = colour.some((c, i) => Math.abs(c - ground[i]) > 12);
        s.equal(apart, around[1], `ink at step ${step}, byte ${byte} (${colour})`);
        around[1] ? (held += 1) : (free += 1);
      }
      s.check(held > 20 && free > 20, `too few places: ${held} held, ${free} free`);
    }
  },

  async "the wheel zooms around the pointer, on one axis with Ctrl or Alt"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    const at = [STEPS * 0.3, LENET.expected.planned_total * 0.6];
    const [x, y] = await placeOf(page, ...at);
    await page.mouse.move(x, y);
    const both = await moved(page, () => page.mouse.wheel(0, -300));
    s.check(both[1] - both[0] < whole[1] && both[3] - both[2] < whole[3], "both axes zoomed");
    const [nx, ny] = await placeOf(page, ...at);
    const box = await page.locator(CANVAS).boundingBox();
    near(nx, x, (1.5 / (both[1] - both[0])) * box.width, "x under the pointer");
    near(ny, y, 2, "y under the pointer");
    await page.keyboard.down("Control");
    const across = await moved(page, () => page.mouse.wheel(0, -300));
    await page.keyboard.up("Control");
    s.equal(across.slice(2), both.slice(2), "bytes after Ctrl and wheel");
    s.check(across[1] - across[0] < both[1] - both[0], "steps after Ctrl and wheel");
    await page.keyboard.down("Alt");
    const up = await moved(page, () => page.mouse.wheel(0, -300));
    await page.keyboard.up("Alt");
    s.equal(up.slice(0, 2), across.slice(0, 2), "steps after Alt and wheel");
    s.check(up[3] - up[2] < across[3] - across[2], "bytes after Alt and wheel");
    const text = await page.locator("#window-text").innerText();
    s.check(text.startsWith(`$${up[0]} … $${up[1] - 1}`), `the charts show ${text}`);
  },

  async "dragging moves, Shift and dragging zooms, and there is a way back"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    const drag = async ([x0, y0], [x1, y1]) => {
      await page.mouse.move(x0, y0);
      await page.mouse.down();
      await page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2);
      await page.mouse.move(x1, y1);
      await page.mouse.up();
    };
    const total = LENET.expected.planned_total;
    const corners = [await placeOf(page, STEPS * 0.2, total * 0.8), await placeOf(page, STEPS * 0.7, total * 0.3)];
    await page.keyboard.down("Shift");
    const zoomed = await moved(page, () => drag(...corners));
    await page.keyboard.up("Shift");
    near(zoomed[0], Math.floor(STEPS * 0.2), 1, "left");
    near(zoomed[1], Math.floor(STEPS * 0.7) + 1, 1, "right");
    near(zoomed[2], total * 0.3, total / 100, "bottom");
    near(zoomed[3], total * 0.8, total / 100, "top");
    const from = await placeOf(page, (zoomed[0] + zoomed[1]) / 2, total * 0.5);
    await moved(page, () => drag(from, [from[0] + 120, from[1] + 60]));
    await s.eventually(async () => (await windowOf(page))[3] > zoomed[3], true, "moved up");
    const panned = await windowOf(page);
    s.check(panned[0] < zoomed[0], "moved to earlier steps");
    near(panned[1] - panned[0], zoomed[1] - zoomed[0], 0, "steps in sight");
    await page.click("[data-map=back]");
    await s.eventually(() => windowOf(page), zoomed, "back");
    await page.click("[data-map=back]");
    await s.eventually(() => windowOf(page), whole, "back again");
    await page.click("[data-map=forward]");
    await s.eventually(() => windowOf(page), zoomed, "forward");
  },

  async "the keyboard zooms, moves and shows all"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    await page.focus(CANVAS);
    const press = (key) => moved(page, () => page.keyboard.press(key));
    const closer = await press("w");
    s.check(closer[1] - closer[0] < whole[1] && closer[3] - closer[2] < whole[3], "W zooms in");
    const right = await press("d");
    s.check(right[0] > closer[0] && right[3] === closer[3], "D moves right");
    const left = await press("ArrowLeft");
    s.check(left[0] < right[0], "the arrow moves left");
    const up = await press("ArrowUp");
    s.check(up[3] > left[3] && up[0] === left[0], "the arrow moves up");
    const farther = await press("-");
    s.check(farther[3] - farther[2] > up[3] - up[2], "- zooms out");
    s.equal(await press("f"), whole, "F shows all");
    await press("+");
    s.equal(await press("Home"), whole, "Home shows all");
  },

  async "the pointer is told what lies there, a click selects it"(lab) {
    const page = await openMap(lab);
    const readout = page.locator("#map-readout");
    let told = 0;
    for (const [step, byte] of places()) {
      const owners = holders(step, byte);
      if (!owners.length || told > 25) continue;
      told += 1;
      const [x, y] = await placeOf(page, step + 0.5, byte);
      await page.mouse.move(x - 40, y);
      await page.mouse.move(x, y);
      await s.eventually(
        async () => [await readout.getAttribute("data-step"), owners.includes(await readout.getAttribute("data-tensor"))],
        [String(step), true],
        `readout at step ${step}, byte ${byte} (one of ${owners})`,
      );
      await s.eventually(() => page.locator(s.hook("readout")).getAttribute("data-step"), String(step), "the charts follow");
    }
    s.check(told > 10, "too few places");
    const tensor = await readout.getAttribute("data-tensor");
    await page.mouse.down();
    await page.mouse.up();
    await s.eventually(() => s.selectionOf(page), ["tensor", tensor], "selection");
    const zoomed = await moved(page, () => page.click("[data-map=selection]"));
    const own = TENSORS.find((t) => `%${t.id}T` === tensor);
    s.check(zoomed[0] <= own.first && zoomed[1] > own.last, "its steps are in sight");
    s.check(zoomed[2] <= own.offset && zoomed[3] >= own.offset + own.aligned, "its bytes are in sight");
  },

  async "holes are measured, at the chosen step and under the pointer"(lab) {
    const page = await openMap(lab);
    const total = LENET.expected.planned_total;
    const told = () => page.locator("#map-readout").getAttribute("data-holes");
    // Blocks of 64 bytes, one after the other.
    const block = 64;
    const holesAt = (step) => {
      const held = new Uint8Array(total / block);
      for (const t of TENSORS.filter((t) => t.first <= step && step <= t.last)) {
        held.fill(1, t.offset / block, (t.offset + t.aligned) / block);
      }
      const holes = [];
      let largest = [0, 0];
      for (let i = 0, from = 0; i <= held.length; i += 1) {
        if (i < held.length && !held[i]) continue;
        if (i > from) holes.push((i - from) * block);
        if (i - from > largest[1] - largest[0]) largest = [from, i];
        from = i + 1;
      }
      const sum = holes.reduce((a, b) => a + b, 0);
      return { largest, text: `${Math.max(0, ...holes)} ${holes.length} ${sum}` };
    };
    // Nothing was chosen, so the step is that of the peak; then another one is chosen where nothing is held.
    for (const chosen of [LENET.expected.max_in_use.step, 20]) {
      const { largest, text } = holesAt(chosen);
      const [x, y] = await placeOf(page, chosen + 0.5, ((largest[0] + largest[1]) / 2) * block);
      if (chosen === 20) await page.mouse.click(x, y);
      await page.mouse.move(2, 2);
      await s.eventually(async () => [await page.locator("#map-readout").getAttribute("data-step"), await told()], [String(chosen), text], "chosen");
      // Left of the line a bracket is drawn from end to end of the largest hole, and nothing beyond it.
      const ink = (at) => page.$eval("#map-over", (canvas, [x, y]) => {
        const place = canvas.getBoundingClientRect();
        const scale = canvas.width / place.width;
        const copy = new OffscreenCanvas(5, 1).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 8 - Math.round((x - place.left) * scale), -Math.round((y - place.top) * scale));
        const { data } = copy.getImageData(0, 0, 5, 1);
        return data.some((byte, i) => i % 4 === 3 && byte > 200);
      }, at);
      await s.eventually(() => ink([x, y]), true, "a bracket beside the hole");
      const [, end] = await placeOf(page, chosen, largest[1] * block);
      s.equal(await ink([x, end - 4]), false, "no bracket beside what is held");
    }
    const step = LENET.expected.max_in_use.step;
    const { largest, text } = holesAt(step);
    const [x, y] = await placeOf(page, step + 0.5, total / 2);
    await page.mouse.move(x, y);
    await s.eventually(told, text, "largest hole, number, bytes");
    await page.waitForSelector(".map-box .hole");
    const mark = await page.locator(".map-box .hole").boundingBox();
    const [[, end], [, start]] = [await placeOf(page, step, largest[1] * block), await placeOf(page, step, largest[0] * block)];
    near(mark.x, x, 3, "the largest hole is marked at the step");
    near(mark.y, end, 2, "its end");
    near(mark.y + mark.height, start, 2, "its begin");
  },

  async "the legend filters, and colours stand for what is chosen"(lab) {
    const page = await openMap(lab);
    const picture = () => page.$eval(CANVAS, (canvas) => canvas.toDataURL());
    const changed = async (action, what) => {
      const before = await picture();
      await action();
      await s.eventually(async () => (await picture()) !== before, true, what);
    };
    const chips = page.locator("#map-legend [data-class]");
    s.check((await chips.count()) > 2, "a legend");
    await changed(() => chips.first().click(), "one class alone");
    s.equal(await page.locator("#map-legend [aria-pressed=true]").count(), 1, "classes in colour");
    await changed(() => chips.first().click(), "all classes");
    await changed(() => page.selectOption("#map-key", { index: 6 }), "one colour");
    await s.eventually(() => chips.count(), 1, "classes");
  },

  async "a view that moves is there at once, and the exact one follows"(lab) {
    const page = await openMap(lab);
    const exact = () => page.waitForSelector(`${CANVAS}[data-quick=false]`);
    const picture = () => page.$eval(CANVAS, (canvas) => canvas.toDataURL());
    await exact();
    const [x, y] = await placeOf(page, STEPS * 0.4, LENET.expected.planned_total * 0.4);
    await page.mouse.move(x, y);
    // The picture changes within the event, before the worker can have answered.
    const changed = await page.$eval(
      CANVAS,
      (canvas, [clientX, clientY]) => {
        const before = canvas.toDataURL();
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, clientX, clientY, bubbles: true, cancelable: true }));
        return canvas.toDataURL() !== before;
      },
      [x, y],
    );
    s.check(changed, "another picture within the event");
    await page.waitForSelector(`${CANVAS}[data-quick=true], ${CANVAS}[data-quick=false]`);
    await exact();
    const zoomed = await picture();
    // Away and back again: the exact picture of a view is always the same.
    await moved(page, () => page.mouse.wheel(0, -300));
    await exact();
    s.check((await picture()) !== zoomed, "zoomed once more");
    await moved(page, () => page.click("[data-map=back]"));
    await exact();
    s.equal((await picture()) === zoomed, true, "the same picture");
  },

  async "what is searched is lit on the open map"(lab) {
    const page = await openMap(lab);
    const tensor = TENSORS[Math.floor(TENSORS.length / 2)];
    const lit = () => page.locator(CANVAS).getAttribute("data-lit");
    await page.fill(s.hook("search"), `%${tensor.id}T`);
    await s.eventually(lit, "1", "one box is lit");
    await page.fill(s.hook("search"), "conv");
    await s.eventually(async () => Number(await lit()) > 1, true, "several boxes are lit");
    await page.fill(s.hook("search"), "");
    await s.eventually(lit, "0", "nothing is lit");
  },

  async "streams colour the map where there are some, parameters have a band where they have addresses"(lab) {
    const streams = "#map-streams";
    const cpu = await openMap(lab);
    await cpu.waitForSelector("#map-legend [data-class]");
    s.equal(await cpu.$eval(streams, (option) => option.hidden), true, "a stream a node tells nothing");
    s.equal(await cpu.locator("#map-parameters").isVisible(), false, "no addresses, no band");
    const page = await openMap(lab, s.dataFile("samples", "v1.7_ascend", "somas_allocate_info_1.ir"));
    await page.waitForSelector("#map-legend [data-class]");
    s.equal(await page.locator("#map-parameters").isVisible(), true, "a band");
    const band = page.locator("#map-parameters canvas");
    await band.click({ position: { x: 4, y: 5 } });
    await s.eventually(() => s.selectionOf(page), ["parameter", "%0P"], "the first parameter");
  },

  async "an early stage has no map, and says so"(lab) {
    const stage = s.dataFile("samples", "v2.2_ascend_multistream", "Ascend_somas_initial_info_1.ir");
    const page = await lab.page();
    await s.openReady(page, stage);
    await page.click("[data-tab=map]");
    await s.eventually(() => page.locator(CANVAS).getAttribute("data-boxes"), "0", "boxes");
    s.check((await page.locator("#map-summary").innerText()).length > 20, "the summary says so");
  },
};
