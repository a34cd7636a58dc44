"""Words to a running Sigma, over the socket in its run folder."""

import json
import socket


def asked(run_dir, command, arguments, patience_s):
    """What the gateway with its socket there answers; OSError where none is there, or it ends meanwhile."""
    problem = FileNotFoundError(f"no socket in {run_dir}")
    for path in sorted(run_dir.glob("*.sock")):
        with socket.socket(socket.AF_UNIX) as channel:
            try:
                channel.connect(str(path))
            except OSError as failure:
                problem = failure
                continue
            patience = {"timeout_ms": int(1000 * patience_s)}
            channel.sendall(json.dumps({"protocol": 1, "command": command, "arguments": arguments, **patience}).encode() + b"\n")
            answer = channel.makefile("rb").readline()
            if not answer:
                raise ConnectionError("closed without an answer")
            return json.loads(answer)
    raise problem
