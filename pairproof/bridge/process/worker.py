"""The child process that runs R: the only module that imports rpy2.

:mod:`pairproof.bridge.process.process` runs it as a script; it is never imported.  It needs only the standard
library, numpy and rpy2.  It exchanges frames on private copies of descriptors 0 and 1, because R and C code
print to descriptor 1 themselves; what they print goes to descriptor 2 and from there to the parent's log.  A
request is 8 bytes of length and a pickle.  A reply is `MARK`, 8 bytes of length, and a pickle of plain text,
numbers, lists and bytes, and nothing else.

The process ends with its parent, even while R is still starting.  It then ends the programs that R started
and removes its temporary folder, whose name the parent has given and which contains R's own.

A node is ``(tag, payload, attributes)`` as in :mod:`pairproof.bridge.values.values`.  Only bare vectors cross
into R; attributes are set and read on R's side (``core.R``).  ``rpy2.robjects`` is not used: its converters
change values silently (integer NA to -2147483648, dates to ordinals, factors to codes).
``SexpVector.memoryview`` is not used either: it drops one reference to None per call and ends Python < 3.12
after some 6000 calls.
"""

from __future__ import annotations

import os
import pickle
import queue
import shutil
import signal
import struct
import sys
import threading
import time
from typing import Any, BinaryIO

HERE = os.path.dirname(os.path.abspath(__file__))
# A script's folder comes first on sys.path; the modules in it must not hide others of the same name.
sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != HERE]

Node = Any
#: The beginning of every reply, which distinguishes it from text that a start-up file prints to standard
#: output.
MARK = b"\xf0pproof\n"
#: Below the usual 8 MB, so that deep recursion is an R error and not a segmentation fault.
C_STACK_BYTES = 7 * 2**20


def private_channel() -> tuple[BinaryIO, BinaryIO]:
    """Keep the parent's pipes; give R an empty standard input, and descriptor 2 as its standard output."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    return requests, replies


def send(replies: BinaryIO, reply: object) -> None:
    frame = pickle.dumps(reply, protocol=5)
    replies.write(MARK + struct.pack(">Q", len(frame)))
    replies.write(frame)
    replies.flush()


class EmbeddedR:
    """R inside this process, and the two functions of ``core.R``."""

    def __init__(self) -> None:
        import rpy2.rinterface
        from rpy2.rinterface_lib import callbacks, embedded

        # rpy2's own annotations are narrower than what it takes.
        of_rpy2: tuple[Any, Any, Any] = rpy2.rinterface, callbacks, embedded
        ri, console, library = of_rpy2
        self.ri = ri
        self.console_errors: list[str] = []
        if not embedded.isinitialized():
            # Which start-up files R reads is the parent's choice (pairproof.files.r_startup).
            chosen = os.environ.pop("PAIRPROOF_R_OPTIONS", "").split()
            library.set_initoptions(("rpy2", "--quiet", "--no-save", "--no-restore", *chosen))
        ri.initr(interactive=False, _c_stack_limit=C_STACK_BYTES)
        console.consolewrite_warnerror = self.console_errors.append
        console.consolewrite_print = self.console_errors.append  # only what the sink does not catch
        console.consoleread = self.answer_prompt
        with open(os.path.join(HERE, "core.R"), encoding="utf-8") as source:
            text = ri.StrSexpVector([source.read()])
        functions = ri.baseenv["eval"](ri.baseenv["parse"](text=text), ri.globalenv)
        self.run, self.info, self.guard = functions[0], functions[1], functions[2]

    @staticmethod
    def answer_prompt(prompt: str) -> str:
        """Answer R's question to a user: the browser continues, a menu is left, a line is empty."""
        if prompt.startswith("Browse"):
            return "c\n"
        return "0\n" if prompt.startswith("Selection") else "\n"

    def to_sexp(self, node: Node) -> Any:
        """A node as an R list of its tag, payload and attributes."""
        tag, payload, attributes = node
        parts = [self.ri.StrSexpVector([tag])]
        if tag != "null":
            parts.append(self.payload_to_sexp(tag, payload))
            if attributes:
                names = self.ri.StrSexpVector(list(attributes))
                values = self.ri.ListSexpVector([self.to_sexp(v) for v in attributes.values()])
                parts.append(self.ri.ListSexpVector([names, values]))
        return self.ri.ListSexpVector(parts)

    def payload_to_sexp(self, tag: str, payload: Any) -> Any:
        ri = self.ri
        if tag == "list":
            return ri.ListSexpVector([self.to_sexp(n) for n in payload])
        if tag == "chr":
            return ri.StrSexpVector([ri.NA_Character if s is None else s for s in payload])
        if tag in ("formula", "expr"):
            return ri.StrSexpVector([payload])
        if tag == "cplx":
            return ri.ListSexpVector([self.doubles(payload.real), self.doubles(payload.imag)])
        if tag == "dbl":
            return self.doubles(payload)
        return self.integers(payload)  # lgl, int, raw

    def doubles(self, values: Any) -> Any:
        import numpy as np

        if len(values) == 0:
            return self.ri.FloatSexpVector([])
        return self.ri.FloatSexpVector.from_memoryview(np.ascontiguousarray(values, dtype=np.double).data)

    def integers(self, values: Any) -> Any:
        import numpy as np

        if len(values) == 0:
            return self.ri.IntSexpVector([])
        return self.ri.IntSexpVector.from_memoryview(np.ascontiguousarray(values, dtype=np.intc).data)

    def from_sexp(self, sexp: Any) -> Node:
        """Convert the R list that ``core.R`` made to a node."""
        tag = str(sexp[0][0])
        if tag == "null":
            return (tag, None, {})
        attributes: dict[str, Node] = {}
        if len(sexp) > 2 and len(sexp[2]) == 2:
            attributes = {str(k): self.from_sexp(v) for k, v in zip(sexp[2][0], sexp[2][1])}
        return (tag, self.payload_from_sexp(tag, sexp[1]), attributes)

    def payload_from_sexp(self, tag: str, sexp: Any) -> Any:
        """Text as text, lists as lists, numbers as their bytes (doubles, pairs of them, integers)."""
        import numpy as np

        if tag == "list":
            return [self.from_sexp(s) for s in sexp]
        if tag == "chr":
            return [None if s is self.ri.NA_Character else str(s) for s in sexp]
        if tag in ("lang", "opaque"):
            return str(sexp[0])
        if tag == "cplx":
            both = np.empty(len(sexp[0]), dtype=complex)
            both.real, both.imag = np.array(sexp[0], dtype=np.double), np.array(sexp[1], dtype=np.double)
            return bytearray(both.tobytes())
        return bytearray(np.array(sexp, dtype=np.double if tag == "dbl" else np.int32).tobytes())

    def call(self, request: dict[str, Node]) -> tuple[Node, str]:
        """Evaluate one request; returns the reply node and the text on R's error console."""
        del self.console_errors[:]
        names = self.ri.StrSexpVector(list(request))
        nodes = self.ri.ListSexpVector([self.to_sexp(n) for n in request.values()])
        reply = self.from_sexp(self.run(self.ri.ListSexpVector([names, nodes])))
        return reply, "".join(self.console_errors)

    def describe(self, packages: list[str]) -> Node:
        return self.from_sexp(self.info(self.ri.StrSexpVector(packages)))


def rpy2_versions() -> dict[str, str | None]:
    from importlib import metadata

    found: dict[str, str | None] = {}
    for name in ("rpy2", "rpy2-rinterface"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None  # Debian's 3.5.9 has no rpy2-rinterface distribution
    return found


def start() -> tuple[EmbeddedR | None, tuple[str, Any]]:
    """Start R; returns it with the message for the parent, ``("ready", ...)`` or ``("failed", ...)``."""
    from importlib import util

    try:
        missing = util.find_spec("rpy2") is None or util.find_spec("rpy2.rinterface") is None
    except (ImportError, ValueError) as error:
        return None, ("failed", {"kind": "rpy2", "text": f"{type(error).__name__}: {error}"})
    if missing:
        return None, ("failed", {"kind": "no-rpy2", "text": "rpy2 is not installed"})
    packages = os.environ.get("PAIRPROOF_ASK_PACKAGES", "").split(",")
    try:
        r = EmbeddedR()
        about = {"info": r.describe([p for p in packages if p]), "rpy2": rpy2_versions()}
    except BaseException as error:  # also cffi's ffi.error and SystemExit: the parent must be told of each
        return None, ("failed", {"kind": "rpy2", "text": f"{type(error).__name__}: {error}"})
    return r, ("ready", about)


def own_temporary_folder() -> str:
    """Create the temporary folder that the parent named; "" if it named none."""
    folder = os.environ.pop("PAIRPROOF_R_FOLDER", "")
    if folder:
        os.mkdir(folder, 0o700)
        os.environ["TMPDIR"] = folder
    return folder


def leave(temporary: str) -> None:
    """End this process and R's programs and remove R's folder, for R may be in a loop."""
    for _ in range(3):  # R may be writing into it
        if temporary and os.path.isdir(temporary):
            shutil.rmtree(temporary, ignore_errors=True)
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


def read_requests(requests: BinaryIO, inbox: queue.Queue[bytes], temporary: str) -> None:
    """Put requests into the inbox; end the process once the parent is gone, even if R is in a loop."""
    while True:
        head = requests.read(8)
        if len(head) < 8:
            leave(temporary)
        inbox.put(requests.read(struct.unpack(">Q", head)[0]))


def watch_parent(parent: int, temporary: str) -> None:
    """End the process with its parent, even if a fork of the parent still holds the other end of the pipe."""
    while os.getppid() == parent:
        time.sleep(1.0)
    leave(temporary)


def main() -> None:
    parent = int(os.environ.pop("PAIRPROOF_R_PARENT", "0")) or os.getppid()
    requests, replies = private_channel()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the parent
    try:
        temporary = own_temporary_folder()
    except OSError as error:
        send(replies, ("failed", {"kind": "folder", "text": f"cannot create a temporary folder: {error}"}))
        return
    inbox: queue.Queue[bytes] = queue.Queue()
    # This comes before R starts, which can take seconds: if the parent is killed meanwhile, R must not go on
    # running.
    threading.Thread(target=read_requests, args=(requests, inbox, temporary), daemon=True).start()
    if os.name == "posix":
        threading.Thread(target=watch_parent, args=(parent, temporary), daemon=True).start()
    try:
        serve(inbox, replies)
    except OSError:  # nobody reads the replies any more
        pass
    leave(temporary)


def serve(inbox: queue.Queue[bytes], replies: BinaryIO) -> None:
    """Start R, report whether that succeeded, and answer requests."""
    r, message = start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # initr installs its own handler
    send(replies, message)
    if r is None:
        return
    r.guard()
    while True:
        try:
            reply: tuple[Any, ...] = ("ok", *r.call(pickle.loads(inbox.get())))
        except BaseException as error:  # R's own errors are replies, so here the bridge itself failed
            reply = ("failed", f"{type(error).__name__}: {error}")
        send(replies, reply)


if __name__ == "__main__":
    main()
