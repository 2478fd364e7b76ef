import path from "node:path";
import fs from "node:fs";
import { launch } from "./browser.mjs";
import { serve } from "./support.mjs";
import { Bench } from "./bench-page.mjs";
const [dist, css, shot] = process.argv.slice(2);
const B = "/work/main/target/bench/";
const browser = await launch();
const site = await serve(path.resolve(dist), "/");
const bench = new Bench({ browser, url: site.url, big: process.env.DUMP ?? B + "plan-1m.ir", small: B + "plan-20k.ir", tell: () => {}, compare: null });
const { page, cdp } = await bench.tensors();
if (css && fs.existsSync(css)) await page.evaluate((t) => { const sh = new CSSStyleSheet(); sh.replaceSync(t); document.adoptedStyleSheets = [sh]; }, fs.readFileSync(css, "utf8"));
let layers = [];
cdp.on("LayerTree.layerTreeDidChange", (e) => { if (e.layers) layers = e.layers; });
await cdp.send("DOM.enable");
await cdp.send("LayerTree.enable");
await page.locator("#table-tensors .table-scroll").evaluate((e) => { e.scrollIntoView({ block: "end" }); });
await page.locator("#table-tensors .table-scroll").hover();
for (let i = 0; i < 5; i++) await page.mouse.wheel(0, 100);
await page.waitForTimeout(1500);
console.log(layers.length, "layers", await page.locator("#table-tensors .table-scroll").evaluate((e) => [e.clientWidth, e.scrollWidth, e.clientHeight, e.scrollHeight, document.querySelectorAll("[data-table=tensors] tr").length, scrollY, document.documentElement.scrollHeight]));
for (const l of layers.slice(0, 40)) {
  let r = {}; try { r = await cdp.send("LayerTree.compositingReasons", { layerId: l.layerId }); } catch {}
  console.log(l.width, "x", l.height, l.drawsContent, l.backendNodeId ?? "", JSON.stringify(r.compositingReasonIds), l.paintCount);
}
if (shot) await page.screenshot({ path: shot });
await bench.close(); await browser.close(); await site.close(); process.exit(0);
