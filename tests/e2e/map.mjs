// The memory map shows what the dump says, zooms, moves, tells and selects.

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
export const CANVAS = s.hook("memory-map");
const STEPS = LENET.expected.counts.nodes;

/** Bytes of the dump's tensors by the plainest reading; union members lie in one place. */
const TENSORS = s.tensorsOf(LENET.file).filter((t) => t.aligned > 0);

export async function openMap(lab, file = LENET.file, options = {}) {
  const page = await lab.page(options);
  await s.openReady(page, file);
  await page.click("[data-tab=map]");
  await page.waitForSelector(`${CANVAS}[data-window]`);
  await page.$eval(CANVAS, (canvas) => canvas.scrollIntoView({ block: "end" }));
  return page;
}

/** What the picture that is there shows: left, right (steps), bottom, top (bytes). */
export const windowOf = (page) =>
  page.$eval(CANVAS, (canvas) => canvas.dataset.window.split(" ").map(Number));

/** Does something and waits for another picture; gives its window. */
export async function moved(page, action) {
  const before = await page.$eval(CANVAS, (canvas) => canvas.dataset.window);
  await action();
  await page.waitForFunction(
    ([canvas, before]) => document.querySelector(canvas).dataset.window !== before,
    [CANVAS, before],
  );
  return windowOf(page);
}

/** Where a step and a byte are on the screen. */
export async function placeOf(page, step, byte) {
  const [left, right, bottom, top] = await windowOf(page);
  const box = await page.locator(CANVAS).boundingBox();
  return [
    box.x + ((step - left) / (right - left)) * box.width,
    box.y + ((top - byte) / (top - bottom)) * box.height,
  ];
}

/** Ids of the tensors that hold a byte at a step. */
const holders = (step, byte) =>
  TENSORS.filter((t) => t.first <= step && step <= t.last && t.offset <= byte && byte < t.offset + t.aligned).map((t) => `%${t.id}T`);

/** The pixels of a canvas, and where it is on the screen. */
export async function pixelsOf(page, selector) {
  const { data, ...rest } = await page.$eval(selector, (canvas) => {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d");
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    let text = "";
    for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
    const { x, y } = canvas.getBoundingClientRect();
    return { width, height, x, y, scale: width / canvas.clientWidth, data: btoa(text) };
  });
  return { ...rest, pixels: Buffer.from(data, "base64") };
}

/** Whether what lies above the picture has a colour of the style sheet within a pixel of a place of the screen. */
export async function inkOf(page) {
  const { width, x, y, scale, pixels } = await pixelsOf(page, "#map-over");
  const names = ["--ink", "--accent", "--limit"];
  const colours = await page.evaluate((names) => names.map((name) => getComputedStyle(document.body).getPropertyValue(name).trim()), names);
  return (name, atX, atY, slack = [1, 0]) => {
    const wanted = colours[names.indexOf(name)].match(/[0-9a-f]{2}/gi).map((c) => parseInt(c, 16));
    for (let dx = -slack[0]; dx <= slack[0]; dx += 1) {
      for (let dy = -slack[1]; dy <= slack[1]; dy += 1) {
        const at = (Math.floor((atY - y) * scale + dy) * width + Math.floor((atX - x) * scale + dx)) * 4;
        const [r, g, b, opacity] = pixels.subarray(at, at + 4);
        if (opacity > 120 && Math.hypot(r - wanted[0], g - wanted[1], b - wanted[2]) < 60) return true;
      }
    }
    return false;
  };
}

/** A press, a move in two parts, with keys held. */
export async function drag(page, [x0, y0], [x1, y1], keys = []) {
  for (const key of keys) await page.keyboard.down(key);
  await page.mouse.move(x0, y0);
  await page.mouse.down();
  await page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2);
  await page.mouse.move(x1, y1);
  await page.mouse.up();
  for (const key of keys) await page.keyboard.up(key);
}

/** Reads the picture once; the value tells the colour at a step and a byte. */
async function coloursOf(page) {
  const [left, right, bottom, top] = await windowOf(page);
  const { width, height, pixels } = await pixelsOf(page, CANVAS);
  return (step, byte) => {
    const x = Math.floor(((step - left) / (right - left)) * width);
    const y = Math.floor(((top - byte) / (top - bottom)) * height);
    return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
  };
}

/** Places well inside and well outside of boxes: in the middle of steps and of what is held. */
function places() {
  const top = LENET.expected.planned_total;
  const found = [];
  for (let step = 0; step < STEPS; step += Math.ceil(STEPS / 9)) {
    for (let part = 0.5; part < 40; part += 1) found.push([step, Math.floor((top * part) / 40)]);
  }
  return found;
}

export const near = (a, b, most, what) => s.check(Math.abs(a - b) <= most, `${what}: ${a} and ${b}`);

export default {
  async "what is held is drawn, what is free is not"(lab) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await openMap(lab, LENET.file, { colorScheme });
      const [, right, , top] = await windowOf(page);
      s.equal(right, STEPS, "steps in sight");
      s.check(top > LENET.expected.planned_total, "the planned total is in sight");
      const colourAt = await coloursOf(page);
      const ground = colourAt(0, (top + LENET.expected.planned_total) / 2);
      const pixel = (top / (await page.$eval(CANVAS, (c) => c.height))) * 2;
      let [held, free] = [0, 0];
      for (const [step, byte] of places()) {
        const around = [byte - pixel, byte, byte + pixel].map((at) => holders(step, at).length > 0);
        if (around[0] !== around[1] || around[1] !== around[2]) continue;
        const colour = colourAt(step + 0.5, byte);
        const apart = colour.some((c, i) => Math.abs(c - ground[i]) > 12);
        s.equal(apart, around[1], `ink at step ${step}, byte ${byte} (${colour})`);
        around[1] ? (held += 1) : (free += 1);
      }
      s.check(held > 20 && free > 20, `too few places: ${held} held, ${free} free`);
    }
  },

  async "the wheel zooms around the pointer, on one axis with Ctrl or Alt"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    // Events tell whole pixels.
    const [x, y] = (await placeOf(page, STEPS * 0.3, LENET.expected.planned_total * 0.6)).map(Math.round);
    const place = await page.locator(CANVAS).boundingBox();
    const at = [((x - place.x) / place.width) * whole[1], (1 - (y - place.y) / place.height) * whole[3]];
    await page.mouse.move(x, y);
    const both = await moved(page, () => page.mouse.wheel(0, -300));
    s.check(both[1] - both[0] < whole[1] && both[3] - both[2] < whole[3], "both axes zoomed");
    const [nx, ny] = await placeOf(page, ...at);
    near(nx, x, 1, "x under the pointer");
    near(ny, y, 1, "y under the pointer");
    await page.keyboard.down("Control");
    const across = await moved(page, () => page.mouse.wheel(0, -300));
    await page.keyboard.up("Control");
    s.equal(across.slice(2), both.slice(2), "bytes after Ctrl and wheel");
    s.check(across[1] - across[0] < both[1] - both[0], "steps after Ctrl and wheel");
    await page.keyboard.down("Alt");
    const up = await moved(page, () => page.mouse.wheel(0, -300));
    await page.keyboard.up("Alt");
    s.equal(up.slice(0, 2), across.slice(0, 2), "steps after Alt and wheel");
    s.check(up[3] - up[2] < across[3] - across[2], "bytes after Alt and wheel");
    const text = await page.locator("#window-text").innerText();
    s.check(text.startsWith(`$${Math.floor(up[0])} … $${Math.ceil(up[1]) - 1}`), `the charts show ${text}`);
    // However far it goes: a turn that can go no farther moves nothing.
    for (let i = 0; i < 30; i += 1) await page.mouse.wheel(0, -300);
    await s.eventually(async () => ((now) => [now[1] - now[0], now[3] - now[2]].map((n) => Number(n.toFixed(6))))(await windowOf(page)), [1, 512], "a step, 512 bytes");
  },

  async "dragging moves, Shift and dragging zooms, and there is a way back"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    const total = LENET.expected.planned_total;
    const corners = [await placeOf(page, STEPS * 0.2, total * 0.8), await placeOf(page, STEPS * 0.7, total * 0.3)];
    const zoomed = await moved(page, () => drag(page, ...corners, ["Shift"]));
    near(zoomed[0], STEPS * 0.2, 0.1, "left");
    near(zoomed[1], STEPS * 0.7, 0.1, "right");
    near(zoomed[2], total * 0.3, total / 100, "bottom");
    near(zoomed[3], total * 0.8, total / 100, "top");
    const from = await placeOf(page, (zoomed[0] + zoomed[1]) / 2, total * 0.5);
    await moved(page, () => drag(page, from, [from[0] + 120, from[1] + 60]));
    await s.eventually(async () => (await windowOf(page))[3] > zoomed[3], true, "moved up");
    const panned = await windowOf(page);
    s.check(panned[0] < zoomed[0], "moved to earlier steps");
    near(panned[1] - panned[0], zoomed[1] - zoomed[0], 1e-9, "steps in sight");
    await page.click("[data-map=back]");
    await s.eventually(() => windowOf(page), zoomed, "back");
    await page.click("[data-map=back]");
    await s.eventually(() => windowOf(page), whole, "back again");
    await page.click("[data-map=forward]");
    await s.eventually(() => windowOf(page), zoomed, "forward");
  },

  async "with Ctrl dragging keeps to the steps, with Alt to the bytes, boxes too"(lab) {
    const page = await openMap(lab);
    const total = LENET.expected.planned_total;
    const corners = [await placeOf(page, 10.5, total * 0.8), await placeOf(page, 30.5, total * 0.3)];
    const start = await moved(page, () => drag(page, ...corners, ["Shift"]));
    s.check(start[1] - start[0] > 9, "more steps in sight than the fewest");
    const from = await placeOf(page, 20, total * 0.5);
    const to = [from[0] + 150, from[1] + 90];
    const across = await moved(page, () => drag(page, from, to, ["Control"]));
    s.check(across[0] < start[0], "Ctrl moves the steps");
    near(across[1] - across[0], start[1] - start[0], 1e-9, "as many");
    s.equal(across.slice(2).map(Math.round), [...start.slice(2).map(Math.round)], "and nothing else");
    const up = await moved(page, () => drag(page, from, to, ["Alt"]));
    s.check(up[3] > across[3], "Alt moves the bytes");
    s.equal(up.slice(0, 2), across.slice(0, 2), "and nothing else");
    const narrow = await moved(page, () => drag(page, from, to, ["Control", "Shift"]));
    s.check(narrow[1] - narrow[0] < up[1] - up[0], "Ctrl, Shift zooms to the steps");
    s.equal(narrow.slice(2).map(Math.round), up.slice(2).map(Math.round), "and nothing else");
    const low = await moved(page, () => drag(page, from, to, ["Alt", "Shift"]));
    s.check(low[3] - low[2] < narrow[3] - narrow[2], "Alt, Shift zooms to the bytes");
    s.equal(low.slice(0, 2), narrow.slice(0, 2), "and nothing else");
  },

  async "a wheel that turns a little at a time zooms both axes, and is one zoom to come back from"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    await page.waitForSelector(`${CANVAS}[data-quick=false]`);
    await page.click("[data-map=peak]");
    await s.eventually(async () => (await windowOf(page))[1] < whole[1] || (await windowOf(page))[0] > 0, true, "the peak");
    const before = await windowOf(page);
    await page.waitForFunction(
      ([selector, right]) => document.querySelector(selector).dataset.quick === "false" && document.querySelector("#window-text").innerText.includes(`$${right}`),
      [CANVAS, before[1] - 1],
    );
    const [x, y] = await placeOf(page, 38.5, LENET.expected.planned_total / 2);
    await page.$eval(
      CANVAS,
      (canvas, [clientX, clientY]) => {
        for (let i = 0; i < 120; i += 1) {
          canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -4, clientX, clientY, bubbles: true, cancelable: true }));
        }
      },
      [x, y],
    );
    const factor = Math.exp(-120 * 4 * 0.0022);
    const part = async () => ((now) => (now[3] - now[2]) / (before[3] - before[2]))(await windowOf(page));
    await s.eventually(async () => Math.abs((await part()) - factor) < 0.01, true, "bytes");
    const now = await windowOf(page);
    near(now[1] - now[0], (before[1] - before[0]) * factor, 0.01, "steps");
    await page.click("[data-map=back]");
    await s.eventually(() => windowOf(page), before, "back");
  },

  async "a selected tensor shows its producer, its readers and who held its bytes"(lab) {
    const page = await openMap(lab);
    const rows = [...s.textOf(LENET.file).matchAll(/^\$(\d+)\t.*?inputs\[(.*?)\]\toutputs\[(.*?)\]/gm)];
    const stepsWith = (place, id) => rows.filter((row) => row[place].split(", ").includes(`%${id}T`)).map((row) => Number(row[1]));
    const [, , , top] = await windowOf(page);
    const { height, width } = await page.locator(CANVAS).boundingBox();
    const high = (t) => (t.aligned / top) * height;
    const wide = (t) => ((t.last - t.first + 1) / STEPS) * width;
    const bytesMeet = (a, b) => a.offset < b.offset + b.aligned && b.offset < a.offset + a.aligned;
    const nearest = (all, value) => all.toSorted((a, b) => value(a) - value(b) || a.id - b.id)[0];
    let seen = { border: 0, before: 0, after: 0, readers: 0 };
    for (const own of TENSORS.filter((t) => high(t) > 16 && wide(t) > 16 && stepsWith(3, t.id).length)) {
      const others = TENSORS.filter((t) => t !== own && bytesMeet(t, own));
      const before = nearest(others.filter((t) => t.last < own.first), (t) => -t.last);
      const after = nearest(others.filter((t) => t.first > own.last), (t) => t.first);
      const [readers, producer] = [stepsWith(2, own.id), stepsWith(3, own.id)];
      await page.fill(s.hook("search"), `%${own.id}T`);
      await page.press(s.hook("search"), "Enter");
      await s.eventually(() => s.selectionOf(page), ["tensor", `%${own.id}T`], "selection");
      await page.fill(s.hook("search"), "");
      await s.eventually(() => page.getAttribute(CANVAS, "data-lit"), "0", "nothing is lit");
      // The page may have moved.
      const [left, floor] = await placeOf(page, 0, 0);
      const place = (step, byte) => [left + (step / STEPS) * width, floor - (byte / top) * height];
      const [bottomY, topY] = [(place(0, own.offset))[1], (place(0, own.offset + own.aligned))[1]];
      const below = Math.min(bottomY, floor - 7) + 4;
      // The line of the chosen step has the colour of ticks.
      const chosen = Number(await page.getAttribute("#map-readout", "data-step"));
      const ticks = async () => {
        const ink = await inkOf(page);
        const marked = (y) => {
          const found = [];
          for (let step = 0; step < STEPS; step += 1) {
            const [x] = place(step + 0.5, 0);
            if (step !== chosen && ink("--accent", x, y)) found.push(step);
          }
          return found;
        };
        return { readers: marked(below), producer: marked(topY - 4) };
      };
      // The line of what is alive has it too.
      const [, level] = place(0, LENET.expected.lower_bound);
      if ([below, topY - 4].some((own) => Math.abs(own - level) < 17)) continue;
      const not = (steps) => [...new Set(steps)].filter((step) => step !== chosen);
      await s.eventually(ticks, { readers: not(readers), producer: not(producer) }, `ticks of %${own.id}T`);
      seen.readers += not(readers).length;
      if (bottomY > floor - 7) seen.border += 1;
      // A box that is outlined has dashes along all sides, but for one that the selected tensor may cover.
      const ink = await inkOf(page);
      const dashed = (t) => {
        const [x0, y0] = place(t.first, t.offset + t.aligned);
        const [x1, y1] = place(t.last + 1, t.offset);
        const share = (from, to, at) => {
          let [found, all] = [0, 0];
          for (let v = from + 2; v < to - 2; v += 1, all += 1) if (at(v)) found += 1;
          return found / all;
        };
        const sides = [
          ...[x0, x1].map((x) => share(y0, y1, (y) => ink("--ink", x, y))),
          ...[y0, y1].map((y) => share(x0, x1, (x) => ink("--ink", x, y, [0, 1]))),
        ];
        return sides.sort((a, b) => a - b)[1] > 0.25;
      };
      const large = others.filter((t) => high(t) > 8 && wide(t) > 8 && (t.last < own.first || t.first > own.last));
      for (const t of large) {
        s.equal(dashed(t), t === before || t === after, `%${own.id}T: outline of %${t.id}T`);
        if (t === before) seen.before += 1;
        if (t === after) seen.after += 1;
      }
    }
    s.check(Object.values(seen).every((n) => n > 1), `too few of something: ${JSON.stringify(seen)}`);
  },

  async "planned total, most alive and capacity are lines where they belong"(lab) {
    const page = await openMap(lab);
    const { planned_total, lower_bound, static_memory } = LENET.expected;
    const isLine = async (name, byte) => {
      const ink = await inkOf(page);
      const [x, y] = await placeOf(page, 0, byte);
      const { width } = await page.locator(CANVAS).boundingBox();
      const share = (y) => {
        let found = 0;
        for (let at = 0; at < width; at += 1) if (ink(name, x + at, y, [0, 1])) found += 1;
        return found / width;
      };
      return [share(y) > 0.4, share(y - 5) > 0.4, share(y + 5) > 0.4];
    };
    const alone = [true, false, false];
    await s.eventually(() => isLine("--ink", planned_total), alone, "planned total");
    await s.eventually(() => isLine("--accent", lower_bound), alone, "most alive");
    const capacity = Math.round(0.0014 * 2 ** 30) - static_memory;
    s.check(capacity < planned_total, "a capacity in sight");
    s.equal(await isLine("--limit", capacity), [false, false, false], "no capacity yet");
    await page.fill(s.hook("capacity"), "0.0014");
    await s.eventually(() => isLine("--limit", capacity), alone, "capacity");
    // Above all there is.
    await page.fill(s.hook("capacity"), "32");
    await s.eventually(() => isLine("--limit", capacity), [false, false, false], "no line");
  },

  async "every key has the classes of the dump, and a class alone is all that has its colour"(lab) {
    const page = await openMap(lab);
    const text = s.textOf(LENET.file);
    const kinds = new Map([...text.matchAll(/^%(\d+)T\t#\d+S\t#\d+S\t&\d+\t(\w+)\t(\w+)\t\d+\t\d+\t(\S+)/gm)].map(([, id, ...rest]) => [Number(id), rest]));
    // A union group lies in one place: one box, called after the first of its largest members.
    const boxes = [];
    for (const t of TENSORS) {
      const joined = boxes.find((b) => kinds.get(t.id)[0] === "Union" && kinds.get(b.id)[0] === "Union" && b.offset === t.offset && t.first <= b.last + 1);
      if (joined) joined.last = Math.max(joined.last, t.last);
      else boxes.push({ ...t });
    }
    const area = (b) => b.aligned * (b.last - b.first + 1);
    const scopeOf = (b, depth) => {
      const parts = kinds.get(b.id)[2].split("/").slice(0, -1);
      return parts.slice(0, depth + (parts[0] === "Gradients" ? 1 : 0)).join("/");
    };
    const SIZES = ["≤ 4 KB", "≤ 64 KB", "≤ 1 MB"];
    const keys = {
      0: (b) => kinds.get(b.id)[2].split("/").at(-1).replace(/-op\d+$/, ""),
      1: (b) => scopeOf(b, 4),
      2: (b) => kinds.get(b.id)[0],
      3: (b) => kinds.get(b.id)[1],
      5: (b) => SIZES[[4 << 10, 64 << 10].filter((most) => b.aligned > most).length],
      6: () => "all tensors",
    };
    const chips = page.locator("#map-legend [data-class]");
    for (const [index, of] of Object.entries(keys)) {
      await page.selectOption("#map-key", { index: Number(index) });
      const areas = {};
      for (const b of boxes) areas[of(b)] = (areas[of(b)] ?? 0) + area(b);
      const all = Object.values(areas).reduce((a, b) => a + b);
      const order = Object.keys(areas).sort((a, b) => (index === "5" ? SIZES.indexOf(a) - SIZES.indexOf(b) : areas[b] - areas[a]));
      const own = order.length > 8 ? order.slice(0, 7) : order;
      const expected = own.map((name) => [name, areas[name] / all]);
      if (own.length < order.length) expected.push(["the rest", 1 - own.reduce((sum, name) => sum + areas[name] / all, 0)]);
      const shown = expected.map(([name, share]) => `${name} ${share < 0.00005 ? "< 0.01" : (share * 100).toFixed(2)} %`);
      await s.eventually(() => chips.evaluateAll((all) => all.map((chip) => chip.title)), shown, `legend of key ${index}`);
      // A class alone: its boxes are in its colour and no other one is.
      const last = expected.length - 1;
      for (const place of new Set([0, 1, last].filter((n) => n <= last))) {
        if (!last) continue;
        await chips.nth(place).click();
        const swatch = (await chips.nth(place).locator("i").evaluate((i) => getComputedStyle(i).backgroundColor)).match(/\d+/g).map(Number);
        const wrong = async () => {
          const colourAt = await coloursOf(page);
          const far = (a) => Math.max(...a.map((c, i) => Math.abs(c - swatch[i])));
          return boxes
            .filter((b) => b.aligned > 60_000 && b.last - b.first > 1)
            .filter((b) => (far(colourAt((b.first + b.last + 1) / 2, b.offset + b.aligned / 2)) < 3) !== (of(b) === expected[place][0] || (!own.includes(of(b)) && place === last)))
            .map((b) => b.id);
        };
        await s.eventually(wrong, [], `key ${index}, class ${place} alone`);
        await chips.nth(place).click();
      }
    }
  },

  async "the keyboard zooms, moves and shows all"(lab) {
    const page = await openMap(lab);
    const whole = await windowOf(page);
    await page.focus(CANVAS);
    const press = (key) => moved(page, () => page.keyboard.press(key));
    const closer = await press("w");
    s.check(closer[1] - closer[0] < whole[1] && closer[3] - closer[2] < whole[3], "W zooms in");
    const right = await press("d");
    s.check(right[0] > closer[0] && right[3] === closer[3], "D moves right");
    const left = await press("ArrowLeft");
    s.check(left[0] < right[0], "the arrow moves left");
    const up = await press("ArrowUp");
    s.check(up[3] > left[3] && up[0] === left[0], "the arrow moves up");
    const farther = await press("-");
    s.check(farther[3] - farther[2] > up[3] - up[2], "- zooms out");
    s.equal(await press("f"), whole, "F shows all");
    await press("+");
    s.equal(await press("Home"), whole, "Home shows all");
  },

  async "the pointer is told what lies there, a click selects it"(lab) {
    const page = await openMap(lab);
    const readout = page.locator("#map-readout");
    let told = 0;
    for (const [step, byte] of places()) {
      const owners = holders(step, byte);
      if (!owners.length || told > 25) continue;
      told += 1;
      const [x, y] = await placeOf(page, step + 0.5, byte);
      await page.mouse.move(x - 40, y);
      await page.mouse.move(x, y);
      await s.eventually(
        async () => [await readout.getAttribute("data-step"), owners.includes(await readout.getAttribute("data-tensor"))],
        [String(step), true],
        `readout at step ${step}, byte ${byte} (one of ${owners})`,
      );
      await s.eventually(() => page.locator(s.hook("readout")).getAttribute("data-step"), String(step), "the charts follow");
    }
    s.check(told > 10, "too few places");
    const tensor = await readout.getAttribute("data-tensor");
    await page.mouse.down();
    await page.mouse.up();
    await s.eventually(() => s.selectionOf(page), ["tensor", tensor], "selection");
    const zoomed = await moved(page, () => page.click("[data-map=selection]"));
    const own = TENSORS.find((t) => `%${t.id}T` === tensor);
    s.check(zoomed[0] <= own.first && zoomed[1] > own.last, "its steps are in sight");
    s.check(zoomed[2] <= own.offset && zoomed[3] >= own.offset + own.aligned, "its bytes are in sight");
  },

  async "holes are measured, at the chosen step and under the pointer"(lab) {
    const page = await openMap(lab);
    const total = LENET.expected.planned_total;
    const told = () => page.locator("#map-readout").getAttribute("data-holes");
    // Blocks of 64 bytes, one after the other.
    const block = 64;
    const holesAt = (step) => {
      const held = new Uint8Array(total / block);
      for (const t of TENSORS.filter((t) => t.first <= step && step <= t.last)) {
        held.fill(1, t.offset / block, (t.offset + t.aligned) / block);
      }
      const holes = [];
      let largest = [0, 0];
      for (let i = 0, from = 0; i <= held.length; i += 1) {
        if (i < held.length && !held[i]) continue;
        if (i > from) holes.push((i - from) * block);
        if (i - from > largest[1] - largest[0]) largest = [from, i];
        from = i + 1;
      }
      const sum = holes.reduce((a, b) => a + b, 0);
      return { largest, text: `${Math.max(0, ...holes)} ${holes.length} ${sum}` };
    };
    // Nothing was chosen, so the step is that of the peak; then another one is chosen where nothing is held.
    for (const chosen of [LENET.expected.max_in_use.step, 20]) {
      const { largest, text } = holesAt(chosen);
      const [x, y] = await placeOf(page, chosen + 0.5, ((largest[0] + largest[1]) / 2) * block);
      if (chosen === 20) await page.mouse.click(x, y);
      await page.mouse.move(2, 2);
      await s.eventually(async () => [await page.locator("#map-readout").getAttribute("data-step"), await told()], [String(chosen), text], "chosen");
      // Left of the line a bracket is drawn from end to end of the largest hole, and nothing beyond it.
      const ink = (at) => page.$eval("#map-over", (canvas, [x, y]) => {
        const place = canvas.getBoundingClientRect();
        const scale = canvas.width / place.width;
        const copy = new OffscreenCanvas(5, 1).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 8 - Math.round((x - place.left) * scale), -Math.round((y - place.top) * scale));
        const { data } = copy.getImageData(0, 0, 5, 1);
        return data.some((byte, i) => i % 4 === 3 && byte > 200);
      }, at);
      await s.eventually(() => ink([x, y]), true, "a bracket beside the hole");
      const [, end] = await placeOf(page, chosen, largest[1] * block);
      s.equal(await ink([x, end - 4]), false, "no bracket beside what is held");
    }
    const step = LENET.expected.max_in_use.step;
    const { largest, text } = holesAt(step);
    const [x, y] = await placeOf(page, step + 0.5, total / 2);
    await page.mouse.move(x, y);
    await s.eventually(told, text, "largest hole, number, bytes");
    await page.waitForSelector(".map-box .hole");
    const mark = await page.locator(".map-box .hole").boundingBox();
    const [[, end], [, start]] = [await placeOf(page, step, largest[1] * block), await placeOf(page, step, largest[0] * block)];
    near(mark.x, x, 3, "the largest hole is marked at the step");
    near(mark.y, end, 2, "its end");
    near(mark.y + mark.height, start, 2, "its begin");
  },

  async "no text covers the bracket of the largest hole"(lab) {
    const page = await openMap(lab, s.expectation("gpt_8l_recompute_on").file);
    await s.eventually(async () => (await page.getAttribute("#map-readout", "data-holes")) !== null, true, "holes");
    const largest = Number((await page.getAttribute("#map-readout", "data-holes")).split(" ")[0]);
    const step = Number(await page.getAttribute("#map-readout", "data-step"));
    const [, , bottom, top] = await windowOf(page);
    const { y, height } = await page.locator(CANVAS).boundingBox();
    const [x] = await placeOf(page, step + 0.5, 0);
    const longest = async () => {
      const ink = await inkOf(page);
      let [most, run] = [0, 0];
      for (let at = 0; at < height; at += 1) {
        run = ink("--ink", x - 6, y + at) ? run + 1 : 0;
        most = Math.max(most, run);
      }
      return Math.abs(most - (largest / (top - bottom)) * height) < 5;
    };
    await s.eventually(longest, true, "a bracket without a gap");
  },

  async "the legend filters, and colours stand for what is chosen"(lab) {
    const page = await openMap(lab);
    const picture = () => page.$eval(CANVAS, (canvas) => canvas.toDataURL());
    const changed = async (action, what) => {
      const before = await picture();
      await action();
      await s.eventually(async () => (await picture()) !== before, true, what);
    };
    const chips = page.locator("#map-legend [data-class]");
    s.check((await chips.count()) > 2, "a legend");
    await changed(() => chips.first().click(), "one class alone");
    s.equal(await page.locator("#map-legend [aria-pressed=true]").count(), 1, "classes in colour");
    await changed(() => chips.first().click(), "all classes");
    await changed(() => page.selectOption("#map-key", { index: 6 }), "one colour");
    await s.eventually(() => chips.count(), 1, "classes");
  },

  async "a view that moves is there at once, and the exact one follows"(lab) {
    const page = await openMap(lab);
    const exact = () => page.waitForSelector(`${CANVAS}[data-quick=false]`);
    const picture = () => page.$eval(CANVAS, (canvas) => canvas.toDataURL());
    await exact();
    const [x, y] = await placeOf(page, STEPS * 0.4, LENET.expected.planned_total * 0.4);
    await page.mouse.move(x, y);
    // The picture changes within the event, before the worker can have answered.
    const changed = await page.$eval(
      CANVAS,
      (canvas, [clientX, clientY]) => {
        const before = canvas.toDataURL();
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, clientX, clientY, bubbles: true, cancelable: true }));
        return canvas.toDataURL() !== before;
      },
      [x, y],
    );
    s.check(changed, "another picture within the event");
    await page.waitForSelector(`${CANVAS}[data-quick=true], ${CANVAS}[data-quick=false]`);
    await exact();
    const zoomed = await picture();
    // Away and back again: the exact picture of a view is always the same.
    await moved(page, () => page.mouse.wheel(0, -300));
    await exact();
    s.check((await picture()) !== zoomed, "zoomed once more");
    await moved(page, () => page.click("[data-map=back]"));
    await exact();
    s.equal((await picture()) === zoomed, true, "the same picture");
  },

  async "what is searched is lit on the open map"(lab) {
    const page = await openMap(lab);
    const tensor = TENSORS[Math.floor(TENSORS.length / 2)];
    const lit = () => page.locator(CANVAS).getAttribute("data-lit");
    await page.fill(s.hook("search"), `%${tensor.id}T`);
    await s.eventually(lit, "1", "one box is lit");
    await page.fill(s.hook("search"), "conv");
    await s.eventually(async () => Number(await lit()) > 1, true, "several boxes are lit");
    await page.fill(s.hook("search"), "");
    await s.eventually(lit, "0", "nothing is lit");
  },

  async "streams colour the map where there are some, parameters have a band where they have addresses"(lab) {
    const streams = "#map-streams";
    const cpu = await openMap(lab);
    await cpu.waitForSelector("#map-legend [data-class]");
    s.equal(await cpu.$eval(streams, (option) => option.hidden), true, "a stream a node tells nothing");
    s.equal(await cpu.locator("#map-parameters").isVisible(), false, "no addresses, no band");
    const page = await openMap(lab, s.dataFile("samples", "v1.7_ascend", "somas_allocate_info_1.ir"));
    await page.waitForSelector("#map-legend [data-class]");
    s.equal(await page.locator("#map-parameters").isVisible(), true, "a band");
    const band = page.locator("#map-parameters canvas");
    await band.click({ position: { x: 4, y: 5 } });
    await s.eventually(() => s.selectionOf(page), ["parameter", "%0P"], "the first parameter");
  },

  async "where nothing has an address there is no map, and that is said"(lab) {
    const stage = s.dataFile("samples", "v2.2_ascend_multistream", "Ascend_somas_initial_info_1.ir");
    // The other one is a whole plan, of one tensor without bytes.
    for (const file of [stage, s.expectation("tiny_one_node").file]) {
      const page = await lab.page();
      await s.openReady(page, file);
      await page.click("[data-tab=map]");
      await s.eventually(() => page.locator(CANVAS).getAttribute("data-boxes"), "0", "boxes");
      const said = await page.locator("#map-summary").innerText();
      s.check(said.startsWith("No tensor with bytes has an address"), `the summary: ${said}`);
    }
  },
};
