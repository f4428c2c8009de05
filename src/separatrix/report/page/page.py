"""The page of a study: one file of HTML that needs no network.

The conclusion comes first, then the methods, the figures, rows that matter, the certificates, the data, and how to
repeat the study; what differs between the tasks is in their own files. Text from the data is escaped.
"""

import re
from collections.abc import Callable
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from separatrix.report.page import theme
from separatrix.report.page.certificates import clipped
from separatrix.report.page.classes_page import classes_parts
from separatrix.report.page.markup import duration, sentence, text
from separatrix.report.page.novelty_page import novelty_parts
from separatrix.report.page.regression_page import regression_parts
from separatrix.report.page.sections import Parts

if TYPE_CHECKING:
    from separatrix.selection.findings import Findings

MAX_LEADS = 3  # sentences below the answer: the others have sections of their own
MAX_LARGE_TYPE = 90  # characters of an answer; longer ones are set in smaller type
PARTS: dict[str, Callable[[Any], Parts]] = {
    "classification": classes_parts,
    "regression": regression_parts,
    "novelty": novelty_parts,
}


def report_page(study: "Findings") -> str:
    """Write a study of any task as a page of HTML that needs no network.

    Parameters
    ----------
    study : Findings
        What `separatrix study` found.

    Returns
    -------
    str
        A whole page of HTML, the same for the same study.

    Examples
    --------
    >>> from separatrix.report.page.page import fill
    >>> fill("<p>[[words]]</p>", {"words": "A plane separates them."})
    '<p>A plane separates them.</p>'
    """
    answer, *others = opening(study)
    own = PARTS[getattr(study, "task", "classification")](study)
    shown = [(word, part) for word, part in own.sections if part]
    links = "".join(f'<a href="#{identity(part)}">{word}</a>' for word, part in shown if word)
    parts = {
        "light": theme.declarations(theme.LIGHT),
        "dark": theme.declarations(theme.DARK),
        "title": ", ".join(filter(None, (sentence(study.name, 60), sentence(study.target, 40)))) + ": separatrix study",
        "name": text(study.name, 60),
        "target": f", target <code>{text(study.target, 40)}</code>" if study.target else "",
        "answer": with_options(sentence(answer, 240)),
        "size": "long" if len(str(answer)) > MAX_LARGE_TYPE else "short",
        "lead": "".join(f'<p class="lead">{with_options(sentence(each))}</p>' for each in others),
        "looks": "".join(
            f'<p class="look"><b>Look first:</b> {with_options(sentence(each))}</p>' for each in suspicions(study)
        ),
        "keys": own.keys,
        "nav": f'{links}<a href="#use">Use it</a>',
        "sections": "\n\n".join(part for _, part in shown),
        "use": use(study),
        "command": escape(clipped(study.command)),
        "versions": ", ".join(f"{text(name)} {text(version)}" for name, version in study.versions.items()),
        "seed": text(study.seed),
        "seconds": duration(study.seconds),
    }
    return fill(template(), parts)


def suspicions(study: Any) -> list[str]:
    """Sentences on columns that should hardly be features."""
    return list(getattr(study, "suspicions", ()))


def with_options(words: str) -> str:
    """Options of the command line as code, which is not broken at its hyphens; percentages are not broken either.

    >>> with_options("leave it out (--drop).")
    'leave it out (<code class="option">--drop</code>).'
    >>> with_options("--metric recall chooses")
    '<code class="option">--metric recall</code> chooses'
    """
    whole = re.sub(r"(?<=\d) %", "\u00a0%", words).replace(" = ", "\u00a0=\u00a0")
    return re.sub(r"(?<!\w)--(?:metric \w+|[a-z][a-z-]*)", r'<code class="option">\g<0></code>', whole)


def use(study: Any) -> str:
    """How new rows are predicted, and how predictions of rows with a target are scored."""
    words = ("New rows, with the same columns:", "How well it does on new rows whose target is known:")
    commands = getattr(study, "use", None) or ("separatrix predict model.json new.csv",)
    return "".join(
        f"<p>{word}</p><pre><code>{escape(clipped(command))}</code></pre>"
        for word, command in zip(words, commands, strict=False)
    )


def identity(part: str) -> str:
    """The identity of a section, for a link to it."""
    return part.partition('id="')[2].partition('"')[0]


def opening(study: Any) -> list[str]:
    """The first sentences of the verdict, without the reason for the choice, which has a section of its own."""
    first, *others = study.verdict or ["A study"]
    answer, dot, rest = str(first).partition(". ")
    kept = [str(each) for each in others if str(each).casefold() != str(study.why).casefold()]
    return [answer + dot.strip(), *([rest] if rest else []), *kept[:MAX_LEADS]]


def fill(page: str, parts: dict[str, str]) -> str:
    """Replace each [[name]] of the template by its part; parts are not searched for names."""
    return re.sub(r"\[\[(\w+)\]\]", lambda found: parts[found[1]], page)


@cache
def template() -> str:
    """The HTML of the page with [[name]] for each part."""
    return files("separatrix.report.page").joinpath("page.html").read_text(encoding="utf-8")
