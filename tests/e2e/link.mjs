// A link holds a summary in itself: what was seen is seen again without the dump, names are treated as chosen, and
// the dump it was made from is told from any other.

import fs from "node:fs";

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const OTHER = s.expectation("lstm_train");
const PEAK = LENET.expected.max_in_use;
/** Tensors that a link names; this dump has no unions at its peak. */
const TOP = Math.min(10, s.tensorsOf(LENET.file).filter((t) => t.aligned > 0 && t.first <= PEAK.step && PEAK.step <= t.last).length);

/** A page with LeNet, and the link to it. */
async function linkOf(lab, mode, prepare = async () => {}) {
  const page = await lab.page();
  await s.openReady(page, LENET.file);
  if (mode) await page.selectOption(s.hook("name-mode"), mode);
  await prepare(page);
  const link = await s.copied(page, "copy-link");
  s.check(link.startsWith(`${lab.site.url}#s=`), `the link is ${link.slice(0, 80)}`);
  s.check(link.length - lab.site.url.length < 2003, `the link is ${link.length} long`);
  return [page, link];
}

const summaryOf = (lab, link, options = {}) => lab.page({ url: link, state: "summary", ...options });

/** The lines of the preview: `[label, value]`. */
const previewOf = (page) =>
  page.$$eval(`${s.hook("link-preview")} dd`, (all) => all.map((dd) => [dd.previousElementSibling.textContent, dd.textContent]));

export default {
  async "a link shows the numbers of the dump, read-only"(lab) {
    const [page, link] = await linkOf(lab, "full");
    const before = await s.factsOf(page);
    const summary = await summaryOf(lab, link);
    const facts = await s.factsOf(summary);
    for (const key of ["planned_total", "lower_bound", "gap", "static_memory", "reuse_ratio", "max_in_use.in_use", "max_in_use.alive", "max_in_use.step", "total_tensor_size", "counts.nodes", "counts.tensors", "file.bytes", "max_end"]) {
      s.check(facts[key]?.seen, `${key} is not seen`);
      s.equal(facts[key].value, before[key].value, key);
    }
    s.equal(facts.planned_total.value, String(LENET.expected.planned_total), "planned total");
    const text = await summary.locator("#notes").innerText();
    s.check(text.includes(s.sha256(fs.readFileSync(LENET.file))), `no fingerprint in ${text}`);
    s.equal(await summary.locator("[data-table=top] [data-row]").count(), TOP, "rows");
    const painted = await summary.$eval("canvas[data-hook=usage-chart]", (c) => new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size);
    s.check(painted > 4, "nothing is painted");
    // What leads somewhere in a plan leads nowhere here.
    await summary.locator("[data-go-step]").first().click();
    await summary.keyboard.press("2");
    s.equal([await s.stateOf(summary), summary.url()], ["summary", link], "after a click and a key");
    // It is handed on as it came, and says what it holds.
    s.equal(await s.copied(summary, "copy-link"), link, "the link copied from the summary");
    s.equal(await s.copied(summary, "copy-markdown"), await s.copied(page, "copy-markdown"), "Markdown copied from the summary");
    s.equal(await previewOf(summary), await previewOf(page), "what the link holds");
    s.equal(await summary.locator(s.hook("name-mode")).isVisible(), false, "a choice of names that are gone");
    await summary.click(s.hook("language"));
    s.check(/[\u4e00-\u9fff]/.test(await summary.locator("#notes").innerText()), "the note is not Chinese");
    await summary.reload();
    await summary.waitForSelector("body[data-state=summary]");
  },

  async "the dump it was made from opens where the sender was"(lab) {
    const [, link] = await linkOf(lab, "hidden", async (page) => {
      await page.locator("canvas[data-hook=usage-chart]").focus();
      await page.keyboard.press("Home");
      await page.click("[data-tab=tensors]");
    });
    const summary = await summaryOf(lab, link);
    // Among others, and under another name.
    const files = [s.inMemory(OTHER.file), s.made("renamed.ir", fs.readFileSync(LENET.file))];
    s.equal(await s.open(summary, files), "ready", "state");
    s.equal(await s.valueOf(summary, "planned_total"), String(LENET.expected.planned_total), "planned total");
    s.equal(await s.selectionOf(summary), ["step", "0"], "selection");
    s.equal(await summary.getAttribute("[data-tab=tensors]", "aria-selected"), "true", "tab");
    s.equal(await summary.locator(`${s.hook("graphs")} [data-row]`).count(), 2, "graphs");
    s.check(!summary.url().includes("#s="), summary.url());
  },

  async "another file is told from it, by its size or by its fingerprint"(lab) {
    const [, link] = await linkOf(lab);
    const changed = Buffer.from(fs.readFileSync(LENET.file));
    changed[changed.length - 2] ^= 1;
    for (const file of [s.inMemory(OTHER.file), s.made("changed.ir", changed)]) {
      const summary = await summaryOf(lab, link);
      await summary.setInputFiles(`input${s.hook("open")}`, file);
      await summary.waitForSelector(s.hook("other-file"));
      s.equal(await s.stateOf(summary), "summary", "state");
      s.check((await summary.locator(s.hook("other-file")).innerText()).includes(file.name), "it is not named");
      s.equal(await s.valueOf(summary, "planned_total"), String(LENET.expected.planned_total), "planned total");
    }
    const summary = await summaryOf(lab, link);
    await summary.setInputFiles(`input${s.hook("open")}`, s.inMemory(OTHER.file));
    s.equal(await s.settled(summary, () => summary.click("[data-open-other]")), "ready", "state");
    s.equal(await s.valueOf(summary, "planned_total"), String(OTHER.expected.planned_total), "planned total");
  },

  async "names in a link are treated as chosen, and the preview shows what is in it"(lab) {
    const layers = PEAK.node.split("/").slice(0, -1).filter((part) => part.length > 6);
    const operator = PEAK.node.split("/").at(-1).replace(/-op\d+$/, "");
    s.check(layers.length > 0 && operator.length > 3, "the fixture has no such names");
    for (const mode of ["full", "operators", "hidden"]) {
      const [page, link] = await linkOf(lab, mode);
      const inside = s.insideOf(link);
      const lines = await previewOf(page);
      const all = lines.flat().join("\n");
      for (const [what, part, shown] of [["layer", layers[0], mode === "full"], ["operator", operator, mode !== "hidden"]]) {
        s.equal(inside.includes(part), shown, `${mode}: the ${what} is in the link`);
        s.equal(all.includes(part), shown, `${mode}: the ${what} is in the preview`);
      }
      s.equal(inside.includes("somas_tensor_offset"), false, "the name of the file is in the link");
      s.check(all.includes(s.sha256(fs.readFileSync(LENET.file))), "no fingerprint in the preview");
      // Remembered, and seen before it is copied.
      await page.click("#link-holds summary");
      s.check(await page.locator(s.hook("link-preview")).isVisible(), "the preview is not seen");
      await page.reload();
      s.equal(await page.inputValue(s.hook("name-mode")), mode, "mode after reloading");
    }
  },

  async "an open preview follows what is looked at"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    await page.click("#link-holds summary");
    const view = async () => (await previewOf(page)).map(([, value]) => value).filter((value) => /^(step|tab)=/.test(value));
    await page.waitForSelector(`${s.hook("link-preview")} dd`);
    s.equal(await view(), [], "view");
    await page.click("[data-tab=nodes]");
    await s.eventually(view, ["tab=nodes"], "view");
    s.equal(s.insideOf(await s.copied(page, "copy-link")).includes("tab=nodes"), true, "view in the link");
  },

  async "Markdown holds the facts and the link, in both languages"(lab) {
    const [page, link] = await linkOf(lab, "full");
    for (const words of [["Planned total", "Lower bound"], ["规划总量", "下界"]]) {
      const text = await s.copied(page, "copy-markdown");
      for (const part of [...words, `](${link})`, PEAK.node.split("/").at(-1), s.sha256(fs.readFileSync(LENET.file))]) {
        s.check(text.includes(part), `${part} is not in ${text.slice(0, 1500)}`);
      }
      s.equal(text.match(/^\| `%\d+T` /gm)?.length, TOP, "rows");
      await page.click(s.hook("language"));
    }
  },

  async "any link gives a summary or says what is wrong"(lab) {
    const [, link] = await linkOf(lab);
    const good = link.split("#s=")[1];
    const version = (n) => Buffer.concat([Buffer.from([n]), Buffer.from(good, "base64url").subarray(1)]).toString("base64url");
    for (const [what, text, said] of [
      ["empty", "", /cut or changed/],
      ["cut", good.slice(0, -20), /cut or changed/],
      ["markup", "<img src=x onerror=globalThis.harmed=1>", /cut or changed/],
      ["percent", "%", /cut or changed/],
      ["newer", version(9), /newer version/],
      ["too long", "A".repeat(9000), /longer than any/],
    ]) {
      const page = await lab.page({ url: `${lab.site.url}#s=${text}`, state: "error" });
      s.check(said.test(await page.locator("#failure").innerText()), `${what}: ${await page.locator("#failure").innerText()}`);
      s.equal(await page.evaluate(() => [globalThis.harmed, document.images.length]), [null, 0].map((v) => v ?? undefined), what);
      // From there on it is a page like any other.
      await s.openReady(page, LENET.file);
      s.check(!page.url().includes("#s="), page.url());
    }
  },

  async "a link can be pasted, and left with Back"(lab) {
    const [, link] = await linkOf(lab);
    const page = await lab.page();
    await s.paste(page, ` somascope.html#s=${link.split("#s=")[1]}\n`.trim());
    await page.waitForSelector("body[data-state=summary]");
    await page.goBack();
    await page.waitForSelector("body[data-state=empty]");
    await page.goForward();
    await page.waitForSelector("body[data-state=summary]");
  },

  async "hostile names in a link are shown as text"(lab) {
    const name = "Default/<img src=x onerror=globalThis.harmed=1>\u001b[31m\u202e|`";
    const page = await lab.page();
    await s.openReady(page, s.made("x.ir", s.textOf(LENET.file).replaceAll(PEAK.node, () => name)));
    await page.selectOption(s.hook("name-mode"), "full");
    const link = await s.copied(page, "copy-link");
    const text = await s.copied(page, "copy-markdown");
    s.check(text.includes("`<img src=x onerror=globalThis.harmed=1>\\u{1b}[31m\\u{202e}\\u{7c}\\u{60}`") || text.includes("onerror=globalThis.harmed=1>\\u{1b}"), text);
    const summary = await summaryOf(lab, link);
    for (const one of [page, summary]) {
      const [harmed, images, all] = await one.evaluate(() => [globalThis.harmed ?? 0, document.images.length, document.body.textContent]);
      s.equal([harmed, images], [0, 0], "what names did");
      s.check(all.includes("onerror=globalThis.harmed=1>\\u{1b}[31m\\u{202e}|`"), "the name is not shown");
      s.check(!/[\u001b\u202e]/.test(all), "characters that act");
    }
  },
};
