//! Which tensors lie on bytes of another one while both are alive: the order rule.
//!
//! Two placed tensors whose widened live ranges and true byte ranges meet overwrite each other,
//! unless they are members of one union, which share their bytes by design. Tensors without bytes
//! meet nothing, and the communication gap is no overlap because true offsets are compared.
//!
//! Method: a sweep over the steps; alive tensors stand in a tree over all tensors by offset that
//! knows the highest end below each of its branches, so that the ones that reach into a new
//! tensor's bytes are found without looking at the others. O((n + pairs) log n), and O(n log n)
//! for the number of pairs where there are too many to list.

use crate::model::Plan;
use crate::units::LiveRange;

/// Two tensors that overwrite each other; `a < b` by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Overwrite {
    /// The tensor with the smaller id.
    pub a: u32,
    /// The other one.
    pub b: u32,
    /// Bytes they have in common.
    pub bytes: u64,
}

impl Overwrite {
    /// The one that is written first and loses its content (the smaller id on a tie), and the one
    /// that overwrites it.
    pub fn victim_and_writer(self, plan: &Plan) -> (u32, u32) {
        let source = |t: u32| plan.tensors.source_of(t);
        if source(self.b) < source(self.a) {
            (self.b, self.a)
        } else {
            (self.a, self.b)
        }
    }
}

/// All overwrites of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overwrites {
    /// Number of pairs, exact.
    pub count: u64,
    /// The pairs by `a`, then `b`: all of them up to [`Overwrites::MOST`], else the first that
    /// meet in execution order.
    pub pairs: Vec<Overwrite>,
}

impl Overwrites {
    /// Most pairs that are listed.
    pub const MOST: usize = 1 << 20;

    /// Whether every pair is listed.
    pub fn is_complete(&self) -> bool {
        self.count == self.pairs.len() as u64
    }
}

/// A placed tensor that lives.
#[derive(Clone, Copy)]
struct Piece {
    start: u64,
    end: u64,
    tensor: u32,
    life: LiveRange,
}

/// Finds the overwrites.
pub fn overwrites(plan: &Plan) -> Overwrites {
    let mut pieces: Vec<Piece> = (0..plan.n_tensors())
        .filter_map(|t| {
            let bytes = plan.bytes_of(t);
            let life = plan.live_range(t)?;
            (!bytes.is_empty()).then_some(Piece {
                start: bytes.start,
                end: bytes.end,
                tensor: t,
                life,
            })
        })
        .collect();
    pieces.sort_unstable_by_key(|p| (p.start, p.tensor));
    let mut sweep = Sweep::new(&pieces, plan);
    if sweep.run(|p| p.life, plan.steps) {
        let mut pairs = sweep.pairs;
        pairs.sort_unstable();
        return Overwrites {
            count: pairs.len() as u64,
            pairs,
        };
    }
    let mut pairs = sweep.pairs;
    pairs.sort_unstable();
    Overwrites {
        count: count_pairs(&pieces, plan),
        pairs,
    }
}

/// Rows by a step: a counting sort that keeps the order of equal keys.
fn by_step(pieces: &[Piece], steps: u32, key: impl Fn(&Piece) -> u32) -> Vec<u32> {
    let mut starts = vec![0u32; steps as usize + 1];
    for p in pieces {
        starts[key(p) as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut out = vec![0u32; pieces.len()];
    for (i, p) in (0u32..).zip(pieces) {
        let place = &mut starts[key(p) as usize];
        out[*place as usize] = i;
        *place += 1;
    }
    out
}

/// Branches of the tree have this many children, neighbours in memory.
const WIDTH: usize = 16;

struct Sweep<'a> {
    pieces: &'a [Piece],
    plan: &'a Plan,
    /// Ends of the pieces that are alive (0 = not alive), by place; above them the highest of
    /// each [`WIDTH`], and so on.
    levels: Vec<Vec<u64>>,
    pairs: Vec<Overwrite>,
    /// Neighbours that may still be looked at.
    budget: usize,
}

impl<'a> Sweep<'a> {
    fn new(pieces: &'a [Piece], plan: &'a Plan) -> Self {
        let mut levels = vec![vec![0u64; pieces.len().next_multiple_of(WIDTH)]];
        while let Some(len) = levels.last().map(Vec::len).filter(|n| *n > WIDTH) {
            levels.push(vec![0u64; (len / WIDTH).next_multiple_of(WIDTH)]);
        }
        Self {
            pieces,
            plan,
            levels,
            pairs: Vec::new(),
            budget: 8 * pieces.len() + 4 * Overwrites::MOST,
        }
    }

    /// Goes through the steps; `false` when there are too many pairs to list.
    fn run(&mut self, life: impl Fn(&Piece) -> LiveRange, steps: u32) -> bool {
        let begins = by_step(self.pieces, steps, |p| life(p).first);
        let ends = by_step(self.pieces, steps, |p| life(p).last);
        let mut ended = ends.iter().peekable();
        for &place in &begins {
            let piece = self.pieces[place as usize];
            while let Some(&&other) = ended.peek() {
                if self.pieces[other as usize].life.last >= piece.life.first {
                    break;
                }
                self.set(other as usize, 0);
                ended.next();
            }
            if !self.meet(piece) {
                return false;
            }
            self.set(place as usize, piece.end);
        }
        true
    }

    fn set(&mut self, place: usize, end: u64) {
        let mut at = place;
        let mut value = end;
        for level in &mut self.levels {
            if level[at] == value {
                return;
            }
            level[at] = value;
            let from = at / WIDTH * WIDTH;
            value = level[from..from + WIDTH].iter().copied().max().unwrap_or(0);
            at /= WIDTH;
        }
    }

    /// Lists the alive pieces that share bytes with `piece`; `false` when it gets too many.
    fn meet(&mut self, piece: Piece) -> bool {
        // Only pieces that begin below its end.
        let limit = self.pieces.partition_point(|p| p.start < piece.end);
        let top = self.levels.len() - 1;
        let mut open: Vec<(usize, usize)> = vec![(top, 0)];
        while let Some((level, from)) = open.pop() {
            let reach = WIDTH.pow(level as u32);
            for at in from..from + WIDTH {
                if at * reach >= limit {
                    break;
                }
                if self.levels[level][at] <= piece.start {
                    continue;
                }
                if level > 0 {
                    open.push((level - 1, at * WIDTH));
                    continue;
                }
                if self.budget == 0 || self.pairs.len() >= Overwrites::MOST {
                    return false;
                }
                self.budget -= 1;
                self.pair(piece, self.pieces[at]);
            }
        }
        true
    }

    fn pair(&mut self, x: Piece, y: Piece) {
        let group = self.plan.union_group(x.tensor);
        if group.is_some() && group == self.plan.union_group(y.tensor) {
            return;
        }
        self.pairs.push(Overwrite {
            a: x.tensor.min(y.tensor),
            b: x.tensor.max(y.tensor),
            bytes: x.end.min(y.end) - x.start.max(y.start),
        });
    }
}

/// The exact number of pairs without listing them: at each begin, the alive ones that begin below
/// the new end less those that end at or below the new start; mates of a union are counted in the
/// same way and taken off.
fn count_pairs(pieces: &[Piece], plan: &Plan) -> u64 {
    let mut all = count_meetings(pieces);
    let mut groups: Vec<(u32, Piece)> = pieces
        .iter()
        .filter_map(|p| Some((plan.union_group(p.tensor)?, *p)))
        .collect();
    groups.sort_by_key(|(group, _)| *group);
    for mates in groups.chunk_by(|a, b| a.0 == b.0) {
        let mates: Vec<Piece> = mates.iter().map(|(_, p)| *p).collect();
        all -= count_meetings(&mates);
    }
    all
}

fn count_meetings(pieces: &[Piece]) -> u64 {
    let sorted = |key: fn(&Piece) -> u64| {
        let mut keys: Vec<u64> = pieces.iter().map(key).collect();
        keys.sort_unstable();
        keys
    };
    let (starts, ends) = (sorted(|p| p.start), sorted(|p| p.end));
    let (mut begun, mut stopped) = (Counter::new(pieces.len()), Counter::new(pieces.len()));
    let mut by_first: Vec<&Piece> = pieces.iter().collect();
    by_first.sort_by_key(|p| p.life.first);
    let mut by_last: Vec<&Piece> = pieces.iter().collect();
    by_last.sort_by_key(|p| p.life.last);
    let mut gone = by_last.into_iter().peekable();
    let below = |keys: &[u64], limit: u64| keys.partition_point(|k| *k < limit);
    let mut count = 0;
    for piece in by_first {
        while let Some(other) = gone.next_if(|o| o.life.last < piece.life.first) {
            begun.add(below(&starts, other.start), -1);
            stopped.add(below(&ends, other.end), -1);
        }
        let reach = begun.sum(below(&starts, piece.end));
        let before = stopped.sum(below(&ends, piece.start + 1));
        count += (reach - before) as u64;
        begun.add(below(&starts, piece.start), 1);
        stopped.add(below(&ends, piece.end), 1);
    }
    count
}

/// Sums over the first `n` places (a Fenwick tree).
struct Counter(Vec<i64>);

impl Counter {
    fn new(len: usize) -> Self {
        Self(vec![0; len + 1])
    }

    fn add(&mut self, place: usize, by: i64) {
        let mut i = place + 1;
        while i < self.0.len() {
            self.0[i] += by;
            i += i & i.wrapping_neg();
        }
    }

    fn sum(&self, n: usize) -> i64 {
        let (mut i, mut sum) = (n, 0);
        while i > 0 {
            sum += self.0[i];
            i -= i & i.wrapping_neg();
        }
        sum
    }
}
