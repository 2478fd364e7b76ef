// Ways through the memory map: back to where one was, to what is selected or wrong, by keys, in two languages.

import * as s from "./support.mjs";
import { CANVAS, drag, inkOf, moved, near, openMap, pixelsOf, placeOf, windowOf } from "./map.mjs";

const LENET = s.expectation("lenet_train");
const BROKEN = s.dataFile("generations", "B1_Ascend_1_broken", "dump.ir");
const TWO = s.dataFile("generations", "C1_Ascend_1_broken");
const STEPS = LENET.expected.counts.nodes;
/** A pause, in ms, that ends what belongs together: it is input, nothing is awaited by it. */
const GO = 400;

const exact = (page) => page.waitForSelector(`${CANVAS}[data-quick=false]`);
/** The exact picture and what lies above it. */
const pictures = async (page) => {
  await exact(page);
  // What lies above is drawn before the browser shows the picture.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return Promise.all([CANVAS, "#map-over"].map(async (canvas) => (await pixelsOf(page, canvas)).pixels.toString("base64")));
};
/** Drags the strip from its middle to a place of it, in parts of its size. */
async function dragStrip(page, partX, partY) {
  const strip = page.locator("#map-whole");
  await strip.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await strip.boundingBox();
  await moved(page, () => drag(page, [x + width / 2, y + height / 2], [x + width * partX, y + height * partY]));
}
const readout = (page) => page.locator("#map-readout");
const select = async (page, text, kind) => {
  await page.fill(s.hook("search"), text);
  await page.press(s.hook("search"), "Enter");
  await s.eventually(async () => (await s.selectionOf(page))[0], kind, `${text} is selected`);
  await page.fill(s.hook("search"), "");
  await s.eventually(() => page.getAttribute(CANVAS, "data-lit"), "0", "nothing is lit");
};

export default {
  async "whichever way one comes back, the picture and its names are those of the beginning"(lab) {
    for (const file of [LENET.file, BROKEN]) {
      const page = await openMap(lab, file);
      await page.mouse.move(2, 2);
      const whole = (await windowOf(page)).join();
      const fresh = await pictures(page);
      await page.focus(CANVAS);
      const ways = {
        "keys, F": async () => {
          for (const key of "wwww") await page.keyboard.press(key);
          await page.keyboard.press("f");
        },
        "a view that stays, the strip, back and back": async () => {
          for (const key of "wwww") await page.keyboard.press(key);
          await exact(page);
          await dragStrip(page, 0.01, 0.05);
          await page.mouse.move(2, 2);
          await page.focus(CANVAS);
          await exact(page);
          await moved(page, () => page.keyboard.press("["));
          await moved(page, () => page.keyboard.press("["));
        },
        "out by keys": async () => {
          for (const key of "wws") await page.keyboard.press(key);
          await exact(page);
          for (const key of "sss") await page.keyboard.press(key);
        },
      };
      for (const [name, way] of Object.entries(ways)) {
        await way();
        await s.eventually(async () => (await windowOf(page)).join(), whole, name);
        const now = await pictures(page);
        s.equal(now.map((picture, i) => picture === fresh[i]), [true, true], `${name}: pixels, names`);
      }
    }
  },

  async "every hazard has its turn, and the pixels of each are in sight"(lab) {
    const file = s.dataFile("generations", "C1_Ascend_1_broken", "dump.ir");
    const { hazards } = JSON.parse(s.textOf(`${TWO}/expected.json`));
    s.equal(hazards.length, 2, "hazards of the plan");
    const page = await openMap(lab, file);
    const button = page.locator("[data-map=hazard]");
    await button.waitFor();
    const tensors = new Map(s.tensorsOf(file).filter((t) => t.aligned).map((t) => [t.id, t]));
    for (const turn of [0, 1, 0]) {
      const [a, b] = hazards[turn].map((id) => tensors.get(id));
      await page.keyboard.press("Escape");
      await button.click();
      await s.eventually(() => button.innerText(), `To hazard ${turn + 1}/2`, "which one");
      const holds = async () => {
        const [left, right, bottom, top] = await windowOf(page);
        const [low, high] = [Math.max(a.offset, b.offset), Math.min(a.offset + a.aligned, b.offset + b.aligned)];
        const steps = left <= Math.min(a.first, b.first) && right > Math.max(a.last, b.last);
        return low < high && steps && bottom <= low && high <= top && top - bottom <= (high - low) * 3.01;
      };
      await s.eventually(holds, true, `hazard ${turn + 1}`);
    }
    await page.click(s.hook("language"));
    await s.eventually(() => button.innerText(), "转到冲突 1/2", "in Chinese");
    await page.click(s.hook("language"));
    await s.openReady(page, BROKEN);
    await s.eventually(() => button.innerText(), "To hazard", "none of another plan yet");
  },

  async "To selection leads to tensors, steps and addresses"(lab) {
    const page = await openMap(lab);
    const lead = () => moved(page, () => page.click("[data-map=selection]"));
    await select(page, "$9", "node");
    const step = await lead();
    s.check(step[0] <= 9 && step[1] >= 10 && step[1] - step[0] < STEPS, `steps around $9: ${step}`);
    const [low, high] = [0x4000, 0x9000];
    await select(page, "0x4000-0x9000", "range");
    const ink = await inkOf(page);
    for (const byte of [low, high]) {
      const [x, y] = await placeOf(page, (step[0] + step[1]) / 2 + 0.37, byte);
      s.check(ink("--accent", x, y, [0, 2]), `a line at byte ${byte}`);
    }
    const range = await lead();
    s.equal(range.slice(0, 2), step.slice(0, 2), "the same steps");
    s.check(range[2] <= low && range[3] >= high && range[3] - range[2] <= 3.01 * (high - low), `bytes: ${range}`);
    // A tensor without bytes has its steps, a parameter and what lies outside no place.
    const empty = s.tensorsOf(LENET.file).find((t) => t.aligned === 0 && t.first > 12);
    await select(page, `%${empty.id}T`, "tensor");
    await s.eventually(() => page.$eval(".life", (life) => life.hidden), false, "its life is known");
    const life = await lead();
    s.check(life[0] <= empty.first && life[1] >= empty.first + 1, `steps around $${empty.first}: ${life}`);
    for (const [text, kind] of [["%3P", "parameter"], ["0xfffffff0", "address"]]) {
      await select(page, text, kind);
      await page.click("[data-map=selection]");
      await exact(page);
      s.equal(await windowOf(page), life, `${text} moves nothing`);
    }
  },

  async "a capacity above all there is is told at the upper border"(lab) {
    const page = await openMap(lab);
    const text = async () => {
      const ink = await inkOf(page);
      const { x, y, width } = await page.locator(CANVAS).boundingBox();
      let found = 0;
      for (let dx = width - 160; dx < width - 4; dx += 1) for (let dy = 2; dy < 14; dy += 1) found += ink("--limit", x + dx, y + dy, [0, 0]);
      return found > 60;
    };
    s.equal(await text(), false, "no capacity yet");
    await page.fill(s.hook("capacity"), "32");
    await s.eventually(text, true, "its text");
    await page.fill(s.hook("capacity"), "");
    await s.eventually(text, false, "and no text");
  },

  async "chips keep the focus, the browser keeps its keys, Escape ends a box"(lab) {
    const page = await openMap(lab);
    const chip = page.locator("#map-legend [data-class]").first();
    await chip.focus();
    await page.keyboard.press("Enter");
    await s.eventually(() => page.locator("#map-legend [aria-pressed=true]").count(), 1, "one class alone");
    s.equal(await chip.evaluate((chip) => chip === document.activeElement), true, "the chip has the focus");
    await page.keyboard.press("Enter");
    await page.focus(CANVAS);
    const taken = (key, more) =>
      page.$eval(CANVAS, (canvas, [key, more]) => !canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more })), [key, more]);
    for (const key of "wfad0-") s.equal(await taken(key, { ctrlKey: true }), false, `Ctrl+${key}`);
    s.equal(await taken("ArrowLeft", { altKey: true }), false, "Alt and an arrow");
    const whole = await windowOf(page);
    const steps = await moved(page, () => page.keyboard.press("Shift+W"));
    s.equal(steps.slice(2), whole.slice(2), "Shift and W keep the bytes");
    s.check(steps[1] - steps[0] < whole[1] - whole[0], "and zoom to fewer steps");
    const bytes = await moved(page, () => page.keyboard.press("Alt+W"));
    s.equal(bytes.slice(0, 2), steps.slice(0, 2), "Alt and W keep the steps");
    s.check(bytes[3] - bytes[2] < steps[3] - steps[2], "and zoom to fewer bytes");
    await page.keyboard.press("f");
    await s.eventually(() => windowOf(page), whole, "all of it");
    // A box that was begun and given up.
    const [from, to] = [await placeOf(page, 8, 1e5), await placeOf(page, 20, 1e6)];
    await page.keyboard.down("Shift");
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(...to, { steps: 3 });
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await exact(page);
    s.equal(await windowOf(page), whole, "nothing was zoomed to");
    // The same without Escape does.
    const rounded = async () => (await windowOf(page)).map((n) => n.toFixed(3)).join();
    await moved(page, () => drag(page, from, to, ["Shift"]));
    const zoomed = await rounded();
    // A drag that is given up has moved nothing, a press has selected nothing.
    const selection = await s.selectionOf(page);
    const box = await page.locator(CANVAS).boundingBox();
    for (const far of [90, 0]) {
      await page.mouse.move(box.x + 200, box.y + 100);
      await page.mouse.down();
      await page.mouse.move(box.x + 200 + far, box.y + 100, { steps: 3 });
      if (far) await s.eventually(async () => (await rounded()) !== zoomed, true, "moved");
      await page.keyboard.press("Escape");
      await page.mouse.up();
      await s.eventually(rounded, zoomed, "back at once");
    }
    await exact(page);
    s.equal(await s.selectionOf(page), selection, "the selection");
  },

  async "a click far in selects what is there and leaves the view as it is"(lab) {
    const page = await openMap(lab);
    const tensor = s.tensorsOf(LENET.file).filter((t) => t.last - t.first > 4).toSorted((a, b) => b.aligned - a.aligned)[0];
    const step = tensor.first + 2;
    const [x, y] = (await placeOf(page, step + 0.5, tensor.offset + tensor.aligned / 2)).map(Math.round);
    await page.mouse.move(x, y);
    for (let i = 0; i < 30; i += 1) await page.mouse.wheel(0, -300);
    const size = async () => ((now) => [now[1] - now[0], now[3] - now[2]].map((n) => n.toFixed(3)))(await windowOf(page));
    await s.eventually(size, ["1.000", "512.000"], "a step, 512 bytes");
    const before = await windowOf(page);
    await page.mouse.down();
    await page.mouse.up();
    await s.eventually(() => s.selectionOf(page), ["tensor", `%${tensor.id}T`], "the selection");
    await exact(page);
    s.equal(await windowOf(page), before, "the view");
    const text = await page.locator("#window-text").innerText();
    const [first, last] = text.match(/\d+/g).map(Number);
    s.check(first <= before[0] && last + 1 >= before[1] && last - first === 7, `the charts show the steps around: ${text}`);
  },

  async "when the charts move, the map shows their whole steps"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    const [x, y] = await placeOf(page, 20, 1e6);
    await page.mouse.move(x, y);
    await page.keyboard.down("Control");
    const part = await moved(page, () => page.mouse.wheel(0, -5));
    await page.keyboard.up("Control");
    s.check(part[0] % 1 > 0 && part[1] % 1 > 0, `parts of steps: ${part}`);
    await page.focus(s.hook("usage-chart"));
    const chart = await moved(page, () => page.keyboard.press("+"));
    s.equal([chart[0] % 1, chart[1] % 1], [0, 0], "whole steps");
    await page.keyboard.press("0");
    await s.eventually(() => windowOf(page), whole, "all of it");
  },

  async "the strip leaves a way back, dragging is one, keys in one go are one"(lab) {
    const page = await openMap(lab);
    await page.focus(CANVAS);
    for (const key of "wwww") await page.keyboard.press(key);
    await exact(page);
    const start = await windowOf(page);
    await dragStrip(page, 0.02, 0.9);
    await exact(page);
    const moves = await windowOf(page);
    near(moves[0], 0, 1e-9, "the left end");
    await page.focus(CANVAS);
    await page.waitForTimeout(GO);
    for (const key of ["d", "d", "ArrowUp"]) await page.keyboard.press(key);
    await s.eventually(async () => (await windowOf(page)).join() !== moves.join(), true, "moved on");
    await page.waitForTimeout(GO);
    await page.click("[data-map=back]");
    await s.eventually(() => windowOf(page), moves, "back from the keys");
    await page.click("[data-map=back]");
    await s.eventually(() => windowOf(page), start, "back from the strip");
  },

  async "what is told beside the map changes its language, and follows the chosen step"(lab) {
    const page = await openMap(lab);
    const step = LENET.expected.max_in_use.step;
    await s.eventually(async () => (await readout(page).innerText()).startsWith(`$${step}: holes`), true, "the chosen step");
    await page.click(s.hook("language"));
    await s.eventually(async () => (await readout(page).innerText()).includes("个空洞"), true, "in Chinese");
    // The pointer rests on a chart while keys choose another step.
    const chart = page.locator(s.hook("usage-chart"));
    await chart.click();
    const chosen = async () => Number(await readout(page).getAttribute("data-step"));
    await s.eventually(async () => (await chosen()) !== step, true, "the step that was clicked");
    const clicked = await chosen();
    await page.keyboard.press("ArrowRight");
    await s.eventually(chosen, clicked + 1, "the next step");
  },
};
