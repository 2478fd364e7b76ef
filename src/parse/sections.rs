//! Sections of a main dump and the columns of their tables, by header names.

/// A section of a main dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Parameters,
    Tensors,
    Nodes,
    Unions,
    Contiguous,
    Processed,
    Groups,
    Blocks,
    RefNodes,
    Total,
}

impl Section {
    pub(crate) const ALL: [Self; 10] = [
        Self::Parameters,
        Self::Tensors,
        Self::Nodes,
        Self::Unions,
        Self::Contiguous,
        Self::Processed,
        Self::Groups,
        Self::Blocks,
        Self::RefNodes,
        Self::Total,
    ];

    /// The line that begins the section, without its colon.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Parameters => "All Parameters",
            Self::Tensors => "All Tensors",
            Self::Nodes => "All Nodes",
            Self::Unions => "All Union Tensors Info",
            Self::Contiguous => "All Original Contiguous Tensors Info",
            Self::Processed => "All Processed Contiguous Tensors Info",
            Self::Groups => "All Stream Groups",
            Self::Blocks => "All Merged Blocks",
            Self::RefNodes => "All Ref Node Info",
            Self::Total => "Total Memory Size after reused",
        }
    }

    /// What a line says that could begin a section: `None` when it is no such line,
    /// `Some(None)` for a section nobody knows.
    pub(crate) fn of_header(line: &[u8]) -> Option<Option<Self>> {
        let line = line.trim_ascii();
        if !line.starts_with(b"All ") || line.contains(&b'\t') {
            return None;
        }
        let title = line.strip_suffix(b":")?.trim_ascii_end();
        let known = Self::ALL
            .into_iter()
            .find(|s| s.title().as_bytes() == title);
        Some(known)
    }

    /// The place in [`Section::ALL`].
    pub(crate) fn place(self) -> usize {
        self as usize
    }
}

/// A column of the parameter or tensor table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Index,
    /// `size` of a parameter, `size` or `aligned_size` of a tensor.
    Size,
    /// `real_size` or `original_size`.
    OriginalSize,
    Offset,
    /// `addr` or `start_addr`.
    Address,
    Type,
    Lifelong,
    LifeStart,
    LifeEnd,
    Name,
    OutIndex,
    Unknown,
}

impl Column {
    fn of_name(name: &[u8]) -> Self {
        let name = name.trim_ascii();
        let name = name.strip_suffix(b":").unwrap_or(name).trim_ascii_end();
        match name {
            b"index" => Self::Index,
            b"size" | b"aligned_size" => Self::Size,
            b"real_size" | b"original_size" => Self::OriginalSize,
            b"offset" => Self::Offset,
            b"addr" | b"start_addr" => Self::Address,
            b"type" => Self::Type,
            b"lifelong" => Self::Lifelong,
            b"life_start" => Self::LifeStart,
            b"life_end" => Self::LifeEnd,
            b"source node name" => Self::Name,
            b"node out index" => Self::OutIndex,
            _ => Self::Unknown,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Size => "aligned_size",
            Self::OriginalSize => "original_size",
            Self::Offset => "offset",
            Self::Address => "addr",
            Self::Type => "type",
            Self::Lifelong => "lifelong",
            Self::LifeStart => "life_start",
            Self::LifeEnd => "life_end",
            Self::Name => "source node name",
            Self::OutIndex => "node out index",
            Self::Unknown => "",
        }
    }
}

/// The columns of one table in the order of its header line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub(crate) order: Vec<Column>,
    /// The order in which 1.9 and later write the tensor table: the fast path reads just that.
    pub(crate) is_c_tensor_order: bool,
}

impl Columns {
    /// Reads a header line; the error names the first needed column that is missing.
    pub(crate) fn of_header(line: &[u8], section: Section) -> Result<Self, &'static str> {
        use Column as C;
        let order: Vec<C> = line.split(|b| *b == b'\t').map(C::of_name).collect();
        let has = |c: C| order.contains(&c);
        let need: &[C] = match section {
            Section::Parameters => &[C::Index, C::Size, C::Name],
            // A has neither life nor name columns; a table with one of them must have all.
            _ if has(C::LifeStart) || has(C::LifeEnd) || has(C::Name) => &[
                C::Index,
                C::Size,
                C::OriginalSize,
                C::Offset,
                C::Type,
                C::Lifelong,
                C::LifeStart,
                C::LifeEnd,
                C::Name,
            ],
            _ => &[
                C::Index,
                C::Size,
                C::OriginalSize,
                C::Offset,
                C::Address,
                C::Type,
                C::Lifelong,
            ],
        };
        if let Some(missing) = need.iter().find(|c| !has(**c)) {
            return Err(missing.name());
        }
        let c_order = [
            C::Index,
            C::Size,
            C::OriginalSize,
            C::Offset,
            C::Type,
            C::Lifelong,
            C::LifeStart,
            C::LifeEnd,
            C::Name,
        ];
        Ok(Self {
            is_c_tensor_order: order == c_order,
            order,
        })
    }

    pub(crate) fn has(&self, column: Column) -> bool {
        self.order.contains(&column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_known_by_their_words() {
        assert_eq!(
            Section::of_header(b"All Nodes:  "),
            Some(Some(Section::Nodes))
        );
        assert_eq!(Section::of_header(b"All Fancy Things:"), Some(None));
        assert_eq!(Section::of_header(b"All Nodes"), None);
        assert_eq!(Section::of_header(b"$0\tAll:"), None);
    }

    #[test]
    fn columns_by_name_with_or_without_colon() {
        let c = Columns::of_header(
            b"index:\taligned_size\toriginal_size:\toffset:\ttype:\tlifelong:\tlife_start:\tlife_end:\tsource node name:",
            Section::Tensors,
        );
        assert!(c.is_ok_and(|c| c.is_c_tensor_order));
        let a = Columns::of_header(
            b"index:\tsize:\treal_size:\toffset:\taddr:\ttype:\tlifelong:",
            Section::Tensors,
        );
        assert!(a.is_ok_and(|c| !c.is_c_tensor_order && !c.has(Column::LifeStart)));
        let cut = Columns::of_header(
            b"index:\taligned_size:\toffset:\ttype:\tlife_start:",
            Section::Tensors,
        );
        assert_eq!(cut.err(), Some("original_size"));
        let extra = Columns::of_header(
            b"index:\tnew:\tsize:\tsource node name:\tnode out index:",
            Section::Parameters,
        );
        assert_eq!(extra.map(|c| c.order.len()).ok(), Some(5));
    }
}
