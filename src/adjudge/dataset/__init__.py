"""Items and labels from files, standard input or Python values; errors name the rows."""

from adjudge.dataset.columns import FIELDS
from adjudge.dataset.labels import LabelReading, joined_labels, labels_of, read_labels
from adjudge.dataset.read import items_of, read_items

__all__ = [
    "FIELDS",
    "LabelReading",
    "items_of",
    "joined_labels",
    "labels_of",
    "read_items",
    "read_labels",
]
