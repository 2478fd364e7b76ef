// The result files on the page are those of the command line, byte for byte; a folder shows all of its graphs.

import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import * as s from "./support.mjs";

const large = () => s.madePlan(300_000);

const ASCEND = (number) => s.dataFile("dumps/ascend_like_sample", `Ascend_somas_tensor_offset_${number}.ir`);

/** Says in which files a ZIP and a folder differ, with the readers of another language. */
const COMPARE = `
import os, sys, zipfile
archive, folder = sys.argv[1:]
with zipfile.ZipFile(archive) as z:
    if z.testzip(): print("damaged:", z.testzip())
    inside = {i.filename: i.file_size for i in z.infolist()}
    outside = {}
    for root, _, files in os.walk(folder):
        for name in files:
            full = os.path.join(root, name)
            outside[os.path.relpath(full, folder).replace(os.sep, "/")] = full
    if sorted(inside) != sorted(outside): print("names:", sorted(set(inside) ^ set(outside)))
    for name in sorted(set(inside) & set(outside)):
        with open(outside[name], "rb") as file:
            if z.read(name) != file.read(): print("content:", name)
`;

/** Does something that downloads; gives the name and the path of what arrived. */
async function download(lab, page, action) {
  const [arrived] = await Promise.all([page.waitForEvent("download", { timeout: 4 * s.PATIENCE }), action()]);
  s.equal(await arrived.failure(), null, "the download's failure");
  const file = lab.scratch(`download-${lab.downloads = (lab.downloads ?? 0) + 1}`, "");
  await arrived.saveAs(file);
  return { name: arrived.suggestedFilename(), file };
}

const zip = (lab, page) => download(lab, page, () => page.click(s.hook("download-zip")));

/** The folder that the command line writes for a dump that lies alone, as it is opened on the page. */
function written(lab, dump) {
  const alone = lab.scratch(path.basename(dump), fs.readFileSync(dump));
  const dir = `${alone}-results`;
  const done = spawnSync(lab.cli, ["-s", alone, "-o", dir], { env: { ...process.env, LC_ALL: "C" } });
  s.check([0, 3].includes(done.status), `the command line ends with ${done.status}: ${done.stderr}`);
  return dir;
}

function same(archive, folder) {
  s.equal(execFileSync("python3", ["-c", COMPARE, archive, folder], { encoding: "utf8" }), "", "differences");
}

const rows = (page) =>
  page.$$eval("[data-table=graphs] tbody tr", (all) =>
    all.map((row) => [row.dataset.row, ...[...row.cells].slice(1).map((cell) => cell.innerText)]),
  );

export default {
  async "the ZIP holds what the command line writes"(lab) {
    const page = await lab.page();
    const before = lab.site.requests.length;
    for (const dump of [
      ASCEND(1),
      // With hazards, and so with files about overwritten tensors.
      ASCEND(2),
      s.dataFile("samples/v1.7_ascend/somas_allocate_info_1.ir"),
      s.dataFile("samples/v2.10_cpu_lenet_real/CPU_somas_pre_processed_info_0.ir"),
      s.dataFile("samples/quirks/CPU_somas_tensor_offset_7.ir"),
    ]) {
      await page.reload();
      await s.openReady(page, dump);
      const { name, file } = await zip(lab, page);
      s.equal(name, `${path.basename(dump, ".ir")}_results.zip`, "name of the ZIP");
      same(file, written(lab, dump));
      s.check(await page.locator(s.hook("progress")).isHidden(), "progress of nothing");
    }
    const asked = lab.site.requests.slice(before).filter((r) => !/^GET .*(\/|html|js|css|wasm|lzma|ir)$/.test(r));
    s.equal(asked, [], "requests that a download made");
  },

  async "each file alone is the command line's"(lab) {
    const page = await lab.page();
    await s.openReady(page, ASCEND(2));
    const folder = written(lab, ASCEND(2));
    const before = lab.site.requests.length;
    await page.click("#result-menu summary");
    await page.locator("[data-save]").first().waitFor();
    const names = await page.locator("[data-save]").allInnerTexts();
    const outside = fs.readdirSync(folder, { recursive: true }).filter((f) => fs.statSync(path.join(folder, f)).isFile());
    s.equal([...names].sort(), outside.map((f) => f.replaceAll("\\", "/")).sort(), "names");
    for (const wanted of [names[0], "StatisticInfo/overview.txt", "StatisticInfo/InUseMemory.png", "MemoryAnalyze.log", names.find((n) => n.includes("ERROR"))]) {
      const { name, file } = await download(lab, page, () => page.click(`[data-save="${wanted}"]`));
      s.equal(name, path.basename(wanted), "name of the file");
      s.check(fs.readFileSync(file).equals(fs.readFileSync(path.join(folder, wanted))), `${wanted} differs`);
    }
    s.equal(lab.site.requests.length, before, "requests");
  },

  async "the ZIP of a dropped folder says what the files beside the plan say"(lab) {
    for (const [from, dump, tasks] of [
      ["dumps/lenet_train", "CPU_somas_tensor_offset_0.ir", "task_info_graph_0.ir"],
      ["samples/v1.7_ascend", "somas_allocate_info_1.ir", "task_info_graph_1.ir"],
      ["samples/v2.4_ascend", "Ascend_somas_tensor_offset_1.ir", null],
    ]) {
      const page = await lab.page();
      s.equal(await s.settled(page, () => s.dropPaths(page, [s.dataFile(from)])), "ready", `state of ${from}`);
      // One that is stopped leaves nothing of itself in the next; it is, before its first answer comes.
      await page.evaluate((hooks) => hooks.forEach((hook) => document.querySelector(hook).click()), ["download-zip", "cancel"].map(s.hook));
      const { file } = await zip(lab, page);
      const dir = path.join(path.dirname(file), `beside-${path.basename(from)}`);
      const asked = ["-s", s.dataFile(from, dump), "-o", dir, ...(tasks ? ["-t", s.dataFile(from, tasks)] : [])];
      const done = spawnSync(lab.cli, asked, { env: { ...process.env, LC_ALL: "C" } });
      s.check([0, 3].includes(done.status), `the command line ends with ${done.status}: ${done.stderr}`);
      const log = fs.readFileSync(path.join(dir, "MemoryAnalyze.log"), "utf8");
      s.check(/conflict matrix: [1-9]\d* rows, [1-9]\d* cells compared/.test(log), `no matrix: ${log}`);
      same(file, dir);
      const alone = await download(lab, page, async () => {
        await page.click("#result-menu summary");
        await page.click('[data-save="MemoryAnalyze.log"]');
      });
      s.equal(fs.readFileSync(alone.file, "utf8"), log, "the log alone");
      s.equal(await s.stateOf(page), "ready", "state");
    }
  },

  async "the ZIP of a large plan finishes, and other questions are answered meanwhile"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.madePlan(300_000));
    let over = false;
    const done = zip(lab, page).finally(() => (over = true));
    await page.waitForFunction((progress) => /csv · .*B$/m.test(document.querySelector(progress).innerText), s.hook("progress"));
    await page.locator("canvas[data-hook=usage-chart]").focus();
    await page.keyboard.press("Home");
    await s.eventually(() => page.$eval("[data-hook=selection]", (e) => e.innerText.includes("$0")), true, "the first step selected");
    s.check(!over, "the ZIP was done before anything could be asked");
    same((await done).file, written(lab, s.madePlan(300_000)));
    s.equal(await s.stateOf(page), "ready", "state");
  },

  async "cancelled, nothing is saved and the plan is still there"(lab) {
    const page = await lab.page();
    await s.openReady(page, s.madePlan(300_000));
    const arrived = [];
    page.on("download", (d) => arrived.push(d.suggestedFilename()));
    await page.click(s.hook("download-zip"));
    await page.waitForFunction((progress) => /csv · .*B$/m.test(document.querySelector(progress).innerText), s.hook("progress"));
    await page.click(s.hook("cancel"));
    s.check(await page.locator(s.hook("progress")).isHidden(), "progress of nothing");
    s.equal(await s.stateOf(page), "ready", "state");
    // What comes next has nothing of what was stopped, though its last piece may still be on its way.
    await page.click("#result-menu summary");
    await page.waitForSelector("[data-save]");
    await page.click(s.hook("download-zip"));
    await page.click(s.hook("cancel"));
    const { file } = await download(lab, page, () => page.click('[data-save="StatisticInfo/overview.txt"]'));
    s.equal(arrived, ["overview.txt"], "what was saved");
    const text = fs.readFileSync(file, "utf8");
    s.check(text.startsWith("MindSpore VM HBM") && text.trimEnd().split("\n").length === 10, `the file: ${text.slice(0, 80)}`);
  },

  async "a folder shows its graphs, equal ones once, and what could not be read"(lab) {
    const dir = path.join(path.dirname(lab.scratch("x", "")), "run");
    const put = (name, from, edit = (text) => text) => {
      fs.mkdirSync(path.join(dir, path.dirname(name)), { recursive: true });
      fs.writeFileSync(path.join(dir, name), edit(s.textOf(from)));
    };
    for (const rank of [0, 1, 2, 3]) {
      put(`rank_${rank}/Ascend_somas_tensor_offset_1.ir`, ASCEND(rank === 2 ? 3 : 1));
      put(`rank_${rank}/Ascend_somas_tensor_offset_2.ir`, ASCEND(2), (text) =>
        rank === 3 ? text.replace(/^%3T\t#/m, "%3T\t") : text,
      );
    }
    const page = await lab.page();
    s.equal(await s.settled(page, () => s.dropPaths(page, [dir])), "ready", "state");
    const found = await rows(page);
    s.equal(
      found.map((row) => row.slice(0, 2)),
      [
        ["rank_0/Ascend_somas_tensor_offset_1.ir", "0-1, 3"],
        ["rank_0/Ascend_somas_tensor_offset_2.ir", "0-2"],
        ["rank_2/Ascend_somas_tensor_offset_1.ir", "2"],
        ["rank_3/Ascend_somas_tensor_offset_2.ir", found[3]?.[1]],
      ],
      "rows",
    );
    s.check(/cannot be read: .*offset_2\.ir:\d+:\d+/.test(found[3][1]), `the broken file: ${found[3]}`);
    const number = (file, key) => {
      const expected = JSON.parse(fs.readFileSync(s.dataFile("dumps/ascend_like_sample", `expected_${file}.json`), "utf8"));
      return key === "peak" ? expected.max_in_use.in_use : expected.planned_total;
    };
    const values = await page.$$eval("[data-table=graphs] tr[data-graph]", (all) =>
      all.map((row) => [...row.querySelectorAll("[data-value]")].map((cell) => Number(cell.dataset.value))),
    );
    s.equal(values, [1, 2, 3].map((file) => [number(file, "planned"), number(file, "peak")]), "planned totals and peaks");
    // How far the ranks lie apart: three of four have the same peak.
    const [a, b] = [number(1, "peak"), number(3, "peak")];
    const mean = (3 * a + b) / 4;
    const away = (n) => `${n < mean ? "−" : "+"}${(Math.abs(n / mean - 1) * 100).toFixed(2)} %`;
    s.check(found[0][3].endsWith(away(a)) && found[2][3].endsWith(away(b)), `${found[0][3]} and ${found[2][3]}, not ${away(a)} and ${away(b)}`);
    const note = await page.locator("#graphs-notes").innerText();
    s.check(note.includes("graph 1") && note.includes(`rank ${a < b ? 0 : 2}`) && note.includes(`rank ${a < b ? 2 : 0}`), note);
    // The verdicts come one by one, as the command line gives them.
    const verdict = (file) => JSON.parse(spawnSync(lab.cli, ["-s", ASCEND(file), "--json"], { encoding: "utf8" }).stdout).verdict;
    await s.eventually(
      () => page.$$eval("[data-table=graphs] [data-verdict]", (all) => all.map((cell) => cell.dataset.verdict)),
      [1, 2, 3].map(verdict),
      "verdicts",
    );
    s.equal((await rows(page)).length, 4, "rows once all are judged");
    // A click opens the graph.
    await s.settled(page, () => page.click('[data-row="rank_2/Ascend_somas_tensor_offset_1.ir"] button'));
    s.equal(await s.valueOf(page, "planned_total"), String(number(3, "planned")), "planned total of another rank");
    await page.waitForSelector('tr.selected[data-row="rank_2/Ascend_somas_tensor_offset_1.ir"]');
  },

  async "a file that changed on the disk is told, and the rest goes on"(lab) {
    const page = await lab.page();
    const changed = lab.scratch("Ascend_somas_tensor_offset_1.ir", fs.readFileSync(ASCEND(1)));
    await s.openReady(page, changed);
    fs.writeFileSync(changed, "something else");
    fs.utimesSync(changed, new Date(0), new Date(0));
    // Both are read again, in one worker.
    await s.openReady(page, ASCEND(2));
    const [told] = (await s.messagesOf(page)).filter((m) => m.code === "unreadable_file");
    s.check(told?.text.includes("Ascend_somas_tensor_offset_1.ir"), `told: ${told?.text}`);
    s.equal((await rows(page)).map(([name]) => name), ["Ascend_somas_tensor_offset_2.ir", "Ascend_somas_tensor_offset_1.ir"], "rows");
  },

  async "one graph alone has no table of graphs"(lab) {
    const page = await lab.page();
    await s.openReady(page, ASCEND(1));
    s.check(await page.locator("#graphs-card").isHidden(), "a table of one graph");
    await s.openReady(page, ASCEND(2));
    s.equal((await rows(page)).length, 2, "rows");
  },
};
