"""`islands tune`: what is typed, and what is seen at the end."""

from __future__ import annotations

import json as json_
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from islands.terminal.arguments import Json, Name, Out, Quiet
from islands.terminal.streams import stdout_kept
from islands.terminal.studies import (
    ARMS,
    WORK,
    Address,
    Evaluations,
    Instances,
    JobFile,
    Measured,
    Seconds,
    Setting,
    Workers,
    content_of,
    interruptible,
)

if TYPE_CHECKING:
    from islands.studies.tuning import Tuned, Tuning

SHOWN = 5  # candidates in the table

EXAMPLES = """
islands tune job.toml --over elite,mutation,migrate-every --evaluations 1e6

With bounds, or a choice:  islands tune job.toml --over mutation=0.1:0.9 --over "topology=none|ring|full"

Go on with it: the same command with --name. Then:  islands run runs/NAME/tuned.toml
"""

Over = Annotated[
    list[str],
    typer.Option(
        "--over", metavar="OPTIONS", rich_help_panel=ARMS,
        help="Options to search: elite,mutation; or one with bounds, elite=0:50, or values, topology=none|ring.",
    ),
]  # fmt: skip
Candidates = Annotated[
    int, typer.Option("--candidates", min=2, metavar="N", rich_help_panel=WORK, help="Sets of values that are tried.")
]
RaceSeeds = Annotated[
    int,
    typer.Option(
        "--seeds", min=6, metavar="N", rich_help_panel=WORK, help="Runs of a candidate; who is behind has fewer."
    ),
]
Fresh = Annotated[
    int,
    typer.Option(
        "--validation", min=6, metavar="N", rich_help_panel=WORK,
        help="Other seeds on which the winner is compared with the job.",
    ),
]  # fmt: skip


def tune(
    job: JobFile,
    over: Over,
    set_: Setting = None,
    candidates: Candidates = 40,
    seeds: RaceSeeds = 20,
    validation: Fresh = 60,
    evaluations: Evaluations = None,
    seconds: Seconds = None,
    instances: Instances = None,
    measure: Measured = None,
    workers: Workers = None,
    address: Address = None,
    out: Out = "runs",
    name: Name = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Search the parameters of a job; the winner is compared with the job on other seeds. Ends with a job file."""
    from islands.studies.tuning import Tuning
    from islands.terminal.studies import View

    with stdout_kept() as stdout:
        tuning = Tuning(
            content_of(job, set_, address), over, candidates=candidates, seeds=seeds, validation=validation, out=out,
            name=name, workers=workers, address=address, path=job, evaluations=evaluations, seconds=seconds,
            instances=instances, measure=measure,
        )  # fmt: skip
        view = View(quiet=quiet)
        view.say(f"searching {'; '.join(one.words for one in tuning.space)} · {tuning.directory.disk.place}")
        tuning.listen(view.tell)
        try:
            found = _conduct(tuning)
        finally:
            view.close()
        if found is None:
            view.say(f"interrupted; the same command goes on with --name {tuning.directory.disk.name}")
            return 130
        if json:
            print(json_.dumps({"options": found.options, "shown": found.shown, "file": found.file,
                               "verdicts": found.verdicts}), file=stdout)  # fmt: skip
        else:
            print_tuned(found, stdout)
        return 0


def _conduct(tuning: Tuning) -> Tuned | None:
    with interruptible(tuning):
        options = tuning.search()
        if not options:
            return None if options is None else tuning.result(options, None)
        validation = tuning.validate(options)
        return None if validation is None else tuning.result(options, validation)


def print_tuned(tuned: Tuned, stdout: TextIO) -> None:
    """The best candidates, then the winner beside the job on seeds that nobody tuned on."""
    from islands.studies.plan import arm_name
    from islands.terminal.study_table import print_arms
    from islands.terminal.tables import console_for

    console = console_for(stdout)
    arms = {arm.arm: arm for arm in tuned.candidates.arms}
    console.print(f"{len(arms)} candidates; {len(arms) - len(tuned.ranked)} were given up early", style="dim")
    print_arms(tuned.candidates, [arms[name] for name in tuned.ranked[:SHOWN]], console)
    fresh = "" if tuned.validation is None else " On seeds that were not used:"
    console.print(f"\nbest: {arm_name(tuned.options)}.{fresh}", markup=False)
    if tuned.validation is not None:
        print_arms(tuned.validation, tuned.validation.arms, console)
    for sentence in tuned.verdicts:
        console.print(sentence, markup=False)
    if tuned.options and not tuned.shown:
        console.print("Keep the job as it is, or look with a larger budget: it is not shown that tuning helps.")
    console.print(f"\n{tuned.file} · islands run {tuned.file}", style="dim", markup=False, soft_wrap=True)
