"""Numbers in as few bytes as each takes."""

from random import Random

import pytest

from chautari.kit.varints import pack_numbers, unpack_numbers


@pytest.mark.parametrize(
    ("number", "size"), [(0, 1), (1, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (2**21, 4), (2**64, 10)]
)
def test_a_number_takes_a_byte_for_seven_bits(number: int, size: int) -> None:
    packed = pack_numbers([number])
    assert len(packed) == size
    assert list(unpack_numbers(packed)) == [number]


def test_known_bytes() -> None:
    assert pack_numbers([1, 300, 0]) == bytes([0x01, 0xAC, 0x02, 0x00])


def test_none_are_no_bytes() -> None:
    assert pack_numbers([]) == b""
    assert list(unpack_numbers(b"")) == []


def test_what_is_packed_is_unpacked() -> None:
    random = Random(1)
    numbers = [random.getrandbits(random.randrange(1, 70)) for _ in range(2000)]
    assert list(unpack_numbers(pack_numbers(numbers))) == numbers


def test_a_negative_number_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 is negative"):
        pack_numbers([3, -1])


def test_a_number_that_is_cut_off_is_refused() -> None:
    numbers = unpack_numbers(pack_numbers([5, 300])[:-1])
    assert next(numbers) == 5
    with pytest.raises(ValueError, match="cut off"):
        next(numbers)
