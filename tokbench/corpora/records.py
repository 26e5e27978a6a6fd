"""Take texts out of records: JSON, tables, and the sentences of treebanks.

Each record is a document; the line ends in it divide it into lines. Libraries read the formats:
`json`, `csv` and, for parquet, `pyarrow`.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from os.path import isfile
from pathlib import Path
from typing import BinaryIO

from tokbench.api.files import needing
from tokbench.api.wrong_files import HEAD, PAGE, not_utf8
from tokbench.corpora.files import (
    CHUNK,
    LONGEST_LINE,
    Chunk,
    Errors,
    IssueCounter,
    check_is_text,
    check_length,
    check_marks,
    text_chunks,
)
from tokbench.corpora.opening import (
    BUFFER,
    Address,
    Kind,
    files_of,
    kind_of,
    open_raw,
    open_text,
)
from tokbench.corpora.source import Source
from tokbench.errors import EncodingError, InputError, TokbenchError
from tokbench.interchange import looks_like, recognise
from tokbench.plugins import Registry
from tokbench.printing import counted

FIELD = "text"
"""The field that holds the text, unless another is named."""
LARGEST_LIST = 250_000_000
"""The most bytes of a .json list, which takes seven times as much memory."""
ROWS = 64
"""The rows of a parquet file that are read at once."""
LOOKED_AT = 20
"""The rows that show which columns hold text, and the lines and files that show what it may be."""
FEWEST = 3
"""With fewer lines, nobody is told what a text may be."""
MOST_WORDS = 5
"""The words of a column's name."""
WAYS = "name one: `--field NAME` of a command, `field: NAME` in a config"
GOLD = "a file of gold segmentations belongs to `gold` of a config"

_QUOTED = re.compile('"([^"]|"")*"')
_LAYOUT = (
    "expected a record, `{...}`, on each line (`jq -c . OLD > NEW.jsonl` joins those over several "
    "lines), or in a .json file a list of them"
)

NumberedLines = Iterable[tuple[int, str]]
"""Lines with their ends, each with its number."""
RecordText = tuple[int, str, bool]
"""The number of a record's line or row, its text, and whether that begins a document."""


@dataclass(frozen=True)
class RecordFile:
    """A file of records, whose texts stand in a `field`; None is the field that holds the text.

    Of texts that are not valid UTF-8 `errors` says what to do, and `invalid` counts them. `see` is
    shown the bytes of the file as they are read, and `columns` takes up the column of a table that
    was chosen as the only one of texts.
    """

    path: Path
    kind: Kind
    field: str | None
    errors: Errors
    invalid: IssueCounter
    see: Callable[[bytes], object]
    columns: dict[Path, str]

    def chunks(self) -> Iterator[Chunk]:
        """Read the texts of all records in chunks of whole lines.

        Raises InputError, with the place, for what cannot be read.
        """
        text, numbers, begins = bytearray(), list[int](), list[bool]()
        for number, record, is_document in self._records():
            encoded = self._encoded(record.removesuffix("\n"), number)
            if encoded is None:
                continue
            lengths = [*map(len, encoded.split(b"\n"))]
            check_length(max(lengths), self.path, number)
            text += encoded + b"\n"
            numbers += [number] * len(lengths)
            begins += [is_document] + [False] * (len(lengths) - 1)
            if len(text) >= CHUNK:
                yield Chunk(self.path, bytes(text), numbers, begins)
                text, numbers, begins = bytearray(), [], []
        if text:
            yield Chunk(self.path, bytes(text), numbers, begins)

    def _records(self) -> Iterator[RecordText]:
        """Read the text of each record by the kind of the file."""
        if self.kind == "parquet":
            with open_raw(self.path) as file:
                yield from self._parquet(file)
            return
        with open_text(self.path) as stream:
            head = stream.peek(HEAD)
            check_is_text(head, self.path)
            if self.kind == "json" and re.match(rb"(\xef\xbb\xbf)?\s*\[", head):
                yield from self._json_list(stream)
                return
            chunks = text_chunks(stream, self.path, self.errors, self.invalid, self.see)
            lines = chain.from_iterable(chunk.lines(with_ends=True) for chunk in chunks)
            if self.kind == "conllu":
                yield from self._sentences(lines)
            elif self.kind in ("csv", "tsv"):
                yield from self._table(lines, self._delimiter(head))
            else:
                yield from self._json_lines(lines)

    def _encoded(self, text: str, number: int) -> bytes | None:
        """Return a text in UTF-8; None for one to be skipped, since it holds a lone surrogate."""
        check_marks(text, f"{self.path}:{number}")
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            if self.errors == "strict":
                what = f"the text holds the lone surrogate U+{ord(text[error.start]):04X}"
                how = "which UTF-8 cannot spell: remove it"
                raise EncodingError(f"{self.path}:{number}: {what}, {how}") from None
        self.invalid.add(f"{self.path.name}:{number}")
        if self.errors == "skip-line":
            return None
        return text.encode("utf-8", "surrogatepass").decode(errors="replace").encode()

    def _json_lines(self, lines: NumberedLines) -> Iterator[RecordText]:
        """Read one record a line; blank lines are skipped."""
        for number, line in lines:
            if line.strip():
                where = f"{self.path}:{number}"
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError) as error:
                    reason = str(error).split(": line ")[0]  # each line is line 1 of itself
                    raise InputError(f"{where}: not JSON: {reason}; {_LAYOUT}") from None
                yield number, self._text_of(value, where), True

    def _json_list(self, stream: BinaryIO) -> Iterator[RecordText]:
        """Read the records of a list, which is held in memory."""
        data = stream.read(LARGEST_LIST + 1)
        self.see(data)
        if len(data) > LARGEST_LIST:
            what = f"a list of more than {LARGEST_LIST:,} bytes: write its records as lines"
            raise InputError(f"{self.path}: {what}: `jq -c '.[]' OLD > NEW.jsonl`")
        try:
            records = originals = self._parsed(data, "strict")
        except UnicodeDecodeError as error:
            if self.errors == "strict":
                what = not_utf8(data, error.start, error.start)
                raise EncodingError(f"{self.path}: {what}") from None
            # Records that hold invalid bytes are those that differ when these are kept.
            records, originals = (self._parsed(data, way) for way in ("replace", "surrogateescape"))
        for number, (record, original) in enumerate(zip(records, originals, strict=True), 1):
            if record != original:
                self.invalid.add(f"{self.path.name}:{number}")
                if self.errors == "skip-line":
                    continue
            yield number, self._text_of(record, f"{self.path}: record {number}"), True

    def _parsed(self, data: bytes, errors: str) -> list[object]:
        """Parse a list; raises UnicodeDecodeError for invalid bytes if `errors` are strict."""
        text = data.decode(errors=errors)
        try:
            records: list[object] = json.loads(text.removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path}: not JSON: {error}") from None
        return records

    def _text_of(self, value: object, where: str) -> str:
        """Return the text of a record, which may be a text itself."""
        if isinstance(value, str) and self.field is None:
            return value
        if not isinstance(value, dict):
            raise InputError(f"{where}: found {_shown(value)}; {_LAYOUT}")
        field = self.field or FIELD
        if field not in value:
            what = f"no field {field!r}; the record has: {_listed([*value]) or 'none'}"
            raise InputError(f"{where}: {what}; {WAYS}")
        return _checked(value[field], where, field)

    def _table(self, lines: NumberedLines, delimiter: str) -> Iterator[RecordText]:
        """Read the text of each row below the first, which names the columns."""
        rows = self._rows(lines, delimiter)
        _, names = next(rows, (0, [FIELD]))
        # A column of row numbers may have no name.
        if not (self.field or FIELD in names or all(map(_is_name, names))):
            what = f"found {_listed(names)!r:.100} in the first row, expected names of columns"
            raise InputError(f"{self.path}:1: {what}; if they are, {WAYS}")
        looked_at = [*islice(rows, LOOKED_AT)]
        cells = [cells for _, cells in looked_at if len(cells) == len(names)]
        column = self._column(
            names, [any(_has_letter(row[i]) for row in cells) for i in range(len(names))]
        )
        for number, row in chain(looked_at, rows):
            if len(row) != len(names):
                many = f"found {counted(len(row), 'column')}, expected {len(names)}"
                how = "a text with a comma or a line end stands between quotation marks"
                raise InputError(f"{self.path}:{number}: {many} as in the first row; {how}")
            yield number, row[column], True

    def _delimiter(self, head: bytes) -> str:
        """Return what stands between columns: in a .csv, what its first line has most."""
        line = head.split(b"\n")[0].decode("utf-8-sig", errors="replace").rstrip("\r")
        most = max(",;\t|", key=line.count)
        if self.kind == "csv":
            return most
        is_header = line != self.field and (self.field or _is_name(line))
        if is_header and "\t" not in line and most in line:
            what = f"found {line!r:.100} without a tab, expected tabs between the columns"
            how = "give it a name that ends in .csv; if it names one column, set `field` to it"
            raise InputError(f"{self.path}:1: {what}: {how}")
        return "\t"

    def _rows(self, lines: NumberedLines, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """Read the rows of a table, each with the number of its first line.

        In a .tsv, which many write without quoting, a quotation mark opens a text of several lines
        only if the next line has other columns.
        """
        csv.field_size_limit(LONGEST_LINE)
        width, rest = 0, pairwise(chain(lines, [(0, "")]))
        for (number, line), (_, after) in rest:
            row = line.rstrip("\r\n").split("\t")
            is_open = any(cell.startswith('"') and not _QUOTED.fullmatch(cell) for cell in row)
            ends = not is_open or not after or after.count("\t") + 1 == width
            if self.kind == "tsv" and len(row) == width and ends:
                row = [
                    cell[1:-1].replace('""', '"') if _QUOTED.fullmatch(cell) else cell
                    for cell in row
                ]
            else:
                texts = chain([line], (text for (_, text), _ in rest))
                try:
                    row = next(csv.reader(texts, delimiter=delimiter, strict=True))
                except csv.Error as error:
                    what = f"{self.path}:{number}: no row of a table: {error}"
                    how = "a field that begins with a quotation mark ends with one, others double"
                    raise InputError(f"{what}; {how}") from None
            if row:
                width = width or len(row)
                yield number, row

    def _column(self, names: Sequence[str], are_texts: Sequence[bool]) -> int:
        """Choose the column: by its name, else `text`, else the only one that holds texts."""
        field = self.field or (FIELD if FIELD in names else None)
        if field is None and sum(are_texts) == 1:
            column = [*are_texts].index(True)
            self.columns[self.path] = names[column]
            return column
        if field is None:
            gold = f"; {GOLD}" * (self.kind == "tsv")
            what = f"which column is the text? {_listed(names)}: {WAYS}{gold}"
            raise InputError(f"{self.path}: {what}")
        if field not in names:
            raise InputError(
                f"{self.path}: no column {field!r}; there are: {_listed(names)}; {WAYS}"
            )
        if (many := [*names].count(field)) > 1:
            raise InputError(f"{self.path}: {many} columns {field!r}, expected one")
        return [*names].index(field)

    def _parquet(self, file: BinaryIO) -> Iterator[RecordText]:
        """Read the text of each row of a parquet file."""
        with needing("parquet", f"{self.path}: parquet"):
            from pyarrow import ArrowException, types
            from pyarrow.parquet import ParquetFile
        if not isinstance(self.path, Address):  # which is not fetched twice
            if file.read(4) != b"PAR1":
                raise InputError(f"{self.path}: not a parquet file, though its name says so")
            file.seek(0)
            for piece in iter(lambda: file.read(BUFFER), b""):
                self.see(piece)
        number = 0
        try:
            table = ParquetFile(file, buffer_size=BUFFER, pre_buffer=False)
            kinds = table.schema_arrow.types
            kinds = [kind.value_type if types.is_dictionary(kind) else kind for kind in kinds]
            are_texts = [types.is_string(kind) or types.is_large_string(kind) for kind in kinds]
            names = table.schema_arrow.names
            name = names[self._column(names, are_texts)]
            for batch in table.iter_batches(ROWS, columns=[name], use_threads=False):
                for value in batch.column(0):
                    number += 1
                    place = f"{self.path}:{number}"
                    try:
                        cell = value.as_py()
                    except UnicodeDecodeError as error:
                        what = f"the column {name} is no valid UTF-8: {error.reason}"
                        raise InputError(f"{place}: {what}") from None
                    yield number, _checked(cell, place, name), True
        except ArrowException as error:
            raise InputError(f"{self.path}: damaged parquet file: {error}") from None

    def _sentences(self, lines: NumberedLines) -> Iterator[RecordText]:
        """Read the sentences of CoNLL-U, each from its `# text =`.

        A document begins at `# newdoc`; a file without any is one.
        """
        begins, text, begin = False, "", 0
        for number, line in chain(lines, [(0, "")]):
            line = line.strip("\r\n")
            begin = begin or number
            if not line.strip():
                if text:
                    yield begin, text, begins
                    begins = False
                text, begin = "", 0
            elif line.startswith("#"):
                begins = begins or line.startswith("# newdoc")
                text = line.removeprefix("# text = ") if line.startswith("# text = ") else text
            elif not text:
                what = f"found {line!r:.100}, expected `# text = ...` before a sentence's words"
                how = "write each sentence there, or give the text as a .txt file"
                raise InputError(f"{self.path}:{number}: {what}: {how}")


def _is_name(text: str) -> bool:
    """Return whether a text may name a column: it is no number, and no sentence."""
    is_sentence = len(text.split()) > MOST_WORDS or text.endswith((".", "!", "?", "。"))
    return not text or (_has_letter(text) and not is_sentence)


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def _checked(value: object, where: str, field: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: the field {field!r} holds {_shown(value)}, expected a text")
    return value


def _listed(fields: Sequence[str]) -> str:
    return ", ".join(fields[:LOOKED_AT]) + (", ..." if fields[LOOKED_AT:] else "")


def _shown(value: object) -> str:
    return f"{json.dumps(value, default=str, ensure_ascii=False):.60}"


def looks_like_other(begin: bytes, name: str) -> str:
    """Return what a file that is read as text may be by how it begins or its name ends; else "".

    It is a web page, or its first lines are all JSON, or have as many tabs.
    """
    if PAGE.match(begin) or re.search(r"\.x?html?(\.(gz|bz2|xz|zst))?$", name.lower()):
        how = "its tags count as words; save its text, as `pandoc -f html -t plain OLD -o NEW` does"
        return f"is read as text, but looks like a web page: if it is, {how}"
    raws = [raw for raw in begin.split(b"\n", 2 * LOOKED_AT)[:-1] if raw.strip()][:LOOKED_AT]
    if len(raws) < FEWEST:
        return ""
    tabs = {raw.count(b"\t") for raw in raws}
    what, kind = "rows of a table", ".tsv" if len(tabs) == 1 and tabs != {0} else ""
    try:
        if {type(json.loads(raw)) for raw in raws} <= {dict, list}:
            what, kind = "JSON records", ".jsonl"
    except (ValueError, RecursionError):
        pass
    how = f"give it a name that ends in {kind}, and say with `field` which part is the text"
    looks = f"is read as text, but its first lines look like {what}: if they are, {how}"
    return looks if kind else ""


def looks_like_vocabulary(source: Source, registry: Registry) -> tuple[str, ...]:
    """Return what the first file of a text looks like that begins as a vocabulary, if one does."""
    files = chain.from_iterable(map(files_of, source.path if source.format == "text" else ()))
    with suppress(TokbenchError):  # whoever reads the text says what is wrong with it
        for file in islice(files, LOOKED_AT):
            if isfile(file) and kind_of(file) == "text":
                with open_text(file) as stream:
                    head = stream.read(HEAD)
                is_other = head.lstrip().startswith(b"{") or looks_like_other(head, file.name)
                if look := None if is_other else recognise(head, registry):
                    return (f"{file.name}: is read as text, but {looks_like(look)}",)
    return ()
