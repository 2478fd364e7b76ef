// The numbers on the page are those of an independent calculation, whichever way the dump came in.

import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

import * as s from "./support.mjs";

/** Keys of an expectation that the page shows as numbers. */
const NUMBERS = [
  "static_memory",
  "total_tensor_size",
  "planned_total",
  "lower_bound",
  "gap",
  "max_total_memory",
  "max_end",
  "reuse_ratio",
];

/** The facts that an expectation asks for. */
function wanted(expected) {
  const facts = {};
  for (const key of NUMBERS) if (key in expected) facts[key] = expected[key];
  for (const key of ["alive", "in_use", "step"]) facts[`max_in_use.${key}`] = expected.max_in_use[key];
  for (const [key, n] of Object.entries(expected.alignment_waste ?? {})) facts[`alignment_waste.${key}`] = n;
  if (expected.max_end_without_lifelong) facts["max_end_without_lifelong.end"] = expected.max_end_without_lifelong.end;
  for (const [key, value] of Object.entries(expected.counts)) {
    if (typeof value === "number") facts[`counts.${key}`] = value;
    else for (const [word, n] of Object.entries(value)) facts[`counts.${key}.${word}`] = n;
  }
  return facts;
}

const SIZES = /memory|size|total$|bound|gap|alive$|in_use$|end$|at_peak/;

async function checkFacts(page, { name, expected }) {
  const shown = await s.factsOf(page);
  const facts = wanted(expected);
  for (const [key, value] of Object.entries(facts)) {
    const fact = shown[key];
    s.check(fact, `${name}: no fact ${key} on the page`);
    s.check(fact.seen && fact.text !== "", `${name}: fact ${key} cannot be seen`);
    const same = key === "reuse_ratio" && value !== null ? Math.abs(Number(fact.value) - value) < 0.000_000_51 : fact.value === String(value);
    s.check(same, `${name}: ${key}: expected ${value}, found ${fact.value}`);
    if (SIZES.test(key) && !key.startsWith("counts") && value >= 0) {
      s.check(s.isFigure(fact.text, value), `${name}: ${key} is ${value}, but says ${fact.text}`);
    }
  }
  for (const words of ["types", "lifelong"].filter((kind) => expected.counts[kind])) {
    const keys = (all) => Object.keys(all).filter((key) => key.startsWith(`counts.${words}.`)).sort();
    s.equal(keys(shown), keys(facts), `${name}: ${words}`);
  }
}

const LENET = s.expectation("lenet_train");
const GAN = s.expectations().filter((e) => e.name.includes("gan_three_graphs"));

/** Both ways of dropping give the numbers of LeNet. */
async function dropped(lab, drop) {
  const page = await lab.page();
  s.equal(await s.settled(page, () => drop(page)), "ready", "state");
  await checkFacts(page, LENET);
}

export default {
  async "every dump through the file input"(lab) {
    const page = await lab.page();
    const all = s.expectations();
    s.check(all.length >= 58, `only ${all.length} expectations found`);
    for (const one of all) {
      await s.openReady(page, one.file);
      s.equal(await s.valueOf(page, "file.bytes"), String(fs.statSync(one.file).size), `${one.name}: file`);
      await checkFacts(page, one);
    }
  },

  async "a file dropped from the file manager"(lab) {
    await dropped(lab, (page) => s.dropPaths(page, [LENET.file]));
  },

  async "a file dropped by an event"(lab) {
    await dropped(lab, (page) => s.dropMade(page, [[path.basename(LENET.file), s.textOf(LENET.file)]]));
  },

  async "the text of a dump pasted"(lab) {
    await dropped(lab, (page) => s.paste(page, s.textOf(LENET.file)));
  },

  async "a dump packed with gzip"(lab) {
    const page = await lab.page();
    const packed = zlib.gzipSync(fs.readFileSync(LENET.file));
    await s.openReady(page, s.made("CPU_somas_tensor_offset_0.ir.gz", packed));
    await checkFacts(page, LENET);
  },

  async "a folder dropped from the file manager"(lab) {
    const page = await lab.page();
    s.equal(await s.settled(page, () => s.dropPaths(page, [path.dirname(GAN[0].file)])), "ready", "state");
    const rows = await page.$$eval(`${s.hook("graphs")} [data-row]`, (all) => all.map((e) => e.dataset.row));
    s.equal(rows, GAN.map((e) => path.basename(e.file)), "graphs");
    await checkFacts(page, GAN[0]);
  },

  async "the sample"(lab) {
    const page = await lab.page();
    s.equal(await s.settled(page, () => page.click(s.hook("sample"))), "ready", "state");
    await checkFacts(page, s.expectation("resnet18_train"));
  },

  async "several graphs at once, and changing between them"(lab) {
    const page = await lab.page();
    await s.openReady(page, GAN.map((e) => e.file).reverse());
    const chooser = page.locator(s.hook("graphs"));
    s.check(await chooser.isVisible(), "the chooser cannot be seen");
    const rows = await chooser.locator("[data-row]").evaluateAll((all) => all.map((e) => e.dataset.row));
    s.equal(rows, GAN.map((e) => path.basename(e.file)), "graphs");
    await checkFacts(page, GAN[0]);
    for (const one of [GAN[2], GAN[1], GAN[0]]) {
      const row = path.basename(one.file);
      const label = await chooser.locator(`[data-row="${row}"]`).evaluate((e) => e.label ?? e.textContent);
      await s.settled(page, () => chooser.selectOption({ label }));
      await checkFacts(page, one);
    }
    const different = new Set(GAN.map((e) => e.expected.planned_total));
    s.check(different.size > 1, "the graphs of this fixture cannot be told apart");
  },

  async "the chooser is hidden for one graph"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    s.check(await page.locator(s.hook("graphs")).isHidden(), "a chooser for one graph");
  },

  async "files of the same graph are listed beside it"(lab) {
    const page = await lab.page();
    const dir = s.dataFile("samples/v1.10_ascend");
    const names = fs.readdirSync(dir);
    await s.openReady(page, names.map((name) => path.join(dir, name)));
    const text = await page.locator("main").innerText();
    for (const name of names.filter((name) => !name.includes("tensor_offset"))) s.check(text.includes(name), `${name} is not named`);
    s.check(await page.locator(s.hook("graphs")).isHidden(), "siblings are no graphs");
    s.equal((await s.messagesOf(page)).filter((m) => m.code === "other_file"), [], "siblings are no strangers");
  },

  async "an early stage has no planned total and no gap"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.dataFile("samples/v1.10_ascend/Ascend_somas_tensor_offset_1.ir"));
    s.check((await s.valueOf(page, "planned_total")) !== undefined, "the final plan has a planned total");
    await s.openReady(page, s.dataFile("samples/v2.10_cpu_lenet_real/CPU_somas_initial_info_0.ir"));
    const facts = await s.factsOf(page);
    for (const key of ["planned_total", "gap", "max_end", "max_end_without_lifelong.end"]) s.check(!facts[key], `${key} of a stage`);
    for (const key of ["lower_bound", "max_in_use.in_use", "static_memory", "counts.tensors"]) s.check(facts[key]?.seen, `no ${key}`);
  },

  async "opening another file replaces the first, wholly"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    for (const one of [s.expectation("tiny_one_node"), s.expectation("ascend_like_sample/Ascend_somas_tensor_offset_1"), LENET]) {
      await s.openReady(page, one.file);
      await checkFacts(page, one);
    }
  },

  async "the same file twice in a row"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    await s.openReady(page, LENET.file);
    await checkFacts(page, LENET);
  },

  async "while another file loads, the first stays"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    const blank = await page.evaluateHandle(() => {
      // Notes every moment at which the page has no number of the first or the second file.
      const moments = [];
      new MutationObserver(() => {
        if (!document.querySelector("[data-fact=planned_total]")?.checkVisibility()) moments.push(document.body.dataset.state);
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
      return moments;
    });
    await s.openReady(page, s.expectation("gpt_8l_recompute_on").file);
    s.equal(await blank.jsonValue(), [], "moments without numbers");
  },
};
