//! What the launched tasks used: addresses and sizes, one record a task, as columns.
//!
//! Written beside the plan on Ascend with task sink (1.1 to 2.2), before the first run. Records
//! come in execution order; a name is the full scope path also where the plan prints its last part.

use super::{NameId, Names};

/// Address lists, one a record, in flat columns.
#[derive(Clone, Debug)]
pub struct AddressLists {
    starts: Vec<u32>,
    address: Vec<u64>,
    size: Vec<u64>,
}

impl Default for AddressLists {
    fn default() -> Self {
        Self {
            starts: vec![0],
            address: Vec::new(),
            size: Vec::new(),
        }
    }
}

impl AddressLists {
    /// Appends an entry to the list that is being built; an address of 0 is a null pointer.
    pub fn push_item(&mut self, address: u64, size: u64) {
        self.address.push(address);
        self.size.push(size);
    }

    /// Closes the list that was being built.
    pub fn end_row(&mut self) {
        self.starts.push(self.address.len() as u32);
    }

    /// Whether the list that is being built has entries.
    pub fn row_begun(&self) -> bool {
        self.starts.last().copied() != Some(self.address.len() as u32)
    }

    /// Drops the entries of the list that is being built.
    pub fn abandon_row(&mut self) {
        let end = self.starts.last().copied().unwrap_or(0) as usize;
        self.address.truncate(end);
        self.size.truncate(end);
    }

    /// Number of entries in all lists.
    pub fn items(&self) -> usize {
        self.address.len()
    }

    /// List `row` as pairs of address and size.
    pub fn get(&self, row: u32) -> impl ExactSizeIterator<Item = (u64, u64)> + '_ {
        let at = |i: usize| self.starts.get(i).copied().unwrap_or(0) as usize;
        let (from, to) = (at(row as usize), at(row as usize + 1));
        let range = from.min(to)..to;
        let addresses = self.address.get(range.clone()).unwrap_or(&[]);
        let sizes = self.size.get(range).unwrap_or(&[]);
        addresses.iter().copied().zip(sizes.iter().copied())
    }

    /// All entries of all lists.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.address.iter().copied().zip(self.size.iter().copied())
    }
}

/// The records of a task info file, one entry a record in every column.
#[derive(Clone, Debug, Default)]
pub struct TaskInfo {
    /// Names of the records.
    pub names: Names,
    /// Full name, without a `-NonTask` at its end.
    pub name: Vec<NameId>,
    /// Whether `-NonTask` stood there: a kernel without a task, a record without addresses.
    pub non_task: Vec<bool>,
    /// Number of tasks.
    pub tasks: Vec<u32>,
    /// Stream of the first task.
    pub stream: Vec<u32>,
    /// Line of the record's name in the file, 1-based.
    pub line: Vec<u64>,
    /// Inputs, parameters among them.
    pub inputs: AddressLists,
    /// Outputs.
    pub outputs: AddressLists,
    /// Workspaces.
    pub workspaces: AddressLists,
}

impl TaskInfo {
    /// Number of records.
    pub fn len(&self) -> u32 {
        self.name.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    /// Name of record `r`.
    pub fn name_of(&self, r: u32) -> &[u8] {
        self.name
            .get(r as usize)
            .map_or(&[], |&id| self.names.get(id))
    }

    /// Whether record `r` is a kernel without a task.
    pub fn is_non_task(&self, r: u32) -> bool {
        self.non_task.get(r as usize).copied().unwrap_or(false)
    }

    /// Every address that is not null, with its size.
    pub fn addresses(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let lists = [&self.inputs, &self.outputs, &self.workspaces];
        lists
            .into_iter()
            .flat_map(|l| l.iter())
            .filter(|(address, _)| *address != 0)
    }
}

/// What the offline log says of tensors, by printed id: their lifelong kinds, which A and B dumps
/// print as 0 or 1 only.
#[derive(Clone, Debug, Default)]
pub struct OfflineLog {
    /// Tensor id and lifelong kind, in the order of the file.
    pub lifelong: Vec<(u64, super::Lifelong)>,
}
