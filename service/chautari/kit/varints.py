"""Numbers in as few bytes as each takes: seven bits a byte, the low ones first, the eighth says that more follow."""

from collections.abc import Iterable, Iterator


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Numbers from 0 on, one after another; ValueError for one below."""
    packed = bytearray()
    for number in numbers:
        if number < 0:
            raise ValueError(f"{number} is negative: only numbers from 0 on are packed")
        while number > 0x7F:
            packed.append(number & 0x7F | 0x80)
            number >>= 7
        packed.append(number)
    return bytes(packed)


def unpack_numbers(packed: bytes) -> Iterator[int]:
    """The numbers that were packed, in order; ValueError, after those before it, where the last one is cut off."""
    number = shift = 0
    for byte in packed:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0
    if shift:
        raise ValueError("the last number is cut off")
