"""Exercises of lesson 4: cases, known mistakes and their hints."""

import numpy as np
import torch

from course_utils.exercises.specify import Exercise, Mistake, case

# lstm_step: one step of an LSTM, PyTorch's layout (rows i, f, g, o; two bias vectors)


def _sums(x, h, W_ih, W_hh, b_ih, b_hh):
    """What stands before the gates' sigmoids: (B, rows)."""
    return x @ W_ih.T + b_ih + h @ W_hh.T + b_hh


def _lstm(sums, c, order="ifgo"):
    """Finish a step from the four blocks of `sums`, taken in a given order."""
    parts = dict(zip(order, sums.chunk(4, dim=-1), strict=True))
    i, f, o = (torch.sigmoid(parts[name]) for name in "ifo")
    c = f * c + i * torch.tanh(parts["g"])
    return o * torch.tanh(c), c


def _order_ifog(x, h, c, W_ih, W_hh, b_ih, b_hh):
    return _lstm(_sums(x, h, W_ih, W_hh, b_ih, b_hh), c, "ifog")


def _order_figo(x, h, c, W_ih, W_hh, b_ih, b_hh):
    return _lstm(_sums(x, h, W_ih, W_hh, b_ih, b_hh), c, "figo")


def _first_bias_only(x, h, c, W_ih, W_hh, b_ih, b_hh):
    return _lstm(_sums(x, h, W_ih, W_hh, b_ih, torch.zeros_like(b_hh)), c)


def _sigmoid_candidate(x, h, c, W_ih, W_hh, b_ih, b_hh):
    i, f, g, o = torch.sigmoid(_sums(x, h, W_ih, W_hh, b_ih, b_hh)).chunk(4, dim=-1)
    c = f * c + i * g
    return o * torch.tanh(c), c


def _open_output(x, h, c, W_ih, W_hh, b_ih, b_hh):
    i, f, g, o = _sums(x, h, W_ih, W_hh, b_ih, b_hh).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * c, c


def _old_memory_shown(x, h, c, W_ih, W_hh, b_ih, b_hh):
    i, f, g, o = _sums(x, h, W_ih, W_hh, b_ih, b_hh).chunk(4, dim=-1)
    new = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), new


def _no_input_gate(x, h, c, W_ih, W_hh, b_ih, b_hh):
    _, f, g, o = _sums(x, h, W_ih, W_hh, b_ih, b_hh).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _tied_gates(x, h, c, W_ih, W_hh, b_ih, b_hh):
    _, f, g, o = _sums(x, h, W_ih, W_hh, b_ih, b_hh).chunk(4, dim=-1)
    f = torch.sigmoid(f)
    c = f * c + (1 - f) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _returned_c_first(x, h, c, W_ih, W_hh, b_ih, b_hh):
    h, c = _lstm(_sums(x, h, W_ih, W_hh, b_ih, b_hh), c)
    return c, h


def _squashed_memory(x, h, c, W_ih, W_hh, b_ih, b_hh):
    i, f, g, o = _sums(x, h, W_ih, W_hh, b_ih, b_hh).chunk(4, dim=-1)
    c = torch.tanh(torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g))
    return torch.sigmoid(o) * c, c


def _weights(rng, gates, size, hidden):
    """W_ih, W_hh, b_ih, b_hh of a cell, float32, with entries of about 1."""
    rows = gates * hidden
    shapes = (rows, size), (rows, hidden), (rows,), (rows,)
    return [torch.tensor(rng.standard_normal(shape), dtype=torch.float32) for shape in shapes]


def _states(rng, batch, *sizes):
    shapes = [(batch, size) for size in sizes]
    return [torch.tensor(rng.standard_normal(shape), dtype=torch.float32) for shape in shapes]


def _lstm_args(rng, batch, size, hidden):
    return [*_states(rng, batch, size, hidden, hidden), *_weights(rng, 4, size, hidden)]


def _from_nothing(rng, size, hidden):
    zero = torch.zeros(1, hidden)
    return [*_states(rng, 1, size), zero, zero.clone(), *_weights(rng, 4, size, hidden)]


def _long_kept(rng, size, hidden):
    """A large memory: squashing c itself would lose it."""
    args = _lstm_args(rng, 2, size, hidden)
    args[2] = 5 * args[2]
    return args


def hidden_lstm_step(rng):
    """Fresh cells of the public kinds, gradients included."""
    return [
        case(*_lstm_args(rng, 1, 3, 2), en="one row", zh="批大小为 1"),
        case(*_lstm_args(rng, 4, 2, 3), en="a batch of 4", zh="批大小为 4"),
        case(*_from_nothing(rng, 3, 3), en="h and c start at zero", zh="h 和 c 从零开始"),
        case(*_long_kept(rng, 2, 4), en="a large memory c", zh="记忆 c 很大"),
        case(
            *_lstm_args(rng, 2, 4, 3),
            en="gradients of x, h and c",
            zh="对 x、h、c 的梯度",
            gradients=(0, 1, 2),
        ),
    ]


_PUBLIC = np.random.default_rng(4)

LSTM_STEP = Exercise(
    id="lstm_step",
    points=3,
    public=[
        case(
            *_lstm_args(_PUBLIC, 1, 2, 2), en="one row, D = 2, H = 2", zh="批大小 1，D = 2，H = 2"
        ),
        case(*_lstm_args(_PUBLIC, 3, 4, 2), en="a batch of 3", zh="批大小为 3"),
        case(*_from_nothing(_PUBLIC, 2, 3), en="h and c start at zero", zh="h 和 c 从零开始"),
        case(*_long_kept(_PUBLIC, 3, 2), en="a large memory c", zh="记忆 c 很大"),
        case(
            *_lstm_args(_PUBLIC, 2, 3, 2),
            en="gradients of x, h and c",
            zh="对 x、h、c 的梯度",
            gradients=(0, 1, 2),
        ),
    ],
    hidden=hidden_lstm_step,
    rtol=1e-4,
    atol=1e-5,
    mistakes=[
        Mistake(
            "order_ifog",
            _order_ifog,
            en="The last two blocks are swapped: PyTorch stacks the rows as i, f, g, o, with the "
            "candidate third.",
            zh="最后两块弄反了：PyTorch 按 i、f、g、o 的顺序堆叠，候选值 g 是第三块。",
        ),
        Mistake(
            "order_figo",
            _order_figo,
            en="The first two blocks are swapped: the input gate's rows come before the forget "
            "gate's.",
            zh="前两块弄反了：输入门的行在前，遗忘门的行在后。",
        ),
        Mistake(
            "first_bias_only",
            _first_bias_only,
            en="b_hh is missing: PyTorch adds two bias vectors, one with x and one with h.",
            zh="漏了 b_hh：PyTorch 有两个偏置向量，一个跟着 x，一个跟着 h，都要加上。",
        ),
        Mistake(
            "sigmoid_candidate",
            _sigmoid_candidate,
            en="The candidate went through a sigmoid. It is not a gate: it must be able to be "
            "negative, so it takes a tanh.",
            zh="候选值用了 sigmoid。它不是门，必须能取负值，所以用 tanh。",
        ),
        Mistake(
            "open_output",
            _open_output,
            en="c is right, but h shows it without the tanh.",
            zh="c 是对的，但 h 里的 c 没有经过 tanh。",
        ),
        Mistake(
            "old_memory_shown",
            _old_memory_shown,
            en="h was made from the old memory. Update c first, then show the new one.",
            zh="h 用的是旧的记忆。先更新 c，再用新的 c 算 h。",
        ),
        Mistake(
            "no_input_gate",
            _no_input_gate,
            en="The candidate is added whole: it has to pass the input gate first.",
            zh="候选值整个加了进去：它要先经过输入门。",
        ),
        Mistake(
            "tied_gates",
            _tied_gates,
            en="You used 1 - f in place of the input gate. Some variants do; here i is a gate of "
            "its own, so that a cell may keep and write at once.",
            zh="你用 1 - f 代替了输入门。有的变体这么做；但这里 i 是独立的门，可以一边保留一边写入。",
        ),
        Mistake(
            "returned_c_first",
            _returned_c_first,
            en="Both values are right, in the wrong order: return h, then c.",
            zh="两个值都对，但顺序反了：先返回 h，再返回 c。",
        ),
        Mistake(
            "squashed_memory",
            _squashed_memory,
            en="c itself went through a tanh. Nothing squashes the memory: only its copy in h is "
            "squashed.",
            zh="c 本身经过了 tanh。记忆不能被压缩，被压缩的只是 h 里的那一份。",
        ),
    ],
)


# recurrent_params: how many numbers a layer of each kind learns


def _blocks(kind):
    return {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]


def _one_bias(kind, input_size, hidden_size):
    return _blocks(kind) * (hidden_size * (input_size + hidden_size) + hidden_size)


def _no_bias(kind, input_size, hidden_size):
    return _blocks(kind) * hidden_size * (input_size + hidden_size)


def _bias_once(kind, input_size, hidden_size):
    return _no_bias(kind, input_size, hidden_size) + 2 * hidden_size


def _gates_only(kind, input_size, hidden_size):
    blocks = {"RNN": 1, "GRU": 2, "LSTM": 3}[kind]
    return blocks * hidden_size * (input_size + hidden_size + 2)


def _same_for_all(kind, input_size, hidden_size):
    return hidden_size * (input_size + hidden_size + 2)


def _lstm_for_gru(kind, input_size, hidden_size):
    return (1 if kind == "RNN" else 4) * hidden_size * (input_size + hidden_size + 2)


def _input_only(kind, input_size, hidden_size):
    return _blocks(kind) * hidden_size * (input_size + 2)


def _input_bias(kind, input_size, hidden_size):
    rows = hidden_size * (input_size + hidden_size)
    return _blocks(kind) * (rows + input_size + hidden_size)


def hidden_recurrent_params(rng):
    """Fresh sizes, every kind; input and hidden size always differ."""

    def sizes():
        size = int(rng.integers(2, 40))
        return size, size + int(rng.integers(1, 30))

    return [
        case("LSTM", *sizes(), en="an LSTM", zh="LSTM"),
        case("GRU", *sizes(), en="a GRU", zh="GRU"),
        case("RNN", *sizes(), en="a plain RNN", zh="普通 RNN"),
        case("LSTM", *sizes()[::-1], en="an LSTM, input wider than state", zh="LSTM，输入比状态宽"),
        case("GRU", *sizes()[::-1], en="a GRU, input wider than state", zh="GRU，输入比状态宽"),
    ]


RECURRENT_PARAMS = Exercise(
    id="recurrent_params",
    points=1,
    public=[
        case("RNN", 8, 32, en="a plain RNN", zh="普通 RNN"),
        case("LSTM", 8, 32, en="the LSTM of this lesson", zh="本课的 LSTM"),
        case("GRU", 8, 32, en="the GRU of this lesson", zh="本课的 GRU"),
        case("LSTM", 5, 2, en="an LSTM, input wider than state", zh="LSTM，输入比状态宽"),
        case("GRU", 1, 1, en="the smallest GRU", zh="最小的 GRU"),
    ],
    hidden=hidden_recurrent_params,
    mistakes=[
        Mistake(
            "one_bias",
            _one_bias,
            en="Each block has two bias vectors in PyTorch, b_ih and b_hh.",
            zh="在 PyTorch 里每一块有两个偏置向量：b_ih 和 b_hh。",
        ),
        Mistake(
            "no_bias",
            _no_bias,
            en="The weights are right; the biases are missing.",
            zh="权重数对了，但漏了偏置。",
        ),
        Mistake(
            "bias_once",
            _bias_once,
            en="The two bias vectors were counted once for the whole layer. Every block has its "
            "own two.",
            zh="两个偏置向量只给整层算了一次。每一块都有自己的两个。",
        ),
        Mistake(
            "gates_only",
            _gates_only,
            en="You counted the gates. The candidate needs weights of its own, too.",
            zh="你只数了门。候选值也有自己的一套权重。",
        ),
        Mistake(
            "same_for_all",
            _same_for_all,
            en="That is the count of a plain RNN. How many blocks of that size does this kind have?",
            zh="这是普通 RNN 的参数量。这一种有几个这么大的块？",
        ),
        Mistake(
            "lstm_for_gru",
            _lstm_for_gru,
            en="RNN and LSTM are right. A GRU has one block fewer than an LSTM.",
            zh="RNN 和 LSTM 对了。GRU 比 LSTM 少一块。",
        ),
        Mistake(
            "input_only",
            _input_only,
            en="The blocks read x and h: the weights from h to h are missing.",
            zh="每一块既读 x 也读 h：漏了从 h 到 h 的权重。",
        ),
        Mistake(
            "input_bias",
            _input_bias,
            en="Both bias vectors have as many entries as the block has rows, H.",
            zh="两个偏置向量的长度都等于这一块的行数，也就是 H。",
        ),
    ],
)


# gru_step: one step of a GRU, PyTorch's layout (rows r, z, n; two bias vectors)


def _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh):
    """The blocks that come from x and those that come from h, three each."""
    return (x @ W_ih.T + b_ih).chunk(3, dim=-1), (h @ W_hh.T + b_hh).chunk(3, dim=-1)


def _swapped_mix(x, h, W_ih, W_hh, b_ih, b_hh):
    (xr, xz, xn), (hr, hz, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    z = torch.sigmoid(xz + hz)
    n = torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
    return z * n + (1 - z) * h


def _order_zrn(x, h, W_ih, W_hh, b_ih, b_hh):
    (xz, xr, xn), (hz, hr, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    z = torch.sigmoid(xz + hz)
    n = torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
    return (1 - z) * n + z * h


def _reset_first(x, h, W_ih, W_hh, b_ih, b_hh):
    (xr, xz, xn), (hr, hz, _) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    size = h.shape[-1]
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + (r * h) @ W_hh[2 * size :].T + b_hh[2 * size :])
    return (1 - z) * n + z * h


def _bias_not_reset(x, h, W_ih, W_hh, b_ih, b_hh):
    (xr, xz, xn), (hr, hz, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    bias = b_hh[2 * h.shape[-1] :]
    z = torch.sigmoid(xz + hz)
    n = torch.tanh(xn + torch.sigmoid(xr + hr) * (hn - bias) + bias)
    return (1 - z) * n + z * h


def _no_reset(x, h, W_ih, W_hh, b_ih, b_hh):
    (_, xz, xn), (_, hz, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    z = torch.sigmoid(xz + hz)
    return (1 - z) * torch.tanh(xn + hn) + z * h


def _resets_x_too(x, h, W_ih, W_hh, b_ih, b_hh):
    (xr, xz, xn), (hr, hz, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    z = torch.sigmoid(xz + hz)
    n = torch.tanh(torch.sigmoid(xr + hr) * (xn + hn))
    return (1 - z) * n + z * h


def _sigmoid_new(x, h, W_ih, W_hh, b_ih, b_hh):
    (xr, xz, xn), (hr, hz, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    z = torch.sigmoid(xz + hz)
    n = torch.sigmoid(xn + torch.sigmoid(xr + hr) * hn)
    return (1 - z) * n + z * h


def _gru_first_bias_only(x, h, W_ih, W_hh, b_ih, b_hh):
    (xr, xz, xn), (hr, hz, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, torch.zeros_like(b_hh))
    z = torch.sigmoid(xz + hz)
    n = torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
    return (1 - z) * n + z * h


def _only_adds(x, h, W_ih, W_hh, b_ih, b_hh):
    (xr, xz, xn), (hr, hz, hn) = _gru_parts(x, h, W_ih, W_hh, b_ih, b_hh)
    z = torch.sigmoid(xz + hz)
    return torch.tanh(xn + torch.sigmoid(xr + hr) * hn) + z * h


def _gru_args(rng, batch, size, hidden):
    return [*_states(rng, batch, size, hidden), *_weights(rng, 3, size, hidden)]


def _gru_from_nothing(rng, size, hidden):
    return [*_states(rng, 1, size), torch.zeros(1, hidden), *_weights(rng, 3, size, hidden)]


def hidden_gru_step(rng):
    """Fresh cells of the public kinds, gradients included."""
    return [
        case(*_gru_args(rng, 1, 3, 2), en="one row", zh="批大小为 1"),
        case(*_gru_args(rng, 4, 2, 3), en="a batch of 4", zh="批大小为 4"),
        case(*_gru_from_nothing(rng, 3, 3), en="h starts at zero", zh="h 从零开始"),
        case(
            *_gru_args(rng, 2, 4, 3),
            en="gradients of x and h",
            zh="对 x、h 的梯度",
            gradients=(0, 1),
        ),
    ]


GRU_STEP = Exercise(
    id="gru_step",
    points=2,
    public=[
        case(*_gru_args(_PUBLIC, 1, 2, 2), en="one row, D = 2, H = 2", zh="批大小 1，D = 2，H = 2"),
        case(*_gru_args(_PUBLIC, 3, 4, 2), en="a batch of 3", zh="批大小为 3"),
        case(*_gru_from_nothing(_PUBLIC, 2, 3), en="h starts at zero", zh="h 从零开始"),
        case(
            *_gru_args(_PUBLIC, 2, 3, 2),
            en="gradients of x and h",
            zh="对 x、h 的梯度",
            gradients=(0, 1),
        ),
    ],
    hidden=hidden_gru_step,
    rtol=1e-4,
    atol=1e-5,
    mistakes=[
        Mistake(
            "swapped_mix",
            _swapped_mix,
            en="z and 1 - z are swapped: in PyTorch z says how much of the *old* state stays.",
            zh="z 和 1 - z 弄反了：在 PyTorch 里，z 表示*旧*状态保留多少。",
        ),
        Mistake(
            "order_zrn",
            _order_zrn,
            en="The first two blocks are swapped: PyTorch stacks the rows as r, z, n.",
            zh="前两块弄反了：PyTorch 按 r、z、n 的顺序堆叠。",
        ),
        Mistake(
            "reset_first",
            _reset_first,
            en="The reset gate was applied to h before the matrix product, as in the first paper. "
            "PyTorch applies it after the product.",
            zh="重置门在矩阵乘法之前作用于 h，这是最初论文的写法。PyTorch 是在乘完之后才作用。",
        ),
        Mistake(
            "bias_not_reset",
            _bias_not_reset,
            en="The reset gate must multiply the bias b_hn as well: it stands inside the brackets.",
            zh="重置门也要乘上偏置 b_hn：它在括号里面。",
        ),
        Mistake(
            "no_reset",
            _no_reset,
            en="The reset gate r is not used: it weakens what the candidate hears from h.",
            zh="没有用到重置门 r：它要削弱候选值从 h 听到的东西。",
        ),
        Mistake(
            "resets_x_too",
            _resets_x_too,
            en="The reset gate also weakens the part that comes from x. It concerns h alone.",
            zh="重置门把来自 x 的部分也削弱了。它只管 h。",
        ),
        Mistake(
            "sigmoid_new",
            _sigmoid_new,
            en="The candidate n went through a sigmoid; it takes a tanh.",
            zh="候选值 n 用了 sigmoid；应当用 tanh。",
        ),
        Mistake(
            "first_bias_only",
            _gru_first_bias_only,
            en="b_hh is missing: PyTorch adds two bias vectors, one with x and one with h.",
            zh="漏了 b_hh：PyTorch 有两个偏置向量，一个跟着 x，一个跟着 h，都要加上。",
        ),
        Mistake(
            "only_adds",
            _only_adds,
            en="The candidate is added whole. A GRU mixes: what z keeps of the old, 1 - z takes "
            "of the new.",
            zh="候选值整个加了进去。GRU 做的是混合：z 保留多少旧的，1 - z 就取多少新的。",
        ),
    ],
)

EXERCISES = [LSTM_STEP, RECURRENT_PARAMS, GRU_STEP]
