"""deploy/envoy/envoy.yaml: the template filled in for two replicas. `python -m tests.processes.example` writes it."""

from pathlib import Path

from chautari.processes import EdgePlan, Replica, bootstrap

EXAMPLE = Path(__file__).parents[2] / "deploy" / "envoy" / "envoy.yaml"


def example() -> str:
    """What the file holds."""
    return bootstrap(
        EdgePlan(
            replicas=(Replica(50051, 8080, "replica-1"), Replica(50051, 8080, "replica-2")),
            certificate=Path("/etc/chautari/tls.crt"),
            key=Path("/etc/chautari/tls.key"),
            admin="127.0.0.1:9901",
            host="0.0.0.0",
        )
    )


if __name__ == "__main__":
    EXAMPLE.write_text(example(), "utf-8")
