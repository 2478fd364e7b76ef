// A damaged dump gives errors and no numbers, the same ones as the command line; files of another kind one sentence.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const NAME = "CPU_somas_tensor_offset_0.ir";
const TEXT = s.textOf(LENET.file);

/** LeNet with one change, and where that is: `{ text, line, column }`, from 1. */
function damaged(pattern, change) {
  const found = TEXT.match(pattern);
  const [before, after] = [TEXT.slice(0, found.index), TEXT.slice(found.index + found[0].length)];
  const text = before + change(found) + after;
  return { text, line: before.split("\n").length };
}

const NO_MARK = damaged(/^(%7T\t#\d+S\t#\d+)S/m, ([, start]) => start);
const REVERSED = damaged(/^(%9T\t.*\t)(\d+)\t(\d+)(\tDefault)/m, ([, start, , , end]) => `${start}30\t3${end}`);
const CUT = (() => {
  const at = TEXT.indexOf("Common", TEXT.indexOf("\n%20T\t")) + 3;
  return { text: TEXT.slice(0, at), line: TEXT.slice(0, at).split("\n").length };
})();

/** The column where the last `part` of a line begins, as an editor counts. */
const column = (line, part) => [...line.slice(0, line.lastIndexOf(part))].length + 1;
const lineOf = ({ text, line }) => text.split("\n")[line - 1];

/** What the command line says of a file: its codes with severities, sorted. */
function commandLine(cli, file, ...args) {
  let out;
  try {
    out = execFileSync(cli, ["-s", file, "--json", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    // A finding or an error has its own exit status; the summary is there all the same.
    out = error.stdout;
  }
  return JSON.parse(out.split("\n")[0]).diagnostics.list;
}

/** A page that has shown the error, no number, and the message. */
async function checkRefused(page, { text, line }, code, part) {
  s.equal(await s.open(page, s.made(NAME, text)), "error", "state");
  const messages = await s.messagesOf(page);
  s.equal(messages.map((m) => m.code), [code], "codes");
  s.check(messages[0].seen, "the message cannot be seen");
  const place = `${NAME}:${line}:${column(lineOf({ text, line }), part)}:`;
  s.check(messages[0].text.includes(place), `expected ${place} in: ${messages[0].text}`);
  const facts = Object.entries(await s.factsOf(page)).filter(([, fact]) => fact.seen);
  s.equal(facts.map(([key]) => key), [], "facts of a damaged dump that can be seen");
  s.check(await page.locator("canvas[data-hook=usage-chart]").isHidden(), "a chart of a damaged dump");
}

const refused = (damage, code, part) => async (lab) => checkRefused(await lab.page(), damage, code, part);

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** Files that are no plan, by what they are. */
const OTHERS = {
  "offline log": s.dataFile("samples/v1.10_ascend/Ascend_somas_offline_log_1.ir"),
  relation: s.dataFile("samples/v1.10_ascend/somas_tensor_relation_1.ir"),
  "task info": s.dataFile("samples/v1.10_ascend/task_info_graph_1.ir"),
  "memory info": s.dataFile("samples/v1.1_ascend/somas_mem_info_1.ir"),
  "solver input": s.dataFile("samples/v1.3_ascend/somas_solver_input_1.ir"),
  "solver output": s.dataFile("samples/v1.3_ascend/somas_solver_output_1.ir"),
  "graph IR": s.made("graph_0001.ir", "# IR entry: @net_1\n# Total subgraphs: 1\n\nsubgraph attr:\nsubgraph @net_1() {\n  %0(a) = ReLU(%para1_x)\n}\n"),
  log: s.made("train.log", "[INFO] ME(1:2,python):2024-01-01-10:00:00 epoch: 1 step: 1, loss is 2.3\n"),
  PNG: s.made("InUseMemory.png", PNG),
  "empty file": s.made("empty.ir", ""),
};

export default {
  "a size without its S": refused(NO_MARK, "unreadable_field", lineOf(NO_MARK).split("\t")[2]),

  "a lifetime that ends before it starts": refused(REVERSED, "reversed_life", "3\tDefault"),

  async "a dump that breaks off"(lab) {
    const page = await lab.page();
    s.equal(await s.open(page, s.made(NAME, CUT.text)), "error", "state");
    const messages = await s.messagesOf(page);
    const file = lab.scratch(NAME, CUT.text);
    s.equal(messages.map((m) => m.code), commandLine(lab.cli, file).map((d) => d.code), "codes");
    const text = messages.find((m) => m.code === "row_cut")?.text ?? "";
    const place = `${NAME}:${CUT.line}:${[...lineOf(CUT)].length + 1}:`;
    s.check(text.includes(place), `expected ${place} of row_cut in: ${text}`);
    s.equal(Object.values(await s.factsOf(page)).filter((fact) => fact.seen).length, 0, "facts that can be seen");
  },

  async "every damage has the codes of the command line"(lab) {
    const page = await lab.page();
    const dir = s.dataFile("bad");
    const files = fs.readdirSync(dir).filter((name) => name.endsWith(".ir")).sort();
    s.check(files.length >= 60, `only ${files.length} damages`);
    // An error again would be no change of state: each file comes after a good one.
    for (const name of files) {
      await s.openReady(page, s.expectation("tiny_one_node").file);
      const file = path.join(dir, name);
      const expected = commandLine(lab.cli, file);
      const state = await s.open(page, file);
      s.equal(state, expected.some((d) => d.severity === "error") ? "error" : "ready", `${name}: state`);
      const messages = await s.messagesOf(page);
      s.equal(messages.map((m) => m.code), expected.map((d) => d.code), `${name}: codes`);
      for (const [i, { line, column }] of expected.entries()) {
        const place = [name, line, column].filter(Boolean).join(":");
        s.check(messages[i].text.includes(`${place}:`), `expected ${place}: in: ${messages[i].text}`);
      }
    }
  },

  async "warnings leave the numbers, and are listed"(lab) {
    const page = await lab.page();
    const file = s.dataFile("bad/0048_total_differs.ir");
    await s.openReady(page, file);
    s.equal((await s.messagesOf(page)).map((m) => m.code), ["total_differs"], "codes");
    s.check((await s.factsOf(page)).planned_total?.seen, "no planned total");
  },

  async "what can be read is shown on request, and said to be incomplete"(lab) {
    const page = await lab.page();
    // All have one name, and another size: the part of the file that was asked for is shown, not one of before.
    for (const [{ text }, tensors] of [[NO_MARK, LENET.expected.counts.tensors - 1], [CUT, 20]]) {
      s.equal(await s.open(page, s.made(NAME, text)), "error", "state");
      s.check(await page.locator("body:not([data-incomplete])").count(), "incomplete before it was asked for");
      s.equal(await s.settled(page, () => page.click(s.hook("partial"))), "ready", "state");
      s.check(await page.locator("body[data-incomplete]").count(), "not said to be incomplete");
      s.check((await s.factsOf(page)).lower_bound?.seen, "no number");
      s.equal(await s.valueOf(page, "counts.tensors"), String(tensors), "tensors");
      await s.openReady(page, LENET.file);
      s.equal(await s.valueOf(page, "counts.tensors"), String(LENET.expected.counts.tensors), "tensors of the good dump");
      s.check(await page.locator("body:not([data-incomplete])").count(), "a good dump is said to be incomplete");
    }
  },

  async "a fault of the page itself is said, and a remark of the browser is none"(lab) {
    for (const [what, fail] of [
      ["thrown", () => setTimeout(() => { throw new Error("<b>out of ideas</b>"); })],
      ["in the answer to a promise", () => { Promise.reject(new Error("<b>out of ideas</b>")); }],
    ]) {
      const page = await lab.page({ complaints: "expected" });
      await page.evaluate(() => dispatchEvent(new ErrorEvent("error", { message: "ResizeObserver loop limit exceeded" })));
      s.equal(await s.stateOf(page), "empty", `${what}: state after a remark`);
      s.equal(await s.settled(page, () => page.evaluate(fail)), "error", `${what}: state`);
      s.check(await page.locator("#failure-title").isVisible(), `${what}: no title`);
      const text = await page.locator("#failure-text").textContent();
      s.check(text.endsWith(" <b>out of ideas</b>"), `${what}: the text is ${text}`);
      await page.context().close();
    }
  },

  async "a fault of the worker ends what it was doing, and the next file opens"(lab) {
    for (const [what, fail] of [
      ["thrown", () => setTimeout(() => { throw new Error("out of ideas"); })],
      ["in the answer to a promise", () => { Promise.reject(new Error("out of ideas")); }],
    ]) {
      const page = await lab.page({ complaints: "expected" });
      await s.openReady(page, LENET.file);
      const [worker] = page.workers();
      s.equal(await s.settled(page, () => worker.evaluate(fail)), "error", `${what}: state`);
      const text = await page.locator("#failure-text").textContent();
      s.check(text.endsWith("out of ideas"), `${what}: the text is ${text}`);
      await s.openReady(page, LENET.file);
      s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), `${what}: planned total`);
      await page.context().close();
    }
  },

  async "a file of another kind gives one sentence"(lab) {
    for (const [what, file] of Object.entries(OTHERS)) {
      const page = await lab.page();
      s.equal(await s.open(page, file), "error", `${what}: state`);
      const messages = await s.messagesOf(page);
      s.equal(messages.length, 1, `${what}: messages`);
      const name = file.name ?? path.basename(file);
      s.check(messages[0].seen && messages[0].text.includes(name), `${what}: the file is not named in: ${messages[0].text}`);
      s.check(await page.locator(s.hook("partial")).isHidden(), `${what}: nothing of it can be shown in part`);
      const onDisk = lab.scratch(name, file.buffer ?? fs.readFileSync(file));
      s.equal([messages[0].code], commandLine(lab.cli, onDisk).map((d) => d.code), `${what}: code`);
      await page.context().close();
    }
  },

  async "a bad file dropped on a plan does not lose the plan"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    const state = await s.settled(page, () => s.dropMade(page, [[NAME, NO_MARK.text]]));
    s.equal(state, "error", "state");
    s.equal((await s.messagesOf(page)).map((m) => m.code), ["unreadable_field"], "codes");
    const back = page.locator("#back");
    s.check(await back.isVisible(), "no way back to the plan");
    await s.settled(page, () => back.click());
    s.equal(await s.stateOf(page), "ready", "state after going back");
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total");
    s.equal(await s.messagesOf(page), [], "messages after going back");
  },

  async "a stranger beside a plan leaves the plan, and is named"(lab) {
    const page = await lab.page();
    await s.openReady(page, [s.made(NAME, TEXT), OTHERS.PNG]);
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total");
    const messages = await s.messagesOf(page);
    s.equal(messages.length, 1, "messages");
    s.check(messages[0].text.includes(OTHERS.PNG.name), `the file is not named in: ${messages[0].text}`);
  },

  async "a damaged dump beside a good one: the good one is shown, the other told"(lab) {
    const page = await lab.page();
    await s.openReady(page, [s.made("CPU_somas_tensor_offset_0.ir", TEXT), s.made("CPU_somas_tensor_offset_1.ir", NO_MARK.text)]);
    s.equal(await s.valueOf(page, "planned_total"), String(LENET.expected.planned_total), "planned total");
    s.equal((await s.messagesOf(page)).map((m) => m.code), ["unreadable_field"], "codes");
    s.check(await page.locator(s.hook("partial")).isVisible(), "no way to see the rest");
  },
};
