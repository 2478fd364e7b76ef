// Whether a plan fits a card: arithmetic, and a line in the chart that leaves the peak's mark readable.

import * as s from "./support.mjs";

const GB = 2 ** 30;
const ONES = ["gpt_72l_plain_adam", "resnet18_train", "gpt_8l_recompute_on", "ascend_like_sample/Ascend_somas_tensor_offset_1"].map(s.expectation);
const INPUT = s.hook("capacity");
const need = ({ planned_total, static_memory }) => planned_total + static_memory;

async function checkVerdict(page, needed, capacity, what) {
  const left = capacity - needed;
  const verdict = page.locator("#budget-verdict");
  const [value, bytes, text] = [await verdict.getAttribute("data-value"), await verdict.getAttribute("data-bytes"), await verdict.innerText()];
  s.equal([value, bytes], [left >= 0 ? "fits" : "over", String(Math.abs(left))], what);
  const figure = text.match(left >= 0 ? /^fits, (.*) left$/ : /^over by (.*)$/)?.[1];
  s.check(figure && s.isFigure(figure, Math.abs(left)), `${what}: ${text}, with ${Math.abs(left)} B`);
  const note = await page.innerText("#budget-note");
  s.check(note.match(/[\d.]+ [KMGT]?B/g).some((part) => s.isFigure(part, needed)), `${what}: no ${needed} in ${note}`);
  s.check(note.includes("communication buffers") && note.includes("other graphs"), `${what}: what is left out is not said`);
}

/** Each row of the usage chart: how many of its pixels have the colour of the capacity line, and which columns. */
const capacityRows = (page) =>
  page.$eval("canvas[data-hook=usage-chart]", (canvas) => {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const rows = [];
    for (let y = 0; y < height; y += 1) {
      const columns = [];
      for (let x = 0; x < width; x += 1) {
        const at = (y * width + x) * 4;
        // #8a5a00, and what it is mixed with at an edge.
        if (data[at] - data[at + 2] > 60 && data[at] - data[at + 1] > 15) columns.push(x);
      }
      rows.push(columns);
    }
    return { rows, width };
  });

export default {
  async "presets and free entry tell what is left or missing"(lab) {
    const page = await lab.page();
    for (const { name, file, expected } of ONES) {
      await s.openReady(page, file);
      const needed = need(expected);
      for (const gb of [32, 64]) {
        const preset = page.locator(`[data-capacity="${gb}"]`);
        if ((await preset.getAttribute("aria-pressed")) !== "true") await preset.click();
        s.equal([await preset.getAttribute("aria-pressed"), await page.inputValue(INPUT)], ["true", String(gb)], `${name}: preset`);
        await checkVerdict(page, needed, gb * GB, `${name} in ${gb} GB`);
      }
      for (const [text, gb] of [["0.5", 0.5], ["2,75", 2.75], ["58 GB", 58], [" 1 ", 1], [String(needed / GB), needed / GB]]) {
        await page.fill(INPUT, text);
        await checkVerdict(page, needed, Math.round(gb * GB), `${name} in ${text}`);
        s.equal(await page.getAttribute(INPUT, "aria-invalid"), null, `${text} is a number`);
      }
    }
  },

  async "what is no number says so, nothing asks for one"(lab) {
    const page = await lab.page();
    await s.openReady(page, ONES[1].file);
    for (const text of ["much", "-3", "0", "1e300"]) {
      await page.fill(INPUT, text);
      s.equal(await page.getAttribute(INPUT, "aria-invalid"), "true", text);
      s.equal(await page.innerText("#budget-verdict"), "", `verdict for ${text}`);
    }
    await page.fill(INPUT, "");
    s.equal(await page.getAttribute(INPUT, "aria-invalid"), null, "nothing entered");
    await page.click("[data-capacity='64']");
    await page.click("[data-capacity='64']");
    s.equal([await page.inputValue(INPUT), await page.getAttribute("#budget-verdict", "data-value")], ["", null], "the second click");
  },

  async "an early stage is judged by its peak"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.dataFile("samples/v2.10_cpu_lenet_real/CPU_somas_initial_info_0.ir"));
    await page.fill(INPUT, "1");
    const inUse = Number(await s.valueOf(page, "max_in_use.in_use"));
    s.equal(await page.getAttribute("#budget-verdict", "data-bytes"), String(GB - inUse), "left");
    s.check((await page.innerText("#budget-verdict")).startsWith("the peak fits"), "the words of a plan");
  },

  async "the line crosses the chart, and no text"(lab) {
    const page = await lab.page();
    for (const { file, expected } of ONES.slice(1)) {
      await s.openReady(page, file);
      s.check((await capacityRows(page)).rows.every((columns) => columns.length < 20), "a line without a capacity");
      const peak = expected.max_in_use.in_use / GB;
      for (const share of [0.5, 0.93, 0.98, 1.0, 1.01, 1.03, 1.06, 1.1, 1.2, 2]) {
        await page.fill(INPUT, (peak * share).toFixed(5));
        const { rows, width } = await capacityRows(page);
        const longest = Math.max(...rows.map((columns) => columns.length));
        const line = rows.find((columns) => columns.length === longest);
        // The ring of the peak lies over it at most.
        s.check(longest > width - 84 - 14, `${share}: the line is ${longest} of ${width} pixels long`);
        s.check(line.at(-1) - line[0] > width - 88, `${share}: the line does not reach both ends`);
      }
      await page.fill(INPUT, "");
    }
  },
};
