//! Words about safety: the verdict, why two tensors may share bytes, and what to report.

use super::catalogue;

catalogue! {
    /// What is said about safety on the page.
    pub enum Said {
        Judging { en: "judging…", zh: "判定中…" }
        Safe { en: "safe", zh: "安全" }
        HazardOne { en: "{0} hazard", zh: "{0} 处冲突" }
        HazardMany { en: "{0} hazards", zh: "{0} 处冲突" }
        HazardsAtLeast { en: "over {0} hazards", zh: "超过 {0} 处冲突" }
        Undecided { en: "undecided", zh: "无法判定" }

        SafeTitle { en: "Safe: no two tensors that may be needed at the same time share bytes.", zh: "安全：可能同时需要的张量互不共用字节。" }
        SafeHow {
            en: "Judged by both rules: live ranges do not meet, and every reader of the earlier tensor is done before the later one is written. {0} pairs that meet on the same bytes were compared; all others follow from them.",
            zh: "按两条规则判定：生命周期不相交，且前一张量的所有读取者都在后一张量写入之前完成。比较了在相同字节上相遇的 {0} 对张量，其余各对由此推出。",
        }
        Rests {
            en: "The answer rests on the edges in this dump: {0} by data, {1} by control, stream or event. What the dump does not order, nothing is taken to order.",
            zh: "结论依据该文件中的边：{0} 条数据边，{1} 条控制、流或事件边。文件中没有给出的先后，一律视为没有先后。",
        }
        HazardsTitle { en: "Not safe: {0} pairs of tensors share bytes although both may be needed at the same time.", zh: "不安全：{0} 对张量可能同时需要却共用字节。" }
        HazardsTitleOne { en: "Not safe: {0} pair of tensors shares bytes although both may be needed at the same time.", zh: "不安全：{0} 对张量可能同时需要却共用字节。" }
        HazardsHow {
            en: "{0} by order: alive together in execution order. {1} by dependency alone: apart in execution order, but nothing makes the one wait for the other.",
            zh: "{0} 对依据顺序规则：按执行顺序同时存活。{1} 对仅依据依赖规则：按执行顺序先后错开，但没有任何边使其中一方等待另一方。",
        }
        OnlyFirst { en: "The table lists the first {0}.", zh: "下表列出前 {0} 对。" }
        UndecidedTitle { en: "Undecided: whether this plan is safe cannot be said.", zh: "无法判定：不能断言该规划是否安全。" }
        WhyIncomplete { en: "Lines of the file could not be read; a reader or an edge may be among them.", zh: "文件有无法读取的行，其中可能包含读取者或边。" }
        WhyStage { en: "This is an early stage: no tensor has an address yet, so none can share bytes. Open the final plan of the same graph.", zh: "这是早期阶段：张量尚无地址，谈不上共用字节。请打开同一计算图的最终规划。" }
        WhyCycle { en: "Its order edges lead backwards or in a circle, so they order nothing for certain.", zh: "其顺序边存在反向或环，因而无法确定先后。" }
        LogNote {
            en: "This generation prints lifelong as 0 or 1 and hides the kinds that last to the end or from the start; `somas_offline_log_<graph>.ir` of the same run tells them.",
            zh: "该代际只以 0 或 1 打印 Lifelong，不区分持续到图结束或从图开始的类型；同一次运行的 `somas_offline_log_<图>.ir` 中有完整信息。",
        }
        CpuNote { en: "On this plan nodes have no streams: only data orders them.", zh: "该规划中的节点没有流：只有数据依赖能确定先后。" }

        AllKinds { en: "all", zh: "全部" }
        NoPair { en: "Choose a finding, or a row of the overlaps below, to see the two tensors and what orders them.", zh: "选择一条发现，或下方重叠表中的一行，查看两个张量以及它们之间的先后。" }
        PairTitle { en: "{0} and {1}", zh: "{0} 与 {1}" }
        IsHazard { en: "hazard", zh: "冲突" }
        IsFine { en: "fine", zh: "正常" }
        Common { en: "They have {0} ({1} bytes) in common: {2} … {3}.", zh: "二者共用 {0}（{1} 字节）：{2} … {3}。" }
        Waw { en: "WAW, write after write: {0} writes {1} and {2} writes {3}, and nothing orders the two writes.", zh: "WAW（写后写）：{0} 写入 {1}，{2} 写入 {3}，两次写入之间没有确定的先后。" }
        War { en: "WAR, write after read: {2} writes {3} over bytes of {1} that {0} still has to use; nothing makes {2} wait for {0}.", zh: "WAR（读后写）：{0} 仍需使用 {1} 的字节，{2} 却在其上写入 {3}；没有任何边使 {2} 等待 {0}。" }
        Raw { en: "RAW, read after write: {0} uses {1} after {2} has written {3} over it.", zh: "RAW（写后读）：{2} 已在 {1} 上写入 {3} 之后，{0} 才使用 {1}。" }
        ByOrder { en: "Rule: order. Both are alive at the same steps, {0} to {1}.", zh: "规则：顺序。二者在 {0} 至 {1} 步同时存活。" }
        ByDependency { en: "Rule: dependency. In execution order they are apart, but SOMAS lets only data and order edges order nodes.", zh: "规则：依赖。按执行顺序二者错开，但 SOMAS 只认数据边和顺序边确定的先后。" }
        ByLifelong { en: "A lifelong kind forbids it whatever the order: {0} is {1}, {2} is {3}.", zh: "无论先后，Lifelong 类型都不允许共用：{0} 为 {1}，{2} 为 {3}。" }
        Missing { en: "Missing order: nothing makes {0} wait for", zh: "缺失的先后：没有任何边使 {0} 等待" }
        AgainstPath { en: "The order that is there leads the wrong way:", zh: "现有的先后方向相反：" }
        Union { en: "Fine: they are members of one union, one piece of memory by design.", zh: "正常：二者属于同一 union，按设计共用一块内存。" }
        ZeroSize { en: "Fine: {0} has no bytes.", zh: "正常：{0} 不占字节。" }
        Elsewhere { en: "Fine: {0} is a graph output or is written into a parameter; its bytes lie outside the plan.", zh: "正常：{0} 是图输出或写入参数，其字节位于规划之外。" }
        Gap { en: "Fine: neighbours of a contiguous list. The first member is shown 512 bytes above its reserved region; the regions do not meet.", zh: "正常：二者是连续内存列表中的相邻成员。首个成员的显示地址比预留区高 512 字节，预留区并不相交。" }
        Apart { en: "Fine: they have no byte in common.", zh: "正常：二者没有共同的字节。" }
        Ordered { en: "Fine: every reader of {0} is done before {1} writes {2}.", zh: "正常：{0} 的所有读取者都在 {1} 写入 {2} 之前完成。" }
        OrderedSelf { en: "Fine: nobody reads {0}, and {1}, which makes it, is done before {2} writes {3}.", zh: "正常：{0} 没有读取者，产生它的 {1} 在 {2} 写入 {3} 之前完成。" }
        NotDecided { en: "As far as the file tells. The verdict is undecided, so neither is this certain.", zh: "仅就该文件而言。整体无法判定，因此这里也不能确定。" }
        Cleaned { en: "{0} only zeroes its inputs: that is no use of the tensor.", zh: "{0} 只将输入清零，不算使用该张量。" }
        Repeated { en: "{0} repeats the node that makes one of them and counts as a use of it.", zh: "{0} 重复了产生其中一方的节点，计为对它的使用。" }
        PathTitle { en: "What orders them, the shortest way first", zh: "确定先后的路径（由短到长）" }
        EdgeData { en: "reads {0}", zh: "读取 {0}" }
        EdgeStream { en: "same stream", zh: "同一流" }
        EdgeStreamMany { en: "same stream, {0} nodes on", zh: "同一流，后移 {0} 个节点" }
        EdgeOrder { en: "order edge", zh: "顺序边" }
        EdgeSkipped { en: "{0} nodes between", zh: "中间 {0} 个节点" }
        MorePaths { en: "{0} more readers are ordered alike.", zh: "另有 {0} 个读取者也有先后。" }
        MadeBy { en: "made by", zh: "产生者" }
        UsedBy { en: "used by", zh: "使用者" }
        StreamOf { en: "stream {0}", zh: "流 {0}" }
        NoScale { en: "Steps are not to scale: only those that matter are shown.", zh: "步轴不按比例：只画出相关的步。" }
        LaneMade { en: "nodes of {0}", zh: "{0} 的节点" }
        LaneBetween { en: "in between", zh: "其间" }
        NoOrder { en: "no order", zh: "无先后" }

        TellTitle { en: "What to tell the issue tracker", zh: "提交问题时可用的文字" }
        Copy { en: "Copy", zh: "复制" }
        Copied { en: "Copied", zh: "已复制" }
        TellHead { en: "SOMAS plan: {0} and {1} share {2} bytes although both may be needed at the same time.", zh: "SOMAS 规划：{0} 与 {1} 可能同时需要，却共用 {2} 字节。" }
        TellFine { en: "SOMAS plan: {0} and {1}.", zh: "SOMAS 规划：{0} 与 {1}。" }
        TellFile { en: "File: {0}; format {1}; device {2}; checked by somascope {3}", zh: "文件：{0}；格式 {1}；设备 {2}；由 somascope {3} 检查" }
        TellTensor { en: "{0}: {1} bytes at offset {2} … {3}, alive ${4} … ${5}, {6}, {7}", zh: "{0}：{1} 字节，偏移 {2} … {3}，存活 ${4} … ${5}，{6}，{7}" }

        OverlapsOf { en: "Who shares the bytes of {0}", zh: "与 {0} 共用字节的张量" }
        OverlapsWindow { en: "Who holds the bytes in steps ${0} … ${1}", zh: "${0} … ${1} 步占用字节的张量" }
        OverlapsFirst { en: "The first {0} in time order are shown.", zh: "按时间顺序显示前 {0} 个。" }
        OverlapsNone { en: "Nobody else is ever on these bytes.", zh: "这些字节从未被其他张量占用。" }
        OverlapsUnplaced { en: "{0} has no bytes in the plan.", zh: "{0} 在规划中不占字节。" }
        WhyHazard { en: "hazard: may be needed at the same time", zh: "冲突：可能同时需要" }
        WhyUnion { en: "fine: one union", zh: "正常：同一 union" }
        WhyBefore { en: "fine: done before it is written", zh: "正常：在其写入前已完成" }
        WhyAfter { en: "fine: written after its last use", zh: "正常：在其最后使用后写入" }
        WhyAlone { en: "fine: the first on its bytes", zh: "正常：首个占用者" }
        WhyUndecided { en: "undecided", zh: "无法判定" }
        ShowOverlaps { en: "Who shares its bytes", zh: "谁共用它的字节" }
    }
}
