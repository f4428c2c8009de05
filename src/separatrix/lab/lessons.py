"""Eight lessons, each a few steps: what to see, in plain words, and the state in which the page shows it.

A state holds points, the methods of the slots, and the seed; where a step has none, what is there is kept. `play` says
that the run is played, `panel` which part of the page tells more. What the texts state of these points is held by
tests/lab/test_lessons.py.
"""

from typing import Any, NamedTuple

from separatrix.lab import toys


class Step(NamedTuple):
    """One step: a title, a text of paragraphs, and what the page is to show."""

    title: str
    text: str
    state: dict[str, Any] | None = None
    play: bool = False
    panel: str | None = None

    def to_message(self) -> dict[str, Any]:
        """The step as the page is sent it."""
        return self._asdict()


class Lesson(NamedTuple):
    """A lesson: its name in links, a title, what it is about in a sentence, and its steps."""

    name: str
    title: str
    text: str
    steps: tuple[Step, ...]

    def to_message(self) -> dict[str, Any]:
        """The lesson as the page is sent it."""
        return {**self._asdict(), "steps": [step.to_message() for step in self.steps]}


def state(
    toy: str, *slots: tuple[str, dict[str, Any]], seed: int = 0, n: int = 60, fit_seed: int = 0
) -> dict[str, Any]:
    """A state of the page: the points of a toy set, and the methods side by side."""
    return {
        "data": toys.toy_points(toy, seed, n).to_message(),
        "slots": [{"method": method, "options": options} for method, options in slots],
        "seed": fit_seed,
    }


def without_outlier() -> dict[str, Any]:
    """The points of the lesson on the outlier, without it."""
    points = toys.toy_points("outlier", OUTLIER_SEED, OUTLIER_POINTS).to_message()
    return {**points, **{name: points[name][1:] for name in ("x", "y", "class")}}


QUADRATIC = {"kernel": "poly", "degree": 2, "coef0": 0.0, "gamma": 1.0}
PERCEPTRON, POCKET, LINEAR, KERNEL = "perceptron, online", "pocket", "linear SVM", "kernel SVM"
OUTLIER_SEED, OUTLIER_POINTS = 2, 40
HARD, SOFT = (LINEAR, {"C": "inf"}), (LINEAR, {"C": 1.0})

CONVERGENCE = Lesson(
    "perceptron",
    "The perceptron comes to an end",
    "Each mistake moves the line, and if any line separates the points, the mistakes run out.",
    (
        Step(
            "A line that learns",
            "Two clouds of points, blue and orange. A line is to have all blue points on one side, and all orange "
            "ones on the other.\n\nThe perceptron starts without any line: w and b are 0. Then it goes through the "
            "points, one after the other.",
            state("separable", (PERCEPTRON, {}), n=40),
        ),
        Step(
            "One mistake, one step",
            "A point on its own side changes nothing. A point on the wrong side, or on the line, is a mistake: w "
            "moves by that point, towards it or away from it, so that its score becomes better. Others may get "
            "worse.\n\nPlay the run, and read below it what each update did.",
            play=True,
        ),
        Step(
            "It stops, and says why",
            "After 14 updates no point is wrong, and nothing is left to correct. The certificate says that every "
            "point was checked: this is a proof, not an impression.",
            panel="why",
        ),
        Step(
            "How many mistakes there can be",
            "Novikoff proved in 1962 that the mistakes are at most (R / gamma)^2: R is the length of the longest "
            "point, gamma the widest margin. It does not matter in which order the points come.\n\nHere the corridor "
            "between the classes is narrow: the bound allows 2,473 mistakes, and the run needs 43.",
            state("corridor", (PERCEPTRON, {}), seed=2, n=40),
            play=True,
            panel="why",
        ),
    ),
)

XOR = Lesson(
    "xor",
    "XOR: four points that no line separates",
    "A perceptron never ends on them, a proof says why, and a third dimension helps.",
    (
        Step(
            "It goes on and on",
            "Four points, the classes crosswise. The perceptron corrects one mistake and makes another. Here it stops"
            " after 20 passes, because it was told to: it would not stop by itself.",
            state("xor", (PERCEPTRON, {"max_iter": 20}), n=4),
            play=True,
        ),
        Step(
            "Why there is no line",
            "The point halfway between the two blue points is (0, 0). So is the point halfway between the two orange "
            "ones. A line that separates would need (0, 0) on both of its sides.\n\nThe button Separable? draws this:"
            " four points with weight 1/2 each, and where the hulls meet. It is computed in exact fractions.",
            panel="separable",
        ),
        Step(
            "The best that a line can do",
            "The pocket algorithm keeps the best line that it has seen: 1 of 4 points is wrong. With two classes that"
            " cross, no line has fewer.",
            state("xor", (PERCEPTRON, {"max_iter": 20}), (POCKET, {"max_iter": 20}), n=4),
        ),
        Step(
            "A third dimension",
            "The kernel (x.z)^2 works with the products x1^2, x2^2 and x1 x2 in place of x1 and x2. There the classes"
            " are on different sides of a plane: the sign of x1 x2 tells them apart. In the picture the plane looks "
            "like a cross.\n\nOpen the lift, and turn it.",
            state("xor", (KERNEL, {**QUADRATIC, "C": "inf"}), n=4),
            panel="lift",
        ),
    ),
)

POCKETS = Lesson(
    "pocket",
    "Pocket against perceptron",
    "Where classes overlap, the last line is a matter of luck, and the best one is worth keeping.",
    (
        Step(
            "Side by side",
            "The same 60 points, the same seed. On the left the perceptron, on the right the pocket algorithm, which "
            "makes the same steps and remembers the best line so far. Both get 50 passes.",
            state("overlap", (PERCEPTRON, {"max_iter": 50}), (POCKET, {"max_iter": 50}), seed=3, fit_seed=3),
            play=True,
        ),
        Step(
            "Where they end",
            "The perceptron ends wherever its last mistake took it: 12 of 60 points are wrong. The line in the pocket"
            " has 3 wrong.\n\nNeither has a proof: the pocket says of itself that whether a better line exists is not"
            " known.",
            panel="why",
        ),
        Step(
            "Is there a better line?",
            "No line is without errors here: Separable? proves that the classes overlap. That 3 errors are the fewest"
            " is proved by another function, minimum_errors in Python, which tries all that matters; for 60 points "
            "that takes a moment, for thousands it may take years.",
            panel="separable",
        ),
    ),
)

MARGIN = Lesson(
    "margin",
    "The margin, and what C costs",
    "A support vector machine looks for a wide corridor; C is the price of points inside of it.",
    (
        Step(
            "The widest corridor",
            "Many lines separate these points. The machine takes the one in the middle of the widest corridor. Only "
            "the points on its edges hold it: the support points. Move any other point a little, and nothing "
            "changes.\n\nC is infinite: no point may be inside.",
            state("separable", HARD, seed=1, n=40),
        ),
        Step(
            "Points inside cost C",
            "These classes overlap, so that no corridor is free of points. Each point inside or beyond it costs C "
            "times how far it is in. On the left C is 0.01, on the right 100.",
            state("overlap", (LINEAR, {"C": 0.01}), (LINEAR, {"C": 100.0}), seed=1),
        ),
        Step(
            "Small C, wide corridor",
            "With C = 0.01 the corridor is 4.7 wide and all 60 points are support points. With C = 100 it is 0.45 "
            "wide, and 7 points hold it. Those that are bounded count as much as C allows.\n\nMove the slider of C: "
            "the larger C, the narrower the corridor, never the other way round.",
            panel="options",
        ),
        Step(
            "Why to believe it",
            "The certificate holds two numbers: the value of this line, and a bound that no line is below. Between "
            "them is the gap, here about 1e-14 of the value. Anyone can compute both again from the points.",
            panel="why",
        ),
    ),
)

OUTLIER = Lesson(
    "outlier",
    "What one outlier does",
    "With C infinite a single point moves the line; with C = 1 it hardly does.",
    (
        Step(
            "Without it",
            "Two clouds far apart. On the left C is infinite, on the right it is 1: the lines are the same.",
            {
                "data": without_outlier(),
                "slots": [{"method": method, "options": options} for method, options in (HARD, SOFT)],
                "seed": 0,
            },
        ),
        Step(
            "With it",
            "One more blue point, close to the orange cloud. With C infinite it must be on its own side, and the line"
            " moves to the right by 0.9. With C = 1 it moves by less than 0.1: the machine pays for one point, and "
            "keeps the wide corridor.",
            state("outlier", HARD, SOFT, seed=OUTLIER_SEED, n=OUTLIER_POINTS),
        ),
        Step(
            "Drag it",
            "Drag the outlier to and fro, and see which line follows. When it is among the orange points, there is no"
            " hard margin any more, and the left side says so, with proof.",
        ),
    ),
)

NU = Lesson(
    "nu",
    "nu: errors and support points as parts of all",
    "In place of the price C one names a part of the points.",
    (
        Step(
            "A part that may be inside",
            "C is a price, and hard to guess. nu is a part of the points: at most so many are inside of the corridor "
            "or beyond it, at least so many are support points. On the left nu is 0.2, on the right 0.6.",
            state("overlap", ("nu-SVM", {"nu": 0.2}), ("nu-SVM", {"nu": 0.6}), seed=1),
        ),
        Step(
            "Count them",
            "60 points: with nu = 0.2 at most 12 may be inside, with nu = 0.6 at most 36. The larger nu, the wider "
            "the corridor.",
            panel="why",
        ),
        Step(
            "The hulls behind it",
            "nu decides how far the hulls of the classes are reduced: no point may have a weight above 2 / (nu N) in "
            "a mixture. The line is halfway between the nearest points of the reduced hulls. The layer of the hulls "
            "shows them.",
            {
                **state("overlap", ("nu-SVM", {"nu": 0.2}), ("nu-SVM", {"nu": 0.6}), seed=1),
                "layers": {"hulls": True},
            },
        ),
        Step(
            "Not every nu makes sense",
            "At nu = 0.05 the reduced hulls still meet, and the best answer is no line at all: w = 0. The warning "
            "names the nu from which on there is one, here 0.085.",
            state("overlap", ("nu-SVM", {"nu": 0.05}), seed=1),
            panel="why",
        ),
    ),
)

SIGMA = Lesson(
    "kernel",
    "The kernel and its width",
    "A narrow kernel learns every point by heart; a wide one sees little more than a line.",
    (
        Step(
            "A boundary that bends",
            "Two moons, which no line separates. The kernel exp(-gamma |x - z|^2) lets each support point act on its "
            "surroundings, sigma = 1 / sqrt(2 gamma) wide. With gamma = 2 the boundary follows the gap between the "
            "moons, and no point is wrong.",
            state("moons", (KERNEL, {"C": 10.0, "gamma": 2.0}), seed=1, n=80),
        ),
        Step(
            "Too wide, too narrow",
            "On the left gamma is 0.01: sigma is 7, wider than the picture. The boundary is nearly a line, and 11 of "
            "80 points are wrong. On the right gamma is 1,000: sigma is 0.02, and each point has an island of its "
            "own. No point is wrong, and all 80 are support points.",
            state("moons", (KERNEL, {"C": 10.0, "gamma": 0.01}), (KERNEL, {"C": 10.0, "gamma": 1000.0}), seed=1, n=80),
        ),
        Step(
            "Which one is better?",
            "The points that were learnt cannot tell: gamma = 2 and gamma = 1,000 have no errors on them. Points that"
            " were not learnt can. The curve behind the slider holds a fifth of the points out, five times: there "
            "gamma = 1,000 is wrong on a third, and gamma around 2 on none.",
            state("moons", (KERNEL, {"C": 10.0, "gamma": 2.0}), seed=1, n=80),
            panel="options",
        ),
        Step(
            "A cut through a landscape",
            "Lift the points to the height of their score. The boundary is where the surface passes the height 0.",
            panel="lift",
        ),
    ),
)

OVERLAP = Lesson(
    "overlap",
    "The proof that classes overlap",
    "Four points can show that no line separates sixty.",
    (
        Step(
            "Is there a line?",
            "A method that finds no line has proved nothing: it may have stopped too early. Here the perceptron made "
            "1,000 passes, and still does not say that there is none.",
            state("overlap", (PERCEPTRON, {}), seed=1),
            panel="why",
        ),
        Step(
            "Four points are enough",
            "Separable? finds one blue point that is a mixture of three orange ones: 0.499, 0.325 and 0.176 of them "
            "give the very same place. A line with the three orange points on one side has all their mixtures there, "
            "and so the blue point, too.",
            panel="separable",
        ),
        Step(
            "Check it by hand",
            "The sums are done in exact fractions, nothing is rounded. For two classes in the plane at most four "
            "points are needed, whatever the number of all: Carathéodory and Radon knew why.",
        ),
        Step(
            "The other answer",
            "Of points that a line does separate the proof is a line, with every point checked, and the widest margin"
            " that any line can have. There is no third answer, but for points on the line itself.",
            state("separable", (LINEAR, {"C": "inf"}), seed=1),
            panel="separable",
        ),
    ),
)

LESSONS = (CONVERGENCE, XOR, POCKETS, MARGIN, OUTLIER, NU, SIGMA, OVERLAP)


def menu() -> list[dict[str, Any]]:
    """The lessons as the page is sent them."""
    return [lesson.to_message() for lesson in LESSONS]
