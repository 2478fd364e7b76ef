// A pasted message about memory: whose it was, its node, its sizes, a giant tensor.

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");
const CARD = s.hook("oom");
const NODE = LENET.expected.max_in_use.node;
const PEAK = LENET.expected.max_in_use.in_use;

const MESSAGES = [
  {
    text: `[ERROR] PRE_ACT(54175,fffdbcff91e0,python):2024-10-22-11:24:55.301.443 [mindspore/ccsrc/backend/common/mem_reuse/mem_dynamic_allocator.cc:392] AddMemBlockAndMemBufByEagerFree] TotalUsedMemStatistics : 29356337664 plus TotalUsedByEventMemStatistics : 0 and plus alloc size : 301990400 is more than total mem size : 29464985600.`,
    kind: "device",
    sizes: { total: "29464985600", used: "29356337664", requested: "301990400" },
    giant: true,
  },
  {
    text: `RuntimeError: Malloc for kernel output failed, Memory isn't enough, node:${NODE}\n\n- C++ Call Stack: (For framework developers)\nmindspore/ccsrc/runtime/pynative/run_op_helper.cc:596 LaunchKernels`,
    kind: "device",
    node: NODE,
    sizes: {},
  },
  {
    text: `#umsg#Memory not enough:#umsg#Device(id:0) memory isn't enough and alloc failed, kernel name: ${NODE}, alloc size: 1024B.`,
    kind: "device",
    node: NODE,
    sizes: { requested: "1024" },
  },
  {
    text: "Out of Memory!!! total[3212254720] (dynamic[0] memory poll[524288000]) malloc[32611480064] failed! Please try to reduce 'batch_size' or check whether exists extra large shape.",
    kind: "device",
    sizes: { total: "3212254720", used: "524288000", requested: "32611480064" },
    giant: true,
  },
  {
    text: "[EXCEPTION] DEVICE(170414,fffe397fa1e0,python):2021-09-13-15:29:07.465.388 [ascend_memory_manager.cc:62] MallocDeviceMemory] Malloc device memory failed, size[32212254720], ret[207001], Device 6 may be other processes occupying this card, check as: ps -ef|grep python",
    kind: "busy",
    sizes: { requested: "32212254720" },
  },
  {
    text: "[ERROR] MD(14433,7fea2effd700,python):2021-12-12-14:13:43.932.181 [arena.cc:250] Init] cudaHostAlloc failed, ret[2], out of memory\nTask: is terminated with err msg: Out of memory. Memory malloc failed.",
    kind: "host",
    sizes: {},
  },
  {
    text: "EE9999: Inner Error!\n [driver interface] halMemAlloc failed: device_id=6, size=32212254720, type=2, env_type=3, drvRetCode=6!",
    kind: "pool",
    sizes: { requested: "32212254720" },
  },
];

const cardOf = (page) =>
  page.$eval(CARD, (card) => ({
    kind: card.dataset.kind,
    node: card.dataset.node,
    giant: "giant" in card.dataset,
    sizes: Object.fromEntries([...card.querySelectorAll("[data-size]")].map((e) => [e.dataset.size, e.dataset.value])),
  }));

const picture = (page) => page.$eval("canvas[data-hook=usage-chart]", (canvas) => canvas.toDataURL());

/** Pastes a message on the page, or puts it into the box as a paste there would (line ends become blanks). */
const ways = {
  page: (page, text) => s.paste(page, text),
  box: (page, text) => page.fill(s.hook("search"), text.replaceAll("\n", " ")),
};

export default {
  async "messages of the field are told apart, their node is selected, their sizes are lines"(lab) {
    for (const [way, put] of Object.entries(ways)) {
      const page = await lab.page();
      await s.openReady(page, LENET.file);
      const plain = await picture(page);
      for (const message of MESSAGES) {
        await put(page, message.text);
        const expected = {
          kind: message.kind,
          node: message.node,
          giant: message.giant ?? false,
          sizes: message.sizes,
        };
        await s.eventually(() => cardOf(page), expected, `${way}: ${message.text}`);
        const lined = Object.keys(message.sizes).length > 0;
        s.equal((await picture(page)) !== plain || !lined, true, `${way}: lines of ${message.text}`);
        if (message.node) {
          await s.eventually(() => s.selectionOf(page), ["node", `$${LENET.expected.max_in_use.step}`], "selection");
          await page.click("[data-go-step]");
          await s.eventually(async () => (await s.selectionOf(page))[0], "step", "selection");
        } else {
          s.equal((await s.selectionOf(page))[0], "step", "selection");
        }
        s.equal(await s.stateOf(page), "ready", "state");
      }
      await page.click("[data-drop-message]");
      s.equal(await page.locator(CARD).isVisible(), false, "the card after closing it");
    }
  },

  async "more than half of the peak is a single giant tensor, half is not"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    const half = Math.floor(PEAK / 2);
    for (const [size, giant] of [
      [half, false],
      [half + 1, true],
      [half, false],
    ]) {
      await s.paste(page, `Device(id:0) memory isn't enough and alloc failed, kernel name: ${NODE}, alloc size: ${size}B.`);
      await s.eventually(async () => (await cardOf(page)).sizes.requested, String(size), "size");
      s.equal((await cardOf(page)).giant, giant, `giant at ${size} of ${PEAK}`);
    }
  },

  async "tensors of the size requested are named"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    const row = /^%(\d+)T\t#(\d+)S\t#(\d+)S/gm;
    const tensors = [...s.textOf(LENET.file).matchAll(row)].map(([, id, aligned, size]) => [id, Number(aligned), Number(size)]);
    const size = Math.max(...tensors.map((t) => t[2]));
    const fits = tensors.filter((t) => t[1] > 0 && (t[1] === size || t[2] === size)).slice(0, 10).map((t) => `%${t[0]}T`);
    await s.paste(page, `Memory not enough: current free memory size[0] is smaller than required size[${size}].`);
    await s.eventually(() => page.$$eval(`${CARD} [data-hit]`, (all) => all.map((e) => e.dataset.hit)), fits, "tensors");
    await page.click(`${CARD} [data-hit="${fits[0]}"]`);
    await s.eventually(() => s.selectionOf(page), ["tensor", fits[0]], "selection");
  },

  async "a node of another graph is told, with what is near"(lab) {
    const page = await lab.page();
    await s.openReady(page, LENET.file);
    const before = await s.selectionOf(page);
    await s.paste(page, "Malloc for kernel output failed, Memory isn't enough, node:Default/other/ReluGard-op3");
    await page.waitForSelector(`${CARD} [data-hit]`);
    s.check((await page.locator(CARD).innerText()).includes("Default/other/ReluGard-op3"), "the card does not name it");
    s.equal(await s.selectionOf(page), before, "selection");
  },

  async "a message may come before its plan, in either language"(lab) {
    const page = await lab.page({ locale: "zh-CN" });
    await s.paste(page, MESSAGES[1].text);
    s.equal((await cardOf(page)).kind, "device", "kind");
    s.equal(await s.stateOf(page), "empty", "state");
    s.check(/[\u4e00-\u9fff]/.test(await page.locator(`${CARD} h2`).innerText()), "the title is not Chinese");
    await s.openReady(page, LENET.file);
    await s.eventually(() => s.selectionOf(page), ["node", `$${LENET.expected.max_in_use.step}`], "selection");
  },
};
