"""What is said, and refused, where a run is somebody else's program."""

from __future__ import annotations

from islands.errors import RunError
from islands.store.marks import key_file
from islands.store.run import Run


def withheld_words(run: Run) -> str:
    """Why a puzzle's code is not run, and what to do about it."""
    where = key_file()
    whose = "was not written by you on this machine" if where is not None else "cannot be known as yours without a home"
    return (
        f"{run.place} {whose}, and its puzzle {run.job.title} is a program. Read it ('source' in job.json), then add "
        "`trust`."
    )


def check_trust(run: Run) -> None:
    """RunError where to go on with a run would execute what somebody else wrote or named."""
    if run.trusted:
        return
    if run.job.is_withheld:
        raise RunError(withheld_words(run))
    saved = run.header["job"].get("address")
    if saved is not None and run.job.address == saved and run.job.backend != "inline":
        raise RunError(
            f"{run.place} was not written by you on this machine and joins the Ray cluster at {saved}, which can "
            "execute anything here. Add `trust` if you know it, or choose another place: `backend=inline`."
        )
