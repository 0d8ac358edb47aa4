"""A small world of papers: some on one topic, many on others, all with words of their own."""

import random

from likewise.documents import Document

TOPIC = [
    "insulin",
    "liver",
    "rats",
    "glucose",
    "hepatic",
    "perfusion",
    "gluconeogenesis",
    "fasting",
]
OTHERS = [
    "sleep",
    "dreams",
    "cats",
    "memory",
    "children",
    "school",
    "teaching",
    "nurses",
    "hospital",
    "wards",
    "surgery",
    "wounds",
    "bacteria",
    "soil",
    "plants",
    "leaves",
    "roots",
    "fungi",
    "virus",
    "vaccine",
    "fever",
    "lungs",
    "asthma",
    "bones",
    "fracture",
    "teeth",
    "caries",
    "skin",
    "rash",
    "heart",
    "rhythm",
    "kidney",
    "stones",
    "vision",
    "retina",
    "hearing",
    "cochlea",
    "speech",
]


def make_papers(*, on_topic=40, others=160):
    """Return papers on topic, numbered from 1, and others from 1001 on."""
    rng = random.Random(1)

    def write(number, words):
        chosen = rng.sample(words, 4) + rng.sample(OTHERS, 4)
        rng.shuffle(chosen)
        title = f"On {chosen[0]} and {chosen[1]}, number {number}"
        return Document(id=str(number), pmid=str(number), title=title, abstract=" ".join(chosen))

    topic = [write(number, TOPIC) for number in range(1, on_topic + 1)]
    return topic + [write(number, OTHERS) for number in range(1001, 1001 + others)]
