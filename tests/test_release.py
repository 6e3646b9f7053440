"""What the project says of its versions in several places agrees."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from islands import __version__

ROOT = Path(__file__).resolve().parent.parent
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASES = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.removesuffix(".dev0").split("."))


def test_the_changelog_begins_with_what_is_unreleased_and_dates_every_release() -> None:
    sections = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert sections == ["[Unreleased]", *(f"[{version}] - {date}" for version, date in RELEASES)]
    assert sorted(RELEASES, key=lambda release: numbers(release[0]), reverse=True) == RELEASES


def test_the_changelog_has_no_other_headings_than_those_of_keep_a_changelog() -> None:
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)) <= KINDS


def test_the_version_is_the_newest_release_or_on_the_way_to_the_next() -> None:
    newest = RELEASES[0][0]
    assert __version__ == newest or (__version__.endswith(".dev0") and numbers(__version__) > numbers(newest))


def test_a_citation_names_the_newest_release() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {RELEASES[0][0]}\ndate-released: {RELEASES[0][1]}\n" in citation


@pytest.mark.parametrize("file", ["CHANGELOG.md", "CITATION.cff", "SECURITY.md", "docs/conf.py"])
def test_the_repository_has_one_address(file: str) -> None:
    address = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    text = (ROOT / file).read_text(encoding="utf-8")
    assert set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", text)) == {address}
