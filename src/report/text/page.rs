//! Words of the page.

use super::catalogue;

catalogue! {
    /// Words of the page.
    pub enum Word {
        Title { en: "somascope", zh: "somascope" }
        TitleOf { en: "{0} · somascope", zh: "{0} · somascope" }

        // Bar
        Open { en: "Open…", zh: "打开…" }
        OpenFolder { en: "Folder…", zh: "打开文件夹…" }
        OtherLanguage { en: "中文", zh: "English" }
        LanguageLabel { en: "显示中文", zh: "Show in English" }
        ThemeLabel { en: "Light or dark", zh: "浅色或深色" }
        GraphsLabel { en: "Graph", zh: "计算图" }
        Cancel { en: "Cancel", zh: "取消" }
        ChipGraph { en: "graph {0}", zh: "图 {0}" }
        ChipRank { en: "rank {0}", zh: "rank {0}" }
        ChipGeneration { en: "format {0}", zh: "格式 {0}" }
        ChipNode { en: "{0} node", zh: "{0} 个节点" }
        ChipNodes { en: "{0} nodes", zh: "{0} 个节点" }
        ChipTensor { en: "{0} tensor", zh: "{0} 个张量" }
        ChipTensors { en: "{0} tensors", zh: "{0} 个张量" }
        GenerationA { en: "MindSpore 1.1", zh: "MindSpore 1.1" }
        GenerationB1 { en: "MindSpore 1.2 to 1.5", zh: "MindSpore 1.2 至 1.5" }
        GenerationB2 { en: "MindSpore 1.6 to 1.8", zh: "MindSpore 1.6 至 1.8" }
        GenerationC1 { en: "MindSpore 1.9 to 2.0 alpha", zh: "MindSpore 1.9 至 2.0 alpha" }
        GenerationC2 { en: "MindSpore 2.0 to 2.2", zh: "MindSpore 2.0 至 2.2" }
        GenerationC3 { en: "MindSpore 2.3 and later", zh: "MindSpore 2.3 及以后" }

        // Ways in
        DropHere { en: "Drop a SOMAS memory plan here", zh: "把 SOMAS 内存规划文件拖到这里" }
        DropNow { en: "Drop to open", zh: "松开即可打开" }
        ChooseFiles { en: "Choose files…", zh: "选择文件…" }
        TrySample { en: "Try a real one: ResNet-18 training", zh: "看一个真实例子：ResNet-18 训练" }
        PasteHint { en: "Files or whole folders, one or many. Pasting a dump’s text works too.", zh: "可以是文件或整个文件夹，一个或多个；也可以直接粘贴文件内容。" }
        Promise { en: "Nothing you open leaves this page.", zh: "您打开的内容不会离开本页面。" }
        PromiseHow {
            en: "Once loaded, the page sets a security policy under which the browser refuses every request it makes; reading and computing happen on your machine.",
            zh: "页面加载完成后会启用一条安全策略，浏览器据此拒绝它发出的一切请求；读取和计算都在您的机器上完成。",
        }
        HowTitle { en: "How to get a plan", zh: "如何得到内存规划文件" }
        How1Versions { en: "MindSpore 1.1 to 1.10", zh: "MindSpore 1.1 至 1.10" }
        How1 { en: "Run with `context.set_context(save_graphs=True)`; the files are in `save_graphs_path`.", zh: "设置 `context.set_context(save_graphs=True)` 后运行，文件在 `save_graphs_path` 目录下。" }
        How2Versions { en: "MindSpore 2.0 to 2.2", zh: "MindSpore 2.0 至 2.2" }
        How2 { en: "Run with `save_graphs=1` or higher. In a distributed run each rank writes to its own folder (`rank_0`, `rank_1`, …).", zh: "设置 `save_graphs=1` 或更高后运行。分布式任务中每个 rank 写入各自的目录（`rank_0`、`rank_1` 等）。" }
        How3Versions { en: "MindSpore 2.3 and later", zh: "MindSpore 2.3 及以后" }
        How3 { en: "Run with `save_graphs=1` or higher; the memory tracker (`MS_ALLOC_CONF=memory_tracker:True`) writes the final plan as well.", zh: "设置 `save_graphs=1` 或更高后运行；开启内存跟踪（`MS_ALLOC_CONF=memory_tracker:True`）也会写出最终规划文件。" }
        HowFiles { en: "Files to open", zh: "要打开的文件" }
        HowNoneTitle { en: "No file written?", zh: "没有生成文件？" }
        HowNone {
            en: "SOMAS does not plan graphs with dynamic shapes, PyNative single operators, or anything at memory optimisation level O0, the default in 2.7. There, ask for it: `mindspore.runtime.set_memory(optimize_level=\"O1\")`.",
            zh: "动态 shape 的图、PyNative 单算子，以及内存优化级别为 O0（2.7 的默认值）时，SOMAS 不参与规划。请先开启：`mindspore.runtime.set_memory(optimize_level=\"O1\")`。",
        }

        // Progress
        ReadingBytes { en: "{0} of {1}", zh: "已读取 {0}，共 {1}" }
        ReadingFile { en: "{2} · {0} of {1}", zh: "{2} · 已读取 {0}，共 {1}" }
        Working { en: "Working out what is alive when…", zh: "正在计算各步的存活张量…" }

        // Several graphs
        GraphsTitle { en: "{0} graphs open", zh: "已打开 {0} 个计算图" }
        OnRanks { en: "the same plan on {0} ranks", zh: "{0} 个 rank 的规划相同" }
        AgainstMean { en: "{0} from the mean over the ranks, {1}", zh: "与各 rank 均值 {1} 相差 {0}" }
        Unread { en: "cannot be read: {0}", zh: "无法读取：{0}" }

        // Result files
        DownloadZip { en: "Download results", zh: "下载结果" }
        DownloadZipLabel { en: "All result files of the command line in one ZIP", zh: "将命令行的全部结果文件打包为一个 ZIP" }
        SingleFiles { en: "Single files", zh: "单个文件" }
        ListingFiles { en: "Checking the plan…", zh: "正在检查规划…" }
        SavingChecks { en: "{0} · checking the plan…", zh: "{0} · 正在检查规划…" }
        Saving { en: "Writing {0} · {1}", zh: "正在写出 {0} · {1}" }

        // Problems
        NoPlan { en: "No memory plan in what you opened", zh: "打开的内容中没有内存规划" }
        NoPlanText { en: "What each file is, and what to open instead:", zh: "各文件的情况以及应打开的文件：" }
        Damaged { en: "This plan cannot be read as a whole", zh: "该内存规划无法完整读取" }
        DamagedText { en: "Numbers from a damaged plan would mislead, so none are shown. Where it breaks:", zh: "残缺的规划得出的数字会误导人，因此不予显示。出错位置：" }
        Stopped { en: "The page stopped at a fault of its own", zh: "页面因自身故障而停止" }
        StoppedText { en: "This is not your file’s fault. Reload the page to go on. What happened:", zh: "这不是文件的问题。请重新加载页面。故障信息：" }
        WorkerStopped { en: "Reading this stopped before the end", zh: "读取中途停止" }
        WorkerStoppedText { en: "The file may need more memory than the browser gives a page. What the browser said:", zh: "该文件所需内存可能超出浏览器的限制。浏览器给出的信息：" }
        NothingDropped { en: "There was no file in what you dropped", zh: "拖入的内容里没有文件" }
        MessagesErrors { en: "Errors ({0})", zh: "错误（{0}）" }
        MessagesWarnings { en: "Warnings ({0})", zh: "警告（{0}）" }
        MessagesBoth { en: "Errors ({0}) and warnings ({1})", zh: "错误（{0}）与警告（{1}）" }
        MessagesNotes { en: "Other files ({0})", zh: "其他文件（{0}）" }
        MoreErrors { en: "and {0} more in {1}", zh: "{1} 中另有 {0} 处" }
        SeverityError { en: "error", zh: "错误" }
        SeverityNote { en: "note", zh: "说明" }
        ShowPartial { en: "Show what could be read", zh: "显示可读的部分" }
        PartialNote { en: "Every number then misses the unread lines.", zh: "此时所有数字都不包含未读的行。" }
        BackToPlan { en: "Back to the previous plan", zh: "返回之前的规划" }
        IncompleteOne { en: "Incomplete: 1 line could not be read. Every number here is without it.", zh: "不完整：有 1 行无法读取，以下所有数字均不包含该行。" }
        IncompleteMany { en: "Incomplete: {0} lines could not be read. Every number here is without them.", zh: "不完整：有 {0} 行无法读取，以下所有数字均不包含这些行。" }
        StageNote {
            en: "An early stage of planning: sizes and lifetimes are there, addresses are not yet. So the curves are shown, and no planned total.",
            zh: "这是规划的早期阶段：已有大小和生命周期，尚未分配地址。因此只显示曲线，不显示规划总量。",
        }

        // Sharing, and summaries
        GoShare { en: "Share", zh: "分享" }
        ShareTitle { en: "Share without the dump", zh: "不带原文件分享" }
        ShareWhat { en: "A link holds a summary in itself: numbers, the curve, the ten largest tensors at the peak, findings. Nothing is uploaded.", zh: "链接本身包含摘要：各项数字、曲线、峰值处最大的十个张量、检查结果。不会上传任何内容。" }
        NamesLabel { en: "Names", zh: "名称" }
        NamesFull { en: "in full", zh: "完整" }
        NamesOperators { en: "operators and layer depth", zh: "仅算子名与层深度" }
        NamesHidden { en: "hidden behind numbers", zh: "以编号代替" }
        CopyLink { en: "Copy link", zh: "复制链接" }
        CopyMarkdown { en: "Copy as Markdown", zh: "复制为 Markdown" }
        LinkHolds { en: "What the link holds", zh: "链接包含的内容" }
        Characters { en: "{0} characters", zh: "{0} 个字符" }
        SharePreparing { en: "Preparing…", zh: "正在准备…" }
        ShareUnread { en: "The file cannot be read any more.", zh: "文件已无法读取。" }
        LinkCopied { en: "Link copied.", zh: "已复制链接。" }
        MarkdownCopied { en: "Markdown copied.", zh: "已复制 Markdown。" }
        CopyRefused { en: "The browser refused to copy.", zh: "浏览器拒绝了复制。" }
        SummaryName { en: "Summary from a link", zh: "来自链接的摘要" }
        LinkedNote { en: "This is a summary from a link, read-only: the dump itself is not here.", zh: "这是来自链接的只读摘要，其中不含原文件。" }
        LinkedDrop { en: "Drop the dump with this fingerprint to see everything: {0}, SHA-256 `{1}`", zh: "拖入具有此指纹的文件即可查看全部内容：{0}，SHA-256 `{1}`" }
        LinkedDropAny { en: "Drop the dump of {0} to see everything.", zh: "拖入大小为 {0} 的原文件即可查看全部内容。" }
        OtherFile { en: "{0} is a different file: its fingerprint is another one. ", zh: "{0} 是另一个文件，指纹不符。" }
        OpenAnyway { en: "Open it instead", zh: "改为打开该文件" }
        LinkedTop { en: "The largest at the peak", zh: "峰值处最大的张量" }
        LinkedFindings { en: "Verdict and findings", zh: "判定与检查结果" }
        ColLife { en: "Life", zh: "生命周期" }
        ColLayer { en: "Layer", zh: "层" }
        NoSummary { en: "This link cannot be read", zh: "无法读取该链接" }
        OfflineLink { en: "The whole page as one file, for machines without a network", zh: "整个页面的单文件版本，供无网络的机器使用" }
        HandlingLink { en: "How data is handled", zh: "数据处理说明" }

        // Facts: label, small print, explanation
        Planned { en: "Planned total", zh: "规划总量" }
        PlannedSub { en: "{0} × the lower bound", zh: "下界的 {0} 倍" }
        PlannedWhat {
            en: "The size of the one block that SOMAS reserves for all tensors of the graph: the highest end address in the plan.",
            zh: "SOMAS 为该图所有张量一次性预留的内存大小，即规划中的最高结束地址。",
        }
        PlannedLeaves {
            en: "Leaves out parameters and constants (static memory) and whatever the runtime, communication libraries and operators take for themselves.",
            zh: "不含参数和常量（静态内存），也不含运行时、通信库和算子自身占用的内存。",
        }
        Peak { en: "Peak in use", zh: "峰值占用" }
        PeakWhat {
            en: "The most bytes needed at any one step: aligned sizes of the tensors alive there, plus static memory. Tensors that share one piece of memory (unions) count once. On a tie the first step counts.",
            zh: "任一执行步所需的最大字节数：该步存活张量的对齐大小之和，加上静态内存。共用同一块内存的张量（union）只计一次；并列时取最早的一步。",
        }
        PeakLeaves { en: "Leaves out holes between tensors: the plan may reserve more than is ever in use.", zh: "不含张量之间的空洞：规划预留的内存可能多于任何时刻的实际占用。" }
        Bound { en: "Lower bound", zh: "下界" }
        BoundSub { en: "most bytes alive at one step", zh: "单步最大存活字节数" }
        BoundWhat {
            en: "The most aligned bytes alive at one step. No plan that runs the nodes in this order can be smaller.",
            zh: "单个执行步中存活张量对齐大小之和的最大值。按此顺序执行时，任何规划都不可能更小。",
        }
        BoundLeaves { en: "Leaves out static memory. A plan may be unable to reach it.", zh: "不含静态内存。规划不一定能达到这个值。" }
        Gap { en: "Gap", zh: "差距" }
        GapSubOrdered { en: "{0} · cost of packing", zh: "{0} · 排布代价" }
        GapSubUnordered { en: "{0} · no order assumed", zh: "{0} · 不依赖执行顺序" }
        GapSubNone { en: "the plan reaches its bound", zh: "规划已达到下界" }
        GapWhat { en: "Planned total − lower bound, and its share of the planned total.", zh: "规划总量 − 下界，及其占规划总量的比例。" }
        GapOrdered {
            en: "The nodes of this plan run in a known order, so the gap is what packing costs: holes between tensors whose lifetimes do not fit together, and order between streams that is not known.",
            zh: "该规划中节点按已知顺序执行，差距就是排布的代价：生命周期无法紧密拼合的张量之间的空洞，以及流之间未确定的先后顺序。",
        }
        GapUnordered {
            en: "On this plan every node is a stream of its own and only data orders the nodes. Memory is reused only where data proves it safe, so the planned total may be several times the bound. That is the price of relying on no order, not fragmentation.",
            zh: "在该规划中每个节点自成一条流，节点之间只有数据依赖能确定先后。只有数据依赖能证明安全时才复用内存，因此规划总量可能是下界的数倍。这是不依赖执行顺序的代价，并非碎片。",
        }
        Static { en: "Static memory", zh: "静态内存" }
        StaticSubOne { en: "{0} parameter", zh: "{0} 个参数" }
        StaticSub { en: "{0} parameters", zh: "{0} 个参数" }
        StaticWhat { en: "The sum of the sizes of all parameters and constants the graph takes in. They live outside the planned block and are there at every step.", zh: "该图使用的所有参数和常量大小之和。它们位于规划内存块之外，每一步都存在。" }
        StaticLeaves { en: "Sizes are as printed, not aligned. A parameter that several graphs use is counted in each.", zh: "按文件中的原始大小计算，不做对齐。被多个图使用的参数在每个图中各计一次。" }
        Reuse { en: "Reuse ratio", zh: "复用率" }
        ReuseSub { en: "of {0} produced", zh: "共产生 {0}" }
        ReuseWhat { en: "1 − lower bound ÷ all bytes ever produced: the share of all tensor bytes that ideal reuse saves.", zh: "1 − 下界 ÷ 产生的全部字节：理想复用所能节省的张量内存占比。" }
        ReuseLeaves { en: "It tells how much the network allows, not how well this plan packs; the gap does that.", zh: "它反映网络允许的复用程度，而非该规划的排布质量；后者看差距。" }
        UnknownNothingPlaced { en: "unknown (nothing placed)", zh: "未知（没有需要放置的张量）" }
        ExplainLabel { en: "What is this?", zh: "这是什么？" }

        // Chart
        InUse { en: "In use (alive + static)", zh: "占用（存活 + 静态）" }
        Alive { en: "Alive", zh: "存活" }
        BandLegend { en: "range within one column", zh: "同一列内的范围" }
        ChartLabel { en: "Bytes over execution order. Arrow keys move the selected step.", zh: "各执行步的内存字节数。方向键移动所选执行步。" }
        StepAxis { en: "step (execution order)", zh: "执行步（执行顺序）" }
        PeakMark { en: "peak {0} at ${1}", zh: "峰值 {0}，${1}" }
        ReadoutHint { en: "Point at the chart to read a step; click to select it.", zh: "将指针移到图上查看某一步，单击选中。" }
        ReadoutBytes { en: "in use {0} · alive {1}", zh: "占用 {0} · 存活 {1}" }
        NoSteps { en: "This graph has no nodes, so there is nothing to draw.", zh: "该图没有节点，无曲线可画。" }

        TotalLine { en: "Without reuse, plus static", zh: "无复用总量（含静态）" }
        TotalTensorLine { en: "Without reuse: all produced so far", zh: "无复用：截至该步累计产生" }
        TotalChartLabel { en: "What there would be without reuse, over the same steps.", zh: "各执行步的无复用总量，执行步与上图相同。" }
        ReadoutTotal { en: "{0} · tensors {1}", zh: "{0} · 张量 {1}" }
        WindowLabel { en: "Steps that the charts show", zh: "图中显示的执行步范围" }
        WindowText { en: "${0} … ${1} · {2} of {3} steps", zh: "${0} … ${1} · {2}/{3} 步" }
        ZoomAll { en: "Show all", zh: "显示全部" }
        ZoomHint { en: "Wheel zooms, dragging moves, Shift and dragging zooms in; ? shows all keys.", zh: "滚轮缩放，拖动平移，按住 Shift 拖动框选放大；按 ? 查看全部按键。" }
        CompareLabel { en: "Lay another plan over this one", zh: "叠加另一个规划" }
        CompareNone { en: "Compare with…", zh: "对比…" }
        AlignLabel { en: "How the steps are aligned", zh: "执行步的对齐方式" }
        AlignScaled { en: "stretched", zh: "按比例拉伸" }
        AlignByName { en: "by node name", zh: "按节点名对齐" }
        CompareTitle { en: "Side by side", zh: "并排对比" }
        ColFact { en: "Number", zh: "数值" }
        ColDifference { en: "Difference", zh: "差值" }
        PeakStep { en: "Step of the peak", zh: "峰值所在步" }

        // Capacity
        CapacityLabel { en: "Capacity", zh: "设备容量" }
        CapacityHint { en: "Device memory that is there for the graph, in GB", zh: "可供该图使用的设备内存（GB）" }
        CapacityNone { en: "Enter what a card has for the graph to see whether the plan fits. Of 32 GB usually 27 to 29 can be used, of 64 GB 54 to 59.", zh: "输入单卡可用内存，查看规划是否放得下。32 GB 卡通常可用 27 至 29 GB，64 GB 卡可用 54 至 59 GB。" }
        CapacityWrong { en: "This is no number of GB.", zh: "这不是有效的 GB 数值。" }
        CapacityLeaves { en: "Not in the plan: communication buffers, fragments of the pool, other graphs.", zh: "规划不含：通信缓冲区、内存池碎片、其他计算图。" }
        Fits { en: "fits, {0} left", zh: "放得下，余 {0}" }
        FitsAtLeast { en: "the peak fits, {0} left", zh: "峰值放得下，余 {0}" }
        Over { en: "over by {0}", zh: "超出 {0}" }
        NeedPlanned { en: "Planned total and static memory need {0}.", zh: "规划总量与静态内存共需 {0}。" }
        NeedPeak { en: "The peak needs {0}; there is no planned total yet.", zh: "峰值需要 {0}；尚无规划总量。" }

        // By layer and operator
        GroupsTitle { en: "Where the memory goes at ${0}", zh: "${0} 处的内存分布" }
        GroupDynamic { en: "Dynamic: tensors alive", zh: "动态：存活张量" }
        GroupStatic { en: "Static: parameters", zh: "静态：参数" }
        ByLayer { en: "By layer", zh: "按层" }
        ByOperator { en: "By operator", zh: "按算子" }
        ByType { en: "By type", zh: "按张量类型" }
        ShortNames { en: "The names of this dump have no layers: grouped by operator.", zh: "该文件中的名称不含层级，因此按算子分组。" }
        IcicleLabel { en: "Share of each group; the list below tells the same.", zh: "各组所占比例；下方列表内容相同。" }
        TreeLabel { en: "Groups, largest first. Enter narrows to a group.", zh: "分组，按大小降序。回车键可限定到某一组。" }
        ColGroup { en: "Group", zh: "分组" }
        ColBytes { en: "Bytes", zh: "字节" }
        ColShare { en: "Share", zh: "占比" }
        ColPieces { en: "Pieces", zh: "个数" }
        ChipLayer { en: "Layer: {0}", zh: "层：{0}" }
        ChipOperator { en: "Operator: {0}", zh: "算子：{0}" }
        ChipType { en: "Type: {0}", zh: "类型：{0}" }
        Widen { en: "No longer narrow to “{0}”", zh: "取消限定“{0}”" }

        // The memory map
        TabMap { en: "Map", zh: "内存图" }
        MapLabel { en: "Memory map: a box a tensor, steps across, addresses up. W A S D zoom and move, F shows all; the table of tensors tells the same.", zh: "内存图：横向为执行步，纵向为地址。W A S D 缩放与平移，F 显示全部；张量表格内容相同。" }
        MapKey { en: "Colour by", zh: "着色依据" }
        MapSize { en: "Aligned size", zh: "对齐大小" }
        MapOne { en: "One colour", zh: "单一颜色" }
        MapAllAlike { en: "all tensors", zh: "全部张量" }
        MapRest { en: "the rest", zh: "其余" }
        MapOutline { en: "Outline", zh: "描边" }
        MapHazards { en: "Hazards", zh: "冲突" }
        MapBack { en: "Back to the zoom before", zh: "上一个缩放" }
        MapForward { en: "Forward to the zoom after", zh: "下一个缩放" }
        MapPeak { en: "To peak", zh: "转到峰值" }
        MapSelection { en: "To selection", zh: "转到所选" }
        MapHazard { en: "To hazard", zh: "转到冲突" }
        MapCapacity { en: "Capacity − static", zh: "容量 − 静态" }
        MapFree { en: "Free", zh: "空闲" }
        MapHoles { en: "${0}: holes {1}, {2} free, the largest {3}", zh: "${0}：{1} 个空洞，空闲 {2}，最大 {3}" }
        MapNothing { en: "No tensor with bytes has an address, so there is no map.", zh: "没有占用字节且有地址的张量，因此没有内存图。" }
        MapSummary { en: "Pieces of memory: {0}, steps: {1}. The plan reserves {2}; at most {3} are held at one step.", zh: "{1} 个执行步中共 {0} 块内存。规划预留 {2}，单步最多占用 {3}。" }
        MapParameters { en: "{0} parameters lie outside, from {1} to {2} on the device.", zh: "{0} 个参数位于规划之外，设备地址从 {1} 到 {2}。" }
        MapAsTable { en: "As a table", zh: "以表格查看" }
        MapHint { en: "Wheel zooms, dragging moves, Shift and dragging zooms in; Ctrl keeps to the steps, Alt to the bytes.", zh: "滚轮缩放，拖动平移，按住 Shift 拖动框选放大；Ctrl 仅作用于执行步，Alt 仅作用于地址。" }

        // Tables and cards
        TabOverview { en: "Overview", zh: "概览" }
        AliveTitle { en: "Alive at ${0}", zh: "${0} 处的存活张量" }
        TabTensors { en: "Tensors", zh: "张量" }
        TabNodes { en: "Nodes", zh: "节点" }
        TabParameters { en: "Parameters", zh: "参数" }
        TabSafety { en: "Safety", zh: "安全性" }
        FindingsTitle { en: "Findings", zh: "发现" }
        FindingOne { en: "{0} finding", zh: "{0} 条发现" }
        FindingMany { en: "{0} findings", zh: "{0} 条发现" }
        NoFindings { en: "Nothing was found.", zh: "没有发现问题。" }
        OverlapsTitle { en: "Tensors on these bytes", zh: "这些字节上的张量" }
        PairPicture { en: "The two tensors over steps and addresses, their nodes below; the words beside tell the same.", zh: "两个张量在步与地址上的位置，下方为相关节点；旁边的文字内容相同。" }
        OverlapMap { en: "Tensors on the same bytes over steps and addresses; the table below tells the same.", zh: "相同字节上的张量在步与地址上的位置；下方表格内容相同。" }
        RowsOf { en: "{0} of {1}", zh: "{1}中的 {0} 个" }
        SumTells { en: "{0}: the sum of the rows. Tensors that share one piece of memory count once.", zh: "{0}：各行之和。共用同一块内存的张量只计一次。" }
        NoRows { en: "No row matches.", zh: "没有符合条件的行。" }
        FilterLabel { en: "Filter rows by id, name, type or lifelong kind", zh: "按编号、名称、类型或 Lifelong 筛选" }
        FilterHint { en: "Filter: id, name, type", zh: "筛选：编号、名称、类型" }
        ColumnsMenu { en: "Columns", zh: "列" }
        PresetLargest { en: "largest", zh: "最大" }
        PresetLongest { en: "longest-lived", zh: "存活最久" }
        PresetBoth { en: "largest and longest-lived", zh: "又大又久" }
        PresetPadding { en: "most padding", zh: "填充最多" }
        PresetOrder { en: "in execution order", zh: "按执行顺序" }
        PresetMostAlive { en: "most alive", zh: "存活最多" }
        PresetMostWorkspaces { en: "most workspaces", zh: "工作区最多" }
        PresetMostRead { en: "most read", zh: "被读最多" }
        ColNode { en: "Node", zh: "节点" }
        ColParameter { en: "Parameter", zh: "参数" }
        ColName { en: "Name", zh: "名称" }
        ColOperator { en: "Operator", zh: "算子" }
        ColOpId { en: "Op id", zh: "算子编号" }
        ColStream { en: "Stream", zh: "流" }
        ColSize { en: "Size", zh: "大小" }
        ColPadding { en: "Padding", zh: "填充" }
        ColStart { en: "Start", zh: "起始地址" }
        ColEnd { en: "End", zh: "结束地址" }
        ColSourceStep { en: "Source", zh: "来源步" }
        ColOutput { en: "Output", zh: "输出序号" }
        ColSpan { en: "Span", zh: "跨度" }
        ColSizeSpan { en: "Size × span", zh: "大小 × 跨度" }
        ColReaders { en: "Readers", zh: "读取者" }
        ColInputs { en: "Inputs", zh: "输入" }
        ColOutputs { en: "Outputs", zh: "输出" }
        ColWorkspaces { en: "Workspaces", zh: "工作区" }
        ColAlive { en: "Alive", zh: "存活" }
        ColInUse { en: "In use", zh: "占用" }
        ColTotalTensor { en: "Produced", zh: "累计产生" }
        ColTotal { en: "With static", zh: "累计含静态" }
        ColTensors { en: "What", zh: "对象" }
        ColFinding { en: "Kind", zh: "类别" }
        ColCollision { en: "Collision", zh: "冲突方式" }
        ColRule { en: "Rule", zh: "规则" }
        ColShared { en: "Shared", zh: "共用字节" }
        ColAgainst { en: "Against", zh: "对方节点" }
        ColNote { en: "Nodes", zh: "节点名" }
        ColWhy { en: "Why", zh: "原因" }
        ColWith { en: "Against", zh: "对比张量" }
        ExCollision { en: "waw: both write, unordered. raw: read after the other was written over it. war: written over before a reader is known to be done", zh: "waw：两次写入无先后；raw：被覆盖后才读取；war：读取者未必完成就被覆盖" }
        ExRule { en: "order: live ranges meet. dependency: apart in execution order, but nothing orders them", zh: "order：生命周期相交；dependency：按执行顺序错开，但没有确定的先后" }
        ExPadding { en: "Aligned − original size", zh: "对齐大小 − 原始大小" }
        ExSpan { en: "Steps alive, widened by the lifelong kind", zh: "存活的执行步数（计入 Lifelong）" }
        ExSizeSpan { en: "Aligned size × steps alive, in bytes × steps ($): what it keeps from others", zh: "对齐大小 × 存活步数，单位为字节 × 步（$）：它占住的内存" }
        ExAddress { en: "As the dump shows it: offset in the block, or address where the base is known", zh: "按文件所示：内存块内偏移，或已知基址时的地址" }
        ExLife { en: "As the dump prints it; both ends belong to the life", zh: "按文件所示；首尾两步均包含在内" }
        ExOutput { en: "Which output (or workspace) of its source node it is", zh: "来源节点的第几个输出（或工作区）" }

        // The side panel
        TitleNode { en: "Node {0}", zh: "节点 {0}" }
        TitleTensor { en: "Tensor {0}", zh: "张量 {0}" }
        TitleParameter { en: "Parameter {0}", zh: "参数 {0}" }
        NoSuchThing { en: "This plan has nothing of that id.", zh: "该规划中没有这个编号。" }
        AndMore { en: "and {0} more", zh: "另有 {0} 个" }
        LifeOf { en: " · span {0}", zh: " · 跨度 {0}" }
        SelBytes { en: "Bytes", zh: "字节范围" }
        SelTrueOffset { en: "True offset", zh: "真实偏移" }
        SelReaders { en: "Read by", zh: "读取者" }
        SelMates { en: "Shares its memory with (union)", zh: "共用内存（union）" }
        SelContiguous { en: "Contiguous list, in order", zh: "连续内存列表（按序）" }
        SelBefore { en: "Last on its bytes before", zh: "此前最后占用这些字节" }
        SelAfter { en: "First on its bytes after", zh: "此后最先占用这些字节" }
        NobodyBefore { en: "Nobody: it is the first there.", zh: "无：它是第一个。" }
        NobodyAfter { en: "Nobody: it is the last there.", zh: "无：它是最后一个。" }
        SelOrderAfter { en: "Must wait for (order edges)", zh: "必须等待（顺序边）" }
        SelOrderBefore { en: "Is waited for by (order edges)", zh: "被等待（顺序边）" }
        TagCommunication { en: "communication", zh: "通信" }
        TagClean { en: "only zeroes its inputs", zh: "仅将输入清零" }
        TagRepeated { en: "repeats an earlier node", zh: "重复之前的节点" }

        // Search
        SearchLabel { en: "Search, or paste an error message", zh: "搜索，或粘贴报错信息" }
        SearchHint { en: "Node, %62T, $12, 0x… or pasted error", zh: "节点、%62T、$12、0x… 或粘贴报错" }
        HitsLabel { en: "What it may mean", zh: "匹配结果" }
        NoHits { en: "This plan has nothing like it.", zh: "该规划中没有匹配项。" }
        NearHits { en: "Nothing is called so. Near it:", zh: "没有完全匹配。相近的有：" }
        MoreHits { en: "{0} names match; the first are shown.", zh: "共 {0} 个名称匹配，仅显示前面的。" }
        HitNode { en: "node", zh: "节点" }
        HitTensor { en: "tensor", zh: "张量" }
        HitParameter { en: "parameter", zh: "参数" }
        HitAddress { en: "address", zh: "地址" }
        HitRange { en: "range", zh: "地址范围" }
        HitOwner { en: "1 tensor over time", zh: "先后 1 个张量" }
        HitOwners { en: "{0} tensors over time", zh: "先后 {0} 个张量" }

        // Addresses
        TitleAddress { en: "Address {0}", zh: "地址 {0}" }
        TitleRange { en: "Range {0}", zh: "地址范围 {0}" }
        AddressesTitle { en: "Addresses and tasks", zh: "地址与任务" }
        BaseLabel { en: "Base", zh: "基址" }
        BaseHint { en: "Where offset 0 lies on the device (hex or decimal); empty leaves it to the files", zh: "偏移 0 在设备上的地址（十六进制或十进制）；留空则由文件决定" }
        BaseGiven { en: "as entered", zh: "手动输入" }
        BaseOfTasks { en: "from task info", zh: "来自任务信息" }
        BaseOfDump { en: "from the dump", zh: "来自文件" }
        BaseUnknown { en: "unknown: addresses are offsets", zh: "未知：地址即偏移" }
        BaseWrong { en: "not an address", zh: "不是有效地址" }
        SelOffset { en: "Offset in the plan", zh: "规划内偏移" }
        SelTaskAddress { en: "Used by its task", zh: "任务实际使用" }
        SelSharing { en: "Share bytes with it", zh: "与其共用字节" }
        SelAlsoUsed { en: "Also listed by", zh: "另见于节点" }
        SelTask { en: "Addresses its task used", zh: "其任务使用的地址" }
        TaskOf { en: "tasks {0}, stream {1}", zh: "任务数 {0}，流 {1}" }
        TaskInput { en: "input {0}", zh: "输入 {0}" }
        TaskOutput { en: "output {0}", zh: "输出 {0}" }
        TaskWorkspace { en: "workspace {0}", zh: "工作区 {0}" }
        Outside { en: "Outside the plan: {0} behind its end, {1}.", zh: "在规划之外：位于规划末尾 {1} 之后 {0}。" }
        OutsideBelow { en: "Outside the plan: {0} below its beginning, {1}.", zh: "在规划之外：位于规划起点 {1} 之前 {0}。" }
        OwnersTitle { en: "Owners, in the order of time", zh: "占用者（按时间顺序）" }
        OwnersNone { en: "No tensor ever has a byte here.", zh: "从未有张量占用这里。" }
        StageAddresses { en: "An early stage: nothing has an address yet.", zh: "早期阶段：尚未分配地址。" }
        FreeSteps { en: "nobody, {0}", zh: "无人占用，{0}" }
        WrittenBy { en: "written by", zh: "写入" }
        ReadByOne { en: "read by", zh: "读取" }
        ReadByMany { en: "{0} read it, first and last", zh: "共 {0} 个读取，首末为" }
        ReadByNone { en: "read by nobody", zh: "无读取者" }
        ParametersThere { en: "Parameters there", zh: "该处的参数" }
        TasksJoined { en: "{0} of {1} records joined", zh: "{1} 条记录中关联了 {0} 条" }
        TasksParameters { en: "Parameters with an address", zh: "已知地址的参数" }
        TasksSpan { en: "Addresses used", zh: "使用的地址" }
        TasksAgree { en: "Tasks and plan agree.", zh: "任务与规划一致。" }
        TasksFindings { en: "Tasks and plan differ ({0})", zh: "任务与规划不一致（{0}）" }
        TasksUnjoined { en: "Not joined: as many nodes as records would be needed", zh: "未关联：节点数与记录数不等" }
        TasksUnjoinedRow { en: "{0} nodes, {1} records", zh: "{0} 个节点，{1} 条记录" }

        // Messages about memory
        OomDevice { en: "Device memory ran out while the graph ran", zh: "计算图执行时设备内存不足" }
        OomDeviceText { en: "The plan tells what was alive at that node and what the graph needs at most.", zh: "规划能说明该节点处的存活张量以及整图的最大需求。" }
        OomPool { en: "The device refused the memory that is reserved at the start", zh: "设备拒绝了启动时预留的内存" }
        OomPoolText { en: "Nothing of the plan was placed yet: the size is that of the whole pool (`max_device_memory` or its preset, often 30 GB), not of a tensor. Reserve less, or free the card.", zh: "此时规划尚未落位：这是整个内存池的大小（`max_device_memory` 或其预设值，常为 30 GB），并非张量。请减小该值或释放设备。" }
        OomBusy { en: "Another process holds memory of this device", zh: "设备内存被其他进程占用" }
        OomBusyText { en: "The plan is not the cause. `npu-smi info` and `ps -ef | grep python` show who holds it.", zh: "原因不在规划。可用 `npu-smi info` 和 `ps -ef | grep python` 查看占用者。" }
        OomHost { en: "Host memory ran out, not device memory", zh: "主机内存不足，而非设备内存" }
        OomHostText { en: "Pinned buffers of the data pipeline and compiling take host memory; the plan is about the device and says nothing about it.", zh: "数据处理的锁页缓冲区和编译占用主机内存；规划只涉及设备内存，与此无关。" }
        OomLog { en: "A line of a log", zh: "一行日志" }
        OomLogText { en: "What it names is selected, its sizes are lines in the chart.", zh: "已选中其中提到的节点，其数值显示为图中的线。" }
        OomTotal { en: "total {0}", zh: "总量 {0}" }
        OomUsed { en: "used {0}", zh: "已用 {0}" }
        OomRequested { en: "requested {0}", zh: "申请 {0}" }
        OomBase { en: "pool begins at {0}", zh: "内存池起始于 {0}" }
        OomGiant { en: "A single giant tensor: the request alone is more than half of the peak ({0}). Look for an extra large shape before anything else.", zh: "单个超大张量：仅这一次申请就超过峰值（{0}）的一半。请先检查是否有异常大的 shape。" }
        OomAt { en: "At node", zh: "节点" }
        OomNoNode { en: "This plan has no node {0}. Near it:", zh: "该规划中没有节点 {0}。相近的有：" }
        OomNoNodeAtAll { en: "This plan has no node {0}, nor one like it: the message may be about another graph.", zh: "该规划中没有节点 {0}，也没有相近的：该信息可能来自另一个图。" }
        OomSized { en: "Tensors of the size requested", zh: "大小与申请相同的张量" }
        OomNoPlan { en: "Open the plan of the graph to see what was alive there.", zh: "打开该图的规划文件即可查看当时的存活张量。" }

        // Keys
        KeysTitle { en: "Keys", zh: "按键" }
        KeysMap { en: "On the map: zoom and move, show all, back and forward through zooms; Shift and W or S zoom the steps only, Alt and W or S the bytes only", zh: "内存图上：缩放与平移、显示全部、在缩放历史中后退与前进；Shift + W / S 仅缩放执行步，Alt + W / S 仅缩放地址" }
        KeysTabs { en: "Overview, map, tensors, nodes, parameters, safety", zh: "概览、内存图、张量、节点、参数、安全性" }
        KeysSearch { en: "Search", zh: "搜索" }
        KeysFilter { en: "Filter the table", zh: "筛选表格" }
        KeysStep { en: "On the chart: another step; with Shift ten at once", zh: "图上：移动执行步；按住 Shift 一次十步" }
        KeysZoom { en: "On the chart and the strip: zoom in, zoom out, show all", zh: "图上与缩略条上：放大、缩小、显示全部" }
        KeysPan { en: "On the chart and the strip: move the window", zh: "图上与缩略条上：平移窗口" }
        KeysRows { en: "In a table: move, select", zh: "表格中：移动、选中" }
        KeysEscape { en: "Close what is open", zh: "关闭打开的内容" }
        KeysHelp { en: "This list", zh: "显示本列表" }
        Close { en: "Close", zh: "关闭" }

        AliveNone { en: "No tensor with bytes is alive at this step.", zh: "该步没有占用内存的存活张量。" }
        ColTensor { en: "Tensor", zh: "张量" }
        ColAligned { en: "Aligned", zh: "对齐大小" }
        ColOriginal { en: "Original", zh: "原始大小" }
        ColFirst { en: "From", zh: "起始步" }
        ColLast { en: "To", zh: "结束步" }
        ColType { en: "Type", zh: "类型" }
        ColLifelong { en: "Lifelong", zh: "Lifelong" }
        ColSource { en: "Source node", zh: "来源节点" }
        WithMate { en: "with %{0}T", zh: "同 %{0}T" }
        CountedWith { en: "one piece of memory with %{0}T, counted there", zh: "与 %{0}T 共用同一块内存，已在该处计入" }
        SelectedStep { en: "Step ${0}", zh: "执行步 ${0}" }
        IsPeak { en: "the peak", zh: "峰值" }
        GoToPeak { en: "Go to the peak", zh: "转到峰值" }
        SelAliveTensors { en: "Tensors alive", zh: "存活张量数" }
        SelBelowPeak { en: "Against the peak", zh: "与峰值相差" }
        SelTotal { en: "Produced so far", zh: "截至此步累计产生" }
        NumbersTitle { en: "Numbers", zh: "数值" }
        NumMaxAlive { en: "Peak alive", zh: "存活峰值" }
        NumTotalTensor { en: "Without reuse", zh: "无复用总量" }
        NumMaxEnd { en: "Highest end", zh: "最高结束地址" }
        NumMaxEndLifelong { en: "Highest end without lifelong", zh: "最高结束地址（不计 Lifelong）" }
        NumWaste { en: "Alignment waste, all tensors", zh: "对齐浪费（全部）" }
        NumWastePeak { en: "Alignment waste at the peak", zh: "对齐浪费（峰值处）" }
        NumFile { en: "File size", zh: "文件大小" }
        CountsTitle { en: "Counts", zh: "数量" }
        CountControl { en: "Control tensors", zh: "控制张量" }
        CountStreams { en: "Streams", zh: "流" }
        CountUnions { en: "Union groups", zh: "Union 组" }
        CountContiguous { en: "Contiguous lists", zh: "连续内存列表" }
        CountContiguousProcessed { en: "Contiguous lists that bind", zh: "生效的连续内存列表" }
        CountGroups { en: "Stream groups", zh: "流组" }
        CountBlocks { en: "Merged blocks", zh: "合并内存块" }
        CountZero { en: "Tensors without bytes", zh: "大小为零的张量" }
        CountByType { en: "Tensors by type", zh: "按类型统计张量" }
        CountByLifelong { en: "Tensors by lifelong kind", zh: "按 Lifelong 统计张量" }
        SiblingsTitle { en: "Files of the same graph", zh: "同一计算图的其他文件" }
        StageOption { en: "{0} (early stage)", zh: "{0}（早期阶段）" }
    }
}

/// Whether every `data-text="…"` and `data-label="…"` of the page's skeleton is a key of [`Word`]:
/// a key that is not there does not compile.
const _: () = assert!(
    all_known(include_bytes!("../../../index.html")),
    "index.html asks for a word that the catalogue does not have"
);

const fn all_known(html: &[u8]) -> bool {
    let mut at = 0;
    while at < html.len() {
        let key = if starts_at(html, at, b" data-text=\"") {
            at + b" data-text=\"".len()
        } else if starts_at(html, at, b" data-label=\"") {
            at + b" data-label=\"".len()
        } else {
            at += 1;
            continue;
        };
        if !is_name(html, key) {
            return false;
        }
        at = key;
    }
    true
}

const fn is_name(html: &[u8], key: usize) -> bool {
    let mut i = 0;
    while i < Word::NAMES.len() {
        let name = Word::NAMES[i].as_bytes();
        if starts_at(html, key, name) && starts_at(html, key + name.len(), b"\"") {
            return true;
        }
        i += 1;
    }
    false
}

const fn starts_at(text: &[u8], at: usize, what: &[u8]) -> bool {
    if text.len() < at + what.len() {
        return false;
    }
    let mut i = 0;
    while i < what.len() {
        if text[at + i] != what[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::Lang;

    #[test]
    fn an_unknown_key_is_seen() {
        assert!(all_known(
            b"<p data-text=\"Open\"></p><i data-label=\"Cancel\">"
        ));
        assert!(!all_known(b"<p data-text=\"Opem\"></p>"));
        assert!(!all_known(b"<p data-label=\"Ope\"></p>"));
        assert!(!all_known(b"<p data-text=\"Open"));
    }

    #[test]
    fn both_languages_have_the_same_places() {
        for word in Word::ALL {
            for place in ["{0}", "{1}", "{2}"] {
                let (en, zh) = (word.text(Lang::En), word.text(Lang::Zh));
                assert_eq!(en.contains(place), zh.contains(place), "{word:?} {place}");
            }
        }
    }
}
