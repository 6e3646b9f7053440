"""Events in words."""

from __future__ import annotations

from islands.errors import as_options
from islands.model.job import Job, cpus
from islands.model.messages import Event
from islands.model.place import islands_per_node, node_of
from islands.model.title import title
from islands.writing.words import duration, many, number


def opening(job: Job) -> str:
    """What begins: magic-square size=4 · 2 islands · recipe fast · seed 1"""
    how = "the whole space" if job.stop.exhaustive else f"recipe {job.recipe}"
    parts = [title(job), many(job.islands or 1, "island"), how]
    return " · ".join([*parts, f"seed {job.seed}", *(["not repeatable (--race)"] if job.race else [])])


def rounded_population(job: Job) -> str:
    """What becomes of a population that does not fit the families of a recipe; empty where it fits."""
    for recipe in job.recipes():
        if job.population is not None and recipe.population != job.population:
            families = f"its crossover makes families of {recipe.multiple}"
            return f"population {number(recipe.population)} instead of {number(job.population)}: {families}"
    return ""


def sentence(event: Event, job: Job, verbose: bool) -> str | None:
    """An event in words; None for those that are not worth a line."""
    match event["event"]:
        case "hand-over":
            return f"joining the Ray cluster at {job.address} …" if job.address else "starting Ray …"
        case "ray-ready":
            where = f"the cluster at {job.address}" if job.address else many(cpus(), "CPU")
            return f"on Ray after {duration(event['took'])}: {many(job.islands or 1, 'island')} on {where}"
        case "ray-lost":
            return f"Ray was lost: {as_options(event['reason'])} The islands are in this process until it is back"
        case "shards" if event["shards"]:
            return f"the archive is in {many(event['shards'], 'shard')}{_from(event)}"
        case "shards" if event.get("waits"):
            return f"without their shards the islands wait: what is known would take as long to read{_from(event)}"
        case "shards":
            return f"the archive is in this process again, without shards{_from(event)}"
        case "no-shards":
            return f"the archive stays in this process: {as_options(event['reason'])}"
        case "shard-lost":
            return f"shard {event['shard']} was lost ({event['reason']}); it learns again what is known"
        case "stay":
            return f"staying in this process: {as_options(event['reason'])}"
        case "recovery" if event["race"]:
            return f"{_damaged(event['files'])}; a race cannot be repeated, so that it goes on with what can be read"
        case "recovery":
            return f"{_damaged(event['files'])}; the run begins again from its seed and finds everything again"
        case "recovered" if event["missing"]:
            return f"{many(event['missing'], 'solution')} of the damaged files could not be found again"
        case "recovered":
            return f"everything is found again: {many(event['total'], 'solution')}"
        case "recovery-pause":
            found = f"{number(event['found'])} of {many(event['total'], 'solution')}"
            return f"{found} are found again so far; `islands resume` goes on with it"
        case "elite-death" if verbose:
            return f"island {event['island']}: elite death in generation {number(event['generation'])}"
        case "checkpoint" if verbose:
            return f"saved at epoch {number(event['epoch'])}, {number(event['total'])} found"
        case "solutions" if verbose:
            return f"island {event['island']}: {number(event['new'])} new at epoch {number(event['epoch'])}"
    return _about_places(event, job)


def _from(event: Event) -> str:
    """How far a run goes back; of an older version it is not known. More may have been shown before."""
    if not event.get("total"):
        return ""
    return f"; the run goes on from its checkpoint, with {number(event['total'])} found, and finds the others again"


def _about_places(event: Event, job: Job) -> str | None:
    """What happens to an island where it lives."""
    node = node_of(event.get("place", ""))
    who = f"island {event.get('island')}" + (f" on {node}" if node else "")
    match event["event"]:
        case "waiting":
            limit = duration(event["limit"])
            return f"waiting up to {limit}, Ctrl-C leaves: {as_options(event['reason'])}"
        case "node-left-out":
            return f"node {event['node']} hosts no island: {as_options(event['reason'])}"
        case "placed":
            hosted = islands_per_node(event["places"].values())
            if len(event["places"]) == job.islands and len(hosted) > 1:
                return (
                    f"the islands live on {len(hosted)} nodes: {', '.join(f'{n} on {on}' for on, n in hosted.items())}"
                )
        case "slow":
            slow = f"{who} takes {event['times']:g} times as long as the others"
            return slow if job.race else f"{slow}, and they wait for it; a run with --race does not wait"
        case "move":
            return f"island {event['island']} moves from {node_of(event['from'])} to {node_of(event['to'])}"
        case "island-lost":
            return f"{who} was lost ({event['reason']}); it starts again from its last state"
    return None


def _damaged(names: list[str]) -> str:
    """solutions/part-000004.parquet and 2 other files are damaged"""
    if len(names) == 1:
        return f"{names[0]} is damaged"
    return f"{names[0]} and {many(len(names) - 1, 'other file')} are damaged"
