"""Right solutions of lesson 3's exercises in different styles: each must get full marks."""

import math
from itertools import accumulate

import torch
from torch import nn


def forward_loop(x, Wx, Wh, b, h0):
    out = torch.zeros(x.shape[0], Wh.shape[0], dtype=x.dtype)
    state = h0
    for t in range(x.shape[0]):
        state = torch.tanh(torch.mv(Wh, state) + torch.mv(Wx, x[t]) + b)
        out[t] = state
    return out


def forward_projected(x, Wx, Wh, b, h0):
    drive, rows = x @ Wx.T + b, [h0]
    for row in drive:
        rows.append((row + rows[-1] @ Wh.T).tanh())
    return torch.stack(rows)[1:]


def forward_fold(x, Wx, Wh, b, h0):
    both = torch.cat([Wh, Wx], dim=1)
    step = lambda h, x_t: torch.tanh(both @ torch.cat([h, x_t]) + b)  # noqa: E731
    return torch.stack(list(accumulate(x, step, initial=h0)))[1:]


def forward_library(x, Wx, Wh, b, h0):
    if not len(x):
        return torch.empty(0, len(h0))
    rnn = nn.RNN(x.shape[1], len(h0))
    with torch.no_grad():
        rnn.weight_ih_l0.copy_(Wx)
        rnn.weight_hh_l0.copy_(Wh)
        rnn.bias_ih_l0.copy_(b)
        rnn.bias_hh_l0.zero_()
        return rnn(x, h0[None])[0]


def forward_recursive(x, Wx, Wh, b, h0):
    if len(x) == 0:
        return x.new_zeros(0, len(h0))
    before = forward_recursive(x[:-1], Wx, Wh, b, h0)
    h = before[-1] if len(before) else h0
    return torch.cat([before, torch.tanh(Wh @ h + Wx @ x[-1] + b)[None]])


def norms_backward(x, Wx, Wh, b, h0):
    x = x.clone()
    x.requires_grad_(True)
    h = h0
    for t in range(len(x)):
        h = torch.tanh(Wh @ h + Wx @ x[t] + b)
    h.sum().backward()
    return x.grad.norm(dim=1)


def norms_by_hand(x, Wx, Wh, b, h0):
    states, h = [], h0
    for x_t in x:
        h = torch.tanh(Wh @ h + Wx @ x_t + b)
        states.append(h)
    back, norms = torch.ones_like(h0), []
    for h in reversed(states):
        back = back * (1 - h**2)
        norms.append(torch.linalg.vector_norm(Wx.T @ back))
        back = Wh.T @ back
    return torch.stack(norms[::-1])


def norms_leaves(x, Wx, Wh, b, h0):
    leaves = [row.clone().requires_grad_() for row in x]
    h = h0
    for leaf in leaves:
        h = torch.tanh(h @ Wh.T + leaf @ Wx.T + b)
    gradients = torch.autograd.grad(h.sum(), leaves)
    return torch.tensor([float((g * g).sum().sqrt()) for g in gradients], dtype=x.dtype)


def norms_jacobian(x, Wx, Wh, b, h0):
    def last(inputs):
        h = h0
        for x_t in inputs:
            h = torch.tanh(Wh @ h + Wx @ x_t + b)
        return h

    jacobian = torch.autograd.functional.jacobian(last, x)  # (H, T, D)
    return jacobian.sum(dim=0).pow(2).sum(dim=1).sqrt()


def clip_loop(grads, max_norm):
    total = 0.0
    for grad in grads:
        total += grad.double().pow(2).sum().item()
    norm = math.sqrt(total)
    if math.isnan(norm) or math.isinf(norm):
        return [grad.new_zeros(grad.shape) for grad in grads], norm
    if norm <= max_norm:
        return [grad.clone() for grad in grads], norm
    return [grad * (max_norm / norm) for grad in grads], norm


def clip_flat(grads, max_norm):
    flat = torch.cat([grad.reshape(-1) for grad in grads]).double()
    norm = flat.norm().item()
    factor = min(1.0, max_norm / (norm + 1e-300)) if math.isfinite(norm) else 0.0
    return [grad * factor if factor else torch.zeros_like(grad) for grad in grads], norm


def clip_norm_of_norms(grads, max_norm):
    parts = torch.stack([torch.linalg.vector_norm(grad.double()) for grad in grads])
    norm = torch.linalg.vector_norm(parts)
    if not torch.isfinite(norm):
        return [torch.zeros_like(grad) for grad in grads], float(norm)
    factor = torch.clamp(max_norm / torch.clamp(norm, min=1e-12), max=1.0)
    return [(grad * factor).float() for grad in grads], float(norm)


def clip_split(grads, max_norm):
    flat = torch.cat([grad.double().flatten() for grad in grads])
    norm = float(torch.sqrt(flat @ flat))
    if norm > max_norm:
        flat = flat * max_norm / norm
    if not bool(torch.isfinite(flat).all()) or not math.isfinite(norm):
        flat = torch.zeros_like(flat)
    pieces = flat.float().split([grad.numel() for grad in grads])
    return [piece.reshape(grad.shape) for piece, grad in zip(pieces, grads, strict=True)], norm


VARIANTS = {
    "rnn_forward": [
        forward_loop,
        forward_projected,
        forward_fold,
        forward_library,
        forward_recursive,
    ],
    "grad_norm_by_step": [norms_backward, norms_by_hand, norms_leaves, norms_jacobian],
    "clip_by_global_norm": [clip_loop, clip_flat, clip_norm_of_norms, clip_split],
}
