"""`torch.utils.data`: data sets and their batches, in the order in which PyTorch shuffles them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import stack
from .._kinds import check_options
from .._random import Generator, next_seed, randperm, stream_of
from .._tensor import Tensor, as_tensor


class Dataset:
    """Base of data sets: a subclass has `__getitem__` and `__len__`."""


class TensorDataset(Dataset):
    """Rows of tensors of equal length."""

    def __init__(self, *tensors: Any) -> None:
        if len({len(tensor) for tensor in tensors}) > 1:
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class DataLoader:
    """Batches of a data set, drawn again in each loop over them."""

    def __init__(
        self, dataset: Any, batch_size: int = 1, shuffle: bool = False, drop_last: bool = False, **options: Any
    ) -> None:
        if options.pop("generator", None) is not None:
            raise NotImplementedError("DataLoader shuffles by torch.manual_seed here")
        check_options("DataLoader", options)
        if batch_size < 1:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last

    def __len__(self) -> int:
        count = len(self.dataset)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        next_seed()  # PyTorch draws one for its workers first
        order = list(range(len(self.dataset)))
        if self.shuffle:
            with stream_of(Generator().manual_seed(next_seed())):
                order = [int(each) for each in randperm(len(order)).tolist()]
        for number in range(len(self)):
            rows = order[number * self.batch_size : (number + 1) * self.batch_size]
            if isinstance(self.dataset, TensorDataset):
                yield [tensor[rows] for tensor in self.dataset.tensors]
            else:
                yield _batch([self.dataset[row] for row in rows])


def _batch(samples: list[Any]) -> Any:
    """Return samples as one batch: tensors on top of each other, tuples part by part."""
    first = samples[0]
    if isinstance(first, (tuple, list)):
        return [_batch(list(part)) for part in zip(*samples, strict=True)]
    return stack(samples) if isinstance(first, Tensor) else as_tensor(samples)
