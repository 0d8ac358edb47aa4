"""Write tests/golden/: losses and risks of fixed scores, with gradients, and an expansion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from likewise.learn.neural.groups import PURisk
from likewise.learn.neural.losses import LOSSES, Loss, logistic, squared
from likewise.learn.neural.pubn import Labelled, Labelling, PUbN
from likewise.learn.neural.recent_risks import CVIR, VPU, DistPU, TEDn
from likewise.learn.neural.risks import BALANCED, NNPU, PN, PNU, PUAUC, UPU

TARGET = Path(__file__).parents[1] / "tests" / "golden" / "risks.json"
MARGINS = [-60.0, -2.5, -1.5, -0.3, 0.0, 0.4, 1.7, 3.0, 60.0]

# The unlabeled of the second are so low that the part that stands for the negative is below 0.
USUAL = {
    "positive": [1.5, -0.3, 0.8],
    "negative": [-1.2, 0.4],
    "unlabeled": [-2.0, -0.7, 0.1, 1.1, -1.6],
}
OVERFIT = {
    "positive": [3.0, 2.2, 4.1],
    "negative": [-3.3, -2.6],
    "unlabeled": [-4.0, -3.5, -5.2, -2.9, -4.4],
}
LABELLED = {
    "positive": [0.9, 0.6, 0.3],
    "negative": [0.7, 0.2],
    "unlabeled": [0.05, 0.2, 0.4, 0.8, 0.1],
}


class Case(NamedTuple):
    """A risk, and what it is computed of."""

    risk: PURisk
    scores: dict[str, list[float]]
    labelled: dict[str, list[float]] | None = None


CASES = {
    "pn": Case(PN(prior=0.3), USUAL),
    "pn, balanced, squared": Case(PN(prior=BALANCED, loss=squared), USUAL),
    "upu": Case(UPU(prior=0.3), USUAL),
    "upu, overfit": Case(UPU(prior=0.3), OVERFIT),
    "nnpu": Case(NNPU(prior=0.3), USUAL),
    "nnpu, logistic": Case(NNPU(prior=0.3, loss=logistic), USUAL),
    "nnpu, overfit": Case(NNPU(prior=0.3), OVERFIT),
    "nnpu, overfit, balanced, gamma": Case(NNPU(prior=BALANCED, gamma=0.1), OVERFIT),
    "nnpu, overfit, beta too small": Case(NNPU(prior=0.3, beta=0.1), OVERFIT),
    "nnpu, overfit within beta": Case(NNPU(prior=0.3, beta=0.5), OVERFIT),
    "pnu": Case(PNU(prior=0.3, weight=0.25), USUAL),
    "pnu, overfit": Case(PNU(prior=0.3, weight=0.25, gamma=0.5), OVERFIT),
    "pnu, overfit, unbiased": Case(PNU(prior=0.3, weight=0.25, nonnegative=False), OVERFIT),
    "vpu, without mixtures": Case(VPU(mixing=0.0), USUAL),
    "dist-pu, without mixtures": Case(DistPU(prior=0.3, mixing=0.0, mixed_entropy=0.0), USUAL),
    "cvir": Case(CVIR(prior=0.3), USUAL),
    "cvir, logistic, overfit": Case(CVIR(prior=0.3, loss=logistic), OVERFIT),
    "tedn, before it is validated": Case(TEDn(), USUAL),
    "pu-auc": Case(PUAUC(prior=0.3), USUAL),
    "pu-auc, squared": Case(PUAUC(prior=0.3, loss=squared), USUAL),
    "labelling": Case(Labelling(prior=0.3, biased=0.1), USUAL),
    "labelling, overfit": Case(Labelling(prior=0.3, biased=0.1), OVERFIT),
    "pubn": Case(PUbN(prior=0.3, biased=0.1, eta=0.25), USUAL, LABELLED),
}


def main() -> None:
    """Write the files."""
    # It lies beside this script, where Python looks if the script is run.
    from golden_expansion import write_golden

    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(spell_golden(compute_golden()), encoding="utf-8")
    write_golden()


def compute_golden() -> dict[str, Any]:
    """Return what every loss and every case comes to."""
    return {
        "losses": {name: compute_loss(loss) for name, loss in LOSSES.items()},
        "risks": {name: compute_risk(case) for name, case in CASES.items()},
    }


def spell_golden(golden: dict[str, Any]) -> str:
    """Return it as JSON with a line for each loss and each case, so that a change is seen."""
    parts = [
        f"{json.dumps(kind)}: {{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in all_of.items())
        + "\n}"
        for kind, all_of in golden.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def compute_loss(loss: Loss) -> dict[str, Any]:
    """Return a loss and its slope at fixed margins; no slope if it hands on no gradient."""
    margins = torch.tensor(MARGINS, dtype=torch.float64, requires_grad=True)
    losses = loss(margins)
    slopes = torch.autograd.grad(losses.sum(), margins)[0].tolist() if losses.grad_fn else None
    return {"margins": MARGINS, "losses": losses.tolist(), "slopes": slopes}


def compute_risk(case: Case) -> dict[str, Any]:
    """Return a risk and the gradient of its objective."""
    scores = {
        name: torch.tensor(case.scores[name], dtype=torch.float64, requires_grad=True)
        for name in case.risk.groups
    }
    risk = case.risk(**scores, **_make_labelled(case))
    gradients = torch.autograd.grad(risk.objective, list(scores.values()))
    return {
        "scores": {name: values.tolist() for name, values in scores.items()},
        "parts": {name: part.item() for name, part in risk.parts.items()},
        "value": risk.value.item(),
        "objective": risk.objective.item(),
        "gradients": {
            name: gradient.tolist() for name, gradient in zip(scores, gradients, strict=True)
        },
    }


def _make_labelled(case: Case) -> dict[str, Labelled]:
    if case.labelled is None:
        return {}
    return {
        "labelled": Labelled(**{n: _make_tensor(values) for n, values in case.labelled.items()})
    }


def _make_tensor(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


if __name__ == "__main__":
    main()
