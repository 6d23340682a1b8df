"""The HTTP front."""

from chautari.wire.http.exchange import Reading
from chautari.wire.http.front import HttpFront, HttpOptions
from chautari.wire.http.listener import Doors, PortTaken

__all__ = ["Doors", "HttpFront", "HttpOptions", "PortTaken", "Reading"]
