"""The documentation site: `sphinx-build -W --keep-going -b html docs build/site` (pip install -e '.[docs]').

Why Sphinx with MyST and Furo: all three are kept (last releases October 2026, November 2026, December 2025), nothing
comes from the network, and with -W every warning is an error. MkDocs had its last stable release in 2024 and its 2.0
drops plugins, the Material theme is only maintained, and Zensical, its successor, is at 0.0.x.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SOURCE = "https://github.com/puzzle-islands/puzzle-islands"
sys.path[:0] = [str(ROOT), str(DOCS)]

from islands import __version__  # noqa: E402  # from this very clone

project = "puzzle-islands"
author = "The puzzle-islands authors"
copyright = f"2026, {author}"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "fields"]
exclude_patterns = ["_static"]
smartquotes = False  # commands are copied from here
nitpicky = False  # types of NumPy and pydantic are not linked: their inventories would have to be downloaded

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

html_theme = "furo"
html_title = "puzzle-islands"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {
    "source_repository": SOURCE,
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#1f4e79", "color-brand-content": "#2866a3"},
    "dark_css_variables": {"color-brand-primary": "#8fbce6", "color-brand-content": "#8fbce6"},
}

default_role = "py:obj"  # docstrings say `canonical`: a link where it is the name of something
add_module_names = False
autodoc_default_options = {"exclude-members": "model_config"}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120
NAMES = ("ArrayLike", "Costs", "Event", "Genomes", "Matrix", "Memory", "Space", "Stored")
autodoc_type_aliases = {name: name for name in NAMES}

PAGES = {"CHANGELOG.md": "changelog.md", "README.md": "index.md"}  # files outside docs/ that the site has as well
LINK = re.compile(r"\]\((\.\./[^)#\s]+)(#[^)\s]*)?\)")


def link_to_repository(app: Any, page: str, text: list[str]) -> None:
    """Links to files outside docs/ work on GitHub as they are; the site sends them there, or to its own page."""
    folder = (DOCS / page).parent

    def target(link: re.Match[str]) -> str:
        file = (folder / link[1]).resolve()
        if file.is_relative_to(DOCS) or not file.is_relative_to(ROOT) or not file.exists():
            return link[0]
        name = file.relative_to(ROOT).as_posix()
        if name in PAGES:
            return f"]({os.path.relpath(DOCS / PAGES[name], folder)}{link[2] or ''})"
        kind = "tree" if file.is_dir() else "blob"
        return f"]({SOURCE}/{kind}/main/{name}{link[2] or ''})"

    text[0] = LINK.sub(target, text[0])


def setup(app: Any) -> None:
    app.connect("source-read", link_to_repository)
