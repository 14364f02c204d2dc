"""The live engine: calls per second, crashes, and a ledger of a million calls."""
