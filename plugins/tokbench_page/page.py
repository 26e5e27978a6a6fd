"""Put the page together: one file that runs its own scripts and nothing else."""

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from tokbench.run_folder import Run
from tokbench_page.data import page_data

BUNDLE = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")
SCRIPTS = ("segment.js", "page.js")
STYLES = ("page.css",)
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


LINKS = {
    "unseen": "kinds",
    "coverage": "table",
    "fewest-tokens": "size",
    "fewest-tokens-unseen": "bands",
    "size": "size",
    "gold": "tradeoff",
    "noise": "noise",
}
"""Where on the page there is more about a fact."""


def page(run: Run) -> str:
    """Write the page of a run."""
    here = files("tokbench_page")
    licence = (here / "vendor" / "LICENSE").read_text("utf-8")
    bundle = "\n".join((here / "vendor" / name).read_text("utf-8") for name in BUNDLE)
    scripts = [f"/*!\nVega, Vega-Lite, Vega-Embed\n{licence}*/\n{bundle}"]
    scripts += [(here / "assets" / name).read_text("utf-8") for name in SCRIPTS]
    styles = [(here / "assets" / name).read_text("utf-8") for name in STYLES]
    policy = POLICY.format(scripts=_hashes(scripts), styles=_hashes(styles))
    data = page_data(run)
    template = Environment(
        loader=PackageLoader("tokbench_page", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    ).get_template("page.html")
    return template.render(
        policy=policy, scripts=scripts, styles=styles, data=data, links=LINKS, json=_embedded(data)
    )


def _hashes(sources: list[str]) -> str:
    """Return the hashes by which a policy allows just these scripts or styles."""
    digests = (b64encode(sha256(source.encode()).digest()).decode() for source in sources)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _embedded(data: object) -> str:
    """Write JSON that neither ends the element that holds it nor opens a comment in it."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
