// Opening a large dump can be watched and cancelled, and never holds the page up.

import fs from "node:fs";

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");

/** Milliseconds; reading the plan on the main thread would take seconds. */
const MOST_HELD_UP = 400;

const large = () => s.madePlan(300_000);

/** Begins to open the large plan, and waits until some of it has been read. */
async function begin(page) {
  await page.setInputFiles(`input${s.hook("open")}`, large());
  s.equal(await s.stateOf(page), "loading", "state while it is read");
  await page.waitForFunction((progress) => {
    const [read] = document.querySelector(progress).innerText.match(/[\d.]+ [MG]B/) ?? [];
    return read !== undefined;
  }, s.hook("progress"));
}

/** Cancels, and gives the seconds until the page is in another state than loading. */
const cancel = (page) =>
  page.evaluate(
    (button) =>
      new Promise((resolve) => {
        const started = performance.now();
        const done = () => document.body.dataset.state !== "loading" && resolve((performance.now() - started) / 1000);
        new MutationObserver(done).observe(document.body, { attributeFilter: ["data-state"] });
        document.querySelector(button).click();
      }),
    s.hook("cancel"),
  );

/** Workers that wait for the next file. */
const SPARE = 1;

const workersOf = (page) => page.workers().length;

/** Measures the longest time the main thread did not come around while `action` runs, in milliseconds. */
async function longestGap(page, action) {
  await page.evaluate(() => {
    const { port1, port2 } = new MessageChannel();
    const gap = (globalThis.gap = { longest: 0, ticks: 0, on: true });
    let last = performance.now();
    port1.onmessage = () => {
      const now = performance.now();
      gap.longest = Math.max(gap.longest, now - last);
      gap.ticks += 1;
      last = now;
      // Not at once: a tick a few milliseconds leaves the worker its processor.
      if (gap.on) setTimeout(() => port2.postMessage(0), 2);
    };
    port2.postMessage(0);
  });
  await action();
  return page.evaluate(() => {
    globalThis.gap.on = false;
    return globalThis.gap;
  });
}

/** A worker that counts for some milliseconds. */
const count = (time) =>
  new Promise((resolve) => {
    const code = `const end = performance.now() + ${time}; let n = 0; while (performance.now() < end) n += 1; postMessage(n)`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    worker.onmessage = () => {
      worker.terminate();
      resolve();
    };
  });

export default {
  async "progress tells bytes, and grows"(lab) {
    const page = await lab.page();
    s.check(await page.locator(s.hook("progress")).isHidden(), "progress before anything is opened");
    const seen = await page.evaluateHandle((progress) => {
      const texts = [];
      const element = document.querySelector(progress);
      new MutationObserver(() => {
        const text = element.innerText.trim();
        if (element.checkVisibility() && text && text !== texts.at(-1)) texts.push(text);
      }).observe(element, { subtree: true, childList: true, characterData: true, attributes: true });
      return texts;
    }, s.hook("progress"));
    const file = large();
    await s.openReady(page, file);
    const figures = (await seen.jsonValue()).map((text) => text.match(/[\d.]+ [KMG]?B/g) ?? []).filter(([, of]) => of !== undefined && of !== "0 B");
    // One comes every tenth of a second, so their number is the machine's.
    s.check(figures.length >= 2, `only ${figures.length} reports of progress`);
    const total = fs.statSync(file).size;
    s.check(figures.every(([, of]) => s.isFigure(of, total)), `another total than ${total}: ${figures[0]}`);
    const read = figures.map(([text]) => parseFloat(text) * (text.endsWith("MB") ? 1 : 0));
    s.check(read.every((n, i) => i === 0 || n > read[i - 1]), `progress does not grow: ${read}`);
    s.check(await page.locator(s.hook("progress")).isHidden(), "progress of nothing");
  },

  async "cancelled on an empty page, it is empty again"(lab) {
    const page = await lab.page();
    await begin(page);
    const seconds = await cancel(page);
    s.equal(await s.stateOf(page), "empty", "state");
    s.check(seconds < 1, `cancelling took ${seconds} s`);
    await s.eventually(() => workersOf(page), SPARE, "workers after cancelling");
    s.check(await page.locator(s.hook("progress")).isHidden(), "progress of nothing");
    await s.openReady(page, LENET.file);
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total");
  },

  async "cancelled over a plan, the plan is still there and answers"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    await begin(page);
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total while loading");
    const seconds = await cancel(page);
    s.equal(await s.stateOf(page), "ready", "state");
    s.check(seconds < 1, `cancelling took ${seconds} s`);
    await s.eventually(() => workersOf(page), 1 + SPARE, "workers after cancelling");
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total");
    await page.locator("canvas[data-hook=usage-chart]").focus();
    await page.keyboard.press("Home");
    await s.eventually(() => s.allRows(page, "alive"), ["%0T"], "tensors alive at the first step");
    const other = s.expectation("sort");
    await s.openReady(page, other.file);
    s.equal(await s.valueOf(page, "planned_total"), String(other.expected.planned_total), "planned total of another");
  },

  async "another file in the middle of loading takes its place"(lab) {
    const page = await lab.page();
    await begin(page);
    await s.openReady(page, LENET.file);
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total");
    await s.eventually(() => workersOf(page), 1 + SPARE, "workers");
  },

  async "the main thread is never held up while a large dump is opened"(lab) {
    // The machine may be busy with something else: how long the thread has to wait while a worker does nothing but
    // count comes on top, and what counts is the best of three.
    const gaps = [];
    for (let i = 0; i < 3; i += 1) {
      const page = await lab.page();
      const noise = await longestGap(page, () => page.evaluate(count, 2000));
      const gap = await longestGap(page, () => s.openReady(page, large()));
      s.check(gap.ticks > 100, `only ${gap.ticks} ticks`);
      gaps.push(`${Math.round(gap.longest)} (idle: ${Math.round(noise.longest)})`);
      await page.context().close();
      if (gap.longest < MOST_HELD_UP + noise.longest) return;
    }
    throw new s.Failed(`held up for ${gaps.join(", ")} ms`);
  },
};
