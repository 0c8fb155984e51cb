"""Lesson 3's exercises: cases, and the mistakes we expect, with their hints."""

import numpy as np
import torch

from course_utils.exercises.specify import Exercise, Mistake, case


def normal(rng, *shape, scale=1.0, dtype=torch.float32):
    return torch.from_numpy(scale * rng.normal(size=shape)).to(dtype)


def network(rng, T, D, H, scale=0.6, dtype=torch.float32, start=True):
    """x, Wx, Wh, b, h0 of a small random network."""
    x, Wx = normal(rng, T, D, dtype=dtype), normal(rng, H, D, dtype=dtype)
    Wh, b = normal(rng, H, H, scale=scale, dtype=dtype), normal(rng, H, dtype=dtype)
    h0 = normal(rng, H, scale=0.5, dtype=dtype) if start else torch.zeros(H, dtype=dtype)
    return x, Wx, Wh, b, h0


def states(step, x, h):
    rows = []
    for x_t in x:
        h = step(x_t, h)
        rows.append(h)
    return torch.stack(rows) if rows else x.new_zeros(0, len(h))


# rnn_forward


def hidden_rnn_forward(rng):
    """Fresh networks: a start that is not zero, one unit, more inputs than units, no input."""
    return [
        case(*network(rng, 4, 3, 2), en="four steps, two units", zh="4 步，2 个单元"),
        case(*network(rng, 6, 5, 3), en="more inputs than units", zh="输入比单元多"),
        case(*network(rng, 3, 1, 1), en="one input, one unit", zh="一个输入，一个单元"),
        case(*network(rng, 0, 2, 3), en="an empty sequence", zh="空序列"),
        case(*network(rng, 25, 4, 8, 0.3), en="25 steps", zh="25 步"),
    ]


def forward_no_memory(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: torch.tanh(Wh @ h0 + Wx @ x_t + b), x, h0)


def forward_transposed(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: torch.tanh(h @ Wh + Wx @ x_t + b), x, h0)


def forward_no_bias(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: torch.tanh(Wh @ h + Wx @ x_t), x, h0)


def forward_linear(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: Wh @ h + Wx @ x_t + b, x, h0)


def forward_sigmoid(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: torch.sigmoid(Wh @ h + Wx @ x_t + b), x, h0)


def forward_zero_start(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: torch.tanh(Wh @ h + Wx @ x_t + b), x, torch.zeros_like(h0))


def forward_tanh_inside(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: torch.tanh(Wh @ h) + Wx @ x_t + b, x, h0)


def _forward(x, Wx, Wh, b, h0):
    return states(lambda x_t, h: torch.tanh(Wh @ h + Wx @ x_t + b), x, h0)


def forward_with_start(x, Wx, Wh, b, h0):
    return torch.cat([h0[None], _forward(x, Wx, Wh, b, h0)])


def forward_shifted(x, Wx, Wh, b, h0):
    return torch.cat([h0[None], _forward(x, Wx, Wh, b, h0)])[:-1]


def forward_last(x, Wx, Wh, b, h0):
    return _forward(x, Wx, Wh, b, h0)[-1]


def forward_backwards(x, Wx, Wh, b, h0):
    return _forward(x.flip(0), Wx, Wh, b, h0)


_rng = np.random.default_rng(3)
RNN_FORWARD = Exercise(
    id="rnn_forward",
    points=2,
    public=[
        case(
            torch.tensor([[1.0], [0.0], [0.0]]),
            torch.tensor([[1.0], [-1.0]]),
            torch.tensor([[0.5, 1.0], [0.0, 0.5]]),
            torch.tensor([0.0, 0.1]),
            torch.zeros(2),
            en="one pulse, then silence",
            zh="一个脉冲，随后静默",
        ),
        case(*network(_rng, 5, 3, 4), en="a start that is not zero", zh="初始状态不为零"),
        case(*network(_rng, 1, 2, 2), en="a single step", zh="只有一步"),
        case(*network(_rng, 0, 2, 3), en="an empty sequence: (0, 3)", zh="空序列：(0, 3)"),
    ],
    hidden=hidden_rnn_forward,
    rtol=1e-4,
    atol=1e-5,
    mistakes=[
        Mistake(
            "no_memory",
            forward_no_memory,
            en="Every step starts from h0 again. The new state must become the old one of the "
            "next step.",
            zh="每一步都又从 h0 出发了。这一步的新状态，应当成为下一步的旧状态。",
        ),
        Mistake(
            "transposed",
            forward_transposed,
            en="Wh is used the wrong way round: `h @ Wh` multiplies by its transpose. The formula "
            "has the matrix on the left.",
            zh="Wh 用反了：`h @ Wh` 乘的是它的转置。公式里矩阵在左边。",
        ),
        Mistake("no_bias", forward_no_bias, en="The bias b is missing.", zh="漏了偏置 b。"),
        Mistake(
            "linear",
            forward_linear,
            en="The tanh is missing: these states can grow beyond 1.",
            zh="漏了 tanh：这样的状态会超过 1。",
        ),
        Mistake(
            "sigmoid",
            forward_sigmoid,
            en="All states are positive: this is a sigmoid. The formula says tanh.",
            zh="所有状态都是正的：这是 sigmoid。公式里写的是 tanh。",
        ),
        Mistake(
            "zero_start",
            forward_zero_start,
            en="The first step ignores h0 and starts from zeros.",
            zh="第一步没有用 h0，而是从零开始了。",
        ),
        Mistake(
            "tanh_inside",
            forward_tanh_inside,
            en="tanh goes around the whole sum, not around the memory alone.",
            zh="tanh 要套在整个和上，而不是只套在记忆那一项上。",
        ),
        Mistake(
            "with_start",
            forward_with_start,
            en="There is one row too many: h0 was given, it is not a state after an input.",
            zh="多了一行：h0 是给定的，不是读了输入之后的状态。",
        ),
        Mistake(
            "shifted",
            forward_shifted,
            en="Each row is the state before its input, not after it. Append the new h.",
            zh="每一行是读输入之前的状态，而不是之后的。应当添进新的 h。",
        ),
        Mistake(
            "last",
            forward_last,
            en="This is the last state only. All of them are asked for, one a row.",
            zh="这只是最后一个状态。题目要全部状态，每行一个。",
        ),
        Mistake(
            "backwards",
            forward_backwards,
            en="The sequence was read from its end.",
            zh="序列被从尾到头读了。",
        ),
    ],
)

# grad_norm_by_step


def hidden_grad_norm(rng):
    """Fresh networks in float64, so that small gradients are still exact."""

    def net(*sizes, **options):
        return network(rng, *sizes, dtype=torch.float64, **options)

    return [
        case(*net(5, 3, 4), en="five steps", zh="5 步"),
        case(*net(1, 2, 3), en="a single step", zh="只有一步"),
        case(*net(12, 4, 4), en="as many inputs as units", zh="输入与单元一样多"),
        case(*net(30, 2, 6, scale=0.2), en="a gradient that fades", zh="逐渐消退的梯度"),
        case(*net(8, 3, 2, scale=1.5), en="a large Wh", zh="较大的 Wh"),
    ]


def _gradient(x, Wx, Wh, b, h0, loss=lambda rows: rows[-1].sum()):
    x = x.detach().clone().requires_grad_()
    rows = states(lambda x_t, h: torch.tanh(Wh @ h + Wx @ x_t + b), x, h0)
    (gradient,) = torch.autograd.grad(loss(rows), x)
    return gradient


def grad_all_states(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, b, h0, loss=lambda rows: rows.sum()).norm(dim=1)


def grad_mean(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, b, h0, loss=lambda rows: rows[-1].mean()).norm(dim=1)


def grad_squared_loss(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, b, h0, loss=lambda rows: (rows[-1] ** 2).sum()).norm(dim=1)


def grad_no_bias(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, torch.zeros_like(b), h0).norm(dim=1)


def grad_squared(x, Wx, Wh, b, h0):
    return (_gradient(x, Wx, Wh, b, h0) ** 2).sum(dim=1)


def grad_absolute(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, b, h0).abs().sum(dim=1)


def grad_reversed(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, b, h0).norm(dim=1).flip(0)


def grad_by_column(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, b, h0).norm(dim=0)


def grad_whole(x, Wx, Wh, b, h0):
    return _gradient(x, Wx, Wh, b, h0).norm()


def grad_of_state(x, Wx, Wh, b, h0):
    h, rows = h0.detach().clone().requires_grad_(), []
    for x_t in x:
        h = torch.tanh(Wh @ h + Wx @ x_t + b)
        rows.append(h)
    gradients = torch.autograd.grad(rows[-1].sum(), rows)
    return torch.stack([gradient.norm() for gradient in gradients])


def grad_no_saturation(x, Wx, Wh, b, h0):
    back = torch.ones_like(h0)
    norms = []
    for _ in x:
        norms.append((Wx.T @ back).norm())
        back = Wh.T @ back
    return torch.stack(norms[::-1])


_rng = np.random.default_rng(4)
GRAD_NORM = Exercise(
    id="grad_norm_by_step",
    points=3,
    public=[
        case(*network(_rng, 4, 3, 2, dtype=torch.float64), en="four steps", zh="4 步"),
        case(*network(_rng, 1, 2, 2, dtype=torch.float64), en="a single step", zh="只有一步"),
        case(
            *network(_rng, 3, 3, 3, dtype=torch.float64),
            en="T = D = H = 3: mind the axes",
            zh="T = D = H = 3：小心坐标轴",
        ),
        case(
            *network(_rng, 20, 2, 5, 0.2, dtype=torch.float64, start=False),
            en="20 steps, fading",
            zh="20 步，逐渐消退",
        ),
    ],
    hidden=hidden_grad_norm,
    rtol=1e-6,
    atol=1e-30,
    mistakes=[
        Mistake(
            "all_states",
            grad_all_states,
            en="The loss is the sum over the last state only; here all states were added.",
            zh="损失只是最后一个状态之和；这里把所有状态都加进来了。",
        ),
        Mistake(
            "mean",
            grad_mean,
            en="Everything is smaller by the same factor, H: the loss is the sum, not the mean.",
            zh="所有数都小了同一个倍数 H：损失是和，不是平均值。",
        ),
        Mistake(
            "squared_loss",
            grad_squared_loss,
            en="The loss is the plain sum of the last state's entries, without squares.",
            zh="损失是最后状态各分量直接相加，不要平方。",
        ),
        Mistake(
            "no_saturation",
            grad_no_saturation,
            en="tanh is missing: going back, each step also multiplies by its slope, 1 - h².",
            zh="漏了 tanh：往回走时，每一步还要乘它的斜率 1 - h²。",
        ),
        Mistake(
            "no_bias",
            grad_no_bias,
            en="The bias b is missing: it moves the states, and so the slopes.",
            zh="漏了偏置 b：它移动状态，也就改变斜率。",
        ),
        Mistake(
            "squared",
            grad_squared,
            en="These are squared norms: the root is missing.",
            zh="这是范数的平方：还差开方。",
        ),
        Mistake(
            "absolute",
            grad_absolute,
            en="These are sums of absolute values. The Euclidean norm is asked for.",
            zh="这是绝对值之和。题目要的是欧几里得范数。",
        ),
        Mistake(
            "reversed",
            grad_reversed,
            en="The order is reversed: entry 0 belongs to the first input.",
            zh="次序反了：第 0 个数应当属于第一个输入。",
        ),
        Mistake(
            "by_column",
            grad_by_column,
            en="The norm runs over the steps. It should run over the entries of one input.",
            zh="范数是沿着时间步算的。应当对同一个输入的各分量来算。",
        ),
        Mistake(
            "whole",
            grad_whole,
            en="One number for everything. A norm for every step is asked for.",
            zh="整个只有一个数。题目要每一步各一个范数。",
        ),
        Mistake(
            "of_state",
            grad_of_state,
            en="This is the gradient of the states h_t. The one of the inputs x_t is asked for.",
            zh="这是对状态 h_t 的梯度。题目要的是对输入 x_t 的梯度。",
        ),
    ],
)

# clip_by_global_norm


def hidden_clip(rng):
    """Fresh gradients: long, short, zero, overflowing in float32, inf, nan."""
    broken = [normal(rng, 3), normal(rng, 2, 2)]
    broken[0][1] = float("inf")
    spoiled = [normal(rng, 2), normal(rng, 3)]
    spoiled[1][0] = float("nan")
    limit = float(rng.uniform(0.5, 2.0))
    return [
        case([normal(rng, 3, 2, scale=4.0), normal(rng, 3)], limit, en="too long", zh="太长"),
        case([normal(rng, 4, scale=0.05)], limit, en="short enough", zh="够短"),
        case(
            [normal(rng, 2, 2, scale=5.0), normal(rng, 4, scale=0.01), normal(rng, 1, scale=5.0)],
            limit,
            en="large beside small",
            zh="有大有小",
        ),
        case([torch.zeros(2, 3), torch.zeros(1)], limit, en="all zero", zh="全为零"),
        case([normal(rng, 3, scale=1e30)], limit, en="squares overflow", zh="平方会上溢"),
        case(broken, limit, en="an infinite entry", zh="有一个分量无穷大"),
        case(spoiled, limit, en="a nan", zh="有一个 nan"),
    ]


def _norm(grads):
    return sum(float((grad.double() ** 2).sum()) for grad in grads) ** 0.5


def _scaled(grads, norm, max_norm):
    if not np.isfinite(norm):
        return [torch.zeros_like(grad) for grad in grads], norm
    factor = max_norm / norm if norm > max_norm else 1.0
    return [grad * factor for grad in grads], norm


def clip_each(grads, max_norm):
    norm = _norm(grads)
    if not np.isfinite(norm):
        return [torch.zeros_like(grad) for grad in grads], norm
    return [_scaled([grad], _norm([grad]), max_norm)[0][0] for grad in grads], norm


def clip_always(grads, max_norm):
    norm = _norm(grads)
    if not np.isfinite(norm) or norm == 0:
        return [torch.zeros_like(grad) for grad in grads], norm
    return [grad * (max_norm / norm) for grad in grads], norm


def clip_entries(grads, max_norm):
    norm = _norm(grads)
    if not np.isfinite(norm):
        return [torch.zeros_like(grad) for grad in grads], norm
    return [grad.clamp(-max_norm, max_norm) for grad in grads], norm


def clip_sum_of_norms(grads, max_norm):
    return _scaled(grads, sum(_norm([grad]) for grad in grads), max_norm)


def clip_no_root(grads, max_norm):
    return _scaled(grads, _norm(grads) ** 2, max_norm)


def clip_norm_after(grads, max_norm):
    clipped, norm = _scaled(grads, _norm(grads), max_norm)
    return clipped, min(norm, max_norm) if np.isfinite(norm) else norm


def clip_float32(grads, max_norm):
    return _scaled(grads, sum(float((grad**2).sum()) for grad in grads) ** 0.5, max_norm)


def clip_keeps_nan(grads, max_norm):
    norm = _norm(grads)
    factor = max_norm / norm if norm > max_norm else 1.0
    return [grad * factor for grad in grads], norm


def clip_zero_is_nan(grads, max_norm):
    norm = _norm(grads)
    if not np.isfinite(norm):
        return [torch.zeros_like(grad) for grad in grads], norm
    return [grad / norm * min(norm, max_norm) for grad in grads], norm


def clip_drops(grads, max_norm):
    norm = _norm(grads)
    if norm <= max_norm:
        return list(grads), norm
    return [torch.zeros_like(grad) for grad in grads], norm


_rng = np.random.default_rng(5)
_infinite = [torch.tensor([1.0, float("inf")]), torch.tensor([2.0])]
_not_a_number = [torch.tensor([[1.0, float("nan")]]), torch.tensor([2.0])]
CLIP = Exercise(
    id="clip_by_global_norm",
    points=2,
    public=[
        case(
            [torch.tensor([3.0, 0.0]), torch.tensor([[0.0], [4.0]])],
            1.0,
            en="norm 5, at most 1",
            zh="范数 5，上限 1",
        ),
        case([torch.tensor([0.3, -0.4])], 1.0, en="short enough: unchanged", zh="够短：不变"),
        case([torch.zeros(2), torch.zeros(1, 2)], 1.0, en="all zero", zh="全为零"),
        case([torch.tensor([3e25, -4e25])], 2.0, en="squares overflow", zh="平方会上溢"),
        case(_infinite, 1.0, en="an infinite entry", zh="有一个分量无穷大"),
        case(_not_a_number, 1.0, en="a nan", zh="有一个 nan"),
    ],
    hidden=hidden_clip,
    rtol=1e-5,
    atol=1e-9,
    mistakes=[
        Mistake(
            "each",
            clip_each,
            en="Each tensor was clipped by its own norm. One norm belongs to all of them together; "
            "otherwise the direction changes.",
            zh="每个张量按自己的范数裁剪了。范数应当是全部合起来的一个，否则方向就变了。",
        ),
        Mistake(
            "always",
            clip_always,
            en="Short gradients were stretched to max_norm. Only long ones are changed.",
            zh="短的梯度被拉长到 max_norm 了。只有太长的才要改。",
        ),
        Mistake(
            "entries",
            clip_entries,
            en="Each entry was limited by itself. That changes the direction; scale all entries by "
            "one factor.",
            zh="逐个分量限幅了，这会改变方向。所有分量应当乘同一个因子。",
        ),
        Mistake(
            "sum_of_norms",
            clip_sum_of_norms,
            en="Norms do not add up: add the squares of all entries, then take one root.",
            zh="范数不能直接相加：把所有分量的平方加起来，最后开一次方。",
        ),
        Mistake(
            "no_root", clip_no_root, en="The root is missing in the norm.", zh="范数漏了开方。"
        ),
        Mistake(
            "norm_after",
            clip_norm_after,
            en="The norm to return is the one before clipping: it is what people watch.",
            zh="要返回的是裁剪之前的范数：大家盯着看的是它。",
        ),
        Mistake(
            "float32",
            clip_float32,
            en="The squares overflowed in float32. Convert with `.double()` before squaring.",
            zh="平方在 float32 里上溢了。平方之前先用 `.double()` 转换。",
        ),
        Mistake(
            "keeps_nan",
            clip_keeps_nan,
            en="Where the norm is inf or nan, the gradients returned must all be zero. Note that "
            "nan > max_norm is False, and inf times 0 is nan.",
            zh="范数是 inf 或 nan 时，返回的梯度必须全为零。注意 nan > max_norm 是 False，"
            "inf 乘 0 是 nan。",
        ),
        Mistake(
            "zero_is_nan",
            clip_zero_is_nan,
            en="Zero gradients became nan: 0 was divided by the norm 0.",
            zh="零梯度变成了 nan：0 除以了等于 0 的范数。",
        ),
        Mistake(
            "drops",
            clip_drops,
            en="Long gradients were thrown away. They should be shortened, not dropped.",
            zh="太长的梯度被丢掉了。应当缩短，而不是扔掉。",
        ),
    ],
)

EXERCISES = [RNN_FORWARD, GRAD_NORM, CLIP]
