from typing_extensions import Buffer

def add_up(
    sums: Buffer,
    values: Buffer,
    items: Buffer,
    ends: Buffer,
    weights: Buffer | None,
    columns: int,
    size: int,
    /,
) -> None: ...
