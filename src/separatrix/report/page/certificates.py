"""Certificates as a page shows them: what each says, in plain words, beside its own text, and how to check it again."""

from html import escape
from typing import TYPE_CHECKING, Any

from separatrix.certificates.claims.bound import bound_of, quoted
from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.report.page.markup import CHECK, text
from separatrix.selection.conclusions.separation_words import separation_words

if TYPE_CHECKING:
    from separatrix.selection.study import Study

NOT_OF_FIT = (
    "What is proved is about the classes: that they cannot all be separated does not make the planes of this fit the "
    "best of their kind."
)
OTHERWISE = "What the fit claims about itself, computed again from the rows."


def certificates(study: "Study") -> str:
    """The certificate of the separation and that of the fit."""
    return "".join([*separation_cards(study), fit_card(study)])


def separation_cards(study: "Study") -> list[str]:
    """Is there a plane at all, and how wide can its margin be."""
    proof = study.separability
    words = separation_words(proof, study.n_rows)
    found = [card("Are the classes separable?", escape(words.sentence), story(proof), words.proved)]
    widest = proof.margin_certificate
    if widest is not None:
        found.append(card("How wide can the margin be?", says(widest), str(widest), bool(widest.proof)))
    return found


def story(proof: Any) -> str:
    """The verdict in its own words; of several classes only what is known already, as pairs take time."""
    known = len(proof.classes) == 2 or {"pairs", "rest"} <= vars(proof).keys()
    return str(proof) if known else str(proof.certificate)


def fit_card(study: "Study") -> str:
    """Is the chosen classifier what it should be."""
    return claim_card(f"Is the {text(study.chosen)} fit the best of its kind?", study.certified, "classifier")


def claim_card(heading: str, fitted: Any, kind: str) -> str:
    """What the certificate of a fitted estimator says."""
    claim = getattr(fitted, "certificate_", None)
    if claim is None:
        return card(heading, f"This {kind} comes without a certificate.", "")
    proved = bool(getattr(claim, "proof", False))
    words = says(claim) if not proved or proves_fit(claim) else f"{says(claim)} {NOT_OF_FIT}"
    return card(heading, words, str(claim), proved and proves_fit(claim))


def fit_note(classifier: Any) -> str:
    """Whether the fit to all rows is proved to be the best of its kind, and how nearly."""
    claim = getattr(classifier, "certificate_", None)
    if claim is None or not proves_fit(claim):
        return "fitted to all rows"
    to = f' to <span class="option">{quoted(claim)}</span>' if bound_of(claim) else ""
    return f'<b class="good">{CHECK} best of its kind, proved{to}</b>'


def says(claim: Any) -> str:
    """What a certificate means, in its own plain words; a classifier from elsewhere may have one without any."""
    return getattr(claim, "explanation", OTHERWISE)


def card(heading: str, words: str, printed: str, proved: bool | None = None) -> str:
    """A heading with its mark, an explanation, and the text of the certificate; heading and words are HTML."""
    mark = ""
    if proved is not None and printed:
        mark = f' <b class="mark good">{CHECK} proved</b>' if proved else ' <b class="mark warn">not proved</b>'
    block = f"<pre>{''.join(map(line, clipped(printed).splitlines()))}</pre>" if printed else ""
    return f'<article class="certificate"><div><h3>{heading}{mark}</h3><p>{words}</p></div>{block}</article>'


def line(words: str) -> str:
    """A line that hangs where it is broken: below the second column, if it has two."""
    kind = ' class="entry"' if words.startswith("  ") else ""
    return f"<span{kind}>{escape(words)}</span>"


def clipped(printed: str) -> str:
    """Lines of a certificate, none of them endless, with nothing in them that a page cannot hold."""
    lines = ("".join(sign if sign.isprintable() else "?" for sign in each) for each in printed.splitlines())
    longest = 240  # characters of a line
    return "\n".join(each if len(each) <= longest else each[: longest - 1] + "…" for each in lines)


def recheck(study: Any) -> str:
    """How anyone checks it again."""
    command = getattr(study, "check", "") or "separatrix verify model.json FILE"
    return (
        "<p>Nothing here has to be taken on trust. The model file holds the certificate, and this command computes it "
        f"again from the rows:</p><pre><code>{escape(clipped(command))}</code></pre>"
    )
