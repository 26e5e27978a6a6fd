"""`tokbench figure`: a chart of a run as a file for a paper."""

from pathlib import Path

import click

from tokbench.api import UsageError
from tokbench.commands import PATH, needing
from tokbench.printing import printable
from tokbench_commands.shared import check_absent, read_run, reading, write_files

KINDS = ("sizes", "bands", "scatter", "intervals")
FORMATS = (".pdf", ".svg", ".png")
DOTS_PER_INCH = 300


@click.command()
@click.argument("run", type=PATH)
@click.argument("kind", type=click.Choice(KINDS))
@click.option("-o", "--output", type=PATH, required=True, help="The file: .pdf, .svg or .png.")
@click.option("--metric", multiple=True, help="The metric; for scatter two, across and up.")
@click.option("--system", multiple=True, help="The systems [default: all].")
@click.option("--corpus", default="", help="The test corpus [default: the first with the metric].")
@click.option("--subset", default="all", help="The words: all, unseen, band:1, ...")
@click.option("--size", default="", help="The vocabulary size of bands and intervals.")
def command(run: Path, kind: str, output: Path, **options: object) -> None:
    r"""Draw a chart of a run for a paper, and print a caption.

    RUN is a folder that `tokbench run` wrote. KIND is a metric by vocabulary size (sizes), by how
    often the training text has a word (bands), against another metric (scatter), or of each system
    with its 95 % interval (intervals). The text is readable at the width of a column:
    \includegraphics[width=\columnwidth]{FILE}. It needs `pip install 'tokbench[figures]'`.
    """
    if output.suffix not in FORMATS:
        ending = repr(output.suffix) if output.suffix else "no ending"
        raise UsageError(f"-o: {output}: found {ending}, expected one of {', '.join(FORMATS)}")
    check_absent(output)
    with needing("figures", "`tokbench figure`"):
        import vl_convert

    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench_page.figures import figure
    from tokbench_views.views import OneTable

    loaded = read_run(run)
    with reading(run):
        drawn = figure(loaded, kind, OneTable(**options))
    match output.suffix:
        case ".svg":
            content = vl_convert.vegalite_to_svg(drawn.spec).encode()
        case ".png":
            content = vl_convert.vegalite_to_png(drawn.spec, ppi=DOTS_PER_INCH)
        case _:
            content = vl_convert.vegalite_to_pdf(drawn.spec)
    write_files({output: [content]})
    click.echo(printable(f"Written: {output}\nCaption: {drawn.caption}"))
