"""The loss ledger: one row for every packet that left a host and did not arrive, and what happened next."""

from labkit.ledger.accounts import Accounts, LedgerError
from labkit.ledger.table import UNITS, ledger

__all__ = ["UNITS", "Accounts", "LedgerError", "ledger"]
