"""A method: how near the nearest seeds are, decided on the validation part."""

import numpy as np

from likewise.learn.methods import MethodInfo
from likewise.parameters import COUNT, Parameter

INFO = MethodInfo(
    name="example-neighbours",
    description="The mean cosine with the nearest seeds",
    estimator="likewise_example.neighbours:Neighbours",
    rows="tfidf",
    parameters=(Parameter("neighbours", 3, COUNT, "the seeds that count"),),
)


class Neighbours:
    """Decides where recall², divided by the share of the pool that is kept, is highest."""

    def __init__(self, neighbours):
        self.neighbours = neighbours

    def fit(self, X, y, validation):
        self.seeds_ = X[y == 1]
        scores, labels = self.decision_function(validation[0]), validation[1]
        cuts = np.unique(scores[labels == 1])
        recall, kept = ((scores[labels == label] >= cuts[:, None]).mean(axis=1) for label in (1, 0))
        self.threshold_ = cuts[np.argmax(recall**2 / np.maximum(kept, 1e-9))]
        return self

    def decision_function(self, X):
        cosines = np.sort((X @ self.seeds_.T).toarray(), axis=1)
        return cosines[:, -self.neighbours :].mean(axis=1)

    def predict(self, X):
        return self.decision_function(X) >= self.threshold_
