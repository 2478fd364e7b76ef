// Loads everything the page will ever need, then closes the door and starts.
//
// The parts lie beside the page, or in it: the offline file has them as blocks of base64, and
// nothing to fetch.
//
// After `closeTheDoor` the page's policy allows no connection at all: what is opened here cannot
// leave. The worker is started afterwards, from a blob, so that it inherits that policy.
(() => {
  "use strict";
  const here = document.currentScript.dataset;

  try {
    const theme = localStorage.getItem("somascope.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // A blocked storage costs the remembered theme only.
  }

  // A part of the page: a block in it, else what lies at its address.
  const part = async (name) => {
    const block = document.getElementById(`part-${name}`);
    if (block) {
      block.remove();
      return new Blob([Uint8Array.from(atob(block.textContent), (c) => c.charCodeAt(0))]);
    }
    const response = await fetch(here[name]);
    if (!response.ok) throw new Error(`${here[name]}: HTTP status ${response.status}`);
    return response.blob();
  };

  const scriptLoaded = (url) =>
    new Promise((resolve, reject) => {
      if (typeof wasm_bindgen !== "undefined") return resolve();
      const script = document.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${url} could not be loaded`));
      document.head.append(script);
    });

  // The files below a dropped folder, `[path, file]`, for a page from the disk: it may not walk entries. Nothing where
  // it may, or where the browser has no handles.
  const filesBelow = (item, path) => {
    if (location.protocol !== "file:" || !item.getAsFileSystemHandle) return undefined;
    const walk = async (folder, path, found) => {
      for await (const inner of folder.values()) {
        if (inner.kind === "directory") await walk(inner, `${path}${inner.name}/`, found);
        else await inner.getFile().then((file) => found.push([path + inner.name, file]), () => {});
      }
      return found;
    };
    return item.getAsFileSystemHandle().then((folder) => walk(folder, path, []));
  };

  // Nothing here needs WebRTC, and no policy covers it.
  const withoutWebRtc = () => {
    for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport"]) delete window[name];
  };

  // No style source either: the style sheet is there already, and a link to another one would
  // reach the own server.
  const closeTheDoor = () => {
    withoutWebRtc();
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content =
      "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:; style-src-attr 'unsafe-inline'; img-src data: blob:";
    document.head.append(policy);
  };

  const documentReady = () =>
    new Promise((resolve) => {
      if (document.readyState === "complete") resolve();
      else addEventListener("load", () => resolve(), { once: true });
    });

  const start = async () => {
    const [glue, wasm, sample] = await Promise.all([
      part("glue").then((blob) => blob.text()),
      part("wasm").then((blob) => blob.arrayBuffer()),
      part("sample"),
      scriptLoaded(here.glue),
      documentReady(),
    ]);
    // A published page has the module packed, and `unpack` in front of this script.
    const code = here.wasm.endsWith(".lzma") ? unpack(new Uint8Array(wasm)) : wasm;
    const module = await WebAssembly.compile(code);
    closeTheDoor();

    const bootstrap =
      "\nonunhandledrejection = (event) => reportError(event.reason);" +
      "\nonmessage = (first) => { wasm_bindgen.initSync({ module: first.data }); wasm_bindgen.worker_main(); };\n";
    const workerUrl = URL.createObjectURL(new Blob([glue, bootstrap], { type: "text/javascript" }));
    const startWorker = () => {
      const worker = new Worker(workerUrl);
      worker.postMessage(module);
      return worker;
    };

    // A fault in the answer to a promise is a fault like any other.
    addEventListener("unhandledrejection", (event) => reportError(event.reason));
    wasm_bindgen.initSync({ module });
    wasm_bindgen.page_main(startWorker, filesBelow, sample, here.sampleName);
  };

  start().catch((reason) => {
    document.getElementById("boot-failed").hidden = false;
    document.getElementById("boot-reason").textContent = String(reason);
    document.body.dataset.state = "error";
  });
})();
