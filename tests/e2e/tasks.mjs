// Task info beside its dump: paired, joined, its base everywhere, and exactly the faults that were put in.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import * as s from "./support.mjs";
import { choose } from "./search.mjs";

const DIR = s.dataFile("dumps", "ascend_like_sample");
const DUMP = path.join(DIR, "Ascend_somas_tensor_offset_1.ir");
const CLEAN = path.join(DIR, "task_info_graph_1.ir");
const FAULTY = path.join(DIR, "task_info_faults_1.ir");
const TRUTH = JSON.parse(fs.readFileSync(path.join(DIR, "truth_faults_1.json")));
const CARD = s.hook("tasks");

/** What the maker calls a fault, as the contract calls it. */
const KINDS = { outside: "outside_plan" };
const kindOf = (fault) => KINDS[fault] ?? fault.replaceAll("-", "_");

/** The numbers of the card. */
const cardOf = (page) =>
  page.$eval(CARD, ({ dataset: { base, baseFrom, tasks, matched, findings } }) => ({ base, baseFrom, tasks, matched, findings }));

/** Findings by kind, as the card tells them. */
const kindsOf = (page) =>
  page.$eval(CARD, (card) =>
    Object.fromEntries([...card.querySelectorAll("[data-count]")].map((e) => [e.dataset.kindFilter, Number(e.dataset.count)])),
  );

/** Rows of the table of findings that are about tasks: kind and key. */
async function rowsOf(page) {
  const rows = await page.$$eval("[data-table=findings] [data-row]", (all) =>
    all.map((row) => [row.cells[1].innerText.trim(), row.dataset.row].join(" ")),
  );
  return rows.filter((row) => !row.startsWith("hazard ")).sort();
}

/** What the command line says of the same files. */
function cliSays(lab, dump, info) {
  try {
    return JSON.parse(execFileSync(lab.cli, ["-s", dump, "-t", info, "--json"], { encoding: "utf8" }));
  } catch (error) {
    // Findings and hazards are told by the exit status, too.
    return JSON.parse(error.stdout);
  }
}

const expectedRows = (truth) =>
  truth
    .map((fault) => {
      const kind = kindOf(fault.fault);
      if ("tensor" in fault) return `${kind} %${fault.tensor}T`;
      return kind === "extra_task" ? `${kind} ${kind}` : `${kind} $${fault.node}`;
    })
    .sort();

export default {
  async "task info gives the base, with or after its dump"(lab) {
    const expected = JSON.parse(fs.readFileSync(path.join(DIR, "expected_task_1.json"))).task;
    for (const together of [true, false]) {
      const page = await lab.page();
      if (together) {
        await s.openReady(page, [DUMP, CLEAN]);
      } else {
        await s.openReady(page, DUMP);
        s.equal((await cardOf(page)).tasks, undefined, "tasks before their file is there");
        await s.openReady(page, CLEAN);
      }
      s.equal(
        await cardOf(page),
        {
          base: String(expected.base),
          baseFrom: "tasks",
          tasks: String(expected.tasks),
          matched: String(expected.matched),
          findings: "0",
        },
        "card",
      );
      s.equal(await page.$$eval("#siblings li", (all) => all.length), 1, "siblings");
      // Real addresses in the table, in the panels, in the search.
      await page.click("[data-tab=tensors]");
      const [, offset] = s.textOf(DUMP).match(/^%1T\t#\d+S\t#\d+S\t&(\d+)/m);
      const address = `0x${(expected.base + Number(offset)).toString(16)}`;
      await page.fill("[data-filter=tensors]", "%1T");
      const row = page.locator(`[data-table=tensors] [data-row="%1T"]`);
      await s.eventually(async () => (await row.innerText()).includes(address), true, `%1T at ${address}`);
      await choose(page, "%1T", "%1T");
      await s.eventually(async () => (await page.locator(s.hook("selection")).innerText()).includes(address), true, "panel");
      await choose(page, address, address);
      await page.waitForSelector(`${s.hook("selection")} [data-owner="%1T"]`);
      // A node tells what its task used.
      const producer = s.textOf(CLEAN).split("\n\n")[3];
      const used = [...producer.matchAll(/0x[0-9a-f]+/g)].map(([a]) => a);
      await choose(page, "$3", "$3");
      await page.waitForSelector(`${s.hook("selection")}:not([aria-busy]) [data-task]`);
      s.equal(await page.$$eval(`${s.hook("selection")} [data-task]`, (all) => all.map((e) => e.dataset.task)), used, "addresses of $3");
    }
  },

  async "an address of a parameter names the parameter, one outside says how far"(lab) {
    const page = await lab.page();
    await s.openReady(page, [DUMP, CLEAN]);
    const { task, queries, planned_total: total } = cliSays(lab, DUMP, CLEAN);
    s.check(task && !queries, "the command line's line");
    const end = task.base + total;
    await choose(page, String(end + 77), `0x${(end + 77).toString(16)}`);
    const note = page.locator(`${s.hook("selection")} [data-outside]`);
    await note.waitFor();
    s.equal([await note.getAttribute("data-outside"), await note.getAttribute("data-side")], ["77", "behind"], "outside");
    // The first parameter lies where the maker begins.
    await choose(page, "0x108f70000000", "0x108f70000000");
    await page.waitForSelector(`${s.hook("selection")}:not([aria-busy]) [data-select=p0]`);
  },

  async "exactly the faults that were put in are found"(lab) {
    const page = await lab.page();
    await s.openReady(page, [DUMP, FAULTY]);
    const kinds = await kindsOf(page);
    await page.click("[data-tab=safety]");
    await s.eventually(() => rowsOf(page), expectedRows(TRUTH), "findings");
    const line = cliSays(lab, DUMP, FAULTY);
    const sorted = (kinds) => Object.entries(kinds).sort();
    const ofTasks = Object.entries(line.findings).filter(([kind]) => kind in kinds);
    s.equal(sorted(kinds), ofTasks.sort(), "findings by kind, as the command line has them");
    s.equal((await cardOf(page)).matched, String(line.task.matched), "joined");
    // A kind on the card leads to its rows, a row to its tensor.
    await page.click("[data-tab=overview]");
    await page.click(`${CARD} [data-kind-filter=wrong_address]`);
    const fault = TRUTH.find((f) => f.fault === "wrong-address");
    await s.eventually(() => page.$$eval("[data-table=findings] [data-row]", (all) => all.map((e) => e.dataset.row)), [`%${fault.tensor}T`], "rows");
    await page.click(`[data-table=findings] [data-row="%${fault.tensor}T"]`);
    await s.eventually(() => s.selectionOf(page), ["tensor", `%${fault.tensor}T`], "selection");
  },

  async "faults put into another plan, one at a time"(lab) {
    const python = ["python3", "python"].find((p) => {
      try {
        return execFileSync(p, ["-c", "print(1)"]);
      } catch {
        return false;
      }
    });
    if (!python) return console.log("       no Python: left out");
    const makers = path.join(s.ROOT, "tests/makers");
    const dump = lab.scratch("Ascend_somas_tensor_offset_4.ir", "");
    execFileSync(python, [path.join(makers, "make_ascend.py"), "--nodes", "300", "--seed", "5", "--split", "--out", dump]);
    const page = await lab.page();
    for (const fault of [undefined, "wrong-address", "oversize", "outside", "same-address", "missing-task", "extra-task", "wrong-input"]) {
      const info = lab.scratch("task_info_graph_4.ir", "");
      const truth = lab.scratch("truth.json", "[]");
      const more = fault ? ["--fault", `${fault}@auto`] : [];
      const maker = path.join(makers, "make_task_info.py");
      execFileSync(python, [maker, dump, "--full-names", "--nontask", ...more, "--out", info, "--truth", truth]);
      await s.openReady(page, [dump, info]);
      await page.click("[data-tab=safety]");
      await s.eventually(() => rowsOf(page), expectedRows(JSON.parse(fs.readFileSync(truth))), `${fault}`);
    }
  },

  async "damaged task info is told with its place and not used"(lab) {
    const page = await lab.page();
    const text = s.textOf(CLEAN).replace("task_num:", "task_num:x");
    await s.openReady(page, [s.inMemory(DUMP), s.made("task_info_graph_1.ir", text)]);
    s.equal((await cardOf(page)).tasks, undefined, "tasks");
    const errors = (await s.messagesOf(page)).filter((m) => m.text.includes("task_info_graph_1.ir:2:"));
    s.equal(errors.length, 1, "errors of the task info");
  },
};
