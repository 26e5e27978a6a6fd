"""`tokbench demo`: a shipped config with its texts, in a folder of its own, and its run."""

import re
import shlex
from pathlib import Path

import click

from tokbench.commands import PATH, load_command, say, shipped_folder
from tokbench_commands.shared import choice_option, write_files

CONFIGS = ("bpe", "oov", "korean", "toy", "aaabdaaabac")
"""The shipped configs that need neither a download nor another library."""
TEXT = re.compile(r"\.\./corpora/([\w.]+)")


@click.command()
@click.argument("folder", type=PATH, default="tokbench-demo")
@choice_option("--config", "name", CONFIGS, "The example: English, unseen words, Korean, textbook.")
def command(folder: Path, name: str) -> int:
    """Write an example with its texts into FOLDER (tokbench-demo), and run it.

    The run is in FOLDER/run. No file is written over. Exit codes: as of `tokbench run`.
    """
    shipped = (shipped_folder("configs") / f"{name}.yaml").read_text("utf-8")
    config = folder / f"{name}.yaml"
    texts = {
        folder / text: [(shipped_folder("corpora") / text).read_bytes()]
        for text in TEXT.findall(shipped)
    }
    write_files({config: TEXT.sub(r"\1", shipped), **texts})
    say(f"config: {config} (`tokbench run {shlex.quote(str(config))}` runs it again)")
    arguments = ["-o", str(folder / "run"), "--", str(config)]
    return int(load_command("run").main(arguments, "tokbench run", standalone_mode=False))
