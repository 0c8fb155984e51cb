# %% [markdown] lang="en"
# # 4. LSTM: a channel that adds
#
# Read a long sentence and answer: what was its first word? A person writes it down on a slip of paper and reads on. The network of lesson 3 has no paper. It rewrites its whole memory at every word, and soon the first one is gone.
#
# In this lesson we give the network a slip of paper: a memory that is left alone unless there is a reason to change it. We shall see that this makes long memory *possible*. Whether it then happens is another matter, and more interesting than most books say.

# %% [markdown] lang="zh"
# # 4. LSTM：一条做加法的通道
#
# 读一个很长的句子，然后回答：第一个词是什么？人会把它记在纸条上，再接着往下读。第 3 课的网络没有纸条：每读一个词，它就把整个记忆重写一遍，第一个词很快就没了踪影。
#
# 这一课，我们给网络一张纸条：一份没有理由就不去动它的记忆。我们会看到，这让长久的记忆成为*可能*。至于它是否真的会发生，那是另一回事，而且比大多数书上说的更有意思。

# %% [markdown] lang="en"
# > **Goals.** Build an LSTM and a GRU that equal PyTorch's to the last digits. Say why gradients can travel far along $c_t$, and when they do not. Choose the start of the forget gate for a task. Know what the LSTM does not cure.
# >
# > **Time.** About 60 minutes to read and solve. All cells together run in about 25 seconds.

# %% [markdown] lang="zh"
# > **目标。** 亲手搭出和 PyTorch 结果一致的 LSTM 与 GRU；说清梯度为什么能沿着 $c_t$ 走得很远，什么时候又走不远；会根据任务选择遗忘门的初始值；知道 LSTM 治不好什么。
# >
# > **时间。** 阅读和做题约 60 分钟。全部代码一共运行约 25 秒。

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from course_utils import gated, open_lesson
from course_utils.plots import show
from course_utils.training import progress, set_seed

quiz, check = open_lesson("04_lstm")

# %% [markdown] lang="en"
# ## What the RNN could not do
#
# Lesson 3 ended with a gradient that fades. Every step back in time multiplies it by the same matrix and by the slope of a tanh, and after 50 steps almost nothing is left.
#
# Here it is once more, in `nn.RNN` as PyTorch makes it. We ask how strongly the last state still depends on each input. **Before you run it:** by what factor is the first input weaker than the last?

# %% [markdown] lang="zh"
# ## RNN 做不到的事
#
# 第 3 课最后，我们看到梯度在消失：沿时间每退一步，它就要乘一次同样的矩阵，再乘一次 tanh 的斜率；退上 50 步，几乎什么都不剩。
#
# 我们用 PyTorch 默认的 `nn.RNN` 再看一遍：最后的状态对每个输入还有多敏感？**先猜一猜再运行**：第一个输入的影响，比最后一个弱多少倍？


# %%
def gradient_norms(layer, T, seed):
    """How strongly the last output depends on each input: |d sum(h_T) / d x_t|, (T,)."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(T, 1, layer.input_size, generator=generator, dtype=torch.float64)
    x.requires_grad_()
    out, _ = layer.double()(x)  # (T, 1, H); float64, so that tiny numbers stay numbers
    out[-1].sum().backward()
    return x.grad.norm(dim=(1, 2))


set_seed(0)
norms = gradient_norms(nn.RNN(8, 32), T=50, seed=0)
print(f"last input {norms[-1]:.1e}, first input {norms[0]:.1e}: ratio {norms[0] / norms[-1]:.1e}")

# %% [markdown] lang="en"
# More than ten million million times weaker. A learner that follows gradients can hardly find out that the first input mattered.

# %% [markdown] lang="zh"
# 弱了十万亿倍还不止。靠梯度学习的模型，很难发现第一个输入有什么用。

# %% [markdown] lang="en"
# ## What if the memory only added?
#
# The trouble is the multiplying. So let us try a memory of one number that is never multiplied: at each step the input is simply added. Beside it, one that is multiplied by 0.9 each time. **Before you run it:** how strong is the first of 50 inputs at the end, in both?

# %% [markdown] lang="zh"
# ## 如果记忆只做加法呢？
#
# 问题出在乘法上。那就试试一份从不做乘法的记忆：它只是一个数，每一步把输入加上去。旁边再放一份每步都乘 0.9 的记忆作对照。**先猜一猜再运行**：50 个输入里的第一个，到最后对这两份记忆的影响各有多大？

# %%
set_seed(0)
x = torch.randn(50, requires_grad=True)
for name, factor in [("multiplied by 0.9", 0.9), ("only added to", 1.0)]:
    memory = torch.zeros(())
    for t in range(50):
        memory = factor * memory + x[t]
    (slope,) = torch.autograd.grad(memory, x)
    print(f"{name:18} memory {memory.item():6.2f}   d memory / d x_0 = {slope[0]:.4f}")

# %% [markdown] lang="en"
# Addition passes the gradient on unchanged: the slope is 1, after 50 steps or 5,000. But look at the memory itself. It is the sum of all 50 inputs, and nobody can tell the first one from it.
#
# A memory that takes in everything remembers nothing in particular. It needs doors: one to keep things out, one to throw things away, one to decide when to speak.

# %% [markdown] lang="zh"
# 加法把梯度原样传下去：斜率是 1，走 50 步如此，走 5,000 步也如此。可是看看记忆本身：它是全部 50 个输入的和，谁也没法从里面认出第一个。
#
# 来者不拒的记忆，等于什么也没记住。它需要几扇门：一扇把东西挡在外面，一扇把旧东西扔掉，一扇决定什么时候开口。

# %% [markdown] lang="en"
# ## Three gates
#
# A **gate** is a number between 0 and 1, made by a sigmoid, that multiplies something: 0 is shut, 1 is open. The LSTM (Hochreiter and Schmidhuber 1997; the forget gate came with Gers, Schmidhuber and Cummins 2000) has three, and each of its $H$ cells has its own set.
#
# $$c_t = f_t \odot c_{t-1} + i_t \odot \tilde{c}_t \qquad h_t = o_t \odot \tanh(c_t)$$
#
# $c_t$ is the slip of paper, $\tilde{c}_t$ is what could be written on it. The **forget gate** $f$ says how much of the old memory stays, the **input gate** $i$ how much is written, the **output gate** $o$ how much is shown. ($\odot$ multiplies entry by entry.)

# %% [markdown] lang="zh"
# ## 三扇门
#
# **门**是 sigmoid 给出的一个 0 到 1 之间的数，用来乘别的东西：0 是关，1 是开。LSTM（Hochreiter 和 Schmidhuber 1997；遗忘门由 Gers、Schmidhuber 和 Cummins 2000 加入）有三种门，$H$ 个单元各有自己的一套。
#
# $$c_t = f_t \odot c_{t-1} + i_t \odot \tilde{c}_t \qquad h_t = o_t \odot \tanh(c_t)$$
#
# $c_t$ 就是那张纸条，$\tilde{c}_t$ 是可以往上写的内容。**遗忘门** $f$ 决定旧记忆留下多少，**输入门** $i$ 决定写进多少，**输出门** $o$ 决定说出多少。（$\odot$ 表示逐元素相乘。）

# %% [markdown] lang="en"
# Let us play with one cell, and set its gates by hand. Something new is offered at each step. We let the cell write at step 5, speak at steps 15 to 17, and forget at step 22. **Before you run it:** sketch the two curves, memory and output.

# %% [markdown] lang="zh"
# 先拿一个单元来玩，门由我们亲手设定。每一步都有新的内容送上门来；我们让它在第 5 步写入，第 15 到 17 步开口，第 22 步忘掉。**先猜一猜再运行**：画出记忆和输出这两条曲线的样子。

# %%
steps = np.arange(30)
offered = np.tanh(np.random.default_rng(1).normal(size=30))  # the candidate at each step
i = (steps == 5).astype(float)
f = (steps != 22).astype(float)
o = ((steps >= 15) & (steps <= 17)).astype(float)

c, memory = 0.0, []
for t in steps:
    c = f[t] * c + i[t] * offered[t]
    memory.append(c)
shown = o * np.tanh(memory)

# %%
plt.figure(figsize=(7, 3))
plt.plot(steps, offered, "o", color="0.75", label="offered")
plt.step(steps, memory, where="mid", label="memory c")
plt.step(steps, shown, where="mid", label="output h")
for t, event in [(5, "write"), (16, "speak"), (22, "forget")]:
    plt.axvline(t, color="0.8", linestyle=":", zorder=0)
    plt.text(t, 1.08, event, ha="center")
plt.ylim(-1.05, 1.05)
plt.xlabel("time step")
plt.title("One cell with gates set by hand\n")
plt.legend(loc="upper left", bbox_to_anchor=(1, 1))
show()

# %% [markdown] lang="en"
# Between writing and forgetting the memory is a flat line. Whatever is offered meanwhile leaves no trace, and the memory is not shown before it is wanted.

# %% [markdown] lang="zh"
# 从写入到忘掉之间，记忆是一条平直的线。这期间送上门来的东西没有留下任何痕迹；不到用的时候，它也不露面。

# %% quiz="gate_roles"
quiz("gate_roles")

# %% [markdown] lang="en"
# ## Gates that decide for themselves
#
# In a network nobody sets the gates. Each gate is a small layer of its own that reads the input $x_t$ and the last output $h_{t-1}$:
#
# $$f_t = \sigma(W_f x_t + U_f h_{t-1} + b_f)$$
#
# $i_t$ and $o_t$ are made in the same way with their own weights. So is the candidate $\tilde{c}_t$, but with a tanh in place of the sigmoid: what is written may be negative.

# %% [markdown] lang="zh"
# ## 自己拿主意的门
#
# 在网络里，没有人替它开门关门。每扇门都是一个小小的层，读入 $x_t$ 和上一步的输出 $h_{t-1}$：
#
# $$f_t = \sigma(W_f x_t + U_f h_{t-1} + b_f)$$
#
# $i_t$ 和 $o_t$ 的算法一样，各有各的权重。候选值 $\tilde{c}_t$ 也一样，只是用 tanh 代替 sigmoid：写进去的东西可以是负的。

# %% [markdown] lang="en"
# We build it from scratch and take the numbers out of an `nn.LSTM`, to see whether we get the same. PyTorch keeps the four blocks in one tall matrix in the order i, f, g, o, where g is the candidate, and it has two bias vectors that are simply added.

# %% [markdown] lang="zh"
# 我们从零搭一个，权重从 `nn.LSTM` 里取出来，看结果是否一致。PyTorch 把四块叠成一个高高的矩阵，顺序是 i、f、g、o，其中 g 就是候选值；它还有两个偏置向量，用时直接相加。


# %%
class OurLSTM:
    """An LSTM with a matrix for each gate; its numbers come from an nn.LSTM."""

    def __init__(self, layer):
        self.blocks = {}
        for number, name in enumerate("ifgo"):
            W, U, b_ih, b_hh = gated.gate_rows(layer, number)  # (H, D), (H, H), (H,), (H,)
            self.blocks[name] = torch.cat([W, U, (b_ih + b_hh)[:, None]], dim=1)  # (H, D + H + 1)

    def step(self, x, h, c):
        read = torch.cat([x, h, torch.ones(1)])  # input, last output, and a 1 for the bias
        total = {name: block @ read for name, block in self.blocks.items()}
        gate = {name: torch.sigmoid(total[name]) for name in "ifo"}
        c = gate["f"] * c + gate["i"] * torch.tanh(total["g"])
        return gate["o"] * torch.tanh(c), c, gate


# %% [markdown] lang="en"
# The layer below reads 50 steps of 8 numbers and has 32 cells. **Before you run it:** what shapes will `out`, `h_n` and `c_n` have?

# %% [markdown] lang="zh"
# 下面这一层读 50 步，每步 8 个数，有 32 个单元。**先猜一猜再运行**：`out`、`h_n` 和 `c_n` 各是什么形状？

# %%
set_seed(0)
lstm = nn.LSTM(8, 32)
x = torch.randn(50, 1, 8)  # (T, B, D)
with torch.no_grad():
    out, (h_n, c_n) = lstm(x)
print("out", tuple(out.shape), " h_n", tuple(h_n.shape), " c_n", tuple(c_n.shape))

ours, h, c = OurLSTM(lstm), torch.zeros(32), torch.zeros(32)
worst = 0.0
for t in range(50):
    h, c, _ = ours.step(x[t, 0], h, c)
    worst = max(worst, (h - out[t, 0]).abs().max().item())
print(f"largest difference from nn.LSTM: {worst:.0e} in h, {(c - c_n[0, 0]).abs().max():.0e} in c")

# %% [markdown] lang="en"
# Equal, up to rounding. `out` holds $h_t$ of every step; `h_n` and `c_n` are the state after the last one. Note that $c$ never shows up in `out`: the memory is private.

# %% [markdown] lang="zh"
# 除了舍入误差，完全一样。`out` 里是每一步的 $h_t$，`h_n` 和 `c_n` 是最后一步之后的状态。注意 $c$ 从不出现在 `out` 里：记忆是私有的。

# %% [markdown] lang="en"
# ### Exercise: `lstm_step`
#
# Now you, as PyTorch does it: all four blocks in one tall matrix, and a batch of rows at once. Return the new `h` and the new `c`.
#
# <details><summary>Hint</summary>
#
# Weights stand as (rows, columns) = (4H, D), so a batch (B, D) is multiplied by the transposed matrix. `chunk(4, dim=-1)` cuts the result into the four blocks; only then come the sigmoids and the tanh.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`lstm_step`
#
# 现在轮到你，按 PyTorch 的做法写：四块叠在一个高矩阵里，一次算整批。返回新的 `h` 和新的 `c`。
#
# <details><summary>提示</summary>
#
# 权重的形状是（行，列）=（4H，D），所以一批输入（B，D）要乘它的转置。`chunk(4, dim=-1)` 把结果切成四块，然后才用 sigmoid 和 tanh。
#
# </details>


# %% exercise="lstm_step"
def lstm_step(x, h, c, W_ih, W_hh, b_ih, b_hh):
    """One step of an LSTM in PyTorch's layout; the blocks of rows are i, f, g, o.

    Args:
        x: (B, D) tensor, the inputs.
        h: (B, H) tensor, the last outputs.
        c: (B, H) tensor, the memory so far.
        W_ih: (4H, D) tensor, weights of x.
        W_hh: (4H, H) tensor, weights of h.
        b_ih, b_hh: (4H,) tensors, two biases.

    Returns:
        The new h and the new c, both (B, H).
    """
    ### BEGIN SOLUTION
    i, f, g, o = (x @ W_ih.T + b_ih + h @ W_hh.T + b_hh).chunk(4, dim=-1)  # each (B, H)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
    ### END SOLUTION


# %% check="lstm_step"
check(lstm_step)

# %% [markdown] lang="en"
# ## The GRU: two gates, no slip of paper
#
# The **gated recurrent unit** (Cho and others 2014) asks: do we need a separate $c$, and a gate for each thing? It has one state $h$ and two gates. The *update gate* $z$ keeps and writes at once: what stays of the old is not written anew.
#
# $$n_t = \tanh(W_n x_t + b_n + r_t \odot (U_n h_{t-1} + d_n))$$
#
# $$h_t = (1 - z_t) \odot n_t + z_t \odot h_{t-1}$$
#
# The *reset gate* $r$ decides how much the candidate $n$ hears of the past.

# %% [markdown] lang="zh"
# ## GRU：两扇门，没有纸条
#
# **门控循环单元**（GRU，Cho 等 2014）问：真的需要单独一个 $c$，而且每件事都配一扇门吗？它只有一个状态 $h$ 和两扇门。*更新门* $z$ 同时管保留和写入：旧的留下多少，新的就少写多少。
#
# $$n_t = \tanh(W_n x_t + b_n + r_t \odot (U_n h_{t-1} + d_n))$$
#
# $$h_t = (1 - z_t) \odot n_t + z_t \odot h_{t-1}$$
#
# *重置门* $r$ 决定候选值 $n$ 听到多少过去的内容。

# %% [markdown] lang="en"
# Careful: papers and libraries differ in two places. Some swap the roles of $z$ and $1 - z$. And the first paper reset $h$ *before* the matrix product, PyTorch does it after. We follow PyTorch, whose order of blocks is r, z, n, and compare again.

# %% [markdown] lang="zh"
# 当心：论文和各种库在两个地方写法不同。有的把 $z$ 和 $1 - z$ 的角色对调；另外，最初的论文在矩阵乘法*之前*重置 $h$，PyTorch 则在之后。我们按 PyTorch 来，它的分块顺序是 r、z、n，再比一次。


# %%
class OurGRU:
    """A GRU with a matrix for each gate; its numbers come from an nn.GRU."""

    def __init__(self, layer):
        self.r, self.z, self.n = (gated.gate_rows(layer, number) for number in range(3))

    def step(self, x, h):
        gates = []
        for W, U, b, d in [self.r, self.z]:
            gates.append(torch.sigmoid(torch.cat([W, U], dim=1) @ torch.cat([x, h]) + b + d))
        r, z = gates
        W, U, b, d = self.n
        n = torch.tanh(torch.addmv(b, W, x) + r * torch.addmv(d, U, h))
        return torch.lerp(n, h, z)  # from n (z = 0) to h (z = 1)


# %%
set_seed(0)
gru = nn.GRU(8, 32)
with torch.no_grad():
    out, _ = gru(x)
ours, h, worst = OurGRU(gru), torch.zeros(32), 0.0
for t in range(50):
    h = ours.step(x[t, 0], h)
    worst = max(worst, (h - out[t, 0]).abs().max().item())
print(f"largest difference from nn.GRU: {worst:.0e}")

# %% [markdown] lang="en"
# ### Exercise: `gru_step`
#
# One step for a batch, with the three blocks r, z, n in tall matrices as PyTorch stacks them.
#
# <details><summary>Hint</summary>
#
# Because r multiplies only what comes from h, keep the two products apart: one from x (with `b_ih`), one from h (with `b_hh`), and cut each into 3 blocks.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`gru_step`
#
# 对一批输入走一步，三块 r、z、n 按 PyTorch 的方式叠在高矩阵里。
#
# <details><summary>提示</summary>
#
# r 只乘来自 h 的部分，所以两个乘积要分开存：一个来自 x（加 `b_ih`），一个来自 h（加 `b_hh`），各自切成 3 块。
#
# </details>


# %% exercise="gru_step"
def gru_step(x, h, W_ih, W_hh, b_ih, b_hh):
    """One step of a GRU in PyTorch's layout; the blocks of rows are r, z, n.

    Args:
        x: (B, D) tensor, the inputs.
        h: (B, H) tensor, the last state.
        W_ih: (3H, D) tensor, weights of x.
        W_hh: (3H, H) tensor, weights of h.
        b_ih, b_hh: (3H,) tensors, two biases.

    Returns:
        The new h, (B, H).
    """
    ### BEGIN SOLUTION
    x_r, x_z, x_n = (x @ W_ih.T + b_ih).chunk(3, dim=-1)  # each (B, H)
    h_r, h_z, h_n = (h @ W_hh.T + b_hh).chunk(3, dim=-1)
    z = torch.sigmoid(x_z + h_z)
    n = torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n)
    return (1 - z) * n + z * h
    ### END SOLUTION


# %% check="gru_step"
check(gru_step)

# %% [markdown] lang="en"
# ## What gates cost
#
# Each block reads $8 + H$ numbers, has $H$ rows, and two biases a row. An LSTM has four blocks: $4 \cdot (H \cdot (8 + H) + 2H)$. **Before you run it:** compute that for $H = 32$, and guess what share of it a GRU needs.

# %% [markdown] lang="zh"
# ## 门的代价
#
# 每一块读 $8 + H$ 个数，有 $H$ 行，每行两个偏置。LSTM 有四块：$4 \cdot (H \cdot (8 + H) + 2H)$。**先猜一猜再运行**：算出 $H = 32$ 时的值，再猜猜 GRU 需要其中多大的比例。

# %%
for kind in [nn.LSTM, nn.GRU]:
    layer = kind(8, 32)
    count = sum(weight.numel() for weight in layer.parameters())
    print(f"{kind.__name__:5}", count, [tuple(weight.shape) for weight in layer.parameters()])
H = 32
print("by the formula:", 4 * (H * (8 + H) + 2 * H), "and a quarter fewer:", 5376 * 3 // 4)

# %% [markdown] lang="en"
# 5376 for the LSTM and 4032 for the GRU, a quarter fewer.
#
# ### Exercise: `recurrent_params`
#
# Count for all three kinds, any input size and any number of units, as PyTorch counts (one layer, two biases). Use arithmetic; no layer need be built.

# %% [markdown] lang="zh"
# LSTM 是 5376，GRU 是 4032，少了四分之一。
#
# ### 练习：`recurrent_params`
#
# 对三种网络、任意输入大小和任意单元数，算出参数个数，数法同 PyTorch（一层，两个偏置）。用算术就行，不必真的建一个层。


# %% exercise="recurrent_params"
def recurrent_params(kind, input_size, hidden_size):
    """Number of parameters of a one-layer recurrent network in PyTorch's layout.

    Args:
        kind: "RNN", "GRU" or "LSTM".
        input_size: D, numbers read per step.
        hidden_size: H, units.

    Returns:
        An int: all weights and both biases of every block.
    """
    ### BEGIN SOLUTION
    blocks = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    return blocks * (hidden_size * (input_size + hidden_size) + 2 * hidden_size)
    ### END SOLUTION


# %% check="recurrent_params"
check(recurrent_params)

# %% [markdown] lang="en"
# > **Checkpoint.** You can now write both cells, and say what each gate does. What follows asks the harder question: does it help?

# %% [markdown] lang="zh"
# > **检查点。** 现在你能写出这两种单元，也说得出每扇门管什么。下面要问更难的问题：它真的有用吗？

# %% [markdown] lang="en"
# ## The direct path
#
# Look at $c_t = f_t \odot c_{t-1} + i_t \odot \tilde{c}_t$ again. On the way from $c_{t-1}$ to $c_t$ there is no matrix and no tanh, only a factor:
#
# $$\left.\frac{\partial c_t}{\partial c_{t-1}}\right|_{\text{direct}} = f_t$$
#
# Over many steps that makes the product of all forget gates. We can check it to the digit: cut every other way (the gates read $h_{t-1}$, which came from $c_{t-1}$) with `detach`, and let autograd compute all of $\partial c_{50} / \partial c_0$.

# %% [markdown] lang="zh"
# ## 直接通路
#
# 再看 $c_t = f_t \odot c_{t-1} + i_t \odot \tilde{c}_t$。从 $c_{t-1}$ 到 $c_t$ 的路上没有矩阵，没有 tanh，只有一个因子：
#
# $$\left.\frac{\partial c_t}{\partial c_{t-1}}\right|_{\text{direct}} = f_t$$
#
# 走许多步，就是所有遗忘门的连乘积。这可以逐位验证：别的路是门要读 $h_{t-1}$，而它又来自 $c_{t-1}$；用 `detach` 把这些路剪断，再让自动微分算出整个 $\partial c_{50} / \partial c_0$。


# %%
def memory_after(c, cell, inputs, cut):
    """Run a cell from memory c; returns the last memory and the product of its forget gates."""
    h, kept = torch.zeros_like(c), torch.ones_like(c)
    for x_t in inputs:
        h, c, gate = cell.step(x_t, h.detach() if cut else h, c)
        kept = kept * gate["f"].detach()
    return c, kept


# %%
torch.set_default_dtype(torch.float64)
set_seed(0)
cell, inputs, c_0 = OurLSTM(nn.LSTM(8, 32)), torch.randn(50, 8), torch.zeros(32)
direct = torch.autograd.functional.jacobian(
    lambda c: memory_after(c, cell, inputs, cut=True)[0], c_0
)  # (32, 32)
_, kept = memory_after(c_0, cell, inputs, cut=True)
print("a diagonal matrix with the products of f:", torch.allclose(direct, kept.diag(), atol=0))
print(f"its largest entry: {kept.max():.1e}")

# %% [markdown] lang="en"
# A theorem confirmed, and a cold shower: the largest entry is about $10^{-11}$. The channel is there, but the forget gates stand near 0.5, because PyTorch starts all biases near 0, and $0.5^{50}$ is as good as nothing.
#
# With $f = 1$ the product would be 1. So everything hangs on where the gates stand.

# %% [markdown] lang="zh"
# 定理得到了验证，也被泼了一盆冷水：最大的元素才约 $10^{-11}$。通道是有的，可是遗忘门都停在 0.5 附近，因为 PyTorch 让所有偏置从 0 附近出发，而 $0.5^{50}$ 和没有差不多。
#
# 如果 $f = 1$，乘积就是 1。所以，一切取决于门停在哪里。

# %% [markdown] lang="en"
# **The same thought elsewhere.** Very deep feed-forward networks have the same trouble: 50 layers are 50 factors. And the same cure, found again in 2015: let each layer *add* to what it received, $y = x + F(x)$ (residual connections; He and others; with gates, the highway networks of Srivastava, Greff and Schmidhuber).
#
# **Before you run it:** how strong is the gradient at the bottom of 50 layers, plain and residual?

# %% [markdown] lang="zh"
# **别处的同一个想法。** 很深的前馈网络也有同样的麻烦：50 层就是 50 个因子。2015 年，人们又找到了同样的药方：让每一层在收到的东西上*加*一点，$y = x + F(x)$（残差连接，He 等人；带门的版本是 Srivastava、Greff 和 Schmidhuber 的高速公路网络）。
#
# **先猜一猜再运行**：50 层网络最底下的梯度有多大？普通的和残差的各是多少？

# %%
for name, skip in [("plain", 0.0), ("residual", 1.0)]:
    set_seed(0)
    layers = [nn.Linear(32, 32) for _ in range(50)]
    bottom = torch.randn(32, requires_grad=True)
    y = bottom
    for layer in layers:
        y = skip * y + torch.tanh(layer(y))
    (slope,) = torch.autograd.grad(y.sum(), bottom)
    print(f"{name:9} top {32**0.5:.1f}, bottom {slope.norm():.1e}")

# %% [markdown] lang="en"
# The LSTM of 1997 had this path along time; the residual networks of 2015 have it along depth. (Note that the residual gradient grows: adding does not promise *constant* gradients, it only keeps them from vanishing.)

# %% [markdown] lang="zh"
# 1997 年的 LSTM 在时间方向上有这条路，2015 年的残差网络在深度方向上有这条路。（注意残差网络的梯度变大了：加法并不保证梯度*不变*，只是不让它消失。）

# %% [markdown] lang="en"
# ## Does the gradient get through?
#
# Back to the picture of lesson 3, now with all cells. What helps is to start the forget gate's bias at a positive number: then $f = \sigma(b)$ is near 1 before any learning. In practice 1 is the usual choice. Here is what a bias buys.

# %% [markdown] lang="zh"
# ## 梯度过得去吗？
#
# 回到第 3 课的那张图，这次把所有单元都画上。有用的办法是让遗忘门的偏置从正数出发：这样还没开始学，$f = \sigma(b)$ 就接近 1。实践中常取 1。先看看偏置换来了什么。

# %%
bias = torch.tensor([0.0, 1.0, 3.0, 5.0])
for b, f in zip(bias, torch.sigmoid(bias), strict=True):
    print(f"bias {b:.0f}: f = {f:.4f}; after 50 steps {f**50:.1e}, after 200 steps {f**200:.1e}")

# %% quiz="kept_share"
quiz("kept_share")

# %% [markdown] lang="en"
# **Before you run the next two cells:** sort these by how much of the gradient reaches the first of 50 inputs. RNN as PyTorch makes it; the RNN of lesson 3 with scale 1.5; GRU; LSTM; LSTM with forget bias 1, 3, 5. (A GRU's gate $z$ can be given a bias, too.) We take the mean over five seeds.

# %% [markdown] lang="zh"
# **运行下面两格之前先猜**：按照传到第一个输入（共 50 个）的梯度大小，给它们排个序：PyTorch 默认的 RNN；第 3 课里尺度为 1.5 的 RNN；GRU；LSTM；遗忘门偏置为 1、3、5 的 LSTM。（GRU 的门 $z$ 也可以给一个偏置。）结果取五个随机种子的平均。

# %%
torch.set_default_dtype(torch.float32)
starts = ["RNN", "RNN, scale 1.5", "GRU", "GRU, bias 3", "LSTM"]
starts += ["LSTM, bias 0", "LSTM, bias 1", "LSTM, bias 3", "LSTM, bias 5"]
decay = {}
for start in starts:
    for T in [50, 200]:
        logs = []
        for seed in range(5):
            set_seed(seed)
            norms = gradient_norms(gated.make_cell(start, 8, 32), T, seed)
            logs.append(torch.log10(norms / norms[-1]))
        decay[start, T] = torch.stack(logs).mean(0)  # (T,), log10 of a geometric mean
    first, far = (10 ** decay[start, T][0].item() for T in [50, 200])
    print(f"{start:15} reaches the first of 50 inputs: {first:.0e}, of 200: {far:.0e}")

# %%
shades = ["#9ecae1", "#6baed6", "#2878b5", "#08306b"]
colours = ["0.2", "0.6", "C1", "C1", "C3", *shades]
figure, axes = plt.subplots(1, 2, figsize=(9.5, 4), sharey=True, width_ratios=[2, 3])
for ax, T in zip(axes, [50, 200], strict=True):
    for start, colour in zip(starts, colours, strict=True):
        dashed = start in ("LSTM", "RNN, scale 1.5", "GRU, bias 3")
        ax.plot(decay[start, T], "--" if dashed else "-", color=colour, label=start)
    ax.axhline(-45, color="0.7", linestyle=":")
    ax.set(xlabel="time step of the input", title=f"T = {T}", ylim=(-62, 3))
axes[1].text(198, -44.5, "smallest number of float32", ha="right", color="0.4")
axes[0].set_ylabel("gradient, share of the last step's")
axes[0].set_yticks(range(-60, 1, 10), [f"$10^{{{power}}}$" for power in range(-60, 1, 10)])
axes[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
show()

# %% [markdown] lang="en"
# **A closer look: an LSTM as it comes out of the box fades almost like an RNN.** Its gradient is $10^{-10}$ after 50 steps, and the GRU's is no better. At $T = 200$ they are hopeless, and a bias of 1 is too little as well. Lesson 3's RNN with large weights even beats them all.
#
# Only a bias of 3 or 5 keeps the lines flat, in the LSTM; a GRU with bias 3 comes near. The gates make remembering *possible and learnable*. They do not make it automatic.

# %% [markdown] lang="zh"
# **细看一步：未加调整的 LSTM，梯度消失得几乎和 RNN 一样快。** 走 50 步只剩 $10^{-10}$，GRU 也好不到哪里去。到了 $T = 200$，它们都没有指望，偏置取 1 也远远不够。第 3 课那个权重较大的 RNN，甚至比它们都强。
#
# 在 LSTM 里，只有偏置取 3 或 5，线才保持平直；偏置为 3 的 GRU 也接近。门让记忆成为*可能，并且可以学会*，却不会让它自动发生。

# %% [markdown] lang="en"
# > **Misconception.** "The LSTM solves vanishing gradients." It offers a path on which they need not vanish. How much passes depends on the forget gate, and so on the start, the data and what has been learned.

# %% [markdown] lang="zh"
# > **常见误解。** “LSTM 解决了梯度消失。”它只是提供了一条梯度不必消失的路。能通过多少，要看遗忘门，也就是要看初始值、数据，以及学到了什么。

# %% [markdown] lang="en"
# **A closer look: the direct path is not the only one.** The gates and the candidate read $h_{t-1}$, so $c_{t-1}$ also acts on $c_t$ in a roundabout way. "$\partial c_t / \partial c_{t-1} = f_t$" leaves that out. How much is missing? We compare the largest stretch of the full matrix $\partial c_{50} / \partial c_0$ with the largest product of forget gates.

# %% [markdown] lang="zh"
# **细看一步：直接通路不是唯一的路。** 门和候选值都读 $h_{t-1}$，所以 $c_{t-1}$ 还会绕个弯影响 $c_t$。“$\partial c_t / \partial c_{t-1} = f_t$”没有算上这些弯路。漏掉了多少？我们把完整矩阵 $\partial c_{50} / \partial c_0$ 的最大伸长，和最大的遗忘门连乘积比一比。

# %%
inputs = torch.randn(50, 8, generator=torch.Generator().manual_seed(0))
print("bias   full       direct path alone")
for b in [0, 1, 3, 5]:
    set_seed(0)
    cell = OurLSTM(gated.make_cell(f"LSTM, bias {b}", 8, 32))
    full = torch.autograd.functional.jacobian(
        lambda c, cell=cell: memory_after(c, cell, inputs, cut=False)[0], torch.zeros(32)
    )
    _, kept = memory_after(torch.zeros(32), cell, inputs, cut=False)
    print(f"{b:3}    {torch.linalg.matrix_norm(full, 2):.0e}      {kept.max():.0e}")

# %% [markdown] lang="en"
# The roundabout ways carry more than the direct one: thousands of times more when the gates stand at 0.5, and still about twenty times more at bias 3 and 5. There the full derivative is even above 1, so it may grow.
#
# So the product of forget gates is a rule of thumb, and here a low one: more gets through than it says.

# %% [markdown] lang="zh"
# 绕弯的路比直接通路带来的更多：门停在 0.5 时，多了几千倍；偏置取 3 和 5 时，也有二十倍左右。那里完整的导数甚至大于 1，也就是说它可能增长。
#
# 所以，遗忘门的连乘积只是一个经验估计，而且在这里偏低：实际过去的比它说的多。

# %% [markdown] lang="en"
# ## A test of memory
#
# Gradients are a means. Does the network *remember*? Here is a task that asks for nothing else. The first token is one of 8 symbols; then come others that mean nothing; the last one asks: what was the first?
#
# Who guesses is right 1 time in 8: **0.125** is the baseline.

# %% [markdown] lang="zh"
# ## 记忆测验
#
# 梯度只是手段。网络到底*记住*了没有？下面的任务只考这一件事：第一个记号是 8 个符号之一，接着是一串毫无意义的记号，最后一个记号提问：第一个是什么？
#
# 瞎猜的话，8 次能对 1 次：基线是 **0.125**。

# %%
tokens, answer = gated.recall_batch(20, 3, torch.Generator().manual_seed(0))
signs = "ABCDEFGHwxyz?"  # 8 symbols, 4 fillers, and the question
for row, right in zip(tokens.T, answer, strict=True):
    print(" ".join(signs[token] for token in row), " ->", signs[right])

# %% [markdown] lang="en"
# We train 64 units for at most 600 updates of 32 fresh sequences (Adam), and stop as soon as ten batches in a row are without a mistake. **Before you run it:** which of these will learn to carry a symbol over 20 tokens? About 5 seconds.

# %% [markdown] lang="zh"
# 我们用 64 个单元，最多更新 600 次，每次 32 条新序列（Adam）；连续十批全对就停。**先猜一猜再运行**：下面哪些能学会让一个符号跨过 20 个记号？约需 5 秒。

# %%
live = {}
runs = ["RNN", "LSTM", "LSTM, bias 1", "LSTM, bias 3"]
for start in progress(runs, "20 tokens"):
    live[start, 20] = gated.train_recall(start, 20, seed=0)
for (start, _), run in live.items():
    print(f"{start:13} accuracy {run.accuracy:.3f} after {run.updates} updates")

# %% [markdown] lang="en"
# After 600 updates the plain RNN and the default LSTM do little better than guessing, or no better. A forget bias of 3 needs fewer than fifty updates. One number at the start decides it.
#
# Now 50 tokens, where a symbol must be kept more than twice as long. **Before you run it:** will a bias of 1 still do? About 5 seconds.

# %% [markdown] lang="zh"
# 更新了 600 次，普通 RNN 比瞎猜好不了多少，默认的 LSTM 根本就是瞎猜。遗忘门偏置取 3 的，不到五十次更新就学会了。成败就在起点的那一个数。
#
# 再来 50 个记号，符号要多保持一倍以上的时间。**先猜一猜再运行**：偏置取 1 还够吗？约需 5 秒。

# %%
runs = ["LSTM, bias 1", "LSTM, bias 3", "LSTM, bias 5"]
for start in progress(runs, "50 tokens"):
    live[start, 50] = gated.train_recall(start, 50, seed=0)
for start in runs:
    run = live[start, 50]
    print(f"{start:13} accuracy {run.accuracy:.3f} after {run.updates} updates")

# %% [markdown] lang="en"
# ### How long is long? Chrono initialisation
#
# A gate at $f = u / (u + 1)$ keeps a memory for about $u$ steps, and $\sigma(b) = u / (u + 1)$ means $b = \ln u$. So the bias should grow with the *logarithm* of the time to be bridged.
#
# Tallec and Ollivier (2018) draw a $u$ for each cell, evenly between 1 and the longest time $T - 1$. Some cells are then made for short memories, some for long ones. The input gate gets the opposite bias, $-\ln u$: a cell that keeps long should write seldom.

# %% [markdown] lang="zh"
# ### 多长才算长？chrono 初始化
#
# 门停在 $f = u / (u + 1)$，记忆大约能保持 $u$ 步；而 $\sigma(b) = u / (u + 1)$ 就是 $b = \ln u$。所以，偏置应当随要跨越的时间的*对数*增长。
#
# Tallec 和 Ollivier（2018）给每个单元抽一个 $u$，在 1 和最长时间 $T - 1$ 之间均匀取值。这样，有的单元擅长短记忆，有的擅长长记忆。输入门则取相反的偏置 $-\ln u$：要记得久的单元，就该少写。

# %% quiz="bias_for_1000"
quiz("bias_for_1000")

# %% [markdown] lang="en"
# The task with 100 tokens, from this start. About 3 seconds.

# %% [markdown] lang="zh"
# 换成 100 个记号，就从这样的起点出发。约需 3 秒。

# %%
run = live["LSTM, chrono", 100] = gated.train_recall("LSTM, chrono", 100, seed=0)
print(f"LSTM, chrono: accuracy {run.accuracy:.3f} after {run.updates} updates")

# %% [markdown] lang="en"
# One seed proves little. For the full picture the same runs were recorded with five seeds each (`benchmarks/memory_study.py` repeats them; it takes several minutes). Dots are seeds, lines are means, and rings are the runs you have just made.

# %% [markdown] lang="zh"
# 一个随机种子说明不了什么。为了看到全貌，我们把同样的实验各用五个随机种子跑过并记录了下来（`benchmarks/memory_study.py` 可以重做，需要几分钟）。点是各个种子，线是平均，圆圈是你刚才跑出来的结果。

# %%
study = gated.load_memory_study()
chosen = ["RNN", "GRU", "LSTM", "LSTM, bias 1", "LSTM, bias 3", "LSTM, bias 5", "LSTM, chrono"]
tints = ["0.2", "C1", "C3", "#6baed6", "#2878b5", "#08306b", "C2"]
plt.figure(figsize=(8.5, 4))
for k, (start, colour) in enumerate(zip(chosen, tints, strict=True)):
    place = np.arange(3) + 0.07 * (k - 3)
    runs = gated.study_accuracy(study, start)  # (seeds, 3)
    plt.plot(place, runs.T, ".", color=colour, alpha=0.5)
    plt.plot(place, runs.mean(axis=0), "-", color=colour, label=start)
    for x, T in zip(place, study["steps"], strict=True):
        if (start, T) in live:
            plt.plot(x, live[start, T].accuracy, "o", markersize=9, mfc="none", color=colour)
plt.axhline(1 / 8, color="0.5", linestyle=":", label="guessing: 0.125")
gated.finish_memory_plot(study["steps"])

# %% [markdown] lang="en"
# Read it from left to right. At 20 tokens a bias of 3 or more is enough, and the default LSTM never learns. At 50, a bias of 1 works on 1 seed of 5 (the lucky one is the one you ran), and 3 not on every one. At 100 tokens only chrono is left of these, and it is right on all seeds.
#
# So "start the forget gate at 1" is a habit, not a cure. The start has to fit the time to be bridged.

# %% [markdown] lang="zh"
# 从左往右看。20 个记号时，偏置取 3 或更大就够了，默认的 LSTM 从来学不会。50 个记号时，偏置 1 只在 5 个种子中的 1 个上成功（你刚才跑的恰好是走运的那个），偏置 3 也不是每个都行。到 100 个记号，它们当中只剩 chrono，而且所有种子全对。
#
# 所以，“遗忘门从 1 出发”是习惯，不是药方。起点要配得上需要跨越的时间。

# %% [markdown] lang="en"
# Are LSTM and GRU alike, as people say? With the *same* kind of start they may be compared.

# %% [markdown] lang="zh"
# 人们常说 LSTM 和 GRU 差不多，是吗？让它们用*同一种*起点出发，才好比较。

# %%
print("mean accuracy at T =", study["steps"])
for start in ["GRU", "LSTM", "GRU, bias 3", "LSTM, bias 3", "LSTM, bias 3 and -3"]:
    print(f"{start:19}", gated.study_accuracy(study, start).mean(axis=0).round(2))

# %% [markdown] lang="en"
# Out of the box the GRU is ahead at 20 tokens, and both fail after that. With bias 3 the GRU is far ahead, even at 100. But look at what it writes: $1 - z$. A gate $z$ near 1 keeps *and* writes little.
#
# Let the LSTM write little too, with a bias of -3 on its input gate (last line), and it draws level at 50; at 100 the GRU still leads. On real tasks, comparisons find the two much alike (Chung and others 2014; Greff and others 2017). It is the start that we should compare first.

# %% [markdown] lang="zh"
# 按默认的起点，20 个记号时 GRU 领先，再长就都不行了。偏置取 3，GRU 遥遥领先，到 100 个记号也是。可是看看它写进多少：$1 - z$。门 $z$ 接近 1，意味着守住旧的，*同时*少写新的。
#
# 让 LSTM 也少写，给输入门一个 -3 的偏置（最后一行），50 个记号时它就追平了；100 个记号时仍是 GRU 领先。在真实任务上，比较的结果是两者相差不大（Chung 等 2014；Greff 等 2017）。该先比的，是起点。

# %% [markdown] lang="en"
# **A closer look: two surprises.** First, the plain RNN beats the default LSTM: it learns 20 tokens on 3 seeds of 5, though its gradient is smaller. A small gradient is not always a hopeless one, and Adam rescales it. We have not found out more.
#
# Second, a forget bias of 5 keeps gradients flat, and still fails at 100 tokens. So gradients are not all. Chrono does two things: it opens the forget gates *and* shuts the input gates. **Before you run it** (3 seconds): will half of it do? Or is a plain 5 and -5 enough?

# %% [markdown] lang="zh"
# **细看一步：两个意外。** 第一，普通 RNN 赢了默认的 LSTM：20 个记号时，它在 5 个种子中的 3 个上学会了，尽管它的梯度更小。梯度小不一定就没有希望，何况 Adam 会重新缩放它。更多的我们还没弄清楚。
#
# 第二，遗忘门偏置取 5，梯度是平的，到 100 个记号却还是失败。可见梯度不是全部。chrono 做了两件事：打开遗忘门，*并且*关小输入门。**先猜一猜再运行**（3 秒）：只做一半行不行？或者，统统取 5 和 -5 就够了？

# %%
run = live["LSTM, bias 5 and -5", 100] = gated.train_recall("LSTM, bias 5 and -5", 100, seed=0)
print(f"your run with 5 and -5: accuracy {run.accuracy:.3f} after {run.updates} updates\n")
batch, _ = gated.recall_batch(100, 200, torch.Generator().manual_seed(0))
for start in ["LSTM, bias 5", "LSTM, half chrono", "LSTM, bias 5 and -5", "LSTM, chrono"]:
    set_seed(0)
    layer = gated.make_cell(start, gated.TOKENS, 64, longest=100)
    with torch.no_grad():
        _, (_, c) = layer(nn.functional.one_hot(batch, gated.TOKENS).float())
    recorded = gated.study_accuracy(study, start)[:, -1].mean()
    print(f"{start:20} untrained memory {c.abs().mean():5.2f}, learns to {recorded:.2f}")

# %% [markdown] lang="en"
# The input gate decides here. With half-open input gates and a forget gate near 1, the fillers pile up in the memory before anything is learned, to a size where $\tanh(c)$ is flat. With shut ones the slip of paper starts nearly blank. (That is what we see; that it is the whole reason, we have not shown.)
#
# A long memory needs both: keep what you have, and be slow to write.

# %% [markdown] lang="zh"
# 在这里，起决定作用的是输入门。输入门半开，遗忘门又接近 1，还什么都没学，那些无意义的记号就已经堆满了记忆，大到 $\tanh(c)$ 变平的地步。关小输入门，纸条一开始就几乎是空白的。（这是我们看到的；至于是不是全部原因，我们没有证明。）
#
# 记得久，两样都要：守住已有的，并且少动笔。

# %% [markdown] lang="en"
# **A closer look: what did the trained cell learn?** In our hand-set cell a gate opened once and then shut. **Before you run it:** does the trained one (bias 3, 20 tokens) do the same? We print the mean of its 64 input and forget gates, and the size of the memory.

# %% [markdown] lang="zh"
# **细看一步：训练好的单元学到了什么？** 在我们亲手设定的单元里，门开一次就关上了。**先猜一猜再运行**：训练好的那个（偏置 3，20 个记号）也是这样吗？我们打印 64 个输入门、遗忘门的平均值，以及记忆的大小。

# %%
cell = OurLSTM(live["LSTM, bias 3", 20].layer)
h, c = torch.zeros(64), torch.zeros(64)
for t, token in enumerate(tokens[:, 0]):
    h, c, gate = cell.step(nn.functional.one_hot(token, gated.TOKENS).float(), h, c)
    if t in (0, 1, 5, 10, 18):
        print(
            f"token {t:2}: input gate {gate['i'].mean():.2f}, "
            f"forget gate {gate['f'].mean():.2f}, size of c {c.norm():5.1f}"
        )

# %% [markdown] lang="en"
# It does not. The input gates stay half open all the time, and the memory *grows*. Our reading, no more than that: the cells push what they hold a little further at each step, so that the fillers cannot overtake it. Training finds what works, not the tidy story on the blackboard.

# %% [markdown] lang="zh"
# 并不是。输入门一直半开着，记忆却在*变大*。我们的理解（也只是一种理解）是：这些单元把手里的东西每一步再推远一点，让那些无意义的记号追不上。训练找到的是管用的办法，未必是黑板上那个整齐的故事。

# %% [markdown] lang="en"
# ## One step after the other
#
# Gates help gradients. They do not help the clock: $h_t$ needs $h_{t-1}$, so 1,000 steps must be taken in turn. For comparison we let one matrix product do *the same number of multiplications* for all steps at once. **Before you run it:** how much slower is the LSTM at $T = 1000$, on one processor core?

# %% [markdown] lang="zh"
# ## 一步接一步
#
# 门帮得了梯度，帮不了时间：$h_t$ 需要 $h_{t-1}$，1,000 步只能一步一步走。作为对照，我们用一次矩阵乘法，对所有步一起做*同样多的乘法*。**先猜一猜再运行**：在一个处理器核上，$T = 1000$ 时，LSTM 会慢多少？

# %%
lengths = [1, 3, 10, 30, 100, 300, 1000]
lstm, dense = nn.LSTM(8, 32), nn.Linear(40, 128)  # 128 * 40 multiplications per step, both
serial, at_once = [], []
with torch.no_grad():
    for T in lengths:
        x, pair = torch.randn(T, 1, 8), torch.randn(T, 40)
        serial.append(1e3 * gated.least_seconds(lambda x=x: lstm(x)))
        at_once.append(1e3 * gated.least_seconds(lambda x=pair: dense(x)))
for T, slow, fast in zip(lengths, serial, at_once, strict=True):
    print(f"T = {T:4}: in turn {slow:5.2f} ms, at once {fast:5.3f} ms, {slow / fast:4.1f} times")

# %%
plt.loglog(lengths, serial, "o-", label="LSTM: one step after the other")
plt.loglog(lengths, at_once, "s-", label="same multiplications, all steps at once")
plt.xlabel("steps, T")
plt.ylabel("milliseconds")
plt.title("A thousand steps are a thousand waits")
plt.legend()
show()

# %% [markdown] lang="en"
# From 100 steps on, both curves rise: this is one processor core, where both must do all the work, and the LSTM merely does it in small helpings. It is several times slower all the same.
#
# On hardware with thousands of cores (which we do not measure here) the second way is spread over all of them, and the first still waits for every step. A batch of sequences can be run side by side, the steps of one sequence cannot.

# %% [markdown] lang="zh"
# 从 100 步起，两条线都在上升：这是在一个处理器核上，两种做法都得干完全部的活，LSTM 只是每次只能干一小份。即便如此，它还是慢了好几倍。
#
# 在有上千个核的硬件上（这里没有测），第二种做法可以分摊到所有核上，第一种仍然每一步都要等。一批序列可以并排算，一个序列里的各步却不行。

# %% quiz="lstm_claims"
quiz("lstm_claims")

# %% [markdown] lang="en"
# ## Summary
#
# - The LSTM keeps a memory $c_t$ that is gated and added to. Along the direct path its derivative is $f_t$: no matrix, no tanh.
# - Three gates keep, write and show. A GRU does with two and no $c$, with a quarter fewer parameters, and usually gives like results.
# - As it comes out of the box an LSTM fades almost like an RNN. Starting the forget bias near $\ln T$ and the input bias near $-\ln T$ (chrono) fits the gates to the time to be bridged; 1 is a habit.
# - The product of forget gates is the direct path only. The roundabout ways often carry more.
# - It still runs one step after the other.

# %% [markdown] lang="zh"
# ## 小结
#
# - LSTM 有一份记忆 $c_t$，靠门控和加法更新。沿直接通路，导数就是 $f_t$：没有矩阵，没有 tanh。
# - 三扇门分管保留、写入和说出。GRU 只用两扇门，没有 $c$，参数少四分之一，效果通常差不多。
# - 未加调整的 LSTM，梯度消失得几乎和 RNN 一样快。让遗忘门偏置从 $\ln T$ 附近出发，输入门偏置从 $-\ln T$ 附近出发（chrono），门才配得上要跨越的时间；取 1 只是习惯。
# - 遗忘门的连乘积只算了直接通路，绕弯的路带来的往往更多。
# - 它仍然只能一步接一步地算。

# %% [markdown] lang="en"
# ## What is left, and further reading
#
# We have cells that can remember over a hundred steps. In the next lesson two of them translate: one reads a sentence, one writes it in French. What passes between them is a single state. How much fits into it?
#
# - Hochreiter and Schmidhuber (1997), *Long Short-Term Memory*.
# - Gers, Schmidhuber and Cummins (2000), *Learning to Forget*: the forget gate.
# - Cho and others (2014): the GRU. Chung and others (2014) and Greff and others (2017) compare gated cells.
# - Jozefowicz, Zaremba and Sutskever (2015): thousands of cells tried, and a word for the forget bias.
# - Tallec and Ollivier (2018), *Can Recurrent Neural Networks Warp Time?*: chrono initialisation.
# - Srivastava, Greff and Schmidhuber (2015), highway networks; He and others (2015), residual networks.

# %% [markdown] lang="zh"
# ## 还剩什么，以及延伸阅读
#
# 现在我们有了能记住一百步的单元。下一课让两个这样的单元来翻译：一个读句子，一个用法语写出来。它们之间传递的只有一个状态。那里面能装下多少？
#
# - Hochreiter 和 Schmidhuber（1997），*Long Short-Term Memory*。
# - Gers、Schmidhuber 和 Cummins（2000），*Learning to Forget*：遗忘门。
# - Cho 等（2014）：GRU。Chung 等（2014）和 Greff 等（2017）比较了各种门控单元。
# - Jozefowicz、Zaremba 和 Sutskever（2015）：试了上千种单元，也为遗忘门偏置说了话。
# - Tallec 和 Ollivier（2018），*Can Recurrent Neural Networks Warp Time?*：chrono 初始化。
# - Srivastava、Greff 和 Schmidhuber（2015），高速公路网络；He 等（2015），残差网络。
