"""Files that are no text in UTF-8: their kind, by how they begin, and how to make text of them."""

import codecs
import re

HEAD = 4096
"""Bytes of the beginning of a file that are looked at."""
PAGE = re.compile(rb"\s*<(!doctype )?html", re.IGNORECASE)
"""How web pages begin."""
_FEWEST_NULS = 4
_LONG = re.compile(rb"[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")

PACKED = {
    ".gz": ("a gzip file", rb"\x1f\x8b", "gunzip -k"),
    ".bz2": ("a bzip2 file", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", "bunzip2 -k"),
    ".xz": ("an xz file", rb"\xfd7zXZ\0", "unxz -k"),
    # It begins with a frame, or with one to skip, which tells tools more about it.
    ".zst": ("a zstd file", rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", "unzstd"),
}
"""How the names of packed files end, what they are, how they begin, and what unpacks them."""

_KOREAN = ("Korean in CP949", "CP949", "[가-힣]", 0.5)
# CP1252 also has the quotation marks that Latin-1 lacks.
_LATIN = (("French, German or Spanish", "CP1252"), ("Polish, Czech or Hungarian", "CP1250"))
_ENCODINGS = (
    ("Japanese in Shift-JIS", "CP932", "[ぁ-ヺ]", 0.2),
    ("Japanese in EUC-JP", "EUC-JP", "[ぁ-ヺ]", 0.2),
    ("Chinese in GB18030", "GB18030", "[的一是不了在有人这中大为上个国我以要他时来用们]", 0.07),
    _KOREAN,
    ("Russian in CP1251", "CP1251", r"\b(?:[А-ЯЁ]?[а-яё]{3,}|[А-ЯЁ]{3,})\b", 0.5),
)
"""Encodings, what tells the first that fits, and which share of the letters is of that kind.

Chinese and Korean have the same pairs of bytes, so that only frequent letters tell them apart.
Letters of CP1252 and CP1250 mostly stand alone between those of ASCII.
"""

_UNPACK = "unpack it, as `{} OLD` does"
_NO_TEXTS = (
    *((begin, "", kind, _UNPACK.format(tool)) for kind, begin, tool in PACKED.values()),
    (rb"(?s:\]\0\0..)\xff{8}", ".lzma", "an lzma file", _UNPACK.format("unlzma -k")),
    (rb"\x04\x22M\x18", ".lz4", "an lz4 file", _UNPACK.format("unlz4")),
    (
        rb"(?s:PK\x03\x04.*)(application/epub\+zip|OEBPS/)",
        ".epub",
        "an EPUB book",
        "save its text, as `pandoc -f epub -t plain OLD -o NEW` does",
    ),
    (
        # The names stand behind the 26 bytes of an entry's header.
        rb"(?s:(?=PK\x03\x04).*PK\x03\x04.{26})"
        rb"(\[Content_Types|_rels/|docProps/|mimetype|(word|xl|ppt)/[\w/]+\.xml)"
        rb"|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        ".docx .doc .odt .rtf .hwp .hwpx .pptx .ppt .xlsx .xls .ods",
        "a document of an office program",
        "save it there as plain text, a sheet as CSV",
    ),
    (rb"PK(\x03\x04|\x05\x06|\x07\x08)", ".zip", "a zip file", _UNPACK.format("unzip")),
    (rb"7z\xbc\xaf\x27\x1c", ".7z", "a 7z file", _UNPACK.format("7z x")),
    (rb"Rar!\x1a\x07", ".rar", "a rar file", _UNPACK.format("unrar x")),
    (rb"(?s:.{257})ustar(  )?\0", ".tar .tgz", "a tar file", _UNPACK.format("tar -xf")),
    (rb"PAR1\x15", "", "a parquet file", "give it a name that ends in .parquet"),
    (rb"ARROW1\0\0", ".arrow .feather", "an Arrow file", "save its text as .parquet or .jsonl"),
    (rb"%PDF-\d\.\d *[\r\n%]", ".pdf", "a PDF file", "save its text, as `pdftotext OLD NEW` does"),
)
"""How files begin that are no texts, how their names end, what they are, and what to do."""


def no_text_by_name(suffix: str) -> str | None:
    """Say what a file is whose name ends as that of no text does, and how to make one of it."""
    for _, suffixes, kind, advice in _NO_TEXTS:
        if suffix in suffixes.split():
            return f"its name is that of {kind}, expected text: {advice}"
    return None


def wide_encoding(head: bytes) -> str | None:
    """Recognise UTF-16 or UTF-32 by how a file begins; return the name that `iconv` has for it.

    A byte order mark tells it. So do NULs at every second place in most of the text, and nowhere
    else, as letters of ASCII have in UTF-16.

    >>> wide_encoding("low".encode("utf-16")), wide_encoding("a low hill".encode("utf-16-be"))
    ('UTF-16', 'UTF-16BE')
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # begins as UTF-16's does
        return "UTF-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    even, odd = head[::2].count(0), head[1::2].count(0)
    if min(even, odd) or max(even, odd) < max(_FEWEST_NULS, len(head) // 4):
        return None
    return "UTF-16BE" if even else "UTF-16LE"


def not_text(head: bytes) -> str | None:
    """Say what a file is that does not begin as a text in UTF-8, and how to make one of it.

    >>> not_text("low".encode("utf-16"))
    'found UTF-16, expected UTF-8: convert it, as `iconv -f UTF-16 -t UTF-8 OLD > NEW` does'
    >>> not_text(bytes.fromhex("fd377a585a00"))
    'found an xz file, expected text: unpack it, as `unxz -k OLD` does'
    """
    for begin, _, kind, advice in _NO_TEXTS:
        if re.match(begin, head):
            return f"found {kind}, expected text: {advice}"
    if encoding := wide_encoding(head):
        return f"found {encoding}, expected UTF-8: convert it, as {_converter(encoding)} does"
    return None


def not_utf8(line: bytes, at: int, offset: int) -> str:
    """Say that a line is not UTF-8 at a byte, which has an offset in its file, and what to do."""
    what = f"found byte 0x{line[at]:02x} at byte offset {offset} of the file"
    return f"not valid UTF-8: {what}; save it as UTF-8{other_encoding(line)}"


def other_encoding(line: bytes) -> str:
    """Say how to convert a line that is not UTF-8, by the encoding that its bytes may be of.

    Nothing is said of what no converter mends: lone surrogates, and UTF-8 that is damaged.

    >>> other_encoding("ひらがな".encode("cp932"))
    ' (if it is Japanese in Shift-JIS, `iconv -f CP932 -t UTF-8 OLD > NEW` does so)'
    """
    # Only UTF-8 spells letters in three bytes or more.
    in_letters = sum(map(len, _LONG.findall(line)))
    if re.search(rb"[\0-\x08\x0e-\x1f]", line) or 2 * in_letters > sum(b > 127 for b in line):
        return ""
    fitting = [entry[:2] for entry in _ENCODINGS if _fits(line, *entry[1:])][:1]
    if not fitting:
        may_be_korean = not re.search(rb"[a-z][\x80-\xff]+[a-z]", line)  # as no letters in Größe
        korean = [_KOREAN[:2]] if may_be_korean and _fits(line, _KOREAN[1], ".", 0) else []
        fitting = [] if in_letters else [*korean, *_LATIN]
    ways = (f"if it is {what}, {_converter(name)} does so" for what, name in fitting)
    return f" ({'; '.join(ways)})" if fitting else ""


def _fits(line: bytes, encoding: str, letters: str, least: float) -> bool:
    """Return whether a line is of an encoding, by a share of its letters that are not ASCII."""
    try:
        others = re.findall(r"[^\W\d_a-zA-Z]+", line.decode(encoding))
    except UnicodeDecodeError:
        return False
    telling = re.findall(letters, " ".join(others))
    return sum(map(len, telling)) > least * sum(map(len, others))


def _converter(encoding: str) -> str:
    """Spell the command that makes UTF-8 of a file."""
    return f"`iconv -f {encoding} -t UTF-8 OLD > NEW`"
