"""The loss ledger: one row for every packet that left a host and did not arrive, and what happened next."""

from labkit.ledger.accounts import Accounts, LedgerError
from labkit.ledger.drops import drops
from labkit.ledger.table import ledger

__all__ = ["Accounts", "LedgerError", "drops", "ledger"]
