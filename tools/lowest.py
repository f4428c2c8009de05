"""Print the lowest versions that pyproject.toml allows, as pins: `numpy>=1.26.0` becomes `numpy==1.26.0`.

Covers what the package needs and what its tests need, so that the suite can be run with these versions.
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[^]]*\])?\s*(?:>=|~=|==)\s*(?P<bound>[\w.]+)")


def pin(requirement: str) -> str:
    """Turn one requirement into the pin of its lower bound.

    >>> pin("numpy>=1.26.0,<3")
    'numpy==1.26.0'
    """
    match = REQUIREMENT.match(requirement)
    if match is None:
        raise ValueError(f"{requirement!r} has no lower bound; write it as 'name>=version'")
    return f"{match['name']}=={match['bound']}"


def lowest(pyproject: str) -> list[str]:
    """Pins for the dependencies and the `test` extra of a pyproject.toml, given as text."""
    project = tomllib.loads(pyproject)["project"]
    return [pin(line) for line in project["dependencies"] + project["optional-dependencies"]["test"]]


if __name__ == "__main__":
    try:
        print("\n".join(lowest(PYPROJECT.read_text(encoding="utf-8"))))
    except ValueError as error:
        sys.exit(f"pyproject.toml: {error}")
