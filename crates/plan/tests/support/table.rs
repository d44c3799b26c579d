//! Tables of cases as text: a line each, its cells between ` => `, in which `\n` ends a line.

/// The rows of a table, each of `N` cells.
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [String; N]> {
    let lines = table.lines().filter(|line| !line.is_empty());
    lines.map(|line| {
        let cells: Vec<_> = line
            .split(" => ")
            .map(|cell| cell.replace("\\n", "\n"))
            .collect();
        cells
            .try_into()
            .unwrap_or_else(|_| panic!("not {N} cells: {line}"))
    })
}
