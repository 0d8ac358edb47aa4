"""Check tags: headings that indexers give to every article that they fit, whatever it is about.

NLM's are those of sex, of age, of pregnancy, of the usual animals and of periods of history.
"""

from __future__ import annotations

_PERIODS = ("Ancient", "Medieval", "15th Century", "16th Century", "17th Century", "18th Century",
            "19th Century", "20th Century", "21st Century")  # fmt: skip

CHECK_TAGS = frozenset(
    (
        *("Humans", "Male", "Female", "Pregnancy"),
        *("Infant, Newborn", "Infant", "Child, Preschool", "Child", "Adolescent", "Young Adult"),
        *("Adult", "Middle Aged", "Aged", "Aged, 80 and over"),
        *("Animals", "Cats", "Cattle", "Chick Embryo", "Cricetinae", "Dogs", "Guinea Pigs"),
        *("Mice", "Rabbits", "Rats"),
        *(f"History, {period}" for period in _PERIODS),
    )
)
"""Their names, as MeSH writes them."""
