// Both charts show the same steps; the wheel, the pointer, keys, buttons and the strip choose which.

import { aliveAt, readDump, totalAt } from "./dump.mjs";
import * as s from "./support.mjs";

const ONE = s.expectation("gpt_8l_recompute_on");
const STEPS = ONE.expected.counts.nodes;
const ALL = [0, STEPS - 1];
const USAGE = "#usage-box canvas";
const TOTAL = "#total-box canvas";
const HANDLE = "#strip .window";

/** Pixels of a chart that are not plot. */
const [LEFT, RIGHT] = [70, 14];

const windowOf = async (page) => (await page.getAttribute(HANDLE, "aria-valuetext")).match(/\$(\d+) … \$(\d+)/).slice(1).map(Number);

/** As marked with the pointer, give or take the step beside it: a step may be a pixel wide. */
async function marked(page, expected, what) {
  const close = async () => (await windowOf(page)).every((step, i) => Math.abs(step - expected[i]) <= 1);
  await s.eventually(close, true, `${what}: ${expected}`);
  return windowOf(page);
}

const at = (page, expected, what) => s.eventually(() => windowOf(page), expected, what);

async function opened(lab, file = ONE.file) {
  const page = await lab.page();
  await s.openReady(page, file);
  await at(page, ALL, "steps at first");
  return page;
}

const boxOf = (page, chart) => page.locator(chart).boundingBox();

/** The middle of a step on a chart that shows a window. */
async function place(page, chart, step) {
  const [first, last] = await windowOf(page);
  const box = await boxOf(page, chart);
  const x = box.x + LEFT + ((step - first + 0.5) / (last - first + 1)) * (box.width - LEFT - RIGHT);
  return [x, box.y + box.height / 2];
}

/** The step that is read out where the pointer is. */
async function readAt(page, x, y) {
  const box = await boxOf(page, "#charts");
  await page.mouse.move(box.x + box.width / 2, box.y + 4);
  await page.waitForSelector(`${s.hook("readout")}:not([data-step])`);
  await page.mouse.move(x, y);
  await page.waitForSelector(`${s.hook("readout")}[data-step]`);
  return Number(await page.getAttribute(s.hook("readout"), "data-step"));
}

/** Both charts show that window: what their edges read out. */
async function checkShown(page, [first, last], what) {
  await at(page, [first, last], what);
  s.check((await page.innerText("#window-text")).includes(`$${first} … $${last}`), `${what}: not said below the charts`);
  for (const chart of [USAGE, TOTAL]) {
    const box = await boxOf(page, chart);
    const y = box.y + box.height / 2;
    const edges = async () => [await readAt(page, box.x + LEFT + 0.5, y), await readAt(page, box.x + box.width - RIGHT - 1.5, y)];
    const close = ([a, b]) => Math.abs(a - first) <= (last - first) / 400 && Math.abs(b - last) <= (last - first) / 400;
    const read = await edges();
    s.check(close(read), `${what}: ${chart} shows ${read}, not ${first} to ${last}`);
  }
  const zoomed = last - first + 1 < STEPS;
  s.equal(await page.locator("#zoom-all").isVisible(), zoomed, `${what}: a way back to all steps`);
  const share = await page.$eval(HANDLE, (handle) => [parseFloat(handle.style.left), parseFloat(handle.style.width)]);
  const expected = [(first / STEPS) * 100, ((last - first + 1) / STEPS) * 100];
  s.check(share.every((part, i) => Math.abs(part - expected[i]) < 0.01), `${what}: the strip shows ${share}, not ${expected}`);
}

async function drag(page, from, to, key) {
  await page.mouse.move(...from);
  if (key) await page.keyboard.down(key);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, to[1], { steps: 3 });
  await page.mouse.move(...to, { steps: 3 });
  await page.mouse.up();
  if (key) await page.keyboard.up(key);
}

export default {
  async "the wheel zooms around the pointer, on both charts"(lab) {
    const page = await opened(lab);
    for (const chart of [USAGE, TOTAL]) {
      await page.mouse.move(...(await place(page, chart, 700)));
      let wide = STEPS;
      for (let turn = 0; turn < 4; turn += 1) {
        const [x, y] = await place(page, chart, 700);
        await page.mouse.move(x, y);
        await page.mouse.wheel(0, -200);
        await page.waitForFunction(([handle, wide]) => {
          const [, a, b] = document.querySelector(handle).ariaValueText.match(/\$(\d+) … \$(\d+)/);
          return b - a + 1 < wide;
        }, [HANDLE, wide]);
        const [first, last] = await windowOf(page);
        wide = last - first + 1;
        const [now] = await place(page, chart, 700);
        s.check(Math.abs(now - x) <= (await boxOf(page, chart)).width / wide + 1, `${chart}: the step under the pointer went from ${x} to ${now}`);
      }
      await checkShown(page, await windowOf(page), `wheel on ${chart}`);
      const [first, last] = await windowOf(page);
      await page.mouse.move(...(await place(page, chart, 700)));
      await page.mouse.wheel(150, 0);
      await page.waitForFunction(([handle, first]) => Number(document.querySelector(handle).ariaValueNow) > first, [HANDLE, first]);
      const moved = await windowOf(page);
      s.equal(moved[1] - moved[0], last - first, "sideways it only moves");
      await page.mouse.move(...(await place(page, chart, moved[0] + 20)));
      // Where all is shown, turning on scrolls the page.
      for (let [a, b] = moved; b - a + 1 < STEPS; ) {
        await page.mouse.wheel(0, 300);
        await page.waitForFunction(([handle, wide]) => {
          const [, a, b] = document.querySelector(handle).ariaValueText.match(/\$(\d+) … \$(\d+)/);
          return b - a + 1 > wide;
        }, [HANDLE, b - a + 1]);
        [a, b] = await windowOf(page);
      }
      await at(page, ALL, `${chart}: zoomed out`);
    }
  },

  async "dragging over all steps zooms to what was marked, then moves; with Shift it marks again"(lab) {
    const page = await opened(lab);
    for (const chart of [USAGE, TOTAL]) {
      const selected = await s.selectionOf(page);
      await drag(page, await place(page, chart, 200), await place(page, chart, 499));
      const before = await marked(page, [200, 499], `${chart}: marked`);
      await checkShown(page, before, `${chart}: marked`);
      await drag(page, await place(page, chart, 400), await place(page, chart, 350));
      const [first, last] = await marked(page, before.map((step) => step + 50), `${chart}: moved`);
      s.equal(last - first, before[1] - before[0], `${chart}: moving keeps the width`);
      await drag(page, await place(page, chart, first + 220), await place(page, chart, first + 100), "Shift");
      await marked(page, [first + 100, first + 220], `${chart}: marked from right to left`);
      s.equal(await s.selectionOf(page), selected, "dragging selects nothing");
      s.check(await page.locator(".brush >> visible=true").count().then((n) => n === 0), "the mark stays");
      await page.click("#zoom-all");
      await at(page, ALL, "all steps, by the button");
    }
    await drag(page, await place(page, USAGE, 100), await place(page, USAGE, 300));
    await marked(page, [100, 300], "marked");
    await page.mouse.dblclick(...(await place(page, TOTAL, 200)));
    await at(page, ALL, "all steps, by a double click");
  },

  async "keys zoom and move on the chart"(lab) {
    const page = await opened(lab);
    await page.focus(USAGE);
    const press = async (key) => {
      await page.keyboard.press(key);
      const [first, last] = await windowOf(page);
      return { first, last, wide: last - first + 1 };
    };
    const peak = ONE.expected.max_in_use.step;
    let before = { wide: STEPS };
    for (const key of ["+", "w", "="]) {
      const now = await press(key);
      s.check(Math.abs(now.wide - before.wide * 0.6) <= 1, `${key}: ${now.wide} of ${before.wide} steps`);
      s.check(now.first <= peak && peak <= now.last, `${key}: the selected step is out of sight`);
      before = now;
    }
    for (const [key, sign] of [["d", 1], ["a", -1]]) {
      const now = await press(key);
      s.equal([now.wide, now.first - before.first], [before.wide, sign * Math.floor(before.wide / 8)], key);
      before = now;
    }
    const out = await press("-");
    s.check(Math.abs(out.wide - before.wide / 0.6) <= 1, `-: ${out.wide} of ${before.wide} steps`);
    await page.keyboard.press("0");
    await at(page, ALL, "all steps");
    for (let i = 0; i < 20; i += 1) await page.keyboard.press("+");
    const [first, last] = await windowOf(page);
    s.equal(last - first + 1, 8, "the fewest steps");
    // The selection takes the window along.
    await page.keyboard.press("End");
    await s.eventually(async () => (await windowOf(page))[1], STEPS - 1, "window at the last step");
    await page.keyboard.press("Home");
    await s.eventually(async () => (await windowOf(page))[0], 0, "window at the first step");
  },

  async "the strip below: its window can be dragged as a whole and by its edges"(lab) {
    const page = await opened(lab);
    const strip = await boxOf(page, "#strip");
    const x = (step) => strip.x + (step / STEPS) * strip.width;
    const y = strip.y + strip.height / 2;
    const near = async (expected, what) => {
      const close = async () => (await windowOf(page)).every((step, i) => Math.abs(step - expected[i]) <= 2);
      await s.eventually(close, true, what);
    };
    await drag(page, [x(300), y], [x(600), y]);
    await near([300, 600], "marked on the strip");
    await drag(page, [x(450), y], [x(550), y]);
    await near([400, 700], "dragged as a whole");
    await drag(page, [x(400), y], [x(500), y]);
    await near([500, 700], "left edge");
    await drag(page, [x(701), y], [x(900), y]);
    await near([500, 900], "right edge");
    await page.mouse.click(x(200), y);
    await near([0, 400], "a click beside it");
    await checkShown(page, await windowOf(page), "by the strip");
    await drag(page, [x(200), y], [x(2000), y]);
    await near([STEPS - 401, STEPS - 1], "not beyond the end");
  },

  async "the strip's window has keys"(lab) {
    const page = await opened(lab);
    await page.focus(HANDLE);
    const [role, least, most] = await page.$eval(HANDLE, (e) => [e.getAttribute("role"), e.ariaValueMin, e.ariaValueMax]);
    s.equal([role, least, most], ["slider", "0", String(STEPS - 1)], "what it is to those who do not see it");
    const press = async (key) => {
      await page.keyboard.press(key);
      const [first, last] = await windowOf(page);
      return [first, last - first + 1];
    };
    const selected = await s.selectionOf(page);
    const [first, wide] = await press("+");
    s.check(Math.abs(wide - STEPS * 0.6) <= 1, `+: ${wide} steps`);
    s.check(Math.abs(first + wide / 2 - STEPS / 2) <= 1, "not around the middle");
    const part = Math.floor(wide / 8);
    s.equal(await press("ArrowRight"), [first + part, wide], "→");
    s.equal(await press("ArrowUp"), [first + 2 * part, wide], "↑");
    s.equal(await press("ArrowLeft"), [first + part, wide], "←");
    s.equal(await press("ArrowDown"), [first, wide], "↓");
    for (let i = 0; i < 9; i += 1) await press("ArrowLeft");
    s.equal(await press("ArrowLeft"), [0, wide], "not beyond the first step");
    await checkShown(page, [0, wide - 1], "by keys of the strip");
    await page.focus(HANDLE);
    s.check((await press("-"))[1] > wide, "- shows more");
    s.equal(await press("+").then(() => press("Home")), [0, STEPS], "Home shows all");
    s.equal(await s.selectionOf(page), selected, "the selection stays");
  },

  async "the hovered step is one hairline through both charts"(lab) {
    const page = await opened(lab);
    const dump = readDump(ONE.file);
    await drag(page, await place(page, USAGE, 200), await place(page, USAGE, 399));
    await marked(page, [200, 399], "marked");
    for (const chart of [USAGE, TOTAL]) {
      for (const step of [230, 301, 377]) {
        const [x, y] = await place(page, chart, step);
        s.equal(await readAt(page, x, y), step, `step under the pointer on ${chart}`);
        for (const box of ["#usage-box", "#total-box"]) {
          const line = await page.locator(`${box} .line.hover`).boundingBox();
          s.check(line && Math.abs(line.x + line.width / 2 - x) < 2, `${box}: no line at ${x}`);
        }
        const figures = (selector) => page.innerText(selector).then((text) => text.match(/[\d.]+ [KMGT]?B/g) ?? []);
        const says = async (selector, bytes) => s.check((await figures(selector)).some((text) => s.isFigure(text, bytes)), `${selector} at ${step}: no ${bytes}`);
        await says(s.hook("readout"), aliveAt(dump, step) + dump.fixed);
        await says("#total-readout", totalAt(dump, step));
        await says("#total-readout", totalAt(dump, step) + dump.fixed);
      }
    }
    await page.mouse.move(5, 5);
    s.equal(await page.locator(".line.hover >> visible=true").count(), 0, "lines of no pointer");
  },

  async "a click on the total chart selects as well"(lab) {
    const page = await opened(lab);
    await drag(page, await place(page, USAGE, 500), await place(page, USAGE, 599));
    await marked(page, [500, 599], "marked");
    await page.mouse.click(...(await place(page, TOTAL, 550)));
    await s.eventually(() => s.selectionOf(page), ["step", "550"], "selection");
    for (const box of ["#usage-box", "#total-box"]) {
      const line = await page.locator(`${box} .line.selected`).boundingBox();
      s.check(Math.abs(line.x + line.width / 2 - (await place(page, USAGE, 550))[0]) < 2, `${box}: the selected step is not marked`);
    }
  },

  async "another graph is shown whole"(lab) {
    const page = await opened(lab);
    await drag(page, await place(page, USAGE, 500), await place(page, USAGE, 599));
    await marked(page, [500, 599], "marked");
    const other = s.expectation("lenet_train");
    await s.openReady(page, other.file);
    await at(page, [0, other.expected.counts.nodes - 1], "all of another graph");
  },
};
