// A second open plan lies over the first: its curve where it belongs, the numbers of both side by side.

import path from "node:path";

import { aliveAt, readDump } from "./dump.mjs";
import * as s from "./support.mjs";

const PAIRS = [["gpt_8l_recompute_off", "gpt_8l_recompute_on"], ["mobilenet_v2_train_bs8", "mobilenet_v2_train_bs32"]].map((pair) => pair.map((name) => ({ ...s.expectation(name), name })));

const USAGE = "canvas[data-hook=usage-chart]";

/** The numbers of the table: keys as in the expectation. */
const NUMBERS = [
  "planned_total",
  "lower_bound",
  "gap",
  "max_in_use.in_use",
  "static_memory",
  "total_tensor_size",
  "alignment_waste.total",
  "counts.nodes",
  "counts.tensors",
  "counts.parameters",
];

const pick = (facts, key) => key.split(".").reduce((value, part) => value?.[part], facts);

/** Opens both under names that tell them apart; the first is shown. */
async function opened(lab, pair) {
  const page = await lab.page();
  await s.openReady(page, pair.map(({ name, file }) => s.made(`${name}.ir`, s.textOf(file))));
  await show(page, pair[0].name);
  return page;
}

async function show(page, name) {
  const chooser = page.locator(s.hook("graphs"));
  const option = chooser.locator(`[data-row="${name}.ir"]`);
  if (await option.evaluate((e) => e.selected)) return;
  const label = await option.evaluate((e) => e.label);
  await s.settled(page, () => chooser.selectOption({ label }));
}

async function compareWith(page, name) {
  const chooser = page.locator(s.hook("compare"));
  const value = await chooser.locator(`[data-row="${name}.ir"]`).getAttribute("value");
  await chooser.selectOption(value);
  await page.waitForSelector("#compare-card:not([hidden])");
}

const rowsOf = (page) =>
  page.$$eval("[data-table=compare] tbody tr", (rows) =>
    Object.fromEntries(rows.map((row) => [row.dataset.row, [...row.querySelectorAll("[data-value]")].map((cell) => [cell.dataset.value, cell.textContent])])),
  );

async function checkTable(page, own, other) {
  const rows = await rowsOf(page);
  for (const key of NUMBERS) {
    const [a, b] = [pick(own.expected, key), pick(other.expected, key)];
    s.equal(rows[key]?.map(([value]) => Number(value)), [a, b, b - a], `${own.name} and ${other.name}: ${key}`);
    if (key.startsWith("counts")) continue;
    const figure = (text) => text.replace(/^[+−]/, "");
    const shown = rows[key].map(([, text]) => figure(text));
    s.check(shown.every((text, i) => s.isFigure(text, Math.abs([a, b, b - a][i]))), `${key} is shown as ${shown}`);
  }
  const steps = rows["max_in_use.step"].map(([value]) => value);
  s.equal(steps.slice(0, 2), [own, other].map((one) => String(one.expected.max_in_use.step)), "steps of the peaks");
  const ratios = rows.reuse_ratio.map(([value]) => Number(value));
  const [a, b] = [own.expected.reuse_ratio, other.expected.reuse_ratio];
  s.check([a, b, b - a].every((ratio, i) => Math.abs(ratio - ratios[i]) < 2e-6), `reuse ratios ${ratios}, not ${[a, b, b - a]}`);
}

/** The heights above the ground, in pixels, at which lines of what is in use cross some columns of the chart. */
const lines = (page, steps) =>
  page.$eval(
    USAGE,
    (canvas, [steps, all]) => {
      const { width, height } = canvas;
      const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const [left, right, ground] = [70, width - 14, height - 24];
      return steps.map((step) => {
        const x = left + ((step + 0.5) / all) * (right - left);
        const found = new Set();
        // A dash may end here.
        for (const dx of [-3, -1, 1, 3]) {
          const { data } = copy.getImageData(Math.round(x + dx), 0, 1, height);
          for (let y = 18; y < ground - 2; y += 1) {
            const [r, g, b, a] = data.slice(y * 4, y * 4 + 4);
            if (a > 200 && r < 0x70 && g < 0x78 && b < 0x88 && b - r < 0x30) found.add(y);
          }
        }
        const heights = [...found].sort((a, b) => a - b);
        const groups = [];
        for (const y of heights) {
          if (groups.length && y - groups.at(-1).at(-1) <= 2) groups.at(-1).push(y);
          else groups.push([y]);
        }
        return groups.map((ys) => ground - (ys[0] + ys.at(-1)) / 2);
      });
    },
    [steps, page.steps],
  );

const inUse = (dump) => dump.nodes.map((n) => aliveAt(dump, n.id) + dump.fixed);

/** Steps of the first at which both curves are level for a while and well apart: `[step, own, other]`. */
function levelSteps(own, other, on, most = 1.04) {
  const found = [];
  const level = (curve, at, reach) => {
    const part = curve.slice(Math.max(0, at - reach), at + reach + 1);
    return Math.max(...part) / Math.min(...part) < most;
  };
  for (const [j, step] of on) {
    const [a, b] = [own[step], other[j]];
    if (!level(own, step, 4) || !level(other, j, 5)) continue;
    if (Math.max(a, b) / Math.min(a, b) > 1.25) found.push([step, a, b]);
  }
  return found.filter((_, i) => i % Math.ceil(found.length / 25) === 0);
}

async function checkCurve(page, samples, what) {
  s.check(samples.length >= 5, `${what}: only ${samples.length} places to look at`);
  const found = await lines(page, samples.map(([step]) => step));
  let compared = 0;
  for (const [i, [step, a, b]] of samples.entries()) {
    const heights = found[i];
    if (heights.length !== 2) continue;
    const expected = (heights[0] * Math.min(a, b)) / Math.max(a, b);
    const off = Math.abs(heights[1] - expected);
    s.check(off < 5, `${what}: at $${step} the lower curve is ${heights[1]} high, not ${expected}`);
    compared += 1;
  }
  s.check(compared >= samples.length * 0.6, `${what}: two curves were found at ${compared} of ${samples.length} places`);
}

/** Nodes of one name in both plans, as long a part of them as keeps the order: `[step of the other, own step]`. */
function sameNames(own, other) {
  const places = new Map();
  for (const n of own.nodes) places.set(n.name, [...(places.get(n.name) ?? []), n.id]);
  const pairs = other.nodes.map((n) => [n.id, places.get(n.name)?.shift()]).filter(([, step]) => step !== undefined);
  const best = pairs.map(() => ({ length: 1, before: -1 }));
  for (let i = 0; i < pairs.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      if (pairs[j][1] < pairs[i][1] && best[j].length + 1 > best[i].length) best[i] = { length: best[j].length + 1, before: j };
    }
  }
  let at = best.reduce((most, one, i) => (one.length > best[most].length ? i : most), 0);
  const kept = [];
  for (; at >= 0; at = best[at].before) kept.unshift(pairs[at]);
  return kept;
}

export default {
  async "the numbers of both plans stand side by side, with the difference"(lab) {
    for (const pair of PAIRS) {
      const page = await opened(lab, pair);
      for (const [own, other] of [pair, [...pair].reverse()]) {
        await show(page, own.name);
        await compareWith(page, other.name);
        s.check((await page.innerText("[data-table=compare] thead")).includes(`${own.name}.ir`), "the head does not name the plan");
        await checkTable(page, own, other);
      }
      await page.selectOption(s.hook("compare"), "");
      await page.waitForSelector("#compare-card", { state: "hidden" });
    }
  },

  async "the other curve lies where it belongs, stretched"(lab) {
    for (const pair of PAIRS) {
      for (const [own, other] of [pair, [...pair].reverse()]) {
        const page = await opened(lab, [own, other]);
        const [a, b] = [own, other].map(({ file }) => readDump(file));
        page.steps = a.nodes.length;
        await compareWith(page, other.name);
        const on = b.nodes.map(({ id }) => [id, Math.round((id * a.end) / b.end)]);
        const samples = levelSteps(inUse(a), inUse(b), on);
        await s.eventually(async () => (await lines(page, samples.map(([step]) => step))).some((all) => all.length > 1), true, "a second curve");
        await checkCurve(page, samples, `${other.name} over ${own.name}`);
        await page.context().close();
      }
    }
  },

  async "aligned by node names, equal nodes lie on each other"(lab) {
    const [off, on] = PAIRS[0];
    const page = await opened(lab, [on, off]);
    const [a, b] = [on, off].map(({ file }) => readDump(file));
    page.steps = a.nodes.length;
    await compareWith(page, off.name);
    const picture = () => page.$eval(USAGE, (canvas) => canvas.toDataURL());
    const before = await picture();
    await page.selectOption(s.hook("alignment"), "by-name");
    await s.eventually(async () => (await picture()) !== before, true, "another picture");
    const pairs = sameNames(a, b);
    s.check(pairs.length > 250, `only ${pairs.length} nodes of one name`);
    await checkCurve(page, levelSteps(inUse(a), inUse(b), pairs, 1.1), "by node name");
  },

  async "zooming zooms the other curve too, and without another plan it is gone"(lab) {
    const [off, on] = PAIRS[0];
    const page = await opened(lab, [off, on]);
    const picture = () => page.$eval(USAGE, (canvas) => canvas.toDataURL());
    await page.locator(USAGE).focus();
    await page.keyboard.press("+");
    await page.waitForSelector("#zoom-all:not([hidden])");
    // The first time the exact curve of the part may still be on its way, and change the picture as well.
    for (const first of [true, false]) {
      const alone = await picture();
      await compareWith(page, on.name);
      await s.eventually(async () => (await picture()) !== alone, true, "a second curve in the part");
      await page.selectOption(s.hook("compare"), "");
      await page.waitForSelector("#compare-card", { state: "hidden" });
      if (first) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      else await s.eventually(async () => (await picture()) === alone, true, "the same picture as before");
    }
  },

  async "two runs whose files have the same name stay both open"(lab) {
    for (const together of [true, false]) {
      const page = await lab.page();
      const [a, b] = PAIRS[0].map(({ file }) => s.made(path.basename(file), s.textOf(file)));
      await (together ? s.openReady(page, [a, b]) : s.openReady(page, [a]).then(() => s.openReady(page, [b])));
      // The same one again is no third.
      await s.openReady(page, [a]);
      const rows = page.locator(`${s.hook("graphs")} [data-row]`);
      s.equal(await rows.evaluateAll((all) => all.map((e) => e.dataset.row)), [`2/${b.name}`, a.name], "graphs");
      await s.eventually(() => s.valueOf(page, "planned_total"), String(PAIRS[0][0].expected.planned_total), "planned total of the one opened again");
      await page.selectOption(s.hook("compare"), { label: `2/${b.name}` });
      await page.waitForSelector("#compare-card:not([hidden])");
      await checkTable(page, ...PAIRS[0]);
    }
  },

  async "one plan alone has nothing to be compared with"(lab) {
    const page = await lab.page();
    await s.openReady(page, PAIRS[0][0].file);
    s.check(await page.locator("#compare-tools").isHidden(), "a choice of nothing");
  },
};
