"""Files that are dropped on the page: what is read, suggested, drawn and refused."""

import base64

import numpy as np
import pytest

from separatrix.data.samples import builtin
from separatrix.lab.answers import answers
from separatrix.lab.points import points_of

FRUIT = "size;weight;kind;ripe\n1,5;2;plum;1\n2,5;3;pear;0\n2,25;;pear;1\n3;1;fig;0\n"


def ask(do, text, name="fruit.csv", **how):
    content = text if isinstance(text, bytes) else text.encode()
    return list(answers({"id": 3, "do": do, "name": name, "text": base64.b64encode(content).decode(), **how}))


def error_of(*how, **more):
    *_, error = ask(*how, **more)
    assert error["kind"] == "error"
    return error["message"]


def table_of_iris():
    iris = builtin("iris")
    lines = [",".join([*map(repr, row), label]) for row, label in zip(iris.X.tolist(), iris.labels, strict=True)]
    return "\n".join([",".join([*iris.feature_names, "species"]), *lines])


def test_a_file_is_read_and_two_columns_are_drawn():
    table, points = ask("read", FRUIT)
    assert [column["name"] for column in table["columns"]] == ["size", "weight", "kind", "ripe"]
    assert [column["numeric"] for column in table["columns"]] == [True, True, False, True]
    assert (table["target"], table["rows"]) == ("kind", 4)
    assert "decimal" in table["text"]
    data = points["data"]
    assert data["classes"] == ["fig", "pear", "plum"]
    assert data["names"] == [table["x"], table["y"]]
    points_of(data)


def test_columns_are_chosen():
    (points,) = ask("columns", FRUIT, x="size", y="weight", target="ripe")
    assert points["data"]["x"] == [1.5, 2.5, 3.0]
    assert points["data"]["y"] == [2.0, 3.0, 1.0]
    assert points["data"]["class"] == [1, 0, 0]
    assert points["data"]["classes"] == ["0", "1"]
    assert "1 row with a missing value left out" in points["text"]


def test_the_pair_that_tells_classes_apart_is_suggested():
    table, points = ask("read", table_of_iris(), name="iris.csv")
    assert table["target"] == "species"
    assert {table["x"], table["y"]} == {"petal length (cm)", "petal width (cm)"}
    assert points["data"]["classes"] == ["setosa", "versicolor", "virginica"]
    assert len(points["data"]["x"]) == 150


def test_a_projection_keeps_the_distances_from_the_plane():
    lines = table_of_iris().splitlines()
    two = "\n".join([lines[0], *lines[51:]])  # versicolor and virginica
    (points,) = ask("project", two, target="species")
    X, y = np.column_stack([points["data"]["x"], points["data"]["y"]]), np.array(points["data"]["class"])
    assert points["data"]["names"][0] == "distance from the plane"
    assert np.mean((X[:, 0] > 0) == y) > 0.95
    (three,) = ask("project", table_of_iris(), target="species")
    assert len(three["data"]["x"]) == 150
    points_of(three["data"])


def test_many_rows_are_thinned_with_a_word():
    text = "a,b,c\n" + "".join(f"{i},{i % 7},{'no' if i % 10 else 'yes'}\n" for i in range(6000))
    _, points = ask("read", text)
    assert len(points["data"]["x"]) == 5000
    assert "5,000 of 6,000 rows are drawn" in points["text"]
    assert abs(sum(points["data"]["class"]) - 500) <= 1


def test_without_classes_all_points_are_of_one():
    table, points = ask("read", "a,b\n" + "".join(f"{i}.5,{i * i}\n" for i in range(9)))
    assert table["target"] is None
    assert set(points["data"]["class"]) == {0}


@pytest.mark.parametrize(
    ("text", "how", "sentence"),
    [
        ("", {}, "nothing in it"),
        ("a,b\n", {}, "."),
        ("a,b,c\nx,y,z\nu,v,w\n", {}, "0 columns of numbers"),
        (b"\xff\xfe\x00\x01\x02", {}, "."),
        (b"PK\x03\x04rest", {"name": "a.xlsx"}, "not .xlsx files"),
        ("a,b\n1,2\n", {"name": "a.csv.gz"}, "not .gz files"),
        ("1 1:0.5 2:3\n-1 1:4\n", {"name": "a.svm"}, "no names"),
        (",".join(f"c{i}" for i in range(201)) + "\n" + ",".join("1" * 201) + "\n", {}, "201 columns"),
        ("a,b\n1,2\n3\n", {}, "line 3"),
    ],
)
def test_bad_files_are_refused_with_a_sentence(text, how, sentence):
    assert sentence in error_of("read", text, **how)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"x": "size", "y": "kind", "target": "ripe"}, "holds words"),
        ({"x": "size", "y": "size", "target": "ripe"}, "two different columns"),
        ({"x": "size", "y": "ripe", "target": "ripe"}, "an axis already"),
        ({"x": "size", "y": 3, "target": "ripe"}, "must be a column"),
        ({"x": "size", "y": "weight", "target": ["ripe"]}, "must be a column"),
    ],
)
def test_columns_that_cannot_be_drawn_are_refused(how, sentence):
    assert sentence in error_of("columns", FRUIT, **how)


def test_too_many_classes_are_refused():
    text = "a,b,c\n" + "".join(f"{i},{i},k{i}\n" for i in range(8))
    assert "8 different values" in error_of("columns", text, x="a", y="b", target="c")


def test_what_is_no_base64_is_refused():
    (error,) = answers({"do": "read", "name": "a.csv", "text": "%%%"})
    assert "base64" in error["message"]
    (error,) = answers({"do": "read", "name": "a.csv", "text": 3})
    assert "nothing" in error["message"]


def test_paths_are_no_part_of_names():
    message = error_of("read", "a,b\n1,2\n", name="../../etc/secret.gz")
    assert message.startswith("secret.gz")
