"""What a run gave: tables with units, packets, capture files, and the ledger of what was lost."""
