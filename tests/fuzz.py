"""How long randomised tests go on, and from which seed.

Without a word: always the same few examples. LABKIT_FUZZ=20 tries twenty times as many, from a seed that is
drawn and printed; LABKIT_FUZZ_SEED=7 begins with that one again.
"""

from __future__ import annotations

import os
import random

TIMES = int(os.environ.get("LABKIT_FUZZ", "1"))
_DRAWN = random.SystemRandom().randrange(2**32) if "LABKIT_FUZZ" in os.environ else 1
SEED = int(
    os.environ.setdefault("LABKIT_FUZZ_SEED", str(_DRAWN))
)  # other workers of this pytest take it over
SAID = f"LABKIT_FUZZ={TIMES} LABKIT_FUZZ_SEED={SEED}"
