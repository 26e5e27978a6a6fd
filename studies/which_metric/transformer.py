"""A tiny transformer on the events of one system: the check at the end of `plan.md`.

    python transformer.py EVENTS.npz --seed 0 --rate 0.003 > LINE.json

trains on the events of the training text once and prices those of the held-out text. It runs on one
core, knows nothing of tokbench, and prints one line of JSON. With `--choose` it holds a tenth of
the training windows back and prices these.
"""

import argparse
import json
import math
import os
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np
from windows import BATCH, windows_of

LAYERS, WIDTH, HEADS = 4, 128, 4
BETAS, DECAY, NORM, WARM, LEAST = (0.9, 0.95), 0.1, 1.0, 0.05, 0.1
"""AdamW, the greatest gradient norm, the share of steps to warm up, and the last rate's share."""


class Windows(NamedTuple):
    """Events of whole lines, a window a row, each begun by `begin`; -1 behind the last.

    `bytes` are those of the text of each window, which is seldom full.
    """

    events: np.ndarray
    bytes: np.ndarray

    def of(self, chosen: np.ndarray | slice) -> "Windows":
        """Return some of the windows."""
        return Windows(self.events[chosen], self.bytes[chosen])


def filled(events: np.ndarray, row: np.ndarray, size: np.ndarray, begin: int) -> Windows:
    """Put the events of lines into windows; the events of line i begin at row[i]."""
    windows = windows_of(size.tolist())
    parts = [[begin, *events[row[one.start] : row[one.stop]].tolist()] for one in windows]
    held = np.full((len(parts), max(map(len, parts))), -1, dtype=np.int32)
    for at, part in enumerate(parts):
        held[at, : len(part)] = part
    return Windows(held, np.array([size[one.start : one.stop].sum() for one in windows]))


def parameters(key: Any, events: int) -> dict[str, Any]:
    """Draw the weights: normal, 0.02; what leads into the residual stream is smaller."""
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
            "first": jnp.ones(WIDTH),
            "second": jnp.ones(WIDTH),
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
        read = normed(x, layer["first"]) @ layer["read"]
        q, k, v = jnp.split(read.reshape(batch, places, 3 * HEADS, -1), 3, axis=2)
        scores = jnp.einsum("bqhd,bkhd->bhqk", rotated(q), rotated(k)) / math.sqrt(q.shape[-1])
        share = jax.nn.softmax(jnp.where(seen, scores, -1e9), -1)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", share, v).reshape(batch, places, WIDTH)
        x = x + mixed @ layer["write"]
        x = x + jax.nn.gelu(normed(x, layer["second"]) @ layer["up"]) @ layer["down"]
    return normed(x, weights["last"]) @ weights["embed"].T


def nats(weights: dict[str, Any], windows: Any, possible: Any) -> tuple[Any, Any]:
    """Return the nats that all events of windows cost, and their number."""
    before, after = windows[:, :-1], windows[:, 1:]
    scores = jnp.where(possible, logits(weights, jnp.maximum(before, 0)), -1e9)
    found = jax.nn.log_softmax(scores, -1)
    own = jnp.take_along_axis(found, jnp.maximum(after, 0)[..., None], -1)[..., 0]
    there = after >= 0
    return -(own * there).sum(), there.sum()


def mean_nats(weights: dict[str, Any], windows: Any, possible: Any) -> Any:
    """Return the mean nats of an event."""
    total, many = nats(weights, windows, possible)
    return total / jnp.maximum(many, 1)


def rate_at(step: Any, steps: int, peak: float) -> Any:
    """Return the rate at a step: a ramp, then a cosine down to a tenth."""
    warm = max(1, round(WARM * steps))
    done = jnp.clip((step - warm) / max(1, steps - warm), 0, 1)
    cosine = LEAST + (1 - LEAST) * (1 + jnp.cos(jnp.pi * done)) / 2
    return peak * jnp.where(step < warm, (step + 1) / warm, cosine)


@partial(jax.jit, static_argnums=(4, 5), donate_argnums=(0, 1))
def stepped(weights: Any, moments: Any, windows: Any, step: Any, steps: int, peak: float,
            possible: Any) -> tuple[Any, Any, Any]:  # fmt: skip
    """Take one step of AdamW (Loshchilov and Hutter 2019)."""
    loss, slopes = jax.value_and_grad(mean_nats)(weights, windows, possible)
    norm = jnp.sqrt(sum((one**2).sum() for one in jax.tree.leaves(slopes)))
    slopes = jax.tree.map(lambda one: one * jnp.minimum(1, NORM / (norm + 1e-9)), slopes)
    first, second = moments
    a, b = BETAS
    first = jax.tree.map(lambda m, g: a * m + (1 - a) * g, first, slopes)
    second = jax.tree.map(lambda m, g: b * m + (1 - b) * g * g, second, slopes)
    rate = rate_at(step, steps, peak)

    def moved(weight: Any, m: Any, v: Any) -> Any:
        found = (m / (1 - a ** (step + 1))) / (jnp.sqrt(v / (1 - b ** (step + 1))) + 1e-8)
        decay = DECAY * weight if weight.ndim > 1 else 0.0
        return weight - rate * (found + decay)

    return jax.tree.map(moved, weights, first, second), (first, second), loss


def trained(windows: Windows, possible: Any, seed: int, peak: float) -> tuple[Any, int, int]:
    """Train on windows once, in an order that the seed draws; return weights, steps, and bytes.

    The last windows are left out where they do not make a whole step.
    """
    weights = parameters(jax.random.key(seed), len(possible))
    moments = (jax.tree.map(jnp.zeros_like, weights), jax.tree.map(jnp.zeros_like, weights))
    steps = len(windows.events) // BATCH
    order = np.random.default_rng(seed).permutation(len(windows.events))[: steps * BATCH]
    for step in range(steps):
        chosen = windows.events[order[step * BATCH : (step + 1) * BATCH]]
        weights, moments, _ = stepped(weights, moments, chosen, step, steps, peak, possible)
    return weights, steps, int(windows.bytes[order].sum())


def priced(weights: Any, windows: np.ndarray, possible: Any) -> float:
    """Return the nats that windows cost."""
    total, whole = 0.0, jax.jit(nats)
    for at in range(0, len(windows), BATCH):
        some = windows[at : at + BATCH]
        more = BATCH - len(some)
        padded = np.concatenate([some, np.full((more, some.shape[1]), -1, some.dtype)])
        total += float(whole(weights, padded, possible)[0])
    return total


def operations(places: int, batches: int, events: int) -> float:
    """Count the floating-point operations of training: forward, and twice as many backward."""
    weights = LAYERS * 12 * WIDTH**2 + events * WIDTH
    attention = LAYERS * 2 * places * WIDTH
    return 6.0 * (weights + attention) * places * BATCH * batches


def main() -> None:
    """Train and price one system."""
    parser = argparse.ArgumentParser()
    parser.add_argument("events", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--windows", type=int, help="train on so many windows only")
    parser.add_argument("--choose", action="store_true")
    given = parser.parse_args()
    held = np.load(given.events)
    begin, possible = int(held["begin"]), jnp.append(held["possible"], False)
    text = filled(held["train"], held["train_row"], held["train_size"], begin)
    train = text.of(slice(given.windows))
    test = filled(held["test"], held["test_row"], held["test_size"], begin)
    spelled = float(held["spelled_bits"])
    if given.choose:
        every = np.arange(len(train.events)) % 10 == 9
        test, train, spelled = train.of(every), train.of(~every), 0.0
    places = train.events.shape[1] - 1
    start = time.perf_counter()
    weights, steps, learned = trained(train, possible, given.seed, given.rate)
    seconds = time.perf_counter() - start
    bits = priced(weights, test.events, possible) / math.log(2) + spelled
    print(json.dumps({
        "system": given.events.stem,
        "seed": given.seed,
        "rate": given.rate,
        "bits-per-byte": round(bits / int(test.bytes.sum()), 6),
        "steps": steps,
        "training-bytes": learned,
        "text-bytes": int(text.bytes.sum()),
        "places": places,
        "parameters": sum(one.size for one in jax.tree.leaves(weights)),
        "operations": operations(places, steps, len(possible)),
        "seconds": round(seconds, 1),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
