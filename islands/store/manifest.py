"""The manifest: which files of a run count, their checksums, and how far the run is. Its rename is the commit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_core import from_json

from islands.errors import Damaged
from islands.model.checkpoint import Counters
from islands.model.island_status import Count, IslandStatus, Seconds
from islands.model.messages import TrendPoint
from islands.store.files import ID, SEGMENT, STATE, checksum, group_of, npy_name

Checksum = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Id = Annotated[str, Field(pattern=f"^{ID}$")]

_HEAD, _TAIL = b'{"checksum":"', b'",'  # around the checksum of all that follows
_START = len(_HEAD) + 16 + len(_TAIL)


class Segment(BaseModel, frozen=True, extra="forbid"):
    """A Parquet file of solutions."""

    name: Annotated[str, Field(pattern=f"^{SEGMENT}$")]
    rows: Count
    checksum: Checksum | None  # None: of an older format; its solutions are verified whenever they are read


class StateFile(BaseModel, frozen=True, extra="forbid"):
    """The island states and the mail of a checkpoint."""

    name: Annotated[str, Field(pattern=f"^{STATE}$")]
    checksum: Checksum | None


class Manifest(BaseModel, frozen=True, extra="forbid"):
    """What the last commit says."""

    job: tuple[Checksum, ...] = ()  # of job.json; of two while it is being replaced; none in an older format
    commit: Count = 0
    sealed: tuple[Segment, ...] = ()  # segments that stay
    open: Segment | None = None  # the segment that the next commit replaces
    rows: Count = 0  # solutions known at the checkpoint
    total: Count = 0  # solutions on disk; those after the checkpoint are found again when the run goes on
    large: tuple[Id, ...] = ()  # the ids of all solutions, where each has a file of its own
    state: StateFile | None = None
    counters: Counters | None = None
    islands: tuple[IslandStatus, ...] = ()  # of a run that stopped: how they fared, also after the checkpoint
    trend: tuple[TrendPoint, ...] = ()  # how the costs fell
    seconds: Seconds = 0.0  # the run's age
    stopped: str | None = None

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All of them, in the order of their solutions."""
        return (*self.sealed, self.open) if self.open is not None else self.sealed

    @property
    def names(self) -> list[str]:
        """The files that count."""
        names = [segment.name for segment in self.segments] + [npy_name(id_) for id_ in self.large]
        return names if self.state is None else [*names, self.state.name]

    @property
    def groups(self) -> list[tuple[Segment, ...]]:
        """The same, those together that shards wrote in one commit: their rows are merged by position."""
        return [tuple(group) for _, group in groupby(self.segments, lambda segment: group_of(segment.name))]

    @property
    def sealed_rows(self) -> int:
        return sum(segment.rows for segment in self.sealed)

    @property
    def counted(self) -> int:
        """Solutions that an exhaustive run counted up to its checkpoint; they are not on disk."""
        return 0 if self.counters is None else self.counters.counted

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if sum(segment.rows for segment in self.segments) != self.total:
            raise ValueError("the rows of its segments are not the total")
        if self.rows > self.total or self.sealed_rows > self.rows:
            raise ValueError("the checkpoint does not lie between the sealed rows and the total")
        if self.large and len(self.large) != self.total:
            raise ValueError("it does not name as many large genomes as there are solutions")
        if (self.state is None) != (self.counters is None):
            raise ValueError("a checkpoint has a state and counters, or neither")
        return self


def packed(manifest: Manifest) -> bytes:
    """A manifest as a file: JSON whose first entry is the checksum of all that follows it."""
    body = manifest.model_dump_json(indent=1).encode().removeprefix(b"{") + b"\n"
    return _HEAD + checksum(body).encode() + _TAIL + body


def unpacked(data: bytes, name: str) -> Manifest:
    """The opposite of `packed`. Damaged where the file is not what was written; `name` says which it is."""
    body = data[_START:]
    if data[:_START] != _HEAD + checksum(body).encode() + _TAIL:
        raise Damaged(name, "it is not what was written: the checksum differs")
    return _validated(lambda: Manifest.model_validate_json(b"{" + body), name)


def unpacked_older(data: bytes, name: str, row_count: Callable[[str], int | None]) -> Manifest:
    """The manifest of format 2 or 3, without checksums. `row_count` tells the rows of a segment, None if it cannot."""
    if data.startswith(_HEAD):  # of a run that is on its way to today's format
        return unpacked(data, name)

    def upgraded() -> Manifest:
        old = from_json(data)
        if (
            not isinstance(old, dict)
            or not isinstance(old.get("sealed"), list)
            or not isinstance(old.get("total"), int)
        ):
            raise ValueError("expected a manifest")
        new = {key: value for key, value in old.items() if key != "sealed_rows"}
        names = [*old["sealed"], *([old["open"]] if old.get("open") is not None else [])]
        rows = [row_count(Segment(name=named, rows=0, checksum=None).name) for named in names]
        unknown = [place for place, known in enumerate(rows) if known is None]
        for left, place in zip(range(len(unknown), 0, -1), unknown, strict=True):  # they share what is missing
            rows[place] = (old["total"] - sum(known or 0 for known in rows)) // left
        segments = [{"name": named, "rows": n, "checksum": None} for named, n in zip(names, rows, strict=True)]
        new["sealed"] = segments[: len(old["sealed"])]
        new["open"] = segments[-1] if len(segments) > len(old["sealed"]) else None
        checkpoint = old.get("state") is not None and old.get("counters") is not None
        new["state"] = {"name": old["state"], "checksum": None} if checkpoint else None
        new["counters"] = _upgraded(old["counters"]) if checkpoint else None
        return Manifest.model_validate(new)

    return _validated(upgraded, name)


def _upgraded(counters: Any) -> Any:
    """Counters of a time when the coordinator decided when an elite dies; now its island does. ValueError: are none."""
    try:
        mail = [[*letter[:2], *letter[3:]] for letter in counters["mail"]]
        status = [{key: value for key, value in one.items() if key != "waited"} for one in counters["status"]]
        return {**counters, "mail": mail, "status": status}
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("expected the counters of a checkpoint") from error


def _validated(read: Callable[[], Manifest], name: str) -> Manifest:
    try:
        return read()
    except ValidationError as error:
        detail = error.errors()[0]
        where = ".".join(str(part) for part in detail["loc"])
        raise Damaged(name, f"{where} {detail['msg']}".strip()) from error
    except ValueError as error:
        raise Damaged(name, str(error)) from error
