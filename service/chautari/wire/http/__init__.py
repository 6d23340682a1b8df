"""The HTTP front."""

from chautari.wire.http.connection import Doors
from chautari.wire.http.exchange import Reading
from chautari.wire.http.front import HttpFront, HttpOptions
from chautari.wire.http.pages import Pages

__all__ = ["Doors", "HttpFront", "HttpOptions", "Pages", "Reading"]
