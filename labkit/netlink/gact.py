"""
gact
++++

pyroute2's generic action with its second half: every N-th packet, or one in N at random, meets
another fate (GACT_PROB)::

    {"kind": "gact", "action": "pipe", "prob": ("determ", "drop", 100)}

`tc`'s `action pipe random determ drop 100`. N is 16 bits wide.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl.tcmsg import act_gact as upstream
from pyroute2.netlink.rtnl.tcmsg.common import tc_actions

PTYPES = {"netrand": 1, "determ": 2}
MAX_N = 2**16 - 1


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """TCA_ACT_OPTIONS. Raises ValueError."""
    parameters = dict(upstream.get_parameters(kwarg))
    if kwarg.get("prob"):
        ptype, action, n = kwarg["prob"]
        if not 1 <= n <= MAX_N:
            raise ValueError(f"gact: {n}: 1 to {MAX_N}")
        value = {"ptype": PTYPES[ptype], "pval": n, "paction": tc_actions[action]}
        parameters["attrs"].append(["TCA_GACT_PROB", value])
    return parameters


class options(upstream.options):  # noqa: N801 - pyroute2 names it so
    """TCA_GACT_* (include/uapi/linux/tc_act/tc_gact.h)."""

    nla_flags = NLA_F_NESTED
    nla_map = (
        ("TCA_GACT_UNSPEC", "none"),
        ("TCA_GACT_TM", "hex"),
        ("TCA_GACT_PARMS", "tca_gact_parms"),
        ("TCA_GACT_PROB", "tca_gact_prob"),
        ("TCA_GACT_PAD", "hex"),
    )

    class tca_gact_prob(nla):  # noqa: N801
        """struct tc_gact_p."""

        fields = (("ptype", "H"), ("pval", "H"), ("paction", "i"))
