# %% [markdown] lang="en"
# # 1. Language models: counting what comes next
#
# "Dog bites man" is no news. "Man bites dog" is. The same three words, in another order, and every editor feels the difference. We shall turn that feeling into a number: how surprised a reader is by the next word.
#
# A program that produces this number is a **language model**. The one of this lesson is nothing but a table of counts. It will score sentences, write some of its own, cheat at its first test, and run into a wall. The rest of the course is the story of how people got over that wall.

# %% [markdown] lang="zh"
# # 1. 语言模型：数一数接下来是什么
#
# “狗咬人”不是新闻，“人咬狗”才是。同样的三个词，换了次序，哪个编辑都看得出差别。我们要把这种感觉变成一个数：读到下一个词时，读者有多意外。
#
# 能给出这个数的程序，就叫**语言模型**。本课的模型只是一张计数表。它会给句子打分，会自己写句子，会在第一次考试中作弊，最后还会撞上一堵墙。整门课讲的，就是人们怎样翻过这堵墙。

# %% [markdown] lang="en"
# > **Goals.** Say what a language model is and what it is for. Build one by counting. Measure it with perplexity, and know when that number lies. See why longer memory makes a counting model worse.
# >
# > **Time.** About 50 minutes to read and solve. All cells together run in about 5 seconds.
# >
# > **How.** Where we ask you to guess, guess before you run. Being wrong there is how the lesson works.

# %% [markdown] lang="zh"
# > **目标。** 说得出语言模型是什么、有什么用；用计数造出一个；用困惑度衡量它，并知道这个数何时会骗人；明白为什么记得越长，计数模型反而越差。
# >
# > **时间。** 阅读和做题约 50 分钟。全部代码一共运行约 5 秒。
# >
# > **方法。** 凡是请你猜的地方，先猜，再运行。猜错了才学得到东西，这一课就是这样设计的。

# %%
import re
from collections import Counter
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from course_utils import language_models as lm
from course_utils import open_lesson
from course_utils.corpora import texts
from course_utils.plots import heatmap, show

quiz, check = open_lesson("01_language_models")

# %% [markdown] lang="en"
# ## Same words, other meaning
#
# A photo is a grid of fixed size. A sentence may have any length, and its meaning sits in the order of its words. So let us ask first: how much is lost if we only note *which* words occur, as a bag of words does?

# %% [markdown] lang="zh"
# ## 同样的词，不同的意思
#
# 图像是一张大小固定的网格。句子却可长可短，而且意思就藏在词的次序里。那么先问一句：如果只记下出现了**哪些**词（这叫“词袋”），会丢掉多少东西？

# %%
for one, other in [("dog bites man", "man bites dog"), ("狗 咬 人", "人 咬 狗")]:
    bags = Counter(one.split()), Counter(other.split())
    print(bags[0], "equal" if bags[0] == bags[1] else "different", bags[1])
print("words in each of five sentences:", [len(s.split()) for s in texts.TOY_SENTENCES])

# %% [markdown] lang="en"
# To a bag of words, the news and the non-news are one and the same. We need something that sees order. The smallest such thing looks at **pairs of neighbours**: which word follows which, and how often.
#
# Here is a newspaper of eight headlines; `<s>` and `</s>` mark where a line starts and ends. Before you run: it never printed "man bites dog". Can a model that learned from it give this headline a probability above zero?

# %% [markdown] lang="zh"
# 在词袋眼里，新闻和不算新闻的事完全一样。我们需要看得见次序的办法。最小的办法是看**相邻的一对**：哪个词跟在哪个词后面，跟了几次。
#
# 下面是一份只有八条标题的报纸，`<s>` 和 `</s>` 标出一行的开头和结尾。运行前想一想：报上从没登过“人咬狗”（man bites dog）。从它学来的模型，能给这条标题一个大于零的概率吗？

# %%
news = ["dog bites man", "dog bites man", "dog bites postman", "dog chases cat"]
news += ["cat bites dog", "man walks dog", "man feeds cat", "man bites apple"]

follows, starts = Counter(), Counter()
for headline in news:
    line = ["<s>", *headline.split(), "</s>"]
    follows.update(pairwise(line))
    starts.update(line[:-1])

for headline in ["dog bites man", "man bites dog"]:
    line = ["<s>", *headline.split(), "</s>"]
    steps = [follows[a, b] / starts[a] for a, b in pairwise(line)]
    print(f"{headline}:", " x ".join(f"{p:.2f}" for p in steps), f"= {np.prod(steps):.3f}")

# %% [markdown] lang="en"
# It can: eight times less than the other, but not zero, because every *pair* in it was printed somewhere. The bags were equal, the probabilities are not. Order has become visible.
#
# > **Two questions drive this course.** How do words become numbers? (Lesson 2.) And how does what came before shape what follows? (This lesson, and all the others.)

# %% [markdown] lang="zh"
# 能。它只有前一条的八分之一，但不是零，因为其中的每一**对**词都在别处登过。词袋相等，概率却不等：次序看得见了。
#
# > **两个问题贯穿全课。** 词怎样变成数？（第 2 课。）前面的内容怎样影响后面的内容？（本课，以及其余各课。）

# %% [markdown] lang="en"
# ## What a language model is
#
# A language model gives the probability of the next token when all tokens before it are known: $P(x_t \mid x_{<t})$. A token may be a word, a character, or a piece of a word.
#
# From that one ability follow two uses. It **scores**: multiply the probabilities along a sentence, and you know which of two sentences is likelier. It **generates**: draw the next token, append it, draw again.
#
# The multiplication is the chain rule, and it is exact:
#
# $$P(x_1, \dots, x_T) = \prod_{t=1}^{T} P(x_t \mid x_{<t})$$

# %% [markdown] lang="zh"
# ## 什么是语言模型
#
# 语言模型给出：已知前面所有的词元，下一个词元的概率是多少，即 $P(x_t \mid x_{<t})$。词元（token）可以是词、字符，也可以是词的一部分。
#
# 有了这一项本领，就有两种用法。**打分**：把一句话里的概率逐个相乘，就知道两句话哪句更可能。**生成**：抽出下一个词元，接上去，再抽下一个。
#
# 逐个相乘用的是链式法则，它是精确的：
#
# $$P(x_1, \dots, x_T) = \prod_{t=1}^{T} P(x_t \mid x_{<t})$$


# %%
def printed(words):
    """How many of the headlines begin with these words."""
    return sum(headline.split()[: len(words)] == words for headline in news)


for headline in ["dog bites man", "man bites dog"]:
    line = headline.split()
    steps = [printed(line[: t + 1]) / printed(line[:t]) for t in range(len(line))]
    print(f"{headline}: product {np.prod(steps):.3f}, share of the paper {printed(line) / 8:.3f}")

# %% [markdown] lang="en"
# With the *whole* history in the condition, the product is just the share of the paper. So it is exact, and useless: whatever was never printed gets zero, for a new sentence has no history.
#
# The way out is to forget. If only the last token counts, histories repeat and can be counted: $P(x_t \mid x_{<t}) \approx P(x_t \mid x_{t-1})$. This is the **bigram** model you saw above. With the last $n-1$ tokens it is an **n-gram** model.

# %% [markdown] lang="zh"
# 把**全部**历史都放进条件里，乘积就是这条标题在报纸中所占的比例。精确，却没有用：没登过的一律得零，因为新句子没有历史。
#
# 出路是遗忘。只看前一个词元，历史就会重复，就数得出来：$P(x_t \mid x_{<t}) \approx P(x_t \mid x_{t-1})$。这就是上面用过的**二元模型**（bigram）。若看前 $n-1$ 个词元，就叫 **n 元模型**（n-gram）。

# %% [markdown] lang="en"
# ## Counting pairs
#
# From words to characters: a small alphabet lets us see the whole model at once. Our text is five short sentences, repeated 20 times. The first 90 % trains the model, the rest tests it. (Does that sound fair? Keep the question in mind.)

# %% [markdown] lang="zh"
# ## 数相邻的字符对
#
# 从词换到字符：字母表小，整个模型一眼就能看全。文本是五个短句，重复 20 遍。前 90 % 用来训练，其余用来测试。（这样公平吗？先把这个疑问记着。）

# %%
text = texts.toy_text()
vocab = texts.vocabulary(text)
V = len(vocab)
train, test = texts.split(text, share=0.9)

print("\n".join(texts.TOY_SENTENCES))
print(f"{len(train)} characters to train on, {len(test)} to test on")
print(f"V = {V}:", vocab)

# %% [markdown] lang="en"
# Fifteen characters make 225 possible pairs. Guess first: how many of them occur at all? And which row of the table has only a single entry?

# %% [markdown] lang="zh"
# 十五个字符，可能的字符对有 225 种。先猜：实际出现的有多少种？表里哪几行只有一个非零的格子？

# %%
pairs = Counter(pairwise(train))
table = np.array([[pairs[a, b] for b in vocab] for a in vocab])

heatmap(table, vocab, vocab, xlabel="next character", ylabel="this character", bar="count")
show()
print(f"{(table > 0).sum()} of {table.size} cells are filled")

# %% [markdown] lang="en"
# Read it row by row. After `h` comes `e`, always. After a full stop comes a blank. After a blank almost anything may come: that row is where the model will hesitate. And most of the table is white, which means "never seen". Remember the white.

# %% [markdown] lang="zh"
# 一行一行地读。`h` 后面总是 `e`，句号后面总是空格。空格后面却几乎什么都可能来：模型会在这一行犹豫。表的大部分是白的，意思是“从没见过”。记住这片白色。

# %% [markdown] lang="en"
# ### Exercise: `bigram_counts`
#
# Now without strings. A text is an array of integers `ids` between 0 and `vocab_size - 1`. Return the table of pair counts: row = this token, column = the next one.
#
# <details><summary>Hint</summary>
#
# A loop over neighbours is fine. If you prefer NumPy without a loop: `counts[rows, columns] += 1` adds only once where a pair repeats. `np.add.at` adds every time.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`bigram_counts`
#
# 这一次不用字符串。文本是整数数组 `ids`，取值从 0 到 `vocab_size - 1`。请返回字符对的计数表：行是当前词元，列是下一个词元。
#
# <details><summary>提示</summary>
#
# 对相邻位置写一个循环就行。若想用 NumPy 免去循环，要小心：`counts[rows, columns] += 1` 遇到重复的对只加一次，`np.add.at` 才每次都加。
#
# </details>


# %% exercise="bigram_counts"
def bigram_counts(ids, vocab_size):
    """Count how often each token follows each other token.

    Args:
        ids: (T,) array of integers, 0 <= id < vocab_size; T may be 1.
        vocab_size: V, the number of different tokens.

    Returns:
        (V, V) array of integers: entry [a, b] says how often b came right after a.
    """
    ### BEGIN SOLUTION
    counts = np.zeros((vocab_size, vocab_size), dtype=int)
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    return counts
    ### END SOLUTION


# %% check="bigram_counts"
check(bigram_counts)

# %% [markdown] lang="en"
# ## From counts to probabilities
#
# Divide each row by its sum, and the counts become probabilities. But a white cell then says: probability zero, impossible, forever. One text is hardly enough to be that sure.
#
# So we pretend to have seen every pair $k$ times more than we did. With $k=1$ this is **add-one** smoothing, about 200 years old (Laplace). With $C(a,b)$ the count of $b$ after $a$:
#
# $$P(b \mid a) = \frac{C(a,b) + k}{\sum_{b'} C(a,b') + kV}$$

# %% [markdown] lang="zh"
# ## 从计数到概率
#
# 每一行除以该行的和，计数就变成概率。可是这样一来，白格子的意思就成了：概率为零，永远不可能。只读过一篇文本，哪敢说得这么绝？
#
# 于是我们假装每一对都多见了 $k$ 次。$k=1$ 时叫**加一平滑**，拉普拉斯用过，距今约 200 年。记 $C(a,b)$ 为 $b$ 跟在 $a$ 后面的次数：
#
# $$P(b \mid a) = \frac{C(a,b) + k}{\sum_{b'} C(a,b') + kV}$$

# %% [markdown] lang="en"
# ### Exercise: `smoothed_probs`
#
# Turn a table of counts into a table of probabilities, with `k` added to every cell. One case needs care: a token that was never followed by anything, with `k = 0`. Its row shall stay zero, without a warning. We do not invent what we know nothing about.
#
# <details><summary>Hint</summary>
#
# The row sums must have shape (V, 1) to line up with the rows: `keepdims=True`. Zero divided by zero warns, so divide only where the row sum is above zero.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`smoothed_probs`
#
# 把计数表变成概率表，每个格子先加 `k`。有一种情况要当心：某个词元后面从没出现过任何词元，而 `k = 0`。这一行应当保持为零，也不要产生警告。一无所知的事，我们不去编造。
#
# <details><summary>提示</summary>
#
# 行和的形状要是 (V, 1)，才能对到行上：`keepdims=True`。零除以零会发出警告，所以只在行和大于零的地方除。
#
# </details>


# %% exercise="smoothed_probs"
def smoothed_probs(counts, k):
    """Turn pair counts into P(next | this), with k added to every count.

    Args:
        counts: (V, V) array of integers; row = this token, column = the next one.
        k: a number >= 0.

    Returns:
        (V, V) array of floats. Each row sums to 1; a row without any counts stays 0 if k is 0.
    """
    ### BEGIN SOLUTION
    raised = counts + k
    totals = raised.sum(axis=1, keepdims=True)
    return np.divide(raised, totals, out=np.zeros(raised.shape), where=totals > 0)
    ### END SOLUTION


# %% check="smoothed_probs"
check(smoothed_probs)

# %% [markdown] lang="en"
# Here is our own version, written the slow and readable way: two dictionaries of counts and one line of arithmetic. This is the whole model.

# %% [markdown] lang="zh"
# 下面是我们自己的版本，写得慢一些，但好读：两本计数的字典，加一行算式。整个模型就这么多。


# %%
class Bigram:
    """Counts of neighbouring characters, plus k, turned into probabilities."""

    def __init__(self, text, k):
        self.pairs = Counter(pairwise(text))
        self.starts = Counter(text[:-1])
        self.k = k

    def prob(self, this, following):
        return (self.pairs[this, following] + self.k) / (self.starts[this] + self.k * V)


plain, add_one = Bigram(train, k=0), Bigram(train, k=1)
print("P(e | h):", plain.prob("h", "e"), "->", round(add_one.prob("h", "e"), 3))
print("P(w | o):", plain.prob("o", "w"), "->", round(add_one.prob("o", "w"), 3))

# %% [markdown] lang="en"
# ### Is it a probability?
#
# If our arithmetic is right, the probabilities of *all* strings of one length must sum to 1. We can simply add them up: an array with one axis per character holds every string of that length. At length 5 these are 759,375 strings, most of them rubbish.

# %% [markdown] lang="zh"
# ### 它真是概率吗？
#
# 如果算式没错，同一长度的**所有**字符串，概率之和必须是 1。我们干脆全加起来：数组的每一条轴对应一个字符，就装下了这一长度的全部字符串。长度为 5 时有 759,375 个字符串，绝大多数是胡话。

# %%
step = np.array([[add_one.prob(a, b) for b in vocab] for a in vocab])  # (V, V)
joint = np.full(V, 1 / V)  # the first character: any, equally likely
for length in range(1, 6):
    print(f"length {length}: {joint.size:7,} strings, sum {joint.sum():.12f}")
    joint = joint[..., None] * step  # one more axis: (V, ..., V) -> (V, ..., V, V)

# %% [markdown] lang="en"
# Every length has its own sum of 1. To compare sentences of different lengths fairly, a model must also say where a sentence *ends*: that was the job of `</s>` in the headlines.

# %% [markdown] lang="zh"
# 每一种长度各自的和都是 1。若要公平地比较长短不同的句子，模型还得说出句子在哪里**结束**：标题里的 `</s>` 就是干这个的。

# %% [markdown] lang="en"
# ### Let it write
#
# Start with `t`, draw the next character from its row, and go on 40 times. What do you expect: words, near-words, or letter soup?

# %% [markdown] lang="zh"
# ### 让它写
#
# 从 `t` 开始，按它那一行的概率抽出下一个字符，连抽 40 次。你料想会看到什么：单词，像单词的东西，还是一锅字母？

# %%
rng = np.random.default_rng(0)
written = "t"
for _ in range(40):
    row = [add_one.prob(written[-1], b) for b in vocab]
    written += vocab[rng.choice(V, p=row)]
print(repr(written))

# %% [markdown] lang="en"
# Locally it looks like English: `the`, `at`, `sat`. As a whole it is nonsense. A model that remembers one character cannot know which word it is in, let alone which sentence.

# %% [markdown] lang="zh"
# 局部看，像英语：`the`、`at`、`sat`。整体看，不知所云。只记得一个字符的模型，连自己正写到哪个词都不知道，更不用说哪句话了。

# %%
never = [a + b for a, b in pairwise(written) if pairs[a, b] == 0]
print("pairs that the text never contained:", never)

# %% [markdown] lang="en"
# > **A closer look.** It is often said of such samples that every neighbouring pair is plausible. Not quite: two pairs here were never seen. They come from the $k$ we added to each white cell. Smoothing is not free: it pays for the unseen with a little nonsense.

# %% [markdown] lang="zh"
# > **细看一步。** 常有人说，这样抽出来的文本，每一对相邻字符都合理。不尽然：这里有两对从没出现过。它们来自我们给每个白格子加的 $k$。平滑不是白送的：要照顾没见过的，就得付出一点胡话作代价。

# %% [markdown] lang="en"
# ## How good is it? Perplexity
#
# A good model is not surprised by real text. So let it read the test text and note the probability it gave to each character that truly came. The mean of $-\ln P$ is the **negative log-likelihood** (NLL), also called cross-entropy, in nats:
#
# $$\text{NLL} = -\frac{1}{T} \sum_{t=1}^{T} \ln P(x_t \mid x_{t-1}) \qquad \text{perplexity} = e^{\text{NLL}}$$

# %% [markdown] lang="zh"
# ## 它有多好？困惑度
#
# 好的模型读到真实的文本不会吃惊。那就让它读测试文本，记下它给每个真正出现的字符多大的概率。$-\ln P$ 的平均值叫**负对数似然**（NLL），也叫交叉熵，单位是奈特（nat）：
#
# $$\text{NLL} = -\frac{1}{T} \sum_{t=1}^{T} \ln P(x_t \mid x_{t-1}) \qquad \text{perplexity} = e^{\text{NLL}}$$

# %% [markdown] lang="en"
# Why the exponential? It turns nats back into something we can picture: a number of choices. A model that knows nothing spreads its bets evenly, $1/V$ each, and has perplexity exactly $V$. One that is always sure and right has perplexity 1.
#
# > **Perplexity** is the number of equally likely candidates among which the model hesitates at each step.

# %% [markdown] lang="zh"
# 为什么要取指数？它把奈特变回想象得出的东西：几个选择。什么都不懂的模型平均下注，每个字符 $1/V$，困惑度恰好是 $V$。永远有把握而且永远对的模型，困惑度是 1。
#
# > **困惑度**就是模型每一步在多少个同样可能的候选之间犹豫。

# %% quiz="perplexity"
quiz("perplexity")

# %% [markdown] lang="en"
# The mean is taken over logarithms. So perplexity is the *geometric* mean of $1/P$, not the arithmetic one, and not the harmonic one, though books have called it both. Take a pencil, or a new cell, for this one:

# %% [markdown] lang="zh"
# 求平均的是对数。所以困惑度是 $1/P$ 的**几何**平均，不是算术平均，也不是调和平均，尽管有的书这样写过。下面这题请动笔，或者新开一格来算：

# %% quiz="geometric"
quiz("geometric")

# %% [markdown] lang="en"
# ### Exercise: `perplexity`
#
# Write it for a table `probs` and a text `ids`. If the text contains a pair of probability zero, the answer is infinity: the model has called the truth impossible. It must never be `nan`.
#
# <details><summary>Hint</summary>
#
# A text of T tokens has T - 1 pairs. `np.log(0)` gives minus infinity and a warning; `with np.errstate(divide="ignore"):` keeps it quiet.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`perplexity`
#
# 给定概率表 `probs` 和文本 `ids`，算出困惑度。如果文本里有一对的概率是零，答案就是无穷大：模型把真事说成了不可能。无论如何不能得到 `nan`。
#
# <details><summary>提示</summary>
#
# T 个词元的文本有 T - 1 对。`np.log(0)` 得负无穷，并发出警告；写上 `with np.errstate(divide="ignore"):` 就安静了。
#
# </details>


# %% exercise="perplexity"
def perplexity(probs, ids):
    """How many equally likely choices the model hesitates between while reading a text.

    Args:
        probs: (V, V) array of floats, P(next | this), row = this token.
        ids: (T,) array of integers, T >= 2; the first token is given, the others are scored.

    Returns:
        exp of the mean of -ln P over the T - 1 pairs, a float; inf if some pair has P = 0.
    """
    ### BEGIN SOLUTION
    with np.errstate(divide="ignore"):
        surprise = -np.log(probs[ids[:-1], ids[1:]])
    return float(np.exp(surprise.mean()))
    ### END SOLUTION


# %% check="perplexity"
check(perplexity)

# %% [markdown] lang="en"
# Now our model reads the test text. Uniform guessing has perplexity 15. Knowing only how frequent each character is, say 11. What will the pairs bring it down to? And which of the two, $k=0$ or $k=1$, will do better?

# %% [markdown] lang="zh"
# 现在让模型读测试文本。均匀乱猜的困惑度是 15。只知道每个字符有多常见，大约 11。知道了相邻的对，能降到多少？$k=0$ 和 $k=1$，哪个更好？


# %%
def nll(model, text):
    """Mean of -ln P over the neighbouring pairs of a text, in nats."""
    probs = [model.prob(a, b) for a, b in pairwise(text)]
    with np.errstate(divide="ignore"):
        return -np.log(probs).mean()


for model in (plain, add_one):
    print(f"k={model.k}: NLL {nll(model, test):.3f}, perplexity {np.exp(nll(model, test)):.2f}")

# %%
single = Counter(train)
frequencies = np.exp(-np.mean([np.log(single[c] / len(train)) for c in test]))
heights = [frequencies, np.exp(nll(plain, test)), np.exp(nll(add_one, test))]
names = ["character frequencies", "bigram, k = 0", "bigram, k = 1"]

plt.figure(figsize=(6, 2.8))
bars = plt.barh(names[::-1], heights[::-1], height=0.6, color=["C0", "C0", "C6"])
plt.bar_label(bars, fmt="%.2f", padding=3)
plt.axvline(V, color="C1", ls="--", label=f"uniform guess: {V}")
plt.xlabel("perplexity on the test text")
plt.legend(loc="center right", bbox_to_anchor=(0.97, 0.45))
show()

# %% [markdown] lang="en"
# From 15 choices to fewer than 3, by looking one character back. And $k=0$ is the better one here: the test text holds no new pair, so the probability set aside for new pairs is wasted.
#
# Where does the rest of the hesitation live? The same table tells, row by row.

# %% [markdown] lang="zh"
# 只回头看一个字符，15 个选择就变成不到 3 个。这里 $k=0$ 更好：测试文本里没有新的对，为新的对留出的概率就白费了。
#
# 剩下的犹豫在哪里？同一张表，一行一行看就知道。

# %%
rows = table / table.sum(axis=1, keepdims=True)
safe = np.where(rows > 0, rows, 1)  # ln 1 = 0: what never comes adds nothing
choices = np.exp(-(rows * np.log(safe)).sum(axis=1))

order = np.argsort(-choices)
plt.figure(figsize=(6, 2.8))
plt.bar(["␣" if vocab[i] == " " else vocab[i] for i in order], choices[order])
plt.title("How many next characters it hesitates between")
plt.xlabel("this character")
plt.ylabel("choices")
show()

# %% [markdown] lang="en"
# The blank is the hard place: a new word begins, and one character of memory says nothing about which. Inside words the path is narrow. People are like that too: the start of a word costs more thought than its end.

# %% [markdown] lang="zh"
# 最难的是空格之后：新词要开始了，而一个字符的记忆说不出会是哪个词。到了词的内部，路就窄了。人也一样：词的开头比结尾更费思量。

# %% [markdown] lang="en"
# ### Compare only what was cut the same way
#
# Let the same model read the same text, once cut into characters and once into words (each with the blank after it, so that nothing is lost). Will the perplexities be alike?

# %% [markdown] lang="zh"
# ### 切法相同，才能比较
#
# 同一种模型读同一篇文本，一次切成字符，一次切成词（词后的空格算在词里，一个字符也不丢）。两个困惑度会差不多吗？

# %%
for name, pattern in [("characters", "."), ("words", "[a-z]+ ?|[.] ?")]:
    tokens = re.findall(pattern, text)
    kinds = sorted(set(tokens))
    ids = lm.encode(tokens, kinds)
    cut = len(re.findall(pattern, train))
    probs = lm.add_k_probs(ids[:cut], ids[cut - 1 :], 2, len(kinds))  # all of the test text
    bits = -np.log2(probs).sum() / len(test)
    print(f"{name:10}  V = {len(kinds):2}  perplexity {lm.perplexity_of(probs):.2f}", end="  ")
    print(f"predictions {len(probs):3}  bits per character {bits:.2f}")

# %% [markdown] lang="en"
# Two perplexities that look like close rivals. But the word model has to guess only once where the other guesses three or four times. Who knows the text better? Only the total surprise tells, so we divide it by something both share: **bits per character**. There the rivals are a factor of four apart.
#
# > **Misconception.** "Model A has perplexity 20, model B 30, so A is better." Only if both use the same vocabulary and cut the text into the same tokens.

# %% [markdown] lang="zh"
# 两个困惑度看上去难分高下。可是别人要猜三四次的地方，词模型只猜一次。谁更熟悉这篇文本？要看意外的总账。所以把总量除以两者共有的东西，得到**每字符比特数**。这么一比，相差四倍。
#
# > **常见误解。** “模型 A 的困惑度是 20，模型 B 是 30，所以 A 更好。”只有两者词表相同、切分也相同，这话才成立。

# %% [markdown] lang="en"
# ## Zero is a hard no
#
# On the test text $k=0$ won. Now give both models a sentence any child would accept: "the cow sat." The text has cats and dogs, but no cow. What will the two say?

# %% [markdown] lang="zh"
# ## 零就是一口回绝
#
# 在测试文本上 $k=0$ 赢了。现在给两个模型一句小孩子都懂的话：`the cow sat.`（牛坐下了）。文本里有猫有狗，就是没有牛。两个模型会怎么说？

# %%
for model in (plain, add_one):
    print(f"k={model.k}: NLL of 'the cow sat.' {nll(model, 'the cow sat.'):.3f}")
print("never seen:", [a + b for a, b in pairwise("the cow sat.") if not pairs[a, b]])

# %%
figure, axes = plt.subplots(2, 1, figsize=(6, 3.6), sharey=True)
for sentence, ax in zip(["the cat sat.", "the cow sat."], axes, strict=True):
    surprise = [-np.log2(add_one.prob(a, b)) for a, b in pairwise(sentence)]
    new = [pairs[a, b] == 0 for a, b in pairwise(sentence)]
    ax.bar(range(1, len(sentence)), surprise, color=["C1" if n else "C0" for n in new])
    ax.set_xticks(range(len(sentence)), list(sentence.replace(" ", "␣")))
    ax.set_xlim(-0.5)
    ax.grid(axis="x", visible=False)
axes[0].set_title("Surprise at each character, k = 1")
figure.supylabel("surprise (bits)", fontsize=10)
show()

# %% [markdown] lang="en"
# One zero and the product is zero, the NLL infinite: the plain model calls a fine sentence impossible. With $k=1$ the two new pairs (in orange) are expensive, but payable, and the rest reads as usual.
#
# The price: on ordinary text 2.64 became 2.85. An insurance premium, paid in every step against the rare disaster. And the orange bars are a **hack**: why should `o` be as ready for a `w` as for a full stop?

# %% [markdown] lang="zh"
# 一个零，乘积就是零，NLL 就是无穷大：朴素的模型把一句好好的话判为不可能。$k=1$ 时，两个新的对（橙色）很贵，但付得起，其余照常。
#
# 代价是：普通文本上的 2.64 变成了 2.85。这好比保险费，每一步都交一点，防的是罕见的灾难。而橙色的柱子是个**权宜之计**：凭什么 `o` 后面来一个 `w`，和来一个句号一样容易？

# %% [markdown] lang="en"
# ## A closer look: was that a fair test?
#
# We trained on 18 copies of five sentences, and tested on two more copies of the same five. Let us see where that leads, with longer and longer memory. Guess the perplexity for $n=10$.

# %% [markdown] lang="zh"
# ## 细看一步：这次考试公平吗？
#
# 我们拿五个句子的 18 份副本训练，再拿同样五句的另外两份测试。看看这会导致什么：让记忆越来越长。猜一猜 $n=10$ 时的困惑度。

# %%
train_ids, test_ids = lm.encode(train, vocab), lm.encode(test, vocab)
for n in (1, 2, 3, 4, 6, 10):
    probs = lm.add_k_probs(train_ids, test_ids, n, V, k=0)
    print(f"n = {n:2}: perplexity {lm.perplexity_of(probs):.2f}")

# %% [markdown] lang="en"
# At $n=10$ almost no doubt is left: 1.06. That is not understanding, that is memory. The test text *is* the training text. Our proud 2.64 was a memory test as well; a short memory only hid it.
#
# A fairer exam: leave one of the five sentences out, train on the other four, read the one that is new, and do so for each.

# %% [markdown] lang="zh"
# 到 $n=10$，几乎没有犹豫了：1.06。这不是理解，是背诵。测试文本**就是**训练文本。我们引以为荣的 2.64 其实也是在考背诵，只不过记忆短，看不出来。
#
# 更公平的考法：五句里留出一句，用其余四句训练，再读这句新的；每句轮一遍。


# %%
def left_out(i, n, k):
    """P of each character of sentence i, by a model that never read that sentence."""
    others = [s for j, s in enumerate(texts.TOY_SENTENCES) if j != i]
    read = lm.encode("".join(s + " " for s in others) * 20, vocab)
    return lm.add_k_probs(read, lm.encode(texts.TOY_SENTENCES[i], vocab), n, V, k=k)


for k in (0, 1):
    values = [lm.perplexity_of(left_out(i, 2, k)) for i in range(5)]
    print(f"k={k}:", "  ".join(f"{value:.2f}" for value in values))

# %% [markdown] lang="en"
# The same bigram, without the leak: infinite for three sentences of five at $k=0$, and up to 11.56 choices at $k=1$. Now both exams over $n$, smoothed so that we can draw them. Which way will the fair curve turn?

# %% [markdown] lang="zh"
# 还是那个二元模型，只是不再泄漏：$k=0$ 时五句里有三句是无穷大，$k=1$ 时最多要在 11.56 个选择里犹豫。再把两种考法随 $n$ 的变化画出来（都做了平滑，否则画不出）。公平的那条曲线会往哪边拐？

# %%
lengths = range(1, 11)
leaky = [lm.perplexity_of(lm.add_k_probs(train_ids, test_ids, n, V)) for n in lengths]
fair = [lm.perplexity_of(np.concatenate([left_out(i, n, k=1) for i in range(5)])) for n in lengths]
plt.plot(lengths, leaky, "o-", label="leaky: the test text was read in training")
plt.plot(lengths, fair, "s-", label="fair: its sentence left out")
plt.axhline(V, color="0.5", ls="--", lw=1, label=f"uniform guess: {V}")
plt.title("How long a memory the test rewards")
plt.xlabel("n, length of the n-gram")
plt.xticks(lengths)
plt.ylabel("perplexity on the test text")
plt.ylim(bottom=0)
plt.legend(loc="upper center", bbox_to_anchor=(0.5, 0.92))
show()

# %% [markdown] lang="en"
# The leaky exam says: the longer the memory, the better (or at least no worse). The fair one says: $n=3$ is best, and from there on it gets worse. Whoever chooses a model by the leaky exam chooses the wrong one.

# %% [markdown] lang="zh"
# 泄漏的考试说：记得越长越好（至少不更差）。公平的考试说：$n=3$ 最好，再长就越来越差。照着泄漏的考试选模型，就会选错。

# %% quiz="fair_test"
quiz("fair_test")

# %% [markdown] lang="en"
# ## Longer memory, emptier table
#
# Five sentences are a toy. Every Python carries a real text: its manual, the one that `help("with")` prints. We keep small letters, the blank and five punctuation marks. About a fifth of it are paragraphs that the manual prints more than once; having learned our lesson, we keep one copy of each, then hold out the last tenth.

# %% [markdown] lang="zh"
# ## 记忆越长，表格越空
#
# 五个句子只是玩具。每个 Python 都自带一篇真实的文本：它的手册，也就是 `help("with")` 打印的内容。我们只保留小写字母、空格和五种标点。手册里约有五分之一是重复印出的段落；吃一堑，长一智，每段只留一份，再把最后十分之一留出来。

# %%
manual = texts.manual_text()
repeated = len(texts.manual_text(repeats=True)) - len(manual)
signs = texts.vocabulary(manual)
read, held_out = (lm.encode(part, signs) for part in texts.split(manual))

print(manual[5000:5090])
print(f"{len(read):,} characters to read, {len(held_out):,} held out, V = {len(signs)}")
print(f"{repeated:,} characters of repeated paragraphs dropped")

# %% [markdown] lang="en"
# First the good news: longer memory writes better. Claude Shannon had the idea in 1948, and needed no table. Open the book anywhere, find the next place where the last $n-1$ characters stand, copy the one that follows, and so on. Which n will you be able to read aloud?

# %% [markdown] lang="zh"
# 先说好消息：记得越长，写得越好。香农 1948 年就有一个不用表格的办法：随手翻开书，往下找到最后 $n-1$ 个字符出现的地方，把后面那个字符抄下来，如此反复。n 到多少时，写出来的东西读得通？

# %%
book, rng = texts.split(manual)[0] * 2, np.random.default_rng(1)


def shannon(n, length=85):
    """Write by copying, each time, what follows the last n - 1 characters somewhere."""
    line = ""
    while len(line) < length:
        context = line[max(len(line) - n + 1, 0) :]
        place = book.find(context, rng.integers(len(book) // 2))
        line += book[place + len(context)]
    return line


for n in (1, 2, 4, 6, 10):
    print(f"n = {n:2}: {shannon(n)}")

# %% [markdown] lang="en"
# From letter soup to words to phrases, and still no sentence means anything: fluent locally, lost globally. At $n=10$ much of it is copied outright. Now the bad news.
#
# A table for n characters has $V^n$ cells. How many of them does a text of this size ever fill? Guess for $n=3$ and for $n=6$.

# %% [markdown] lang="zh"
# 从一锅字母到单词，再到短语，可是没有一句话说得出意思：局部通顺，整体迷路。到 $n=10$，好些地方干脆是整段照抄。下面说坏消息。
#
# 记 n 个字符的表有 $V^n$ 个格子。这么长的文本能填上多少？对 $n=3$ 和 $n=6$ 各猜一个数。

# %%
lengths = range(1, 7)
cells = [len(signs) ** n for n in lengths]
filled = [len(np.unique(lm.ngram_keys(read, n, len(signs)))) for n in lengths]
for n in lengths:
    share = filled[n - 1] / cells[n - 1]
    print(f"n = {n}: {cells[n - 1]:13,} cells, {filled[n - 1]:6,} seen ({share:.4%})")

# %%
plt.semilogy(lengths, cells, "o-", label="cells in the table")
plt.semilogy(lengths, filled, "s-", label="cells ever filled")
plt.axhline(len(read), color="0.5", ls="--", lw=1, label="characters in the training text")
plt.title("Possible and seen")
plt.xlabel("n, length of the n-gram")
plt.ylabel("number of cells")
plt.legend()
show()

# %% [markdown] lang="en"
# The table grows 32-fold with each character, while the text stays as long as it is: it cannot fill more cells than it has characters. With six characters, fewer than one cell in ten thousand was ever seen. With words it is worse:

# %% [markdown] lang="zh"
# 每多记一个字符，表就大 32 倍，而文本还是那么长：填上的格子不可能比字符还多。记六个字符时，一万个格子里见过的还不到一个。换成词就更糟：

# %%
seen_words, new_words = (texts.words(part) for part in texts.split(manual))
word_list = sorted({*seen_words, *new_words})
old, new = lm.encode(seen_words, word_list), lm.encode(new_words, word_list)
for n in (1, 2, 3):
    known, met = (lm.ngram_keys(ids, n, len(word_list)) for ids in (old, new))
    print(f"n = {n}: {np.mean(~np.isin(met, known)):.0%} of the held-out word n-grams are new")
print(f"a full trigram table for 50,000 words: {50_000**3 * 4 / 1e12:,.0f} terabytes")

# %% [markdown] lang="en"
# ### The price of a longer memory
#
# Three of four word trigrams in the new text were never read. Longer memory knows more, and has seen less of what it needs. Which of the two wins? Add-one smoothing, n from 1 to 6, on the text it read and on the text it did not. Sketch both curves in your head; the next cell takes about a second.

# %% [markdown] lang="zh"
# ### 长记忆的代价
#
# 新文本里，每四个词三元组就有三个从没读过。记忆越长，懂得越多，用得上的情形却见得越少。哪一头占上风？用加一平滑，n 从 1 到 6，分别测读过的文本和没读过的文本。先在脑子里画出两条曲线；下一格大约运行一秒。

# %%
size, first = len(signs), max(lengths) - 1  # every n predicts the same characters


def curve(model, text, **options):
    """Perplexity on a text for n = 1 to 6, by a model that has read the training part."""
    probs = (model(read, text, n, size, start=first, **options) for n in lengths)
    return [lm.perplexity_of(p) for p in probs]


on_read, on_new = curve(lm.add_k_probs, read), curve(lm.add_k_probs, held_out)
print("read:   ", "  ".join(f"{value:5.2f}" for value in on_read))
print("not yet:", "  ".join(f"{value:5.2f}" for value in on_new))

# %%
ticks = [4, 5, 7, 10, 20]
plt.semilogy(lengths, on_read, "o--", label="training text")
plt.semilogy(lengths, on_new, "o-", label="held-out text")
plt.yticks(ticks, map(str, ticks))
plt.minorticks_off()
plt.title("What it read, and what it did not")
plt.xlabel("n, length of the n-gram")
plt.ylabel("perplexity")
plt.legend()
show()

# %% [markdown] lang="en"
# Together at first, then they part: the gap is what the model memorised without understanding. On new text $n=4$ is best, and $n=6$ is worse than $n=3$. More memory has made it *worse*.
#
# The reason is add-one. A context that was seen three times has three true counts, and 32 invented ones: nine tenths of the probability go to the white. At $n=6$ this hurts even on the text it has read.

# %% [markdown] lang="zh"
# 起初同行，后来分道：中间的缝隙就是死记硬背而没有理解的部分。在新文本上，$n=4$ 最好，$n=6$ 反而不如 $n=3$。记忆多了，却**更差**。
#
# 毛病出在加一平滑。一个上下文若见过三次，真的计数是三个，编造的却有 32 个：十分之九的概率给了白格子。到 $n=6$，连读过的文本也受了害。

# %% [markdown] lang="en"
# ## Better ways to fill the white
#
# **Interpolation** (Jelinek and Mercer, 1980) asks the shorter models for help: mix the long context's frequencies with the shorter one's, which mixes in a shorter one still, down to $1/V$. With a weight $\lambda$ and $h'$ the history $h$ without its oldest token:
#
# $$P(x \mid h) = \lambda \, \frac{C(h, x)}{C(h)} + (1 - \lambda) \, P(x \mid h')$$

# %% [markdown] lang="zh"
# ## 更好的补白
#
# **插值**（Jelinek 与 Mercer，1980）向短模型求助：长上下文的频率混入短一些的，短的再混入更短的，一直到 $1/V$。取权重 $\lambda$，并记 $h'$ 为历史 $h$ 去掉最早的一个词元：
#
# $$P(x \mid h) = \lambda \, \frac{C(h, x)}{C(h)} + (1 - \lambda) \, P(x \mid h')$$

# %% [markdown] lang="en"
# **Kneser-Ney** (1995) adds two ideas. Each count gives up a little, the same *discount* for all; what is saved goes to the shorter model. And the shorter model counts something else: not how often a word came, but **after how many different words** it came. Why? Look at three words of the manual.

# %% [markdown] lang="zh"
# **Kneser-Ney**（1995）又加了两个主意。第一，每个计数都交出一点，大家交的**折扣**相同，省下来的给短模型。第二，短模型数的东西不同：不数一个词出现过多少次，而数它**跟在多少个不同的词后面**。为什么？看看手册里的三个词。

# %%
before = Counter(word for _, word in set(pairwise(seen_words)))
often = Counter(seen_words)
for word in ("same", "one", "also"):
    print(f"{word!r}: {often[word]:3} times, after {before[word]:2} different words")

# %% [markdown] lang="en"
# All three are about equally frequent. But "same" nearly always follows "the". In a context we have never seen, "one" is the better bet, and the count of different neighbours knows it.
#
# Now all of them on the same counts, with a milder add-k besides, so that add-one is no straw man. Which will keep improving up to $n=6$? (About a second.)

# %% [markdown] lang="zh"
# 三个词差不多一样常见。可是 same 几乎总跟在 the 后面。遇到没见过的上下文，猜 one 更划算，而“不同邻居的个数”正好知道这一点。
#
# 现在把几种办法用在同样的计数上；再添一个温和些的加 k 平滑，免得说我们专挑软柿子捏。哪一种能一直改进到 $n=6$？（约一秒。）

# %%
ways = {
    "add-one": on_new,
    "add-k, k = 0.01": curve(lm.add_k_probs, held_out, k=0.01),
    "interpolation": curve(lm.interpolated_probs, held_out, weight=0.7),
    "Kneser-Ney": curve(lm.kneser_ney_probs, held_out),
}
for name, values in ways.items():
    print(f"{name:15}", "  ".join(f"{value:5.2f}" for value in values))

# %%
for name, values in ways.items():
    plt.semilogy(lengths, values, "o-", label=name)
plt.title("The same counts, four ways to smooth")
plt.xlabel("n, length of the n-gram")
plt.ylabel("perplexity on held-out text")
plt.yticks(ticks, map(str, ticks))
plt.minorticks_off()
plt.legend()
show()

# %% [markdown] lang="en"
# Add-one turns back after four and the milder add-k after five, interpolation stalls, Kneser-Ney still improves at six. The same counts, and at $n=6$ half the perplexity of add-one: what matters is what you do with the unseen. For more than a decade this was the mark to beat.
#
# An honest footnote: our $\lambda = 0.7$ is one number for all contexts, picked on a piece of the training text. It gives away 30 % even where counts are plentiful, which is why interpolation comes last up to three. Real systems tune many weights. And nobody has a proof that Kneser-Ney is best; it just kept winning.

# %% [markdown] lang="zh"
# 加一平滑过了四就回头，温和的加 k 过了五也回头，插值停步不前，Kneser-Ney 到六还在改进。计数相同，到 $n=6$ 时困惑度却只有加一平滑的一半：要紧的是怎样对待没见过的东西。此后十多年，它一直是大家想要超越的标杆。
#
# 老实补一句：我们的 $\lambda = 0.7$ 是一个数管所有上下文，在训练文本的一小段上挑出来的。计数充足的地方它也照样让出 30 %，所以 n 不超过三时插值垫底。真正的系统要调很多个权重。也没有人证明过 Kneser-Ney 最好，它只是一直赢。

# %% [markdown] lang="en"
# ### Stretch: `interpolate`
#
# Optional, worth one point. Mix a bigram with the plain frequencies of the tokens: `weight` times the bigram probability plus the rest times the token's share of all counts. A row without counts knows nothing, so it hands over completely. Every row sums to 1.

# %% [markdown] lang="zh"
# ### 选做：`interpolate`
#
# 选做题，一分。把二元模型和词元本身的频率混起来：`weight` 乘二元概率，余下的权重乘该词元在全部计数中的比例。没有计数的行一无所知，就完全交给后者。每一行的和都是 1。


# %% exercise="interpolate"
def interpolate(counts, weight):
    """Mix P(next | this) with P(next): a bigram that asks a unigram for help.

    Args:
        counts: (V, V) array of integers, not all zero; row = this token, column = the next one.
        weight: between 0 and 1, the share of the bigram.

    Returns:
        (V, V) array of floats, rows sum to 1. A row without counts is P(next) alone, where
        P(next) is how often a token came as the second of a pair, divided by all pairs.
    """
    ### BEGIN SOLUTION
    unigram = counts.sum(axis=0) / counts.sum()
    totals = counts.sum(axis=1, keepdims=True)
    bigram = counts / np.maximum(totals, 1)
    return np.where(totals > 0, weight * bigram + (1 - weight) * unigram, unigram)
    ### END SOLUTION


# %% check="interpolate"
check(interpolate)

# %% [markdown] lang="en"
# ## What no table can do
#
# Smoothing mends the zeros. One thing it cannot mend. We drop "the dog sat on the log." from the toy text and read the other four sentences, word by word. A child who knows that cats sit, and that dogs are much like cats, has no doubt about dogs. First your guess:

# %% [markdown] lang="zh"
# ## 表格做不到的事
#
# 平滑能补零，却有一样补不了。从玩具文本里去掉 `the dog sat on the log.` 这一句，把其余四句一个词一个词地读。小孩子知道猫会坐，又知道狗和猫差不多，就不会怀疑狗也会坐。先请你猜：

# %% quiz="sharing"
quiz("sharing")

# %%
four = "".join(s + " " for s in texts.TOY_SENTENCES if "dog sat" not in s)
for copies in (1, 1000):  # and if the text were a thousand times as long?
    words = texts.words(four * copies)
    for animal in ("cat", "dog"):
        context = ["the", animal]
        places = [i for i in range(len(words) - 2) if words[i : i + 2] == context]
        print(f"{copies:4} x: after 'the {animal}':", Counter(words[i + 2] for i in places))

# %% [markdown] lang="en"
# "the cat sat" and "the dog sat" are two cells. A thousand sightings of one add nothing to the other. To the table, "cat" and "dog" are two numbers in a list, no nearer to each other than "cat" and "on".
#
# To share what it learned, a model would have to *know* that cats and dogs are alike. For that, words must become something that has a distance. That is the first of our two questions, and the next lesson.

# %% [markdown] lang="zh"
# the cat sat 和 the dog sat 是两个格子。一个见过一千次，另一个也得不到半点好处。在表格看来，cat 和 dog 只是清单上的两个编号，并不比 cat 和 on 更近。
#
# 要把学到的分享出去，模型得**知道**猫和狗相像。为此，词必须变成有远近的东西。这就是两个问题中的第一个，也是下一课的内容。

# %% [markdown] lang="en"
# ## Summary
#
# - A **language model** gives $P(x_t \mid x_{<t})$. By the chain rule it scores whole sentences; by sampling it writes.
# - An **n-gram** model keeps the last $n-1$ tokens and counts. **Perplexity** $= e^{\text{NLL}}$ is the number of equally likely choices it hesitates between; it compares only under one vocabulary and one way of cutting. Bits per character compare across them.
# - A zero count means infinite surprise. Add-one mends it roughly, interpolation and Kneser-Ney much better.
# - Test on what was **not** read. Our 2.64 was a memory test.
# - Tables grow as $V^n$, stay nearly empty, and **share nothing** between similar words.
#
# > **Checkpoint.** Can you explain to a friend why 1.06 was bad news? Then go on.

# %% [markdown] lang="zh"
# ## 小结
#
# - **语言模型**给出 $P(x_t \mid x_{<t})$。用链式法则，它能给整句打分；用抽样，它能写。
# - **n 元模型**只留最后 $n-1$ 个词元，然后计数。**困惑度** $= e^{\text{NLL}}$ 是它在多少个同样可能的选择间犹豫；只有词表和切分都相同才能比较。不同切分之间，可比每字符比特数。
# - 计数为零，意外就是无穷大。加一平滑勉强补上，插值和 Kneser-Ney 补得好得多。
# - 要用**没读过**的文本测试。我们的 2.64 考的是背诵。
# - 表格按 $V^n$ 增长，几乎全空，而且相似的词之间**什么也不共享**。
#
# > **自查。** 你能向朋友讲清楚，为什么 1.06 是坏消息吗？能，就往下学。

# %% [markdown] lang="en"
# ## Further reading
#
# - A. A. Markov (1913) counted by hand how vowels and consonants follow each other in 20,000 letters of *Eugene Onegin*: the first bigram model.
# - C. E. Shannon (1948), *A Mathematical Theory of Communication*: entropy, and English sampled from n-grams; (1951), *Prediction and Entropy of Printed English*: people as language models.
# - F. Jelinek and R. Mercer (1980) on interpolation; R. Kneser and H. Ney (1995), *Improved Backing-off for M-gram Language Modeling*.
# - S. Chen and J. Goodman (1999), *An Empirical Study of Smoothing Techniques for Language Modeling*: the fair comparison of them all.
#
# Next: [2. Word vectors](02_word_vectors.ipynb), where words move closer together.

# %% [markdown] lang="zh"
# ## 延伸阅读
#
# - A. A. Markov（1913）亲手数了《叶甫盖尼·奥涅金》的 20,000 个字母，看元音和辅音怎样前后相随：第一个二元模型。
# - C. E. Shannon（1948），*A Mathematical Theory of Communication*：熵，以及从 n 元模型抽样得到的英语；（1951），*Prediction and Entropy of Printed English*：把人当作语言模型。
# - F. Jelinek 与 R. Mercer（1980）论插值；R. Kneser 与 H. Ney（1995），*Improved Backing-off for M-gram Language Modeling*。
# - S. Chen 与 J. Goodman（1999），*An Empirical Study of Smoothing Techniques for Language Modeling*：把各种平滑放在一起公平比较。
#
# 下一课：[2. 词向量](02_word_vectors.ipynb)，词与词在那里会彼此靠近。
