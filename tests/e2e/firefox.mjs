// Firefox as far as a test needs it, by Marionette, the protocol that every Firefox speaks: no driver to install.

import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";

/** The browser of the environment (FIREFOX), else one on the path; undefined when there is none. */
export const firefox = () =>
  [process.env.FIREFOX, "firefox", "firefox-esr"].find((name) => name && spawnSync(name, ["--version"]).status === 0);

/** A port that nobody uses now. */
const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Connects as soon as somebody listens. */
async function connect(port, browser) {
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    const open = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (open) return socket;
    if (browser.exitCode !== null) throw new Error(`Firefox ended with ${browser.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Starts Firefox without a network: every address goes to a proxy that is not there. `{ call, evaluate, close }`:
 * `call` sends a command, `evaluate` runs the body of an async function in the page.
 */
export async function launch(name) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "somascope-firefox-"));
  const port = await freePort();
  const preferences = {
    "marionette.port": port,
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.socks": "127.0.0.1",
    "network.proxy.socks_port": 9,
    "network.proxy.allow_hijacking_localhost": true,
    "app.update.disabledForTesting": true,
    "browser.shell.checkDefaultBrowser": false,
    "datareporting.policy.dataSubmissionEnabled": false,
    "intl.accept_languages": "en-US",
    "intl.locale.requested": "en-US",
  };
  const lines = Object.entries(preferences).map(([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});\n`);
  fs.writeFileSync(path.join(profile, "user.js"), lines.join(""));
  const browser = spawn(name, ["--headless", "--marionette", "--no-remote", "--profile", profile], {
    stdio: "ignore",
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" },
  });
  const socket = await connect(port, browser);

  const waiting = new Map();
  let rest = Buffer.alloc(0);
  socket.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const colon = rest.indexOf(":");
      const length = colon < 0 ? NaN : Number(rest.subarray(0, colon));
      if (!(rest.length >= colon + 1 + length)) return;
      const message = JSON.parse(rest.subarray(colon + 1, colon + 1 + length));
      rest = rest.subarray(colon + 1 + length);
      // The first one is the greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      error ? reject(new Error(`${error.error}: ${error.message}`)) : resolve(result);
    }
  });
  let next = 1;
  const call = (command, parameters = {}) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      const text = JSON.stringify([0, id, command, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  const evaluate = async (body, ...args) => {
    const script = `const done = arguments[arguments.length - 1]; (async function () { ${body} }).apply(null, arguments).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value } = await call("WebDriver:ExecuteAsyncScript", { script, args, scriptTimeout: 60_000, newSandbox: false });
    if (value.error) throw new Error(value.error);
    return value.value;
  };
  const close = async () => {
    socket.destroy();
    const ended = new Promise((resolve) => browser.once("exit", resolve));
    browser.kill("SIGKILL");
    await ended;
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  await call("WebDriver:NewSession", { capabilities: {} });
  await call("WebDriver:SetTimeouts", { script: 60_000, pageLoad: 60_000 });
  return { call, evaluate, close };
}
