//! From a [`Spec`] to a net: who reads what, who shares memory with whom, who lives how long.

use std::collections::BTreeSet;

use super::mini::{Mini, Node, Param, Style};
use super::place;
use super::{NodeSpec, Op, Spec};

/// Original sizes; they hit both sides of the roundings, and 32 bits are not enough for one.
pub const SIZES: [u64; 16] = [
    1,
    4,
    480,
    481,
    511,
    512,
    513,
    992,
    1000,
    1024,
    1500,
    4096,
    5000,
    0,
    7,
    5_000_000_000,
];

/// A tensor of the net.
#[derive(Clone, Debug)]
pub struct NetTensor {
    pub original: u64,
    pub kind: String,
    pub lifelong: u8,
    pub source: u64,
    /// Has no bytes by its type.
    pub unplaced: bool,
    pub group: Option<usize>,
    pub list: Option<usize>,
    pub first: u64,
    pub last: u64,
}

/// A net before its tensors have a place.
#[derive(Clone, Debug, Default)]
pub struct Net {
    pub tensors: Vec<NetTensor>,
    /// Union groups as merged.
    pub groups: Vec<Vec<usize>>,
    /// Pairs as collected.
    pub pairs: Vec<(usize, usize)>,
    pub lists: Vec<Vec<usize>>,
}

/// Makes the net, places it, and gives the dump.
pub fn build(spec: &Spec) -> Mini {
    let mut maker = Maker {
        spec,
        mini: Mini::new(spec.style),
        net: Net::default(),
        clean: vec![],
        open_event: None,
    };
    for (id, &size) in spec
        .params
        .iter()
        .enumerate()
        .filter(|_| spec.style != Style::A)
    {
        let name = format!("layer{id}.weight");
        maker.mini.params.push(Param {
            id: id as u64,
            size: SIZES[usize::from(size)],
            name,
        });
    }
    for node in &spec.nodes {
        maker.node(node);
    }
    maker.clean_nodes();
    maker.lives();
    maker.order();
    place::place(&mut maker.mini, maker.net);
    maker.mini
}

struct Maker<'a> {
    spec: &'a Spec,
    mini: Mini,
    net: Net,
    /// Clean nodes and the number that picks what they clean.
    clean: Vec<(u64, u16)>,
    /// A send node without its receive node yet.
    open_event: Option<u64>,
}

impl Maker<'_> {
    fn style(&self) -> Style {
        self.spec.style
    }

    fn name(&self, id: u64, op: &str, choice: u8) -> String {
        let odd = match choice {
            0 => "".into(),
            1 => format!("inputs[%0T, ] odd, name-op{id}"),
            2 => format!("网络 #1S &2 %3T-op{id}"),
            3 => "Repeated-op1".into(),
            _ => format!("{op}-op{id}"),
        };
        match (self.style().full_names(), choice) {
            (true, 0..=15) => format!("Default/network-Net/{odd}"),
            (true, _) => format!("Gradients/Default/{odd}"),
            (false, 0) => format!("{op}-op{id}"),
            (false, _) => odd,
        }
    }

    fn node(&mut self, spec: &NodeSpec) {
        let id = self.mini.nodes.len() as u64;
        let old = !self.style().full_names();
        let stream = if self.style() == Style::C3Cpu {
            id
        } else {
            u64::from(spec.stream % self.spec.streams)
        };
        let mut node = Node {
            id,
            stream,
            name: self.name(id, "MatMul", spec.name),
            ..Node::default()
        };
        let scope = if old { "" } else { "Default/" };
        match spec.op {
            Op::Clean if old && self.style() != Style::C2Gpu => {
                let op = if self.style() == Style::C2Ascend {
                    "MemSet"
                } else {
                    "AtomicAddrClean"
                };
                node.name = format!("{op}-op{id}");
                self.clean.push((id, spec.stream.into()));
            }
            Op::Event if self.style() != Style::C3Cpu => match self.open_event.take() {
                None => {
                    node.name = format!("{scope}StreamSend-op{id}");
                    self.open_event = Some(id);
                }
                Some(send) => {
                    node.name = format!("{scope}StreamRecv-op{id}");
                    self.mini.controls.push((send, id));
                }
            },
            Op::Repeat if self.repeat(&mut node, spec) => {}
            Op::Communication if !spec.outputs.is_empty() => self.communication(&mut node, spec),
            _ => self.plain(&mut node, spec),
        }
        self.mini.nodes.push(node);
    }

    /// The same kernel once more: identical lists, parameters on the first only.
    fn repeat(&mut self, node: &mut Node, spec: &NodeSpec) -> bool {
        if !(self.style().is_b() || matches!(self.style(), Style::C1 | Style::C2Ascend)) {
            return false;
        }
        let old: Vec<&Node> = self
            .mini
            .nodes
            .iter()
            .filter(|n| !n.outputs.is_empty() && !n.communication)
            .collect();
        let Some(first) = old.get(usize::from(spec.stream) % old.len().max(1)) else {
            return false;
        };
        let stream = node.stream;
        *node = Node {
            id: node.id,
            stream,
            ..(*first).clone()
        };
        node.inputs.retain(|i| i.ends_with('T'));
        true
    }

    fn tensor(&mut self, source: u64, original: u64, kind: &str) -> usize {
        self.net.tensors.push(NetTensor {
            original,
            kind: kind.into(),
            lifelong: 0,
            source,
            unplaced: false,
            group: None,
            list: None,
            first: source,
            last: source,
        });
        self.net.tensors.len() - 1
    }

    fn plain(&mut self, node: &mut Node, spec: &NodeSpec) {
        for &pick in &spec.inputs {
            let (params, tensors) = (self.mini.params.len(), self.net.tensors.len());
            let pick = usize::from(pick);
            if params > 0 && (pick % 4 == 3 || tensors == 0) {
                node.inputs.push(format!("%{}P", pick / 4 % params));
            } else if tensors > 0 {
                node.inputs.push(format!("%{}T", pick / 4 % tensors));
            }
        }
        for &(size, flavour) in &spec.outputs {
            let t = self.tensor(node.id, SIZES[usize::from(size)], "Common");
            self.flavour(t, flavour);
            node.outputs.push(t as u64);
        }
        for &size in &spec.workspaces {
            let t = self.tensor(node.id, SIZES[usize::from(size)], "Workspace");
            node.workspaces.push(t as u64);
        }
        if spec.op == Op::InPlace {
            self.unite(node);
        }
    }

    /// What is special about an output.
    fn flavour(&mut self, t: usize, flavour: u8) {
        let style = self.style();
        let tensor = &mut self.net.tensors[t];
        match flavour {
            0 if style.is_c() && style != Style::C3Ascend => {
                (tensor.kind, tensor.unplaced) = ("GraphOutput".into(), true)
            }
            1 if style.is_c() => (tensor.kind, tensor.unplaced) = ("GraphInput".into(), true),
            1 => (tensor.kind, tensor.unplaced) = ("RefNodeOutput".into(), style.is_b()),
            2 if style != Style::C3Cpu => tensor.lifelong = 1,
            3 if matches!(style, Style::C1 | Style::C2Ascend) => tensor.lifelong = 2,
            4 if style.is_c() && style != Style::C3Cpu => tensor.lifelong = 3,
            5 => tensor.kind = "SummaryInput".into(),
            _ => {}
        }
    }

    /// Puts the first output and the first tensor input into one piece of memory.
    fn unite(&mut self, node: &Node) {
        let input = node
            .inputs
            .iter()
            .find(|i| i.ends_with('T'))
            .map(|i| i[1..i.len() - 1].parse::<usize>().unwrap());
        let (Some(a), Some(&b)) = (input, node.outputs.first()) else {
            return;
        };
        let b = b as usize;
        let fit = |t: &NetTensor| {
            t.list.is_none()
                && t.original > 0
                && (self.style().is_c() || !t.unplaced && t.lifelong == 0)
        };
        let (old, new) = (&self.net.tensors[a], &self.net.tensors[b]);
        if !fit(old) || !fit(new) || old.kind == "Workspace" {
            return;
        }
        let group = old.group.unwrap_or_else(|| {
            self.net.groups.push(vec![a]);
            self.net.groups.len() - 1
        });
        self.net.groups[group].push(b);
        self.net.pairs.push((a, b));
        let kinds = if self.style().is_c() {
            ["Union", "Union"]
        } else {
            ["RefNodeInput", "RefNodeOutput"]
        };
        let first = old.group.is_none();
        for (t, kind) in [(a, kinds[0]), (b, kinds[1])] {
            self.net.tensors[t].group = Some(group);
            if t == b || first || self.style().is_c() {
                self.net.tensors[t].kind = kind.into();
            }
        }
    }

    /// A communication node: its tensors lie in one piece, on either side.
    fn communication(&mut self, node: &mut Node, spec: &NodeSpec) {
        node.communication = true;
        let free = |t: &NetTensor| {
            t.list.is_none()
                && t.group.is_none()
                && t.original > 0
                && !t.unplaced
                && t.lifelong == 0
                && t.kind != "Workspace"
        };
        let candidates: Vec<usize> = (0..self.net.tensors.len())
            .filter(|&t| free(&self.net.tensors[t]))
            .collect();
        let mut inputs: Vec<usize> = Vec::new();
        for &pick in spec.inputs.iter().filter(|_| !candidates.is_empty()) {
            let t = candidates[usize::from(pick) % candidates.len()];
            if !inputs.contains(&t) {
                inputs.push(t);
            }
        }
        node.inputs = inputs.iter().map(|t| format!("%{t}T")).collect();
        let outputs: Vec<usize> = spec
            .outputs
            .iter()
            .map(|&(size, _)| self.tensor(node.id, SIZES[usize::from(size)].max(1), "Common"))
            .collect();
        node.outputs = outputs.iter().map(|&t| t as u64).collect();
        for list in [inputs, outputs] {
            if list.len() > 1 || (list.len() == 1 && self.style().lists_one()) {
                for &t in &list {
                    self.net.tensors[t].list = Some(self.net.lists.len());
                }
                self.net.lists.push(list);
            }
        }
    }

    /// A clean node lists the first output of a later node.
    fn clean_nodes(&mut self) {
        for (id, pick) in std::mem::take(&mut self.clean) {
            let later: Vec<u64> = self
                .mini
                .nodes
                .iter()
                .filter(|n| n.id > id)
                .filter_map(|n| n.outputs.first().copied())
                .collect();
            let fresh: Vec<u64> = later
                .into_iter()
                .filter(|&t| self.net.tensors[t as usize].source > id)
                .collect();
            if !fresh.is_empty() {
                let t = fresh[usize::from(pick) % fresh.len()];
                self.mini.nodes[id as usize].inputs = vec![format!("%{t}T")];
            }
        }
    }

    /// Lives, the words Common and OutputOnly, and the tensors that stand for events.
    fn lives(&mut self) {
        if self.style() == Style::B2 {
            for (send, recv) in self.mini.controls.clone() {
                let t = self.tensor(send, 0, "EventVirtualOutput");
                self.net.tensors[t].unplaced = true;
                self.mini.nodes[send as usize].outputs.push(t as u64);
                self.mini.nodes[recv as usize].inputs.push(format!("%{t}T"));
                let name = |n: u64| self.mini.nodes[n as usize].name.clone();
                self.mini.events.push((name(send), name(recv)));
            }
        }
        for t in 0..self.net.tensors.len() {
            let printed = format!("%{t}T");
            let clean =
                |n: &Node| n.name.starts_with("AtomicAddrClean") || n.name.starts_with("MemSet");
            let a = self.style() == Style::A;
            let readers: BTreeSet<u64> = self
                .mini
                .nodes
                .iter()
                .filter(|n| (a || !clean(n)) && n.inputs.contains(&printed))
                .map(|n| n.id)
                .collect();
            let owners =
                self.mini.nodes.iter().filter(|n| {
                    n.outputs.contains(&(t as u64)) || n.workspaces.contains(&(t as u64))
                });
            let last = owners.map(|n| n.id).chain(readers.iter().copied()).max();
            let tensor = &mut self.net.tensors[t];
            tensor.last = last.unwrap_or(tensor.source);
            tensor.first = readers
                .iter()
                .copied()
                .min()
                .unwrap_or(tensor.source)
                .min(tensor.source);
            if readers.is_empty() && tensor.kind == "Common" {
                tensor.kind = "OutputOnly".into();
            }
        }
    }

    /// Control edges of C, groups of streams.
    fn order(&mut self) {
        let streams: BTreeSet<u64> = self.mini.nodes.iter().map(|n| n.stream).collect();
        if self.style().is_c() && self.style() != Style::C3Cpu {
            let events = std::mem::take(&mut self.mini.controls);
            for &s in &streams {
                let run: Vec<u64> = self
                    .mini
                    .nodes
                    .iter()
                    .filter(|n| n.stream == s)
                    .map(|n| n.id)
                    .collect();
                self.mini
                    .controls
                    .extend(run.windows(2).map(|w| (w[0], w[1])));
            }
            self.mini.controls.extend(events);
        } else {
            self.mini.controls.clear();
        }
        if self.style().device() == "Ascend" && self.style() != Style::C3Ascend {
            self.mini.groups = streams.into_iter().map(|s| vec![s]).collect();
        }
    }
}
