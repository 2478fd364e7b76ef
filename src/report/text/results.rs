//! Words of the result files and of questions. Files are written in English whatever the language
//! of the terminal is, so that they are the same everywhere.

use super::{catalogue, fill, Lang};

catalogue! {
    /// Why a question has no answer.
    pub enum Ask {
        UnknownNode { en: "no node is called `{0}`", zh: "没有名为 `{0}` 的节点" }
        AmbiguousNode { en: "several nodes are called `{0}`; ask for one by its full name or its number", zh: "有多个名为 `{0}` 的节点；请用全名或编号指定" }
        UnknownTensor { en: "there is no tensor `{0}`", zh: "没有张量 `{0}`" }
        BadAddress { en: "`{0}` is no address; write it as `0x108800000000` or in decimal", zh: "`{0}` 不是地址；请写成 `0x108800000000` 或十进制" }
        BadRange { en: "`{0}` is no range of addresses; write it as `A-B` with A below B, each as `0x108800000000` or in decimal", zh: "`{0}` 不是地址区间；请写成 `A-B` 且 A 小于 B，两端用 `0x108800000000` 或十进制" }
        Near { en: "near names:", zh: "相近的名称：" }
        Several { en: "these are:", zh: "它们是：" }
    }
}

/// A sentence about a question.
pub fn ask(key: Ask, typed: &str, lang: Lang) -> String {
    fill(key.text(lang), &[typed])
}

/// What stands above the names that follow.
pub fn ask_near(several: bool, lang: Lang) -> &'static str {
    if several { Ask::Several } else { Ask::Near }.text(lang)
}

catalogue! {
    /// Lines of `MemoryAnalyze.log` and of the terminal's list of findings.
    pub enum Log {
        File { en: "read {0}: {1}, generation {2}, device {3}, {4} nodes, {5} tensors, {6} parameters", zh: "已读取 {0}：{1}，代际 {2}，设备 {3}，{4} 个节点，{5} 个张量，{6} 个参数" }
        TaskFile { en: "read {0}: task info, {1} records, {2} joined to nodes", zh: "已读取 {0}：任务信息，{1} 条记录，{2} 条与节点对应" }
        LogFile { en: "read {0}: offline log, lifelong kinds of {1} tensors taken from it", zh: "已读取 {0}：离线日志，取用 {1} 个张量的 lifelong 类型" }
        RelationFile { en: "read {0}: conflict matrix", zh: "已读取 {0}：冲突矩阵" }
        SizesFile { en: "read {0}: sizes from before the solver ran, for the conflict matrix", zh: "已读取 {0}：求解前的大小，用于冲突矩阵" }
        LogWouldTell { en: "GraphStart and GraphEnd are printed as 0 in this generation: the offline log, somas_offline_log_<graph>.ir, would tell them", zh: "此代际把 GraphStart 与 GraphEnd 印为 0：离线日志 somas_offline_log_<图号>.ir 可给出" }
        MatrixAgrees { en: "conflict matrix: {0} rows, {1} cells compared, no difference", zh: "冲突矩阵：{0} 行，已比较 {1} 格，一致" }
        MatrixDiffers { en: "conflict matrix: {0} rows, {1} cells compared, {2} differ", zh: "冲突矩阵：{0} 行，已比较 {1} 格，{2} 格不同" }
        MatrixNotDecidable { en: "  {0} cells cannot be decided from the final plan; the dump of before the solver ran, somas_pre_processed_info, would tell", zh: "  {0} 格无法由最终规划判定；求解前的转储 somas_pre_processed_info 可给出" }
        MatrixReading { en: "  GraphStart and GraphEnd are read as the release did: {0}", zh: "  GraphStart 与 GraphEnd 按该版本的方式读取：{0}" }
        MatrixMayShare { en: "  row %{0}T, column %{1}T: may share in the file, not by the rule", zh: "  行 %{0}T，列 %{1}T：文件中可共用，按规则不可" }
        MatrixConflict { en: "  row %{0}T, column %{1}T: must not share in the file, may by the rule", zh: "  行 %{0}T，列 %{1}T：文件中不可共用，按规则可以" }
        OtherFile { en: "read {0}: {1}, nothing taken from it", zh: "已读取 {0}：{1}，未取用内容" }
        BaseGiven { en: "base {0}: as given", zh: "基址 {0}：由参数给出" }
        BaseTasks { en: "base {0}: from task info, the value most tensors agree on", zh: "基址 {0}：来自任务信息，取多数张量一致的值" }
        BaseDump { en: "base {0}: as the dump prints it", zh: "基址 {0}：来自转储文件" }
        BaseNothing { en: "base unknown: addresses are offsets from the start of the plan", zh: "基址未知：地址为相对规划起点的偏移" }
        BaseDiffers { en: "base {0}: the tasks agree on {1}", zh: "基址 {0}：任务信息一致的值为 {1}" }
        Incomplete { en: "incomplete: {0} unread lines; every number is without them", zh: "不完整：{0} 行未读；所有数字均不包含这些行" }
        Checks { en: "checks", zh: "检查" }
        StageUnchecked { en: "safety: undecided, an early stage has no addresses", zh: "安全性：无法判定，早期阶段没有地址" }
        PartUnchecked { en: "safety: undecided, parts of the file could not be read", zh: "安全性：无法判定，文件有部分无法读取" }
        CycleUnchecked { en: "safety: undecided, order edges lead from later nodes to earlier ones", zh: "安全性：无法判定，存在由后面节点指向前面节点的顺序边" }
        Safe { en: "safety: safe, no two tensors that are needed at the same time share bytes", zh: "安全性：安全，没有同时需要的两个张量共用字节" }
        Hazards { en: "safety: hazards, {0} pairs of tensors share bytes although both may be needed at once; {1} of them are alive together in execution order", zh: "安全性：有冲突，{0} 对张量可能同时需要却共用字节；其中 {1} 对按执行顺序同时存活" }
        HazardsAtLeast { en: "safety: hazards, at least {0} pairs of tensors share bytes although both may be needed at once; {1} of them are alive together in execution order", zh: "安全性：有冲突，至少 {0} 对张量可能同时需要却共用字节；其中 {1} 对按执行顺序同时存活" }
        Item { en: "  {0}: {1}", zh: "  {0}：{1}" }
        PlanAgrees { en: "plan against itself: no contradiction", zh: "规划自身：没有矛盾" }
        PlanFindings { en: "plan against itself: {0} contradictions", zh: "规划自身：{0} 处矛盾" }
        PlanUnchecked { en: "plan against itself: not checked, parts of the file could not be read", zh: "规划自身：未检查，文件有部分无法读取" }
        NeverRead { en: "never read (for information): {0} placed outputs", zh: "从未读取（仅供参考）：{0} 个已放置的输出" }
        MorePairs { en: "  … and {0} more pairs", zh: "  ……另有 {0} 对" }
        MoreErrorFiles { en: "  {0} more overwritten tensors have no file of their own", zh: "  另有 {0} 个被覆盖的张量没有单独的文件" }
        TasksUnchecked { en: "plan against tasks: not checked, no task info", zh: "规划与任务对照：未检查，没有任务信息" }
        TasksAgree { en: "plan against tasks: no mismatch", zh: "规划与任务对照：一致" }
        TaskFindings { en: "plan against tasks: {0} mismatches", zh: "规划与任务对照：{0} 处不一致" }
        NotJoined { en: "  not joined, because a name stands for {0} nodes and {1} records: {2}", zh: "  未能对应，因为同一名称有 {0} 个节点和 {1} 条记录：{2}" }
        MoreFindings { en: "  … and {0} more mismatches", zh: "  ……另有 {0} 处不一致" }
        WrongAddress { en: "  wrong_address: {0} writes %{1}T at {2}, planned at {3}", zh: "  wrong_address：{0} 把 %{1}T 写到 {2}，规划为 {3}" }
        WrongInput { en: "  wrong_input: {0} reads %{1}T at {2}, planned at {3}", zh: "  wrong_input：{0} 从 {2} 读取 %{1}T，规划为 {3}" }
        OutsidePlan { en: "  outside_plan: {0} writes %{1}T at {2}, outside the plan; planned at {3}", zh: "  outside_plan：{0} 把 %{1}T 写到规划之外的 {2}，规划为 {3}" }
        Oversize { en: "  oversize: {0} writes {2} bytes to %{1}T, {3} are reserved", zh: "  oversize：{0} 向 %{1}T 写入 {2} 字节，仅预留 {3}" }
        SameAddress { en: "  same_address: {0} writes %{1}T at {2}, where another tensor that is alive begins; planned at {3}", zh: "  same_address：{0} 把 %{1}T 写到 {2}，另一个存活张量从此处开始；规划为 {3}" }
        MissingTask { en: "  missing_task: no record for {0}", zh: "  missing_task：{0} 没有任务记录" }
        ExtraTask { en: "  extra_task: no node for the record {0}", zh: "  extra_task：任务记录 {0} 没有对应节点" }
        CountDiffers { en: "  count_differs: the record of {0} lists {2} addresses where the node has {3}", zh: "  count_differs：{0} 的记录列出 {2} 个地址，节点应有 {3} 个" }
        TwoAddresses { en: "  parameter_two_addresses: {0} reads %{1}P at {2}, others at {3}", zh: "  parameter_two_addresses：{0} 从 {2} 读取 %{1}P，其他节点从 {3} 读取" }
        Messages { en: "errors and warnings: {0} errors, {1} warnings", zh: "错误与警告：{0} 个错误，{1} 个警告" }
        MoreMessages { en: "  … and {0} more", zh: "  ……另有 {0} 条" }
        Owner { en: "  steps {0} to {1}: %{2}T, written by {3}, {4}", zh: "  步骤 {0} 至 {1}：%{2}T，由 {3} 写入，{4}" }
        ReadByNone { en: "read by none", zh: "无人读取" }
        ReadByOne { en: "read by {0}", zh: "由 {0} 读取" }
        ReadByMany { en: "read by {0} nodes, {1} to {2}", zh: "由 {0} 个节点读取，从 {1} 至 {2}" }
        Free { en: "  steps {0} to {1}: free", zh: "  步骤 {0} 至 {1}：空闲" }
        ParameterThere { en: "  {0} to {1}: parameter %{2}P {3}", zh: "  {0} 至 {1}：参数 %{2}P {3}" }
        Behind { en: "  outside the plan, {0} bytes behind its end {1}", zh: "  在规划之外，位于末尾 {1} 之后 {0} 字节" }
        Below { en: "  outside the plan, {0} bytes below its beginning {1}", zh: "  在规划之外，位于起点 {1} 之前 {0} 字节" }
        Asked { en: "asked for {0} {1}: {2} tensors, {3} parameters", zh: "查询 {0} {1}：{2} 个张量，{3} 个参数" }
        Earlier { en: "files of earlier runs", zh: "此前运行的文件" }
        Manifest { en: "manifest", zh: "清单" }
    }
}

/// A line of the log.
pub fn log(key: Log, args: &[&str], lang: Lang) -> String {
    fill(key.text(lang), args)
}

catalogue! {
    /// Lines of `overview.txt`.
    pub enum Overview {
        Incomplete { en: "Incomplete: {0} unread lines", zh: "不完整：{0} 行未读" }
        Hbm { en: "MindSpore VM HBM Address Range {0}", zh: "MindSpore VM HBM 地址范围 {0}" }
        Task { en: "Task Tensor Address: {0}", zh: "任务张量地址：{0}" }
        Somas { en: "SOMAS Tensor Address: {0}", zh: "SOMAS 张量地址：{0}" }
        Parameter { en: "Parameter & ValueNode : {0}", zh: "参数与常量：{0}" }
        Static { en: "Graph Total Input Static Memory Size {0} ({1})", zh: "图输入静态内存总量 {0} ({1})" }
        InUse { en: "Max In Use Memory Node {0}, index {1}, Alive Tensor Size {2} ({3}), In Use Memory size: {4} ({5})", zh: "占用最大的节点 {0}，序号 {1}，存活张量大小 {2} ({3})，占用内存：{4} ({5})" }
        TotalUse { en: "Max Total Use Memory Size {0} ({1})", zh: "最大总占用内存 {0} ({1})" }
        TotalTensor { en: "Max Total Tensor Memory Size {0} ({1})", zh: "最大张量总内存 {0} ({1})" }
        MaxAddr { en: "Max Addr without LifeLong Tensor: {0}", zh: "不计 LifeLong 张量的最大地址：{0}" }
        MaxAddrOf { en: "Node {0}, Node Id {1}, Output Index {2}, End Address {3}", zh: "节点 {0}，节点编号 {1}，输出序号 {2}，结束地址 {3}" }
        Ratio { en: "Memory Reuse Ratio {0}", zh: "内存复用率 {0}" }
        MinMax { en: "Min {0}, Max {1}", zh: "最小 {0}，最大 {1}" }
        MinMaxSize { en: "Min {0}, Max {1}, Total Size {2}", zh: "最小 {0}，最大 {1}，总大小 {2}" }
        NoTasks { en: "unknown (no task info)", zh: "未知（没有任务信息）" }
        NoNodes { en: "unknown (no nodes)", zh: "未知（没有节点）" }
        NothingPlaced { en: "unknown (nothing placed)", zh: "未知（没有放置任何张量）" }
        EarlyStage { en: "unknown (early stage)", zh: "未知（早期阶段）" }
    }
}

catalogue! {
    /// Words of the charts among the files. Pictures are drawn in English with a small font: a
    /// letter that is new here must be drawn in `report/chart/glyphs.rs`.
    pub enum Chart {
        InUseMemory { en: "In Use Memory", zh: "占用内存" }
        AliveTensorSize { en: "Alive Tensor Size", zh: "存活张量大小" }
        TotalMemory { en: "Total Memory", zh: "总内存" }
        TotalTensorSize { en: "Total Tensor Size", zh: "张量总大小" }
        Steps { en: "step (execution order)", zh: "执行步（执行顺序）" }
        Incomplete { en: "incomplete: {0} unread lines", zh: "不完整：{0} 行未读" }
        PlannedTotal { en: "planned total", zh: "规划总量" }
        MaxAlive { en: "max alive", zh: "最大存活" }
        SizeUpTo { en: "up to {0}", zh: "不超过 {0}" }
        SizeMore { en: "more", zh: "更大" }
    }
}

/// A line of the overview file.
pub fn overview(key: Overview, args: &[&str]) -> String {
    fill(key.text(Lang::En), args)
}
