"""The loss ledger: one row for every packet that left a host and did not arrive, and what happened next."""

from labkit.results.ledger.accounts import Accounts, LedgerError
from labkit.results.ledger.drops import drops
from labkit.results.ledger.entries import ledger

__all__ = ["Accounts", "LedgerError", "drops", "ledger"]
