// The safety view: the verdict, the findings, the picture of a pair, who shares bytes.

import { spawnSync } from "node:child_process";
import path from "node:path";

import * as s from "./support.mjs";
import { choose as find } from "./search.mjs";

const verdict = s.hook("verdict");

/** Broken plans with the pairs that an independent calculation lists. */
const BROKEN = s.expectations().filter((e) => e.name.startsWith("generations") && e.expected.hazards?.length);

/** Waits for the verdict; `[value, count]`. */
async function verdictOf(page) {
  await page.waitForSelector(verdict, { timeout: s.PATIENCE });
  return page.$eval(verdict, (e) => [e.dataset.value, e.dataset.count]);
}

/** Opens the view by the verdict in the bar. */
async function openSafety(page) {
  await page.click(verdict);
  await s.eventually(() => page.locator("[data-view=safety]").isVisible(), true, "the safety view");
}

const keyOf = ([a, b]) => `%${a}T %${b}T`;

/** Pixels of a canvas: how many are painted, and how many are of a colour of the style sheet. */
const inkOf = (page, hook, variable) =>
  page.$eval(
    s.hook(hook),
    (canvas, variable) => {
      const { width, height } = canvas;
      if (!width || !height) return { painted: 0, wanted: 0 };
      const probe = document.createElement("canvas").getContext("2d");
      probe.fillStyle = getComputedStyle(document.body).getPropertyValue(variable);
      probe.fillRect(0, 0, 1, 1);
      const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
      // A copy: reading the page's own canvas back would make the browser complain.
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [width, height];
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      let [painted, wanted] = [0, 0];
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3]) painted += 1;
        if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) wanted += 1;
      }
      return { painted, wanted };
    },
    variable,
  );

/** Chooses a pair in the table of findings and waits until it is explained. */
async function choose(page, key) {
  await page.click(`[data-table=findings] [data-row="${key}"] td:nth-child(2)`);
  await s.eventually(() => page.getAttribute("#pair-card", "data-pair-key"), key, "the pair that is explained");
}

/** Rows of a dump of 2.3 or later by the plainest means, with their bytes. */
function placed(file) {
  const row = /^%(\d+)T\t#(\d+)S\t#\d+S\t&(\d+)\t\w+\t(\w+)\t(\d+)\t(\d+)/gm;
  return [...s.textOf(file).matchAll(row)]
    .map(([, id, aligned, offset, lifelong, first, last]) => ({
      id: Number(id),
      start: Number(offset),
      end: Number(offset) + Number(aligned),
      first: /All|Start/.test(lifelong) ? 0 : Number(first),
      last: /All|End/.test(lifelong) ? 1e9 : Number(last),
    }))
    .filter((t) => t.end > t.start);
}

const meets = (a, b) => a.start < b.end && b.start < a.end;

/** Ids in time order. */
const inTime = (list) =>
  list.sort((a, b) => a.first - b.first || a.last - b.last || a.id - b.id).map((t) => `%${t.id}T`);

export default {
  async "healthy plans are safe"(lab) {
    const page = await lab.page();
    for (const part of ["lenet_train", "C3_Ascend_1/", "B2_Ascend_1/"]) {
      await s.openReady(page, s.expectation(part).file);
      s.equal(await verdictOf(page), ["safe", "0"], `verdict of ${part}`);
    }
    await openSafety(page);
    s.equal(await page.locator("[data-table=findings] [data-row]").count(), 0, "findings of a safe plan");
    const text = await page.innerText("#safety-text");
    s.check(/\d/.test(text) && text.includes("edges"), `what it rests on: ${text}`);
  },

  async "no verdict while it is unknown"(lab) {
    const page = await lab.page();
    s.equal(await page.locator(verdict).count(), 0, "verdict of an empty page");
    const seen = await page.evaluateHandle(() => {
      const moments = [];
      new MutationObserver(() => {
        if (document.body.dataset.state === "ready") moments.push(!!document.querySelector("[data-hook=verdict]"));
      }).observe(document.body, { attributeFilter: ["data-state"] });
      return moments;
    });
    for (const one of [BROKEN[0], s.expectation("lenet_train")]) {
      await s.openReady(page, one.file);
      s.equal((await seen.jsonValue()).at(-1), false, `${one.name}: a verdict before it was made`);
      await verdictOf(page);
    }
  },

  async "an early stage and a plan read in part are undecided"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.dataFile("samples/v2.10_cpu_lenet_real/CPU_somas_initial_info_0.ir"));
    s.equal((await verdictOf(page))[0], "undecided", "verdict of a stage");
    const text = s.textOf(s.expectation("C3_CPU_2/").file);
    const damaged = text.replace(/^(%3T\t)#\d+S/m, "$1#oneS");
    s.check(damaged !== text, "nothing was damaged");
    s.equal(await s.open(page, [s.made("CPU_somas_tensor_offset_0.ir", damaged)]), "error", "state of a damaged plan");
    s.equal(await page.locator(verdict).count(), 0, "verdict of a plan that cannot be read");
    s.equal(await s.settled(page, () => page.click(s.hook("partial"))), "ready", "state in part");
    s.equal((await verdictOf(page))[0], "undecided", "verdict in part");
    await openSafety(page);
    s.check((await page.innerText("#safety-text")).includes("could not be read"), "why it is undecided");
  },

  async "broken plans: just the listed pairs"(lab) {
    s.check(BROKEN.length >= 16, `${BROKEN.length} broken plans`);
    const page = await lab.page();
    for (const { name, file, expected } of BROKEN) {
      await s.openReady(page, file);
      s.equal(await verdictOf(page), ["hazards", String(expected.hazards.length)], `verdict of ${name}`);
      await openSafety(page);
      // Contradictions are findings too.
      await page.click("[data-kind-filter=hazard]");
      await s.eventually(() => s.allRows(page, "findings"), expected.hazards.map(keyOf), `findings of ${name}`);
      s.equal(await s.valueOf(page, "hazards.count"), String(expected.hazards.length), "the number as a fact");
    }
  },

  async "a chosen pair is drawn and explained"(lab) {
    const page = await lab.page();
    for (const part of ["C3_CPU_1_broken", "C2_Ascend_2_broken", "C2_GPU_1_broken"]) {
      const { file, expected } = s.expectation(part);
      const { stdout } = spawnSync(lab.cli, ["-s", file, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 });
      const list = JSON.parse(stdout).hazards.list;
      s.equal(list.map((h) => [h.a, h.b]), expected.hazards, "pairs of the command line");
      await s.openReady(page, file);
      await verdictOf(page);
      await openSafety(page);
      const names = new Map([...s.textOf(file).matchAll(/^\$(\d+)\t([^\t]+)/gm)].map(([, n, name]) => [Number(n), name]));
      for (const hazard of list.slice(0, 3)) {
        const key = keyOf([hazard.a, hazard.b]);
        await choose(page, key);
        const { painted, wanted } = await inkOf(page, "pair-picture", "--hazard");
        s.check(painted > 2000 && wanted > 100, `${part} ${key}: ${painted} pixels painted, ${wanted} of a hazard`);
        const text = await page.textContent("#pair-text");
        s.check(text.includes(hazard.kind.toUpperCase()), `${key}: no ${hazard.kind} in ${text}`);
        for (const node of hazard.nodes) {
          const name = names.get(node).split("/").at(-1);
          s.check(text.includes(`$${node}`) && text.includes(name), `${key}: no $${node} ${name} in ${text}`);
        }
        const told = await page.textContent(s.hook("issue-text"));
        for (const word of [`%${hazard.a}T`, `%${hazard.b}T`, `${hazard.bytes}`, path.basename(file), ...hazard.nodes.map((n) => `$${n}`)]) {
          s.check(told.includes(word), `${key}: ${word} is not told: ${told}`);
        }
      }
    }
  },

  async "findings of one kind, sorted, and in the history"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.expectation("C3_CPU_1_broken").file);
    await verdictOf(page);
    await openSafety(page);
    const buttons = page.locator("[data-kind-filter]");
    const kinds = await buttons.evaluateAll((all) => all.map((b) => [b.dataset.kindFilter, Number(b.textContent.match(/\d+$/)?.[0])]));
    s.check(kinds.length >= 3, `kinds: ${JSON.stringify(kinds)}`);
    for (const [kind, n] of kinds.slice(1)) {
      await page.click(`[data-kind-filter=${kind}]`);
      await s.eventually(async () => (await s.allRows(page, "findings")).length, n, `rows of ${kind}`);
    }
    await page.click('[data-kind-filter=""]');
    await page.click("[data-table=findings] [data-column=Shared] button");
    const at = await page.$$eval("[data-table=findings] th", (all) => all.findIndex((th) => th.dataset.column === "Shared"));
    const titles = () =>
      page.$$eval(`[data-table=findings] tr[data-row] td:nth-child(${at + 1})`, (all) => all.map((td) => Number(td.title.replace(/\D/g, ""))));
    await s.eventually(
      async () => {
        const bytes = await titles();
        return bytes.length > 3 && bytes.every((n, i) => !i || bytes[i - 1] >= n);
      },
      true,
      "sorted by bytes, largest first",
    );
    const [first, second] = await page.$$eval("[data-table=findings] tr[data-row]", (all) => all.slice(0, 2).map((tr) => tr.dataset.row));
    await choose(page, first);
    await choose(page, second);
    await page.goBack();
    await s.eventually(() => page.getAttribute("#pair-card", "data-pair-key"), first, "the pair before");
  },

  async "who shares the bytes of a tensor, of addresses, of steps"(lab) {
    const page = await lab.page();
    const { file, expected } = s.expectation("C3_CPU_1_broken");
    const all = placed(file);
    await s.openReady(page, file);
    await verdictOf(page);
    await page.click("[data-tab=tensors]");
    await page.fill("[data-filter=tensors]", "%97T");
    await page.click('[data-table=tensors] [data-row="%97T"] td:first-child .link');
    await page.click("[data-show-overlaps]");
    const own = all.find((t) => t.id === 97);
    const sharing = inTime(all.filter((t) => t.id !== 97 && meets(t, own)));
    await s.eventually(() => s.allRows(page, "overlaps"), sharing, "who shares the bytes of %97T");
    const why = Object.fromEntries(
      await page.$$eval("[data-table=overlaps] tr[data-row]", (all) => all.map((tr) => [tr.dataset.row, tr.querySelector("[data-why]").dataset.why])),
    );
    for (const [a, b] of expected.hazards.filter((pair) => pair.includes(97))) {
      const other = `%${a === 97 ? b : a}T`;
      s.check((why[other] ?? "hazard") === "hazard", `${other} is ${why[other]}`);
    }
    const { painted, wanted } = await inkOf(page, "overlap-map", "--hazard");
    s.check(painted > 1000 && wanted > 10, `the map of overlaps: ${painted} pixels, ${wanted} of a hazard`);
    // A row that is fine leads to the path that orders it.
    const fine = Object.entries(why).find(([, word]) => word === "before" || word === "after");
    await page.click(`[data-table=overlaps] [data-row="${fine[0]}"] td:nth-child(2)`);
    await s.eventually(() => page.getAttribute("#pair-card", "data-ground"), "ordered", "what makes it fine");
    s.check((await page.locator("#pair-text .path-of").count()) > 0, "a path");
    const range = { start: own.start, end: own.start + 4096 };
    const key = `0x${range.start.toString(16)}-0x${range.end.toString(16)}`;
    await find(page, key, key);
    const there = inTime(all.filter((t) => meets(t, range)));
    await s.eventually(() => s.allRows(page, "overlaps"), there, "who is on these addresses");
  },

  async "the text can be copied, in either language"(lab) {
    const page = await lab.page({ permissions: ["clipboard-read", "clipboard-write"] });
    await s.openReady(page, s.expectation("C3_Ascend_1_broken").file);
    await verdictOf(page);
    await openSafety(page);
    await choose(page, "%8T %11T");
    const copied = async () => {
      await page.click(s.hook("copy-issue"));
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const told = (language) => (text) => text.includes("%8T") && text.includes("%11T") && /[\u4e00-\u9fff]/.test(text) === (language === "zh");
    s.check(told("en")(await copied()), "the English text");
    await page.click(s.hook("language"));
    s.check(told("zh")(await copied()), "the Chinese text");
  },
};
