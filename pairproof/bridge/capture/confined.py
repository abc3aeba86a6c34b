"""Run inside new namespaces (`unshare --user --mount ...`): makes everything but one folder read-only, gives up every
right to undo that, and becomes the program.  The standard library only; it is a program, not a module.

    python confined.py FOLDER PROGRAM ARGUMENT ...

`mount_setattr` with AT_RECURSIVE (Linux 5.12) only adds "read-only" to every mount, whatever its other flags; the
folder was bound over itself before and is made writable again.  Then the capabilities that the user namespace gave
are dropped from the bounding set, so that the program cannot mount anything; in a further user namespace of its own
the mounts that it inherits are locked (mount_namespaces(7), "less privileged mount namespace").
"""

import ctypes
import os
import sys

MS_NOSUID, MS_NOEXEC, MS_BIND, MS_REC = 0x2, 0x8, 0x1000, 0x4000
MNT_DETACH = 2
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY = 1
SYS_MOUNT_SETATTR = 442
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
LAST_CAPABILITY = 63


class MountAttributes(ctypes.Structure):
    """`struct mount_attr` of linux/mount.h."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")]


_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        sys.exit(f"pairproof: the sandbox could not be made ({what}: {os.strerror(number)})")


def _set_attributes(path: bytes, set_: int, clear: int, flags: int, what: str) -> None:
    attributes = MountAttributes(set_, clear, 0, 0)
    given = (ctypes.byref(attributes), ctypes.c_size_t(ctypes.sizeof(attributes)))
    _checked(_libc.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, ctypes.c_char_p(path), flags, *given), what)


def _plain_devices(folder: bytes) -> None:
    """Put the harmless devices alone into /dev: whoever is root could write to a disk through its device."""
    place = os.path.join(folder, b"dev")
    os.mkdir(place)
    _checked(_libc.mount(b"tmpfs", place, b"tmpfs", MS_NOSUID | MS_NOEXEC, b"mode=755"), "devices")
    for name in (b"null", b"zero", b"full", b"random", b"urandom"):
        own = os.path.join(place, name)
        os.close(os.open(own, os.O_CREAT | os.O_WRONLY, 0o600))
        _checked(_libc.mount(os.path.join(b"/dev", name), own, None, MS_BIND, None), "devices")
    for link, target in ((b"fd", b""), (b"stdin", b"/0"), (b"stdout", b"/1"), (b"stderr", b"/2")):
        os.symlink(b"/proc/self/fd" + target, os.path.join(place, link))
    _checked(_libc.mount(place, b"/dev", None, MS_BIND | MS_REC, None), "devices")
    _checked(_libc.umount2(place, MNT_DETACH), "devices")
    os.rmdir(place)


def confine(folder: bytes) -> None:
    """Make all but `folder` read-only, for good."""
    _checked(_libc.mount(folder, folder, None, MS_BIND | MS_REC, None), "bind")
    _plain_devices(folder)
    # Processes of the new namespace; where /proc is masked (containers) the old one stays, and shows more.
    _libc.mount(b"proc", b"/proc", b"proc", 0, None)
    _set_attributes(b"/", MOUNT_ATTR_RDONLY, 0, AT_RECURSIVE, "read-only")
    _set_attributes(folder, 0, MOUNT_ATTR_RDONLY, 0, "writable copy")
    os.chdir(os.getcwd())  # into the mount that lies over the folder now
    for number in range(LAST_CAPABILITY + 1):
        _libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)  # those that the kernel does not know fail
    _checked(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")


if __name__ == "__main__":
    confine(os.fsencode(sys.argv[1]))
    try:
        os.execv(sys.argv[2], sys.argv[2:])
    except OSError as error:
        sys.exit(f"pairproof: {sys.argv[2]} did not start in the sandbox ({error.strerror})")
