// Runs every test in a browser: node run.mjs --dist DIR --base /PATH/ [--only TEXT]
//
// DIR holds the published page; it is served under PATH. Environment: CHROMIUM, the browser; SOMASCOPE_CLI, the
// command line whose findings the page's must equal. A test that fails is tried once more: what passes then is told by
// name, as a browser on a busy machine is late now and then; a fault fails twice. `--only` runs the tests whose file or
// name contains TEXT.

import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { Failed, Lab, serve } from "./support.mjs";
import { launch } from "./browser.mjs";

const THEMES = ["overview", "safety", "chart", "zoom", "tables", "selection", "groups", "budget", "compare", "map", "map_ways", "published", "damage", "names", "hostile", "language", "cancel", "search", "oom", "tasks", "results", "link", "offline", "leak"];

const { values: args } = parseArgs({
  options: { dist: { type: "string" }, base: { type: "string", default: "/some/where/" }, only: { type: "string" } },
});
const cli = process.env.SOMASCOPE_CLI;
if (!args.dist || !fs.existsSync(path.join(args.dist, "index.html"))) throw new Error("--dist: no page there");
if (!cli || !fs.existsSync(cli)) throw new Error("SOMASCOPE_CLI: no such program");

const dist = path.resolve(args.dist);
const browser = await launch();
const site = await serve(dist, args.base);
/** Tests that may pass at the second time only: more of them, and something is wrong with the page or the tests. */
const UNSTEADY = 2;
const failed = [];
const unsteady = [];
let passed = 0;

/** Runs a test; gives what is wrong. */
async function attempt(title, test) {
  const lab = new Lab({ browser, site, dist, base: args.base, cli });
  const started = performance.now();
  const problems = [];
  try {
    await test(lab);
  } catch (error) {
    problems.push(error instanceof Failed ? error.message : error.stack);
  }
  await lab.close();
  problems.push(...lab.complaints);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${problems.length ? "FAILED" : "ok    "} ${title} (${seconds} s)`);
  tell(problems);
  return problems;
}

function tell(problems) {
  for (const problem of problems) console.log(`       ${problem.replaceAll("\n", "\n       ")}`);
}

for (const theme of THEMES) {
  const { default: tests } = await import(`./${theme}.mjs`);
  for (const [name, test] of Object.entries(tests)) {
    const title = `${theme}: ${name}`;
    if (args.only && !title.includes(args.only)) continue;
    const problems = await attempt(title, test);
    if (!problems.length) passed += 1;
    else (unsteady.length < UNSTEADY && !(await attempt(title, test)).length ? unsteady : failed).push({ title, problems });
  }
}

await browser.close();
await site.close();
// Once more at the end, which is what is seen of a long log.
for (const [word, list] of [["UNSTEADY", unsteady], ["FAILED", failed]]) {
  for (const { title, problems } of list) {
    console.log(`${word} ${title}`);
    tell(problems);
  }
}
console.log(`${passed} passed, ${unsteady.length} passed at the second time, ${failed.length} failed`);
process.exitCode = failed.length || !(passed + unsteady.length) ? 1 : 0;
