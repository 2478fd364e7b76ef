// Tables sort, filter, scroll to the last of a million rows, and can be used with the keyboard alone.

import fs from "node:fs";

import { aliveAt, listedAt, operatorOf, readDump, tensorKeys, totalAt } from "./dump.mjs";
import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const RESNET = s.expectation("resnet18_train");
const PEAK = RESNET.expected.max_in_use.step;

/** A made plan with streams, lifelong tensors and unions. */
const ASCEND = s.expectation("C2_Ascend_1/");

const card = (table) => `#table-${table}`;
const grid = (table) => `[data-table=${table}]`;
const head = (table, column) => `${grid(table)} th[data-column=${column}]`;

/** Room for every row of a small plan, so that all are in the page. */
const TALL = { viewport: { width: 1280, height: 6000 } };

/** The rows in the page, once no others are on the way. */
async function rowsOf(page, table) {
  await page.waitForFunction((grid) => {
    const element = document.querySelector(grid);
    return !element.hasAttribute("aria-busy") && !element.querySelector(".coming");
  }, grid(table));
  return page.$$eval(`${grid(table)} [data-row]`, (rows) => rows.map((row) => row.dataset.row));
}

const cellsOf = (page, table, column) =>
  page.evaluate(
    ([grid, column]) => {
      const place = [...document.querySelectorAll(`${grid} th`)].findIndex((th) => th.dataset.column === column);
      return [...document.querySelectorAll(`${grid} [data-row]`)].map((row) => row.cells[place].textContent);
    },
    [grid(table), column],
  );

async function ready(lab, file, tab, options) {
  const page = await lab.page(options);
  await s.openReady(page, file);
  if (tab !== "overview") await page.click(`[data-tab=${tab}]`);
  await rowsOf(page, tab === "overview" ? "alive" : tab);
  return page;
}

/** Clicks a heading until the table is sorted that way. */
async function sortBy(page, table, column, direction) {
  for (let clicks = 0; clicks < 2; clicks += 1) {
    if ((await page.getAttribute(head(table, column), "aria-sort")) === direction) return;
    await page.$eval(`${head(table, column)} button`, (button) => button.click());
  }
  s.equal(await page.getAttribute(head(table, column), "aria-sort"), direction, `${table} by ${column}`);
}

/** By a value; nothing in the cell comes last and ties go by id, whichever direction. */
function sorted(rows, value, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  const bytes = (v) => (typeof v === "string" ? Buffer.from(v).toString("hex") : v);
  const all = rows.map((row) => ({ id: row.id, key: row.key, value: bytes(value(row)) }));
  all.sort((a, b) => {
    if ((a.value === undefined) !== (b.value === undefined)) return a.value === undefined ? 1 : -1;
    return (a.value === b.value ? 0 : a.value < b.value ? -sign : sign) || a.id - b.id;
  });
  return all.map((row) => row.key);
}

const placed = (t, value) => (t.aligned > 0 ? value : undefined);

/** What each column holds, by definition; undefined where the cell is empty. */
function tensorColumns(dump, ordered) {
  const name = (t) => dump.nodes[t.source]?.name;
  return {
    Id: (t) => t.id,
    Aligned: (t) => t.aligned,
    Size: (t) => t.original,
    Padding: (t) => placed(t, t.aligned - t.original),
    Span: (t) => t.span,
    SizeSpan: (t) => t.aligned * t.span,
    LifeStart: (t) => t.printedFirst,
    LifeEnd: (t) => t.printedLast,
    StartAddr: (t) => placed(t, t.offset),
    EndAddr: (t) => placed(t, t.offset + t.aligned),
    TensorType: (t) => t.type,
    LifeLong: (t) => t.lifelong,
    Readers: (t) => t.readers.size,
    Stream: (t) => (ordered ? dump.nodes[t.source]?.stream : undefined),
    OutputIndex: (t) => t.output,
    SourceStep: (t) => t.source,
    Operator: (t) => (name(t) === undefined ? undefined : operatorOf(name(t))),
    Name: name,
  };
}

function nodeColumns(dump, ordered) {
  const opId = (name) => name.match(/-op(\d+)$/)?.[1];
  return {
    Id: (n) => n.id,
    Name: (n) => n.name,
    Operator: (n) => operatorOf(n.name),
    OpId: (n) => (opId(n.name) === undefined ? undefined : Number(opId(n.name))),
    Stream: (n) => (ordered ? n.stream : undefined),
    Inputs: (n) => n.inputs.length + n.parameters.length,
    Outputs: (n) => n.outputs.length,
    Workspaces: (n) => n.workspaces.length,
    AliveTensorsSize: (n) => aliveAt(dump, n.id),
    InUseMemory: (n) => aliveAt(dump, n.id) + dump.fixed,
    TotalTensorSize: (n) => totalAt(dump, n.id),
    TotalMemory: (n) => totalAt(dump, n.id) + dump.fixed,
  };
}

const PARAMETER_COLUMNS = {
  Id: (p) => p.id,
  Size: (p) => p.size,
  StartAddr: () => undefined,
  EndAddr: () => undefined,
  OutputIndex: (p) => p.output,
  Readers: (p) => p.readers.size,
  Name: (p) => p.name,
};

async function checkOrders(page, table, rows, columns) {
  await page.click(`[data-tab=${table}]`);
  const shown = await page.$$eval(`${grid(table)} th`, (all) => all.map((th) => th.dataset.column));
  s.equal([...shown].sort(), Object.keys(columns).sort(), `columns of ${table}`);
  for (const column of shown) {
    for (const direction of ["descending", "ascending"]) {
      await sortBy(page, table, column, direction);
      const expected = sorted(rows, columns[column], direction);
      await s.eventually(() => rowsOf(page, table), expected, `${table} by ${column}, ${direction}`);
    }
  }
}

const PRESETS = [
  ["largest", (t) => t.aligned],
  ["longest-lived", (t) => t.span],
  ["largest and longest-lived", (t) => t.aligned * t.span],
  ["most padding", (t) => placed(t, t.aligned - t.original)],
];

/** Rows in sight of a table, from the first to the last. */
const inSight = (page, table) =>
  page.$eval(grid(table), (grid) => {
    const box = grid.parentElement.getBoundingClientRect();
    const rows = [...grid.querySelectorAll("[data-row]")].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= box.top + 27 && bottom <= box.bottom + 1;
    });
    return rows.map((row) => row.dataset.row);
  });

const cursorOf = (page, table) =>
  page.$eval(grid(table), (grid) => document.getElementById(grid.getAttribute("aria-activedescendant"))?.dataset.row);

export default {
  async "every column of every table sorts in both directions"(lab) {
    for (const [{ file }, ordered] of [[LENET, false], [ASCEND, true]]) {
      const dump = readDump(file);
      const page = await ready(lab, file, "tensors", TALL);
      const keyed = (list, key) => list.map((row) => ({ ...row, key: key(row.id) }));
      await checkOrders(page, "tensors", keyed(dump.tensors, (id) => `%${id}T`), tensorColumns(dump, ordered));
      await checkOrders(page, "nodes", keyed(dump.nodes, (id) => `$${id}`), nodeColumns(dump, ordered));
      await checkOrders(page, "parameters", keyed(dump.parameters, (id) => `%${id}P`), PARAMETER_COLUMNS);
    }
  },

  async "the presets order as they say, in both tables of tensors"(lab) {
    const dump = readDump(RESNET.file);
    const page = await ready(lab, RESNET.file, "overview", { viewport: { width: 1280, height: 12_000 } });
    const tables = [["tensors", dump.tensors], ["alive", listedAt(dump, PEAK)]];
    for (const [table, tensors] of tables) {
      await page.click(`[data-tab=${table === "alive" ? "overview" : table}]`);
      const rows = tensors.map((t) => ({ ...t, key: `%${t.id}T` }));
      for (const [name, value] of PRESETS) {
        await page.click(`${card(table)} .preset >> text="${name}"`);
        s.equal(await page.getAttribute(`${card(table)} .preset >> text="${name}"`, "aria-pressed"), "true", `${name} is pressed`);
        const expected = sorted(rows, value, "descending");
        const read = () => (table === "alive" ? s.allRows(page, table) : rowsOf(page, table));
        await s.eventually(read, expected, `${table}: ${name}`);
      }
    }
  },

  async "the filter finds ids, names, types and lifelong words, in either case"(lab) {
    const dump = readDump(ASCEND.file);
    const page = await ready(lab, ASCEND.file, "tensors", TALL);
    await sortBy(page, "tensors", "Id", "ascending");
    const texts = (t) => [`%${t.id}T`, dump.nodes[t.source]?.name ?? "", t.type, t.lifelong];
    for (const filter of ["conv2d", "%1", "7T", "UNION", "graphall", "-op1", "workspace", "no such thing", ""]) {
      await page.fill("[data-filter=tensors]", filter);
      const kept = dump.tensors.filter((t) => texts(t).some((text) => text.toLowerCase().includes(filter.toLowerCase())));
      await s.eventually(() => rowsOf(page, "tensors"), tensorKeys(kept), `rows with ${filter}`);
      s.equal(await page.getAttribute(`${card("tensors")} .summary`, "data-total"), String(kept.length), `rows with ${filter}, counted`);
    }
    await page.fill("[data-filter=tensors]", "no such thing");
    await page.waitForSelector(`${grid("tensors")} tr.none:not([hidden])`);
  },

  async "what is alive sums up to the curve, and a union counts once"(lab) {
    let mates = 0;
    for (const one of [RESNET, LENET, s.expectation("gpt_8l_recompute_on"), ASCEND, s.expectation("ascend_like_sample/Ascend_somas_tensor_offset_1")]) {
      const dump = readDump(one.file);
      const page = await ready(lab, one.file, "overview");
      const crowded = [...dump.nodes.keys()].filter((step) => listedAt(dump, step).some((t) => t.countedWith !== undefined));
      for (const step of [one.expected.max_in_use.step, ...crowded.filter((_, i) => i % Math.ceil(crowded.length / 3) === 0)]) {
        await page.evaluate((step) => (location.hash = `step=${step}`), step);
        await s.eventually(() => s.selectionOf(page), ["step", String(step)], "selection");
        const summary = page.locator(`${card("alive")} .summary`);
        const listed = listedAt(dump, step);
        const told = async () => [await summary.getAttribute("data-total"), await summary.getAttribute("data-sum")];
        const alive = aliveAt(dump, step);
        await s.eventually(told, [String(listed.length), String(alive)], `${one.name}: rows and bytes alive at ${step}`);
        s.check((await summary.innerText()).split(" · ").some((text) => s.isFigure(text, alive)), `no ${alive} above the table`);
        await sortBy(page, "alive", "Id", "ascending");
        const marked = listed.filter((t) => t.countedWith !== undefined);
        mates += marked.length;
        for (const t of marked.slice(0, 3)) {
          await page.fill("[data-filter=alive]", `%${t.id}T`);
          const cell = page.locator(`${grid("alive")} [data-row="%${t.id}T"] td.size`);
          await s.eventually(() => cell.textContent({ timeout: 2000 }).catch(() => ""), `with %${t.countedWith}T`, `%${t.id}T says with whom it counts`);
          s.check((await cell.getAttribute("title")).includes(`%${t.countedWith}T`), "no explanation");
        }
        await page.fill("[data-filter=alive]", "");
      }
    }
    s.check(mates > 0, "no union was looked at");
  },

  async "all tensors sum up to what there would be without reuse"(lab) {
    for (const one of [RESNET, ASCEND]) {
      const page = await ready(lab, one.file, "tensors");
      const sum = await page.getAttribute(`${card("tensors")} .summary`, "data-sum");
      s.equal(sum, await s.valueOf(page, "total_tensor_size"), `${one.name}: sum`);
      s.equal(sum, String(totalAt(readDump(one.file), Infinity)), `${one.name}: sum, calculated`);
    }
  },

  async "columns can be hidden and resized, and stay so"(lab) {
    const page = await ready(lab, LENET.file, "tensors");
    const columns = () => page.$$eval(`${grid("tensors")} th`, (all) => all.map((th) => th.dataset.column));
    const before = await columns();
    await page.click(`${card("tensors")} .menu summary`);
    await page.click(`${card("tensors")} .menu label >> text="Padding"`);
    const without = before.filter((column) => column !== "Padding");
    s.equal(await columns(), without, "columns without padding");
    await rowsOf(page, "tensors");
    const widths = await page.$$eval(`${grid("tensors")} [data-row]`, (rows) => rows.map((row) => row.cells.length));
    s.check(widths.every((n) => n === without.length), "rows have other columns than the head");
    await page.keyboard.press("Escape");
    const width = () => page.$eval(head("tensors", "Size"), (th) => Math.round(th.getBoundingClientRect().width));
    const narrow = await width();
    const grip = await page.locator(`${head("tensors", "Size")} .grip`).boundingBox();
    await page.mouse.move(grip.x + grip.width / 2, grip.y + 10);
    await page.mouse.down();
    await page.mouse.move(grip.x + grip.width / 2 + 60, grip.y + 10, { steps: 4 });
    await page.mouse.up();
    s.equal(await width(), narrow + 60, "width of the column");
    s.equal(await page.getAttribute(head("tensors", "Size"), "aria-sort"), "none", "resizing does not sort");
    await page.reload();
    await page.waitForSelector("body[data-state=empty]");
    await s.openReady(page, LENET.file);
    await page.click("[data-tab=tensors]");
    s.equal([await columns(), await width()], [without, narrow + 60], "columns and width after loading the page again");
  },

  async "text of a table can be marked and copied, which selects nothing else"(lab) {
    const page = await ready(lab, LENET.file, "tensors");
    const selected = await s.selectionOf(page);
    const cell = await page.locator(`${grid("tensors")} [data-row]`).nth(2).locator("td").nth(2).boundingBox();
    const text = (await cellsOf(page, "tensors", "Size"))[2];
    await page.mouse.move(cell.x + 1, cell.y + cell.height / 2);
    await page.mouse.down();
    await page.mouse.move(cell.x + cell.width - 1, cell.y + cell.height / 2, { steps: 5 });
    await page.mouse.up();
    const copied = await page.evaluate(() => {
      let taken = "";
      const listen = () => (taken = String(getSelection()));
      document.addEventListener("copy", listen, { once: true });
      document.execCommand("copy");
      return taken;
    });
    s.equal(copied.trim(), text, "copied text");
    s.equal(await s.selectionOf(page), selected, "selection after marking text");
    const taken = await page.evaluate((grid) => {
      const rows = document.querySelectorAll(`${grid} [data-row]`);
      const range = document.createRange();
      range.setStartBefore(rows[0]);
      range.setEndAfter(rows[1]);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      let taken = "";
      const listen = (event) => (taken = event.clipboardData.getData("text/plain"));
      document.addEventListener("copy", listen, { once: true });
      document.execCommand("copy");
      return taken;
    }, grid("tensors"));
    const keys = await rowsOf(page, "tensors");
    const lines = taken.split("\n").filter((line) => line.trim());
    s.equal(lines.map((line) => line.split("\t")[0].trim()), keys.slice(0, 2), `first cells of the copied rows: ${taken}`);
  },

  async "the keyboard reaches every row and selects"(lab) {
    const dump = readDump(RESNET.file);
    const page = await ready(lab, RESNET.file, "tensors");
    const order = sorted(dump.tensors.map((t) => ({ ...t, key: `%${t.id}T` })), (t) => t.aligned, "descending");
    await page.focus(grid("tensors"));
    const height = await page.$eval(grid("tensors"), (grid) => grid.parentElement.clientHeight);
    const leap = Math.floor((height - 28) / 24) - 1;
    const last = order.length - 1;
    for (const [key, row] of [
      ["ArrowDown", 0],
      ["ArrowDown", 1],
      ["ArrowDown", 2],
      ["ArrowUp", 1],
      ["PageDown", 1 + leap],
      ["PageUp", 1],
      ["End", last],
      ["ArrowDown", last],
      ["ArrowUp", last - 1],
      ["Home", 0],
      ["ArrowUp", 0],
    ]) {
      await page.keyboard.press(key);
      await s.eventually(() => cursorOf(page, "tensors"), order[row], `row after ${key}`);
      s.check((await inSight(page, "tensors")).includes(order[row]), `${key}: the row is out of sight`);
    }
    await page.keyboard.press("End");
    await s.eventually(() => cursorOf(page, "tensors"), order[last], "last row");
    await page.keyboard.press("Enter");
    await s.eventually(() => s.selectionOf(page), ["tensor", order[last]], "selection after Enter");
    s.check(await page.$eval(`${grid("tensors")} [data-row="${order[last]}"]`, (row) => row.classList.contains("selected")), "the row is not marked");
    // Headings are buttons.
    await page.focus(`${head("tensors", "Span")} button`);
    await page.keyboard.press("Enter");
    await s.eventually(() => page.getAttribute(head("tensors", "Span"), "aria-sort"), "descending", "sorted by Enter on a heading");
    await page.keyboard.press("f");
    s.equal(await page.evaluate(() => document.activeElement.dataset.filter), "tensors", "focus after f");
  },

  async "scrolled to the side a number is shown whole or not at all, and every column comes into sight"(lab) {
    for (const viewport of [{ width: 1280, height: 900 }, { width: 700, height: 900 }]) {
      const page = await ready(lab, ASCEND.file, "tensors", { viewport });
      const columns = await page.$$eval(`${grid("tensors")} th`, (all) => all.map((th) => th.dataset.column));
      const whole = new Set();
      let cuts = 0;
      const [seen, wide] = await page.$eval(grid("tensors"), ({ parentElement: box }) => [box.clientWidth, box.scrollWidth]);
      s.check(wide > seen, `the table is not wider than ${viewport.width} pixels`);
      for (let next = 0; next < wide - seen + 23; next += 23) {
        const at = Math.min(next, wide - seen);
        // The page scrolls the rows at the event that follows.
        const row = await page.$eval(
          grid("tensors"),
          (grid, at) =>
            new Promise((resolve) => {
              const box = grid.parentElement;
              const look = () => {
                const [frame, cells] = [box.getBoundingClientRect(), [...grid.querySelector("[data-row]").cells]];
                const left = cells[0].getBoundingClientRect().right;
                const right = grid.matches(".frozen") ? cells.at(-1).getBoundingClientRect().left : frame.left + box.clientWidth;
                const told = cells.map((cell) => {
                  const { left: from, right: to, width } = cell.getBoundingClientRect();
                  const { color, textAlign } = getComputedStyle(cell);
                  const among = cell !== cells[0] && !(grid.matches(".frozen") && cell === cells.at(-1));
                  const cut = width > 0 && among && (from < left - 0.5 || to > right + 0.5);
                  const { content, width: room } = getComputedStyle(cell, "::after");
                  const free = Math.min(to, right) - Math.max(from, left) - 20;
                  return { sight: width > 0, cut, number: textAlign === "end", visible: color !== "rgba(0, 0, 0, 0)", after: content, room: parseFloat(room), free };
                });
                resolve(told);
              };
              if (Math.round(box.scrollLeft) === at) return requestAnimationFrame(look);
              box.addEventListener("scroll", () => requestAnimationFrame(look), { once: true });
              box.scrollLeft = at;
            }),
          at,
        );
        for (const [place, cell] of row.entries()) {
          if (!cell.sight) continue;
          if (!cell.cut) whole.add(columns[place]);
          const what = `${columns[place]} at ${at} of ${viewport.width}`;
          if (!cell.number) continue;
          s.equal(cell.visible, !cell.cut, `${what}: digits in sight`);
          if (cell.cut) s.equal(cell.after, '"\u200b…"', `${what}: the sign that something is cut`);
          // The sign has the place that is in sight; where that is too narrow it breaks out of sight.
          if (cell.cut) s.check(Math.abs(cell.room - Math.max(0, cell.free)) < 1.5, `${what}: the sign has ${cell.room} of ${cell.free} pixels`);
          cuts += Number(cell.cut);
        }
      }
      s.equal([...whole].sort(), [...columns].sort(), "columns that were whole in sight");
      s.check(cuts > 0, "nothing was cut");
    }
  },

  async "what a filter leaves is shown to its last row, in order, beyond the first thousand"(lab) {
    const file = s.madePlan(583_000);
    const page = await ready(lab, file, "tensors");
    await page.click(`${card("tensors")} .preset >> text="largest"`);
    await page.fill("[data-filter=tensors]", "workspace");
    const kept = [];
    for (const line of fs.readFileSync(file, "latin1").split("\n")) {
      const row = /^%.*workspace/i.test(line) && line.match(/^%(\d+)T\t#(\d+)S\t#\d+S\t&\d+\t(\w+)\t(\w+)\t\d+\t\d+\t(.*)/);
      if (!row || !row.slice(3).some((text) => text.toLowerCase().includes("workspace"))) continue;
      kept.push({ key: `%${row[1]}T`, id: Number(row[1]), aligned: Number(row[2]) });
    }
    s.check(kept.length > 10_000, `only ${kept.length} rows`);
    const order = sorted(kept, (t) => t.aligned, "descending");
    const total = () => page.getAttribute(`${card("tensors")} .summary`, "data-total");
    await s.eventually(total, String(kept.length), "rows that the filter leaves");
    const box = page.locator(`${card("tensors")} .table-scroll`);
    const shows = async (first) => {
      const rows = await inSight(page, "tensors");
      const from = order.indexOf(rows[0]);
      return rows.length > 5 && from >= first && JSON.stringify(rows) === JSON.stringify(order.slice(from, from + rows.length));
    };
    for (const row of [0, 1000, 1024, 5000, kept.length - 100]) {
      // Above eight million pixels the bar is scaled.
      const place = (kept.length * 24 > 8e6 ? (8e6 / (kept.length * 24)) * row : row) * 24;
      await box.evaluate((box, at) => void (box.scrollTop = at), place);
      await s.eventually(() => shows(Math.max(0, row - 40)), true, `rows around ${row} of ${kept.length}, in order`);
    }
    await page.focus(grid("tensors"));
    await page.keyboard.press("End");
    await s.eventually(async () => (await inSight(page, "tensors")).at(-1), order.at(-1), "the last row");
  },

  async "the last of a million rows is reached"(lab) {
    const file = s.madePlan(583_000);
    const tensors = [];
    for (const line of fs.readFileSync(file, "latin1").split("\n")) {
      const row = line.match(/^%(\d+)T\t#(\d+)S\t#\d+S\t&\d+\t(\w+)\t(\w+)\t(\d+)\t(\d+)/);
      if (!row || row[3] === "Control") continue;
      const [id, aligned, first, last] = [row[1], row[2], row[5], row[6]].map(Number);
      tensors.push({ id, aligned, lifelong: row[4], first, last });
    }
    const steps = 583_000;
    for (const t of tensors) {
      const [first, last] = [/All|Start/.test(t.lifelong) ? 0 : t.first, /All|End/.test(t.lifelong) ? steps - 1 : t.last];
      t.value = t.aligned * (last - first + 1);
    }
    s.check(tensors.length > 1_000_000, `only ${tensors.length} tensors`);
    const page = await ready(lab, file, "tensors");
    s.equal(await s.valueOf(page, "counts.tensors"), String(tensors.length), "tensors");
    const scroll = (place) =>
      page.$eval(grid("tensors"), (grid, place) => void (grid.parentElement.scrollTop = place === "end" ? grid.parentElement.scrollHeight : place), place);
    const last = async () => (await inSight(page, "tensors")).at(-1);
    const first = async () => (await inSight(page, "tensors"))[0];
    tensors.sort((a, b) => b.value - a.value || a.id - b.id);
    for (const [preset, top, bottom] of [
      ["largest and longest-lived", tensors[0].id, tensors.at(-1).id],
      ["", 0, tensors.reduce((most, t) => Math.max(most, t.id), 0)],
    ]) {
      if (preset) await page.click(`${card("tensors")} .preset >> text="${preset}"`);
      else await sortBy(page, "tensors", "Id", "ascending");
      await s.eventually(first, `%${top}T`, `first row, ${preset || "by id"}`);
      await scroll("end");
      await s.eventually(last, `%${bottom}T`, `last row, ${preset || "by id"}`);
      await scroll(0);
      await s.eventually(first, `%${top}T`, "first row again");
    }
    // The longest numbers are whole.
    await scroll("end");
    await s.eventually(last, `%${tensors.reduce((most, t) => Math.max(most, t.id), 0)}T`, "last row");
    const cutOff = await page.$$eval(`${grid("tensors")} [data-row]`, (rows) =>
      rows.flatMap((row) => [...row.cells].filter((cell) => /^(\$?\d|%)/.test(cell.textContent) && !cell.matches(".cut, .aside")).filter((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getBoundingClientRect().left < cell.getBoundingClientRect().left - 0.5 || cell.scrollWidth > cell.clientWidth + 1 || [...cell.children].some((e) => e.scrollWidth > e.clientWidth + 1);
      })).map((cell) => cell.textContent));
    s.equal(cutOff, [], "numbers that are cut off");
    await scroll(0);
    // By the wheel, row after row: none is left out.
    await page.locator(grid("tensors")).evaluate((grid) => grid.parentElement.scrollIntoView({ block: "center" }));
    const box = await page.locator(`${card("tensors")} .table-scroll`).boundingBox();
    await page.mouse.move(box.x + 200, box.y + 60);
    for (let turn = 1; turn <= 5; turn += 1) {
      await page.mouse.wheel(0, 240);
      await s.eventually(first, `%${turn * 10}T`, `first row after ${turn} turns of ten rows`);
    }
    // Quickly, both ways and by more than is ready beside what is in sight: each row has its own numbers.
    const all = [...tensors].sort((a, b) => a.id - b.id);
    const sized = await page.$eval(grid("tensors"), (grid) => [...grid.querySelectorAll("th")].findIndex((th) => th.dataset.column === "Aligned"));
    const fit = Math.floor((await page.$eval(grid("tensors"), (grid) => grid.parentElement.clientHeight - 28)) / 24);
    s.check(fit > 12, `only ${fit} rows fit`);
    const shown = () =>
      page.$eval(grid("tensors"), (grid, [sized, fit]) => {
        const top = grid.querySelector("thead").getBoundingClientRect().bottom;
        const rows = [...grid.querySelectorAll("tbody tr[data-row]")];
        const seen = rows.map((row) => [row, row.getBoundingClientRect().y - top]).filter(([, y]) => y >= 0 && y < fit * 24);
        return seen.map(([row, y]) => [row.dataset.row, Number(row.cells[sized].title.replace(/\D/g, "")), y]);
      }, [sized, fit]);
    let at = 50;
    for (const rows of [1, 1, 17, 20, 21, 60, 400, -1, -17, -40, -300, 3, 5, -5, 20, 20, -20]) {
      await page.mouse.wheel(0, rows * 24);
      at += rows;
      const expected = all.slice(at, at + fit).map((t, i) => [`%${t.id}T`, t.aligned, 24 * i]);
      await s.eventually(shown, expected, `rows in sight after ${rows} rows`);
    }
    // At rest only these are in the page.
    await s.eventually(() => page.$$eval(`${grid("tensors")} tbody tr:not(.none)`, (rows) => rows.length), Math.ceil((box.height - 28) / 24) + 1, "rows in the page");
    await page.focus(grid("tensors"));
    await page.keyboard.press("End");
    await s.eventually(last, `%${tensors.length - 1}T`, "last row by the keyboard");
    await page.keyboard.press("Enter");
    await s.eventually(() => s.selectionOf(page), ["tensor", `%${tensors.length - 1}T`], "selection");
  },
};
