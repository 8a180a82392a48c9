"""The packet player: a run in motion, drawn from its captures and its ledger. One object, two faces.

In a running notebook it is a page of its own within the output; in a recording it is data, which the site's
script draws. Both are the same script, `static/player.js`, and nothing of it asks a kernel or a server.
"""

from __future__ import annotations

from labkit.player.film import FilmTooLargeError
from labkit.player.player import Player, player

__all__ = ["FilmTooLargeError", "Player", "player"]
