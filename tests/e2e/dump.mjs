// A plan of MindSpore 1.9 or later read by the plainest means, and what follows from it by definition. It shares
// nothing with the page: what the tests expect comes from here.

import * as s from "./support.mjs";

const ids = (list, letter) => [...list.matchAll(new RegExp(`%(\\d+)${letter},`, "g"))].map(([, id]) => Number(id));

/** The lines of a section, without the row of headings. */
function section(text, title) {
  const start = text.lastIndexOf(`All ${title}:`);
  if (start < 0) return [];
  const end = text.indexOf("\n\nAll ", start);
  return text.slice(start, end < 0 ? undefined : end).split("\n").filter((line) => /^[%$uc]/.test(line));
}

export const operatorOf = (name) => name.split("/").at(-1).replace(/-op\d+$/, "");

/** The scope path; what has none lies in the layer called like its operator. */
export const layerOf = (name) => (name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : operatorOf(name));

export const layerOfParameter = (name) => name.match(/^(.+)[/.][^/.]*$/)?.[1] ?? name;

export function readDump(file) {
  const text = s.textOf(file);
  const parameters = section(text, "Parameters").map((line) => {
    const [id, size, name, output] = line.split("\t");
    return { id: parseInt(id.slice(1)), size: parseInt(size.slice(1)), name, output: Number(output), readers: new Set() };
  });
  const nodes = section(text, "Nodes").map((line) => {
    const [, id, name, kind, rest] = line.match(/^\$(\d+)\t(.*)\t([01])\t(inputs\[.*)$/);
    const list = (word) => rest.match(new RegExp(`(?:^|\\t)${word}\\[(.*?)\\]`))?.[1] ?? "";
    return {
      id: Number(id),
      name,
      inputs: ids(list("inputs"), "T"),
      parameters: ids(list("inputs"), "P"),
      outputs: ids(list("outputs"), "T"),
      workspaces: ids(list("workspace"), "T"),
      waitsFor: ids(list("ctrl_inputs"), "CT"),
      stream: Number(rest.match(/streamID\[@(\d+)\]/)[1]),
      cleans: /^(AtomicAddrClean|MemSet)$/.test(operatorOf(name)),
    };
  });
  const end = nodes.length - 1;
  const tensors = [];
  const controls = [];
  for (const line of section(text, "Tensors")) {
    const [id, aligned, original, offset, type, lifelong, first, last, name] = line.split("\t");
    const row = { id: parseInt(id.slice(1)), aligned: parseInt(aligned.slice(1)), original: parseInt(original.slice(1)), type, lifelong, name };
    row.offset = Number(offset.slice(1));
    [row.printedFirst, row.printedLast] = [Number(first), Number(last)];
    row.first = /All|Start/.test(lifelong) ? 0 : row.printedFirst;
    row.last = /All|End/.test(lifelong) ? end : Math.min(row.printedLast, end);
    row.span = row.last - row.first + 1;
    (type === "Control" ? controls : tensors).push(row);
    row.readers = new Set();
  }
  const byId = new Map(tensors.map((t) => [t.id, t]));
  for (const node of nodes) {
    for (const list of [node.outputs, node.workspaces]) {
      for (const [index, t] of list.entries()) byId.get(t).source ??= Object.assign(byId.get(t), { output: index, source: node.id }).source;
    }
    if (!node.cleans) for (const t of node.inputs) byId.get(t).readers.add(node.id);
    for (const p of node.parameters) parameters.find((one) => one.id === p).readers.add(node.id);
  }
  // Union lists may have members in common.
  let unions = section(text, "Union Tensors Info").map((line) => new Set([...line.matchAll(/%(\d+)T/g)].map(([, id]) => Number(id))));
  for (let again = true; again; ) {
    again = false;
    for (const a of unions) {
      const b = unions.find((one) => one !== a && [...one].some((id) => a.has(id)));
      if (!b) continue;
      for (const id of b) a.add(id);
      unions = unions.filter((one) => one !== b);
      again = true;
      break;
    }
  }
  for (const union of unions) for (const id of union) byId.get(id).union = union;
  return { nodes, tensors, parameters, controls, unions, byId, end, fixed: parameters.reduce((sum, p) => sum + p.size, 0) };
}

const livesAt = (t, step) => t.first <= step && step <= t.last;

/** The pieces of memory alive at a step: a union once, by its largest, then those alive, then the lowest id. */
export function piecesAt(dump, step) {
  const pieces = [];
  for (const t of dump.tensors.filter((t) => !t.union && t.aligned > 0 && livesAt(t, step))) {
    pieces.push({ tensor: t, bytes: t.aligned, waste: t.aligned - t.original });
  }
  for (const union of dump.unions) {
    const members = [...union].map((id) => dump.byId.get(id));
    const bytes = Math.max(...members.map((t) => t.aligned));
    if (bytes === 0 || !members.some((t) => livesAt(t, step))) continue;
    const largest = members.filter((t) => t.aligned === bytes);
    const alive = largest.filter((t) => livesAt(t, step));
    const [tensor] = (alive.length ? alive : largest).sort((a, b) => a.id - b.id);
    pieces.push({ tensor, bytes, waste: bytes - Math.max(...members.map((t) => t.original)) });
  }
  return pieces;
}

export const aliveAt = (dump, step) => piecesAt(dump, step).reduce((sum, piece) => sum + piece.bytes, 0);

/** Tensors with bytes that are alive at a step; those that others' bytes stand for know it as `countedWith`. */
export function listedAt(dump, step) {
  const stand = new Map();
  const listed = new Set();
  for (const { tensor } of piecesAt(dump, step)) {
    listed.add(tensor);
    for (const id of tensor.union ?? []) stand.set(id, tensor.id);
  }
  for (const t of dump.tensors) if (t.aligned > 0 && livesAt(t, step)) listed.add(t);
  return [...listed].map((t) => ({ ...t, countedWith: stand.has(t.id) && stand.get(t.id) !== t.id ? stand.get(t.id) : undefined }));
}

/** Everything produced up to a step, a union once at the earliest of its members. */
export function totalAt(dump, step) {
  const alone = dump.tensors.filter((t) => !t.union && t.printedFirst <= step).reduce((sum, t) => sum + t.aligned, 0);
  const members = dump.unions.map((union) => [...union].map((id) => dump.byId.get(id)));
  const produced = members.filter((union) => Math.min(...union.map((t) => t.printedFirst)) <= step);
  return produced.reduce((sum, union) => sum + Math.max(...union.map((t) => t.aligned)), alone);
}

/** The keys of a table's rows. */
export const tensorKeys = (tensors) => tensors.map((t) => `%${t.id}T`);
