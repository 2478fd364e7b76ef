// Every word of the page is there in both languages, and the choice is remembered.

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");

const langOf = (page) => page.evaluate(() => document.documentElement.lang.slice(0, 2));

/** What a text must be to stay the same in another language, besides being in a dump or a file name. */
const NEUTRAL = [
  /^[^\p{L}]*$/u, // numbers, marks
  /^≈?\s*[−-]?[\d.,\s]+ ([KMGTP]?B|%|×)$/u,
  /^[$%]?\d+[TP]?$/,
  /^(0x)?[0-9a-f]+$/,
  /^∪ %\d+T$/,
  /^(somascope|MindSpore|SOMAS|Ascend|CPU|GPU|Lifelong)$/,
  /^LifeLong(None|Graph(All|Start|End))$/,
];

const neutral = (text) => NEUTRAL.some((re) => re.test(text));

/** The rows of a dump: what they hold is shown as it is, the headings between them are not. */
const rowsOf = (file) => s.textOf(file).match(/^[%$].*/gm)?.join("\n") ?? "";

/** Texts that are the same in both languages though they are words, and not only words out of `given`. */
function untranslated(english, chinese, given) {
  const known = new Set(english);
  const asGiven = (word) => neutral(word) || given.some((text) => text.includes(word));
  return chinese.filter((text) => known.has(text) && !neutral(text) && !text.split(/\s+/).every(asGiven));
}

/** The visible texts outside of code, the labels, and the title. */
async function wordsOf(page) {
  const texts = await page.evaluate(() => {
    // The explanations of the numbers are words too.
    for (const folded of document.querySelectorAll("main details:not(#result-menu, #link-holds)")) folded.open = true;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [document.title];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (element.closest("script,style,noscript,code,pre,#boot-failed")) continue;
      if (element.checkVisibility({ visibilityProperty: true }) || element.tagName === "OPTION") found.push(node.data);
    }
    for (const element of document.querySelectorAll("[aria-label],[title],[placeholder],[aria-valuetext]")) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      found.push(element.ariaLabel, element.title, element.placeholder, element.ariaValueText);
    }
    return found;
  });
  return texts.filter(Boolean).map((text) => text.trim()).filter(Boolean);
}

/** The page in both languages, by the button: `[english, chinese]`. */
async function bothOf(page) {
  // Verdicts come after the first view.
  await page.waitForFunction(() => {
    const graphs = [...document.querySelectorAll("[data-table=graphs] tr[data-graph]")];
    const own = document.querySelector("[data-hook=verdict]")?.dataset.value || document.querySelector("#notes .note:not(.alarm)");
    return document.body.dataset.screen !== "ready" || (own && graphs.every((row) => row.cells[4].innerText !== ""));
  });
  s.equal(await langOf(page), "en", "language");
  const english = await wordsOf(page);
  await page.click(s.hook("language"));
  s.equal(await langOf(page), "zh", "language after the button");
  const chinese = await wordsOf(page);
  await page.click(s.hook("language"));
  s.equal(await wordsOf(page), english, "words after going back to English");
  return [english, chinese];
}

const HAN = /\p{Script=Han}/u;

/** Checks one screen of the page; `given` are texts whose words may be shown as they are. */
async function checkScreen(page, what, ...given) {
  const [english, chinese] = await bothOf(page);
  s.check(english.length > 5, `${what}: hardly any words`);
  s.equal(english.length, chinese.length, `${what}: number of texts`);
  s.equal(untranslated(english, chinese, given), [], `${what}: not translated`);
  // The button that changes to Chinese says so in Chinese.
  const foreign = english.filter((text) => HAN.test(text) && !/中文$/.test(text) && !given.some((g) => g.includes(text)));
  s.equal(foreign, [], `${what}: Chinese in English`);
}

/** Every element with a key has words in both languages, seen or not. */
async function checkSkeleton(page) {
  const read = () => page.$$eval("[data-text]", (all) => all.map((e) => [e.dataset.text, e.textContent.trim()]));
  const english = await read();
  await page.click(s.hook("language"));
  const chinese = await read();
  await page.click(s.hook("language"));
  for (const [i, [key, text]] of english.entries()) {
    s.check(text !== "" && chinese[i][1] !== "", `${key} has no words`);
    s.check(neutral(text) || text !== chinese[i][1], `${key} is the same in both languages: ${text}`);
  }
}

export default {
  async "the browser's language decides at first"(lab) {
    for (const [locale, lang, word] of [["en-US", "en", /[a-z]/], ["zh-CN", "zh", HAN], ["zh-TW", "zh", HAN], ["de-DE", "en", /[a-z]/]]) {
      const page = await lab.page({ locale });
      s.equal(await langOf(page), lang, locale);
      s.check(word.test(await page.locator("main").innerText()), `${locale}: other words`);
    }
  },

  async "the button changes the language, and a reload keeps it"(lab) {
    const page = await lab.page();
    await page.click(s.hook("language"));
    s.equal(await langOf(page), "zh", "language");
    await page.reload();
    await page.waitForSelector("body[data-state]");
    s.equal(await langOf(page), "zh", "language after a reload");
    s.check(HAN.test(await page.locator("main").innerText()), "no Chinese after a reload");
    await page.click(s.hook("language"));
    await page.reload();
    await page.waitForSelector("body[data-state]");
    s.equal(await langOf(page), "en", "language after another reload");
  },

  async "the empty page"(lab) {
    const page = await lab.page();
    await checkSkeleton(page);
    await checkScreen(page, "empty");
  },

  async "a plan"(lab) {
    const page = await lab.page();
    const one = s.expectation("ascend_like_sample/Ascend_somas_tensor_offset_1");
    await s.openReady(page, one.file);
    await checkScreen(page, "plan", rowsOf(one.file), one.file);
    s.equal(await s.valueOf(page, "planned_total"), String(one.expected.planned_total), "planned total after changing");
  },

  async "several graphs, a stage, files beside them and strangers"(lab) {
    const page = await lab.page();
    const files = ["initial_info_0", "pre_processed_info_0", "offline_log_0", "tensor_offset_0"].map((name) => s.dataFile(`dumps/lenet_train/CPU_somas_${name}.ir`));
    const stage = s.dataFile("dumps/control_flow_while_if/CPU_somas_initial_info_3.ir");
    await s.openReady(page, [...[...files, stage].map(s.inMemory), s.made("picture.png", "PNG")]);
    await checkScreen(page, "several", rowsOf(files[3]), [...files, stage].join(" "), "picture.png");
    await s.openReady(page, stage);
    await checkScreen(page, "stage", rowsOf(stage), [...files, stage].join(" "));
  },

  async "a graph where nothing is placed"(lab) {
    const page = await lab.page();
    const one = s.expectation("tiny_one_node");
    await s.openReady(page, one.file);
    await checkScreen(page, "nothing placed", rowsOf(one.file), one.file);
  },

  async "errors, and what could be read"(lab) {
    const page = await lab.page();
    const text = s.textOf(LENET.file).replace(/^(%7T\t#\d+)S/m, "$1");
    s.equal(await s.open(page, s.made("CPU_somas_tensor_offset_0.ir", text)), "error", "state");
    const read = () => s.messagesOf(page);
    const english = await read();
    await page.click(s.hook("language"));
    const chinese = await read();
    await page.click(s.hook("language"));
    s.check(english[0].text !== chinese[0].text && HAN.test(chinese[0].text), `the error is the same: ${english[0].text}`);
    s.equal(chinese[0].code, english[0].code, "code in both languages");
    await checkScreen(page, "error", rowsOf(LENET.file), "CPU_somas_tensor_offset_0.ir");
    await s.settled(page, () => page.click(s.hook("partial")));
    await checkScreen(page, "partial", rowsOf(LENET.file), "CPU_somas_tensor_offset_0.ir");
  },
};
