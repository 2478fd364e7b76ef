//! Words for what is wrong with a file, and for files that are no plan.

use super::{catalogue, fill, Lang};
use crate::parse::{Arg, Code, Diagnostic, Excerpt, FileKind, What};

catalogue! {
    /// The fact: what was expected and what was found.
    pub enum Fact {
        NotADump { en: "expected the start of a SOMAS dump, found `{0}`", zh: "此处应为 SOMAS 转储文件的开头，实际为 `{0}`" }
        NotThePlan { en: "expected a memory plan, found the {0} of a graph", zh: "应为内存规划，实际是某个图的{0}" }
        EmptyFile { en: "expected a SOMAS dump, found an empty file", zh: "应为 SOMAS 转储文件，实际是空文件" }
        GzDamaged { en: "expected whole gzip data, found a file that breaks off or is damaged", zh: "应为完整的 gzip 数据，实际文件中断或已损坏" }
        UnreadableField { en: "expected {0}, found `{1}`", zh: "应为{0}，实际为 `{1}`" }
        FieldCount { en: "expected {0} fields in a row of `{1}`, found {2}", zh: "`{1}` 的每一行应有 {0} 个字段，实际有 {2} 个" }
        RowCut { en: "expected {0} fields in a row of `{1}`, found {2} before the end of the file", zh: "`{1}` 的每一行应有 {0} 个字段，文件结束前只有 {2} 个" }
        UnknownLine { en: "expected a row of `{0}` or the next section, found `{1}`", zh: "应为 `{0}` 的一行或下一节的开头，实际为 `{1}`" }
        NoHeader { en: "expected the line that names the columns of `{0}`, found a row", zh: "应先有 `{0}` 的列名行，实际直接出现了数据行" }
        MissingColumn { en: "expected a column `{0}:` in the header of `{1}`, found none", zh: "`{1}` 的列名行应有 `{0}:` 一列，实际没有" }
        MissingSection { en: "expected a section `{0}` before the end of the file, found none", zh: "文件结束前应有 `{0}` 一节，实际没有" }
        LastCopyCut { en: "expected a section `{0}` in the last copy of the dump in this file, found none", zh: "此文件中最后一份转储应有 `{0}` 一节，实际没有" }
        ReversedLife { en: "expected life_end of %{0}T to be {1} or more (its life_start), found {2}", zh: "%{0}T 的 life_end 应不小于 {1}（其 life_start），实际为 {2}" }
        NumberTooLarge { en: "expected {0} that fits its range, found `{1}`", zh: "应为取值范围内的{0}，实际为 `{1}`" }
        SumTooLarge { en: "expected sizes that add up to less than 2^63 bytes, found more", zh: "各项大小之和应小于 2^63 字节，实际更大" }
        TooManyRows { en: "expected fewer than 2^31 rows and 4 GiB of names in `{0}`, found more", zh: "`{0}` 应少于 2^31 行且名称总长小于 4 GiB，实际更多" }
        UnknownSection { en: "the section `{0}` is not known and was skipped", zh: "不认识 `{0}` 一节，已跳过" }
        UnknownReference { en: "expected something that the dump lists, found `{0}`; the last one listed is `{1}`", zh: "应引用转储中列出的对象，实际为 `{0}`；列出的最后一个是 `{1}`" }
        DuplicateId { en: "the id {0} appears a second time; the first row counts", zh: "编号 {0} 第二次出现；以第一行为准" }
        TotalDiffers { en: "the dump states a total of {0} bytes, but %{1}T ends at byte {2} (line {3})", zh: "转储写明的总量为 {0} 字节，但 %{1}T 结束于第 {2} 字节（第 {3} 行）" }
        Misaligned { en: "%{0}T lies at offset {1} with aligned size {2}; both should be multiples of 512", zh: "%{0}T 的偏移为 {1}、对齐大小为 {2}；二者应为 512 的倍数" }
        LifeBeyondGraph { en: "the lifetime of %{0}T ends at step {1}, but the last node is ${2}", zh: "%{0}T 的生命周期结束于第 {1} 步，但最后一个节点是 ${2}" }
        NoSource { en: "no node lists %{0}T as an output or a workspace", zh: "没有节点把 %{0}T 列为输出或工作区" }
        WrittenTwice { en: "%{0}T is listed as their own by both ${1} and ${2}", zh: "%{0}T 同时被 ${1} 和 ${2} 列为自己的张量" }
        NameDiffers { en: "the node of step {0} is called `{1}` here and `{2}` elsewhere", zh: "第 {0} 步的节点在此处名为 `{1}`，在别处名为 `{2}`" }
        ControlDiffers { en: "the row of control tensor %{0}CT and the lists of node ${1} do not agree", zh: "控制张量 %{0}CT 所在行与节点 ${1} 的列表不一致" }
        MissingNode { en: "the node numbers have a hole: ${0} is missing", zh: "节点编号有空缺：缺少 ${0}" }
        UnknownLifelong { en: "the lifelong word `{0}` is not known and is taken for LifeLongNone", zh: "不认识 lifelong 取值 `{0}`，按 LifeLongNone 处理" }
        AddressDiffers { en: "the address of %{0}T is {1}, but its offset puts it at {2}", zh: "%{0}T 的地址为 {1}，但按其偏移应为 {2}" }
        GapWithoutList { en: "the guard tensor %{0}T belongs to no communication list; it is taken as alive throughout", zh: "保护张量 %{0}T 不属于任何通信列表；按全程存活处理" }
    }
}

catalogue! {
    /// What to do, or what probably happened.
    pub enum Hint {
        NotADump { en: "plan dumps start with `All Parameters:` or `All Tensors:`; look for `*_somas_tensor_offset_<graph>.ir` (1.9 and later), `somas_allocate_info_<graph>.ir` (1.2 to 1.8) or `somas_after_allocate_<graph>.ir` (1.1) under the folder set as save_graphs_path", zh: "内存规划转储以 `All Parameters:` 或 `All Tensors:` 开头；请在 save_graphs_path 所设目录下查找 `*_somas_tensor_offset_<图号>.ir`（1.9 及以后）、`somas_allocate_info_<图号>.ir`（1.2 至 1.8）或 `somas_after_allocate_<图号>.ir`（1.1）" }
        NotThePlan { en: "open the plan of the same graph: `*_somas_tensor_offset_<graph>.ir` (1.9 and later), `somas_allocate_info_<graph>.ir` (1.2 to 1.8) or `somas_after_allocate_<graph>.ir` (1.1); files of the same run may be dropped together", zh: "请打开同一个图的规划文件：`*_somas_tensor_offset_<图号>.ir`（1.9 及以后）、`somas_allocate_info_<图号>.ir`（1.2 至 1.8）或 `somas_after_allocate_<图号>.ir`（1.1）；同一次运行的文件可以一起拖入" }
        EmptyFile { en: "the run may have been stopped before the file was written, or the disk was full", zh: "可能训练在写文件之前已停止，或磁盘已满" }
        GzDamaged { en: "copy or compress the file again", zh: "请重新复制或重新压缩该文件" }
        Field { en: "the file may have been cut or edited by hand", zh: "文件可能被截断或手工修改过" }
        ClosingS { en: "the closing `S` is missing; the file may have been cut or edited by hand", zh: "缺少结尾的 `S`；文件可能被截断或手工修改过" }
        Rows { en: "a newer release may have added it; tell us if it should be read", zh: "可能是更新的版本新增的内容；如需支持请告知我们" }
        Cut { en: "the dump stops inside a section; copy it again, a peak computed from a part would be too low", zh: "转储在某一节中间中断；请重新复制，按部分数据算出的峰值会偏低" }
        Header { en: "the columns are told by their names; copy the dump again with its header lines", zh: "各列按列名识别；请连同列名行重新复制转储文件" }
        LastCopy { en: "the recorder wrote the dump twice and stopped during the last copy; cut the file before it to read the first one", zh: "记录器把转储写了两次并在最后一份中途停止；删去最后一份即可读取第一份" }
        Life { en: "steps are node numbers and both ends belong to the lifetime", zh: "步号即节点编号，两端都属于生命周期" }
        Range { en: "sizes and offsets are below 2^63, node numbers count the nodes of the graph", zh: "大小与偏移应小于 2^63，节点编号为图中节点的序号" }
        Join { en: "the file may join parts of two graphs", zh: "文件可能由两个图的片段拼接而成" }
        Total { en: "lines may be missing or added; compare with the original file", zh: "可能缺少或多出若干行；请与原文件比较" }
    }
}

catalogue! {
    /// What a field holds.
    pub enum Field {
        TensorId { en: "a tensor id such as `%12T`", zh: "张量编号（如 `%12T`）" }
        ParameterId { en: "a parameter id such as `%3P`", zh: "参数编号（如 `%3P`）" }
        AlignedSize { en: "an aligned size such as `#2560S`", zh: "对齐大小（如 `#2560S`）" }
        OriginalSize { en: "an original size such as `#2560S`", zh: "原始大小（如 `#2560S`）" }
        ParameterSize { en: "a parameter size such as `#2560S`", zh: "参数大小（如 `#2560S`）" }
        Offset { en: "an offset such as `&4096`", zh: "偏移（如 `&4096`）" }
        Address { en: "an address such as `&0x108800000000`", zh: "地址（如 `&0x108800000000`）" }
        TypeWord { en: "a tensor type such as `Common`", zh: "张量类型（如 `Common`）" }
        LifelongWord { en: "`LifeLongNone` or another lifelong kind", zh: "`LifeLongNone` 等 lifelong 取值" }
        LifeStart { en: "a life_start such as `12`", zh: " life_start（如 `12`）" }
        LifeEnd { en: "a life_end such as `12`", zh: " life_end（如 `12`）" }
        OutIndex { en: "an output number such as `0`", zh: "输出序号（如 `0`）" }
        NodeId { en: "a node number such as `$12`", zh: "节点编号（如 `$12`）" }
        NodeType { en: "a node type `0` or `1`", zh: "节点类型 `0` 或 `1`" }
        InputList { en: "a list such as `inputs[%1T, %0P, ]`", zh: "形如 `inputs[%1T, %0P, ]` 的列表" }
        OutputList { en: "a list such as `outputs[%1T, ]`", zh: "形如 `outputs[%1T, ]` 的列表" }
        WorkspaceList { en: "a list such as `workspace[%1T, ]`", zh: "形如 `workspace[%1T, ]` 的列表" }
        ControlInputList { en: "a list such as `ctrl_inputs[%1CT, ]`", zh: "形如 `ctrl_inputs[%1CT, ]` 的列表" }
        ControlOutputList { en: "a list such as `ctrl_outputs[%1CT, ]`", zh: "形如 `ctrl_outputs[%1CT, ]` 的列表" }
        StreamId { en: "a stream such as `streamID[@0]`", zh: "流编号（如 `streamID[@0]`）" }
        UnionList { en: "a union such as `union tensors: [%1T %2T ]`", zh: "形如 `union tensors: [%1T %2T ]` 的行" }
        ContiguousList { en: "a list such as `contiguous tensors: [%1T %2T ]`", zh: "形如 `contiguous tensors: [%1T %2T ]` 的行" }
        GroupList { en: "a stream group such as `stm0 stm3`", zh: "流组（如 `stm0 stm3`）" }
        Block { en: "the start and the size of a merged block", zh: "合并块的起点与大小" }
        RefList { en: "a pair such as `refnode input-output:%1T %2T`", zh: "形如 `refnode input-output:%1T %2T` 的行" }
        EventLine { en: "an event such as `event_id:0 send:A recv:B`", zh: "形如 `event_id:0 send:A recv:B` 的行" }
        TaskNumbers { en: "numbers such as `task_num:1` and `task0_stream_id:0`", zh: "形如 `task_num:1`、`task0_stream_id:0` 的数值行" }
        TaskAddress { en: "an address with its size such as `0x108800000000(15360)`", zh: "带大小的地址（如 `0x108800000000(15360)`）" }
        Total { en: "a total such as `Total Memory Size after reused:184832`", zh: "形如 `Total Memory Size after reused:184832` 的总量行" }
    }
}

catalogue! {
    /// What a file is, as a part of a sentence and of the list of siblings.
    pub enum Kind {
        Plan { en: "memory plan", zh: "内存规划" }
        Stage { en: "memory plan of an early stage", zh: "早期阶段的内存规划" }
        OfflineLog { en: "offline log (data edges)", zh: "离线日志（数据边）" }
        SolverInput { en: "solver input", zh: "求解器输入" }
        SolverOutput { en: "solver output", zh: "求解器输出" }
        Relation { en: "conflict matrix", zh: "冲突矩阵" }
        MemInfo { en: "list of tensors by address", zh: "按地址排列的张量列表" }
        PoolInfo { en: "memory pool by node", zh: "按节点列出的内存池" }
        TaskInfo { en: "task info (addresses the tasks used)", zh: "任务信息（任务实际使用的地址）" }
        Cache { en: "SOMAS cache", zh: "SOMAS 缓存" }
        GraphIr { en: "ordinary IR", zh: "普通 IR" }
        Other { en: "file that is no SOMAS dump", zh: "非 SOMAS 转储文件" }
    }
}

catalogue! {
    /// Sentences around the facts.
    pub enum Frame {
        Warning { en: "warning: {0}", zh: "警告：{0}" }
        Hint { en: "hint: {0}", zh: "提示：{0}" }
    }
}

/// What a file of that kind is called.
pub fn kind_word(kind: FileKind) -> Kind {
    match kind {
        FileKind::MainDump => Kind::Plan,
        FileKind::OfflineLog => Kind::OfflineLog,
        FileKind::SolverInput => Kind::SolverInput,
        FileKind::SolverOutput => Kind::SolverOutput,
        FileKind::Relation => Kind::Relation,
        FileKind::MemInfo => Kind::MemInfo,
        FileKind::PoolInfo => Kind::PoolInfo,
        FileKind::TaskInfo => Kind::TaskInfo,
        FileKind::Cache => Kind::Cache,
        FileKind::GraphIr => Kind::GraphIr,
        FileKind::Empty | FileKind::Unknown => Kind::Other,
    }
}

/// `file:line:column: expected …, found …`; a warning says so in front. Without a line only the
/// file is named.
pub fn sentence(d: &Diagnostic, file: &str, lang: Lang) -> String {
    let place = match (d.line, d.column) {
        (0, _) => file.to_owned(),
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    };
    let text = format!("{place}: {}", fact(d, lang));
    match d.code.severity() {
        crate::parse::Severity::Error => text,
        crate::parse::Severity::Warning => fill(Frame::Warning.text(lang), &[&text]),
    }
}

/// The fact alone, without its place.
pub fn fact(d: &Diagnostic, lang: Lang) -> String {
    let args: Vec<String> = d.args.iter().map(|arg| word(arg, lang)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    fill(words(d.code).0.text(lang), &args)
}

/// What to do about it; empty when there is nothing to say.
pub fn hint(d: &Diagnostic, lang: Lang) -> &'static str {
    let hint = if lost_closing_s(d) {
        Some(Hint::ClosingS)
    } else {
        words(d.code).1
    };
    hint.map_or("", |hint| hint.text(lang))
}

/// A size such as `#2560` without its closing letter.
fn lost_closing_s(d: &Diagnostic) -> bool {
    match d.args.as_slice() {
        [Arg::What(What::AlignedSize | What::OriginalSize | What::ParameterSize), Arg::Text(found)] =>
        {
            let digits = found.strip_prefix('#').unwrap_or("");
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        }
        _ => false,
    }
}

/// `hint: …` as on the command line; empty when there is nothing to say.
pub fn hint_line(d: &Diagnostic, lang: Lang) -> String {
    match hint(d, lang) {
        "" => String::new(),
        text => fill(Frame::Hint.text(lang), &[text]),
    }
}

/// The line of the file with its number, and a mark under the place; two lines.
pub fn excerpt_lines(line: u64, e: &Excerpt) -> String {
    let lead = format!("{line:>5} | ");
    let blank = format!("{:>5} | ", "");
    format!(
        "{lead}{}\n{blank}{}{}",
        e.text,
        " ".repeat(e.mark),
        "^".repeat(e.width)
    )
}

fn word(arg: &Arg, lang: Lang) -> String {
    match arg {
        Arg::Text(text) => text.clone(),
        Arg::Number(n) => n.to_string(),
        Arg::What(what) => field(*what).text(lang).to_owned(),
        Arg::Kind(kind) => kind_word(*kind).text(lang).to_owned(),
    }
}

fn words(code: Code) -> (Fact, Option<Hint>) {
    match code {
        Code::NotADump => (Fact::NotADump, Some(Hint::NotADump)),
        Code::NotThePlan => (Fact::NotThePlan, Some(Hint::NotThePlan)),
        Code::EmptyFile => (Fact::EmptyFile, Some(Hint::EmptyFile)),
        Code::GzDamaged => (Fact::GzDamaged, Some(Hint::GzDamaged)),
        Code::UnreadableField => (Fact::UnreadableField, Some(Hint::Field)),
        Code::FieldCount => (Fact::FieldCount, Some(Hint::Field)),
        Code::RowCut => (Fact::RowCut, Some(Hint::Cut)),
        Code::UnknownLine => (Fact::UnknownLine, Some(Hint::Field)),
        Code::NoHeader => (Fact::NoHeader, Some(Hint::Header)),
        Code::MissingColumn => (Fact::MissingColumn, Some(Hint::Header)),
        Code::MissingSection => (Fact::MissingSection, Some(Hint::Cut)),
        Code::LastCopyCut => (Fact::LastCopyCut, Some(Hint::LastCopy)),
        Code::ReversedLife => (Fact::ReversedLife, Some(Hint::Life)),
        Code::NumberTooLarge => (Fact::NumberTooLarge, Some(Hint::Range)),
        Code::SumTooLarge => (Fact::SumTooLarge, Some(Hint::Range)),
        Code::TooManyRows => (Fact::TooManyRows, None),
        Code::UnknownSection => (Fact::UnknownSection, Some(Hint::Rows)),
        Code::UnknownReference => (Fact::UnknownReference, Some(Hint::Join)),
        Code::DuplicateId => (Fact::DuplicateId, Some(Hint::Join)),
        Code::TotalDiffers => (Fact::TotalDiffers, Some(Hint::Total)),
        Code::Misaligned => (Fact::Misaligned, Some(Hint::Field)),
        Code::LifeBeyondGraph => (Fact::LifeBeyondGraph, Some(Hint::Join)),
        Code::NoSource => (Fact::NoSource, Some(Hint::Join)),
        Code::WrittenTwice => (Fact::WrittenTwice, Some(Hint::Join)),
        Code::NameDiffers => (Fact::NameDiffers, Some(Hint::Join)),
        Code::ControlDiffers => (Fact::ControlDiffers, Some(Hint::Join)),
        Code::MissingNode => (Fact::MissingNode, Some(Hint::Total)),
        Code::UnknownLifelong => (Fact::UnknownLifelong, Some(Hint::Rows)),
        Code::AddressDiffers => (Fact::AddressDiffers, Some(Hint::Field)),
        Code::GapWithoutList => (Fact::GapWithoutList, Some(Hint::Total)),
    }
}

fn field(what: What) -> Field {
    match what {
        What::TensorId => Field::TensorId,
        What::ParameterId => Field::ParameterId,
        What::AlignedSize => Field::AlignedSize,
        What::OriginalSize => Field::OriginalSize,
        What::ParameterSize => Field::ParameterSize,
        What::Offset => Field::Offset,
        What::Address => Field::Address,
        What::TypeWord => Field::TypeWord,
        What::LifelongWord => Field::LifelongWord,
        What::LifeStart => Field::LifeStart,
        What::LifeEnd => Field::LifeEnd,
        What::OutIndex => Field::OutIndex,
        What::NodeId => Field::NodeId,
        What::NodeType => Field::NodeType,
        What::InputList => Field::InputList,
        What::OutputList => Field::OutputList,
        What::WorkspaceList => Field::WorkspaceList,
        What::ControlInputList => Field::ControlInputList,
        What::ControlOutputList => Field::ControlOutputList,
        What::StreamId => Field::StreamId,
        What::UnionList => Field::UnionList,
        What::ContiguousList => Field::ContiguousList,
        What::GroupList => Field::GroupList,
        What::Block => Field::Block,
        What::RefList => Field::RefList,
        What::EventLine => Field::EventLine,
        What::Total => Field::Total,
        What::TaskNumbers => Field::TaskNumbers,
        What::TaskAddress => Field::TaskAddress,
    }
}
