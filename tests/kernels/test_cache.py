"""Where the product keeps what it can make again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from islands.kernels import cache


def test_the_variable_of_the_user_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "puzzle-islands"
    assert not cache.cache_folder().exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other places")
def test_the_usual_place_on_linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "puzzle-islands"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pwd")
def test_a_user_without_a_home_gets_a_new_private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(number: int) -> None:
        raise KeyError(number)

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache._folder_of_this_process.cache_clear()
    folder = cache.cache_folder()
    cache._folder_of_this_process.cache_clear()
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o077 == 0
