"""A server: a port that several flows connect to, and the queue in front of it."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StrictStr

from labkit import units
from labkit.program.records import Record
from labkit.program.structs import SERVER_OP, Op
from labkit.schema.base import Spec
from labkit.units import Duration, Integer

Port = Annotated[Integer, Field(ge=1, le=9999)]
"""Below those of flows without a Server, which are 10000 and up."""


class Server(Spec, init=False):
    """A TCP port of a host that flows connect to by Flow(..., port=).

    backlog: of listen(2), cut by net.core.somaxconn; Linux lets one more connection than that wait to be
    accepted. accept_after: for how long (s) from the start of the run the application accepts none.
    """

    _positional: ClassVar = ("host", "port")
    host: StrictStr
    port: Port
    backlog: Annotated[Integer, Field(ge=0, le=65535)] = 4096
    accept_after: Duration = 0.0

    def record(self, ns: int) -> Record:
        """Its record in a lab program, for the namespace of its host."""
        body = SERVER_OP.pack(port=self.port, backlog=self.backlog)
        return Record(Op.SERVER, body, ns, units.ns(self.accept_after))
