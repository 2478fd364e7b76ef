//! The overview example of the contract, every number, from a made dump and task info.

use std::fmt::Write;

use crate::support::{run, scratch, text};

const EXAMPLE: &str = "\
MindSpore VM HBM Address Range 0x108800000000 - 0x109000000000
Task Tensor Address: Min 0x108800000000, Max 0x108f7b4d7e04
SOMAS Tensor Address: Min 0x108800000000, Max 0x10885ac0c000, Total Size 1.418GB
Parameter & ValueNode : Min 0x108f70000000, Max 0x108f7b4d7c04, Total Size 0.1766GB
Graph Total Input Static Memory Size 0.1763GB (189329174)
Max In Use Memory Node RealDiv-op1387, index 251, Alive Tensor Size 1.406GB (1509209088), In Use Memory size: 1.582GB (1698538262)
Max Total Use Memory Size 3.448GB (3702115094)
Max Total Tensor Memory Size 3.272GB (3512785920)
Max Addr without LifeLong Tensor: Node Cast-op2674, Node Id 244, Output Index 0, End Address 0x108859443200
Memory Reuse Ratio 57.04%
";

/// Source node, aligned size, offset, lifelong word, type.
const TENSORS: &[(u32, u64, u64, &str, &str)] = &[
    (
        0,
        24_940_032,
        1_497_641_472,
        "LifeLongGraphAll",
        "OutputOnly",
    ),
    (100, 1_003_576_320, 0, "LifeLongNone", "OutputOnly"),
    (
        244,
        1_000_000_512,
        497_640_960,
        "LifeLongNone",
        "OutputOnly",
    ),
    (251, 1_484_269_056, 0, "LifeLongNone", "OutputOnly"),
    (252, 0, 0, "LifeLongNone", "GraphOutput"),
];

const LAST: u32 = 252;

fn name(n: u32) -> String {
    match n {
        244 => "Cast-op2674".into(),
        251 => "RealDiv-op1387".into(),
        n => format!("Mul-op{n}"),
    }
}

fn dump() -> String {
    let mut out = String::from("All Parameters:\n\nindex:\tsize:\tsource node name:\tnode out index:\n%0P\t#189329170S\tweight\t0\n%1P\t#4S\tbias\t0\n\n\nAll Tensors:\n\nindex:\taligned_size:\toriginal_size:\toffset:\ttype:\tlifelong:\tlife_start:\tlife_end:\tsource node name:\n");
    for (i, (n, aligned, offset, lifelong, kind)) in TENSORS.iter().enumerate() {
        let original = if *aligned == 0 { 4 } else { aligned - 32 };
        writeln!(
            out,
            "%{i}T\t#{aligned}S\t#{original}S\t&{offset}\t{kind}\t{lifelong}\t{n}\t{n}\t{}",
            name(*n)
        )
        .unwrap();
    }
    for i in 0..LAST {
        writeln!(
            out,
            "%{i}CT\t#0S\t#0S\t&0\tControl\tLifeLongNone\t{i}\t{}\t{}",
            i + 1,
            name(i)
        )
        .unwrap();
    }
    out.push_str("\n\nAll Nodes:\n\n");
    for n in 0..=LAST {
        let outputs: String = TENSORS
            .iter()
            .enumerate()
            .filter(|(_, t)| t.0 == n)
            .map(|(i, _)| format!("%{i}T, "))
            .collect();
        let inputs = if n == 0 { "%0P, %1P, " } else { "" };
        let before = if n > 0 {
            format!("%{}CT, ", n - 1)
        } else {
            String::new()
        };
        let after = if n < LAST {
            format!("%{n}CT, ")
        } else {
            String::new()
        };
        writeln!(out, "${n}\t{}\t0\tinputs[{inputs}]\toutputs[{outputs}]\tworkspace[]\tctrl_inputs[{before}]\tctrl_outputs[{after}]\tstreamID[@0]", name(n)).unwrap();
    }
    out.push_str("\n\nAll Union Tensors Info:\n\n\n\nAll Original Contiguous Tensors Info:\n\n\n\nAll Processed Contiguous Tensors Info:\n\n\n\nAll Stream Groups:\n\nstm0 \n\n\nAll Merged Blocks:\n\nstart_offset:\tsize:\n1497641472\t24940032\n0\t1497641472\n\nTotal Memory Size after reused:1522581504\n");
    out
}

fn task_info() -> String {
    let mut out = String::new();
    for n in 0..=LAST {
        writeln!(out, "op_name:Default/network-Net/{}\ntask_index:{n}\ttask_num:1\ttask0_stream_id:0\ttask0_type:0\ttask0_dump_flag:0", name(n)).unwrap();
        if n == 0 {
            out.push_str("input address:0x108f70000000(189329170)\t0x108f7b4d7c00(4)\t\n");
        }
        if let Some((_, aligned, offset, ..)) = TENSORS.iter().find(|t| t.0 == n) {
            let (address, size) = match aligned {
                0 => (0x108f_7b4d_7e00, 4),
                aligned => (0x1088_0000_0000 + offset, aligned - 32),
            };
            writeln!(out, "output address:{address:#x}({size})\t").unwrap();
        }
        out.push('\n');
    }
    out
}

#[test]
fn the_example_is_reproduced() {
    let dir = scratch("overview");
    let (dump_path, tasks) = (
        dir.join("Ascend_somas_tensor_offset_1.ir"),
        dir.join("task_info_graph_1.ir"),
    );
    std::fs::write(&dump_path, dump()).unwrap();
    std::fs::write(&tasks, task_info()).unwrap();
    let out = dir.join("out");
    let args = [
        "-s".as_ref(),
        dump_path.as_os_str(),
        "-t".as_ref(),
        tasks.as_os_str(),
        "-o".as_ref(),
        out.as_os_str(),
    ];
    let done = run(args);
    let told = String::from_utf8_lossy(&done.stdout);
    assert_eq!(
        done.status.code(),
        Some(0),
        "{told}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let overview = text(&out.join("StatisticInfo/overview.txt"));
    assert_eq!(String::from_utf8(overview).unwrap(), EXAMPLE);
}
