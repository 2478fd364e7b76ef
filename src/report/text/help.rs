//! Words of `--help`.

use super::catalogue;

catalogue! {
    /// What is wrong with what was typed.
    pub enum Wrong {
        UnknownFlag { en: "unknown flag `{0}`", zh: "未知参数 `{0}`" }
        Stray { en: "`{0}` belongs to no flag", zh: "`{0}` 不属于任何参数" }
        DidYouMean { en: "did you mean `{0}`?", zh: "您是否想用 `{0}`？" }
        NoValue { en: "`{0}` needs a value", zh: "`{0}` 缺少取值" }
        BadValue { en: "`{0}` is no value for `{1}`", zh: "`{0}` 不是 `{1}` 的有效取值" }
        Missing { en: "needed and not there: {0}", zh: "缺少必需的参数：{0}" }
        Twice { en: "`{0}` can be given once only", zh: "`{0}` 只能给出一次" }
        SeeHelp { en: "`somascope --help` lists all flags", zh: "运行 `somascope --help` 查看全部参数" }
    }
}

catalogue! {
    /// The parts of the help text.
    pub enum Help {
        About { en: "Reads a memory plan that MindSpore's SOMAS dumped, says where the memory goes and checks it", zh: "读取 MindSpore SOMAS 转储的内存规划，说明内存去向并检查其正确性" }
        Usage { en: "Usage:", zh: "用法：" }
        Options { en: "Options:", zh: "选项：" }
        Dump { en: "The SOMAS dump: any main dump of MindSpore 1.1 to 2.10, plain or .gz; or a folder with many", zh: "SOMAS 转储文件：MindSpore 1.1 至 2.10 的任意主转储，原文或 .gz；也可以是包含多个转储的目录" }
        Tasks { en: "The task info of the same graph: the addresses the launched tasks really used", zh: "同一计算图的任务信息：任务实际使用的地址" }
        Node { en: "Inputs and outputs of a node and the tensors alive at it; a full or short name, or $ID", zh: "某节点的输入输出及其存活张量；可用全名、短名或 $编号" }
        Tensor { en: "Nodes that use a tensor, and tensors that share bytes with it", zh: "使用某张量的节点，以及与其共用字节的张量" }
        Address { en: "Tensors and parameters that cover an address, hex 0x… or decimal", zh: "覆盖某地址的张量和参数，十六进制 0x… 或十进制" }
        Range { en: "Tensors and parameters that meet [A, B)", zh: "与区间 [A, B) 相交的张量和参数" }
        Output { en: "Where results go; default: the dump's own folder (of a folder: somascope_results in it)", zh: "结果目录；默认为转储文件所在目录（目录输入时为其中的 somascope_results）" }
        Base { en: "Where offset 0 of the plan lies on the device, where no task info tells", zh: "没有任务信息时，规划偏移 0 在设备上的地址" }
        DeviceMemory { en: "Memory of the device in GiB, for the HBM range", zh: "设备内存（GiB），用于 HBM 地址范围" }
        With { en: "A sibling of the same graph, such as the offline log; those beside the dump are used by themselves", zh: "同一计算图的其他文件（如离线日志）；与转储同目录的会自动使用" }
        Json { en: "Print the machine-readable summary, one JSON object on one line; write files only with -o", zh: "打印机器可读摘要（每图一行 JSON）；仅在给出 -o 时写文件" }
        Partial { en: "Show what can be read of a damaged file; the result says that it is incomplete", zh: "显示残缺文件中可读的部分；结果会注明不完整" }
        Force { en: "Replace files that this program did not write", zh: "覆盖并非由本程序写出的同名文件" }
        HelpFlag { en: "Print this help", zh: "打印本帮助" }
        Version { en: "Print the version", zh: "打印版本" }
        After {
            en: "Examples:\n  somascope -s Ascend_somas_tensor_offset_1.ir -t task_info_graph_1.ir -o results\n  somascope -s CPU_somas_tensor_offset_0.ir.gz --json\n  somascope -s dump.ir -cn Cast-op2674 -cn '$12' -ct 62 -ca 0x108830de2a00 -car 0x108800000000-0x108800010000\n  somascope -s run_folder --json\n\nExit status: 0 done, nothing found; 3 done, a hazard or a task mismatch; 2 unreadable or malformed input (also with --partial); 1 wrong usage or unwritable output",
            zh: "示例：\n  somascope -s Ascend_somas_tensor_offset_1.ir -t task_info_graph_1.ir -o results\n  somascope -s CPU_somas_tensor_offset_0.ir.gz --json\n  somascope -s dump.ir -cn Cast-op2674 -cn '$12' -ct 62 -ca 0x108830de2a00 -car 0x108800000000-0x108800010000\n  somascope -s run_folder --json\n\n退出状态：0 完成且未发现问题；3 完成但发现冲突或任务不一致；2 输入无法读取或格式有误（使用 --partial 时也是）；1 用法错误或无法写出结果",
        }
    }
}
