// Every view of a plan whose names all would act if they were not text, and everything that is copied from it.

import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

import * as s from "./support.mjs";
import { HOSTILE, UNSAFE } from "./names.mjs";
import { search } from "./search.mjs";

const DIR = s.dataFile("dumps/ascend_like_sample");
const NAMES = HOSTILE.map(([name]) => name);
const hostile = (i) => NAMES[i % NAMES.length];

/** A dump and the task info beside it in which every node, layer and parameter has such a name. */
function hostileFiles(number, ...others) {
  const text = s.textOf(path.join(DIR, `Ascend_somas_tensor_offset_${number}.ir`));
  const names = new Map();
  for (const [, name] of text.matchAll(/^\$\d+\t([^\t]*)\t/gm)) {
    names.set(name, `Default/${hostile(names.size)}/${hostile(names.size * 7 + 3)}-op${names.size}`);
  }
  for (const [, name] of text.matchAll(/^%\d+P\t#\d+S\t([^\t]*)\t/gm)) names.set(name, `${hostile(names.size)}.${names.size}`);
  s.check(names.size > 100, `only ${names.size} names`);
  const edit = (text) => text.replace(/[^\t\n:]+/g, (word) => names.get(word) ?? word);
  return [
    s.made(`Ascend_somas_tensor_offset_${number}.ir`, edit(text)),
    ...others.map((name) => s.made(name, edit(fs.readFileSync(path.join(DIR, name), "utf8")))),
  ];
}

/** Whether names are only text so far; `where` says what is looked at. */
async function checkText(page, where) {
  const found = await page.evaluate((unsafe) => {
    const acts = new RegExp(unsafe);
    const elements = document.querySelectorAll(
      "body :is(img, style, script:not([src], [id^=part-], [data-sample-name]), iframe, object, embed, template, meta, base, math, [onerror], [onload], [srcdoc], [href^='javascript:'])",
    );
    const texts = [document.title];
    for (const element of document.querySelectorAll("body, body *")) {
      for (const { value } of element.attributes) texts.push(value);
      for (const { nodeType, data } of element.childNodes) if (nodeType === Node.TEXT_NODE) texts.push(data);
      if ("value" in element) texts.push(String(element.value));
    }
    return { harmed: globalThis.harmed ?? null, elements: [...elements].map((e) => e.outerHTML.slice(0, 100)), bad: texts.filter((text) => acts.test(text)).slice(0, 3) };
  }, UNSAFE.source);
  s.equal(found, { harmed: null, elements: [], bad: [] }, where);
}

/** Moves the pointer over a picture and looks at what is read out on the way; all of it. */
async function hover(page, picture, readout, where) {
  const canvas = page.locator(picture);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const read = new Set();
  for (let i = 1; i < 12; i += 1) {
    await page.mouse.move(box.x + (box.width * i) / 12, box.y + (box.height * ((i * 5) % 12)) / 12);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    read.add(await page.textContent(readout));
    await checkText(page, where);
  }
  return [...read].join(" ");
}

const HARM = /onerror|onload|harmed|\\u\{|cmd\||&lt;|__proto__/;
const isHostile = (text) => HARM.test(text);

export default {
  async "in the overview, its groups and its pictures"(lab) {
    const page = await lab.page();
    await s.openReady(page, hostileFiles(2));
    await checkText(page, "overview");
    for (const by of ["layer", "operator", "type"]) {
      await page.click(`[data-by=${by}]`);
      await s.eventually(() => page.getAttribute(`[data-by=${by}]`, "aria-pressed"), "true", by);
      const read = await hover(page, s.hook("icicle"), "#icicle-readout", `icicle by ${by}`);
      s.check(by === "type" || isHostile(read), `nothing hostile was read out: ${read}`);
      await checkText(page, `groups by ${by}`);
    }
    await page.click("[data-by=layer]");
    const closed = page.locator("#groups-tree [aria-expanded=false] .twisty");
    await closed.first().waitFor();
    for (let i = 0; i < 9 && (await closed.count()) > 0; i += 1) await closed.first().click();
    await s.eventually(async () => isHostile(await page.textContent("#groups-tree")), true, "names in the tree");
    // What everything is narrowed to is named above the tables.
    await page.locator("#groups-tree [data-group]", { hasText: HARM }).first().click();
    await s.eventually(async () => isHostile(await page.textContent("#narrow")), true, "the narrowing");
    await checkText(page, "narrowed");
    const read = await hover(page, s.hook("usage-chart"), s.hook("readout"), "usage chart");
    s.check(read.length > 0, "nothing is read out");
  },

  async "in the tables and the side panel"(lab) {
    const page = await lab.page();
    await s.openReady(page, hostileFiles(2));
    for (const [tab, kind] of [["tensors", "tensor"], ["nodes", "node"], ["parameters", "parameter"]]) {
      await page.click(`[data-tab=${tab}]`);
      await page.waitForSelector(`[data-table=${tab}] [data-row]`);
      s.check(isHostile(await page.textContent(`[data-table=${tab}]`)), `no such name in ${tab}`);
      await checkText(page, tab);
      for (const row of [0, 3, 7, 11]) {
        // Other cells may lead elsewhere.
        await page.locator(`[data-table=${tab}] [data-row]`).nth(row).locator("td").nth(tab === "nodes" ? 2 : 1).click();
        await s.eventually(async () => (await s.selectionOf(page))[0], kind, "selection");
        await page.waitForSelector(`${s.hook("selection")}:not([aria-busy])`);
        await checkText(page, `panel of a ${kind}`);
      }
      s.check(isHostile(await page.textContent(s.hook("selection"))), `no such name in the panel of a ${kind}`);
    }
  },

  async "on the map"(lab) {
    const page = await lab.page();
    await s.openReady(page, hostileFiles(2));
    await page.click("[data-tab=map]");
    await page.waitForSelector(`${s.hook("memory-map")}[data-window]`);
    for (const [i, layers] of [[0, true], [1, true], [2, false]]) {
      await page.selectOption("#map-key", { index: i });
      await s.eventually(async () => !layers || isHostile(await page.textContent("#map-legend")), true, `legend ${i}`);
      const read = await hover(page, s.hook("memory-map"), "#map-readout", `map by ${i}`);
      s.check(isHostile(read), `nothing hostile was read out: ${read}`);
    }
  },

  async "among the hits of a search and in a pasted message"(lab) {
    const page = await lab.page();
    await s.openReady(page, hostileFiles(2));
    for (const text of ["<img", "onload", "javascript:", "gpj", "31mred", "<b>no such"]) {
      await search(page, text);
      await checkText(page, `hits of ${text}`);
    }
    for (const [name] of HOSTILE) {
      // A clipboard holds no NUL.
      await s.paste(page, `RuntimeError: Malloc for kernel output failed, Memory isn't enough, node:Default/${name.replaceAll("\0", "")}\n${name.replaceAll("\0", "")}`);
      await page.waitForSelector(`${s.hook("oom")}:not([hidden])`);
      await checkText(page, "a pasted message");
    }
    // What is typed stands in the box as it is, and is repeated beside it as text.
    await search(page, "zz\u202e\u200bzz");
    s.check(!UNSAFE.test(await page.textContent("#hits")), "what was searched for acts among the hits");
  },

  async "in the findings, a pair and what is copied of it"(lab) {
    const page = await lab.page();
    await s.openReady(page, hostileFiles(2));
    await page.waitForSelector(s.hook("verdict"));
    await page.click(s.hook("verdict"));
    const row = page.locator("[data-table=findings] [data-row]").first();
    await row.locator("td").nth(1).click();
    await page.waitForSelector("#pair-grid:not([hidden])");
    s.check(isHostile(await page.textContent("#pair-text")), "no such name beside the pair");
    await checkText(page, "pair");
    s.check(!UNSAFE.test(await s.copied(page, "copy-issue")), "what is copied acts");
    await page.click("#tell-title");
    await checkText(page, "text for the tracker");
    s.check(isHostile(await page.textContent("[data-table=overlaps]")), "no such name among the overlaps");
  },

  async "beside the addresses of tasks"(lab) {
    const page = await lab.page();
    await s.openReady(page, hostileFiles(1, "task_info_faults_1.ir"));
    await s.eventually(() => page.$eval(s.hook("tasks"), (card) => Number(card.dataset.findings) > 3), true, "findings");
    await checkText(page, "card of tasks");
    await page.click("[data-tab=safety]");
    await page.waitForSelector("[data-table=findings] [data-row]");
    s.check(isHostile(await page.textContent("[data-table=findings]")), "no such name among the findings");
    await checkText(page, "findings of tasks");
  },

  async "in a link, its preview, Markdown and the summary"(lab) {
    const page = await lab.page();
    await s.openReady(page, hostileFiles(2));
    await page.click("#link-holds summary");
    for (const mode of ["full", "operators", "hidden"]) {
      await page.selectOption(s.hook("name-mode"), mode);
      for (const language of ["en", "zh"]) {
        const text = await s.copied(page, "copy-markdown");
        s.check(!UNSAFE.test(text.replaceAll("\n", "")), `${mode}: Markdown acts`);
        s.equal(isHostile(text), mode !== "hidden", `${mode}, ${language}: names in Markdown`);
        await page.click(s.hook("language"));
      }
      const link = await s.copied(page, "copy-link");
      s.check(/^[\w-]+$/.test(link.split("#s=")[1]), link);
      s.equal(isHostile(await page.textContent(s.hook("link-preview"))), mode !== "hidden", `${mode}: names in the preview`);
      await checkText(page, `${mode}: preview`);
      const summary = await lab.page({ url: link, state: "summary" });
      await summary.click("#link-holds summary");
      await checkText(summary, `${mode}: summary`);
    }
  },

  async "in a link that somascope did not make"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.expectation("lenet_train").file);
    await page.selectOption(s.hook("name-mode"), "full");
    const made = await s.copied(page, "copy-link");
    const inside = s.insideOf(made);
    const name = Buffer.from(s.expectation("lenet_train").expected.max_in_use.node.split("/").at(-1));
    const at = inside.indexOf(name);
    s.equal(inside[at - 1], name.length, "length before the operator");
    for (const [harm, shown = harm] of HOSTILE) {
      const bytes = Buffer.from(harm);
      s.check(bytes.length < 128, "too long for one byte of length");
      const changed = Buffer.concat([inside.subarray(0, at - 1), Buffer.from([bytes.length]), bytes, inside.subarray(at + name.length)]);
      const text = Buffer.concat([Buffer.from([1]), zlib.deflateRawSync(changed)]).toString("base64url");
      const summary = await lab.page({ url: `${lab.site.url}#s=${text}`, state: "summary" });
      await summary.click("#link-holds summary");
      s.check((await summary.textContent("#facts, #plan")).includes(shown), `${shown}: not shown`);
      await checkText(summary, shown);
      s.check(!UNSAFE.test((await s.copied(summary, "copy-markdown")).replaceAll("\n", "")), `${shown}: Markdown acts`);
      await summary.close();
    }
  },

  async "of folders and files that are dropped, and of a second plan"(lab) {
    const root = path.join(path.dirname(lab.scratch("x", "")), "run");
    const [dump] = hostileFiles(2);
    NAMES.filter((name) => !/[\0/]/.test(name)).forEach((name, i) => {
      const dir = path.join(root, name, `rank_${i}`);
      fs.mkdirSync(dir, { recursive: true });
      fs.writeFileSync(path.join(dir, "Ascend_somas_tensor_offset_2.ir"), i ? dump.buffer : dump.buffer.subarray(0, 5000));
      fs.writeFileSync(path.join(dir, `${name}.ir`), "nothing to read");
    });
    const page = await lab.page();
    s.equal(await s.settled(page, () => s.dropPaths(page, [root])), "ready", "state");
    s.check(isHostile(await page.textContent("[data-table=graphs]")), "no such name among the graphs");
    await checkText(page, "graphs and messages");
    await page.click("#messages summary");
    await checkText(page, "messages");
    const chooser = page.locator(s.hook("compare"));
    await chooser.selectOption(await chooser.locator("option[data-row]").last().getAttribute("value"));
    await page.waitForSelector("#compare-card:not([hidden])");
    await checkText(page, "a second plan");
  },
};
