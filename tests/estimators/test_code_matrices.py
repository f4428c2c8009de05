"""Codes are what coding theory says: how far their words are apart, and what that corrects."""

from itertools import combinations

import numpy as np
import pytest

from separatrix import OptionError
from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.estimators.reduction.codes.adapted import adapted_code, class_separation
from separatrix.estimators.reduction.codes.bch import bch_code, nonzeros, spanning_words
from separatrix.estimators.reduction.codes.distance import distances, minimum_distance, n_corrected
from separatrix.estimators.reduction.codes.exhaustive import exhaustive_code
from separatrix.estimators.reduction.codes.local_search import search_code
from separatrix.estimators.reduction.codes.named import KINDS, length_of, named_code
from separatrix.estimators.reduction.codes.random_code import random_code
from separatrix.estimators.reduction.codes.validity import check_code
from separatrix.estimators.reduction.decoding import hamming, hinge_loss

# The code of Theodoridis and Koutroumbas, Pattern Recognition, equation (3.106).
BOOK = np.array([[-1, -1, -1, 1, -1, 1], [1, -1, 1, 1, -1, -1], [1, 1, -1, -1, -1, 1], [-1, -1, 1, -1, 1, 1]])
DECODERS = [hamming, hinge_loss]


def some_codes():
    """One of each kind, of several sizes."""
    for k in (3, 4, 5, 7, 10, 26):
        for kind in KINDS:
            if kind != "exhaustive" or k <= 7:
                separation = 1.0 + np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
                yield (
                    kind,
                    named_code(kind, k, None, np.random.default_rng(k), lambda separation=separation: separation),
                )
        yield "pairs", one_vs_one(k)
        yield "rest", one_vs_rest(k)


CODES = list(some_codes())


def assert_is_a_code(code):
    """Written without the checks of the package: rows that differ by sides, and columns that all ask something else."""
    k, length = code.shape
    assert np.isin(code, (-1, 0, 1)).all()
    assert (code.max(axis=0) == 1).all()
    assert (code.min(axis=0) == -1).all()
    columns = {tuple(column) for column in code.T.tolist()}
    assert len(columns | {tuple(-entry for entry in column) for column in columns}) == 2 * length
    sides = code.astype(np.int8)
    assert all((sides[r] * sides[r + 1 :] < 0).any(axis=1).all() for r in range(k - 1))


@pytest.mark.parametrize("decode", DECODERS)
def test_the_code_of_the_book_corrects_every_single_wrong_bit(decode):
    """All 24 words with one wrong bit of six."""
    assert minimum_distance(BOOK) == 3
    assert n_corrected(BOOK) == 1
    assert distances(BOOK)[np.triu_indices(4, 1)].min() == min(
        np.count_nonzero(one != other) for one, other in combinations(BOOK, 2)
    )
    found = [
        decode(np.where(np.arange(6) == bit, -word, word)[None].astype(float), BOOK).argmax() == number
        for number, word in enumerate(BOOK)
        for bit in range(6)
    ]
    assert len(found) == 24
    assert all(found)
    assert decode(BOOK.astype(float), BOOK).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_no_code_of_its_size_with_columns_of_its_own_does_better_than_that_of_the_book():
    seven = exhaustive_code(4)
    assert max(minimum_distance(np.delete(seven, column, axis=1)) for column in range(7)) == 3
    assert minimum_distance(search_code(4, 6, np.random.default_rng(0))) == 3


@pytest.mark.parametrize(("ternary", "seeds"), [(False, 1000), (True, 250)])
def test_random_codes_tell_all_classes_apart_and_ask_nothing_twice(ternary, seeds):
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        k = 3 + seed % 24
        kind = "ternary" if ternary else "random"
        least, usual = (k - 1).bit_length(), length_of(kind, k, None)
        length = usual if seed % 2 else int(random.integers(least, usual, endpoint=True))
        code = random_code(k, length, random, ternary)
        assert code.shape == (k, length)
        assert_is_a_code(code)


@pytest.mark.parametrize(("kind", "code"), CODES, ids=[f"{kind} {code.shape}" for kind, code in CODES])
@pytest.mark.parametrize("decode", DECODERS)
def test_a_code_corrects_as_many_wrong_classifiers_as_it_says(kind, code, decode):
    """Whichever are wrong, and whatever those say that leave the class out; the nearest other word is tried as well."""
    assert_is_a_code(code)
    wrong = n_corrected(code)
    if (code != 0).all():
        assert wrong == (int(minimum_distance(code)) - 1) // 2
    random = np.random.default_rng(0)
    for number, word in enumerate(code):
        known = np.flatnonzero(word)
        drawn = np.array([random.permutation(known)[:wrong] for _ in range(20)])
        words = np.where(word == 0, random.choice([-1, 1], size=(20, word.size)), word).astype(float)
        np.put_along_axis(words, drawn, -np.take_along_axis(words, drawn, axis=1), axis=1)
        towards = [with_wrong_bits_towards(word, code[other], wrong) for other in range(len(code)) if other != number]
        if kind in ("ternary", "pairs") and not wrong:
            continue  # with zeros, nothing need be right if nothing is corrected
        assert (decode(np.vstack([words, towards]), code).argmax(axis=1) == number).all()


def with_wrong_bits_towards(word, other, wrong):
    """A word with so many bits of another one, which also has it its way where the first is mute."""
    towards = np.where(word == 0, np.where(other == 0, 1, other), word).astype(float)
    differing = np.flatnonzero(word * other < 0)[:wrong]
    towards[differing] = other[differing]
    return towards


def test_one_wrong_classifier_more_is_too_many():
    """As many bits of the nearest word as half of the distance make it at least as near."""
    for kind, code in CODES:
        if kind in ("ternary", "pairs"):
            continue
        apart = distances(code) + np.diag(np.full(len(code), np.inf))
        one, other = np.unravel_index(apart.argmin(), apart.shape)
        towards = with_wrong_bits_towards(code[one], code[other], n_corrected(code) + 1)
        scores = (towards @ code.T)[[one, other]]
        assert scores[1] >= scores[0]


@pytest.mark.parametrize("k", range(3, 12))
def test_the_exhaustive_code_has_every_column_and_equal_distances(k):
    code = exhaustive_code(k)
    assert code.shape == (k, 2 ** (k - 1) - 1)
    assert (distances(code)[np.triu_indices(k, 1)] == 2 ** (k - 2)).all()
    assert len({tuple(column) for column in code.T.tolist()}) == code.shape[1]


def test_words_of_a_bch_code_are_as_far_apart_as_it_was_made_for():
    """All words of codes whose parameters are in every table: dimension and minimum weight."""
    for m, dimension, distance in ((3, 3, 4), (3, 4, 3), (4, 4, 8), (4, 5, 7), (4, 7, 5), (5, 6, 15), (5, 11, 11)):
        spanning = spanning_words(m, nonzeros(m, dimension))
        words = np.zeros((1, 2**m - 1), dtype=int)
        for word in spanning:
            if not (words == word).all(axis=1).any():
                words = np.vstack([words, words ^ word])
        assert len(words) == 2**dimension
        assert words[1:].sum(axis=1).min() == distance


@pytest.mark.parametrize(("k", "length"), [(5, 5), (5, 6), (5, 7), (5, 9), (5, 12), (6, 5)])
def test_the_search_finds_the_largest_minimum_distance(k, length):
    """Found by trying all sets of columns; the first class is on the positive side of each."""
    columns = exhaustive_code(k)
    apart = np.array([columns[r] != columns[s] for r, s in combinations(range(k), 2)], dtype=np.int8)
    sets = np.array(list(combinations(range(columns.shape[1]), length)))
    best = max(
        int(apart[:, part].sum(axis=2).min(axis=0).max()) for part in np.array_split(sets, 1 + len(sets) // 9999)
    )
    assert minimum_distance(search_code(k, length, np.random.default_rng(0))) == best


@pytest.mark.parametrize("k", [8, 10, 16])
def test_the_search_is_never_behind_the_bch_code_and_comes_near_the_bound_of_plotkin(k):
    """A column can tell at most k^2 / 4 of the k (k - 1) / 2 pairs apart."""
    for length in (15, 31):
        found = minimum_distance(search_code(k, length, np.random.default_rng(0)))
        assert found >= minimum_distance(bch_code(k, length, np.random.default_rng(0)))
        bound = length * (k // 2) * ((k + 1) // 2) // (k * (k - 1) // 2)
        assert bound - 1 <= found <= bound


def test_confusable_classes_come_to_be_the_farthest_apart():
    separation = np.full((10, 10), 5.0)
    for r, s in ((0, 1), (4, 7)):
        separation[r, s] = separation[s, r] = 0.5
    for seed in range(5):
        apart = distances(adapted_code(separation, 20, np.random.default_rng(seed)))[np.triu_indices(10, 1)]
        confusable = separation[np.triu_indices(10, 1)] < 1
        assert apart[confusable].mean() >= apart[~confusable].mean() + 1


def test_the_separation_of_classes_is_that_of_their_rows():
    random = np.random.default_rng(0)
    X, y, weights = random.standard_normal((60, 3)) * [1, 10, 0.1], np.arange(60) % 3, random.uniform(0, 2, 60)
    member = (y[:, None] == np.arange(3)) * weights[:, None]
    found = class_separation(member.T @ X, member.T @ X**2, member.sum(axis=0))
    means = (member.T @ X) / member.sum(axis=0)[:, None]
    within = (weights[:, None] * (X - means[y]) ** 2).sum(axis=0) / weights.sum()
    for r, s in combinations(range(3), 2):
        assert found[r, s] == pytest.approx(np.sqrt(((means[r] - means[s]) ** 2 / within).sum()))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ([[1, 1], [1, -1]], r"has 2 rows, and there are 3 classes"),
        ([[1, 1], [1, -1], [-1, 2]], r"must hold 1, -1 and 0 only. Got 2"),
        ([[1, 1], [1, -1], [-1, np.nan]], r"must hold 1, -1 and 0 only. Got nan"),
        ([[1, 1], [1, -1], [1, 0]], "no class on the negative side of column 0"),
        ([[-1, 1], [-1, -1], [0, 0]], "no class on the positive side of column 0"),
        ([[1, 1, 1], [1, -1, 1], [-1, 1, -1]], "equal columns, 0 and 2"),
        ([[1, 1, -1], [1, -1, 1], [-1, 1, -1]], "complementary columns, 1 and 2"),
        ([[1, 1], [-1, -1], [1, 1]], "equal columns, 0 and 1"),
        ([[1], [-1], [1]], "equal rows, for the classes 'a' and 'c'"),
        ([[1, 1], [-1, 1], [0, -1]], None),
        ([[1, 0], [-1, 1], [0, -1]], "the classes 'a' and 'c' on opposite sides in no column"),
        ([1, -1, 1], "must be the name of a code, or a matrix"),
        ([[], [], []], "must be the name of a code, or a matrix"),
        ([["x"], ["y"], ["z"]], "must be the name of a code, or a matrix"),
        (None, "must be the name of a code, or a matrix"),
    ],
)
def test_what_is_no_code_is_refused_and_said_why(code, words):
    classes = np.array(["a", "b", "c"])
    if words is None:
        assert check_code(code, classes).tolist() == code
        return
    with pytest.raises(OptionError, match=words):
        check_code(code, classes)


def test_names_and_lengths_that_there_are_not():
    random, nothing = np.random.default_rng(0), lambda: np.ones((9, 9))
    with pytest.raises(OptionError, match="must be one of .*'search'.* Got 'golay'"):
        named_code("golay", 9, None, random, nothing)
    with pytest.raises(OptionError, match="exhaustive code of 12 classes has 2,047 columns.* 11 classes at most"):
        named_code("exhaustive", 12, None, random, nothing)
    with pytest.raises(OptionError, match="exhaustive code of 4 classes has 7 columns. .* Got 6"):
        named_code("exhaustive", 4, 6, random, nothing)
    with pytest.raises(OptionError, match="'length' .* from 4 to 255 for 9 classes.* Got 3"):
        named_code("random", 9, 3, random, nothing)
    with pytest.raises(OptionError, match="from 3 to 15 for 5 classes.* Got 16"):
        named_code("search", 5, 16, random, nothing)
    with pytest.raises(OptionError, match="'length' parameter must be a whole number"):
        named_code("bch", 5, 7.5, random, nothing)
    for kind in KINDS:
        for length in (4, 5, 9, 30) if kind != "exhaustive" else ():
            code = named_code(kind, 9, length, random, nothing)
            assert code.shape == (9, length)
            assert_is_a_code(code)
        assert named_code(kind, 2, None, random, nothing).tolist() == [[-1], [1]]
