// Names in a dump and names of files are text, whatever they hold.

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const PEAK_NODE = LENET.expected.max_in_use.node;

/** Names that would do harm as markup, as code or on a terminal; where it differs, as they must be shown. */
export const HOSTILE = [
  ["<img src=x onerror=globalThis.harmed=1>"],
  ["<script>globalThis.harmed=1<\\script>"],
  ["\"'><svg onload=globalThis.harmed=1>"],
  ["<style>*{display:none}<\\style><template><iframe srcdoc=x>"],
  ["&lt;b&gt;&#60;i&#62;"],
  ["${globalThis.harmed=1}{{7*7}}`code`%s%d"],
  ["__proto__"],
  ["javascript:globalThis.harmed=1"],
  ["=cmd|' C'!A0"],
  ["a\u202egpj.exe", "a\\u{202e}gpj.exe"],
  ["\u001b[31mred\u0007\u0000", "\\u{1b}[31mred\\u{7}\\u{0}"],
  ["z\u200bw\ufeff", "z\\u{200b}w\\u{feff}"],
  ["网络\u{1f4a9}e\u0301"],
];

/** LeNet with another name for the node at the peak. */
const renamed = (name) => s.textOf(LENET.file).replaceAll(PEAK_NODE, () => name);

/** What must not change whatever a name holds: the page's elements, apart from the choice among open graphs. */
const count = (page) =>
  page.evaluate(() => {
    const counts = {};
    // A graph more is a row more.
    for (const { localName } of document.querySelectorAll(":not(option):not([data-table=graphs] *)")) counts[localName] = (counts[localName] ?? 0) + 1;
    return counts;
  });

/** The same once what follows the first view has come too. */
async function elements(page) {
  await page.waitForSelector("#groups-tree [data-group]");
  await page.waitForSelector(`${s.hook("verdict")}[data-value]`);
  return count(page);
}

/** Characters that act instead of being shown. */
export const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

async function checkHarmless(page, before, what) {
  await s.eventually(() => count(page), before, `${what}: elements of the page`);
  s.equal(await page.locator("[data-table=graphs] :not(thead, tbody, tr, th, td, button, span)").count(), 0, `${what}: elements of the graphs`);
  s.equal(await page.evaluate(() => globalThis.harmed), undefined, `${what}: code ran`);
  const texts = await page.evaluate(() => [
    document.title,
    document.body.textContent,
    ...[...document.querySelectorAll("[title],[aria-label],[aria-valuetext]")].flatMap((e) => [e.title, e.ariaLabel ?? "", e.ariaValueText ?? ""]),
  ]);
  const bad = texts.map((text) => text.match(UNSAFE)?.[0]).filter(Boolean);
  s.equal(bad, [], `${what}: characters that act instead of being shown`);
}

export default {
  async "hostile names of nodes are shown as text"(lab) {
    const page = await lab.page();
    // The same shape of name, so that the page has the same elements.
    await s.openReady(page, s.made("CPU_somas_tensor_offset_0.ir", renamed("Default/plain")));
    const before = await elements(page);
    for (const [name, shown = name] of HOSTILE) {
      await s.openReady(page, s.made("CPU_somas_tensor_offset_0.ir", renamed(`Default/${name}`)));
      s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), `${shown}: planned total`);
      s.check((await page.locator(s.hook("selection")).textContent()).includes(`Default/${shown}`), `${shown}: not in the selection`);
      const table = page.locator("[data-table=alive]");
      s.check((await table.textContent()).includes(`Default/${shown}`), `${shown}: not in the table`);
      await checkHarmless(page, before, shown);
    }
  },

  async "hostile names of files are shown as text"(lab) {
    const page = await lab.page();
    const text = s.textOf(LENET.file);
    await s.openReady(page, s.made("plain.ir", text));
    const before = await elements(page);
    for (const [name, shown = name] of HOSTILE.filter(([name]) => !name.includes("\0"))) {
      await s.openReady(page, s.made(`${name}.ir`, text));
      s.check((await page.locator("header").textContent()).includes(`${shown}.ir`), `${shown}: not in the bar`);
      await checkHarmless(page, before, shown);
    }
  },

  async "hostile names in the chooser and in messages are shown as text"(lab) {
    const page = await lab.page();
    const text = s.textOf(LENET.file);
    const names = HOSTILE.map(([name]) => name).filter((name) => !name.includes("\0"));
    await s.openReady(page, [...names.map((name) => s.made(`${name}.ir`, text)), s.made("<img src=x onerror=globalThis.harmed=1>.png", "PNG")]);
    s.equal(await page.locator(`${s.hook("graphs")} [data-row]`).count(), names.length, "graphs");
    s.equal((await s.messagesOf(page)).length, 1, "messages");
    await checkHarmless(page, await elements(page), "chooser");
    s.equal(await page.locator("main img, main script, main style, header img").count(), 0, "elements out of names");
  },

  async "hostile names in an error are shown as text"(lab) {
    const page = await lab.page();
    for (const [name, shown = name] of HOSTILE) {
      await s.openReady(page, LENET.file);
      const text = renamed(`Default/${name}`).replace(/^(%\d+T\t#\d+)S(.*onerror|.*Default)/m, "$1$2");
      s.equal(await s.open(page, s.made(`${name.replace("\0", "")}.ir`, text)), "error", `${shown}: state`);
      s.equal(await page.locator("main img, main script, main style").count(), 0, `${shown}: elements out of names`);
      s.check(!UNSAFE.test(await page.locator("main").textContent()), `${shown}: characters that act instead of being shown`);
      s.equal(await page.evaluate(() => globalThis.harmed), undefined, `${shown}: code ran`);
    }
  },

  async "a name of a megabyte leaves the page usable"(lab) {
    const page = await lab.page();
    const name = `Default/${"x".repeat(1 << 20)}`;
    await s.openReady(page, s.made("CPU_somas_tensor_offset_0.ir", renamed(name)));
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total");
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    s.check(inner <= outer, `the page is ${inner} wide in a window of ${outer}`);
    const height = await page.evaluate(() => document.querySelector("[data-hook=selection]").getBoundingClientRect().height);
    s.check(height < 2000, `the selection is ${height} high`);
    const started = performance.now();
    await page.locator("canvas[data-hook=usage-chart]").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await s.eventually(() => s.selectionOf(page), ["step", String(LENET.expected.max_in_use.step)], "selection");
    const seconds = (performance.now() - started) / 1000;
    s.check(seconds < 5, `two steps took ${seconds} s`);
  },
};
