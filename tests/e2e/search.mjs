// The search box understands every form of a question, by keyboard and pointer; addresses tell their owners in time.

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const BOX = s.hook("search");
const SELECTION = s.hook("selection");

const lenet = async (lab, options) => {
  const page = await lab.page(options);
  await s.openReady(page, LENET.file);
  return page;
};

/** Types a text and waits for what it may mean; gives the keys of the hits. */
export async function search(page, text) {
  await page.fill(BOX, text);
  await page.waitForFunction(
    (text) => {
      const list = document.querySelector("#hits");
      return !list.hidden && list.dataset.for === text;
    },
    text,
    { timeout: s.PATIENCE },
  );
  return page.$$eval("#hits [data-hit]", (all) => all.map((e) => e.dataset.hit));
}

/** Searches and chooses the hit of that key by a click. */
export async function choose(page, text, key) {
  const hits = await search(page, text);
  s.check(hits.includes(key), `${text}: no ${key} among ${hits}`);
  await page.click(`#hits [data-hit="${key}"]`);
}

/** The side panel once its facts are there. */
async function panel(page, kind, key) {
  await s.eventually(() => s.selectionOf(page), [kind, key], `selection`);
  await page.waitForSelector(`${SELECTION}:not([aria-busy])`);
  return page.$eval(SELECTION, (e) => ({
    text: e.innerText,
    owners: [...e.querySelectorAll("[data-owner]")].map((o) => [o.dataset.owner, o.dataset.life]),
    free: [...e.querySelectorAll("[data-free]")].map((f) => f.dataset.free),
    outside: e.querySelector("[data-outside]")?.dataset.outside,
    side: e.querySelector("[data-side]")?.dataset.side,
  }));
}

/** Tensors with a byte of [start, end), by first step, last step, id, as the plainest reading has them. */
function ownersOf(file, start, end) {
  const steps = [...s.textOf(file).matchAll(/^\$(\d+)\t/gm)].length;
  const row = /^%(\d+)T\t#(\d+)S\t#\d+S\t&(\d+)\t\w+\t(\w+)\t(\d+)\t(\d+)/gm;
  return [...s.textOf(file).matchAll(row)]
    .map(([, id, aligned, offset, lifelong, first, last]) => ({
      id: Number(id),
      start: Number(offset),
      end: Number(offset) + Number(aligned),
      first: /All|Start/.test(lifelong) ? 0 : Number(first),
      last: /All|End/.test(lifelong) ? steps - 1 : Number(last),
    }))
    .filter((t) => t.end > t.start && t.start < end && start < t.end)
    .sort((a, b) => a.first - b.first || a.last - b.last || a.id - b.id)
    .map((t) => [`%${t.id}T`, `${t.first}-${t.last}`]);
}

/** Steps in which nobody is. */
function freeOf(file, owners) {
  const steps = [...s.textOf(file).matchAll(/^\$(\d+)\t/gm)].length;
  const runs = [];
  for (let step = 0; step < steps; step += 1) {
    if (owners.some(([, life]) => Number(life.split("-")[0]) <= step && step <= Number(life.split("-")[1]))) continue;
    if (runs.at(-1)?.[1] === step - 1) runs.at(-1)[1] = step;
    else runs.push([step, step]);
  }
  return runs.map((run) => run.join("-"));
}

export default {
  async "every form of a question selects what it names"(lab) {
    const page = await lenet(lab);
    const name = LENET.expected.max_in_use.node;
    const peak = `$${LENET.expected.max_in_use.step}`;
    for (const [text, kind, key] of [
      ["$12", "node", "$12"],
      ["%7T", "tensor", "%7T"],
      ["%5P", "parameter", "%5P"],
      ["0x200", "address", "0x200"],
      ["1836543", "address", "0x1c05ff"],
      ["0x200-0x400", "range", "0x200-0x400"],
      ["512-1024", "range", "0x200-0x400"],
      [name, "node", peak],
      [name.split("/").at(-1), "node", peak],
      [name.toUpperCase(), "node", peak],
    ]) {
      await choose(page, text, key);
      await panel(page, kind, key);
      s.equal(await page.locator("#hits").isVisible(), false, `${text}: list after choosing`);
    }
    // A node takes its step along; the row is marked.
    await choose(page, "$2", "$2");
    await page.click("[data-tab=nodes]");
    await s.eventually(() => page.locator(`[data-table=nodes] [data-row="$2"].selected`).count(), 1, "marked rows");
    // Plain text finds what has it in its name.
    const hits = await search(page, "relu");
    const nodes = [...s.textOf(LENET.file).matchAll(/^\$(\d+)\t([^\t]*)/gm)].filter(([, , n]) => /relu/i.test(n));
    s.equal(hits.filter((h) => h.startsWith("$")).length, nodes.length, "nodes with relu in their names");
  },

  async "tables scroll to the hit that was chosen, in whatever order they are"(lab) {
    const page = await lab.page({ viewport: { width: 1280, height: 800 } });
    // Many rows, in a table that is not open yet.
    await s.openReady(page, s.expectation("resnet18_train").file);
    /** Whether the row of a key lies within its table's box, below the heading. */
    const inSight = (table, key) => () =>
      page.evaluate(
        ([table, key]) => {
          const grid = document.querySelector(`[data-table=${table}]`);
          const row = grid.querySelector(`[data-row="${key}"].selected`);
          if (!row) return false;
          const [box, own] = [grid.parentElement.getBoundingClientRect(), row.getBoundingClientRect()];
          const head = grid.querySelector("thead").getBoundingClientRect();
          return own.top >= head.bottom - 1 && own.bottom <= box.bottom + 1;
        },
        [table, key],
      );
    const scrolled = (table) => page.$eval(`[data-table=${table}]`, (grid) => grid.parentElement.scrollTop);
    const tensors = s.tensorsOf(s.expectation("resnet18_train").file);
    const [last, middle] = [tensors.at(-1).id, tensors[tensors.length >> 1].id];
    await choose(page, `%${last}T`, `%${last}T`);
    await page.click("[data-tab=tensors]");
    await s.eventually(inSight("tensors", `%${last}T`), true, `%${last}T in sight`);
    s.check((await scrolled("tensors")) > 0, "the table did not scroll");
    await choose(page, `%${middle}T`, `%${middle}T`);
    await s.eventually(inSight("tensors", `%${middle}T`), true, `%${middle}T in sight`);
    // In another order.
    await page.click("[data-table=tensors] th[data-column=Size] button");
    await s.eventually(() => scrolled("tensors"), 0, "sorted, from the top");
    await choose(page, `%${last}T`, `%${last}T`);
    await s.eventually(inSight("tensors", `%${last}T`), true, `%${last}T in sight, sorted`);
    await page.click("[data-tab=nodes]");
    const steps = [...s.textOf(s.expectation("resnet18_train").file).matchAll(/^\$(\d+)\t/gm)];
    const key = `$${steps.at(-2)[1]}`;
    await choose(page, key, key);
    await s.eventually(inSight("nodes", key), true, `${key} in sight`);
    // Where it is filtered away, nothing moves.
    await page.fill("[data-filter=nodes]", "no such node");
    await s.eventually(() => page.$eval("[data-table=nodes]", (grid) => grid.getAttribute("aria-rowcount")), "1", "rows");
    await choose(page, "$1", "$1");
    await panel(page, "node", "$1");
    await page.fill("[data-filter=nodes]", "");
    await choose(page, key, key);
    await s.eventually(inSight("nodes", key), true, `${key} in sight again`);
  },

  async "a plain number may be a node, a tensor, a parameter or an address"(lab) {
    const page = await lenet(lab);
    s.equal((await search(page, "5")).slice(0, 4), ["$5", "%5T", "%5P", "0x5"], "hits of 5");
  },

  async "the keyboard is enough"(lab) {
    const page = await lenet(lab);
    await page.keyboard.press("/");
    s.check(await page.$eval(BOX, (e) => e === document.activeElement), "/ does not focus the box");
    await search(page, "%5");
    const active = () => page.$eval(BOX, (e) => document.getElementById(e.getAttribute("aria-activedescendant"))?.dataset.hit);
    s.equal(await active(), "%5T", "the first hit is marked");
    await page.keyboard.press("ArrowDown");
    s.equal(await active(), "%5P", "after an arrow");
    await page.keyboard.press("ArrowDown");
    s.equal(await active(), "%5T", "around the end");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await panel(page, "parameter", "%5P");
    // Enter does not wait for the list.
    await page.evaluate((box) => {
      const input = document.querySelector(box);
      input.value = "$3";
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    }, BOX);
    await panel(page, "node", "$3");
    // Escape goes up one level at a time.
    await search(page, "relu");
    await page.keyboard.press("Escape");
    s.equal([await page.locator("#hits").isVisible(), await page.inputValue(BOX)], [false, "relu"], "after Escape");
    await page.keyboard.press("Escape");
    s.equal(await page.inputValue(BOX), "", "after Escape twice");
    await page.keyboard.press("Escape");
    s.check(await page.$eval(BOX, (e) => e !== document.activeElement), "the box keeps the focus");
    await page.keyboard.press("Control+k");
    s.check(await page.$eval(BOX, (e) => e === document.activeElement), "Ctrl+K does not focus the box");
  },

  async "near misses are offered when nothing is called so"(lab) {
    const page = await lenet(lab);
    const last = LENET.expected.max_in_use.node.split("/").at(-1);
    const hits = await search(page, last.replace("Grad", "Garde"));
    s.check(hits.includes(`$${LENET.expected.max_in_use.step}`), `near misses: ${hits}`);
    s.check(await page.$eval("#hits", (e) => "near" in e.dataset), "they are not told to be near misses");
    const before = await s.selectionOf(page);
    await page.keyboard.press("Enter");
    s.equal(await s.selectionOf(page), before, "Enter chose a near miss");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await s.eventually(async () => (await s.selectionOf(page))[0], "node", "selection");
    s.equal(await search(page, "qqqqqqqqqqqqqqqqqqqqqqqq"), [], "hits of nonsense");
  },

  async "an address tells its owners in the order of time, and the gaps"(lab) {
    const page = await lab.page();
    for (const part of ["lenet_train", "gru_unrolled", "resnet18_train"]) {
      const { name, file, expected } = s.expectation(part);
      await s.openReady(page, file);
      for (const [query, answer] of Object.entries(expected.queries)) {
        const address = query.match(/^address (\d+)$/)?.[1];
        const range = query.match(/^range (\d+)-(\d+)$/)?.slice(1);
        if (!address && !range) continue;
        const [start, end] = (range ?? [address, Number(address) + 1]).map(Number);
        const hex = (n) => `0x${n.toString(16)}`;
        const key = range ? `${hex(start)}-${hex(end)}` : hex(start);
        await choose(page, range ? range.join("-") : address, key);
        const shown = await panel(page, range ? "range" : "address", key);
        const owners = ownersOf(file, start, end);
        s.equal(owners.length, answer.count, `${name} ${query}: this file's reading`);
        s.equal(shown.owners, owners.slice(0, 200), `${name} ${query}: owners`);
        if (owners.length > 0 && owners.length <= 200) s.equal(shown.free, freeOf(file, owners), `${name} ${query}: gaps`);
        s.equal(shown.outside, start >= expected.planned_total ? String(start - expected.planned_total) : undefined, query);
      }
    }
  },

  async "a base moves all addresses, and stays in the page's address"(lab) {
    const page = await lenet(lab);
    const card = page.locator(s.hook("tasks"));
    s.equal(await card.getAttribute("data-base"), "0", "base at first");
    // The rows are there before; they must not stay as they are.
    await page.click("[data-tab=tensors]");
    const cell = page.locator(`[data-table=tensors] [data-row="%1T"]`);
    await cell.waitFor();
    await page.fill(s.hook("base"), "0x108800000000");
    await page.keyboard.press("Enter");
    await s.eventually(() => card.getAttribute("data-base"), String(0x108800000000), "base");
    const offset = Number(s.textOf(LENET.file).match(/^%1T\t#\d+S\t#\d+S\t&(\d+)/m)[1]);
    const wanted = (0x108800000000 + offset).toString(16);
    await s.eventually(async () => (await cell.innerText()).includes(wanted), true, `the row of %1T tells 0x${wanted}`);
    await choose(page, `0x${wanted}`, `0x${wanted}`);
    const shown = await panel(page, "address", `0x${wanted}`);
    s.equal(shown.owners, ownersOf(LENET.file, offset, offset + 1), "owners behind the base");
    await choose(page, "0x1000", "0x1000");
    const below = await panel(page, "address", "0x1000");
    s.equal([below.side, below.outside], ["below", String(0x108800000000 - 0x1000)], "how far outside");
    // Back walks the selections.
    await page.goBack();
    await panel(page, "address", `0x${wanted}`);
    const address = page.url();
    const again = await lab.page();
    await again.goto(address);
    await again.reload();
    await again.waitForSelector("body[data-state=empty]");
    await s.openReady(again, LENET.file);
    const reopened = await panel(again, "address", `0x${wanted}`);
    s.equal(reopened.owners, shown.owners, "owners after opening the address again");
    // Taken away, addresses are offsets again; nonsense is refused.
    await page.fill(s.hook("base"), "nonsense");
    await page.keyboard.press("Enter");
    await page.waitForSelector(`${s.hook("base")}[aria-invalid]`);
    await page.fill(s.hook("base"), "");
    await page.keyboard.press("Enter");
    await s.eventually(() => card.getAttribute("data-base"), "0", "base");
  },

  async "a short text pasted on the page is searched for"(lab) {
    const page = await lenet(lab);
    await s.paste(page, "  %7T\n");
    await page.waitForSelector(`#hits [data-hit="%7T"]`);
    s.equal(await s.stateOf(page), "ready", "state");
    // What is pasted into a box goes into the box.
    await page.evaluate((box) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "All Parameters:");
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(box).dispatchEvent(event);
    }, BOX);
    s.equal(await s.stateOf(page), "ready", "state after pasting into the box");
  },

  async "a tensor's panel leads to all that share bytes with it"(lab) {
    const page = await lenet(lab);
    const { id } = s.tensorsOf(LENET.file).find((t) => t.aligned > 0);
    await choose(page, `%${id}T`, `%${id}T`);
    await panel(page, "tensor", `%${id}T`);
    const link = page.locator(`${SELECTION} [data-sharing]`);
    const sharing = Number(await link.getAttribute("data-sharing"));
    await link.click();
    await s.eventually(async () => (await s.selectionOf(page))[0], "range", "selection");
    await page.waitForSelector(`${SELECTION}:not([aria-busy])`);
    const owners = await page.$$eval(`${SELECTION} [data-owner]`, (all) => all.map((e) => e.dataset.owner));
    s.equal(owners.filter((o) => o !== `%${id}T`).length, sharing, "tensors that share bytes");
  },
};
