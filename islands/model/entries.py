"""What the entries of a job may be: numbers with their limits, `all` and `auto`; and what is said of any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, Field, PlainSerializer, ValidationError, WrapValidator

from islands.errors import UsageError, expected, quoted, unknown
from islands.writing.words import seconds

MOST_ISLANDS = 4096
ALL = 10**15  # more than any run finds: it ends when no more exist
_TYPES = ("str", "list[list[int]]")  # what pydantic adds to the name of an entry that may be either


def _number(value: Any) -> Any:
    """`true` is an int in Python, and 1 is not what it means."""
    if isinstance(value, bool):
        raise ValueError("expected a number")
    return value


Whole = Annotated[int, BeforeValidator(_number)]
Real = Annotated[float, BeforeValidator(_number)]
Count = Annotated[Whole, Field(ge=1, le=ALL)]
Wanted = Annotated[
    Count,
    BeforeValidator(lambda value: ALL if value == "all" else value),
    PlainSerializer(lambda value: "all" if value == ALL else value, when_used="json"),
]


def _whole(value: Any) -> Any:
    """1e6 is a whole number, too."""
    try:
        number = float(value) if isinstance(value, str) and "e" in value.lower() else value
    except ValueError:
        return value
    return int(number) if isinstance(number, float) and number.is_integer() else value


Work = Annotated[Count, BeforeValidator(_whole)]


class _Auto(int):
    """Not any 0 that somebody gives."""


def _or_auto(auto: int) -> WrapValidator:
    """A number, or `auto`, which any error names."""

    def checked(value: Any, check: Callable[[Any], int]) -> int:
        if isinstance(value, _Auto) or value == "auto":
            return auto
        try:
            return check(value)
        except ValidationError as error:
            raise ValueError(f"{expected(error.errors()[0])}, or auto") from error

    return WrapValidator(checked)


AUTO = _Auto(0)  # islands: as many as there are CPUs
Islands = Annotated[
    Whole,
    Field(ge=1, le=MOST_ISLANDS),
    _or_auto(AUTO),
    PlainSerializer(lambda value: value or "auto", when_used="json"),
]
MOST_SHARDS = 256
AS_NEEDED = _Auto(-1)  # shards: where a cluster has many islands and millions are asked for
Shards = Annotated[
    Whole,
    Field(ge=0, le=MOST_SHARDS),
    _or_auto(AS_NEEDED),
    PlainSerializer(lambda value: "auto" if value == AS_NEEDED else value, when_used="json"),
]
CROWD = 64  # islands that one coordinator serves with epochs as short as the recipes say
BY_ISLANDS = _Auto(0)  # stretch: 1 up to CROWD islands, then in proportion to their number
Stretch = Annotated[
    Whole,
    Field(ge=1, le=10_000),
    _or_auto(BY_ISLANDS),
    PlainSerializer(lambda value: value or "auto", when_used="json"),
]
Wait = Annotated[float, Field(ge=0, le=30 * 86400, allow_inf_nan=False), BeforeValidator(lambda value: seconds(value))]


class Checked(BaseModel, frozen=True, extra="forbid"):
    """A model whose entries people write."""

    @classmethod
    def checked(cls, data: dict[str, Any], *, options: bool = False) -> Self:
        """The validated model, or a UsageError that names the entry of a file, or the one of flat `options`."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise UsageError("\n".join(_explain(cls, detail, options) for detail in error.errors())) from error


def _entries(model: type[BaseModel], table: str) -> list[str]:
    """What a model may have, or one of its tables: "migration.topology"."""
    inner = model.model_fields[table].annotation if table in model.model_fields else None
    if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
        return list(model.model_fields)
    return [f"{table}.{name}" for name in inner.model_fields]


def _explain(model: type[BaseModel], detail: Any, options: bool) -> str:
    name = ".".join(str(part) for part in detail["loc"] if part not in _TYPES)
    if detail["type"] == "extra_forbidden":
        return str(unknown("entry", name, _entries(model, str(detail["loc"][0]) if len(detail["loc"]) > 1 else "")))
    if options:
        return f"`{name.rpartition('.')[2]}={quoted(detail['input'])}`: {expected(detail)}."
    return f"{name} {quoted(detail['input'])}: {expected(detail)}."
