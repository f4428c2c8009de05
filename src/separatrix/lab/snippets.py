"""What a person takes along: Python code and a command line that make the model that the page shows, to the bit."""

from separatrix.lab.question import Question


def python(question: Question) -> str:
    """Python code that fits the same model."""
    return question.call


def command(question: Question) -> str:
    """A command line that fits the same model."""
    return f"separatrix fit points.csv model.json --target class --seed {question.seed}"
