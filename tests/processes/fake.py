"""A worker that serves nothing: it speaks the line, and does as its environment says.

FAKE_FAILS: why it cannot start. FAKE_DIES: it ends at once without a word. FAKE_DEAF: it does not mind SIGTERM.
FAKE_HANGS: it answers nothing. FAKE_EATS: MiB that it takes.
FAKE_LOG: a file to which it adds its pid and `ready` or `ended`.
"""

import json
import os
import signal
import socket
import sys


def main() -> None:
    """Runs until SIGTERM, or until the line is cut."""
    line = socket.socket(fileno=int(sys.argv[1]))

    def note(what: str) -> None:
        with open(os.environ["FAKE_LOG"], "a") as log:
            log.write(f"{os.getpid()} {what}\n")

    def end(*_: object) -> None:
        note("ended")
        os._exit(0)

    if "FAKE_DIES" in os.environ:
        os._exit(7)
    if "FAKE_FAILS" in os.environ:
        line.sendall(json.dumps({"failed": os.environ["FAKE_FAILS"]}).encode() + b"\n")
        os._exit(1)
    signal.signal(signal.SIGTERM, signal.SIG_IGN if "FAKE_DEAF" in os.environ else end)
    eaten = b"x" * (int(os.environ.get("FAKE_EATS", "0")) << 20)
    note("ready")
    line.sendall(json.dumps({"ready": True}).encode() + b"\n")
    while request := line.recv(65536):
        if "FAKE_HANGS" in os.environ:
            continue
        number = json.loads(request)["figures"]
        text = f"# TYPE eaten gauge\neaten {len(eaten)}\n"
        line.sendall(json.dumps({"figures": number, "text": text}).encode() + b"\n")
    end()


main()
