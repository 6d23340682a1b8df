"""Secrets at rest: sealed with a key from the configuration, so that a copy of the database alone tells nothing."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from chautari.errors import Malformed
from chautari.store.files import sync

KEY_BYTES: Final = 32
_VERSION: Final = b"\x01"
_NONCE_BYTES: Final = 12


class BrokenSeal(ValueError):
    """What was read was not sealed by this key for this row: the key is another, or the row was tampered with."""


class Sealer:
    """Seals and opens with one key: AES-256-GCM, a random nonce each, bound to the table and row it is for."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise Malformed("BAD_SEAL_KEY", f"the sealing key must have {KEY_BYTES} bytes, this one has {len(key)}")
        self._cipher = AESGCM(key)
        self.key: Final = key

    def seal(self, table: str, row: str, secret: bytes) -> bytes:
        """The sealed form: version, nonce, then the ciphertext with its tag; 29 bytes longer."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return _VERSION + nonce + self._cipher.encrypt(nonce, secret, _place(table, row))

    def open(self, table: str, row: str, sealed: bytes) -> bytes:
        """The secret again; BrokenSeal where this key did not seal it for this row."""
        version, nonce, cipher = sealed[:1], sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        if version != _VERSION or not cipher:
            raise BrokenSeal(f"the secret of {table} {row} is sealed in a form that this version does not know")
        try:
            return self._cipher.decrypt(nonce, cipher, _place(table, row))
        except InvalidTag:
            raise BrokenSeal(f"the secret of {table} {row} was sealed with another key, or for another row") from None


def _place(table: str, row: str) -> bytes:
    return f"{table}:{row}".encode()


def read_key(text: str) -> bytes:
    """A key as a file or the configuration writes it: 64 hexadecimal digits."""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise Malformed("BAD_SEAL_KEY", f"a sealing key is written as {2 * KEY_BYTES} hexadecimal digits")
    return key


def load_or_make_key(path: Path) -> bytes:
    """The key in this file; on a first start it is made, readable for its owner only.

    Two processes that start at once get the same key, and a crash leaves a whole key or none.
    """
    try:
        return read_key(path.read_text())
    except FileNotFoundError:
        pass
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as writer:
            writer.write(secrets.token_hex(KEY_BYTES) + "\n")
            writer.flush()
            os.fsync(writer.fileno())
        with suppress(FileExistsError):  # another process was faster: its key it is
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    sync(path.parent)
    return read_key(path.read_text())
