"""Right answers to lesson 4's exercises, in styles that differ: every check must accept them."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional


def lstm_by_blocks(x, h, c, W_ih, W_hh, b_ih, b_hh):
    size = h.shape[1]
    sums = x @ W_ih.t() + h @ W_hh.t() + (b_ih + b_hh)
    gates = {name: sums[:, k * size : (k + 1) * size] for k, name in enumerate("ifgo")}
    new = gates["f"].sigmoid() * c + gates["i"].sigmoid() * gates["g"].tanh()
    return gates["o"].sigmoid() * new.tanh(), new


def lstm_by_cell(x, h, c, W_ih, W_hh, b_ih, b_hh):
    return torch.lstm_cell(x, (h, c), W_ih, W_hh, b_ih, b_hh)


def lstm_by_module(x, h, c, W_ih, W_hh, b_ih, b_hh):
    cell = nn.LSTMCell(x.shape[1], h.shape[1])
    names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    weights = dict(zip(names, [W_ih, W_hh, b_ih, b_hh], strict=True))
    return torch.func.functional_call(cell, weights, (x, (h, c)))


def lstm_row_by_row(x, h, c, W_ih, W_hh, b_ih, b_hh):
    tops, memories = [], []
    for row in range(len(x)):
        total = W_ih.mv(x[row]) + b_ih + W_hh.mv(h[row]) + b_hh
        i, f, g, o = total.view(4, -1)
        memory = c[row] / (1 + torch.exp(-f)) + torch.tanh(g) / (1 + torch.exp(-i))
        memories.append(memory)
        tops.append(torch.tanh(memory) / (1 + torch.exp(-o)))
    return torch.stack(tops), torch.stack(memories)


def lstm_by_linear(x, h, c, W_ih, W_hh, b_ih, b_hh):
    both = functional.linear(torch.cat([x, h], 1), torch.cat([W_ih, W_hh], 1), b_ih + b_hh)
    i, f, g, o = both.unflatten(1, (4, -1)).unbind(1)
    new = torch.addcmul(f.sigmoid() * c, i.sigmoid(), g.tanh())
    return o.sigmoid() * new.tanh(), new


def params_by_formula(kind, input_size, hidden_size):
    if kind == "RNN":
        blocks = 1
    elif kind == "GRU":
        blocks = 3
    else:
        blocks = 4
    weights = hidden_size * input_size + hidden_size * hidden_size
    return blocks * (weights + hidden_size + hidden_size)


def params_by_layer(kind, input_size, hidden_size):
    layer = getattr(nn, kind)(input_size, hidden_size)
    return sum(weight.numel() for weight in layer.parameters())


def params_by_shapes(kind, input_size, hidden_size):
    rows = ["RNN", None, "GRU", "LSTM"].index(kind) * hidden_size + hidden_size
    shapes = [(rows, input_size), (rows, hidden_size), (rows,), (rows,)]
    return sum(int(np.prod(shape)) for shape in shapes)


def params_by_columns(kind, input_size, hidden_size):
    columns = input_size + hidden_size + 2
    return len({"RNN": "h", "GRU": "rzn", "LSTM": "ifgo"}[kind]) * hidden_size * columns


def gru_by_blocks(x, h, W_ih, W_hh, b_ih, b_hh):
    size = h.shape[1]
    from_x, from_h = x @ W_ih.t() + b_ih, h @ W_hh.t() + b_hh
    r = torch.sigmoid(from_x[:, :size] + from_h[:, :size])
    z = torch.sigmoid(from_x[:, size : 2 * size] + from_h[:, size : 2 * size])
    n = torch.tanh(from_x[:, 2 * size :] + r * from_h[:, 2 * size :])
    return n + z * (h - n)


def gru_by_cell(x, h, W_ih, W_hh, b_ih, b_hh):
    return torch.gru_cell(x, h, W_ih, W_hh, b_ih, b_hh)


def gru_row_by_row(x, h, W_ih, W_hh, b_ih, b_hh):
    (W_r, W_z, W_n), (U_r, U_z, U_n) = W_ih.chunk(3), W_hh.chunk(3)
    (b_r, b_z, b_n), (d_r, d_z, d_n) = b_ih.chunk(3), b_hh.chunk(3)
    rows = []
    for now, past in zip(x, h, strict=True):
        r = torch.sigmoid(W_r @ now + b_r + U_r @ past + d_r)
        z = torch.sigmoid(W_z @ now + b_z + U_z @ past + d_z)
        n = torch.tanh(W_n @ now + b_n + r * (U_n @ past + d_n))
        rows.append((1 - z) * n + z * past)
    return torch.stack(rows)


def gru_by_lerp(x, h, W_ih, W_hh, b_ih, b_hh):
    from_x = functional.linear(x, W_ih, b_ih).unflatten(1, (3, -1))
    from_h = functional.linear(h, W_hh, b_hh).unflatten(1, (3, -1))
    r, z = torch.sigmoid(from_x[:, :2] + from_h[:, :2]).unbind(1)
    return torch.lerp(torch.tanh(from_x[:, 2] + r * from_h[:, 2]), h, z)


VARIANTS = {
    "lstm_step": [
        lstm_by_blocks, lstm_by_cell, lstm_by_module, lstm_row_by_row, lstm_by_linear,
    ],
    "recurrent_params": [params_by_formula, params_by_layer, params_by_shapes, params_by_columns],
    "gru_step": [gru_by_blocks, gru_by_cell, gru_row_by_row, gru_by_lerp],
}  # fmt: skip
