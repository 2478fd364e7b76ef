// Starts the browser named by the environment.

import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

export function launch() {
  const executablePath = process.env.CHROMIUM;
  if (!executablePath) throw new Error("CHROMIUM: which browser?");
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}
