"""Debiased columns for responses in a Parquet file, a block of rows at a time; needs pyarrow."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from .coded_columns import CodedFile, Kept
from .tables import BLOCK, no_parquet, parquet_batches, parquet_libraries, refuse_twice

ARROW = b"ARROW:schema"  # how a file's columns stood in the memory of who wrote it


def write_parquet(
    source: BinaryIO, into: BinaryIO, coded_file_of: Callable[[Sequence[str]], CodedFile]
) -> tuple[CodedFile, int]:
    """Write the rows of one file with their columns into another; how many. Raises TableError."""
    pyarrow, parquet = parquet_libraries()
    try:
        file = parquet.ParquetFile(source)
        refuse_twice(file.schema_arrow.names)
        coded = coded_file_of(file.schema_arrow.names)
        fields = [
            pyarrow.field(coded.added[at], pyarrow.float64())
            if is_made
            else file.schema_arrow.field(at)
            for is_made, at in coded.order
        ]
        schema, count = pyarrow.schema(fields), 0
        with parquet.ParquetWriter(into, schema, store_schema=False) as writer:
            kept = file.metadata.metadata or {}
            writer.add_key_value_metadata({k: v for k, v in kept.items() if k != ARROW})
            for batch in filter(len, parquet_batches(file, BLOCK)):
                made = list(_made(coded, batch, count))
                columns = [
                    pyarrow.array(made[at], pyarrow.float64()) if is_made else batch.column(at)
                    for is_made, at in coded.order
                ]
                writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
                count += batch.num_rows
    except pyarrow.ArrowException as problem:
        raise no_parquet(problem) from None
    return coded, count


def _made(coded: CodedFile, batch: Any, before: int) -> Iterator[list[float | None]]:
    """The columns that are made of a block of rows, of which so many stand before."""
    for maker in coded.makers:
        kept, places = Kept(maker), maker[0]
        read = [[_cell(cell) for cell in batch.column(place).to_pylist()] for place in places]
        rows = []
        for row, cells in enumerate(zip(*read, strict=True)):
            try:
                rows.append(kept[cells])
            except KeyError:
                whole = [_cell(batch.column(n)[row].as_py()) for n in range(batch.num_columns)]
                raise coded.refusal(f"row {before + row + 1}", whole) from None
        for column in zip(*rows, strict=True):
            yield [float(text) if text else None for text in column]


def _cell(cell: object) -> str:
    return "" if cell is None else str(cell)
