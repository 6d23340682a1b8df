"""Sealing: what only the right key opens, and only in its place."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chautari.errors import Malformed
from chautari.store.seal import BrokenSeal, Sealer, load_or_make_key, read_key

KEY, OTHER = bytes(32), bytes([1]) * 32
SECRET = b"nobody may know"


def test_the_key_that_sealed_opens() -> None:
    sealed = Sealer(KEY).seal("match", "m1", SECRET)
    assert SECRET not in sealed
    assert Sealer(KEY).open("match", "m1", sealed) == SECRET
    assert Sealer(KEY).seal("match", "m1", SECRET) != sealed


@pytest.mark.parametrize(
    ("key", "table", "row"), [(OTHER, "match", "m1"), (KEY, "signing_key", "m1"), (KEY, "match", "m2")]
)
def test_nothing_else_opens(key: bytes, table: str, row: str) -> None:
    with pytest.raises(BrokenSeal, match=f"{table} {row}"):
        Sealer(key).open(table, row, Sealer(KEY).seal("match", "m1", SECRET))


@pytest.mark.parametrize("position", [0, 1, 12, 13, -1])
def test_a_changed_byte_breaks_the_seal(position: int) -> None:
    sealed = bytearray(Sealer(KEY).seal("match", "m1", SECRET))
    sealed[position] ^= 1
    with pytest.raises(BrokenSeal):
        Sealer(KEY).open("match", "m1", bytes(sealed))


@pytest.mark.parametrize("sealed", [b"", b"\x01", b"\x01" + bytes(12)])
def test_what_is_cut_short_breaks_the_seal(sealed: bytes) -> None:
    with pytest.raises(BrokenSeal):
        Sealer(KEY).open("match", "m1", sealed)


def test_a_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "seal.key"
    key = load_or_make_key(path)
    assert len(key) == 32
    assert load_or_make_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["seal.key"]


def test_all_who_start_at_once_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(load_or_make_key, [tmp_path / "seal.key"] * 32))) == 1
    assert os.listdir(tmp_path) == ["seal.key"]


@pytest.mark.parametrize("text", ["", "00", "no key", "0" * 63, "0" * 66])
def test_a_key_that_cannot_be_read_is_refused_and_never_replaced(tmp_path: Path, text: str) -> None:
    path = tmp_path / "seal.key"
    path.write_text(text)
    with pytest.raises(Malformed, match="64 hexadecimal digits"):
        load_or_make_key(path)
    assert path.read_text() == text


def test_a_key_is_read_from_the_configuration_too() -> None:
    assert read_key(KEY.hex()) == KEY
    with pytest.raises(Malformed, match="32 bytes"):
        Sealer(b"short")
