//! Words of links and summaries.

use super::catalogue;

catalogue! {
    /// Words of links and summaries.
    pub enum Share {
        // Markdown
        Heading { en: "Memory plan of a graph", zh: "计算图内存规划" }
        Top { en: "The largest at the peak", zh: "峰值处最大的张量" }
        Findings { en: "Findings", zh: "检查结果" }
        First { en: "Among the first", zh: "其中之一" }
        Summary { en: "Summary without the dump", zh: "不含原文件的摘要" }
        Layer { en: "Layer", zh: "层" }
        Depth { en: "{0} deep", zh: "深度 {0}" }
        Life { en: "Life", zh: "生命周期" }

        // What a link holds
        Program { en: "Program", zh: "程序版本" }
        Names { en: "Names", zh: "名称" }
        NamesFull { en: "as they are", zh: "原样" }
        NamesOperators { en: "operators, and how deep a layer lies", zh: "仅算子名与层的深度" }
        NamesHidden { en: "numbers instead (O: operators, L: layers)", zh: "以编号代替（O 为算子，L 为层）" }
        Kind { en: "Kind", zh: "种类" }
        Format { en: "Device and format", zh: "设备与格式" }
        Order { en: "Nodes run in a known order", zh: "节点按已知顺序执行" }
        Yes { en: "yes", zh: "是" }
        No { en: "no", zh: "否" }
        Unread { en: "Lines not read", zh: "未读的行" }
        Steps { en: "Steps", zh: "执行步" }
        Fingerprint { en: "SHA-256 of the file", zh: "文件的 SHA-256" }
        Verdict { en: "Verdict", zh: "判定" }
        Safe { en: "no two tensors collide", zh: "没有张量冲突" }
        Hazards { en: "tensors collide", zh: "存在张量冲突" }
        Undecided { en: "cannot be said", zh: "无法判定" }
        Curve { en: "Usage curve, ‰ of the peak", zh: "用量曲线（峰值的千分比）" }
        View { en: "What is looked at", zh: "当前视图" }

        // Why a link cannot be read
        TooLong { en: "This link is longer than any that somascope makes.", zh: "该链接的长度超出 somascope 可能生成的范围。" }
        Damaged { en: "This link is cut or changed: ask for it again, as a whole.", zh: "该链接不完整或被改动，请重新获取完整链接。" }
        TooLarge { en: "What this link unpacks to is larger than any summary.", zh: "该链接解压后的内容大于任何摘要。" }
        Newer { en: "A newer version of somascope made this link: open it with that one.", zh: "该链接由更新版本的 somascope 生成，请用新版本打开。" }
        Impossible { en: "This link holds numbers that no plan has.", zh: "该链接中的数字不可能出自任何规划。" }
    }
}
