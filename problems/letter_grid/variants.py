"""Letter grids with other rules: puzzles of the family of sudoku whose values are letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from islands.errors import UsageError
from islands.model.problem import made
from problems.letter_grid.target import USUAL
from problems.letter_grid.words import box_of, spelt
from problems.sudoku.family.names import VARIANTS, parsed
from problems.sudoku.family.puzzle import Variant
from problems.sudoku.grid import Parsed
from problems.sudoku.symbols import box_text

Fields = dict[str, Any]
LETTERED = tuple(name for name, about in VARIANTS.items() if about.groups is not None or about.apart is not None)
OWN = ("target", "line", "reversed", "tournament_size", "rotation")  # options of letter grids without other rules


def checked(variant: str) -> tuple[str, ...]:
    """The names of variants that letters can have: no values are added or compared."""
    names = parsed(variant)
    for name in names:
        if name not in LETTERED:
            raise UsageError(f"`variant={name}` is not for letters; expected some of {', '.join(LETTERED)}.")
    return names


def with_rules(parse: Callable[[str, Fields], list[Parsed]], fields: Fields) -> Variant:
    """The puzzle that these fields of a letter grid are."""
    names = checked(fields["variant"])
    if own := next((name for name in OWN if fields.get(name) not in (None, "none", False)), None):
        raise UsageError(f"`{own}` and `variant` exclude each other; leave one of them out.")
    givens = fields.get("givens") or ()
    if isinstance(givens, str):
        (_, read), *more = parse(givens, fields)
        if more:
            raise UsageError(f"{len(more) + 1} puzzles, expected one.")
        fields = {**fields, **read}
        givens = fields["givens"]
    try:
        word = spelt(str(fields.get("word") or USUAL))
    except ValueError as error:
        raise UsageError(f"`word={fields.get('word')!r}`: {error}.") from error
    kept: Fields = {name: fields[name] for name in ("number", "level") if name in fields}
    box = box_text(box_of(word))
    cells = tuple(givens) or (0,) * len(word) ** 2
    return made(Variant, {**kept, "word": word, "box": box, "givens": cells, "variant": ",".join(names)})
