#!/usr/bin/env python3
"""Make tests/data/bad/: one small damaged file for each thing that can be wrong with a dump.

    make_bad.py            (writes the .ir files; `UPDATE_GOLDEN=1 cargo test --test native bad_dumps` the .err files)

Each file is the plan of five tensors that the documentation draws, with one damage. Its name is a
running number and the code that must be among its errors and warnings.
"""
import gzip
import os
import re

C3 = """All Parameters:

index:\tsize:\tsource node name:\tnode out index:
%0P\t#400S\tfc.weight\t0
%1P\t#4S\tfc.bias\t0


All Tensors:

index:\taligned_size:\toriginal_size:\toffset:\ttype:\tlifelong:\tlife_start:\tlife_end:\tsource node name:
%0T\t#512S\t#480S\t&0\tCommon\tLifeLongNone\t0\t2\tDefault/fc-Dense/MatMul-op0
%1T\t#512S\t#512S\t&512\tCommon\tLifeLongNone\t1\t2\tDefault/fc-Dense/BiasAdd-op0
%2T\t#1024S\t#1000S\t&1024\tWorkspace\tLifeLongNone\t0\t0\tDefault/fc-Dense/MatMul-op0
%3T\t#512S\t#4S\t&1024\tCommon\tLifeLongNone\t2\t3\tDefault/网络-Net/ReLU-op0
%4T\t#0S\t#4S\t&0\tGraphOutput\tLifeLongNone\t3\t3\tDefault/ReduceMean-op0


All Nodes:

$0\tDefault/fc-Dense/MatMul-op0\t0\tinputs[%0P, ]\toutputs[%0T, ]\tworkspace[%2T, ]\tctrl_inputs[]\tctrl_outputs[]\tstreamID[@0]
$1\tDefault/fc-Dense/BiasAdd-op0\t0\tinputs[%0T, %1P, ]\toutputs[%1T, ]\tworkspace[]\tctrl_inputs[]\tctrl_outputs[]\tstreamID[@1]
$2\tDefault/网络-Net/ReLU-op0\t0\tinputs[%0T, %1T, ]\toutputs[%3T, ]\tworkspace[]\tctrl_inputs[]\tctrl_outputs[]\tstreamID[@2]
$3\tDefault/ReduceMean-op0\t0\tinputs[%3T, ]\toutputs[%4T, ]\tworkspace[]\tctrl_inputs[]\tctrl_outputs[]\tstreamID[@3]


All Union Tensors Info:



All Original Contiguous Tensors Info:



All Processed Contiguous Tensors Info:



All Stream Groups:



All Merged Blocks:

start_offset:\tsize:
1024\t1024
512\t512
0\t512

Total Memory Size after reused:2048
"""

C2 = """All Parameters:

index:\tsize:\tsource node name:\tnode out index:


All Tensors:

index:\taligned_size:\toriginal_size:\toffset:\ttype:\tlifelong:\tlife_start:\tlife_end:\tsource node name:
%0T\t#1024S\t#512S\t&0\tCommon\tLifeLongNone\t0\t1\tMatMul-op1
%1T\t#1024S\t#512S\t&1024\tOutputOnly\tLifeLongNone\t1\t1\tReLU-op2
%0CT\t#0S\t#0S\t&0\tControl\tLifeLongNone\t0\t1\tMatMul-op1


All Nodes:

$0\tMatMul-op1\t0\tinputs[]\toutputs[%0T, ]\tworkspace[]\tctrl_inputs[]\tctrl_outputs[%0CT, ]\tstreamID[@0]
$1\tReLU-op2\t0\tinputs[%0T, ]\toutputs[%1T, ]\tworkspace[]\tctrl_inputs[%0CT, ]\tctrl_outputs[]\tstreamID[@0]


All Union Tensors Info:



All Original Contiguous Tensors Info:



All Processed Contiguous Tensors Info:



All Stream Groups:

stm0 


All Merged Blocks:

start_offset:\tsize:
1024\t1024
0\t1024

Total Memory Size after reused:2048"""

B1 = """All Parameters:

index:\tsize:\tstart_addr:\tsource node name:\tnode out index:
%0P\t#4S\t&0x108f70000000\tw1\t0


All Tensors:

index:\tsize:\treal_size:\toffset:\taddr:\ttype:\tlifelong:\tlife_start:\tlife_end:\tsource node name:
%0T\t#1024S\t#512S\t&0\t&0x108800000000\tCommon\t0\t0\t1\tMatMul-op1
%1T\t#1024S\t#512S\t&1024\t&0x108800000400\tCommon\t0\t1\t2\tReLU-op2
%2T\t#1024S\t#512S\t&0\t&0x108800000000\tOutputOnly\t0\t2\t2\tAdd-op3


All Nodes:

$0\tMatMul-op1\t0\tinputs[%0P, ]\toutputs[%0T, ]\tworkspace[]\tstreamID[@0]
$1\tReLU-op2\t0\tinputs[%0T, ]\toutputs[%1T, ]\tworkspace[]\tstreamID[@0]
$2\tAdd-op3\t0\tinputs[%1T, ]\toutputs[%2T, ]\tworkspace[]\tstreamID[@0]


All Stream Groups:

stm0 
"""

A = """All Tensors:

index:\tsize:\treal_size:\toffset:\taddr:\ttype:\tlifelong:
%0T\t#1024S\t#512S\t&0\t&0x108800000000\tCommon\t0
%1T\t#1024S\t#512S\t&1024\t&0x108800000400\tOutputOnly\t0
%2T\t#512S\t#512S\t&2048\t&0x108800000800\tGap\t0
%3T\t#512S\t#512S\t&2560\t&0x108800000a00\tGap\t0


All Nodes:

$0\tMatMul-op1\t0\tinputs[]\toutputs[%0T, ]\tworkspace[]\tstreamID[@0]
$1\tReLU-op2\t0\tinputs[%0T, ]\toutputs[%1T, ]\tworkspace[]\tstreamID[@0]


All Stream Groups:

stm0 


All Ref Node Info:

"""


def change(old, new, base=C3):
    assert base.count(old) == 1, (base.count(old), old)
    return base.replace(old, new)


def upto(text, more=0, base=C3):
    return base[:base.index(text) + more]


def drop(pattern, base=C3):
    out, n = re.subn(pattern, "", base, flags=re.M | re.S)
    assert n, pattern
    return out


def cut_column(base, number):
    """The tensor table without one column."""
    head, rest = base.split("All Tensors:\n\n")
    table, tail = rest.split("\n\n\n", 1)
    rows = [r.split("\t") for r in table.split("\n")]
    return head + "All Tensors:\n\n" + "\n".join("\t".join(r[:number] + r[number + 1:]) for r in rows) + "\n\n\n" + tail


PACKED = gzip.compress(C3.encode(), mtime=0)
BROKEN = bytearray(PACKED)
BROKEN[len(BROKEN) // 2] ^= 0x5a

CASES = [
    # A wrong file.
    ("not_a_dump", "[WARNING] DEVICE(41,7f1c,python):2023-09-20-17:30:01.123 [kernel_runtime.cc:91] no device\nepoch: 1 step: 1, loss is 2.3\n"),
    ("not_a_dump", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00"),
    ("not_the_plan", "# IR entry      : @kernel_graph0\n# attrs         :\nsubgraph instance: kernel_graph0 : 0x1\n"),
    ("not_a_dump", "evil \x1b[31mred\x1b[0m \u202egnp.exe\n"),
    ("empty_file", ""),
    ("empty_file", "\n\n  \r\n\t\n"),
    ("gz_damaged", PACKED[:len(PACKED) // 2]),
    ("gz_damaged", bytes(BROKEN)),
    ("gz_damaged", PACKED[:-6]),
    # A row that was touched.
    ("unreadable_field", change("#1000S", "#1000")),
    ("unreadable_field", change("#1000S", "#1o00S")),
    ("unreadable_field", change("\t&512\t", "\t512\t")),
    ("unknown_line", change("%1T\t#512S", "1T\t#512S")),
    ("unreadable_field", change("inputs[%0T, %1P, ]", "inputs[%0T, 1P, ]")),
    ("unreadable_field", change("streamID[@2]", "streamID[@2")),
    ("unreadable_field", change("LifeLongNone\t2\t3\t", "LifeLongNone\ttwo\t3\t")),
    ("unreadable_field", change("All Union Tensors Info:\n\n", "All Union Tensors Info:\n\nunion tensors: [%0T %x1T ]\n")),
    ("unreadable_field", change("reused:2048", "reused:2o48")),
    ("number_too_large", change("#1000S", "#18446744073709551616S")),
    ("number_too_large", change("\t&512\t", "\t&9223372036854775808\t")),
    ("number_too_large", change("\t1\t2\tDefault/fc", "\t1\t99999999999\tDefault/fc")),
    ("reversed_life", change("\t2\t3\tDefault/网络", "\t2\t1\tDefault/网络")),
    ("field_count", change("%3T\t#512S\t#4S\t&1024\tCommon\tLifeLongNone\t2\t3\tDefault/网络-Net/ReLU-op0", "%3T\t#512S\t#4S")),
    ("field_count", change("BiasAdd-op0\n%2T", "BiasAdd-op0\t%2T")),
    ("field_count", change("%1P\t#4S\tfc.bias\t0", "%1P\t#4S")),
    ("unknown_line", change("%3T\t#512S", "<<<<<<< HEAD\n%3T\t#512S")),
    ("unknown_line", change("512\t512\n0", "512\t512\n~~~\n0")),
    # A file that breaks off, or lost a piece.
    ("row_cut", upto("\t&1024\tCommon")),
    ("row_cut", upto("$2\tDefault", 30)),
    ("missing_section", upto("after reused", 8)),
    ("no_header", drop(r"^index:\taligned_size[^\n]*\n")),
    ("missing_column", cut_column(C3, 7)),
    ("missing_column", cut_column(C3, 1)),
    ("missing_section", upto("\nAll Nodes:")),
    ("missing_section", upto("\nTotal Memory")),
    ("missing_section", drop(r"All Tensors:.*?\n\n\n(?=All Nodes)")),
    ("missing_section", upto("\n\nAll Stream Groups:", base=B1)),
    ("last_copy_cut", C3.rstrip() + upto("\t&1024\tCommon")),
    ("last_copy_cut", C3.rstrip() + upto("\nAll Nodes:")),
    ("sum_too_large", change("%0T\t#512S", "%0T\t#9000000000000000256S").replace("%1T\t#512S", "%1T\t#9000000000000000256S")),
    # A plan that contradicts itself.
    ("unknown_section", change("All Union Tensors Info:", "All New Things Info:\n\n1\t2\n\n\nAll Union Tensors Info:")),
    ("unknown_reference", change("inputs[%3T, ]", "inputs[%31T, ]")),
    ("unknown_reference", change("inputs[%0P, ]", "inputs[%7P, ]")),
    ("unknown_reference", change("All Union Tensors Info:\n\n", "All Union Tensors Info:\n\nunion tensors: [%0T %9T ]\n")),
    ("duplicate_id", change("%2T\t#1024S", "%1T\t#1024S")),
    ("duplicate_id", change("\n%1P\t#4S", "\n%0P\t#4S")),
    ("duplicate_id", change("\n$2\t", "\n$1\t")),
    ("total_differs", change("reused:2048", "reused:4096")),
    ("total_differs", change("reused:2048", "reused:204")),
    ("misaligned", change("\t&512\t", "\t&520\t")),
    ("misaligned", change("%1T\t#512S", "%1T\t#500S")),
    ("life_beyond_graph", change("\t2\t3\tDefault/网络", "\t2\t9\tDefault/网络")),
    ("no_source", change("workspace[%2T, ]", "workspace[]")),
    ("written_twice", change("outputs[%3T, ]", "outputs[%3T, %1T, ]")),
    ("name_differs", change("2\t3\tDefault/网络-Net/ReLU-op0", "2\t3\tDefault/网络-Net/Elu-op0")),
    ("control_differs", change("LifeLongNone\t0\t1\tMatMul-op1\n\n", "LifeLongNone\t0\t0\tMatMul-op1\n\n", base=C2)),
    ("missing_node", change("$1\t", "$5\t")),
    ("missing_node", drop(r"^\$1\t[^\n]*\n")),
    ("unknown_lifelong", change("Common\tLifeLongNone\t2", "Common\tLifeLongForever\t2")),
    ("address_differs", change("0x108800000400", "0x108800000600", base=B1)),
    ("gap_without_list", A),
    ("not_the_plan", "Somas EDGE src=n0, srcstm=0, dst=n1, dststm=0, workspace=0, size=512, lifelong=0, tid=0, start=0, end=1\n"),
]


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "bad")
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        if old.endswith((".ir", ".err")):
            os.remove(os.path.join(folder, old))
    for number, (code, content) in enumerate(CASES, 1):
        with open(os.path.join(folder, f"{number:04}_{code}.ir"), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())


main()
