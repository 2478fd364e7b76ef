//! Messages about memory that ran out, as MindSpore 1.x and 2.x, the driver and torch_npu word them.

use somascope::parse::oom::{read, OomKind, OomMessage};

struct Case {
    text: &'static str,
    kind: OomKind,
    node: Option<&'static str>,
    /// Total, used, requested.
    sizes: [Option<u64>; 3],
}

const CASES: &[Case] = &[
    Case {
        text: "[ERROR] PRE_ACT(54175,fffdbcff91e0,python):2024-10-22-11:24:55.301.443 [mindspore/ccsrc/backend/common/mem_reuse/mem_dynamic_allocator.cc:392] AddMemBlockAndMemBufByEagerFree] TotalUsedMemStatistics : 29356337664 plus TotalUsedByEventMemStatistics : 0 and plus alloc size : 301990400 is more than total mem size : 29464985600.",
        kind: OomKind::Device,
        node: None,
        sizes: [Some(29_464_985_600), Some(29_356_337_664), Some(301_990_400)],
    },
    Case {
        text: "RuntimeError: Malloc for kernel output failed, Memory isn't enough, node:Default/Cast-op446\n\n----------------\n- C++ Call Stack: (For framework developers)\n----------------\nmindspore/ccsrc/runtime/pynative/run_op_helper.cc:596 LaunchKernels",
        kind: OomKind::Device,
        node: Some("Default/Cast-op446"),
        sizes: [None; 3],
    },
    Case {
        text: "RuntimeError: #umsg#Memory not enough:#umsg#Device(id:0) memory isn't enough and alloc failed, kernel name: Gradients/Default/network-WithLoss/gradMatMul/MatMul-op12, alloc size: 1073741824B.",
        kind: OomKind::Device,
        node: Some("Gradients/Default/network-WithLoss/gradMatMul/MatMul-op12"),
        sizes: [None, None, Some(1 << 30)],
    },
    Case {
        text: "Out of Memory!!! total[3212254720] (dynamic[0] memory poll[524288000]) malloc[32611480064] failed! Please try to reduce 'batch_size' or check whether exists extra large shape.",
        kind: OomKind::Device,
        node: None,
        sizes: [Some(3_212_254_720), Some(524_288_000), Some(32_611_480_064)],
    },
    Case {
        text: "[WARNING] DEVICE(1,7f,python):2022-05-09-14:31:03.309.299 [mem_dynamic_allocator.cc:201] CalMemBlockAllocSize] Memory not enough: current free memory size[0] is smaller than required size[241827840].",
        kind: OomKind::Device,
        node: None,
        sizes: [None, None, Some(241_827_840)],
    },
    Case {
        text: "[EXCEPTION] DEVICE(170414,fffe397fa1e0,python):2021-09-13-15:29:07.465.388 [mindspore/ccsrc/runtime/device/ascend/ascend_memory_manager.cc:62] MallocDeviceMemory] Malloc device memory failed, size[32212254720], ret[207001], Device 6 may be other processes occupying this card, check as: ps -ef|grep python",
        kind: OomKind::Busy,
        node: None,
        sizes: [None, None, Some(32_212_254_720)],
    },
    Case {
        text: "#umsg#Framework Error Message:#umsg#Malloc device memory failed, free memory size is less than half of total memory size.Device 0 Device MOC total size:65464696832 Device MOC free size:3596279808 may be other processes occupying this card, check as: ps -ef|grep python",
        kind: OomKind::Busy,
        node: None,
        sizes: [Some(65_464_696_832), Some(65_464_696_832 - 3_596_279_808), None],
    },
    Case {
        text: "[ERROR] MD(14433,7fea2effd700,python):2021-12-12-14:13:43.932.181 [mindspore/ccsrc/minddata/dataset/util/arena.cc:250] Init] cudaHostAlloc failed, ret[2], out of memory\nTask:  - thread(140643787593472) is terminated with err msg: Out of memory. Memory malloc failed.\nLine of code : 621",
        kind: OomKind::Host,
        node: None,
        sizes: [None; 3],
    },
    Case {
        text: "EE9999: Inner Error!\n        [driver interface] halMemAlloc failed: device_id=6, size=32212254720, type=2, env_type=3, drvRetCode=6![FUNC:ReportError][FILE:npu_driver.cc][LINE:568]",
        kind: OomKind::Pool,
        node: None,
        sizes: [None, None, Some(32_212_254_720)],
    },
    Case {
        text: "Memory_Allocation_Failure(EL0004): Failed to allocate memory requested by GE module.\n Possible Cause: Available memory is insufficient.\n Call rtMalloc fail, purpose: page caching, type = 2, size:3221291008, device_id:0[FUNC:Alloc][FILE:device_allocator.cc][LINE:72]",
        kind: OomKind::Device,
        node: None,
        sizes: [None, None, Some(3_221_291_008)],
    },
    Case {
        text: "RuntimeError: NPU out of memory. Tried to allocate 22.00 MiB (NPU 0; 60.97 GiB total capacity; 10.24 GiB already allocated; 10.24 GiB current active; 19.52 MiB free; 10.65 GiB reserved in total by PyTorch)",
        kind: OomKind::Device,
        node: None,
        // 60.97 * 2^30, 10.24 * 2^30, rounded.
        sizes: [Some(65_466_039_009), Some(10_995_116_278), Some(22 << 20)],
    },
    Case {
        text: "Device MOC memory size: 62420M\nMindSpore Used memory size: 58196M\nMindSpore memory base address: 0x124080000000\nUsed peak memory usage (without fragments): 245M\n",
        kind: OomKind::Log,
        node: None,
        sizes: [Some(62_420 << 20), Some(58_196 << 20), None],
    },
    Case {
        text: "[ERROR] KERNEL(1,7f,python):2023 [x.cc:1] Run] Launch kernel failed, name:Default/net/Cast-op2674",
        kind: OomKind::Log,
        node: Some("Default/net/Cast-op2674"),
        sizes: [None; 3],
    },
    Case {
        text: "[ERROR] DEVICE(9,x,python) something went wrong in 'Default/net/MatMul-op7'.",
        kind: OomKind::Log,
        node: Some("Default/net/MatMul-op7"),
        sizes: [None; 3],
    },
];

#[test]
fn wordings_of_the_field() {
    for case in CASES {
        let Some(found) = read(case.text) else {
            panic!("no message: {}", case.text);
        };
        let sizes = [found.total, found.used, found.requested];
        assert_eq!(
            (found.kind, found.node.as_deref(), sizes),
            (case.kind, case.node, case.sizes),
            "{}",
            case.text
        );
        // Windows line ends and text around it change nothing.
        let around = format!(
            "Traceback:\r\n  x\r\n{}\r\n",
            case.text.replace('\n', "\r\n")
        );
        assert_eq!(read(&around), Some(found), "{around}");
    }
}

#[test]
fn the_base_of_a_pool_is_read() {
    let found =
        read("MindSpore Used memory size: 58196M\nMindSpore memory base address: 0x124080000000\n");
    assert_eq!(found.and_then(|m| m.base), Some(0x1240_8000_0000));
}

#[test]
fn what_is_no_message() {
    for text in [
        "",
        "Cast-op2674",
        "Default/net/Cast-op2674",
        "$12",
        "%62T",
        "0x108830de2a00",
        "0x10-0x20",
        "out of memory",
        "All Parameters:\n\nindex:\tsize:\tsource node name:\tnode out index:\n",
        "op_name:Default/Cast-op1\ntask_index:0\ttask_num:1\t\n",
        "内存",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn any_text_is_survived() {
    let long = "out of memory 参".repeat(20_000);
    assert!(read(&long).is_some());
    for text in [
        "out of memory!!! total[99999999999999999999999] malloc[",
        "memory not enough, alloc size: 18446744073709551615 GB and node:",
        "[error] kernel name: ,,, -op -op1 /",
        "halmemalloc failed: size=",
        "rtmalloc fail size:0x",
    ] {
        let found: Option<OomMessage> = read(text);
        assert!(found.is_none_or(|m| m.total.is_none()), "{text}");
    }
}
