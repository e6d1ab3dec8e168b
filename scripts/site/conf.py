"""Sphinx over the pages that pages.py has collected. Paths are those of scripts/docs."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/python"))

project = "GSU, the GPU Sync Unit"
html_title = f"GSU {os.environ.get('GSU_VERSION', '')}"
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False

# Pages are written for GitHub: its anchors of headings, its tables, HTML comments.
myst_heading_anchors = 4
# A block of JSON or PTX with "..." in it is no error of the page. Doxygen lists a structure of C and its typedef of the same name as two declarations.
suppress_warnings = ["misc.highlighting_failure", "duplicate_declaration.c", "duplicate_declaration.cpp"]

breathe_projects = {"gsu": str(pathlib.Path(os.environ.get("GSU_DOCS", ROOT / "out/docs")).resolve() / "xml")}
breathe_default_project = "gsu"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_default_members = ("members",)

# The package is read, not built, so the packages that it imports are not needed.
autodoc_mock_imports = ["gsu._native", "numpy", "pyarrow", "yaml", "plotly", "distributed"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
