"""Many processes behind one address: workers under one supervisor, and Envoy in front of them."""

from chautari.processes.certificates import certificate_for
from chautari.processes.edge import Edge, EdgeAway, find_envoy
from chautari.processes.envoy import EdgePlan, Replica, bootstrap
from chautari.processes.figures import Figures
from chautari.processes.line import Line
from chautari.processes.ports import Reserved, reserve
from chautari.processes.worker import CannotStart
from chautari.processes.workers import Plan, Workers

__all__ = [
    "CannotStart",
    "Edge",
    "EdgeAway",
    "EdgePlan",
    "Figures",
    "Line",
    "Plan",
    "Replica",
    "Reserved",
    "Workers",
    "bootstrap",
    "certificate_for",
    "find_envoy",
    "reserve",
]
