"""Answers that are still computed."""

from __future__ import annotations

from collections import deque
from typing import Callable, Iterator, Protocol, TypeVar


class Cancellable(Protocol):
    """What someone waits for."""

    def cancel(self) -> None:
        """Nobody waits for it any more."""


Item = TypeVar("Item")
Pending = TypeVar("Pending", bound=Cancellable)
Answer = TypeVar("Answer")


def collect(pending: list[Pending], read: Callable[[Pending], Answer]) -> list[Answer]:
    """All answers. If one fails, or Ctrl-C is pressed, the others are cancelled."""
    try:
        return [read(one) for one in pending]
    except BaseException:
        for one in pending:
            one.cancel()
        raise


def stream(
    items: Iterator[Item], submit: Callable[[Item], Pending], read: Callable[[Pending], Answer], read_ahead: int
) -> Iterator[Answer]:
    """Yields read(submit(item)) for each item, in order. Reads up to `read_ahead` items before the first answer."""
    waiting: deque[Pending] = deque()
    try:
        for item in items:
            waiting.append(submit(item))
            if len(waiting) >= read_ahead:
                yield read(waiting.popleft())
        while waiting:
            yield read(waiting.popleft())
    finally:
        for pending in waiting:
            pending.cancel()
