"""What theory says: pure functions of plain numbers and arrays, each with its source. One idea per file."""
