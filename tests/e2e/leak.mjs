// What is opened cannot leave: the page's policy refuses every way out, in the page and in its workers.
//
// What counts is what two web servers see: the page's own and a strange one. Each attempt is also made on a copy of
// the page without its policies, where it must arrive: an attempt that cannot work proves nothing.
// Not covered, since browsers know no policy against them: leaving the page, opening another window, and WebRTC.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import * as s from "./support.mjs";

const LENET = s.expectation("lenet_train");

/** Ways out of a document. Each gets an address, and need not wait. */
const PAGE = {
  fetch: (url) => void fetch(url, { mode: "no-cors" }).catch(() => {}),
  "fetch that outlives the page": (url) => void fetch(url, { method: "POST", mode: "no-cors", keepalive: true, body: "x" }).catch(() => {}),
  XMLHttpRequest: (url) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.send();
  },
  WebSocket: (url) => void new WebSocket(url.replace(/^http/, "ws")),
  EventSource: (url) => {
    const source = new EventSource(url);
    source.onerror = () => source.close();
  },
  sendBeacon: (url) => void navigator.sendBeacon(url, "x"),
  ping: (url) => {
    const link = document.createElement("a");
    [link.href, link.ping] = [location.href.replace(/#.*|$/, "#"), url];
    document.body.append(link);
    link.click();
    link.remove();
  },
  image: (url) => void (new Image().src = url),
  "image set": (url) => void (new Image().srcset = url),
  "SVG image": (url) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const image = document.createElementNS("http://www.w3.org/2000/svg", "image");
    image.setAttribute("href", url);
    svg.append(image);
    document.body.append(svg);
  },
  "url() of a style": (url) => {
    const element = document.createElement("div");
    element.style.cssText = `position:fixed;width:9px;height:9px;background:url("${url}")`;
    document.body.append(element);
  },
  "url() of a style sheet": (url) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`body::after { content: ""; position: fixed; width: 9px; height: 9px; background: url("${url}") }`);
    document.adoptedStyleSheets = [sheet];
  },
  font: (url) => void new FontFace("x", `url("${url}")`).load().catch(() => {}),
  video: (url) => {
    const video = document.createElement("video");
    [video.preload, video.src] = ["auto", url];
    document.body.append(video);
  },
  "style sheet": (url) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url });
    document.head.append(link);
  },
  prefetch: (url) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href: url }));
  },
  preload: (url) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "image", href: url }));
  },
  "module preload": (url) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: url }));
  },
  script: (url) => {
    document.head.append(Object.assign(document.createElement("script"), { src: url }));
  },
  "module script": (url) => {
    document.head.append(Object.assign(document.createElement("script"), { type: "module", src: url }));
  },
  "import()": (url) => void import(url).catch(() => {}),
  frame: (url) => {
    document.body.append(Object.assign(document.createElement("iframe"), { src: url }));
  },
  object: (url) => {
    document.body.append(Object.assign(document.createElement("object"), { data: url }));
  },
  embed: (url) => {
    document.body.append(Object.assign(document.createElement("embed"), { src: url }));
  },
  form: (url) => {
    const sink = Object.assign(document.createElement("iframe"), { name: `sink${Math.random()}` });
    const form = Object.assign(document.createElement("form"), { action: url, method: "post", target: sink.name });
    document.body.append(sink, form);
    form.submit();
  },
};

/** Ways out that only lead to the page's own origin. */
const PAGE_OWN = {
  worker: (url) => void new Worker(url),
  SharedWorker: (url) => void new SharedWorker(url),
  "service worker": (url) => void navigator.serviceWorker.register(url).catch(() => {}),
};

/** Ways out of a worker. */
const WORKER = {
  fetch: PAGE.fetch,
  XMLHttpRequest: PAGE.XMLHttpRequest,
  WebSocket: PAGE.WebSocket,
  EventSource: PAGE.EventSource,
  importScripts: (url) => {
    try {
      importScripts(url);
    } catch {
      // It is refused, or there is nothing to run.
    }
  },
  "import()": PAGE["import()"],
  cache: (url) => void caches.open("x").then((cache) => cache.add(url)).catch(() => {}),
  font: PAGE.font,
};

const WORKER_OWN = { worker: PAGE_OWN.worker };

/** Notes in a document or worker what its policy has refused. */
const listen = () => {
  globalThis.refused = [];
  addEventListener("securitypolicyviolation", (event) => globalThis.refused.push(event.blockedURI));
};

/** The page and the kinds of workers in it: `{ world: [what evaluates there, ways, ways to the own origin] }`. */
async function worldsOf(page) {
  await s.eventually(() => page.workers().length, 2, "workers of the page");
  const own = page.workers();
  const started = page.waitForEvent("worker");
  // Kept: a worker that nobody holds may go.
  await page.evaluate(() => void (globalThis.another = new Worker(URL.createObjectURL(new Blob([""], { type: "text/javascript" })))));
  const worlds = {
    "the page's worker": [own[0], WORKER, WORKER_OWN],
    "the worker in waiting": [own[1], WORKER, WORKER_OWN],
    "another worker": [await started, WORKER, WORKER_OWN],
    page: [page, PAGE, PAGE_OWN],
  };
  for (const [world] of Object.values(worlds)) await world.evaluate(listen);
  return worlds;
}

/** Makes all attempts: `[{ what, world, url, path }]`. A file has no own origin. */
async function attempt(worlds, own, strange) {
  const made = [];
  for (const [name, [world, ways, waysHome]] of Object.entries(worlds)) {
    const targets = { "the strange origin": [strange, ways] };
    if (own) targets["the own origin"] = [own, { ...ways, ...waysHome }];
    for (const [to, [site, ways]] of Object.entries(targets)) {
      for (const [way, go] of Object.entries(ways)) {
        const url = `${site.url}leak-${made.length}?secret`;
        await world.evaluate(go, url).catch(() => {});
        made.push({ what: `${way} from ${name} to ${to}`, world, url, site });
      }
    }
  }
  return made;
}

const arrived = ({ url, site }) => site.requests.some((line) => line.includes(new URL(url).pathname));

/** Attempts of which nobody has said that they were refused. Each refusal is an event where it was made. */
async function unrefused(made) {
  const open = [];
  for (const { what, world, url } of made) {
    const refused = await world.evaluate(() => globalThis.refused);
    // Of a strange document in a frame only the origin is told.
    const names = /^(frame|object|embed) .*strange/.test(what) ? [url, new URL(url).origin] : [url, url.replace(/^http/, "ws")];
    if (!refused.some((uri) => names.includes(uri))) open.push(what);
  }
  return open;
}

/** Waits until every attempt has been refused, and then that no server has seen one. */
async function checkRefused(lab, made, own, strange) {
  try {
    await s.eventually(() => unrefused(made), [], "attempts not refused");
  } catch (error) {
    const through = made.filter(arrived).map((a) => a.what);
    throw through.length ? new s.Failed(`arrived: ${through.join("; ")}`) : error;
  }
  // What was asked for before this has had its time.
  await lab.page({ url: lab.site.url });
  s.equal(strange.requests, [], "requests to the strange origin");
  if (own) s.equal(own.requests.filter((line) => line.includes("leak")), [], "requests to the own origin");
}

const removePolicies = (name, content) => {
  const text = content.toString("latin1");
  if (name === "index.html") return text.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
  if (/^boot.*\.js$/.test(name)) return text.replace(/(httpEquiv ?= ?)"Content-Security-Policy"/, '$1"x-none"');
  return content;
};

/** The page as one file, opened from the disk; `edit` changes its text. */
async function offline(lab, edit = (text) => text) {
  const text = fs.readFileSync(path.join(lab.dist, "somascope.html"), "latin1");
  const file = lab.scratch("somascope.html", Buffer.from(edit(text), "latin1"));
  const page = await lab.page({ url: pathToFileURL(file).href, complaints: "expected" });
  await s.openReady(page, LENET.file);
  return page;
}

/** Words that stand in what a session opens and types, and nowhere else. */
const SECRETS = ["secret", "4711", "tensor_offset", "conv1"];

/** What the browser asks for from now on. A download is a blob of the page. */
function requestsOf(page) {
  const others = [];
  page.context().on("request", (request) => !/^(blob|data):/.test(request.url()) && others.push(request.url()));
  return others;
}

/** Uses everything there is: every view, table, picture and box, files, folders, results, links, messages. */
async function session(lab, page) {
  s.equal(await s.settled(page, () => page.click(s.hook("sample"))), "ready", "state of the sample");
  // A folder, dropped by the browser itself, with other files in it.
  const folder = path.join(path.dirname(lab.scratch("x", "")), "secretfolder");
  const secret = s.textOf(LENET.file).replaceAll("Default/", "secretsecret/");
  for (const rank of [0, 1]) {
    fs.mkdirSync(path.join(folder, `rank_${rank}`), { recursive: true });
    fs.writeFileSync(path.join(folder, `rank_${rank}/CPU_somas_tensor_offset_4711.ir`), secret);
    fs.writeFileSync(path.join(folder, `rank_${rank}/secret.txt`), "a secret");
  }
  s.equal(await s.settled(page, () => s.dropPaths(page, [folder])), "ready", "state of a folder");
  const dir = s.dataFile("dumps/ascend_like_sample");
  await s.openReady(page, ["Ascend_somas_tensor_offset_1.ir", "task_info_faults_1.ir"].map((name) => path.join(dir, name)));
  await s.openReady(page, s.made("CPU_somas_tensor_offset_4711.ir", secret));

  // Every view, with a pointer over its pictures.
  for (const tab of ["map", "tensors", "nodes", "parameters", "safety", "overview"]) {
    await page.click(`[data-tab=${tab}]`);
    if (["tensors", "nodes", "parameters"].includes(tab)) {
      await page.waitForSelector(`[data-table=${tab}] [data-row]`);
      await page.locator(`[data-table=${tab}] [data-row]`).nth(2).click();
      await page.fill(`[data-filter=${tab}]`, "secretsecret");
      await page.fill(`[data-filter=${tab}]`, "");
    }
    if (tab === "tensors") {
      await page.click(`#table-${tab} .menu summary`);
      await page.locator(`#table-${tab} .menu input`).last().click();
      await page.click(`#table-${tab} .menu summary`);
    }
    if (tab === "map") {
      await page.waitForSelector(`${s.hook("memory-map")}[data-window]`);
      await page.hover(s.hook("memory-map"));
      await page.mouse.wheel(0, -200);
    }
  }
  await page.locator(s.hook("usage-chart")).focus();
  for (const key of ["Home", "ArrowRight", "+", "0"]) await page.keyboard.press(key);
  for (const by of ["operator", "type", "layer"]) await page.click(`[data-by=${by}]`);
  await page.hover(s.hook("icicle"));
  await page.fill(s.hook("search"), "secretsecret");
  await page.waitForSelector("#hits [data-hit]");
  await page.click("#hits [data-hit]");
  await page.fill(s.hook("search"), "");
  await page.fill(s.hook("capacity"), "32");
  await page.click("#theme");
  await page.click(s.hook("language"));
  await s.paste(page, "Device(id:0) memory isn't enough and alloc failed, kernel name: secretsecret/x, alloc size: 1024B.");
  await page.waitForSelector(`${s.hook("oom")}:not([hidden])`);
  const compare = page.locator(s.hook("compare"));
  await compare.selectOption(await compare.locator("option[data-row]").last().getAttribute("value"));
  await page.waitForSelector("#compare-card:not([hidden])");

  // Results, in one and alone.
  const download = async (action) => s.equal(await (await Promise.all([page.waitForEvent("download"), action()]))[0].failure(), null, "download");
  await download(() => page.click(s.hook("download-zip")));
  await page.click("#result-menu summary");
  await page.waitForSelector("[data-save]");
  await download(() => page.click('[data-save="StatisticInfo/overview.txt"]'));

  // A link, what it holds, the summary, a wrong file and the right one.
  await page.selectOption(s.hook("name-mode"), "hidden");
  await page.click("#link-holds summary");
  await s.copied(page, "copy-markdown");
  const link = await s.copied(page, "copy-link");
  s.equal(await s.open(page, s.made("x.ir", "nonsense")), "error", "state of nonsense");
  await s.paste(page, link);
  await page.waitForSelector("body[data-state=summary]");
  await s.copied(page, "copy-link");
  await page.setInputFiles(`input${s.hook("open")}`, path.join(dir, "Ascend_somas_tensor_offset_1.ir"));
  await page.waitForSelector(s.hook("other-file"));
  s.equal(await s.open(page, s.made("CPU_somas_tensor_offset_4711.ir", secret)), "ready", "state of the dump of a link");
  // What the link of this plan holds is still open: it comes from a worker of its own.
  await page.waitForSelector(`${s.hook("link-preview")} dd`);
}

/** Ways that a page from the disk does not have, policy or not. */
const NOT_FROM_DISK = /^(cache|ping) /;

export default {
  async "the offline file: without the policies every attempt arrives"(lab) {
    const strange = await lab.serve("", "/");
    const bare = (text) => removePolicies("boot.js", Buffer.from(removePolicies("index.html", Buffer.from(text, "latin1")), "latin1"));
    const made = await attempt(await worldsOf(await offline(lab, bare)), null, strange);
    const able = made.filter((a) => !NOT_FROM_DISK.test(a.what));
    await s.eventually(() => able.filter((a) => !arrived(a)).map((a) => a.what), [], "attempts that cannot work");
    s.check(able.length > 30, `only ${able.length} attempts`);
  },

  async "the offline file: with them every attempt is refused, and no server sees one"(lab) {
    const strange = await lab.serve("", "/");
    const made = await attempt(await worldsOf(await offline(lab)), null, strange);
    await checkRefused(lab, made.filter((a) => !NOT_FROM_DISK.test(a.what)), null, strange);
  },

  async "without the policies every attempt arrives"(lab) {
    const own = await lab.serve(lab.dist, lab.base, removePolicies);
    const strange = await lab.serve("", "/");
    const page = await lab.page({ url: own.url, complaints: "expected" });
    await s.openReady(page, LENET.file);
    const made = await attempt(await worldsOf(page), own, strange);
    s.check(made.length > 60, `only ${made.length} attempts`);
    await s.eventually(() => made.filter((a) => !arrived(a)).map((a) => a.what), [], "attempts that cannot work");
  },

  async "with them every attempt is refused, and no server sees one"(lab) {
    const own = await lab.serve(lab.dist, lab.base);
    const strange = await lab.serve("", "/");
    const page = await lab.page({ url: own.url, complaints: "expected" });
    await s.openReady(page, LENET.file);
    await checkRefused(lab, await attempt(await worldsOf(page), own, strange), own, strange);
  },

  async "an empty page refuses as well"(lab) {
    const own = await lab.serve(lab.dist, lab.base);
    const strange = await lab.serve("", "/");
    const page = await lab.page({ url: own.url, complaints: "expected" });
    await page.evaluate(listen);
    await checkRefused(lab, await attempt({ page: [page, PAGE, PAGE_OWN] }, own, strange), own, strange);
  },

  async "a page opened by a link: without the policies every attempt arrives, with them none"(lab) {
    const maker = await lab.page();
    await s.openReady(maker, LENET.file);
    const fragment = `#s=${(await s.copied(maker, "copy-link")).split("#s=")[1]}`;
    // There is no worker before a file is compared with the summary.
    const worlds = async (url) => {
      const page = await lab.page({ url: url + fragment, complaints: "expected", state: "summary" });
      await page.evaluate(listen);
      return { "a summary": [page, PAGE, PAGE_OWN] };
    };
    const strange = await lab.serve("", "/");
    const bare = await lab.serve(lab.dist, lab.base, removePolicies);
    const made = await attempt(await worlds(bare.url), bare, strange);
    await s.eventually(() => made.filter((a) => !arrived(a)).map((a) => a.what), [], "attempts that cannot work");
    const own = await lab.serve(lab.dist, lab.base);
    const stranger = await lab.serve("", "/");
    await checkRefused(lab, await attempt(await worlds(own.url), own, stranger), own, stranger);
  },

  async "using everything makes no request at all"(lab) {
    const own = await lab.serve(lab.dist, lab.base);
    const page = await lab.page({ url: own.url });
    const before = own.requests.length;
    const others = requestsOf(page);
    await session(lab, page);
    await lab.page({ url: own.url });
    const again = own.requests.slice(before);
    s.equal(others, [], "requests the browser knows of");
    // The parts are fetched side by side, in any order.
    s.equal(again.sort(), own.requests.slice(0, before).sort(), "requests the server saw, besides those of another page");
  },

  async "using everything of the offline file makes no request at all"(lab) {
    const file = lab.scratch("somascope.html", fs.readFileSync(path.join(lab.dist, "somascope.html")));
    const page = await lab.page({ url: pathToFileURL(file).href });
    const others = requestsOf(page);
    await session(lab, page);
    s.equal(others, [], "requests the browser knows of");
  },

  async "after everything was used, every attempt is still refused"(lab) {
    const own = await lab.serve(lab.dist, lab.base);
    const strange = await lab.serve("", "/");
    const page = await lab.page({ url: own.url, complaints: "expected" });
    await session(lab, page);
    await checkRefused(lab, await attempt(await worldsOf(page), own, strange), own, strange);
  },

  async "nothing of a dump is stored or goes into the address"(lab) {
    for (const url of [lab.site.url, pathToFileURL(lab.scratch("somascope.html", fs.readFileSync(path.join(lab.dist, "somascope.html")))).href]) {
      const page = await lab.page({ url });
      const addresses = [];
      page.on("framenavigated", (frame) => addresses.push(frame.url()));
      await session(lab, page);
      const stored = await page.evaluate(async () => {
        const files = [];
        // A page from the disk has no folder of its own.
        const folder = await navigator.storage.getDirectory().catch(() => null);
        if (folder) for await (const [name] of folder.entries()) files.push(name);
        return {
          local: { ...localStorage },
          session: { ...sessionStorage },
          databases: (await indexedDB.databases()).map((d) => d.name),
          caches: await globalThis.caches?.keys().catch(() => []),
          cookies: document.cookie,
          files,
          workers: (await navigator.serviceWorker?.getRegistrations().catch(() => []))?.length,
        };
      });
      const { local, ...rest } = stored;
      s.equal(rest, { session: {}, databases: [], caches: [], cookies: "", files: [], workers: 0 }, "stored besides preferences");
      const known = ["capacity", "columns.tensors", "language", "names", "theme"].map((key) => `somascope.${key}`);
      s.equal(Object.keys(local).sort(), known, "preferences");
      // A link that is pasted becomes the address; names are hidden in this one.
      const links = addresses.filter((address) => address.includes("#s="));
      s.check(links.length > 0 && addresses.length > 10, `only ${addresses.length} addresses`);
      const inside = links.map((link) => s.insideOf(link).toString("latin1"));
      const state = JSON.stringify([await page.context().storageState(), local, addresses, inside, page.url(), await page.evaluate(() => [history.state, window.name, document.referrer])]);
      for (const part of SECRETS) s.check(!state.includes(part), `${part} is in ${state}`);
    }
  },
};
