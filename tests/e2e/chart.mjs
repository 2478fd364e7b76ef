// The usage chart is drawn after the curve, answers the pointer and the keyboard, and selects steps.

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const CHART = "canvas[data-hook=usage-chart]";
const LAST = LENET.expected.counts.nodes - 1;
const PEAK = LENET.expected.max_in_use.step;

const POINTS = new Map(LENET.expected.curves.alive.points);
const IN_USE = new Map(LENET.expected.curves.in_use.points);

async function lenet(lab, options) {
  const page = await lab.page(options);
  await s.openReady(page, LENET.file);
  return page;
}

/** Moves the pointer off the chart, then to `x` of it, and gives the step that is read out there. */
async function readAt(page, x) {
  const box = await page.locator(CHART).boundingBox();
  const readout = page.locator(s.hook("readout"));
  await page.mouse.move(box.x + x, box.y - 100);
  await page.waitForSelector(`${s.hook("readout")}:not([data-step])`);
  await page.mouse.move(box.x + x, box.y + box.height / 2);
  await page.waitForSelector(`${s.hook("readout")}[data-step]`);
  return Number(await readout.getAttribute("data-step"));
}

/** Moves the pointer over a step, wherever the chart has it; gives its x on the chart. */
async function pointAt(page, step) {
  const { width } = await page.locator(CHART).boundingBox();
  let [left, right] = [width * 0.2, width * 0.9];
  const [a, b] = [await readAt(page, left), await readAt(page, right)];
  s.check(a < b, `the pointer reads ${a} left of ${b}`);
  const perStep = (right - left) / (b - a);
  let x = left + (step - a) * perStep;
  for (let tries = 0; tries < 20; tries += 1) {
    const found = await readAt(page, Math.min(Math.max(x, 0), width - 1));
    if (found === step) return x;
    x += (step - found) * perStep * 0.7;
  }
  throw new s.Failed(`no place of the chart reads step ${step}`);
}

/** How many pixels of a column are not of the colour of the paper. */
const inkAt = (page, x) =>
  page.$eval(
    CHART,
    (canvas, x) => {
      const scale = canvas.width / canvas.clientWidth;
      const column = new OffscreenCanvas(1, canvas.height).getContext("2d", { willReadFrequently: true });
      column.drawImage(canvas, -Math.round(x * scale), 0);
      const { data } = column.getImageData(0, 0, 1, canvas.height);
      const differs = (i) => [0, 1, 2, 3].some((c) => Math.abs(data[i + c] - data[c]) > 8);
      let ink = 0;
      for (let i = 0; i < data.length; i += 4) if (differs(i)) ink += 1;
      return ink / canvas.height;
    },
    x,
  );

/** A picture of the canvas as text, to tell whether it changed. */
const picture = (page) => page.$eval(CHART, (canvas) => canvas.toDataURL());

/** Rows of tensors with bytes alive at a step, as the plainest reading of the dump has it. */
const aliveRows = (file, step) =>
  s
    .tensorsOf(file)
    .filter((t) => t.aligned > 0 && t.first <= step && step <= t.last)
    .sort((a, b) => b.aligned - a.aligned || a.id - b.id)
    .map((t) => `%${t.id}T`);

/** The list of tensors alive at a step: the order of this file's own reading, the ids of the calculation. */
async function checkAlive(page, { name, file, expected }, step) {
  await s.eventually(() => s.allRows(page, "alive"), aliveRows(file, step), `${name}: tensors alive at ${step}`);
  const query = expected.queries[`alive at node ${step}`];
  if (!query) return;
  const shown = (await s.allRows(page, "alive")).map((row) => Number(row.slice(1, -1)));
  const without = s.tensorsOf(file).filter((t) => t.aligned === 0 && t.first <= step && step <= t.last);
  const all = [...shown, ...without.map((t) => t.id)].sort((a, b) => a - b);
  s.equal([all.length, s.sha256(all.join())], [query.count, query.sha256], `${name}: ids alive at ${step}`);
}

export default {
  async "there is more ink where more is alive"(lab) {
    const page = await lenet(lab);
    const ink = [];
    for (const [step, alive] of POINTS) ink.push({ step, alive, ink: await inkAt(page, await pointAt(page, step)) });
    const most = Math.max(...POINTS.values());
    let compared = 0;
    for (const a of ink) {
      for (const b of ink) {
        if (a.alive - b.alive < most * 0.2) continue;
        compared += 1;
        s.check(a.ink > b.ink, `more is alive at ${a.step} than at ${b.step}, the ink is ${a.ink} and ${b.ink}`);
      }
    }
    s.check(compared > 20, "too few points to compare");
  },

  async "the readout follows the pointer and tells the curve"(lab) {
    const page = await lenet(lab);
    const readout = page.locator(s.hook("readout"));
    for (const [step, alive] of POINTS) {
      await pointAt(page, step);
      const figures = (await readout.innerText()).match(/[\d.]+ [KMGTP]?B/g) ?? [];
      const says = (bytes) => figures.some((text) => s.isFigure(text, bytes));
      s.check(says(alive), `readout at ${step}: no ${alive} among ${figures}`);
      s.check(says(IN_USE.get(step)), `readout at ${step}: no ${IN_USE.get(step)} among ${figures}`);
    }
  },

  async "the peak is selected at first"(lab) {
    const page = await lenet(lab);
    s.equal(await s.selectionOf(page), ["step", String(PEAK)], "selection");
    await checkAlive(page, LENET, PEAK);
    const name = LENET.expected.max_in_use.node.split("/").at(-1);
    s.check((await page.locator(s.hook("selection")).innerText()).includes(name), `the selection does not name ${name}`);
  },

  async "a click selects the step under the pointer, with all tensors alive at it"(lab) {
    const page = await lab.page();
    for (const part of ["lenet_train", "gan_three_graphs/CPU_somas_tensor_offset_0", "very_long_names", "resnet18_train"]) {
      const one = s.expectation(part);
      await s.openReady(page, one.file);
      const steps = Object.keys(one.expected.queries).map((query) => query.match(/^alive at node (\d+)$/)?.[1]);
      for (const step of steps.filter((step) => step !== undefined).map(Number)) {
        await pointAt(page, step);
        await page.mouse.down();
        await page.mouse.up();
        await s.eventually(() => s.selectionOf(page), ["step", String(step)], "selection");
        await checkAlive(page, one, step);
      }
    }
  },

  async "the list of a long moment is complete"(lab) {
    const page = await lab.page();
    const one = s.expectation("gpt_72l_plain_adam");
    await s.openReady(page, one.file);
    const step = one.expected.max_in_use.step;
    s.equal(await s.selectionOf(page), ["step", String(step)], "selection");
    s.equal(await s.allRows(page, "alive"), aliveRows(one.file, step), "tensors alive at the peak");
  },

  async "the keyboard moves the selection"(lab) {
    const page = await lenet(lab);
    await page.locator(CHART).focus();
    const moves = [
      ["ArrowRight", PEAK + 1],
      ["ArrowLeft", PEAK],
      ["ArrowLeft", PEAK - 1],
      ["Home", 0],
      ["ArrowLeft", 0],
      ["End", LAST],
      ["ArrowRight", LAST],
    ];
    for (const [key, step] of moves) {
      await page.keyboard.press(key);
      await s.eventually(() => s.selectionOf(page), ["step", String(step)], `selection after ${key}`);
    }
    await checkAlive(page, LENET, LAST);
  },

  async "back and forward walk the selections"(lab) {
    const page = await lenet(lab);
    const steps = [5, 20, 33];
    const at = (step) => s.eventually(() => s.selectionOf(page), ["step", String(step)], "selection");
    for (const step of steps) {
      await pointAt(page, step);
      await page.mouse.down();
      await page.mouse.up();
      await at(step);
    }
    for (const step of [20, 5, PEAK]) {
      await page.goBack();
      await at(step);
    }
    await checkAlive(page, LENET, PEAK);
    for (const step of steps) {
      await page.goForward();
      await at(step);
    }
    await checkAlive(page, LENET, 33);
    s.equal(await s.stateOf(page), "ready", "state");
  },

  async "the canvas has the pixels of the device"(lab) {
    for (const deviceScaleFactor of [1, 2]) {
      const page = await lenet(lab, { deviceScaleFactor });
      const [pixels, css] = await page.$eval(CHART, (c) => [c.width, c.getBoundingClientRect().width]);
      s.check(Math.abs(pixels - css * deviceScaleFactor) <= deviceScaleFactor, `${pixels} pixels on ${css} × ${deviceScaleFactor}`);
      s.check((await inkAt(page, await pointAt(page, PEAK))) > 0.3, "no ink at the peak");
    }
  },

  async "another size of the window draws the chart anew"(lab) {
    const page = await lenet(lab);
    const before = await picture(page);
    await page.setViewportSize({ width: 800, height: 900 });
    const fits = () => page.$eval(CHART, (c) => Math.abs(c.width - c.getBoundingClientRect().width * devicePixelRatio) <= 1);
    await s.eventually(fits, true, "canvas as wide as shown");
    s.check((await picture(page)) !== before, "the picture is the same");
    const [high, low] = [await inkAt(page, await pointAt(page, PEAK)), await inkAt(page, await pointAt(page, LAST))];
    s.check(high > low, `ink ${high} at the peak, ${low} at the end`);
  },

  async "a step of a long graph is read out exactly"(lab) {
    const page = await lab.page();
    const one = s.expectation("gan_three_graphs/CPU_somas_tensor_offset_1");
    await s.openReady(page, one.file);
    const alive = new Map(one.expected.curves.alive.points);
    for (const [step, bytes] of alive) {
      await pointAt(page, step);
      const figures = (await page.locator(s.hook("readout")).innerText()).match(/[\d.]+ [KMGTP]?B/g) ?? [];
      s.check(figures.some((text) => s.isFigure(text, bytes)), `readout at ${step}: no ${bytes} among ${figures}`);
    }
  },

  async "a graph of one node"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.expectation("tiny_one_node").file);
    s.equal(await s.selectionOf(page), ["step", "0"], "selection");
    const { width } = await page.locator(CHART).boundingBox();
    s.equal(await readAt(page, width / 2), 0, "step under the pointer");
    s.equal(await s.allRows(page, "alive"), [], "tensors with bytes");
  },
};
