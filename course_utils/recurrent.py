"""The character model of lesson 3.

The lesson builds the recurrent step itself. Here is what would distract there: cutting a long
text into chunks, the schedule, reading a text for its perplexity, the table of direct connections.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from course_utils.plots import register_labels
from course_utils.training import progress

register_labels(
    {
        # lesson 3
        "A character RNN reads the manual": "字符 RNN 读手册",
        "training text": "训练文本",
        "held-out text": "留出文本",
        "uniform guess: {}": "均匀猜测：{}",
        "training step": "训练步",
        "add-one, n = {}": "加一平滑，n = {}",
        "add-k, k = {}, n = {}": "加 k 平滑，k = {}，n = {}",
        "interpolation, n = {}": "插值，n = {}",
        "Kneser-Ney up to {}, n = {}": "Kneser-Ney，n 到 {}，最好 n = {}",
        "RNN with a table": "RNN 加表格",
        "perplexity on held-out text": "留出文本上的困惑度",
        "What the trained RNN makes of more context": "上下文更长，训练好的 RNN 得益多少",
        "characters it may see": "允许看到的字符数",
        "How much the end depends on step t": "结尾对第 t 步有多敏感",
        "step t of the input": "输入的步 t",
        "norm of the gradient": "梯度的范数",
        "scale {}": "尺度 {}",
        "norm, float64": "范数，float64",
        "norm, float32": "范数，float32",
        "largest entry, float32": "最大分量，float32",
        "smallest float32": "float32 的最小数",
        "its square root": "它的平方根",
        "Scale 0.5, 100 steps: three ways to look": "尺度 0.5，100 步：三种看法",
        "gradient": "梯度",
        "linear: no tanh": "线性：没有 tanh",
        "with tanh": "有 tanh",
        "neither fades nor grows": "不消也不涨",
        "50 steps back, 8 random networks": "回退 50 步，8 个随机网络",
        "spectral radius of the recurrent matrix": "循环矩阵的谱半径",
        "log10 of first over last gradient": "首末梯度之比的 log10",
        "radius {}, inputs times {}": "谱半径 {}，输入乘 {}",
        "radius {}": "谱半径 {}",
        "inputs times {}": "输入乘 {}",
        "spectral radius": "谱半径",
        "loudness of the inputs": "输入的响度",
        "same matrix": "同一个矩阵",
        "a new matrix each step": "每步换新矩阵",
        "new matrices": "新矩阵",
        "in proportion to T": "与 T 成正比",
        "as the square root of T": "与 T 的平方根成正比",
        "How far 40 random starts drift apart": "40 个随机初始相差多远",
        "steps T": "步数 T",
        "spread of ln-norm over seeds": "ln 范数在种子间的散布",
        "Singular values of a product of 10, six seeds": "10 个矩阵之积的奇异值，六个种子",
        "singular value, largest first": "奇异值，从大到小",
        "size": "大小",
        "exploding (ReLU)": "爆炸（ReLU）",
        "vanishing (tanh)": "消失（tanh）",
        "clipped": "裁剪",
        "not clipped": "不裁剪",
    }
)

CELLS: dict[str, Any] = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}
HASH_SIZE = 2**14
State = tuple[Any, Tensor]  # the cell's own state, and the last characters read


class CharRNN(nn.Module):
    """A recurrent language model over characters.

    Embedding, one recurrent layer, one linear layer. With ``direct=k`` the last 2, 3, ... k
    characters also vote on the next one directly, each through its row of a hashed table
    (Mikolov, Deoras, Povey, Burget and Cernocky 2011): the table learns by heart, which leaves
    the recurrent layer to what has no row.
    """

    def __init__(
        self, vocab_size: int, hidden: int, *, embed: int = 64, direct: int = 0, kind: str = "RNN"
    ) -> None:
        super().__init__()
        self.vocab_size, self.direct = vocab_size, direct
        self.embed = nn.Embedding(vocab_size, embed)
        self.cell = CELLS[kind](embed, hidden)
        self.out = nn.Linear(hidden, vocab_size)
        if kind == "RNN":  # a start that neither fades nor explodes: see the lesson
            inward, recurrent, *_ = self.cell.parameters()
            nn.init.orthogonal_(recurrent)
            nn.init.normal_(inward, std=embed**-0.5)
        if direct:
            self.table = nn.EmbeddingBag(
                (direct - 1) * HASH_SIZE, vocab_size, mode="sum", sparse=True
            )
            nn.init.zeros_(self.table.weight)

    def forward(self, ids: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Scores of the next character after each of ids (T, B): (T, B, V), and the state."""
        length, batch = ids.shape
        past = ids.new_full((max(self.direct - 1, 0), batch), self.vocab_size)
        memory, past = state if state else (None, past)
        hidden, memory = self.cell(self.embed(ids), memory)
        scores = self.out(hidden)
        read = torch.cat([past, ids])
        if self.direct:
            rows = self._rows(read).reshape(length * batch, -1)
            scores = scores + self.table(rows).view(length, batch, -1)
        return scores, (memory, read[len(read) - len(past) :])

    def _rows(self, read: Tensor) -> Tensor:
        """Table rows of the contexts that end at each place: (T + k - 1, B) -> (T, B, k - 1)."""
        length = len(read) - self.direct + 1
        keys = torch.zeros_like(read[:length])
        rows = []
        for back in range(self.direct):
            begin = self.direct - 1 - back
            keys = keys + (read[begin : begin + length] + 1) * (self.vocab_size + 2) ** back
            if back:
                hashed = keys * 2654435761 % 2147483647 % HASH_SIZE
                rows.append(hashed + (back - 1) * HASH_SIZE)
        return torch.stack(rows, dim=-1)


def _cut(memory: Any) -> Any:
    """The same state without its history: gradients stop here."""
    return tuple(part.detach() for part in memory) if isinstance(memory, tuple) else memory.detach()


class CharTrainer:
    """Truncated backpropagation through time over one long text.

    The text is cut into `batch` streams that are read side by side, `chunk` characters at a
    time. The state is carried from one chunk to the next, the gradient is not. The learning rate
    warms up over a twentieth of `steps` and falls along a cosine, also when the steps are taken
    in several calls of `run`.

    The table of direct connections learns by plain SGD. Its rate looks huge because the loss is a
    mean over `batch * chunk` characters and a row hears of its own few only: at 200 a character
    moves its rows by at most 0.4.
    """

    def __init__(
        self,
        model: CharRNN,
        ids: NDArray[np.int64],
        *,
        steps: int,
        batch: int = 32,
        chunk: int = 16,
        rate: float = 8e-3,
        table_rate: float = 200.0,
    ) -> None:
        self.model, self.chunk = model, chunk
        length = len(ids) // batch
        text = torch.from_numpy(ids[: length * batch]).view(batch, length).T.contiguous()
        self.text = text.to(model.out.weight.device)
        dense = [p for name, p in model.named_parameters() if not name.startswith("table")]
        self.dense = dense
        self.optimizers: list[torch.optim.Optimizer] = [
            torch.optim.Adam(dense, lr=rate, betas=(0.9, 0.95), fused=True)
        ]
        if model.direct:
            self.optimizers.append(torch.optim.SGD(model.table.parameters(), lr=table_rate))

        def pace(step: int) -> float:
            share = min(step / steps, 1.0)
            return min(1.0, (share + 1e-3) / 0.05) * 0.5 * (1 + math.cos(math.pi * share))

        self.schedules = [torch.optim.lr_scheduler.LambdaLR(o, pace) for o in self.optimizers]
        self.place = 0
        self.state: State | None = None

    def run(self, steps: int, label: str = "training") -> list[float]:
        """Take `steps` more steps under a progress bar; returns their losses in nats."""
        losses: list[float] = []
        bar = progress(range(steps), label)
        for _ in bar:
            losses.append(self._step())
            bar.note(f"loss {np.mean(losses[-50:]):.2f}")
        return losses

    def _step(self) -> float:
        if self.place + self.chunk + 1 > len(self.text):
            self.place, self.state = 0, None
        x = self.text[self.place : self.place + self.chunk]
        y = self.text[self.place + 1 : self.place + self.chunk + 1]
        self.place += self.chunk
        scores, (memory, past) = self.model(x, self.state)
        self.state = (_cut(memory), past)
        loss = functional.cross_entropy(scores.flatten(0, 1), y.flatten())
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.dense, 1.0)
        for optimizer, schedule in zip(self.optimizers, self.schedules, strict=True):
            optimizer.step()
            schedule.step()
        return loss.item()


@torch.no_grad()
def char_probs(model: CharRNN, ids: NDArray[np.int64], start: int = 1) -> NDArray[np.float64]:
    """P(x_t | all characters before) at ids[start:], as `language_models` gives them."""
    text = torch.from_numpy(ids).to(model.out.weight.device)[:, None]
    scores, _ = model(text[:-1])
    logs = scores[:, 0].log_softmax(-1).gather(1, text[1:])[:, 0]
    return logs[start - 1 :].double().exp().cpu().numpy()


@torch.no_grad()
def write(
    model: CharRNN, signs: list[str], length: int, *, begin: str = "the ", seed: int = 0
) -> str:
    """Continue `begin` by `length` characters, each drawn from the model's own prediction."""
    device = model.out.weight.device
    generator = torch.Generator().manual_seed(seed)
    ids = torch.tensor([signs.index(sign) for sign in begin], device=device)[:, None]
    text, state = begin, None
    for _ in range(length):
        scores, state = model(ids, state)
        drawn = torch.multinomial(scores[-1, 0].softmax(-1).cpu(), 1, generator=generator)
        text += signs[int(drawn)]
        ids = drawn.to(device)[:, None]
    return text
