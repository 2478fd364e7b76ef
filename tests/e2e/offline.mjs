// The page as one file, opened from the disk with the network off.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { firefox, launch } from "./firefox.mjs";
import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");

/** The file alone, in a folder with nothing beside it. */
const alone = (lab) => pathToFileURL(lab.scratch("somascope.html", fs.readFileSync(path.join(lab.dist, "somascope.html")))).href;

async function checkNumbers(value) {
  s.equal(await value("planned_total"), String(LENET.expected.planned_total), "planned total");
  s.equal(await value("lower_bound"), String(LENET.expected.max_in_use.alive), "lower bound");
}

export default {
  async "it works in Chromium and asks for nothing"(lab) {
    const url = alone(lab);
    const page = await lab.page({ url, offline: true });
    const asked = [];
    page.context().on("request", (request) => !/^(blob|data):/.test(request.url()) && asked.push(request.url()));
    s.equal(await s.settled(page, () => page.click(s.hook("sample"))), "ready", "state of the sample");
    await s.openReady(page, LENET.file);
    await checkNumbers((key) => s.valueOf(page, key));
    // What is dropped by the browser itself: a file, several, a folder, a folder among others.
    const folder = path.join(path.dirname(lab.scratch("x", "")), "run");
    fs.mkdirSync(path.join(folder, "rank_0/deeper"), { recursive: true });
    fs.copyFileSync(LENET.file, path.join(folder, "rank_0/deeper/CPU_somas_tensor_offset_7.ir"));
    fs.copyFileSync(LENET.file, path.join(folder, "CPU_somas_tensor_offset_8.ir"));
    const other = lab.scratch("other.ir", fs.readFileSync(s.expectation("lstm_train").file));
    for (const [dropped, names] of [
      [[LENET.file], [path.basename(LENET.file)]],
      [[LENET.file, other], [path.basename(LENET.file), path.basename(other)]],
      [[folder], ["CPU_somas_tensor_offset_8.ir", "rank_0/deeper/CPU_somas_tensor_offset_7.ir"]],
      [[folder, other], ["run/CPU_somas_tensor_offset_8.ir", "run/rank_0/deeper/CPU_somas_tensor_offset_7.ir", path.basename(other)]],
    ]) {
      const one = await lab.page({ url, offline: true });
      s.equal(await s.settled(one, () => s.dropPaths(one, dropped)), "ready", `state after dropping ${dropped}`);
      const graphs = await one.$$eval(`${s.hook("graphs")} [data-row]`, (all) => all.map((e) => e.dataset.row));
      if (names.length > 1) s.equal(graphs.sort(), [...names].sort(), "graphs");
    }
    // A link names the file, not its place on this disk, and leads to a summary.
    const link = await s.copied(page, "copy-link");
    s.check(link.startsWith("somascope.html#s="), link.slice(0, 60));
    const summary = await lab.page({ url: url + link.slice(link.indexOf("#")), state: "summary", offline: true });
    await checkNumbers((key) => s.valueOf(summary, key));
    s.equal(await s.open(summary, LENET.file), "ready", "state with the dump");
    s.equal(asked, [], "requests");
  },

  async "it names no file and no address"(lab) {
    const html = fs.readFileSync(path.join(lab.dist, "somascope.html"), "utf8");
    const outside = html.replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, "");
    const named = [...outside.matchAll(/ (?:src|href|action|data)="([^"]*)"/g)].map(([, url]) => url.slice(0, 30));
    s.equal(named.filter((url) => !url.startsWith("data:")), [], "addresses");
    const policy = html.match(/Content-Security-Policy" content="([^"]*)"/)[1];
    s.check(!/'self'|https?:|\*|script-src[^;]*'unsafe-inline'/.test(policy), policy);
    s.equal(policy.match(/'sha256-[^']{44}'/g)?.length, 3, "hashes");
    // Nothing in the page asks for it.
    for (const name of fs.readdirSync(lab.dist)) {
      if (!/\.(html|js|css)$/.test(name) || name === "somascope.html") continue;
      const text = fs.readFileSync(path.join(lab.dist, name), "utf8");
      s.check(!/(src|href|fetch\()="?\.?\/?somascope\.html/.test(text), `${name} asks for it`);
    }
  },

  async "it works in Firefox"(lab) {
    const name = firefox();
    if (!name) return console.log("       no Firefox on this machine: left out");
    const browser = await launch(name);
    try {
      await browser.call("WebDriver:Navigate", { url: alone(lab) });
      const state = (...wanted) =>
        browser.evaluate(
          `for (;;) {
             const state = document.body.dataset.state;
             if (arguments[0].includes(state)) return state;
             if (state === "error") return document.body.innerText;
             await new Promise((resolve) => setTimeout(resolve, 50));
           }`,
          wanted,
        );
      const value = (key) => browser.evaluate("return document.querySelector(`[data-fact='${arguments[0]}']`).dataset.value", key);
      s.equal(await state("empty"), "empty", "state");
      await browser.evaluate("document.querySelector('[data-hook=sample]').click()");
      s.equal(await state("ready"), "ready", "state of the sample");
      const { value: input } = await browser.call("WebDriver:FindElement", { using: "css selector", value: `input${s.hook("open")}` });
      const [id] = Object.values(input);
      await browser.evaluate("globalThis.before = document.querySelector('[data-fact=planned_total]').dataset.value");
      await browser.call("WebDriver:ElementSendKeys", { id, text: LENET.file });
      await browser.evaluate(
        `while (document.body.dataset.state !== "ready" || document.querySelector("[data-fact=planned_total]").dataset.value !== arguments[0])
           await new Promise((resolve) => setTimeout(resolve, 50));`,
        String(LENET.expected.planned_total),
      );
      await checkNumbers(value);
      // What is inlined is all there is.
      const loaded = await browser.evaluate("return performance.getEntriesByType('resource').map((e) => e.name).filter((name) => !/^(blob|data):/.test(name))");
      s.equal(loaded, [], "requests");
    } finally {
      await browser.close();
    }
  },
};
