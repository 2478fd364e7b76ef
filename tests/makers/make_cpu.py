#!/usr/bin/env python3
"""Makes a CPU-like plan: every node is a stream of its own and only data orders nodes.

A chain of layers, forward and back. A layer is a fork into branches and a join; going back, a layer also reads
what it kept going forward, and its gradients go to optimizer nodes that nothing waits for. Memory is taken over
only where everything in one layer is done before the next one, so the plan is healthy; what an optimizer reads is
never given back, as in real CPU plans.

  make_cpu.py --tensors 300000 --seed 1 --out plan.ir
"""
import argparse
import heapq
import random


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--tensors", type=int, default=1000)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--out", required=True)
    o = a.parse_args()
    rnd = random.Random(o.seed)
    nodes = []      # name, inputs, outputs, workspaces
    tensors = []    # original, aligned, offset, kind, first, last, name
    free = {}       # aligned size -> heap of offsets
    later = []      # given back when the layer is done
    top = 0

    def node(op, inputs, outs=1, workspace=False):
        nonlocal top
        n = len(nodes)
        name = f"Default/network-TrainOneStepCell/network-Net/{op}-op{n}"
        made = []
        for k in range(outs + workspace):
            original = rnd.choice((64, 500, 512, 4096, 65536))
            aligned = (original + 511) // 512 * 512
            pool = free.setdefault(aligned, [])
            if pool:
                offset = heapq.heappop(pool)
            else:
                offset, top = top, top + aligned
            kind = "Workspace" if k == outs else "OutputOnly"
            tensors.append([original, aligned, offset, kind, n, n, name])
            made.append(len(tensors) - 1)
        for t in inputs:
            tensors[t][5] = n
            if tensors[t][3] == "OutputOnly":
                tensors[t][3] = "Common"
        nodes.append((name, inputs, made[:outs], made[outs:]))
        later.extend(made[outs:])
        return made[:outs]

    def done():
        for t in later:
            heapq.heappush(free[tensors[t][1]], tensors[t][2])
        later.clear()

    per_layer = 32
    layers = max(1, o.tensors // per_layer)
    x = node("Load", [])[0]
    kept = []
    for _ in range(layers):
        fork = node("LayerNorm", [x], workspace=True)[0]
        ends, inner = [], []
        for _ in range(3):
            t = fork
            for op in ("MatMul", "BiasAdd", "Reshape"):
                t = node(op, [t], workspace=op == "MatMul")[0]
                inner.append(t)
            ends.append(t)
        joined = node("Add", ends + [x])[0]
        # One of the inner ones is kept for the way back, the rest is given back behind the join.
        keep = inner[rnd.randrange(len(inner))]
        later.extend(t for t in inner if t != keep)
        later.append(fork)
        kept.append((keep, x))
        x = joined
        done()
    for keep, before in reversed(kept):
        fork = node("AddGrad", [x, before])[0]
        ends, inner = [], []
        for _ in range(3):
            t = fork
            for op in ("BiasAddGrad", "MatMul", "Mul"):
                t = node(op, [t, keep] if op == "Mul" else [t])[0]
                inner.append(t)
            ends.append(t)
            # Nothing waits for an optimizer: what it reads stays for good, and so do its own.
            grad = node("MatMulGrad", [t])[0]
            node("Adam", [grad], workspace=False)
        joined = node("AddN", ends)[0]
        # The ends are read by nodes that nothing waits for.
        later.extend(t for t in inner if t not in ends)
        later.extend((fork, keep, x, before))
        x = joined
        done()

    ranges, blocks = sorted((t[2], t[2] + t[1]) for t in tensors), []
    for start, end in ranges:
        if blocks and start < blocks[-1][1]:
            blocks[-1][1] = max(blocks[-1][1], end)
        else:
            blocks.append([start, end])
    items = lambda ids: "".join(f"%{t}T, " for t in ids)
    with open(o.out, "w", encoding="utf-8", newline="\n") as w:
        w.write("All Parameters:\n\nindex:\tsize:\tsource node name:\tnode out index:\n\n\nAll Tensors:\n\n")
        w.write("index:\taligned_size:\toriginal_size:\toffset:\ttype:\tlifelong:\tlife_start:\tlife_end:\tsource node name:\n")
        for i, (original, aligned, offset, kind, first, last, name) in enumerate(tensors):
            w.write(f"%{i}T\t#{aligned}S\t#{original}S\t&{offset}\t{kind}\tLifeLongNone\t{first}\t{last}\t{name}\n")
        w.write("\n\nAll Nodes:\n\n")
        for i, (name, inputs, outs, spaces) in enumerate(nodes):
            w.write(f"${i}\t{name}\t0\tinputs[{items(inputs)}]\toutputs[{items(outs)}]\tworkspace[{items(spaces)}]"
                    f"\tctrl_inputs[]\tctrl_outputs[]\tstreamID[@{i}]\n")
        for head in ("Union Tensors Info", "Original Contiguous Tensors Info", "Processed Contiguous Tensors Info",
                     "Stream Groups"):
            w.write(f"\n\nAll {head}:\n\n")
        w.write("\n\nAll Merged Blocks:\n\nstart_offset:\tsize:\n")
        for start, end in reversed(blocks):
            w.write(f"{start}\t{end - start}\n")
        w.write(f"\nTotal Memory Size after reused:{top}\n")


main()
