# %% [markdown] lang="en"
# # 3. Recurrent networks: memory, and how it fades
#
# "The keys that I left yesterday on the table by the window **are** gone." To choose "are" and not "is", a reader must still have "keys" in mind ten words later. The tables of lesson 1 see five characters. The vectors of lesson 2 see no order at all.
#
# What we want is a reader with a **memory**: it takes in one token after the other, and keeps a note of what mattered so far. Such a reader is the recurrent neural network (RNN). We shall build one, let it beat counting, and then catch it forgetting.

# %% [markdown] lang="zh"
# # 3. 循环神经网络：记忆，以及它怎样消退
#
# “The keys that I left yesterday on the table by the window **are** gone.”（昨天我放在窗边桌上的那些钥匙不见了。）要选对 are 而不是 is，读者隔了十个词还得记着 keys。第 1 课的表只看得见五个字符，第 2 课的词向量根本看不见次序。
#
# 我们想要一个有**记忆**的读者：一个词元接一个词元地读，随手记下到目前为止要紧的事。这样的读者就是循环神经网络（RNN）。我们要造一个，让它胜过计数，再当场抓住它遗忘。

# %% [markdown] lang="en"
# > **Goals.** Compute a recurrent step by hand and in PyTorch. Train a character model and compare it fairly with counting. Explain why its gradient fades, and what the eigenvalues of one matrix have to do with it. Know what clipping can mend, and what it cannot.
# >
# > **Time.** About 50 minutes to read and solve. All cells together run in about 20 seconds; two of them train a model for some seconds each.
# >
# > **How.** Where we ask you to guess, guess before you run.

# %% [markdown] lang="zh"
# > **目标。** 会用手算、也会用 PyTorch 算循环网络的一步；训练一个字符模型，并和计数法公平比较；讲得清它的梯度为什么消退，这和一个矩阵的特征值有什么关系；知道裁剪治得了什么、治不了什么。
# >
# > **时间。** 阅读和做题约 50 分钟。全部代码一共运行约 20 秒，其中两格各要训练几秒钟。
# >
# > **方法。** 凡是请你猜的地方，先猜，再运行。

# %%
from itertools import accumulate

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from course_utils import language_models as lm
from course_utils import open_lesson
from course_utils.corpora import texts
from course_utils.live import explore, slider
from course_utils.plots import line_with_band, show
from course_utils.recurrent import CharRNN, CharTrainer, char_probs, write
from course_utils.training import set_seed

quiz, check = open_lesson("03_rnn")

# %% [markdown] lang="en"
# ## A note that is rewritten at every step
#
# The note is a vector $h_t$, the **hidden state**. At each step the network looks at the new token $x_t$ and at its old note, and writes a new one:
#
# $$h_t = \tanh(W_h h_{t-1} + W_x x_t + b) \qquad y_t = \text{softmax}(W_y h_t)$$
#
# $W_x$ says what to take in, $W_h$ what to make of the old note; tanh keeps every entry between $-1$ and 1. $W_y$ turns the note into probabilities for the next token.

# %% [markdown] lang="zh"
# ## 每一步都重写的便条
#
# 这张便条是一个向量 $h_t$，叫**隐状态**。每一步，网络看一眼新词元 $x_t$ 和旧便条，写出新便条：
#
# $$h_t = \tanh(W_h h_{t-1} + W_x x_t + b) \qquad y_t = \text{softmax}(W_y h_t)$$
#
# $W_x$ 决定收进什么，$W_h$ 决定旧便条怎么用；tanh 让每个分量都留在 $-1$ 和 1 之间。$W_y$ 把便条变成下一个词元的概率。

# %% [markdown] lang="en"
# Let us read "to" with a note of three numbers and two letters in the alphabet. Before you run: a second reader gets the same letters as "ot". Will it end with the same note?

# %% [markdown] lang="zh"
# 我们用三个数的便条、只有两个字母的字母表来读 to。运行前想一想：另一位读者拿到同样的字母，次序是 ot。它最后的便条会一样吗？

# %%
torch.manual_seed(2)
Wx, Wh, b = torch.randn(3, 2), torch.randn(3, 3), torch.zeros(3)
t, o = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])  # one-hot letters

blank = torch.zeros(3)  # nothing read yet
after_t = torch.tanh(Wh @ blank + Wx @ t + b)
after_to = torch.tanh(Wh @ after_t + Wx @ o + b)
after_o = torch.tanh(Wh @ blank + Wx @ o + b)
after_ot = torch.tanh(Wh @ after_o + Wx @ t + b)
print("after 'to':", after_to.numpy().round(2))
print("after 'ot':", after_ot.numpy().round(2))

# %% [markdown] lang="en"
# The same letters, another order, another note. Order is inside the state, not in a table of all orders. And nothing in the formula says how long the text may be.
#
# ### Exercise: `rnn_forward`
#
# Write the reader for a whole sequence: every state, from $h_1$ on. The first note, `h0`, is given.
#
# <details><summary>Hint</summary>
#
# Keep a variable `h`, start it at `h0`, overwrite it at each step, and append each new one to a list. `torch.stack` makes one tensor of a list. What should come out for a sequence of length 0? `x.new_zeros(0, H)` has that shape.
#
# </details>

# %% [markdown] lang="zh"
# 字母相同，次序不同，便条就不同。次序装在状态里，而不是装在一张罗列所有次序的表里。公式里也没有哪一处规定文本能有多长。
#
# ### 练习：`rnn_forward`
#
# 给整个序列写一位读者：从 $h_1$ 起，每一步的状态都要。第一张便条 `h0` 是给定的。
#
# <details><summary>提示</summary>
#
# 用一个变量 `h`，从 `h0` 开始，每一步覆盖它，并把新值添进列表。`torch.stack` 能把列表变成一个张量。长度为 0 的序列应当得到什么？`x.new_zeros(0, H)` 正是那个形状。
#
# </details>


# %% exercise="rnn_forward"
def rnn_forward(x, Wx, Wh, b, h0):
    """All hidden states of a tanh network that reads a sequence.

    Args:
        x: (T, D) tensor, one input a row; T may be 0.
        Wx: (H, D) tensor.
        Wh: (H, H) tensor.
        b: (H,) tensor.
        h0: (H,) tensor, the state before the first input.

    Returns:
        (T, H) tensor: row t is the state after reading x[0] .. x[t].
    """
    ### BEGIN SOLUTION
    h, states = h0, []
    for x_t in x:
        h = torch.tanh(Wh @ h + Wx @ x_t + b)
        states.append(h)
    return torch.stack(states) if states else x.new_zeros(0, len(h0))
    ### END SOLUTION


# %% check="rnn_forward"
check(rnn_forward)

# %% [markdown] lang="en"
# ### The same as `nn.RNN`
#
# PyTorch has this network ready-made. Is it the same one? We take its weights and run our formula. An RNN is what programmers call a *fold*: a function applied again and again to its own result, which Python knows as `accumulate`.

# %% [markdown] lang="zh"
# ### 和 `nn.RNN` 一样吗
#
# PyTorch 里有现成的循环网络。它和我们的是一回事吗？拿它的权重，用我们的公式算一遍。程序员把 RNN 这样的东西叫**折叠**（fold）：一个函数反复作用在自己的结果上，Python 里就是 `accumulate`。

# %%
set_seed(0)
layer = nn.RNN(8, 32)
U, W = layer.weight_ih_l0, layer.weight_hh_l0  # (32, 8), (32, 32)
bias = layer.bias_ih_l0 + layer.bias_hh_l0  # PyTorch adds two bias vectors; one would do

x = torch.randn(50, 8)
notes = accumulate(x, lambda h, x_t: torch.tanh(W @ h + U @ x_t + bias), initial=torch.zeros(32))
ours = torch.stack(list(notes)[1:])  # (50, 32)
theirs, last = layer(x)
print("largest difference:", (ours - theirs).abs().max().item())

# %% [markdown] lang="en"
# Equal up to rounding. (The second bias vector is a leftover of a GPU library; it changes nothing.)
#
# How many parameters does this network need for 3 steps, for 300, for 3000?

# %% [markdown] lang="zh"
# 除了舍入误差，完全相等。（第二个偏置向量是某个 GPU 库留下的习惯，对结果毫无影响。）
#
# 这个网络读 3 步、300 步、3000 步，各需要多少参数？

# %%
size = sum(p.numel() for p in layer.parameters())
for T in (3, 300, 3000):
    states, last = layer(torch.randn(T, 8))
    print(f"{T:4} steps: states {tuple(states.shape)}, {size} parameters")
    print(f"           a table of {T} characters, 32 kinds: 10^{T * np.log10(32):.0f} cells")

# %% [markdown] lang="en"
# The same weights serve at every step. You know this trick from images: a convolution uses one small filter at all places, so a cat is a cat wherever it sits. An RNN shares its weights over **time**. Shift the input, and the states shift along:

# %% [markdown] lang="zh"
# 每一步用的都是同一组权重。这一招在图像里见过：卷积用同一个小滤波器扫过所有位置，所以猫坐在哪里都是猫。RNN 则在**时间**上共享权重。输入往后挪，状态也跟着往后挪：

# %%
plain = nn.RNN(8, 32, bias=False)
word = torch.randn(5, 8)
silence = torch.zeros(20, 8)
early = plain(word)[0]
late = plain(torch.cat([silence, word]))[0]
print("states of the word, 20 steps later, equal:", torch.allclose(early, late[20:]))

# %% quiz="parameters"
quiz("parameters")

# %% [markdown] lang="en"
# ### All of the past, in principle
#
# $h_t$ depends on $h_{t-1}$, that one on $h_{t-2}$, and so on to the very first token. So nothing is cut off, as it was in an n-gram. Let us test it: change only the **first** input and see how much the last state notices, after 2, 10, 30 steps. Guess.

# %% [markdown] lang="zh"
# ### 原则上，记得全部的过去
#
# $h_t$ 依赖 $h_{t-1}$，后者又依赖 $h_{t-2}$，一直追到第一个词元。所以不像 n 元模型那样一刀切断。来验证一下：只改动**第一个**输入，看最后的状态察觉多少，分别隔 2、10、30 步。先猜。

# %%
exact = nn.RNN(8, 32).double()  # float64, so that we see small numbers
for T in (2, 10, 30, 100):
    x = torch.randn(T, 8, dtype=torch.float64)
    other = x.clone()
    other[0] = torch.randn(8)
    change = (exact(x)[0][-1] - exact(other)[0][-1]).norm().item()
    print(f"{T:3} steps later the note differs by {change:.0e}")

# %% [markdown] lang="en"
# It notices, but ever less: after 30 steps the trace is in the eighth digit. This network is untrained, and training could change that. **Can** training change that? This is the question of the second half of the lesson. First, the good news.

# %% [markdown] lang="zh"
# 察觉是察觉了，只是越来越少：过了 30 步，痕迹落到了小数点后第八位。这个网络还没训练，训练也许能改变这一点。**真的**能吗？这正是本课后半部分的问题。先说好消息。

# %% [markdown] lang="en"
# ## An RNN as a language model
#
# Put characters in, ask for the next one, use the cross-entropy of lesson 1 as the loss. First on the toy text, where the bigram table reached 2.64. The RNN has a note of 32 numbers. It may look back as far as it likes: where will it land?

# %% [markdown] lang="zh"
# ## 用 RNN 做语言模型
#
# 把字符送进去，让它猜下一个，损失就用第 1 课的交叉熵。先用玩具文本，二元表在那里得了 2.64。RNN 的便条有 32 个数，想往回看多远都行：它会落到多少？

# %%
toy = texts.toy_text()
letters = texts.vocabulary(toy)
toy_read, toy_test = (lm.encode(part, letters) for part in texts.split(toy))
bigram = lm.add_k_probs(toy_read, toy_test, 2, len(letters), k=0)

set_seed(0)
small = CharRNN(len(letters), hidden=32)
CharTrainer(small, toy_read, steps=150, batch=8, rate=0.03).run(150, "toy text")
print(f"bigram, k = 0: {lm.perplexity_of(bigram):.2f}")
print(f"RNN:           {lm.perplexity_of(char_probs(small, toy_test)):.2f}")
print("it writes:", write(small, letters, 60))

# %% [markdown] lang="en"
# Close to 1, and what it writes are pieces of the five sentences. You know from lesson 1 what that means: the test text *is* the training text. This is a memory test, and the RNN has memory.
#
# Still, one thing is new. No table, no zero: softmax gives every character some probability. Our old problem sentence:

# %% [markdown] lang="zh"
# 接近 1，写出来的都是那五句话的片段。第 1 课已经告诉我们这说明什么：测试文本**就是**训练文本。考的是记性，而 RNN 有记性。
#
# 不过有一点是新的：没有表格，也就没有零，softmax 给每个字符都留了一点概率。再看那个老问题：

# %%
cow = lm.encode("the cow sat.", letters)
table = lm.add_k_probs(toy_read, cow, 2, len(letters), k=0)
print(f"'the cow sat.'  bigram, k = 0: perplexity {lm.perplexity_of(table):.2f}")
print(f"                RNN:           perplexity {lm.perplexity_of(char_probs(small, cow)):.2f}")

# %% [markdown] lang="en"
# Finite, but worse than a uniform guess, which has 15: a model that knows five sentences by heart is very sure of itself, and a sixth shocks it. Enough of toys.
#
# ### Real text
#
# The Python manual of lesson 1, with the same cut: nine tenths to read, the last tenth held out. The text is read as 32 streams side by side, 16 characters at a time; the note is handed on from piece to piece. Training goes in three stages, about five seconds in all. Watch what it writes: first letters, then words?

# %% [markdown] lang="zh"
# 有限，却比均匀乱猜的 15 还差：背熟五个句子的模型自信得很，第六句让它目瞪口呆。玩具就到这里。
#
# ### 真实的文本
#
# 还是第 1 课的 Python 手册，切法也一样：读十分之九，留出最后十分之一。文本分成 32 条并排的流，每次读 16 个字符，便条一段接一段往下传。训练分三个阶段，一共大约五秒。看它写出什么：先有字母，再有单词？

# %%
manual = texts.manual_text()
signs = texts.vocabulary(manual)
read, held_out = (lm.encode(part, signs) for part in texts.split(manual))

set_seed(0)
rnn = CharRNN(len(signs), hidden=128)
trainer = CharTrainer(rnn, read, steps=1500)
losses, scores = [], {0: lm.perplexity_of(char_probs(rnn, held_out, start=5))}
for steps in (100, 400, 1000):
    losses += trainer.run(steps, f"{steps} steps")
    scores[len(losses)] = lm.perplexity_of(char_probs(rnn, held_out, start=5))
    print(f"   held-out perplexity {scores[len(losses)]:.2f};", write(rnn, signs, 70))

# %%
smooth = np.exp(np.convolve(losses, np.ones(50) / 50, mode="valid"))
plt.semilogy(range(50, len(losses) + 1), smooth, label="training text")
plt.semilogy(scores.keys(), scores.values(), "o", color="C1", label="held-out text")
plt.axhline(len(signs), color="0.5", ls="--", lw=1, label=f"uniform guess: {len(signs)}")
plt.yticks([4, 5, 7, 10, 20, 32], ["4", "5", "7", "10", "20", "32"])
plt.minorticks_off()
plt.title("A character RNN reads the manual")
plt.xlabel("training step")
plt.ylabel("perplexity")
plt.legend()
show()

# %% [markdown] lang="en"
# After 100 steps letter soup with blanks in plausible places; after 500 the first words; after 1500 mostly words, in a tone that sounds like the manual. Nobody told it what a word is.
#
# ### Is that better than counting?
#
# The same text, the same held-out tenth, the same characters scored. For each way of counting we take the best $n$ up to 6. Which of them does the RNN beat? (About two seconds.)

# %% [markdown] lang="zh"
# 100 步后是一锅字母，不过空格放得像样；500 步后出现了单词；1500 步后大半是单词，口气也像手册了。没有人告诉过它什么是单词。
#
# ### 比计数好吗？
#
# 文本相同，留出的十分之一相同，打分的字符也相同。每种计数法都取 6 以内最好的 $n$。RNN 能胜过哪些？（约两秒。）


# %%
def by_counting(model, **options):
    """Perplexity on the held-out text for n = 1 to 6."""
    counted = (model(read, held_out, n, 32, start=5, **options) for n in range(1, 7))
    return [lm.perplexity_of(probs) for probs in counted]


kneser_ney = by_counting(lm.kneser_ney_probs)
ways = {
    "add-one": by_counting(lm.add_k_probs),
    "add-k, k = 0.01": by_counting(lm.add_k_probs, k=0.01),
    "Kneser-Ney up to 4": kneser_ney[:4],
    "interpolation": by_counting(lm.interpolated_probs, weight=0.7),
    "Kneser-Ney up to 6": kneser_ney,
}
best = {f"{name}, n = {np.argmin(v) + 1}": min(v) for name, v in ways.items()}
best["RNN"] = scores[1500]


# %%
def ladder(results):
    """Horizontal bars, best at the bottom; what is not counting is orange."""
    names = sorted(results, key=results.get, reverse=True)
    plt.figure(figsize=(6, 0.36 * len(names) + 1))
    colours = ["C1" if "RNN" in name else "C0" for name in names]
    bars = plt.barh(names, [results[name] for name in names], height=0.65, color=colours)
    plt.bar_label(bars, fmt="%.2f", padding=3)
    plt.gca().invert_yaxis()
    plt.grid(axis="y", visible=False)
    plt.xlabel("perplexity on held-out text")
    show()


ladder(best)

# %% [markdown] lang="en"
# Mixed. With 31,008 numbers the RNN beats add-one and add-k at every $n$, and Kneser-Ney up to $n=4$. But interpolation and Kneser-Ney with five or six characters stay ahead. The text is short, we gave ourselves seconds, and much of a manual is fixed phrases. A table is unbeatable at learning *those* by heart.
#
# So let each do what it does best. We add a table for the last 2 to 6 characters, whose rows vote directly on the next one, and train it **together** with the RNN (Mikolov and others did so in 2011). The table takes the fixed phrases, the RNN what has no row. About five seconds.

# %% [markdown] lang="zh"
# 有胜有负。RNN 用 31,008 个数，胜过了任何 $n$ 的加一平滑和加 k 平滑，也胜过 $n=4$ 以内的 Kneser-Ney。可是看五六个字符的插值和 Kneser-Ney 仍然领先。文本短，我们又只给自己几秒钟，而手册里多是固定的说法，论死记**这些**，没有什么比得过表格。
#
# 那就各尽所长。我们添一张表，让最后 2 到 6 个字符所在的行直接给下一个字符投票，并且和 RNN **一起**训练（Mikolov 等人 2011 年就这样做）。表格管固定说法，RNN 管表里没有的。大约五秒。

# %%
set_seed(0)
both = CharRNN(len(signs), hidden=128, direct=6)
CharTrainer(both, read, steps=800).run(800, "RNN with a table")
best["RNN with a table"] = lm.perplexity_of(char_probs(both, held_out, start=5))
print(f"held-out perplexity {best['RNN with a table']:.2f}; it writes:")
print(write(both, signs, 90))
ladder(best)

# %% [markdown] lang="en"
# Now every n-gram of lesson 1 is beaten, on text that no model had read. An honest footnote: *we* had. We chose steps, learning rates and the size of the table while looking at this very text, so the last hundredths flatter us.
#
# And this model has a big table, most of it empty, and so it inherits one weakness of counting. With more text and more time, RNNs did without: on newspaper text a pure one had passed Kneser-Ney the year before (Mikolov and others, 2010).

# %% [markdown] lang="zh"
# 现在第 1 课的 n 元模型全都落在后面，而且是在模型没读过的文本上。老实补一句：*我们*读过。步数、学习率和表的大小，都是看着这段文本的结果挑的，所以最后那百分之几的优势有水分。
#
# 此外，这个模型带着一张大表，大半是空的，所以计数的毛病它也继承了一样。文本更多、时间更长，RNN 也可以不要表格：在报纸文本上，纯粹的 RNN 前一年就已超过 Kneser-Ney（Mikolov 等，2010）。

# %% [markdown] lang="en"
# ### A closer look: how far back does it really look?
#
# In principle the RNN sees everything. Let us give the trained one only the last few characters of each place, and see when more no longer helps. Your guess: 5, 20, 100 characters?

# %% [markdown] lang="zh"
# ### 细看一步：它实际上回头看多远？
#
# 原则上，RNN 什么都看得见。我们让训练好的模型在每个位置只看最后几个字符，看看从多少起，再多也没有用。你猜：5 个、20 个、100 个？

# %%
places = torch.from_numpy(held_out[:8000]).unfold(0, 65, 7)  # (1134, 65): 64 before, 1 after
spans, helped = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64], []
with torch.no_grad():
    for span in spans:
        scored = rnn(places[:, -1 - span : -1].T)[0][-1].log_softmax(-1)  # (1134, V)
        nll = -scored.gather(1, places[:, -1:]).mean()
        helped.append(nll.exp().item())

plt.loglog(spans, helped, "o-")
plt.xticks(spans, map(str, spans))
plt.yticks([4, 5, 7, 10, 20], ["4", "5", "7", "10", "20"])
plt.minorticks_off()
plt.title("What the trained RNN makes of more context")
plt.xlabel("characters it may see")
plt.ylabel("perplexity")
show()

# %% [markdown] lang="en"
# Flat from about eight characters on: a word and a half. It *could* remember more, and does not. One reason is our own doing: the note was handed on through the whole text, but the gradient was cut off after 16 characters. The other reason lies deeper. To see it, we must look at how an RNN learns.

# %% [markdown] lang="zh"
# 从八个字符左右起，也就是一个半单词，曲线就平了。它**能**记得更多，却没有。一半怪我们自己：便条虽是从头传到尾，梯度却在 16 个字符处截断了。另一半原因更深。要看清它，就得看 RNN 怎样学习。

# %% [markdown] lang="en"
# ## Training: a network as deep as the text
#
# Unroll the loop and there is nothing special left: T layers, one above the other, and every layer has the **same** matrix $W_h$. Backpropagation runs down through all of them; in this case it is called backpropagation through time (BPTT).
#
# What is the gradient of a matrix that is used T times? Let us give each layer its own copy first.

# %% [markdown] lang="zh"
# ## 训练：文本多长，网络就多深
#
# 把循环展开，就没有什么特别的了：T 层，一层叠一层，每一层用**同一个**矩阵 $W_h$。反向传播从上到下穿过所有的层，这时就叫沿时间反向传播（BPTT）。
#
# 一个用了 T 次的矩阵，梯度是什么？先给每一层发一份自己的副本。

# %%
set_seed(0)
W, inputs = torch.randn(16, 16) / 4, torch.randn(20, 16)
copies = W.repeat(20, 1, 1).requires_grad_()  # (20, 16, 16): a matrix for each layer
shared = W.clone().requires_grad_()

one = other = torch.zeros(16)
for layer_matrix, x_t in zip(copies, inputs, strict=True):
    one = torch.tanh(layer_matrix @ one + x_t)
    other = torch.tanh(shared @ other + x_t)
(one.sum() + other.sum()).backward()

print("sum over the copies = shared:", torch.allclose(copies.grad.sum(0), shared.grad, atol=1e-6))
for t in (1, 5, 10, 15, 19):
    print(f"gradient of the copy at step {t:2}: {copies.grad[t].norm():.0e}")

# %% [markdown] lang="en"
# The gradient of the shared matrix is the **sum** over its uses. But look at the sizes: the last step contributes tens of thousands of times more than the first ones. What the network hears when it learns is almost only its most recent steps.

# %% [markdown] lang="zh"
# 共享矩阵的梯度，就是它每次被使用时的梯度之**和**。但请看大小：最后一步的贡献是开头几步的好几万倍。网络学习时，听到的几乎只有最近几步的声音。

# %% [markdown] lang="en"
# ## The gradient fades
#
# Let us measure that as cleanly as we can. A random RNN with 32 units reads 50 random inputs. The loss is the sum of the last state's entries, and we ask how strongly it depends on the input at step t: the norm of $\partial L / \partial x_t$.
#
# Two starts, which differ in the scale of $W_h$ only: 0.5 and 1.5. Guess the gradient at the first input for each.

# %% [markdown] lang="zh"
# ## 梯度消退
#
# 我们尽量干净地量一量。一个有 32 个单元的随机 RNN 读 50 个随机输入。损失是最后状态各分量之和，我们问：它对第 t 步的输入有多敏感，也就是 $\partial L / \partial x_t$ 的范数。
#
# 两种初始，只有 $W_h$ 的尺度不同：0.5 和 1.5。各猜一下第一个输入处的梯度。


# %%
def draw(scale, T=50, H=32):
    """Random weights and inputs, drawn in a fixed order."""
    Wh = torch.randn(H, H) * scale / H**0.5
    Wx = torch.randn(H, 8) / 8**0.5
    return Wh, Wx, torch.randn(T, 8)


def input_gradients(Wh, Wx, xs):
    """dL/dx_t (T, 8) for L = the sum over the last state, by the library's RNN."""
    rnn = nn.RNN(8, len(Wh), bias=False).to(xs.dtype)
    rnn.weight_hh_l0.data, rnn.weight_ih_l0.data = Wh, Wx
    xs = xs.clone().requires_grad_()
    rnn(xs)[0][-1].sum().backward()
    return xs.grad


# %%
torch.manual_seed(0)
starts = {scale: draw(scale) for scale in (0.5, 1.5)}
norms = {scale: input_gradients(*start).norm(dim=1) for scale, start in starts.items()}
for scale, norm in norms.items():
    print(f"scale {scale}: ", ", ".join(f"t={t}: {norm[t]:.1e}" for t in (49, 40, 25, 0)))

# %%
for scale, norm in norms.items():
    plt.semilogy(norm.where(norm > 0, torch.nan), label=f"scale {scale}")
plt.title("How much the end depends on step t")
plt.xlabel("step t of the input")
plt.ylabel("norm of the gradient")
plt.legend()
show()

# %% [markdown] lang="en"
# At scale 0.5 the signal loses a factor of three at every step, until **nothing** is left: exactly 0.0. Even at scale 1.5 the first input counts 400 times less than the last. A network like the first one will never learn that its first input mattered.

# %% [markdown] lang="zh"
# 尺度 0.5 时，信号每一步缩到三分之一，直到**什么都不剩**：正好 0.0。即使尺度 1.5，第一个输入的分量也只有最后一个的 400 分之一。像前一种网络，永远学不到第一个输入有过什么用。

# %% [markdown] lang="en"
# ### A closer look: is 0.0 really zero?
#
# No product of nonzero numbers is zero in mathematics. So what happened? Let us look at the entries behind the printed 0.0, and repeat the sum in float64.

# %% [markdown] lang="zh"
# ### 细看一步：0.0 真的是零吗？
#
# 在数学里，不为零的数相乘不会得零。那么这是怎么回事？看看印出来的 0.0 背后的各个分量，再用 float64 重算一遍。

# %%
first = input_gradients(*starts[0.5])[0]  # (8,)
print("its entries:     ", [f"{value:.0e}" for value in first.tolist()])
print("their norm:      ", first.norm().item())
doubles = [part.double() for part in starts[0.5]]
print(f"norm in float64:  {input_gradients(*doubles)[0].norm():.1e}")

smallest = torch.finfo(torch.float32).smallest_normal * torch.finfo(torch.float32).eps
print(f"smallest float32: {smallest:.1e}, its square root: {smallest**0.5:.1e}")

# %% [markdown] lang="en"
# The gradient is tiny but not zero: about 4e-24. Only the **norm** is zero, because it squares first, and the square of 4e-24 is below the smallest number that float32 can hold, 1.4e-45. Our measuring device gave out before the thing measured did.
#
# When does the gradient itself run out? Make the sequence longer and watch its largest entry.

# %% [markdown] lang="zh"
# 梯度很小，但不是零：大约 4e-24。等于零的只是**范数**，因为它先要平方，而 4e-24 的平方比 float32 能存的最小数 1.4e-45 还小。被测的东西还在，测量的仪器先失灵了。
#
# 那么梯度本身什么时候用尽？把序列加长，盯住它最大的分量。

# %%
for T in (50, 80, 94, 96, 98, 100):
    torch.manual_seed(0)
    largest = input_gradients(*draw(0.5, T=T))[0].abs().max().item()
    print(f"T = {T:3}: largest entry of the first gradient {largest:.1e}")

# %%
torch.manual_seed(0)
long = draw(0.5, T=100)
floats, exact = input_gradients(*long), input_gradients(*(part.double() for part in long))

# %%
plt.semilogy(exact.norm(dim=1), ":", label="norm, float64")
for name, values in (
    ("largest entry, float32", floats.abs().amax(dim=1)),
    ("norm, float32", floats.norm(dim=1)),
):
    plt.semilogy(values.where(values > 0, torch.nan), label=name)
for limit, name in ((smallest, "smallest float32"), (smallest**0.5, "its square root")):
    plt.axhline(limit, color="0.5", lw=1)
    plt.text(99, 5 * limit, name, ha="right", fontsize=9, color="0.3")
plt.title("Scale 0.5, 100 steps: three ways to look")
plt.xlabel("step t of the input")
plt.ylabel("gradient")
plt.legend()
show()

# %% [markdown] lang="en"
# The float32 norm stops at the square root, the entries go on to 1.4e-45. At T = 96 something is left, from T = 98 on every entry is truly zero. The lesson does not change: a signal of 4e-24 teaches nothing beside one of 1. But "0.0" was the instrument, not the gradient.

# %% [markdown] lang="zh"
# float32 的范数停在平方根处，各个分量一直走到 1.4e-45。T = 96 时还剩一点，从 T = 98 起，每个分量都真的是零了。结论不变：4e-24 的信号放在 1 旁边，什么也教不会。但那个“0.0”是仪器的读数，不是梯度。

# %% quiz="printed_zero"
quiz("printed_zero")

# %% [markdown] lang="en"
# ### Exercise: `grad_norm_by_step`
#
# Now measure it yourself, for any weights: the norm of $\partial L / \partial x_t$ at every step, with $L$ the sum of the entries of the last state. Do not use `nn.RNN`; either let autograd walk back through your own loop, or do the chain rule by hand.
#
# <details><summary>Hint</summary>
#
# Autograd: make a copy of `x` that requires gradients, run the recurrence on it, call `backward` on the sum of the *last* state. By hand: start from a vector of ones, multiply by $1 - h_t^2$, then by $W_x^\top$ for this step's answer and by $W_h^\top$ to go one step back.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`grad_norm_by_step`
#
# 现在自己来量，权重任意：每一步的 $\partial L / \partial x_t$ 的范数，其中 $L$ 是最后状态各分量之和。不要用 `nn.RNN`；可以让自动求导穿过你自己的循环往回走，也可以亲手用链式法则。
#
# <details><summary>提示</summary>
#
# 自动求导：复制一份要求梯度的 `x`，在它上面跑循环，对**最后**状态的和调用 `backward`。手算：从每个分量都是一的向量开始，乘 $1 - h_t^2$，再乘 $W_x^\top$ 就是这一步的答案，乘 $W_h^\top$ 就退回一步。
#
# </details>


# %% exercise="grad_norm_by_step"
def grad_norm_by_step(x, Wx, Wh, b, h0):
    """How strongly the last state of a tanh network depends on each input.

    Args:
        x: (T, D) tensor, T >= 1.
        Wx: (H, D) tensor.
        Wh: (H, H) tensor.
        b: (H,) tensor.
        h0: (H,) tensor, the state before the first input.

    Returns:
        (T,) tensor without gradients: the Euclidean norm of dL/dx_t, L = sum of the last state.
    """
    ### BEGIN SOLUTION
    x = x.detach().clone().requires_grad_()
    h = h0
    for x_t in x:
        h = torch.tanh(Wh @ h + Wx @ x_t + b)
    (gradient,) = torch.autograd.grad(h.sum(), x)
    return gradient.norm(dim=1)
    ### END SOLUTION


# %% check="grad_norm_by_step"
check(grad_norm_by_step)

# %% [markdown] lang="en"
# ## Why it fades: one factor per step
#
# The chain rule gives the answer at once. From $h_t$ one step back to $h_{t-1}$, the gradient is multiplied by
#
# $$\frac{\partial h_t}{\partial h_{t-1}} = \text{diag}(1 - h_t^2) \, W_h$$
#
# Fifty steps, fifty such factors. Powers of a matrix are ruled by its largest eigenvalue in absolute value, the **spectral radius**: below 1 they shrink, above 1 they grow. So what were the radii of our two starts?

# %% [markdown] lang="zh"
# ## 为什么消退：每一步乘一个因子
#
# 链式法则一眼就给出答案。从 $h_t$ 退回一步到 $h_{t-1}$，梯度要乘上
#
# $$\frac{\partial h_t}{\partial h_{t-1}} = \text{diag}(1 - h_t^2) \, W_h$$
#
# 五十步，就乘五十个这样的因子。矩阵的幂由绝对值最大的特征值说了算，它叫**谱半径**：小于 1 就缩，大于 1 就涨。那么，前面两种初始的谱半径各是多少？

# %%
for scale, (Wh, _, _) in starts.items():
    radius = torch.linalg.eigvals(Wh).abs().max()
    stretch = torch.linalg.matrix_norm(Wh, 2)
    print(f"scale {scale}: spectral radius {radius:.2f}, largest singular value {stretch:.2f}")

# %% [markdown] lang="en"
# Surprise: the second radius is 1.69, well above 1, and *its gradient faded too*. What about "above 1 it explodes"? The other factor is at work: tanh. Its slope $1 - h_t^2$ is at most 1, and near 0 where a unit is **saturated**. It acts as a brake.
#
# So let us sweep the radius, with tanh and without. Where does each curve cross "neither fades nor grows"? (About two seconds.)

# %% [markdown] lang="zh"
# 出人意料：第二个的谱半径是 1.69，明明大于 1，**它的梯度却也消退了**。不是说“大于 1 就爆炸”吗？起作用的是另一个因子：tanh。它的斜率 $1 - h_t^2$ 最大是 1，单元**饱和**时接近 0。它是一个刹车。
#
# 那就让谱半径从小到大扫一遍，一次有 tanh，一次没有。两条曲线各在哪里越过“不消也不涨”？（约两秒。）


# %%
def with_radius(radius, H=32):
    """A random matrix, scaled to a spectral radius; float64, so that nothing underflows."""
    W = torch.randn(H, H, dtype=torch.float64)
    return W * radius / torch.linalg.eigvals(W).abs().max()


def first_to_last(radius, seed, brake=True, T=50):
    """log10 of |dL/dx_1| / |dL/dx_T|; without the brake, h is linear in its past."""
    torch.manual_seed(seed)
    Wh, (_, Wx, xs) = with_radius(radius), (part.double() for part in draw(1, T=T))
    if brake:
        norms = input_gradients(Wh, Wx, xs).norm(dim=1)
        return (norms[0] / norms[-1]).log10().item()
    ones = torch.ones(32, dtype=torch.float64)
    back = torch.linalg.matrix_power(Wh.T, T - 1) @ ones
    return ((Wx.T @ back).norm() / (Wx.T @ ones).norm()).log10().item()


# %%
radii = [0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0]
for brake, name in ((False, "linear: no tanh"), (True, "with tanh")):
    runs = [[first_to_last(r, seed, brake) for r in radii] for seed in range(8)]
    line_with_band(radii, runs, label=name, marker="o")
plt.axhline(0, color="0.3", lw=1, ls="--")
plt.text(3, -2.7, "neither fades nor grows", ha="right", fontsize=9, color="0.3")
plt.title("50 steps back, 8 random networks")
plt.xlabel("spectral radius of the recurrent matrix")
plt.ylabel("log10 of first over last gradient")
plt.legend(loc="lower right")
show()

# %% [markdown] lang="en"
# The linear network follows the textbook: the border is at radius 1. With tanh and inputs of ordinary size the border lies near **2**. Up to there the brake wins and gradients vanish; far beyond it they do explode.
#
# > **Misconception.** "Radius above 1 means exploding gradients." True for a linear recurrence. For tanh it depends on how saturated the units are, and so on the inputs.

# %% [markdown] lang="zh"
# 线性网络照着教科书走：分界就在谱半径 1。有了 tanh，输入又是寻常大小，分界移到了 **2** 附近。到那里为止，刹车占上风，梯度消失；远远超过它，才真的爆炸。
#
# > **常见误解。** “谱半径大于 1，梯度就爆炸。”对线性循环是对的。对 tanh，要看单元饱和到什么程度，因而也要看输入。

# %% [markdown] lang="en"
# Here is one network to play with. In a live notebook, drag the radius; the second slider makes the inputs louder, which saturates the units. (Without a kernel you see its first picture only.)

# %% [markdown] lang="zh"
# 这里有一个网络供你摆弄。笔记本运行时，拖动谱半径；第二个滑块让输入更响，单元就更饱和。（没有内核时，只看得到第一张图。）


# %%
def picture(radius, loudness):
    torch.manual_seed(0)
    Wh, (_, Wx, xs) = with_radius(radius), (part.double() for part in draw(1))
    plt.figure(figsize=(5, 2.4))
    plt.semilogy(input_gradients(Wh, Wx, loudness * xs).norm(dim=1))
    plt.ylim(1e-26, 1e6)
    plt.title(f"radius {radius:.2f}, inputs times {loudness:.1f}")
    plt.xlabel("step t of the input")
    plt.ylabel("norm of the gradient")
    show()


explore(
    picture,
    radius=slider("spectral radius", 0.25, 4, 0.25, start=1),
    loudness=slider("loudness of the inputs", 0, 3, 0.5, start=1),
)

# %%
figure, axes = plt.subplots(1, 3, figsize=(7.5, 2.6), sharey=True)
for ax, loudness in zip(axes, (0.1, 1.0, 3.0), strict=True):
    for radius in (0.5, 1.0, 2.0, 3.0):
        torch.manual_seed(0)
        Wh, (_, Wx, xs) = with_radius(radius), (part.double() for part in draw(1))
        norm = input_gradients(Wh, Wx, loudness * xs).norm(dim=1)
        ax.semilogy(norm, label=f"radius {radius}")
    ax.set_title(f"inputs times {loudness}")
    ax.set_xlabel("step t of the input")
axes[0].set_ylabel("norm of the gradient")
axes[0].legend(fontsize=8)
show()

# %% [markdown] lang="en"
# Quiet inputs leave the units in the middle, where tanh is nearly linear; loud ones press them to the ends, and even a radius of 3 fades. That is the trouble with "just choose the right radius": the right one depends on the data, and training moves it away again.

# %% [markdown] lang="zh"
# 输入轻，单元待在中段，tanh 近似线性；输入响，单元被压到两端，连谱半径 3 也消退。“选对谱半径就行”，难就难在这里：对不对要看数据，而一训练，它又挪走了。

# %% quiz="shrink"
quiz("shrink")

# %% [markdown] lang="en"
# ## One matrix again and again
#
# A deep feed-forward net also multiplies many matrices. Yet it is mended fairly well by scaling them right at the start. Why should an RNN be harder? First your answer:

# %% [markdown] lang="zh"
# ## 同一个矩阵，一遍又一遍
#
# 深的前馈网络也要连乘许多矩阵，可是开头把尺度配好，就治得差不多了。为什么 RNN 更难？先请你回答：

# %% quiz="same_matrix"
quiz("same_matrix")

# %% [markdown] lang="en"
# Let us not take that on trust. We multiply a vector T times by a random matrix: once always by the **same** one, once by a **new** one of equal scale at each step. No tanh, 40 seeds. What will differ: how fast the vectors shrink on average, or how much one seed differs from another?

# %% [markdown] lang="zh"
# 先别急着相信。我们用随机矩阵把一个向量连乘 T 次：一次始终用**同一个**矩阵，一次每步换一个尺度相同的**新**矩阵。不加 tanh，40 个种子。会有差别的是什么：平均缩小的快慢，还是种子与种子之间的差异？


# %%
def log_norms(same, seed, steps=200, H=32, start=torch.randn):
    """ln of the norm of W_t ... W_1 v after each step, v a unit vector: (steps,)."""
    torch.manual_seed(seed)
    v, total, logs = torch.ones(H, dtype=torch.float64) / H**0.5, 0.0, []
    W = start(H, H, dtype=torch.float64)
    for _ in range(steps):
        v = W @ v / H**0.5
        total += v.norm().log().item()
        logs.append(total)
        v = v / v.norm()
        if not same:
            W = start(H, H, dtype=torch.float64)
    return logs


# %%
products = {same: np.array([log_norms(same, s) for s in range(40)]) for same in (True, False)}
for T in (10, 50, 200):
    one, new = (products[same][:, T - 1] for same in (True, False))
    print(f"T = {T:3}  ln-norm per step: same {one.mean() / T:+.2f}, new {new.mean() / T:+.2f}")
    print(f"         spread over seeds: same {one.std():5.2f}, new {new.std():4.2f}")

# %%
T = np.arange(1, 201)
for same, name in ((True, "same matrix"), (False, "a new matrix each step")):
    plt.loglog(T, products[same].std(axis=0), label=name)
plt.loglog(T, 0.055 * T, color="0.6", ls="--", lw=1, label="in proportion to T")
plt.loglog(T, 0.125 * np.sqrt(T), color="0.6", ls=":", lw=1, label="as the square root of T")
plt.title("How far 40 random starts drift apart")
plt.xlabel("steps T")
plt.ylabel("spread of ln-norm over seeds")
plt.legend()
show()

# %% [markdown] lang="en"
# The **rate** hardly differs: a few per cent per step. What differs is the spread. A new matrix each step: lucky and unlucky draws cancel, and the spread grows as $\sqrt{T}$. The same matrix: its one error of scale is repeated, and grows in proportion to T. At T = 200, one seed's signal may be e^10 times another's.
#
# And inside one product? There the singular values tell how differently directions are treated.

# %% [markdown] lang="zh"
# 快慢几乎没有差别，每步不过百分之几；差别在于**散布**。每步换新矩阵：运气好坏互相抵消，散布按 $\sqrt{T}$ 增长。始终同一个矩阵：它那一点尺度误差不断重复，按 T 成正比增长。到 T = 200，两个种子的信号可以相差 e^10 倍。
#
# 那么在一个乘积内部呢？看奇异值：它们说明不同的方向受到多么不同的对待。


# %%
def singular_values(same, seed, T=10, H=32):
    torch.manual_seed(seed)
    W = [torch.randn(H, H, dtype=torch.float64) / H**0.5 for _ in range(T)]
    return torch.linalg.svdvals(torch.linalg.multi_dot([W[0]] * T if same else W))


for same, colour, name in ((True, "C0", "same matrix"), (False, "C1", "new matrices")):
    for seed in range(6):
        values = singular_values(same, seed)
        plt.semilogy(range(1, 33), values, color=colour, lw=1, label=None if seed else name)
plt.title("Singular values of a product of 10, six seeds")
plt.xlabel("singular value, largest first")
plt.ylabel("size")
plt.legend()
show()

# %% [markdown] lang="en"
# > **A closer look.** Both kinds of product crush most directions and keep a few: repetition does not cause *vanishing*. It causes *compounding*: one wrong scale is not averaged out. But one wrong scale can also be set right at one place. Start with an orthogonal matrix, whose every eigenvalue has size 1, and it is:

# %% [markdown] lang="zh"
# > **细看一步。** 两种乘积都压扁大多数方向，只留下少数几个：重复并不是**消失**的原因。它造成的是**累积**：一处尺度错了，没有别的来抵消。不过，错在一处，也就可以在一处改正。从正交矩阵开始，它的特征值大小全是 1，问题就没了：


# %%
def orthogonal(rows, columns, dtype):
    """A random rotation, times the square root that `log_norms` divides by."""
    return nn.init.orthogonal_(torch.empty(rows, columns, dtype=dtype)) * rows**0.5


levels = np.array([log_norms(True, s, start=orthogonal)[-1] for s in range(10)])
print(f"same orthogonal matrix, 200 steps: mean {levels.mean():.2f}, spread {levels.std():.0e}")


# %%
def fading(start, loudness):
    """Median over 20 seeds of log10 of first over last gradient, 50 steps, with tanh."""
    logs = []
    for seed in range(20):
        torch.manual_seed(seed)
        Wh, Wx, xs = (part.double() for part in draw(1.0))
        Wh = start(torch.empty_like(Wh))
        norm = input_gradients(Wh, Wx, loudness * xs).norm(dim=1)
        logs.append((norm[0] / norm[-1]).log10().item())
    return np.median(logs)


# %%
begin = {
    "PyTorch's default": lambda W: nn.init.uniform_(W, -(32**-0.5), 32**-0.5),
    "random, scale 1": lambda W: nn.init.normal_(W, std=32**-0.5),
    "orthogonal": nn.init.orthogonal_,
}
for name, start in begin.items():
    quiet, ordinary = (10 ** fading(start, loudness) for loudness in (0.1, 1.0))
    print(f"{name:18} quiet inputs {quiet:.0e}, ordinary inputs {ordinary:.0e}")

# %% [markdown] lang="en"
# Without tanh, perfect for ever. With tanh, a start of size 1 gains more than ten orders of magnitude over PyTorch's default (whose radius is about 0.6); our character model above used one. But the brake stays: with ordinary inputs even the orthogonal start fades, no less than a random one.
#
# So the textbook answer is right about compounding, and initialisation does help *some*. It cannot hold: training moves $W_h$, and nothing keeps it orthogonal.

# %% [markdown] lang="zh"
# 没有 tanh，永远完美。有了 tanh，大小为 1 的初始比 PyTorch 的默认初始（谱半径约 0.6）多保住十个以上的数量级；前面的字符模型用的就是正交初始。但刹车还在：输入是寻常大小时，正交的初始照样消退，不比随机的好。
#
# 所以教科书上的答案，说累积是说对了；而初始化也确实有**一些**用。只是守不住：一训练，$W_h$ 就变了，没有什么能让它保持正交。

# %% [markdown] lang="en"
# ## Explosion has a simple cure: clipping
#
# Where gradients explode, one giant step can ruin all the weights. The cure is a **hack**, and everybody uses it (Pascanu and others, 2013): if the norm of all gradients together exceeds a threshold, scale them down to it. The direction stays, the length is limited.
#
# ### Exercise: `clip_by_global_norm`
#
# One norm for *all* gradients together. A sum of squares of large float32 numbers overflows just as small ones underflow, so compute the norm in float64. If it is inf or nan, no direction can be trusted: return zeros, so that the step is skipped.

# %% [markdown] lang="zh"
# ## 爆炸有简单的治法：裁剪
#
# 梯度爆炸时，一步跨得太大，就能毁掉全部权重。治法是个**权宜之计**，可是人人都用（Pascanu 等，2013）：所有梯度合起来的范数若超过阈值，就整体缩小到阈值。方向不变，长度受限。
#
# ### 练习：`clip_by_global_norm`
#
# **所有**梯度合起来只算一个范数。很大的 float32 数，平方和会上溢，正像很小的会下溢，所以范数要用 float64 来算。如果范数是 inf 或 nan，哪个方向都信不得：返回零，跳过这一步。

# %% [markdown] lang="en"
# <details><summary>Hint</summary>
#
# Sum the squares over all tensors, then take one root. What is $c$ in "multiply everything by $c$" when the norm is below the threshold, and when the norm is 0? Build new tensors; do not change the given ones.
#
# </details>

# %% [markdown] lang="zh"
# <details><summary>提示</summary>
#
# 把所有张量的平方加起来，最后开一次方。“全部乘以 $c$”里的 $c$，在范数低于阈值时是多少？范数是 0 时呢？请生成新的张量，不要改动传进来的。
#
# </details>


# %% exercise="clip_by_global_norm"
def clip_by_global_norm(grads, max_norm):
    """Limit the norm of all gradients together; the direction stays.

    Args:
        grads: list of float32 tensors of any shapes.
        max_norm: the largest norm allowed, a positive float.

    Returns:
        (clipped, norm): a new list of tensors, shapes and dtype as given, and the norm before
        clipping as a float. Norms up to max_norm change nothing. If the norm is inf or nan,
        all of `clipped` is zero.
    """
    ### BEGIN SOLUTION
    norm = sum(float((grad.double() ** 2).sum()) for grad in grads) ** 0.5
    if not np.isfinite(norm):
        return [torch.zeros_like(grad) for grad in grads], norm
    factor = max_norm / norm if norm > max_norm else 1.0
    return [grad * factor for grad in grads], norm
    ### END SOLUTION


# %% check="clip_by_global_norm"
check(clip_by_global_norm)

# %% [markdown] lang="en"
# ### What clipping can do, and what it cannot
#
# Two patients, 25 steps each. The first explodes: ReLU in place of tanh (no brake), radius 2.25; it only has to repeat its *last* input. The second vanishes: tanh, radius 0.5; it has to name its *first* input. Each is trained with and without clipping at norm 1. Which of the four learn?

# %% [markdown] lang="zh"
# ### 裁剪能做什么，不能做什么
#
# 两个病人，都是 25 步。第一个会爆炸：用 ReLU 代替 tanh（没有刹车），谱半径 2.25，任务只是复述**最后**一个输入。第二个会消失：tanh，谱半径 0.5，要说出**第一个**输入。各训练两次：不裁剪，和按范数 1 裁剪。四次里哪几次学得会？


# %%
def patient_rnn(act, radius, seed):
    """A small RNN of the given spectral radius and its read-out."""
    torch.manual_seed(seed)
    rnn, out = nn.RNN(1, 32, nonlinearity=act, bias=False), nn.Linear(32, 1)
    rnn.weight_hh_l0.data = with_radius(radius).float()
    return rnn, out


# %%
def train_patient(model, target, clip, steps=100):
    """Losses of an RNN that must repeat input number `target`; guessing 0 has loss 1."""
    rnn, out = model
    weights, losses = [*rnn.parameters(), *out.parameters()], []
    optimizer = torch.optim.SGD(weights, lr=0.02, momentum=0.9)
    while len(losses) < steps and np.isfinite(losses[-1:]).all():
        x = torch.randn(25, 32, 1)
        loss = ((out(rnn(x)[0][-1]) - x[target]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, clip)
        optimizer.step()
        losses.append(loss.item())
    return losses


# %%
patients = {"exploding (ReLU)": (-1, "relu", 2.25), "vanishing (tanh)": (0, "tanh", 0.5)}
figure, axes = plt.subplots(1, 2, figsize=(7.5, 3), sharey=True)
for ax, (name, (target, *start)) in zip(axes, patients.items(), strict=True):
    for seed in (1, 2, 3):
        free, held = (train_patient(patient_rnn(*start, seed), target, c) for c in (np.inf, 1.0))
        print(f"{name}, seed {seed}: not clipped, {len(free)} steps, last loss {free[-1]:.1e}")
        died = len(free) < 100
        ax.semilogy(free[:-1] if died else free, "C1x" if died else "C1", lw=3, ms=9, alpha=0.6)
        ax.semilogy(held, "C0", lw=1)
    ax.axhline(1, color="0.4", ls="--", lw=1)
    ax.set(title=name, xlabel="training step")
axes[0].set_ylabel("loss")
axes[1].legend(axes[1].lines[:2], ["not clipped", "clipped"])
show()

# %% [markdown] lang="en"
# Left: without clipping the second loss is already infinite or not a number, on every seed (the crosses are all that is left of these runs). Clipped, all three come down, and learn the task. Right: clipping changes **nothing**, the curves lie on each other, and the loss stays where guessing is.
#
# (Why a radius of 2.25 and not 1.5? ReLU silences about half of the units at each step, which is a brake as well.)
#
# The reason is simple. Clipping makes large norms smaller. A vanished gradient is a part that is too small *beside other parts*, and scaling all of them keeps the ratio:

# %% [markdown] lang="zh"
# 左图：不裁剪，第二个损失就已经是无穷大或非数，每个种子都如此（只剩下那几个叉）。裁剪之后，三条都降了下来，学会了任务。右图：裁剪**毫无**作用，曲线重叠在一起，损失停在瞎猜的水平。
#
# （谱半径为什么取 2.25 而不是 1.5？ReLU 每一步让大约一半的单元闭嘴，这也是刹车。）
#
# 道理很简单。裁剪是把大的范数变小。梯度消失，则是某一部分**与其他部分相比**太小；整体缩放，比例不变：

# %%
gradient = input_gradients(*doubles)  # scale 0.5, float64
for name, factor in (("as it is", 1.0), ("clipped to norm 1", 1 / max(gradient.norm().item(), 1))):
    first, last = (factor * gradient[t].norm().item() for t in (0, -1))
    print(f"{name:18} first {first:.1e}  last {last:.1e}  ratio {first / last:.1e}")

# %% [markdown] lang="en"
# > **Misconception.** "My gradients vanish, so I need clipping, or a larger learning rate." Both scale everything. The first input's share of the signal stays 24 orders of magnitude too small. What is needed is another *path* for the gradient, and that is the next lesson.

# %% [markdown] lang="zh"
# > **常见误解。** “梯度消失了，所以要裁剪，或者加大学习率。”两者都是整体缩放。第一个输入在信号中所占的份额，照样小 24 个数量级。需要的是让梯度走另一条**路**，那是下一课的内容。

# %% quiz="cures"
quiz("cures")

# %% [markdown] lang="en"
# ## Summary
#
# - An RNN rewrites a note, $h_t = \tanh(W_h h_{t-1} + W_x x_t + b)$, with the same weights at each step: any length, a fixed number of parameters.
# - As a character model it beats the simple ways of counting; together with a table for fixed phrases it beats them all, on text it has not read.
# - Unrolled, it is as deep as the text, and the gradient of $W_h$ is a sum over all steps, in which the recent ones drown out the rest.
# - One factor per step: gradients fade, or explode. With tanh they fade up to a radius of about 2.
# - The printed 0.0 was an underflow of the norm. The gradient was 4e-24, which helps nobody either.
# - The same matrix again and again compounds one error of scale; an orthogonal start helps some.
# - Clipping mends explosion. It cannot mend vanishing.
#
# > **Checkpoint.** Can you explain to a friend why scaling up a vanished gradient is no cure? Then go on.

# %% [markdown] lang="zh"
# ## 小结
#
# - RNN 反复重写一张便条，$h_t = \tanh(W_h h_{t-1} + W_x x_t + b)$，每一步用同一组权重：长度不限，参数个数固定。
# - 作为字符模型，它胜过简单的计数法；配上一张记固定说法的表，在没读过的文本上胜过全部计数法。
# - 展开之后，文本多长它就多深；$W_h$ 的梯度是各步之和，近处的声音盖过了远处的。
# - 每一步乘一个因子：梯度不是消失，就是爆炸。有 tanh 时，谱半径在 2 附近以下都消失。
# - 印出来的 0.0 是范数下溢。真正的梯度是 4e-24，不过这同样没有用。
# - 同一个矩阵反复相乘，会累积同一处尺度误差；正交的初始有一些帮助。
# - 裁剪治得了爆炸，治不了消失。
#
# > **自查。** 你能向朋友讲清楚，为什么把消失的梯度放大也不管用吗？能，就往下学。

# %% [markdown] lang="en"
# **Open questions.** How much of the trouble is vanishing, and how much is that the loss surface is rough? Newer work trains *linear* recurrences with carefully placed eigenvalues over thousands of steps (Orvieto and others, 2023), so the last word on RNNs is not spoken.
#
# ## Further reading
#
# - Elman (1990), *Finding structure in time*: the network of this lesson.
# - Werbos (1990), *Backpropagation through time: what it does and how to do it*.
# - Bengio, Simard and Frasconi (1994), *Learning long-term dependencies with gradient descent is difficult*; Hochreiter's diploma thesis (1991) had it first.
# - Mikolov, Karafiát, Burget, Černocký and Khudanpur (2010), *Recurrent neural network based language model*; Mikolov, Deoras, Povey, Burget and Černocký (2011), *Strategies for training large scale neural network language models*: RNN and table together.
# - Pascanu, Mikolov and Bengio (2013), *On the difficulty of training recurrent neural networks*: radius and clipping.
# - Saxe, McClelland and Ganguli (2014), *Exact solutions to the nonlinear dynamics of learning in deep linear neural networks*: orthogonal starts.
# - Orvieto, Smith, Gu, Fernando, Gulcehre, Pascanu and De (2023), *Resurrecting recurrent neural networks for long sequences*.
#
# Next: [4. LSTM](04_lstm.ipynb), which gives the gradient a road of its own.

# %% [markdown] lang="zh"
# **尚无定论的问题。** 困难有多少出在梯度消失，又有多少出在损失曲面崎岖？较新的工作用精心安放特征值的**线性**循环，训练上千步也不成问题（Orvieto 等，2023）。关于 RNN，话还没有说完。
#
# ## 延伸阅读
#
# - Elman（1990），*Finding structure in time*：本课的网络。
# - Werbos（1990），*Backpropagation through time: what it does and how to do it*。
# - Bengio、Simard 与 Frasconi（1994），*Learning long-term dependencies with gradient descent is difficult*；Hochreiter 的毕业论文（1991）最早指出。
# - Mikolov、Karafiát、Burget、Černocký 与 Khudanpur（2010），*Recurrent neural network based language model*；Mikolov、Deoras、Povey、Burget 与 Černocký（2011），*Strategies for training large scale neural network language models*：RNN 加上表格。
# - Pascanu、Mikolov 与 Bengio（2013），*On the difficulty of training recurrent neural networks*：谱半径与裁剪。
# - Saxe、McClelland 与 Ganguli（2014），*Exact solutions to the nonlinear dynamics of learning in deep linear neural networks*：正交初始。
# - Orvieto、Smith、Gu、Fernando、Gulcehre、Pascanu 与 De（2023），*Resurrecting recurrent neural networks for long sequences*。
#
# 下一课：[4. LSTM](04_lstm.ipynb)，它给梯度单独修了一条路。
