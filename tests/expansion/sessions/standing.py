"""Where an invented session stands, for the tests of what is said of it."""

from likewise.expansion.sessions.status import Status
from likewise.learn.estimates import Interval, Target
from likewise.learn.stopping.advice import Advice
from likewise.learn.stopping.left import Ahead, Course

COURSE = Course((0, 120), (0, 45), (Ahead(120, 45, 45, 45), Ahead(2300, 75, 63, 92)), None)
STATUS = Status(
    seeds=10, relevant=45, irrelevant=70, maybe=5, pool=2300, looked_at=120, decided=32,
    unlearned=0, left=Interval(30, 18, 47), recall=Interval(0.6, 0.489, 0.714), at_most=None,
    readings=(), unfinished=0, target=Target(), advice=Advice("go on", 100, 12.3, 2180, 0.02),
    course=COURSE,
)  # fmt: skip
