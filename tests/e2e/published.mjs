// What is published can be kept by browsers for ever, and works under any path.

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

import * as s from "./support.mjs";

export default {
  async "every file but the page itself is named by its content, and asked for by that name"(lab) {
    const files = fs.readdirSync(lab.dist, { recursive: true }).filter((file) => fs.statSync(path.join(lab.dist, file)).isFile());
    const named = files.filter((file) => !["index.html", "somascope.html"].includes(file));
    for (const file of named) {
      const hash = createHash("sha256").update(fs.readFileSync(path.join(lab.dist, file))).digest("hex").slice(0, 16);
      s.check(path.parse(file).name.endsWith(`-${hash}`), `${file}: the hash of its content is ${hash}`);
    }
    const kinds = named.map((file) => path.extname(file)).sort();
    s.equal(kinds, [".css", ".ir", ".js", ".js", ".lzma", ".md"], "kinds of files: style, sample, start, glue, document, module");
    const html = fs.readFileSync(path.join(lab.dist, "index.html"), "utf8");
    for (const file of named) s.check(html.includes(`"./${file}"`), `the page does not name ${file}, relative to itself`);
    const paths = [...html.matchAll(/\s(?:src|href|data-glue|data-wasm|data-sample)=["']([^"']*)/g)].map(([, to]) => to).filter((to) => !to.startsWith("data:"));
    s.equal(paths.sort(), named.map((file) => `./${file}`).sort(), "references of the page");
  },

  async "the page asks its server for nothing else"(lab) {
    const site = await lab.serve(lab.dist, "/a/deeper/path/");
    const page = await lab.page({ url: site.url });
    await s.openReady(page, s.expectation("lenet_train").file);
    const asked = site.requests.map((line) => line.replace("GET /a/deeper/path/", ""));
    const known = new Set(fs.readdirSync(lab.dist));
    s.equal(asked.filter((name) => name !== "" && !known.has(name)), [], "requests outside of what is published");
  },

  async "a module with one wrong bit, or cut off, does not start and the page says so"(lab) {
    const module = fs.readdirSync(lab.dist).find((name) => name.endsWith(".lzma"));
    const size = fs.statSync(path.join(lab.dist, module)).size;
    // The header, the first and last byte of the stream, and places between.
    for (const at of [5, 14, size >> 1, size - 40, size - 1, undefined]) {
      const damage = (name, content) => {
        if (name !== module) return content;
        if (at === undefined) return content.subarray(0, size >> 1);
        const copy = Buffer.from(content);
        copy[at] ^= 1;
        return copy;
      };
      const site = await lab.serve(lab.dist, lab.base, damage);
      const page = await lab.page({ url: site.url, state: "error" });
      s.check(await page.isVisible("#boot-failed"), `byte ${at}: the message is not shown`);
      const reason = await page.textContent("#boot-reason");
      // A wrong size may show only as a module that ends early or late.
      s.check(at === 5 ? reason : reason === "Error: the packed module is damaged", `byte ${at}: ${reason}`);
    }
  },
};
