"""How Sphinx builds these pages: `make docs`, with every warning an error."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import separatrix

os.environ["COLUMNS"] = "100"  # how wide the examples print their tables
os.environ.setdefault("MPLBACKEND", "agg")

project = "separatrix"
author = "separatrix developers"
copyright = "separatrix developers, BSD-3-Clause"
release = version = separatrix.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "pages",  # docs/pages.py
]
exclude_patterns = ["_build", "_templates", "generated/help_*.txt"]
templates_path = ["_templates"]
default_role = "code"  # `name` in docstrings, as everywhere in scientific Python
myst_heading_anchors = 3
nitpicky = False

autosummary_generate = True
# Where a class and a function differ by a capital letter alone, some file systems see one file.
autosummary_filename_map = {
    f"separatrix.{name}": f"separatrix.{name}_class" for name in ("Separability", "Margins", "report.Replay")
}
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # docs/_templates lists them
numpydoc_class_members_toctree = False

html_theme = "furo"
html_title = "separatrix"
html_logo = html_favicon = "_static/separatrix.svg"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7fb8e0", "color-brand-content": "#7fb8e0"},
}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "reset_argv": "pages.example_arguments",
    "image_scrapers": ("pages.written_pictures",),
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "default_thumb_file": str(Path(__file__).parent / "_static" / "separatrix.svg"),
    "remove_config_comments": True,
}
