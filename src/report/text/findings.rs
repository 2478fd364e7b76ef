//! Words for what is wrong with a plan.

use super::catalogue;

catalogue! {
    /// One sentence a finding. `{0}` and `{1}` are tensors, `{2}` and `{3}` nodes, `{4}` and `{5}`
    /// numbers.
    pub enum Finding {
        Stage { en: "no verdict: an early stage has no addresses", zh: "无法判定：早期阶段没有地址" }
        Incomplete { en: "no verdict: parts of the file could not be read", zh: "无法判定：文件有部分无法读取" }
        Cycle { en: "no verdict: order edges lead from later nodes to earlier ones", zh: "无法判定：存在由后面节点指向前面节点的顺序边" }
        ControlCycle { en: "the order edges run in a circle of {4} nodes through {2}", zh: "顺序边成环：{4} 个节点，经过 {2}" }
        UnionOffset { en: "{0} lies at offset {4}, its union mate {1} at {5}", zh: "{0} 的偏移为 {4}，同组的 {1} 为 {5}" }
        Total { en: "the dump states a total of {4} bytes, the highest end is {5} ({0})", zh: "转储写明总量 {4} 字节，最高结束位置为 {5}（{0}）" }
        Blocks { en: "the printed blocks are not those of the tensors: {5} are on one side only, the first at byte {4}", zh: "所列合并块与张量不符：{5} 块只在一方出现，第一块始于第 {4} 字节" }
        NotContiguous { en: "{0} ends at byte {4}, the next of its contiguous list, {1}, begins at {5}", zh: "{0} 结束于第 {4} 字节，连续列表中的下一个 {1} 始于 {5}" }
        Misaligned { en: "{0} lies at offset {4} with aligned size {5}; both should be multiples of 512", zh: "{0} 的偏移为 {4}、对齐大小为 {5}；二者应为 512 的倍数" }
        ReadBeforeWritten { en: "{2} reads {0}, which {3} writes later", zh: "{2} 读取 {0}，而 {3} 之后才写入" }
        ReadAfterLife { en: "{2} reads {0}, whose life ends at step {4}", zh: "{2} 读取 {0}，其生命周期结束于第 {4} 步" }
        LifeTooShort { en: "{2} writes {0}, whose life is steps {4} to {5}", zh: "{2} 写入 {0}，其生命周期为第 {4} 至 {5} 步" }
        OutputReused { en: "{0}, an output of the graph, is written over by {2} ({1})", zh: "图输出 {0} 被 {2} 覆盖（{1}）" }
        WrittenTwice { en: "{0} is listed as their own by both {3} and {2}", zh: "{0} 同时被 {3} 和 {2} 列为自己的张量" }
        NeverRead { en: "no node reads {0} ({4} bytes), which {2} writes", zh: "没有节点读取 {2} 写入的 {0}（{4} 字节）" }
        Hazard { en: "{0} and {1} share {4} bytes although both may be needed at once; {5}: {2} against {3}", zh: "{0} 与 {1} 可能同时需要却共用 {4} 字节；{5}：{2} 对 {3}" }
        AtLine { en: "{0} (line {1})", zh: "{0}（第 {1} 行）" }
    }
}

catalogue! {
    /// What findings of a kind have in common, where there is no plan to say more.
    pub enum KindTitle {
        Hazard { en: "tensors that may be needed at once share bytes", zh: "可能同时需要的张量共用字节" }
        Undecided { en: "no verdict", zh: "无法判定" }
        ControlCycle { en: "order edges run in a circle", zh: "顺序边成环" }
        UnionOffsetDiffers { en: "members of a union lie apart", zh: "同组张量不在同一位置" }
        TotalDiffers { en: "the total stated is not the highest end", zh: "写明的总量与最高结束位置不符" }
        BlocksDiffer { en: "the printed blocks are not those of the tensors", zh: "所列合并块与张量不符" }
        NotContiguous { en: "a contiguous list has a gap", zh: "连续列表中间不连续" }
        Misaligned { en: "offset or size is no multiple of 512", zh: "偏移或大小不是 512 的倍数" }
        ReadBeforeWritten { en: "read before it is written", zh: "写入之前即被读取" }
        ReadAfterLife { en: "read after its life", zh: "生命周期结束后仍被读取" }
        LifeTooShort { en: "written outside its life", zh: "在生命周期之外被写入" }
        OutputReused { en: "an output of the graph is written over", zh: "图输出被覆盖" }
        WrittenTwice { en: "two nodes list it as their own", zh: "被两个节点列为自己的张量" }
        NeverRead { en: "no node reads it", zh: "没有节点读取" }
    }
}
