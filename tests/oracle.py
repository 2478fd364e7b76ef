#!/usr/bin/env python3
"""Derives every result file of a plan again and compares it with what somascope wrote.

    oracle.py DUMP RESULTS [--tasks FILE] [--log FILE] [--base ADDR] [--device-memory GIB]
              [--query KIND VALUE]...

Plain definitions, written from the results contract alone; nothing of the product is used. Slow
on purpose: every tensor at every step. Prints what differs and ends with 1, else says what it
compared.
"""
import argparse
import csv
import glob
import gzip
import hashlib
import math
import os
import re
import sys
from collections import Counter, defaultdict

GIB = 1 << 30
LIMIT = 32767
WORDS = ["LifeLongNone", "LifeLongGraphAll", "LifeLongGraphStart", "LifeLongGraphEnd"]


def text_of(path):
    raw = open(path, "rb").read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    return raw.decode("utf-8", "replace")


def acts(c):
    n = ord(c)
    return (n < 32 or 0x7F <= n < 0xA0 or 0x200B <= n <= 0x200F or 0x2028 <= n <= 0x202E or 0x2060 <= n <= 0x206F
            or n == 0xFEFF or 0xFFF9 <= n <= 0xFFFB or 0xE0000 <= n <= 0xE007F or n == 0x061C)


def shown(name):
    return "".join("\\u{%x}" % ord(c) if acts(c) else c for c in name)


def last_part(name):
    tail = name.rsplit("/", 1)[-1]
    return tail or name


def pointer(text):
    text = text.lstrip("&")
    return 0 if text == "(nil)" else int(text, 16)


class Tensor:
    pass


class Node:
    pass


class Plan:
    """A dump, read line by line."""

    def __init__(self, text):
        self.params, self.tensors, self.nodes = {}, {}, {}
        self.unions, self.lists, self.total = [], [], None
        self.has_life = self.has_addr = self.controls = False
        section, header = "", []
        text = text.replace("All Parameters:", "\nAll Parameters:")
        for line in text.split("\n"):
            line = line[:-1] if line.endswith("\r") else line
            bare = line.strip()
            if not bare:
                continue
            if re.fullmatch(r"All [A-Z][A-Za-z ]*:", bare):
                section = bare
                first = "All Parameters:" if self.params or self.seen_params(text) else "All Tensors:"
                if section == first:                    # a second copy: the last one counts
                    self.params, self.tensors, self.nodes = {}, {}, {}
                    self.unions, self.lists = [], []
                continue
            if bare.startswith("Total Memory Size after reused:"):
                self.total = int(re.match(r"\d+", bare.split(":", 1)[1]).group())
                continue
            if bare.startswith("index"):
                header = [h.strip().rstrip(":") for h in line.split("\t")]
                continue
            cells = line.split("\t")
            if section == "All Parameters:":
                self.parameter(dict(zip(header, cells)))
            elif section == "All Tensors:":
                self.tensor(dict(zip(header, cells)))
            elif section == "All Nodes:":
                self.node(cells)
            elif section == "All Union Tensors Info:" or bare.startswith("refnode"):
                self.unions.append([int(x) for x in re.findall(r"%(\d+)T", line)])
            elif section == "All Original Contiguous Tensors Info:":
                self.lists.append([int(x) for x in re.findall(r"%(\d+)T", line)])
        self.finish()

    @staticmethod
    def seen_params(text):
        return "All Parameters:" in text

    def parameter(self, c):
        p = Node()
        p.id = int(c["index"].strip()[1:-1])
        p.size = int(c["size"].strip()[1:-1])
        p.name = c["source node name"]
        p.out = int(c["node out index"])
        p.addr = pointer(c["start_addr"].strip()) if "start_addr" in c else 0
        self.params.setdefault(p.id, p)

    def tensor(self, c):
        index = c["index"].strip()
        if index.endswith("CT") or c["type"].strip() == "Control":
            self.controls = True
            return
        t = Tensor()
        t.id = int(index[1:-1])
        t.aligned = int((c.get("aligned_size") or c["size"]).strip()[1:-1])
        t.size = int((c.get("original_size") or c["real_size"]).strip()[1:-1])
        t.offset = int(c["offset"].strip()[1:])
        t.type = c["type"].strip()
        word = c["lifelong"].strip()
        t.life = WORDS[int(word)] if word.isdigit() else word if word in WORDS else WORDS[0]
        self.has_life = "life_start" in c
        self.has_addr = "addr" in c
        t.first, t.last = (int(c["life_start"]), int(c["life_end"])) if self.has_life else (0, 0)
        t.addr = pointer(c["addr"].strip()) if self.has_addr else 0
        t.source, t.place, t.readers, t.shift = None, None, [], 0
        self.tensors.setdefault(t.id, t)

    def node(self, cells):
        n = Node()
        n.id, n.name, n.type = int(cells[0].strip()[1:]), cells[1], cells[2]
        field = {}
        for cell in cells[3:]:
            m = re.match(r"\s*([a-zA-Z_]+)\[(.*)\]", cell)
            if m:
                field[m.group(1)] = m.group(2)
        ids = lambda key: [(int(a), b) for a, b in re.findall(r"%(\d+)(CT|T|P)", field.get(key, ""))]
        n.inputs = ids("inputs")
        n.outputs = [i for i, _ in ids("outputs")]
        n.work = [i for i, _ in ids("workspace")]
        n.stream = int(field["streamID"].lstrip("@"))
        op = re.sub(r"-op\d+$", "", last_part(n.name))
        n.clean = op in ("AtomicAddrClean", "MemSet")
        self.nodes.setdefault(n.id, n)

    def finish(self):
        self.order = [self.nodes[i] for i in sorted(self.nodes)]
        self.steps = max(self.nodes, default=-1) + 1
        self.is_a, self.is_c = not self.has_life, self.has_life and not self.has_addr
        for n in self.order:                            # references to nothing are left out
            n.inputs = [(i, k) for i, k in n.inputs if i in (self.tensors if k == "T" else self.params)]
            for ids in (n.outputs, n.work):
                for k, i in enumerate(ids):
                    t = self.tensors.get(i)
                    if t and t.source is None:
                        t.source, t.place = n, k
        self.param_readers = defaultdict(list)
        for n in self.order:
            if n.clean and not self.is_a:
                continue
            for i, kind in dict.fromkeys(n.inputs):
                if kind == "T":
                    self.tensors[i].readers.append(n)
                else:
                    self.param_readers[i].append(n)
        self.group = {}
        for ids in self.unions:
            merged = sorted({i for i in ids})
            for other in {id(self.group[i]): self.group[i] for i in merged if i in self.group}.values():
                merged = sorted(set(merged) | set(other))
            for i in merged:
                self.group[i] = merged
        if not self.is_c:
            self.lists, listed = [], set()
            for n in self.order:
                if n.type.strip() != "1":
                    continue
                for ids in ([i for i, k in n.inputs if k == "T"], n.outputs):
                    ids = [i for i in ids if self.tensors[i].type != "EventVirtualOutput"]
                    if ids and ids[0] not in listed:
                        listed.update(ids)
                        self.lists.append(ids)
        if self.is_a:
            self.lives_of_a()
        if self.gap_shows():
            for ids in self.lists:
                self.tensors[ids[0]].shift = 512
        self.stage = self.is_stage()
        self.placed = [t for t in self.tensors.values() if t.aligned > 0]

    def lives_of_a(self):
        for t in self.tensors.values():
            if t.source:
                clean = [r.id for r in t.readers if r.clean]
                t.first = min([t.source.id] + clean[:1])
                t.last = max([t.source.id] + [r.id for r in t.readers])
        ends = [i for ids in self.lists for i in (ids[0], ids[-1])]
        gaps = sorted(i for i in self.tensors if self.tensors[i].type == "Gap")
        for gap, neighbour in zip(gaps, ends):
            self.tensors[gap].first = self.tensors[gap].last = self.tensors[neighbour].last

    def gap_shows(self):
        """Whether the first member of a list is shown 512 bytes high."""
        if self.is_a:
            return False
        if not self.is_c:
            return True
        for ids in self.lists:
            members = [self.tensors[i] for i in ids]
            if len(members) > 1 and members[0].aligned and members[1].aligned:
                gap = members[1].offset - members[0].offset - members[0].aligned
                if gap in (0, -512):
                    return gap == -512
        inside = {i for ids in self.lists for i in ids}
        score = 0
        for t in self.tensors.values():
            if t.aligned and t.id not in inside and t.id not in self.group:
                ascend, other = (t.size + 543) // 512 * 512, (t.size + 511) // 512 * 512
                if ascend != other:
                    score += (t.aligned == ascend) - (t.aligned == other)
        return any(len(ids) == 1 for ids in self.lists) and score > 0

    def is_stage(self):
        placed = [t for t in self.tensors.values() if t.aligned > 0]
        if self.is_c:
            return self.total == 0 and bool(placed)
        if any(t.offset for t in self.tensors.values()):
            return False
        groups = {tuple(self.group.get(t.id, [t.id])) for t in placed}
        return len(groups) > 1

    def alive_range(self, t):
        last = self.steps - 1
        first = 0 if t.life in (WORDS[1], WORDS[2]) else t.first
        return first, last if t.life in (WORDS[1], WORDS[3]) else min(t.last, last)

    def reach(self, t):
        first, last = self.alive_range(t)
        return first, last + 1

    def alive(self, t, step):
        first, last = self.alive_range(t)
        return first <= step <= last

    def true(self, t):
        return max(0, t.offset - t.shift)

    def pieces(self):
        """Pieces of memory: (members, bytes)."""
        seen, out = set(), []
        for i in sorted(self.tensors):
            ids = self.group.get(i, [i])
            if ids[0] in seen:
                continue
            seen.add(ids[0])
            out.append(([self.tensors[j] for j in ids], max(self.tensors[j].aligned for j in ids)))
        return [p for p in out if p[1] > 0]

    def curves(self):
        alive, total = [0] * self.steps, [0] * self.steps
        if not self.steps:
            return alive, total
        for members, size in self.pieces():
            steps = set() if len(members) > 1 else range(*self.reach(members[0]))
            if len(members) > 1:
                for t in members:
                    steps.update(range(*self.reach(t)))
            for s in steps:
                alive[s] += size
            total[min(min(t.first for t in members), self.steps - 1)] += size
        for s in range(1, self.steps):
            total[s] += total[s - 1]
        return alive, total

    def frame(self, step):
        """Tensors with bytes alive at a step; a piece kept alive by others is its largest member."""
        out = []
        for members, size in self.pieces():
            if any(self.alive(t, step) for t in members):
                here = [t for t in members if t.aligned and self.alive(t, step)]
                # The largest; of those the one that is alive; of those the lowest id.
                best = min(members, key=lambda t: (-t.aligned, not self.alive(t, step), t.id))
                out += here if best in here else here + [best]
        return out


class Tasks:
    def __init__(self, text, plan):
        self.records = []
        for block in re.split(r"\n\s*\n", text.replace("\r", "")):
            if "op_name:" not in block:
                continue
            r = {"input": [], "output": [], "workspace": []}
            for line in block.strip("\n").split("\n"):
                if line.startswith("op_name:"):
                    r["name"] = re.sub(r"-NonTask$", "", line[8:])
                m = re.match(r"(input|output|workspace) address:(.*)", line)
                if m:
                    r[m.group(1)] = [(pointer(a), int(n)) for a, n in
                                     (re.fullmatch(r"(.*)\((\d+)\)", e).groups() for e in m.group(2).split("\t") if e.strip())]
            self.records.append(r)
        names = defaultdict(list)
        for n in plan.order:
            names[n.name].append(n)
        found = defaultdict(list)
        for r in self.records:
            key = r["name"] if r["name"] in names else last_part(r["name"])
            found[key].append(r)
        self.at, self.param_at = {}, {}
        self.pairs = []
        for key, nodes in names.items():
            if len(nodes) == len(found[key]):
                self.pairs += zip(nodes, found[key])
        self.pairs.sort(key=lambda p: p[0].id)
        for n, r in self.pairs:
            for ids, addresses in ((n.outputs, r["output"]), (n.work, r["workspace"])):
                ids = [i for i in ids if plan.tensors[i].type != "EventVirtualOutput"]
                if len(ids) == len(addresses):
                    for i, at in zip(ids, addresses):
                        if plan.tensors[i].source is n:
                            self.at[i] = at
            inputs = [(i, k) for i, k in n.inputs if k == "P" or plan.tensors[i].type != "EventVirtualOutput"]
            if len(inputs) == len(r["input"]):
                for (i, k), (a, _) in zip(inputs, r["input"]):
                    if k == "P" and a:
                        self.param_at.setdefault(i, a)
        votes = Counter(a - plan.tensors[i].offset for i, (a, _) in self.at.items()
                        if a and plan.tensors[i].aligned and a >= plan.tensors[i].offset)
        most = max(votes.values(), default=0)
        self.base = min((b for b, n in votes.items() if n == most), default=None)
        if plan.stage:
            self.base = None
        every = [e for r in self.records for k in ("input", "output", "workspace") for e in r[k] if e[0]]
        self.low = min((a for a, _ in every), default=None)
        self.high = max((a + n for a, n in every), default=None)


def four(n):
    v = n / GIB
    if v == 0:
        return "0GB"
    decimals = min(12, max(0, 4 - (math.floor(math.log10(v)) + 1)))
    text = "%.*f" % (decimals, v)
    if len(text.replace(".", "").lstrip("0")) > 4 and decimals:
        text = "%.*f" % (decimals - 1, v)
    return text + "GB"


class Expected:
    """Every file as the contract describes it."""

    def __init__(self, plan, tasks, base, memory):
        self.p, self.tasks, self.memory = plan, tasks, memory
        self.known = base
        if self.known is None and tasks:
            self.known = tasks.base
        if self.known is None and plan.has_addr and not plan.stage:
            votes = Counter(t.addr - t.offset for t in plan.tensors.values() if t.addr and t.addr >= t.offset)
            if votes and votes.most_common(1)[0][0]:
                self.known = votes.most_common(1)[0][0]
        self.base = self.known or 0
        self.alive, self.total = plan.curves()
        self.static = sum(p.size for p in plan.params.values())
        self.short = Counter(self.safe(n)[0].lower() for n in plan.order)
        self.files = {}

    # cells

    def name(self, text):
        text = shown(text)
        if text[:1] in ("=", "+", "-", "@", "\t", "\r"):
            text = "'" + text
        if len(text) >= LIMIT:
            keep = LIMIT - 1
            while keep + len("… (+%d more)" % (len(text) - keep)) > LIMIT - 1:
                keep -= 1
            text = text[:keep] + "… (+%d more)" % (len(text) - keep)
        return text

    def list(self, items):
        items = [shown(str(i)) for i in items]
        if items and items[0][:1] in ("=", "+", "-", "@"):
            items[0] = "'" + items[0]
        whole = "; ".join(items)
        if len(whole) < LIMIT:
            return whole
        for k in range(len(items) - 1, -1, -1):
            text = "; ".join(items[:k] + ["… (+%d more)" % (len(items) - k)])
            if len(text) < LIMIT:
                return text

    @staticmethod
    def pair(n):
        return ["", ""] if n is None else [str(n), hex(n)]

    # file names

    @staticmethod
    def safe(n):
        short = last_part(shown(n.name))
        out = "".join("_" if c in '/\\:*?"<>|' or ord(c) < 32 or 0x7F <= ord(c) < 0xA0 else c for c in short[:120])
        cut = len(short) > 120 or len(out.encode()) > 120
        while len(out.encode()) > 120:
            out = out[:-1]
        if out[-1:] in (".", " "):
            out = out[:-1] + "_"
        if out[:1] == ".":
            out = "_" + out[1:]
        stem = out.split(".")[0].upper()
        if not out or re.fullmatch(r"CON|PRN|AUX|NUL|(COM|LPT)\d", stem):
            out = "_" + out
        return out, cut

    def file_name(self, n):
        out, cut = self.safe(n)
        return out if not cut and self.short[out.lower()] == 1 else "%s_n%d" % (out, n.id)

    # tables

    def start(self, t):
        return None if self.p.stage or not t.aligned else self.base + t.offset

    def tensor_rows(self, tensors):
        yield ["", "SourceNodeId", "SourceNodeName", "OutputIndex", "SourceStream", "StartAddr", "StartAddrHex", "Size",
               "AlignSize", "EndAddr", "EndAddrHex", "LifeStart", "LifeEnd", "LifeLong", "TensorType", "TaskStartAddr",
               "TaskStartAddrHex", "TaskSize", "TaskEndAddr", "TaskEndAddrHex", "DestinationStreams", "Destinations"]
        for t in tensors:
            s, start = t.source, self.start(t)
            at, size = (self.tasks.at.get(t.id, (0, 0)) if self.tasks else (0, 0))
            yield ([str(t.id)] + ([str(s.id), self.name(s.name), str(t.place), str(s.stream)] if s else [""] * 4)
                   + self.pair(start) + [str(t.size), str(t.aligned)]
                   + self.pair(None if start is None else start + t.aligned)
                   + [str(t.first), str(t.last), t.life, self.name(t.type)]
                   + self.pair(at or None) + [str(size) if at else ""] + self.pair(at + size if at else None)
                   + [self.list(sorted({r.stream for r in t.readers})), self.list(r.name for r in t.readers)])

    def node_rows(self, nodes):
        yield ["", "Index", "OpId", "Stream", "Tensors", "Parameters", "Inputs", "Outputs", "Workspaces",
               "AliveTensorsSize", "TotalTensorSize", "InUseMemory", "TotalMemory"]
        for n in nodes:
            op = re.search(r"[^/]-op(\d+)$", n.name)
            tensors = {i for i, k in n.inputs if k == "T"} | set(n.outputs) | set(n.work)
            alive, total = self.alive[n.id], self.total[n.id]
            yield [self.name(n.name), str(n.id), str(int(op.group(1))) if op else "", str(n.stream), self.list(sorted(tensors)),
                   self.list(sorted({i for i, k in n.inputs if k == "P"})),
                   self.list(("Tensor%d" if k == "T" else "Parameter%d") % i for i, k in n.inputs),
                   self.list("Tensor%d" % i for i in n.outputs), self.list("Tensor%d" % i for i in n.work),
                   str(alive), str(total), str(alive + self.static), str(total + self.static)]

    def param_start(self, p):
        return p.addr or (self.tasks.param_at.get(p.id) if self.tasks else None) or None

    def param_rows(self, params):
        yield ["", "SourceNodeName", "OutputIndex", "StartAddr", "StartAddrHex", "Size", "EndAddr", "EndAddrHex", "Destinations"]
        for p in params:
            start = self.param_start(p)
            yield ([str(p.id), self.name(p.name), str(p.out)] + self.pair(start) + [str(p.size)]
                   + self.pair(None if start is None else start + p.size)
                   + [self.list(r.name for r in self.p.param_readers[p.id])])

    def use_rows(self):
        yield ["", "NodeId", "NodeName"]
        for i in sorted(self.p.tensors):
            for r in self.p.tensors[i].readers:
                yield ["%%%dT" % i, str(r.id), self.name(r.name)]
        for i in sorted(self.p.params):
            for r in self.p.param_readers[i]:
                yield ["%%%dP" % i, str(r.id), self.name(r.name)]

    def frame_rows(self, step):
        key = lambda t: (-1 if self.start(t) is None else self.start(t), t.id)
        return self.tensor_rows(sorted(self.p.frame(step), key=key))

    # the overview

    def planned_total(self):
        if self.p.stage:
            return 0
        if self.p.total is not None:
            return self.p.total
        return max((self.p.true(t) + t.aligned for t in self.p.placed), default=0)

    def highest(self):
        best = None
        for t in sorted(self.p.placed, key=lambda t: t.id):
            end = self.p.true(t) + t.aligned
            if t.life == WORDS[0] and (best is None or end > best[1]):
                best = (t, end)
        return None if self.p.stage else best

    def peak(self):
        return max(range(self.p.steps), key=lambda s: (self.alive[s], -s), default=None)

    def overview(self):
        none = "unknown (no task info)"
        low = self.tasks.low if self.tasks and self.tasks.low is not None else self.known
        start = None if low is None else low // (32 * GIB) * (32 * GIB)
        yield "MindSpore VM HBM Address Range " + (none if low is None else "%#x - %#x" % (start, start + self.memory))
        has = self.tasks and self.tasks.low is not None
        yield "Task Tensor Address: " + ("Min %#x, Max %#x" % (self.tasks.low, self.tasks.high) if has else none)
        total = self.planned_total()
        if self.p.stage:
            yield "SOMAS Tensor Address: unknown (early stage)"
        elif self.known is None:
            yield "SOMAS Tensor Address: " + none
        else:
            yield "SOMAS Tensor Address: Min %#x, Max %#x, Total Size %s" % (self.known, self.known + total, four(total))
        ends = [(self.param_start(p), self.param_start(p) + p.size) for p in self.p.params.values() if self.param_start(p)]
        if ends:
            a, b = min(e[0] for e in ends), max(e[1] for e in ends)
            yield "Parameter & ValueNode : Min %#x, Max %#x, Total Size %s" % (a, b, four(b - a))
        else:
            yield "Parameter & ValueNode : " + none
        yield "Graph Total Input Static Memory Size %s (%d)" % (four(self.static), self.static)
        step = self.peak()
        most = 0 if step is None else self.alive[step]
        node = self.p.nodes.get(step)
        unknown = "unknown (no nodes)"
        yield "Max In Use Memory Node %s, index %s, Alive Tensor Size %s (%d), In Use Memory size: %s (%d)" % (
            shown(node.name) if node else unknown, unknown if step is None else step, four(most), most,
            four(most + self.static), most + self.static)
        every = self.total[-1] if self.total else 0
        yield "Max Total Use Memory Size %s (%d)" % (four(every + self.static), every + self.static)
        yield "Max Total Tensor Memory Size %s (%d)" % (four(every), every)
        high = self.highest()
        if self.p.stage:
            yield "Max Addr without LifeLong Tensor: unknown (early stage)"
        elif not high:
            yield "Max Addr without LifeLong Tensor: unknown (nothing placed)"
        else:
            t, s = high[0], high[0].source
            yield "Max Addr without LifeLong Tensor: Node %s, Node Id %s, Output Index %s, End Address %#x" % (
                shown(s.name) if s else "", s.id if s else "", t.place if s else "", self.base + high[1])
        yield "Memory Reuse Ratio " + ("%.2f%%" % ((1 - most / every) * 100) if every else "unknown (nothing placed)")

    # everything

    def sharing(self, low, high):
        if self.p.stage:
            return []
        return sorted((t for t in self.p.placed if self.p.true(t) < high and low < self.p.true(t) + t.aligned),
                      key=lambda t: t.id)

    def tensor_files(self, lead, t):
        use = [n for n in self.p.order if (t.id, "T") in n.inputs or t.id in n.outputs or t.id in n.work]
        self.files[lead + "_relate_nodes.csv"] = self.node_rows(use)
        low = self.p.true(t)
        others = [u for u in self.sharing(low, low + t.aligned) if u is not t] if t.aligned else []
        self.files[lead + "_relate_tensors.csv"] = self.tensor_rows(others)

    def all_files(self, queries):
        p = self.p
        self.files["graph_nodes.csv"] = self.node_rows(p.order)
        self.files["graph_tensors.csv"] = self.tensor_rows(p.tensors[i] for i in sorted(p.tensors))
        self.files["graph_parameters.csv"] = self.param_rows(p.params[i] for i in sorted(p.params))
        self.files["graph_destinations.csv"] = self.use_rows()
        high, step = self.highest(), self.peak()
        if high and high[0].source:
            n = high[0].source
            self.files["StatisticInfo/MaxAddress_%s_mem_frame.csv" % self.file_name(n)] = self.frame_rows(n.id)
        if step is not None and step in p.nodes:
            name = self.file_name(p.nodes[step])
            self.files["StatisticInfo/MaxAliveMemory_%s_mem_frame.csv" % name] = self.frame_rows(step)
        for kind, value in queries:
            if kind == "node":
                n = p.nodes[int(value.lstrip("$"))]
                name = self.file_name(n)
                self.files["%s/%s_mem_frame.csv" % (name, name)] = self.frame_rows(n.id)
                for k, (i, letter) in enumerate(n.inputs):
                    if letter == "T":
                        self.tensor_files("%s/Input%d_Tensor%d" % (name, k, i), p.tensors[i])
                    else:
                        lead = "%s/Input%d_Parameter%d_relate_nodes.csv" % (name, k, i)
                        self.files[lead] = self.node_rows(p.param_readers[i])
                for role, ids in (("Output", n.outputs), ("Workspace", n.work)):
                    for k, i in enumerate(ids):
                        self.tensor_files("%s/%s%d_Tensor%d" % (name, role, k, i), p.tensors[i])
            elif kind == "tensor":
                self.tensor_files("CheckTensor_Tensor" + value, p.tensors[int(value)])
            else:
                ends = [int(x, 0) for x in value.split("-")]
                low, high = (ends[0], ends[0] + 1) if kind == "address" else ends
                lead = ("CheckAddress_" if kind == "address" else "CheckAddressRange_") + value
                self.files[lead + "_tensors_list.csv"] = self.tensor_rows(self.sharing(low - self.base, high - self.base))
                here = [q for i, q in sorted(p.params.items())
                        if self.param_start(q) and self.param_start(q) < high and low < self.param_start(q) + q.size]
                self.files[lead + "_parameters_list.csv"] = self.param_rows(here)
        return self.files

    def overwritten(self):
        """Pairs by order: the victim's id -> ids of those that overwrite it."""
        out = defaultdict(set)
        if self.p.stage:
            return out
        src = lambda t: -1 if t.source is None else t.source.id
        placed = sorted(self.p.placed, key=lambda t: (self.p.true(t), t.id))
        for i, x in enumerate(placed):
            for y in placed[i + 1:]:
                if self.p.true(y) >= self.p.true(x) + x.aligned:
                    break
                mates = x.id in self.p.group and y.id in self.p.group[x.id]
                u, v = self.p.alive_range(x), self.p.alive_range(y)
                if u[0] <= v[1] and v[0] <= u[1] and not mates:
                    a, b = sorted((x, y), key=lambda t: t.id)
                    victim, writer = (b, a) if src(b) < src(a) else (a, b)
                    out[victim.id].add(writer.id)
        return out


def rows_of(path, wrong):
    raw = open(path, "rb").read()
    if not raw.startswith(b"\xef\xbb\xbf"):
        wrong.append("%s: no byte order mark" % path)
    if b"\r\n" in raw or not raw.endswith(b"\n"):
        wrong.append("%s: line ends" % path)
    return list(csv.reader(raw.decode("utf-8-sig").split("\n")[:-1])), raw


def main():
    a = argparse.ArgumentParser()
    a.add_argument("dump")
    a.add_argument("results")
    a.add_argument("--tasks")
    a.add_argument("--log")
    a.add_argument("--base", type=lambda x: int(x, 0))
    a.add_argument("--device-memory", type=int, default=32)
    a.add_argument("--query", nargs=2, action="append", default=[])
    o = a.parse_args()
    csv.field_size_limit(1 << 30)
    plan = Plan(text_of(o.dump))
    if o.log and not plan.is_c:
        for line in text_of(o.log).split("\n"):
            m = re.search(r"lifelong=(\d).*tid=(\d+)", line)
            if m:
                plan.tensors[int(m.group(2))].life = WORDS[int(m.group(1))]
    tasks = Tasks(text_of(o.tasks), plan) if o.tasks else None
    expected = Expected(plan, tasks, o.base, o.device_memory * GIB)
    wrong, cells = [], 0
    files = expected.all_files(o.query)
    for name, rows in files.items():
        path = os.path.join(o.results, name)
        if not os.path.exists(path):
            wrong.append("%s: not written" % name)
            continue
        found, _ = rows_of(path, wrong)
        rows = list(rows)
        if len(rows) != len(found):
            wrong.append("%s: %d rows expected, %d found" % (name, len(rows), len(found)))
        for i, (x, y) in enumerate(zip(rows, found)):
            cells += len(x)
            if x != y:
                j = next((j for j in range(min(len(x), len(y))) if x[j] != y[j]), -1)
                wrong.append("%s row %d column %d (%s): expected %.80r, found %.80r"
                             % (name, i, j, rows[0][j], x[j:j + 1], y[j:j + 1]))
    want = "".join(line + "\n" for line in expected.overview())
    found = open(os.path.join(o.results, "StatisticInfo/overview.txt"), encoding="utf-8").read()
    for x, y in zip(want.split("\n"), found.split("\n")):
        if x != y:
            wrong.append("overview: expected %r, found %r" % (x, y))
    if want.count("\n") != found.count("\n"):
        wrong.append("overview: %d lines" % found.count("\n"))
    # Overwritten tensors: those by order must be there; others may, by the order of nodes.
    for victim, writers in expected.overwritten().items():
        path = os.path.join(o.results, "CheckTensor_ERROR_Tensor%d_overwrite_tensors.csv" % victim)
        if not os.path.exists(path):
            wrong.append("%s: not written" % path)
            continue
        ids = {int(r[0]) for r in rows_of(path, wrong)[0][1:]}
        if not writers <= ids:
            wrong.append("%s: lacks %s" % (path, sorted(writers - ids)))
    errors = glob.glob(os.path.join(glob.escape(o.results), "CheckTensor_ERROR_*.csv"))
    for path in errors:
        found, _ = rows_of(path, wrong)
        rows = list(expected.tensor_rows(plan.tensors[int(r[0])] for r in found[1:]))
        if rows != found:
            wrong.append("%s: cells differ" % path)
    # The manifest lists every file with its fingerprint, and nothing else is there.
    lines = open(os.path.join(o.results, "MemoryAnalyze.log"), encoding="utf-8").read().split("\n")
    listed = dict(line.split("  ", 1)[::-1] for line in lines[lines.index("manifest") + 1:-1])
    there = {os.path.relpath(os.path.join(d, f), o.results).replace(os.sep, "/")
             for d, _, names in os.walk(o.results) for f in names} - {"MemoryAnalyze.log"}
    if set(listed) != there:
        wrong.append("manifest: %s" % sorted(set(listed) ^ there))
    for name, sha in listed.items():
        if hashlib.sha256(open(os.path.join(o.results, name), "rb").read()).hexdigest() != sha:
            wrong.append("manifest: fingerprint of %s" % name)
    extra = {n for n in there if n.endswith(".csv") and "CheckTensor_ERROR" not in n} - set(files)
    if extra:
        wrong.append("not expected: %s" % sorted(extra))
    for line in wrong[:40]:
        print(line)
    print("%d files, %d cells, %d differences" % (len(files) + len(errors) + 1, cells, len(wrong)))
    sys.exit(1 if wrong else 0)


main()
