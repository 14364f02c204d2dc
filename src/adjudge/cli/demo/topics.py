"""The questions of the demonstration, and the answers of four invented systems."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from adjudge.records import Item


@dataclass(frozen=True, slots=True)
class Topic:
    """A question, the facts of a good answer, and a common mistake."""

    question: str
    facts: tuple[str, str, str]
    mistake: str


TOPICS = (
    Topic(
        "Why is the sky blue?",
        (
            "Air scatters short wavelengths of sunlight far more than long ones.",
            "The scattered blue light reaches us from every direction of the sky.",
            "Violet is scattered even more, but our eyes see little of it.",
        ),
        "The sky is blue because it reflects the colour of the oceans.",
    ),
    Topic(
        "What does a database index do?",
        (
            "It keeps a sorted copy of some columns with pointers to the rows.",
            "Look-ups and range queries then read a few pages instead of the whole table.",
            "Every write has to maintain it, so each index makes inserts slower.",
        ),
        "An index makes every query faster and costs nothing but disk space.",
    ),
    Topic(
        "How do vaccines protect people?",
        (
            "They show the immune system a harmless part or form of a pathogen.",
            "Memory cells remain that react quickly to the real infection.",
            "When many are immune, the disease finds fewer ways to those who are not.",
        ),
        "A vaccine kills the viruses that are already in the body.",
    ),
    Topic(
        "What causes the seasons?",
        (
            "The Earth's axis is tilted by about 23 degrees against its orbit.",
            "In summer the sun stands higher and the days are longer.",
            "The two hemispheres have opposite seasons at the same time.",
        ),
        "It is summer when the Earth is closest to the sun.",
    ),
    Topic(
        "What is inflation?",
        (
            "Inflation is a lasting rise of the general level of prices.",
            "The same amount of money buys less than it did before.",
            "Central banks answer it mainly by raising interest rates.",
        ),
        "Inflation means that the price of one product, such as petrol, goes up.",
    ),
    Topic(
        "How does a bicycle stay upright?",
        (
            "A rider steers slightly into each lean, which brings the wheels back underneath.",
            "The geometry of the front fork makes the wheel turn that way by itself.",
            "At speed, small corrections are enough.",
        ),
        "Only the gyroscopic force of the wheels holds it up.",
    ),
    Topic(
        "Why should passwords be hashed with a salt?",
        (
            "A hash cannot be turned back into the password it came from.",
            "A salt makes equal passwords look different, so tables of known hashes are useless.",
            "A deliberately slow hash makes guessing expensive.",
        ),
        "The salt has to be kept secret, or the hashes are worthless.",
    ),
    Topic(
        "What is the difference between weather and climate?",
        (
            "Weather is the state of the atmosphere at one place and time.",
            "Climate is the statistics of weather over decades.",
            "One cold winter therefore says little about a changing climate.",
        ),
        "Climate is the weather forecast for the coming year.",
    ),
    Topic(
        "How does a refrigerator work?",
        (
            "A liquid evaporates inside and takes up heat.",
            "A compressor squeezes the vapour, which then gives the heat off at the back.",
            "It moves heat from inside to outside, and uses work to do so.",
        ),
        "A refrigerator produces cold and sends it into the food.",
    ),
    Topic(
        "What does 'statistically significant' mean?",
        (
            "Data like these would be rare if there were no effect at all.",
            "The threshold, often five per cent, is a convention.",
            "It says nothing about whether the effect is large or matters.",
        ),
        "It means that the hypothesis is true with a probability of 95 per cent.",
    ),
    Topic(
        "Why do we have leap years?",
        (
            "A year is about 365.2422 days long.",
            "An extra day every four years keeps the calendar in step with the seasons.",
            "Three of four century years are left out, because a quarter of a day is too much.",
        ),
        "Leap years correct for the slowing rotation of the Earth.",
    ),
    Topic(
        "What is a race condition?",
        (
            "Two threads use the same data, and the result depends on who comes first.",
            "It shows up rarely and seldom under a debugger.",
            "Locks, atomic operations or not sharing the data prevent it.",
        ),
        "A race condition is when a program runs too slowly to meet its deadline.",
    ),
    Topic(
        "How do noise-cancelling headphones work?",
        (
            "Microphones pick up the sound around the ear.",
            "The speaker plays the same wave upside down, and the two cancel.",
            "It works best for low, steady sounds.",
        ),
        "They block the sound with a special layer of lead in the cushions.",
    ),
    Topic(
        "Why does bread rise?",
        (
            "Yeast eats sugar and gives off carbon dioxide.",
            "Gluten holds the gas in bubbles.",
            "The heat of the oven expands the bubbles and then sets the dough.",
        ),
        "Bread rises because the water in it boils in the oven.",
    ),
    Topic(
        "What does a compiler do?",
        (
            "It translates a program into another language, mostly machine code.",
            "It checks syntax and types on the way.",
            "It rewrites the program so that it does the same with less work.",
        ),
        "A compiler runs the program line by line.",
    ),
    Topic(
        "Why is the sea salty?",
        (
            "Rain dissolves minerals from rocks, and rivers carry them to the sea.",
            "Vents on the sea floor add more.",
            "Water evaporates and the salt stays, for millions of years.",
        ),
        "The sea is salty because of the fish that live in it.",
    ),
)

_SYSTEMS = {
    "thorough": (0.9, 0.05),
    "concise": (0.45, 0.05),
    "tuned": (0.5, 0.1),
    "hasty": (0.4, 0.5),
}
"""Each system's probability of stating a fact beyond the first, and of making the mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A system's answer, and its quality."""

    item: Item
    quality: float
    """True quality, from 0 to 1."""
    missing: tuple[str, ...]
    """The facts that the answer leaves out."""
    mistaken: bool


def answers() -> list[Answered]:
    """Every system's answer to every question; the same each time."""
    return [
        _answer(number, topic, system)
        for number, topic in enumerate(TOPICS, start=1)
        for system in _SYSTEMS
    ]


def _answer(number: int, topic: Topic, system: str) -> Answered:
    telling, erring = _SYSTEMS[system]
    told = [fact for i, fact in enumerate(topic.facts) if not i or _chance(system, fact) < telling]
    mistaken = _chance(system, topic.mistake) < erring
    sentences = [*told, topic.mistake] if mistaken else told
    return Answered(
        item=Item(
            id=f"q{number:02d}-{system}",
            prompt=topic.question,
            response=" ".join(sentences),
            group=system,
        ),
        quality=0.1 + 0.28 * len(told) - (0.4 if mistaken else 0) + 0.1 * _chance(*told),
        missing=tuple(fact for fact in topic.facts if fact not in told),
        mistaken=mistaken,
    )


def _chance(*what: str) -> float:
    """A number in [0, 1) that depends only on the arguments."""
    return zlib.crc32("|".join(what).encode()) / 2**32
