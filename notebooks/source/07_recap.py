# %% [markdown] lang="en"
# # 7. Recap: three things to keep
#
# Six lessons lie behind you: a table of counts, words as points, a memory that faded, a gate that kept it, a keyhole, and at last a decoder that looks back. Much of the detail may fade again. Three thoughts should stay, and each of them fits into one picture.
#
# At the end all models of the course meet on one text. Some results may surprise you.

# %% [markdown] lang="zh"
# # 7. 回顾：记住三件事
#
# 六课走完了：一张计数表，变成点的词，会消退的记忆，把记忆留住的门，一个钥匙孔，最后是会回头看的解码器。细节也许会慢慢忘掉，但有三个想法应当留下，每个都画得进一张图。
#
# 最后，全课的模型要在同一篇文本上见面。有些结果可能出乎你的意料。

# %% [markdown] lang="en"
# > **Goals.** Tell the story of the course in three sentences. Read its three central plots. Compare all models fairly on one text. Find out with ten questions what you should read again.
# >
# > **Time.** About 35 minutes. All cells together run in about 15 seconds.

# %% [markdown] lang="zh"
# > **目标。** 用三句话讲出这门课的来龙去脉；看懂三张最要紧的图；在同一篇文本上公平地比较所有模型；用十道题查出哪些地方该再读一遍。
# >
# > **时间。** 约 35 分钟。全部代码一共运行约 15 秒。

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from course_utils import attention_studies, one_text, open_lesson, seq2seq
from course_utils import language_models as lm
from course_utils.corpora import sentences
from course_utils.plots import show
from course_utils.translation_plots import draw_by_length

quiz, check = open_lesson("07_recap")

# %% [markdown] lang="en"
# ## One: guess what comes next
#
# A language model gives the probability of the next token, and **perplexity** says among how many equal choices it hesitates. The plainest model counts. Here it reads Python's manual (lesson 1), and is tested on a tenth that it never read.
#
# Before you run: two curves, add-one and Kneser-Ney, over the length n. What did they look like?

# %% [markdown] lang="zh"
# ## 其一：猜接下来是什么
#
# 语言模型给出下一个词元的概率，**困惑度**说明它在多少个同样可能的选择之间犹豫。最朴素的模型是计数。这里让它读 Python 手册（第 1 课），用没读过的十分之一来测试。
#
# 运行前先想：加一平滑和 Kneser-Ney 两条曲线，随 n 变化，各是什么样子？

# %%
text = one_text.load_text()
V, start = len(text.signs), one_text.SKIP
lengths = range(1, 7)
ways = {"add-one": lm.add_k_probs, "Kneser-Ney": lm.kneser_ney_probs}
curves = {
    name: [lm.perplexity_of(probs(text.train, text.held_out, n, V, start=start)) for n in lengths]
    for name, probs in ways.items()
}
filled = [len(np.unique(lm.ngram_keys(text.train, n, V))) / V**n for n in lengths]

# %%
for name, values in curves.items():
    plt.plot(lengths, values, "o-", label=name)
plt.title("1. Counting: longer memory, emptier table")
plt.xticks(lengths, [f"{n}\n{share:.2g}" for n, share in zip(lengths, filled, strict=True)])
plt.xlabel("n; below it, the share of cells ever seen")
plt.ylabel("perplexity on held-out text")
plt.ylim(0, 21)
plt.legend()
show()

# %% [markdown] lang="en"
# Tables **explode** ($V^n$ cells) and stay **empty** (zeros everywhere). Smoothing spreads a little probability over the holes. What it cannot do is to *share*: two similar words are two unrelated cells.
#
# The way out is to give similar words similar vectors. Seven of lesson 2's eight sentences are read here; "a puppy eats food" is left out. A table gives P(eats | a puppy) = 0. What will a tiny network say that reads the same seven, but through word vectors?

# %% [markdown] lang="zh"
# 表格会**爆炸**（$V^n$ 个格子），又几乎全**空**（到处是零）。平滑把一点概率撒到空格里，却做不到*共享*：两个相似的词，是两个毫不相干的格子。
#
# 出路是给相似的词相似的向量。第 2 课的八个句子，这里只读七个，留出 a puppy eats food。表格给出 P(eats | a puppy) = 0。一个小网络读同样的七句，但经过词向量来读，它会怎么说？

# %%
lines = [line.split() for line in sentences.EIGHT_SENTENCES if line != "a puppy eats food"]
words = sorted({word for line in lines for word in line})
triples = [
    [words.index(w) for w in line[i : i + 3]] for line in lines for i in range(len(line) - 2)
]
triples = torch.tensor(triples)  # (N, 3): two words, and the one that follows

# %%
torch.manual_seed(0)
E = (0.3 * torch.randn(len(words), 8)).requires_grad_()  # one vector a word
W = (0.3 * torch.randn(16, len(words))).requires_grad_()
optimizer = torch.optim.Adam([E, W], lr=0.05, weight_decay=0.002)
for _ in range(300):
    loss = F.cross_entropy(E[triples[:, :2]].flatten(1) @ W, triples[:, 2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %%
ask = torch.tensor([words.index("a"), words.index("puppy")])
answer = torch.softmax(E[ask].flatten() @ W, 0)[words.index("eats")].item()
seen = [line[2] for line in lines if line[:2] == ["a", "puppy"]]
pair = F.cosine_similarity(E[words.index("puppy")], E[words.index("dog")], dim=0).item()
print(f"counting:     P(eats | a puppy) = {seen.count('eats')} (this context was never read)")
print(f"with vectors: P(eats | a puppy) = {answer:.2f}")
print(f"cosine of puppy and dog: {pair:.2f}")

# %% [markdown] lang="en"
# It never read "a puppy", yet it is nearly sure. Dogs and puppies chase the same ball, so their vectors met, and what was learned of one holds for the other.
#
# > **Keep this.** A language model predicts the next token and is judged by perplexity. Counting fails by explosion and zeros; the way out is sharing between similar words.

# %% [markdown] lang="zh"
# 它从没读过 a puppy，却几乎有把握。狗和小狗追的是同一个球，它们的向量就走到了一起；关于一个学到的东西，对另一个也成立。
#
# > **记住这一点。** 语言模型预测下一个词元，用困惑度衡量。计数败在爆炸和零；出路是在相似的词之间共享。

# %% [markdown] lang="en"
# ## Two: meaning in vectors, memory in a state
#
# Vectors learn what is similar by predicting context. A recurrent network reads any length with one set of weights. But training it means going back through every step, and the same matrix at each of them shrinks the gradient.
#
# Four layers, untrained, 50 steps: how much of each input does the last output feel? Which curve is which?

# %% [markdown] lang="zh"
# ## 其二：向量里的意义，状态里的记忆
#
# 向量通过预测上下文，学到什么与什么相似。循环网络用同一组权重读任意长的文本。但训练它要一步步往回走，每一步都乘同一个矩阵，梯度就越来越小。
#
# 四种层，都没训练过，50 步：最后的输出对每个输入有多敏感？哪条曲线是哪一种？


# %%
def layer_of(kind, width=32):
    torch.manual_seed(0)
    if kind == "self-attention":
        return attention_studies.SelfAttention(width, width).double()
    layer = (nn.RNN if kind == "RNN" else nn.LSTM)(width, width, batch_first=True).double()
    if kind == "LSTM, forget bias 3":
        layer.bias_ih_l0.data[width : 2 * width] = 3.0
    return lambda x: layer(x)[0]


kinds = ["RNN", "LSTM", "LSTM, forget bias 3", "self-attention"]
x = torch.randn(1, 50, 32, dtype=torch.float64, requires_grad=True)
reach = {}
for kind in kinds:
    (gradient,) = torch.autograd.grad(layer_of(kind)(x)[0, -1].sum(), x)
    reach[kind] = gradient[0].norm(dim=1)  # (50,)

# %%
for kind, colour in zip(kinds, ("C1", "C3", "C2", "C0"), strict=True):
    plt.semilogy(range(50), reach[kind], color=colour, label=kind)
plt.title("2. What the last output still feels of each input")
plt.xlabel("time step of the input")
plt.ylabel("gradient norm")
plt.legend(loc="lower right")
show()

# %% [markdown] lang="en"
# The RNN's gradient falls to nothing in 50 steps. An LSTM's falls too as it comes, for its forget gates start near 0.5. Opened by a bias, its additive path carries the gradient nearly undiminished. Self-attention reaches every input in one step.
#
# > **Keep this.** Vectors learn similarity by predicting context. RNNs read any length with shared weights, the repeated matrix makes gradients vanish, and the LSTM's additive cell relieves that, once its gates are open.

# %% [markdown] lang="zh"
# RNN 的梯度在 50 步里降到几乎没有。LSTM 若原样不动，也会降，因为遗忘门从 0.5 左右开始；用偏置把门打开，它的加法通路就几乎原封不动地传回梯度。自注意力一步就到达每个输入。
#
# > **记住这一点。** 向量通过预测上下文学到相似。RNN 用共享的权重读任意长的文本，反复相乘的矩阵使梯度消失；LSTM 的加法细胞缓解了这一点，前提是门开着。

# %% [markdown] lang="en"
# ## Three: do not memorise, look
#
# Two recurrent networks can translate, but everything must pass through one vector. The recorded study of lessons 5 and 6, several seeds for each model: which curve had which trick?

# %% [markdown] lang="zh"
# ## 其三：不要死记，要看
#
# 两个循环网络就能翻译，但一切都要挤过一个向量。下面是第 5、6 课录好的实验，每个模型几个种子：哪条曲线用了哪一招？

# %%
figure, ax = plt.subplots(figsize=(7.2, 3.5))
draw_by_length(ax, seq2seq.load_study(), ["plain", "reversed", "additive", "dot"])
ax.set_title("3. Through a keyhole, or with the sentence on the desk")
ax.legend(bbox_to_anchor=(1.0, 0.5), loc="center left")
show()

# %% [markdown] lang="en"
# One vector for everything: good for short sentences, hopeless for long ones. Attention goes back to the encoder's states at each word, and holds its quality over all lengths seen in training. Beyond them, in grey, it falls as well.
#
# > **Keep this.** Seq2seq's bottleneck is the fixed vector. Attention looks back at every step. Turned on the sequence itself, without recurrence, it is the Transformer.

# %% [markdown] lang="zh"
# 一个向量装下一切：短句还行，长句没有希望。注意力每写一个词都回去看编码器的状态，在训练见过的长度内都保持质量。再往外，灰色的部分，它也会下降。
#
# > **记住这一点。** 序列到序列的瓶颈是那个固定的向量。注意力每一步都回头看。把它用在序列自己身上，去掉循环，就是 Transformer。

# %% [markdown] lang="en"
# ## All models, one text
#
# Now the fair comparison. The text is the manual, by characters, the same held-out tenth for all. The neural models train for 80 steps each, one or two seconds: feed-forward (word vectors and a window of 8 characters), RNN, GRU, LSTM, and one block of a Transformer (causal self-attention with positions).
#
# **Your bet:** who wins after a second or two, counting or learning? (About 9 seconds.)

# %% [markdown] lang="zh"
# ## 所有模型，同一篇文本
#
# 现在来一次公平的比较。文本是那本手册，按字符切分，留出的十分之一人人相同。神经模型各训练 80 步，一两秒钟：前馈网络（词向量加 8 个字符的窗口）、RNN、GRU、LSTM，以及 Transformer 的一个块（带位置的因果自注意力）。
#
# **请下注：** 一两秒钟之后，计数和学习，谁赢？（约 9 秒。）

# %%
rows = [("uniform guess", V, 0, 0.0)]
for name, n in [("add-one", 1), ("add-one", 2), ("add-one", 4), ("Kneser-Ney", 6)]:
    begin = time.process_time()
    probs = ways[name](text.train, text.held_out, n, V, start=start)
    seconds = time.process_time() - begin
    cells = sum(len(np.unique(lm.ngram_keys(text.train, m, V))) for m in range(1, n + 1))
    rows.append((f"{n}-gram, {name}", lm.perplexity_of(probs), cells, seconds))

for kind in one_text.KINDS:
    model = one_text.make_model(kind, V)
    seconds = one_text.train_model(model, text, steps=80, label=kind)
    perplexity = one_text.held_out_perplexity(model, text)
    rows.append((kind, perplexity, one_text.parameters(model), seconds))

# %%
print(f"{'':22}{'perplexity':>12}{'bits/char':>11}{'parameters':>13}{'CPU-s':>8}")
for name, perplexity, parameters, seconds in rows:
    bits = np.log2(perplexity)
    print(f"{name:22}{perplexity:12.2f}{bits:11.2f}{parameters:13,}{seconds:8.1f}")

# %% [markdown] lang="en"
# Counting wins, and by far. (For n-grams, "parameters" are the counts that are not zero.) Tables need no training and use every character at once. But we stopped the others after a second or two. We recorded the same five models with more patience: each dot is a run of its own. Will any of them cross the line?

# %% [markdown] lang="zh"
# 计数赢了，而且赢得多。（n 元模型的“参数”指不为零的计数。）表格不用训练，每个字符一次就用上。不过，其余模型我们一两秒就叫停了。同样的五个模型，我们又耐心地录了更久：每个点都是单独的一次运行。会有谁越过那条线吗？

# %%
recorded = one_text.recorded()["models"]
for kind, runs in recorded.items():
    plt.loglog([r["seconds"] for r in runs], [r["perplexity"] for r in runs], "o-", label=kind)
best = rows[4][1]
plt.axhline(best, color="0.4", ls="--", lw=1.2, label="6-gram, Kneser-Ney")
ticks = [3, 4, 5, 6, 8, 10]
plt.yticks(ticks, ticks)
plt.minorticks_off()
plt.title("Patience: the same models, trained for longer")
plt.xlabel("CPU seconds of training")
plt.ylabel("perplexity on held-out text")
plt.legend(bbox_to_anchor=(1.0, 0.5), loc="center left")
show()

# %% [markdown] lang="en"
# Nobody crosses it. GRU and LSTM stop just below 4, and four times the patience brings them next to nothing; the feed-forward network even gets worse. By then they have read this small text nearly 50 times. Remembering fixed phrases is what a table does best; lesson 3 passed the line only by giving its RNN a table of its own.
#
# With more text and more hours, history went the other way. That we have not shown here, so take it as history and not as our result.

# %% [markdown] lang="zh"
# 谁也没有越过去。GRU 和 LSTM 停在刚刚低于 4 的地方，再多四倍的耐心也几乎没有收获，前馈网络甚至变差了。到那时，这篇不长的文本已经读了将近 50 遍。记固定说法正是表格的拿手好戏；第 3 课也是给 RNN 添上一张表，才越过了这条线。
#
# 文本更多、训练更久时，历史走向了另一边。这一点我们在这里没有演示，请把它当作历史，不要当作我们的结果。

# %% [markdown] lang="en"
# ## Ten questions
#
# One or two from each lesson. Nothing here needs a computer; for the numbers take a pencil. After each answer you read why it is right or wrong, and you may try again.
#
# First counting (lesson 1):

# %% [markdown] lang="zh"
# ## 十道题
#
# 每课一两道。都用不着计算机；要算数的，拿支笔。每次作答之后，你会读到为什么对、为什么错，还可以再试。
#
# 先是计数（第 1 课）：

# %% quiz="three_tokens"
quiz("three_tokens")

# %% quiz="tables"
quiz("tables")

# %% [markdown] lang="en"
# Words as vectors (lesson 2):

# %% [markdown] lang="zh"
# 词向量（第 2 课）：

# %% quiz="never_together"
quiz("never_together")

# %% quiz="dot_products"
quiz("dot_products")

# %% [markdown] lang="en"
# Memory (lessons 3 and 4):

# %% [markdown] lang="zh"
# 记忆（第 3、4 课）：

# %% quiz="halving"
quiz("halving")

# %% quiz="open_gate"
quiz("open_gate")

# %% quiz="gru_size"
quiz("gru_size")

# %% [markdown] lang="en"
# Reading and writing (lesson 5):

# %% [markdown] lang="zh"
# 读与写（第 5 课）：

# %% quiz="exposure"
quiz("exposure")

# %% quiz="beams"
quiz("beams")

# %% [markdown] lang="en"
# Looking (lesson 6):

# %% [markdown] lang="zh"
# 看（第 6 课）：

# %% quiz="look_up"
quiz("look_up")

# %% [markdown] lang="en"
# ## Where to go next
#
# You have all the parts of a Transformer: word vectors, softmax, scaled dot products, masks, residual addition. What is missing is the assembly. We suggest this order:
#
# 1. Build one: several heads, positions, layer normalisation, feed-forward layers. Train it on the corpus of lesson 5, and draw its heatmaps as in lesson 6.
# 2. Ask our questions of it. Does it hold beyond the lengths it was trained on? Does its attention agree with the gold alignment? Is it faster on *your* machine?
# 3. Change the task: one long text and the next token, nothing else. That is how large language models are trained, and you know how to measure them.

# %% [markdown] lang="zh"
# ## 接下来去哪里
#
# Transformer 的零件你都有了：词向量、softmax、缩放点积、掩码、残差相加。缺的是组装。我们建议这样的次序：
#
# 1. 动手造一个：多个头、位置、层归一化、前馈层。用第 5 课的语料训练它，像第 6 课那样画出热力图。
# 2. 拿我们的问题去问它：超出训练的长度还行吗？它的注意力与真正的对齐一致吗？在*你的*机器上更快吗？
# 3. 换个任务：一篇长文本，只预测下一个词元。大语言模型就是这样训练的，而你知道怎样衡量它们。

# %% [markdown] lang="en"
# ## Further reading
#
# - Y. Bengio, R. Ducharme, P. Vincent and C. Jauvin (2003), *A Neural Probabilistic Language Model*: sharing through word vectors, the "puppy" of this lesson.
# - T. Mikolov and others (2013), *Efficient Estimation of Word Representations in Vector Space*.
# - S. Hochreiter and J. Schmidhuber (1997), *Long Short-Term Memory*.
# - I. Sutskever, O. Vinyals and Q. Le (2014), *Sequence to Sequence Learning with Neural Networks*; D. Bahdanau, K. Cho and Y. Bengio (2014), *Neural Machine Translation by Jointly Learning to Align and Translate*. Read them side by side.
# - A. Vaswani and others (2017), *Attention Is All You Need*. You can read all of it now.
# - R. Sutton (2019), *The Bitter Lesson*: why methods that use more computation tend to win in the end. Read it with the last plot in mind.

# %% [markdown] lang="zh"
# ## 延伸阅读
#
# - Y. Bengio、R. Ducharme、P. Vincent、C. Jauvin（2003），*A Neural Probabilistic Language Model*：借助词向量共享，本课的“小狗”就出自这个想法。
# - T. Mikolov 等（2013），*Efficient Estimation of Word Representations in Vector Space*。
# - S. Hochreiter、J. Schmidhuber（1997），*Long Short-Term Memory*。
# - I. Sutskever、O. Vinyals、Q. Le（2014），*Sequence to Sequence Learning with Neural Networks*；D. Bahdanau、K. Cho、Y. Bengio（2014），*Neural Machine Translation by Jointly Learning to Align and Translate*。两篇对照着读。
# - A. Vaswani 等（2017），*Attention Is All You Need*。现在你能从头读到尾了。
# - R. Sutton（2019），*The Bitter Lesson*：为什么舍得花计算的方法，最后往往会赢。读的时候，想着最后那张图。

# %% [markdown] lang="en"
# > **A last word.** In every lesson a curve ran into a wall, and someone asked what exactly the wall was made of: zeros, distance between words, a product of matrices, a single vector. The next wall is waiting. You know how to look at it: measure, guess, change one thing, measure again.

# %% [markdown] lang="zh"
# > **最后一句。** 每一课都有一条曲线撞上一堵墙，然后有人追问：这堵墙究竟是什么砌成的？是零，是词与词的隔阂，是一连串矩阵相乘，是唯一的一个向量。下一堵墙还在前面等着。你已经知道怎样对待它：测量，猜测，只改一样，再测量。
