"""The data that a page holds, deflated in base 64."""

import json
import re
import zlib
from base64 import b64decode
from typing import Any


def packed(html: str, name: str) -> str:
    """Return the text that the element of that id holds."""
    (text,) = re.findall(rf'<script type="text/plain" id="{name}">(.*?)</script>', html, re.S)
    return zlib.decompress(b64decode(text, validate=True)).decode()


def data_of(html: str) -> Any:
    """Return the data of a page."""
    return json.loads(packed(html, "data"))
