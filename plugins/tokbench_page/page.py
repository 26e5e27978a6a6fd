"""Put the page together: one file that runs its own scripts and nothing else."""

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from zlib import compress

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from tokbench.run_folder import Run
from tokbench_page.data import page_data

BUNDLE = (
    "vendor/vega.min.js",
    "vendor/vega-lite.min.js",
    "vendor/vega-embed.min.js",
    "assets/segment.js",
    "assets/page.js",
)
"""The scripts that stand deflated in the page; `unpack.js` unpacks and runs them."""

POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


CODE = re.compile("`([^`]+)`")
LINKS = {
    "unseen": "kinds",
    "coverage": "table",
    "size": "size",
    "gold": "tradeoff",
    "noise": "noise",
}
"""Where on the page there is more about a fact."""


def page(run: Run) -> str:
    """Write the page of a run."""
    data = page_data(run)
    return _template().render(data=data, packed=_packed(json.dumps(data, allow_nan=False)))


@cache
def _template() -> Template:
    """Return the template with all that each page has alike."""
    package = files("tokbench_page")
    licence = (package / "vendor" / "LICENSE").read_text("utf-8")
    bundle = "\n".join((package / name).read_text("utf-8") for name in BUNDLE)
    bundle = f"/*!\nVega, Vega-Lite, Vega-Embed\n{licence}*/\n{bundle}"
    script = (package / "assets" / "unpack.js").read_text("utf-8")
    style = (package / "assets" / "page.css").read_text("utf-8")
    environment = Environment(
        loader=PackageLoader("tokbench_page", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.globals = {
        "policy": POLICY.format(scripts=_hashes(bundle, script), styles=_hashes(style)),
        "bundle": _packed(bundle),
        "script": script,
        "style": style,
        "links": LINKS,
        "split_at_code": CODE.split,
    }
    return environment.get_template("page.html")


def _hashes(*sources: str) -> str:
    """Return the hashes by which a policy allows just these scripts or styles."""
    digests = (b64encode(sha256(source.encode()).digest()).decode() for source in sources)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _packed(text: str) -> str:
    """Deflate a text, which makes it four times smaller, and write it in base 64."""
    return b64encode(compress(text.encode())).decode()
