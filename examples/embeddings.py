"""Compare the scikit-learn estimator of protosphere with logistic regression on the digits, without a network."""

from __future__ import annotations

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from protosphere.nn import PrototypeClassifier

ESTIMATORS = {
    "logistic regression": make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=500)
    ),
    "prototypes, linear map": PrototypeClassifier(preset="lindstrom"),
    "prototypes, linear map to 5 dimensions": PrototypeClassifier(
        dim=5, preset="lindstrom"
    ),
    "prototypes, one hidden layer": PrototypeClassifier(hidden=(64,), random_state=0),
}


def main() -> None:
    """Train each estimator on the first half of the images, and print its accuracy on the second half."""
    images, classes = load_digits(return_X_y=True)
    half = len(images) // 2
    for name, estimator in ESTIMATORS.items():
        right = estimator.fit(images[:half], classes[:half]).score(
            images[half:], classes[half:]
        )
        print(f"{name:40s} {right:.1%}")


if __name__ == "__main__":
    main()
