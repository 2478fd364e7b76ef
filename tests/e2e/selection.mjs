// One selection, shared by chart, tables and the side panel; every id leads on, back and forward walk it.

import { aliveAt, readDump } from "./dump.mjs";
import * as s from "./support.mjs";

const RESNET = s.expectation("resnet18_train");
const ASCEND = s.expectation("C2_Ascend_1/");
const PEAK = String(RESNET.expected.max_in_use.step);
const PANEL = s.hook("selection");

/** The panel once it tells of something: pairs of what and how much, and the keys in each list. */
async function panelOf(page, kind, key) {
  await page.waitForSelector(`${PANEL}[data-kind=${kind}][data-key="${key}"]:not([aria-busy])`);
  return page.$eval(PANEL, (panel) => {
    const pairs = {};
    for (const dt of panel.querySelectorAll("dt")) pairs[dt.textContent] = { text: dt.nextSibling.textContent, exact: dt.nextSibling.title };
    const lists = {};
    for (const h3 of panel.querySelectorAll("h3")) {
      const links = [...h3.nextElementSibling.querySelectorAll("[data-select]")];
      lists[h3.firstChild.textContent] = links.map((link) => link.textContent);
    }
    return { pairs, lists, text: panel.innerText };
  });
}

async function select(page, thing) {
  await page.evaluate((code) => (location.hash = `sel=${code}`), thing);
}

const tensorKey = (t) => `%${t}T`;
const nodeKey = (n) => `$${n}`;
const ascending = (set) => [...set].sort((a, b) => a - b);

/** Only lists that are there. */
const lists = (all) => Object.fromEntries(Object.entries(all).filter(([, keys]) => keys.length));

/** Who held bytes of a tensor last before it, and who takes some first after it. Where nothing is shifted. */
function neighbours(dump, t) {
  const sharing = dump.tensors.filter(
    (o) => o !== t && o.aligned > 0 && o.offset < t.offset + t.aligned && t.offset < o.offset + o.aligned,
  );
  const before = sharing.filter((o) => o.last < t.first).sort((a, b) => b.last - a.last || a.id - b.id);
  const after = sharing.filter((o) => o.first > t.last).sort((a, b) => a.first - b.first || a.id - b.id);
  return { before: before[0], after: after[0] };
}

export default {
  async "the panel tells everything about a tensor"(lab) {
    for (const { file, name } of [RESNET, ASCEND, s.expectation("gpt_8l_recompute_on")]) {
      const page = await lab.page();
      const dump = readDump(file);
      await s.openReady(page, file);
      const shifted = name.includes("Ascend");
      const some = dump.tensors.filter((t, i) => i % Math.ceil(dump.tensors.length / 12) === 0 || (t.union && t.id < 250));
      for (const t of some) {
        await select(page, `t${t.id}`);
        const { pairs, lists: shown, text } = await panelOf(page, "tensor", tensorKey(t.id));
        const what = `${name}: ${tensorKey(t.id)}`;
        s.check(s.isFigure(pairs.Aligned.text, t.aligned) && s.isFigure(pairs.Original.text, t.original), `${what}: sizes`);
        const life = t.first === t.last ? `$${t.first}` : `$${t.first}…$${t.last}`;
        s.check(pairs.Life.text.startsWith(`${life} · `), `${what}: life ${pairs.Life.text}, not ${life}`);
        s.equal([pairs.Type.text, pairs.Lifelong.text], [t.type, t.lifelong], what);
        const producer = dump.nodes[t.source];
        if (producer) s.check(text.split(/\s+/).includes(`$${producer.id}`) && text.includes(producer.name.split("/").at(-1)), `${what}: producer`);
        const expected = { "Read by": ascending(t.readers).map(nodeKey) };
        expected["Shares its memory with (union)"] = [...(t.union ?? [])].filter((id) => id !== t.id).map(tensorKey);
        const sections = ["Read by", "Shares its memory with (union)"];
        if (!shifted) {
          const { before, after } = neighbours(dump, t);
          expected["Last on its bytes before"] = t.aligned && before ? [tensorKey(before.id)] : [];
          expected["First on its bytes after"] = t.aligned && after ? [tensorKey(after.id)] : [];
          sections.push("Last on its bytes before", "First on its bytes after");
        }
        const found = Object.fromEntries(sections.filter((title) => shown[title]?.length).map((title) => [title, title.startsWith("Shares") ? [...shown[title]].sort() : shown[title]]));
        expected["Shares its memory with (union)"].sort();
        s.equal(found, lists(expected), what);
      }
    }
  },

  async "a tensor of a contiguous list names its neighbours in order"(lab) {
    const page = await lab.page();
    const file = s.dataFile("samples/v2.2_ascend_multistream/Ascend_somas_tensor_offset_1.ir");
    const [, list] = s.textOf(file).match(/Original Contiguous Tensors Info:\s+contiguous tensors: \[([^\]]*)\]/);
    const keys = list.trim().split(/\s+/);
    s.check(keys.length > 1, "a list of one");
    await s.openReady(page, file);
    for (const key of keys) {
      await select(page, `t${parseInt(key.slice(1))}`);
      const { lists: shown } = await panelOf(page, "tensor", key);
      s.equal(shown["Contiguous list, in order"], keys, `list of ${key}`);
    }
  },

  async "the panel keeps to its width, also with addresses of a device"(lab) {
    for (const locale of ["en-US", "zh-CN"]) {
      const page = await lab.page({ locale });
      await s.openReady(page, s.expectation("B1_Ascend_1/").file);
      for (const [code, kind, key] of [["t5", "tensor", "%5T"], ["p2", "parameter", "%2P"]]) {
        await select(page, code);
        await page.waitForSelector(`${PANEL}[data-kind=${kind}][data-key="${key}"]:not([aria-busy]) dd .link`);
        const out = await page.$eval(PANEL, (panel) => {
          const edge = panel.getBoundingClientRect().right - parseFloat(getComputedStyle(panel).paddingRight);
          const textOf = (e) => {
            const text = document.createRange();
            text.selectNodeContents(e);
            return text.getBoundingClientRect();
          };
          return [...panel.querySelectorAll("dt, dd, dd *")]
            .filter((e) => textOf(e).right > edge + 1 || (e.tagName === "DT" && textOf(e).height > 30))
            .map((e) => e.textContent);
        });
        s.equal(out, [], `${locale}, ${key}: beyond the edge, or names broken in two`);
      }
    }
  },

  async "the steps of a life lead to them"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    const { first, last } = readDump(RESNET.file).byId.get(8);
    s.check(first !== last, "too short a life");
    for (const [place, step] of [first, last].entries()) {
      await select(page, "t8");
      await panelOf(page, "tensor", "%8T");
      await page.locator(`${PANEL} dd [data-go-step]`).nth(place).click();
      await panelOf(page, "step", String(step));
    }
  },

  async "the panel tells everything about a node"(lab) {
    for (const { file, name } of [RESNET, ASCEND]) {
      const page = await lab.page();
      const dump = readDump(file);
      await s.openReady(page, file);
      for (const node of dump.nodes.filter((n) => n.id % Math.ceil(dump.nodes.length / 12) === 0 || n.workspaces.length > 1)) {
        await select(page, `n${node.id}`);
        const { pairs, lists: shown, text } = await panelOf(page, "node", nodeKey(node.id));
        const what = `${name}: ${nodeKey(node.id)}`;
        s.check(text.replaceAll("\n", "").includes(node.name), `${what}: name`);
        const alive = aliveAt(dump, node.id);
        s.check(s.isFigure(pairs.Alive.text, alive), `${what}: alive ${pairs.Alive.text}, not ${alive}`);
        s.check(s.isFigure(pairs["In use"].text, alive + dump.fixed), `${what}: in use`);
        if (name.includes("Ascend")) s.equal(pairs.Stream.text, String(node.stream), `${what}: stream`);
        const waits = node.waitsFor.map((c) => dump.controls.find((one) => one.id === c).printedFirst);
        const awaited = dump.nodes.filter((n) => n.waitsFor.some((c) => dump.controls.find((one) => one.id === c).printedFirst === node.id));
        const expected = {
          Inputs: node.inputs.map(tensorKey),
          Parameters: node.parameters.map((p) => `%${p}P`),
          Outputs: node.outputs.map(tensorKey),
          Workspaces: node.workspaces.map(tensorKey),
          "Must wait for (order edges)": ascending(new Set(waits)).map(nodeKey),
          "Is waited for by (order edges)": awaited.map((n) => nodeKey(n.id)),
        };
        s.equal(shown, lists(expected), what);
      }
    }
  },

  async "rows select with the pointer, and the row of the selection is marked"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    const marked = (table) => page.$$eval(`[data-table=${table}] .selected`, (all) => all.map((row) => row.dataset.row));
    for (const [table, kind, row] of [["tensors", "tensor", "%0T"], ["nodes", "node", "$3"], ["parameters", "parameter", ""]]) {
      await page.click(`[data-tab=${table}]`);
      const key = row || (await page.locator(`[data-table=${table}] [data-row]`).first().getAttribute("data-row"));
      const cells = page.locator(`[data-table=${table}] [data-row="${key}"] td`);
      await cells.nth(table === "nodes" ? 2 : 1).click();
      await s.eventually(() => s.selectionOf(page), [kind, key], `selection by a row of ${table}`);
      s.equal(await marked(table), [key], `marked rows of ${table}`);
      await panelOf(page, kind, key);
    }
  },

  async "a tensor's life is marked in both charts"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    const { nodes, byId } = readDump(RESNET.file);
    const t = byId.get(8);
    await select(page, "t8");
    await panelOf(page, "tensor", "%8T");
    for (const box of ["#usage-box", "#total-box"]) {
      const [left, width, all] = await page.$eval(box, (box) => {
        const life = box.querySelector(".life");
        return [life.offsetLeft, life.offsetWidth, box.querySelector("canvas").clientWidth];
      });
      const per = (all - 70 - 14) / nodes.length;
      s.check(Math.abs(left - 70 - t.first * per) < 3, `${box}: the life begins at ${left}`);
      s.check(Math.abs(width - t.span * per) < 4, `${box}: the life is ${width} wide`);
    }
  },

  async "every id in the panel leads on, and back and forward walk the selections"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    const walked = [["step", PEAK]];
    const go = async (kind, key, locator) => {
      await locator.click();
      await s.eventually(() => s.selectionOf(page), [kind, key], `selection after ${kind} ${key}`);
      await panelOf(page, kind, key);
      walked.push([kind, key]);
    };
    const panel = page.locator(PANEL);
    const link = (code) => panel.locator(`[data-select="${code}"]`).first();
    const dump = readDump(RESNET.file);
    const peak = dump.nodes[Number(PEAK)];
    await go("node", `$${PEAK}`, panel.locator(".name-link"));
    const input = dump.byId.get(peak.inputs.find((t) => dump.byId.get(t).source !== undefined));
    await go("tensor", `%${input.id}T`, link(`t${input.id}`));
    await go("node", `$${input.source}`, link(`n${input.source}`));
    const producer = dump.nodes[input.source];
    const reader = ascending(input.readers).at(-1);
    const [parameter] = producer.parameters;
    if (parameter !== undefined) {
      await go("parameter", `%${parameter}P`, link(`p${parameter}`));
      await page.goBack();
      walked.pop();
    }
    await go("tensor", `%${producer.outputs[0]}T`, link(`t${producer.outputs[0]}`));
    await go("node", `$${reader}`, link(`n${reader}`));
    await go("step", String(reader), panel.locator("[data-go-step]").first());
    s.check(walked.length >= 7, "too short a walk");
    const at = async ([kind, key]) => {
      await s.eventually(() => s.selectionOf(page), [kind, key], "selection in the history");
      await panelOf(page, kind, key);
    };
    for (const place of walked.slice(0, -1).reverse()) {
      await page.goBack();
      await at(place);
    }
    for (const place of walked.slice(1)) {
      await page.goForward();
      await at(place);
    }
    s.equal(await s.stateOf(page), "ready", "state");
  },

  async "links work with the keyboard"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    await page.focus(`${PANEL} .name-link`);
    await page.keyboard.press("Enter");
    await panelOf(page, "node", `$${PEAK}`);
    const link = page.locator(`${PANEL} .links [data-select]`).first();
    const key = await link.textContent();
    await link.focus();
    await page.keyboard.press("Space");
    await s.eventually(async () => (await s.selectionOf(page))[1], key, "selection");
  },

  async "a step takes the table of what is alive and the tree with it"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    await page.click("[data-tab=nodes]");
    await page.locator('[data-table=nodes] [data-row="$2"] td').first().click();
    await panelOf(page, "node", "$2");
    await page.click("[data-tab=overview]");
    const { nodes } = readDump(RESNET.file);
    s.check(nodes.length > 2, "too few nodes");
    await page.waitForFunction(() => document.querySelector("#table-alive h2").textContent.includes("$2") && document.querySelector("#groups-title").textContent.includes("$2"));
    const sum = () => page.getAttribute("#table-alive .summary", "data-sum");
    await s.eventually(sum, String(aliveAt(readDump(RESNET.file), 2)), "bytes alive at the node");
  },

  async "what is not there says so"(lab) {
    const page = await lab.page();
    await s.openReady(page, RESNET.file);
    await select(page, "t999999");
    const { text } = await panelOf(page, "tensor", "%999999T");
    s.check(text.includes("nothing of that id"), text);
  },
};
