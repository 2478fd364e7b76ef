// node trace.mjs DIST [cssfile] [jsfile]
import fs from "node:fs";
import path from "node:path";
import { launch } from "./browser.mjs";
import { serve } from "./support.mjs";
import { Bench, TARGETS } from "./bench-page.mjs";
const [dist, css, trace] = process.argv.slice(2);
const B = "/work/main/target/bench/";
const browser = await launch();
const site = await serve(path.resolve(dist), "/");
const bench = new Bench({ browser, url: site.url, big: B + "plan-1m.ir", small: B + "plan-20k.ir", tell: (r) => console.log(r.name.slice(0,50).padEnd(52), r.measured.toFixed(1)), compare: null });
const { page, cdp } = await bench.tensors();
if (css && fs.existsSync(css)) await page.evaluate((t) => { const s = document.createElement("style"); s.textContent = t; document.head.append(s); const sh = new CSSStyleSheet(); sh.replaceSync(t); document.adoptedStyleSheets = [...document.adoptedStyleSheets, sh]; }, fs.readFileSync(css, "utf8"));
await page.waitForTimeout(3000);
const reps = Number(process.env.REPS ?? 2);
for (let i = 0; i < reps; i++) await TARGETS.scroll(bench);
if (trace) {
  const events = [];
  const b = await browser.newBrowserCDPSession();
  b.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await b.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "cc", "viz", "blink", "toplevel", "benchmark", "disabled-by-default-cc.debug.scheduler"].filter((c) => process.env.FULL || c.includes("devtools.timeline") || c === "cc" || c === "blink") } });
  await TARGETS.scroll(bench);
  const done = new Promise((r) => b.once("Tracing.tracingComplete", r));
  await b.send("Tracing.end");
  await done;
  fs.writeFileSync(trace, JSON.stringify(events));
}
await bench.close();
await browser.close();
await site.close();
process.exit(0);
