"""Items from files, standard input or Python values, with every problem named by its row."""

from adjudge.dataset.columns import FIELDS
from adjudge.dataset.read import items_of, read_items

__all__ = ["FIELDS", "items_of", "read_items"]
