"""Texts as f-puzzles packs them into a link: LZ with codes of growing length, six bits in a character."""

from __future__ import annotations

from urllib.parse import unquote

from islands.errors import UsageError

ALPHABET = {c: k for k, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
LONGEST = 4_000_000  # characters unpacked
BYTE, WORD, END = 0, 1, 2  # codes: a new character of 8 or of 16 bits, or the end


class _Bits:
    """The bits of a packed text, the first of each six being the highest; numbers have their lowest bit first."""

    def __init__(self, packed: str) -> None:
        self.numbers = [ALPHABET[c] for c in packed]
        self.place = 0

    def number(self, bits: int) -> int:
        value = 0
        for k in range(bits):
            index, offset = divmod(self.place, 6)
            value |= (self.numbers[index] >> (5 - offset) & 1) << k
            self.place += 1
        return value


def decompressed(packed: str) -> str:
    """The text. UsageError where it is not packed like that, or not whole."""
    cleaned = unquote(packed).replace(" ", "+").replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return _unpacked(_Bits(cleaned))
    except (KeyError, IndexError, ValueError) as error:
        raise UsageError("the link cannot be unpacked: it is damaged, or a part of it is missing.") from error


def _unpacked(bits: _Bits) -> str:
    words = ["", "", ""]
    first = bits.number(2)
    if first == END:
        return ""
    last = chr(bits.number(8 if first == BYTE else 16))
    words.append(last)
    text, length, size, until_wider = [last], len(last), 3, 4
    while True:
        code = bits.number(size)
        if code == END:
            return "".join(text)
        if code in (BYTE, WORD):
            words.append(chr(bits.number(8 if code == BYTE else 16)))
            code = len(words) - 1
            until_wider -= 1
            if not until_wider:
                until_wider, size = 1 << size, size + 1
        if code < len(words):
            word = words[code]
        elif code == len(words):
            word = last + last[0]
        else:
            raise ValueError("a code before its word")
        text.append(word)
        length += len(word)
        if length > LONGEST:
            raise ValueError("too long")
        words.append(last + word[0])
        last = word
        until_wider -= 1
        if not until_wider:
            until_wider, size = 1 << size, size + 1
