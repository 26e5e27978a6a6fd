"""Train a tiny transformer on the events of one system: the check at the end of `plan.md`.

It learns from the events of the training text once, and prices those of the held-out text. It runs
on one core, and uses nothing of tokbench.
"""

import math
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np

WINDOW, BATCH = 512, 16
"""Bytes of a window, at most, and windows a step."""

LAYERS, WIDTH, HEADS = 4, 128, 4
BETAS, DECAY, NORM, WARM, LEAST = (0.9, 0.95), 0.1, 1.0, 0.05, 0.1
"""AdamW, the greatest gradient norm, the share of steps to warm up, and the last rate's share."""


class Windows(NamedTuple):
    """Events of whole lines, one window in each row, after an event `begin`; -1 fills the rest.

    `bytes` are those of the text of each window.
    """

    events: np.ndarray
    bytes: np.ndarray

    def of(self, chosen: np.ndarray | slice) -> "Windows":
        """Return some of the windows."""
        return Windows(self.events[chosen], self.bytes[chosen])


def windows_of(sizes: Sequence[int]) -> list[range]:
    """Return the lines of each window: neighbours of at most 512 bytes, or one longer line.

    `sizes` are the bytes of the lines with their ends.
    """
    windows: list[range] = []
    room = 0
    for line, size in enumerate(sizes):
        if size > room or not windows:
            windows.append(range(line, line))
            room = WINDOW
        windows[-1] = range(windows[-1].start, line + 1)
        room -= size
    return windows


def fill(events: np.ndarray, row: np.ndarray, size: np.ndarray, begin: int) -> Windows:
    """Put the events of lines into windows; the events of line i begin at row[i]."""
    lines = windows_of(size.tolist())
    parts = [[begin, *events[row[part.start] : row[part.stop]].tolist()] for part in lines]
    windows = np.full((len(parts), max(map(len, parts))), -1, dtype=np.int32)
    for at, part in enumerate(parts):
        windows[at, : len(part)] = part
    return Windows(windows, np.array([size[part.start : part.stop].sum() for part in lines]))


def parameters(key: Any, events: int) -> dict[str, Any]:
    """Draw normal weights of deviation 0.02, and smaller ones that write to the residual stream."""
    keys = iter(jax.random.split(key, 1 + 4 * LAYERS))

    def drawn(*shape: int, scale: float = 0.02) -> Any:
        return scale * jax.random.normal(next(keys), shape)

    into = 0.02 / math.sqrt(2 * LAYERS)
    layers = [
        {
            "read": drawn(WIDTH, 3 * WIDTH),
            "write": drawn(WIDTH, WIDTH, scale=into),
            "up": drawn(WIDTH, 4 * WIDTH),
            "down": drawn(4 * WIDTH, WIDTH, scale=into),
            "input-norm": jnp.ones(WIDTH),
            "residual-norm": jnp.ones(WIDTH),
        }
        for _ in range(LAYERS)
    ]
    return {"embed": drawn(events, WIDTH), "layers": layers, "last": jnp.ones(WIDTH)}


def normed(x: Any, scale: Any) -> Any:
    """Divide by the root mean square."""
    return x * scale * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)


def rotated(x: Any) -> Any:
    """Turn pairs of numbers by angles that grow with the place (Su et al. 2021)."""
    places, half = x.shape[1], x.shape[-1] // 2
    angle = jnp.arange(places)[:, None] * 10_000.0 ** (-jnp.arange(half) / half)
    cos, sin = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def logits(weights: dict[str, Any], events: Any) -> Any:
    """Return the scores of the next event at each place of each window."""
    x = weights["embed"][events]
    batch, places, _ = x.shape
    seen = jnp.tril(jnp.ones((places, places), bool))
    for layer in weights["layers"]:
        read = normed(x, layer["input-norm"]) @ layer["read"]
        q, k, v = jnp.split(read.reshape(batch, places, 3 * HEADS, -1), 3, axis=2)
        scores = jnp.einsum("bqhd,bkhd->bhqk", rotated(q), rotated(k)) / math.sqrt(q.shape[-1])
        share = jax.nn.softmax(jnp.where(seen, scores, -1e9), -1)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", share, v).reshape(batch, places, WIDTH)
        x = x + mixed @ layer["write"]
        x = x + jax.nn.gelu(normed(x, layer["residual-norm"]) @ layer["up"]) @ layer["down"]
    return normed(x, weights["last"]) @ weights["embed"].T


def nats(weights: dict[str, Any], windows: Any, possible: Any) -> tuple[Any, Any]:
    """Return the nats of all events of windows, and their number."""
    before, after = windows[:, :-1], windows[:, 1:]
    scores = jnp.where(possible, logits(weights, jnp.maximum(before, 0)), -1e9)
    logs = jax.nn.log_softmax(scores, -1)
    chosen = jnp.take_along_axis(logs, jnp.maximum(after, 0)[..., None], -1)[..., 0]
    real = after >= 0
    return -(chosen * real).sum(), real.sum()


def mean_nats(weights: dict[str, Any], windows: Any, possible: Any) -> Any:
    """Return the mean nats of an event."""
    total, events = nats(weights, windows, possible)
    return total / jnp.maximum(events, 1)


def rate_at(step: Any, steps: int, peak: float) -> Any:
    """Return the rate at a step: a ramp, then a cosine down to a tenth."""
    warm = max(1, round(WARM * steps))
    done = jnp.clip((step - warm) / max(1, steps - warm), 0, 1)
    cosine = LEAST + (1 - LEAST) * (1 + jnp.cos(jnp.pi * done)) / 2
    return peak * jnp.where(step < warm, (step + 1) / warm, cosine)


@partial(jax.jit, static_argnums=(4, 5), donate_argnums=(0, 1))
def stepped(weights: Any, moments: Any, windows: Any, step: Any, steps: int, peak: float,
            possible: Any) -> tuple[Any, Any]:  # fmt: skip
    """Take one step of AdamW (Loshchilov and Hutter 2019)."""
    slopes = jax.grad(mean_nats)(weights, windows, possible)
    norm = jnp.sqrt(sum((slope**2).sum() for slope in jax.tree.leaves(slopes)))
    slopes = jax.tree.map(lambda slope: slope * jnp.minimum(1, NORM / (norm + 1e-9)), slopes)
    means, squares = moments
    a, b = BETAS
    means = jax.tree.map(lambda m, g: a * m + (1 - a) * g, means, slopes)
    squares = jax.tree.map(lambda v, g: b * v + (1 - b) * g * g, squares, slopes)
    rate = rate_at(step, steps, peak)

    def moved(weight: Any, m: Any, v: Any) -> Any:
        change = (m / (1 - a ** (step + 1))) / (jnp.sqrt(v / (1 - b ** (step + 1))) + 1e-8)
        decay = DECAY * weight if weight.ndim > 1 else 0.0
        return weight - rate * (change + decay)

    return jax.tree.map(moved, weights, means, squares), (means, squares)


def trained(windows: Windows, possible: Any, seed: int, peak: float) -> tuple[Any, int, int]:
    """Train on windows once, in a random order; return weights, steps, and bytes.

    The last windows are left out if they do not fill a step.
    """
    weights = parameters(jax.random.key(seed), len(possible))
    moments = (jax.tree.map(jnp.zeros_like, weights), jax.tree.map(jnp.zeros_like, weights))
    steps = len(windows.events) // BATCH
    order = np.random.default_rng(seed).permutation(len(windows.events))[: steps * BATCH]
    for step in range(steps):
        chosen = windows.events[order[step * BATCH : (step + 1) * BATCH]]
        weights, moments = stepped(weights, moments, chosen, step, steps, peak, possible)
    return weights, steps, int(windows.bytes[order].sum())


def priced(weights: Any, windows: np.ndarray, possible: Any) -> float:
    """Return the nats that windows cost."""
    total, batch_nats = 0.0, jax.jit(nats)
    padded = np.pad(windows, ((0, -len(windows) % BATCH), (0, 0)), constant_values=-1)
    for at in range(0, len(padded), BATCH):
        total += float(batch_nats(weights, padded[at : at + BATCH], possible)[0])
    return total


def operations(places: int, batches: int, events: int) -> float:
    """Count the floating-point operations of training: forward, and twice as many backward."""
    weights = LAYERS * 12 * WIDTH**2 + events * WIDTH
    attention = LAYERS * 2 * places * WIDTH
    return 6.0 * (weights + attention) * places * BATCH * batches


def train_and_price(
    path: Path, seed: int, rate: float, windows: int, choose: bool
) -> dict[str, Any]:
    """Train on the first windows of a file of events; return the bits per byte, with the counts.

    To `choose` a rate, hold a tenth of these windows back and price them instead of the test.
    """
    events = np.load(path)
    begin, possible = int(events["begin"]), jnp.append(events["possible"], False)
    text = fill(events["train"], events["train_row"], events["train_size"], begin)
    train = text.of(slice(windows))
    test = fill(events["test"], events["test_row"], events["test_size"], begin)
    spelled = float(events["spelled_bits"])
    if choose:
        held_back = np.arange(len(train.events)) % 10 == 9
        test, train, spelled = train.of(held_back), train.of(~held_back), 0.0
    places = train.events.shape[1] - 1
    weights, steps, learned = trained(train, possible, seed, rate)
    bits = priced(weights, test.events, possible) / math.log(2) + spelled
    return {
        "system": path.stem,
        "seed": seed,
        "rate": rate,
        "bits-per-byte": round(bits / int(test.bytes.sum()), 6),
        "steps": steps,
        "training-bytes": learned,
        "text-bytes": int(text.bytes.sum()),
        "places": places,
        "parameters": sum(leaf.size for leaf in jax.tree.leaves(weights)),
        "operations": operations(places, steps, len(possible)),
    }
