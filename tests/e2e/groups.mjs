// Where the memory of a step goes: the tree and the icicle say what the dump sums up to.

import { layerOf, layerOfParameter, listedAt, operatorOf, piecesAt, readDump } from "./dump.mjs";
import * as s from "./support.mjs";

const RESNET = s.expectation("resnet18_train");
const ASCEND = s.expectation("C2_Ascend_1/");
const TREE = "#groups-tree";

const sum = (list) => list.reduce((all, { bytes }) => all + bytes, 0);
const within = (path, layer, signs) => path === layer || (path.startsWith(layer) && signs.includes(path[layer.length]));

/** What is alive and what is static, each piece with the path it is grouped by. */
function grouped(dump, step, by) {
  const name = (t) => dump.nodes[t.source]?.name;
  const path = {
    layer: (t) => (t.source === undefined ? "" : layerOf(name(t))),
    operator: (t) => (t.source === undefined ? "" : operatorOf(name(t))),
    type: (t) => t.type,
  }[by];
  const dynamic = piecesAt(dump, step).map((piece) => ({ ...piece, path: path(piece.tensor) }));
  const fixed = dump.parameters.map((p) => ({ bytes: p.size, waste: 0, path: by === "layer" ? layerOfParameter(p.name) : "" }));
  return { dynamic, fixed };
}

/** Opens every row of the tree; gives all rows. */
async function wholeTree(page) {
  for (;;) {
    const closed = page.locator(`${TREE} [aria-expanded=false] .twisty`);
    if ((await closed.count()) === 0) break;
    await closed.first().click();
  }
  return page.$$eval(`${TREE} [data-group]`, (rows) =>
    rows.map((row) => ({
      path: row.dataset.path,
      bytes: Number(row.dataset.bytes),
      level: row.ariaLevel,
      isStatic: row.classList.contains("static"),
      name: row.querySelector(".label").textContent,
      texts: [...row.children].slice(1).map((cell) => cell.textContent),
    })),
  );
}

/** Every beginning of a path that is a group of its own: one that holds all of what is above it and more is not. */
function groupsOf(pieces, signs) {
  const paths = new Set();
  for (const { path } of pieces) {
    for (let at = 1; at <= path.length; at += 1) if (at === path.length || signs.includes(path[at])) paths.add(path.slice(0, at));
  }
  const members = (layer) => pieces.filter((piece) => within(piece.path, layer, signs)).length;
  const children = (layer) => [...paths].filter((path) => path !== layer && within(path, layer, signs));
  return [...paths].filter((layer) => !children(layer).some((child) => members(child) === members(layer)));
}

function checkRows(rows, { dynamic, fixed }, signs, what) {
  const all = sum(dynamic) + sum(fixed);
  const [root, ...rest] = rows;
  s.equal(root.bytes, all, `${what}: bytes in use`);
  for (const row of rest) {
    const pieces = (row.isStatic ? fixed : dynamic).filter((piece) => row.path === "" || within(piece.path, row.path, row.isStatic ? "/." : signs));
    s.equal(row.bytes, sum(pieces), `${what}: bytes of ${row.path || row.name}`);
    const [bytes, share, waste, count] = row.texts;
    s.check(s.isFigure(bytes, row.bytes), `${what}: ${row.path} says ${bytes}`);
    s.check(Math.abs(parseFloat(share) - (row.bytes / all) * 100) < 0.006, `${what}: ${row.path} is ${share}`);
    s.equal(count.replace(/\D/g, ""), String(pieces.length), `${what}: pieces of ${row.path}`);
    const spare = pieces.reduce((n, piece) => n + piece.waste, 0);
    if (!row.isStatic && spare >= 0) s.check(s.isFigure(waste, spare), `${what}: padding of ${row.path} is ${spare}, not ${waste}`);
  }
  const paths = (isStatic) => rest.filter((row) => row.isStatic === isStatic && row.path !== "").map((row) => row.path).sort();
  s.equal(paths(false), groupsOf(dynamic, signs).sort(), `${what}: groups of tensors`);
  s.equal(paths(true), groupsOf(fixed.filter((p) => p.path), "/.").sort(), `${what}: groups of parameters`);
}

async function atStep(page, step) {
  await page.evaluate((step) => (location.hash = `step=${step}`), step);
  await page.waitForFunction((step) => document.querySelector("#groups-title").textContent.match(/\$(\d+)/)[1] === step, String(step));
}

const titleOf = (page) => page.textContent("#groups-title");

/** Points at a place of the icicle; gives what is read out: the group, and its figure. */
async function readIcicle(page, x, y) {
  const box = await page.locator(s.hook("icicle")).boundingBox();
  await page.mouse.move(box.x + x, box.y + y);
  return page.$$eval("#icicle-readout span", (all) => all.map((span) => span.textContent));
}

export default {
  async "the tree adds up at the peak and elsewhere, by layer, operator and type"(lab) {
    const dump = readDump(RESNET.file);
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    s.check((await titleOf(page)).includes(`$${RESNET.expected.max_in_use.step}`), "not the peak at first");
    for (const step of [RESNET.expected.max_in_use.step, 3, 170]) {
      await atStep(page, step);
      for (const [by, signs] of [["layer", "/"], ["operator", ""], ["type", ""]]) {
        await page.click(`[data-by=${by}]`);
        await page.waitForSelector(`${TREE}[data-grouped=${by}] [data-group]`);
        s.equal(await page.getAttribute(`[data-by=${by}]`, "aria-pressed"), "true", `by ${by}: the button`);
        const expected = grouped(dump, step, by);
        checkRows(await wholeTree(page), expected, signs, `$${step} by ${by}`);
      }
    }
    const alive = sum(grouped(dump, RESNET.expected.max_in_use.step, "layer").dynamic);
    s.equal(alive, RESNET.expected.max_in_use.alive, "this file's own sums");
  },

  async "the icicle shows the same figures, as wide as the bytes"(lab) {
    const dump = readDump(RESNET.file);
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    const { dynamic, fixed } = grouped(dump, RESNET.expected.max_in_use.step, "layer");
    const all = sum(dynamic) + sum(fixed);
    const width = await page.locator(s.hook("icicle")).evaluate((canvas) => canvas.clientWidth);
    const border = (sum(dynamic) / all) * width;
    const says = ([what, figure], bytes) => figure.split(" · ").some((text) => s.isFigure(text, bytes));
    s.check(says(await readIcicle(page, width / 2, 10), all), "the first level is not all that is in use");
    s.check(says(await readIcicle(page, border - 3, 30), sum(dynamic)), "left of the border are not the tensors");
    s.check(says(await readIcicle(page, border + 3, 30), sum(fixed)), "right of the border are not the parameters");
    const seen = new Set();
    for (let y = 50; y < 190; y += 20) {
      for (let x = 4; x < width; x += 23) {
        const read = await readIcicle(page, x, y);
        if (!read.length) continue;
        const [path] = read;
        const pieces = x < border ? dynamic.filter((p) => within(p.path, path, "/")) : fixed.filter((p) => within(p.path, path, "/."));
        s.check(pieces.length > 0, `there is no group ${path}`);
        s.check(says(read, sum(pieces)), `${path} holds ${sum(pieces)}, the icicle says ${read[1]}`);
        seen.add(path);
      }
    }
    s.check(seen.size > 25, `only ${seen.size} groups found`);
  },

  async "a click narrows everything else, another one widens it again"(lab) {
    const dump = readDump(RESNET.file);
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    const step = RESNET.expected.max_in_use.step;
    const total = (table) => page.getAttribute(`#table-${table} .summary`, "data-total");
    const layerOfTensor = (t) => layerOf(dump.nodes[t.source]?.name ?? "");
    await wholeTree(page);
    const row = page.locator(`${TREE} [data-group]:not(.static)`, { hasText: "0-SequentialCell" }).first();
    const layer = await row.getAttribute("data-path");
    await row.locator(".label").click();
    await page.waitForSelector("#narrow:not([hidden]) [data-widen=layer]");
    s.check((await page.textContent("#narrow")).includes(layer), "the chip does not name the layer");
    // What shows everything does not say that it is narrowed.
    for (const [tab, seen] of [["map", false], ["safety", false], ["overview", true]]) {
      await page.click(`[data-tab=${tab}]`);
      await s.eventually(() => page.isVisible("#narrow [data-widen=layer]"), seen, `the chip above ${tab}`);
    }
    const alive = listedAt(dump, step).filter((t) => within(layerOfTensor(t), layer, "/"));
    const tensors = dump.tensors.filter((t) => within(layerOfTensor(t), layer, "/"));
    const nodes = dump.nodes.filter((n) => within(layerOf(n.name), layer, "/"));
    s.check(alive.length > 2 && tensors.length > alive.length && nodes.length < dump.nodes.length, "the layer shows nothing");
    await s.eventually(() => total("alive"), String(alive.length), "alive in the layer");
    await page.click("[data-tab=tensors]");
    await s.eventually(() => total("tensors"), String(tensors.length), "tensors of the layer");
    await page.click("[data-tab=nodes]");
    await s.eventually(() => total("nodes"), String(nodes.length), "nodes of the layer");
    await page.click("[data-widen=layer]");
    await s.eventually(() => total("nodes"), String(dump.nodes.length), "all nodes again");
    await page.click("[data-tab=overview]");
    // By operator, with the icicle.
    await page.click("[data-by=operator]");
    await page.waitForFunction(() => document.querySelector("#groups-tree [data-path=Conv2D]"));
    await readIcicle(page, 5, 50);
    const operator = await page.textContent("#icicle-readout .leaf");
    await page.mouse.down();
    await page.mouse.up();
    const made = listedAt(dump, step).filter((t) => operatorOf(dump.nodes[t.source]?.name ?? "") === operator);
    await s.eventually(() => total("alive"), String(made.length), `alive, made by ${operator}`);
  },

  async "the tree works with the keyboard"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    const here = () => page.evaluate(() => document.activeElement.dataset.group);
    const rows = () => page.$$eval(`${TREE} [data-group]`, (all) => all.map((row) => row.dataset.group));
    await page.focus(TREE);
    await page.keyboard.press("ArrowDown");
    s.equal(await here(), (await rows())[1], "row below the first");
    await page.keyboard.press("ArrowDown");
    const before = await rows();
    await page.keyboard.press("ArrowRight");
    s.check((await rows()).length > before.length, "nothing opened");
    s.equal(await here(), before[2], "the focus stays");
    await page.keyboard.press("ArrowLeft");
    s.equal(await rows(), before, "closed again");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#narrow:not([hidden])");
  },

  async "names without scopes are grouped by operator, and that is said"(lab) {
    const dump = readDump(ASCEND.file);
    const page = await lab.page();
    await s.openReady(page, ASCEND.file);
    s.check((await page.textContent("#groups-note")).length > 20, "no note");
    const step = Number((await titleOf(page)).match(/\$(\d+)/)[1]);
    checkRows(await wholeTree(page), grouped(dump, step, "layer"), "/", "short names");
    await page.click("[data-by=operator]");
    await page.waitForFunction(() => document.querySelector("#groups-note").textContent === "");
  },
};
