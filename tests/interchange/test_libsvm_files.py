"""Model files of LIBLINEAR and LIBSVM: read by their definition, written and read again, and refused where damaged.

Both programs themselves are compilers away; `benchmarks/README.md` says what they make of these files.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

import separatrix
from separatrix import (
    FormatError,
    KernelNuSVM,
    KernelSVM,
    KernelSVR,
    LinearSVM,
    LinearSVR,
    LogisticClassifier,
    OptionError,
    load,
    read_liblinear,
    read_libsvm,
    save,
    write_liblinear,
    write_libsvm,
)
from separatrix.kernels import RBF, Linear

X, SPECIES = load_iris(return_X_y=True)
LABELS = np.array([7, -2, 3])[SPECIES]  # not in the order of the rows
TWO = SPECIES != 1


def fields(path):
    """Header and body of a file, by splitting it."""
    head, body = path.read_text().split("\nSV\n" if "\nSV\n" in path.read_text() else "\nw\n")
    return {line.split()[0]: line.split()[1:] for line in head.splitlines()}, [
        line.split() for line in body.splitlines()
    ]


def liblinear_predictions(path, rows):
    """What the format means: the first label where one plane is positive, else that of the largest score."""
    header, body = fields(path)
    planes = np.array(body, dtype=float)
    scores = np.column_stack([rows, np.full(len(rows), float(header["bias"][0]))]) @ planes
    labels = np.array(header["label"], dtype=int)
    return np.where(scores[:, 0] > 0, labels[0], labels[1]) if scores.shape[1] == 1 else labels[scores.argmax(axis=1)]


def libsvm_scores(path, rows):
    """The sums of the pairs of classes, the first of a pair positive, as the format defines them; and the labels."""
    header, body = fields(path)
    k = int(header["nr_class"][0])
    n_values = k - 1 if "label" in header else 1
    support = np.zeros((len(body), rows.shape[1]))
    for j, words in enumerate(body):
        for word in words[n_values:]:
            index, value = word.split(":")
            support[j, int(index) - 1] = float(value)
    c = np.array([words[:n_values] for words in body], dtype=float)
    gamma, coef0 = (float(header.get(name, ["0"])[0]) for name in ("gamma", "coef0"))
    products = rows @ support.T
    distances = np.square(rows[:, None] - support[None]).sum(axis=2)
    K = {
        "linear": lambda: products,
        "rbf": lambda: np.exp(-gamma * distances),
        "polynomial": lambda: (gamma * products + coef0) ** int(header["degree"][0]),
        "sigmoid": lambda: np.tanh(gamma * products + coef0),
    }[header["kernel_type"][0]]()
    rho = np.array(header["rho"], dtype=float)
    if "label" not in header:
        return K @ c[:, 0] - rho[0], None
    codes = np.repeat(np.arange(k), np.array(header["nr_sv"], dtype=int))
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    sums = [
        K[:, codes == i] @ c[codes == i, j - 1] + K[:, codes == j] @ c[codes == j, i] - rho[p]
        for p, (i, j) in enumerate(pairs)
    ]
    return np.column_stack(sums), np.array(header["label"], dtype=int)


@pytest.mark.parametrize("y", [LABELS, LABELS[:, None][:, 0] * TWO], ids=["three", "two"])
@pytest.mark.parametrize(
    "model",
    [
        LinearSVM(),
        LinearSVM(loss="squared_hinge"),
        LogisticClassifier(),
        separatrix.LeastSquaresClassifier(),
        separatrix.GaussianDiscriminant(),
        LinearSVM(multi_class="crammer_singer"),
    ],
    ids=repr,
)
def test_planes_in_a_file_mean_what_the_model_predicts(model, y, tmp_path):
    y = np.where(y == 0, 4, y)
    model.fit(X, y)
    path = write_liblinear(model, tmp_path / "model")
    assert (liblinear_predictions(path, X) == model.predict(X)).all()
    again = read_liblinear(path)
    assert (again.predict(X) == model.predict(X)).all()
    assert np.array_equal(again.coef_, model.coef_)
    save(again, tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == model.predict(X)).all()


def test_a_file_of_two_planes_for_two_classes_and_one_without_bias(tmp_path):
    """As the joint machine of LIBLINEAR writes them: 2 wins where 3 x_1 - 1 > x_1, and labels are in any order."""
    path = tmp_path / "model"
    path.write_text("solver_type MCSVM_CS\nnr_class 2\nlabel 5 2\nnr_feature 1\nbias 0.5\nw\n1 3 \n0 -2 \n")
    assert read_liblinear(path).predict([[0.4], [0.6]]).tolist() == [5, 2]
    path.write_text("solver_type L2R_LR\nnr_class 2\nlabel 5 2\nnr_feature 1\nbias -1\nw\n1 \n")
    assert read_liblinear(path).predict([[-1.0], [1.0]]).tolist() == [2, 5]
    path.write_text("solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 2\nbias 2\nw\n1 \n-1 \n0.5 \n")
    assert read_liblinear(path).predict([[3.0, 1.0]]).tolist() == [3.0]


def test_numbers_are_predicted_from_a_file(tmp_path):
    model = LinearSVR().fit(X[:, :3], X[:, 3])
    again = read_liblinear(write_liblinear(model, tmp_path / "model"))
    assert np.array_equal(again.coef_, model.coef_)
    assert np.array_equal(again.predict(X[:, :3]), model.predict(X[:, :3]))


MACHINES = [
    KernelSVM(), KernelSVM("poly", degree=2, coef0=1.0), KernelSVM("linear"), KernelSVM("sigmoid", gamma=0.01),
    KernelNuSVM(nu=0.2), separatrix.KernelPerceptron(max_iter=50, random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("packed", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("y", [LABELS, np.where(TWO, 1, -1)], ids=["three", "two"])
@pytest.mark.parametrize("model", MACHINES, ids=repr)
@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_expansions_in_a_file_mean_what_the_machine_predicts(model, y, packed, tmp_path):
    model.fit(sparse.csr_array(X) if packed else X, y)
    path = write_libsvm(model, tmp_path / "model")
    sums, labels = libsvm_scores(path, X)
    pairs = [(i, j) for i in range(labels.size) for j in range(i + 1, labels.size)]
    votes = np.zeros((len(X), labels.size))
    for p, (i, j) in enumerate(pairs):
        votes[np.arange(len(X)), np.where(sums[:, p] > 0, i, j)] += 1
    settled = np.sort(votes, axis=1)[:, -1] > np.sort(votes, axis=1)[:, -2]
    assert settled.sum() > 140
    assert (labels[votes.argmax(axis=1)] == model.predict(X))[settled].all()
    again = read_libsvm(path, n_features=X.shape[1])
    assert (again.predict(X) == model.predict(X)).all()
    assert np.allclose(again.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-9)
    save(again, tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == model.predict(X)).all()


def test_labels_of_a_file_may_come_in_any_order(tmp_path):
    """Three rows, a class each: the nearest one wins, whatever order the file has them in."""
    path = tmp_path / "model"
    path.write_text(
        "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0 0 0\nlabel 9 4 6\nnr_sv 1 1 1\nSV\n"
        "1 1 1:1\n-1 1 2:1\n-1 -1 3:1\n"
    )
    assert read_libsvm(path).predict(np.eye(3)).tolist() == [9, 4, 6]
    path.write_text(
        "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 9 4\nnr_sv 1 1\nSV\n1 1:1\n-1 2:1\n"
    )
    assert read_libsvm(path).predict([[1.0, 0.0], [0.4, 0.0]]).tolist() == [9, 4]


def test_numbers_are_predicted_from_a_file_of_a_kernel(tmp_path):
    model = KernelSVR(C=10.0).fit(X[:, :3], X[:, 3])
    path = write_libsvm(model, tmp_path / "model")
    assert np.allclose(libsvm_scores(path, X[:, :3])[0], model.predict(X[:, :3]), rtol=1e-9, atol=1e-9)
    assert np.allclose(read_libsvm(path).predict(X[:, :3]), model.predict(X[:, :3]), rtol=1e-12, atol=1e-12)


GOOD = "solver_type L2R_LR\nnr_class 2\nlabel 5 2\nnr_feature 1\nbias -1\nw\n1 \n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nr_class 2", "nr_class two", "nr_class: expected a whole number of at least 2, found 'two'"),
        ("label 5 2", "label 5 5", "expected 2 different labels"),
        ("w\n1 ", "w\nnan ", "model:7: expected a finite number, found 'nan'"),
        ("w\n1 ", "w\n1 2 ", "model:7: expected 1 numbers, found 2"),
        ("w\n1 ", "w\n", "expected 1 lines below 'w', found 0"),
        ("L2R_LR", "ONECLASS_SVM", "models of 'ONECLASS_SVM' are not read"),
        ("solver_type", "solver", "this is no model file of LIBLINEAR"),
        ("nr_feature 1\n", "", "expected one value of 'nr_feature', found 0"),
        ("w\n1", "w\n\u00e9", "is no ASCII"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(old, new, message, tmp_path):
    path = tmp_path / "model"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_liblinear(path)


def test_what_the_formats_cannot_hold_is_refused(tmp_path):
    with pytest.raises(OptionError, match="does not decide by the largest"):
        write_liblinear(separatrix.NuSVM(nu=0.2).fit(X, SPECIES), tmp_path / "model")
    with pytest.raises(OptionError, match="whole numbers below"):
        write_liblinear(LinearSVM().fit(X, 1e10 * SPECIES), tmp_path / "model")
    with pytest.raises(OptionError, match="LIBSVM does not know the kernel"):
        write_libsvm(KernelSVM(RBF(0.1) + Linear()).fit(X, SPECIES), tmp_path / "model")
    assert not list(tmp_path.iterdir())
