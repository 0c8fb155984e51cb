# %% [markdown] lang="en"
# # 6. Attention: looking back
#
# Read a long sentence once. Close the book. Now translate it from memory. That is what lesson 5 asked of its models, and their long sentences fell apart.
#
# No human translator works like this. The sentence stays on the desk, and the eye returns to it, word after word. In this lesson we let the decoder do the same. The idea is from 2014, it fits into three lines, and a straight road leads from it to the Transformer.

# %% [markdown] lang="zh"
# # 6. 注意力：回头再看
#
# 把一个长句读一遍，合上书，凭记忆翻译出来。第 5 课就是这样要求模型的，结果长句译得七零八落。
#
# 没有哪个译者这样干活。原文一直摊在桌上，译一个词，看一眼。这一课，我们让解码器也这样做。这个主意提出于 2014 年，三行公式就写得完，而从它出发，有一条直路通向 Transformer。

# %% [markdown] lang="en"
# > **Goals.** Write attention down in three lines and in code. Train a translator that looks back, and see where it looks. Know what a heatmap proves and what it does not. Explain the square root of $d$. See how attention without an RNN becomes self-attention.
# >
# > **Time.** About 80 minutes to read and solve. All cells together run in about 40 seconds, most of it training; a second run takes the trained models from a cache.
# >
# > **How.** Guess before you run, wherever we ask. "A closer look" may wait for a second reading.

# %% [markdown] lang="zh"
# > **目标。** 用三行公式、也用代码写出注意力；训练一个会回头看的翻译模型，看看它在看哪里；明白热力图能证明什么、不能证明什么；讲得清为什么要除以 $d$ 的平方根；看到去掉 RNN 之后，注意力怎样变成自注意力。
# >
# > **时间。** 阅读和做题约 80 分钟。全部代码一共运行约 40 秒，多半花在训练上；第二次运行会直接读取缓存中训练好的模型。
# >
# > **方法。** 凡是请你猜的地方，先猜，再运行。标着“细看一步”的段落，可以留到第二遍再读。

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from course_utils import attention_studies as studies
from course_utils import attention_views as views
from course_utils import open_lesson, seq2seq
from course_utils.corpora import dates, translation
from course_utils.live import explore, slider
from course_utils.plots import heatmap, show
from course_utils.translation_plots import draw_by_length

quiz, check = open_lesson("06_attention")

# %% [markdown] lang="en"
# ## What memory could not do
#
# Here is where lesson 5 ended. Two translators from English to French, both with a single vector between reading and writing; the second one reads its source backwards. The bands are a recorded study over several seeds, in which we trained each model anew.

# %% [markdown] lang="zh"
# ## 光靠记忆做不到的事
#
# 第 5 课停在这里：两个英译法的模型，读和写之间都只隔着一个向量，其中第二个倒着读源句。图中的色带来自一项事先录好的实验：换几个种子，每个模型都重新训练。

# %%
study = seq2seq.load_study()
figure, ax = plt.subplots(figsize=(7, 3.4))
draw_by_length(ax, study, ["plain", "reversed"])
ax.set_title("Sentences translated without a mistake")
ax.legend(bbox_to_anchor=(1.0, 0.5), loc="center left")
show()

# %% [markdown] lang="en"
# Short sentences pass through the keyhole, long ones do not. Yet the encoder *had* a state for every word. We kept the last one and threw the others away.
#
# **Your guess:** if the decoder may use all of them, at every step, where will its curve lie at 17 to 20 words? And at 31 to 40, longer than anything in training? Remember both numbers.

# %% [markdown] lang="zh"
# 短句能从钥匙孔里挤过去，长句不行。可是编码器*本来*对每个词都有一个状态。我们只留了最后一个，其余的全扔了。
#
# **请你猜：** 如果解码器每一步都能用上所有的状态，在 17 到 20 个词处，它的曲线会在哪里？在 31 到 40 个词处，比训练中的都长，又会在哪里？记住这两个数。

# %% [markdown] lang="en"
# ## Three lines
#
# Keep all encoder states $h_1, \dots, h_T$. Before it writes a word, the decoder, in state $s$, does three things. It gives each place a **score**. It turns the scores into **weights** that sum to 1. It takes the **weighted sum** of the states, called the context:
#
# $$e_t = \text{score}(s, h_t) \qquad a = \text{softmax}(e) \qquad c = \sum_{t=1}^{T} a_t h_t$$
#
# A high score means: what I need now is *here*. At the next word $s$ has changed, so the scores change, and the eye moves on.

# %% [markdown] lang="zh"
# ## 三行公式
#
# 把编码器的全部状态 $h_1, \dots, h_T$ 都留着。每写一个词之前，状态为 $s$ 的解码器做三件事：给每个位置打一个**分数**；把分数变成和为 1 的**权重**；再用权重对各状态**加权求和**，得到的向量叫上下文：
#
# $$e_t = \text{score}(s, h_t) \qquad a = \text{softmax}(e) \qquad c = \sum_{t=1}^{T} a_t h_t$$
#
# 分数高，意思是：我现在要的东西在*这里*。到下一个词，$s$ 变了，分数也变，目光就移到别处。

# %% [markdown] lang="en"
# Let us do it once by hand, with six random encoder states of four numbers each. The decoder state $s$ we make ourselves: twice the state at position 3 (counting from 0), and a little noise. So we know what it is looking for.

# %% [markdown] lang="zh"
# 先动手做一遍：六个随机的编码器状态，每个四个数。解码器状态 $s$ 由我们自己造：位置 3（从 0 数起）的状态的两倍，再加一点噪声。这样，它在找什么，我们心里有数。

# %%
torch.manual_seed(0)
T, H = 6, 4
enc = torch.randn(T, H)  # six encoder states, one a row
s = 2 * enc[3] + 0.1 * torch.randn(H)  # "I am looking for position 3"
W1, W2, v = torch.randn(H, H), torch.randn(H, H), torch.randn(H)  # for later

print("enc", tuple(enc.shape), " s", tuple(s.shape))
print(enc.numpy().round(2))

# %% [markdown] lang="en"
# The simplest score is the **dot product** $e_t = s \cdot h_t$ (Luong, Pham and Manning, 2015): large when two vectors point the same way. Before you run: which position will get the largest weight, and about how much?

# %% [markdown] lang="zh"
# 最简单的打分是**点积** $e_t = s \cdot h_t$（Luong、Pham、Manning，2015）：两个向量方向一致，它就大。运行前先猜：哪个位置的权重最大？大约多大？

# %%
e = torch.stack([s @ h for h in enc])  # (T,) one score a position
a = torch.softmax(e, 0)  # (T,) weights
ctx = sum(weight * h for weight, h in zip(a, enc, strict=True))  # (H,) the context

dot_weights = a
print("scores ", e.numpy().round(3))
print("weights", a.numpy().round(3), " sum", round(a.sum().item(), 6))
print("context", tuple(ctx.shape))

# %% [markdown] lang="en"
# The weights are positive and sum to 1, as they should. But the winner is position 4, with 0.41, and not the position 3 that we planted! Something is odd; we come back to it in a moment.
#
# First the point of it all. The context has four numbers, like each state. What if the source has one word, or fifty?

# %% [markdown] lang="zh"
# 权重都为正，和为 1，没有问题。可是赢的是位置 4，权重 0.41，而不是我们埋下的位置 3！有点蹊跷，待会儿再说。
#
# 先看要紧的一点。上下文有四个数，和每个状态一样。如果源句只有一个词，或者有五十个词呢？

# %%
for length in (1, 6, 50):
    states = torch.randn(length, H)
    weights = torch.softmax(states @ s, 0)
    print(f"{length:2} words: {len(weights):2} weights, context {tuple((weights @ states).shape)}")

# %% [markdown] lang="en"
# The same size for every length: the decoder needs no new parts for long sentences. And this vector is **not** the keyhole of lesson 5. That one was made once and had to serve for the whole sentence. This one is made afresh for each word, and only has to hold what this word needs.

# %% [markdown] lang="zh"
# 不管多长，大小都一样：句子再长，解码器也不用添零件。而且这个向量**不是**第 5 课的钥匙孔。那一个只做一次，要管整句话；这一个每写一个词都重做一次，只需装下这个词要用的东西。

# %% [markdown] lang="en"
# ### A closer look: why did it look at the wrong place?
#
# A dot product is the two lengths times the cosine of the angle: $s \cdot h = |s|\,|h| \cos \theta$. Let us print the parts.

# %% [markdown] lang="zh"
# ### 细看一步：为什么看错了地方？
#
# 点积等于两个长度乘以夹角的余弦：$s \cdot h = |s|\,|h| \cos \theta$。把各部分都打印出来。

# %%
cosine = F.cosine_similarity(enc, s[None])
print("position      ", "".join(f"{t:8}" for t in range(T)))
for name, row in [("dot product", e), ("length of h", enc.norm(dim=1)), ("cosine", cosine)]:
    print(f"{name:14}", "".join(f"{value:8.2f}" for value in row.tolist()))

# %% [markdown] lang="en"
# By direction, position 3 is the clear winner: cosine 1.00, against 0.47. But its vector is the shortest of all, and position 4 is nearly three times as long. A long key talks louder.
#
# Was that bad luck? We repeat the experiment with 1,000 seeds and count how often each score misses the position we planted. Guess both shares.

# %% [markdown] lang="zh"
# 论方向，位置 3 稳赢：余弦是 1.00 对 0.47。可是它的向量最短，位置 4 的长度几乎是它的三倍。键越长，嗓门越大。
#
# 是碰巧吗？换 1,000 个种子重做这个实验，数一数两种打分各有几次没找到埋下的位置。先猜两个比例。

# %%
misses = {"dot product": 0, "cosine": 0}
for seed in range(1000):
    g = torch.Generator().manual_seed(seed)
    keys = torch.randn(T, H, generator=g)
    query = 2 * keys[3] + 0.1 * torch.randn(H, generator=g)
    misses["dot product"] += int((keys @ query).argmax() != 3)
    misses["cosine"] += int(F.cosine_similarity(keys, query[None]).argmax() != 3)
for name, count in misses.items():
    print(f"{name:12} misses the planted position in {count / 1000:.1%} of the seeds")

# %% [markdown] lang="en"
# One time in five. It is no error in the formula: a dot product asks "same direction, *and how long?*". Training can use that, a state may say by its length "I matter". But whoever expects "the most similar one wins" should take the cosine.

# %% [markdown] lang="zh"
# 五次里有一次。公式没有错：点积问的是“方向是否一致，*而且有多长*”。训练用得上这一点：状态可以用自己的长度表示“我重要”。但谁要是以为“最相像的必胜”，就该用余弦。

# %% [markdown] lang="en"
# ## Bahdanau's score
#
# The first attention (Bahdanau, Cho and Bengio, 2014) scored with a small neural network. Both states are turned by a matrix of their own, added, squashed, and measured along one vector. Hence the name **additive**:
#
# $$e_t = v \cdot \tanh(W_1 h_t + W_2 s)$$
#
# Its matrices are learned together with everything else. Nobody tells the model which words belong together.

# %% [markdown] lang="zh"
# ## Bahdanau 的打分
#
# 最早的注意力（Bahdanau、Cho、Bengio，2014）用一个小神经网络打分：两个状态各乘一个矩阵，相加，压到一定范围，再沿一个向量量出大小。所以叫**加性**打分：
#
# $$e_t = v \cdot \tanh(W_1 h_t + W_2 s)$$
#
# 这些矩阵和模型的其余部分一起学出来。哪个词对哪个词，没有人告诉过模型。

# %% [markdown] lang="en"
# ### Exercise: `additive_scores`
#
# Return the scores of all positions, before the softmax. The rows of `enc` are the states. The middle size A need not be H: both matrices have the shape (A, H).
#
# <details><summary>Hint</summary>
#
# For one state it is `W1 @ h`. For all rows at once: `enc @ W1.T`, shape (T, A). The part with s is one vector (A,); adding it to each row is done by broadcasting.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`additive_scores`
#
# 返回所有位置的分数（做 softmax 之前的）。`enc` 的每一行是一个状态。中间的大小 A 不一定等于 H：两个矩阵的形状都是 (A, H)。
#
# <details><summary>提示</summary>
#
# 对单个状态是 `W1 @ h`；对所有行一次算完是 `enc @ W1.T`，形状 (T, A)。含 s 的部分是一个向量 (A,)，靠广播加到每一行上。
#
# </details>


# %% exercise="additive_scores"
def additive_scores(s, enc, W1, W2, v):
    """Bahdanau's scores of every source position, before the softmax.

    Args:
        s: (H,) tensor, the decoder's state.
        enc: (T, H) tensor, the encoder's states, one a row.
        W1: (A, H) tensor, for the encoder's states.
        W2: (A, H) tensor, for the decoder's state.
        v: (A,) tensor.

    Returns:
        (T,) tensor of v . tanh(W1 h_t + W2 s).
    """
    ### BEGIN SOLUTION
    return torch.tanh(enc @ W1.T + W2 @ s) @ v
    ### END SOLUTION


# %% check="additive_scores"
check(additive_scores)

# %% [markdown] lang="en"
# Our own version goes position by position, on the six states from above. The matrices are still random. What should the weights tell us, then?

# %% [markdown] lang="zh"
# 我们自己的版本逐个位置来算，用的还是上面那六个状态。矩阵仍是随机的。那么，这些权重能告诉我们什么？

# %%
e = []
for h in enc:
    mixed = torch.tanh(W1 @ h + W2 @ s)  # (H,)
    e.append(v @ mixed)
additive_weights = torch.softmax(torch.stack(e), 0)
ctx = torch.einsum("t,th->h", additive_weights, enc)

print(
    "additive", additive_weights.numpy().round(3), " sum", round(additive_weights.sum().item(), 6)
)
print("dot     ", dot_weights.numpy().round(3), " sum", round(dot_weights.sum().item(), 6))
print("context ", tuple(ctx.shape))

# %%
rows = torch.stack([additive_weights, dot_weights, torch.softmax(4 * cosine, 0)])
names = ["additive, random matrices", "dot product", "cosine times 4"]
heatmap(
    rows,
    list("012345"),
    names,
    vmax=1,
    digits=2,
    title="Who gets the weight? (planted: 3)",
    xlabel="source position",
    bar="attention weight",
)
show()

# %% [markdown] lang="en"
# Nothing, yet. Random matrices give weights without meaning; only training can make them mean something. What does hold already: weights that sum to 1, a context of fixed size, and a gradient to every part. (The cosine is multiplied by 4 here, or its softmax would be nearly flat. That is a temperature; we shall meet it again.)

# %% [markdown] lang="zh"
# 眼下什么也说明不了。随机的矩阵给出的权重没有意义，训练之后才会有。已经成立的是：权重和为 1，上下文大小固定，每个部分都有梯度。（这里给余弦乘了 4，否则 softmax 几乎是平的。这就是“温度”，后面还会见到。）

# %% quiz="bahdanau"
quiz("bahdanau")

# %% [markdown] lang="en"
# ## A translator that looks back
#
# Now into the machine of lesson 5. The encoder reads in both directions this time, so that each state knows its neighbours on both sides. The decoder step gains exactly our three lines: score, softmax, weighted sum. Then context and state together choose the word.

# %% [markdown] lang="zh"
# ## 会回头看的翻译模型
#
# 现在把它装进第 5 课的机器。这一次编码器从两个方向读，每个状态就知道左右两边的邻居。解码的每一步只多出我们那三行：打分、softmax、加权求和。然后由上下文和状态一起选出词来。


# %%
def look(model, memory, s, change=lambda a: a):
    """One decoding step with dot scores, in the open.

    Args:
        memory: (S, H) encoder states.
        s: (H,) the decoder's state.
        change: what to do to the weights before they are used; nothing, as a rule.
    """
    a = change(torch.softmax(memory @ s, 0))  # (S,) score and softmax
    context = a @ memory  # (H,) weighted sum
    mixed = torch.tanh(model.combine(torch.cat([context, s])))  # (H,)
    return model.output(mixed), a  # (V,) one number a French word


# %%
@torch.no_grad()
def translate(model, words, change=lambda a: a, most=60):
    """Write the likeliest word, read it, look again, until the end token comes."""
    source = torch.tensor([model.source.encode(words)])  # (1, S)
    memory, h, c = model.encode(source, torch.tensor([len(words)]))
    state, token, written, weights = (h[None], c[None]), seq2seq.BOS, [], []
    while token != seq2seq.EOS and len(written) < most:
        vector = model.target_vectors(torch.tensor([[token]]))
        s, state = model.decoder(vector, state)
        logits, a = look(model, memory[0], s[0, 0], change)
        token = int(logits.argmax())
        written.append(token)
        weights.append(a)
    return model.target.decode(written), torch.stack(weights)  # words, (steps, S)


# %% [markdown] lang="en"
# That is all that lesson 5 lacked. Training is as before: the true French as input, cross-entropy on the next word, nothing about alignment anywhere. About 10 seconds; after the first time it comes from the cache (`retrain=True` trains again).

# %% [markdown] lang="zh"
# 第 5 课缺的就是这些。训练和从前一样：输入真实的法语，对下一个词算交叉熵，哪里也没有提到对齐。约需 10 秒；第一次之后会从缓存读取（`retrain=True` 则重新训练）。

# %%
corpus = translation.load_translation()
model, history = seq2seq.trained_translator("dot", seed=0, retrain=False)
size = sum(weights.numel() for weights in model.parameters())
print(f"{size:,} parameters, {history.seconds:.0f} CPU-s of training")

for pair in corpus.test[420:1080:220]:
    words, _ = translate(model, pair.source)
    print(f"\n{translation.show_text(pair.source)}\n-> {translation.show_text(words)}")
    print("   right" if words == pair.target else "   wrong")

# %% [markdown] lang="en"
# The course's fast version does a whole batch at once, and in training a whole sentence in a single call. Is it the same model? Same words, same weights, on fifty test sentences:

# %% [markdown] lang="zh"
# 课程的快速版本一次处理一整批句子，训练时一次调用就读完整句。它是同一个模型吗？拿五十个测试句，比一比词和权重：

# %%
some = corpus.test[::22][:50]
fast = seq2seq.translate_greedy(model, [pair.source for pair in some])
slow = [translate(model, pair.source) for pair in some]
equal = [x.words == words for x, (words, _) in zip(fast, slow, strict=True)]
print(f"same words in {sum(equal)} of {len(equal)} sentences")
gaps = [np.abs(x.weights - a.numpy()).max() for x, (_, a) in zip(fast, slow, strict=True)]
print(f"largest difference between weights: {max(gaps):.1e}")

# %% [markdown] lang="en"
# One more test, worth keeping for every attention you ever write: change one encoder state, and the weights must change. It sounds silly. But widely copied code has computed its weights from the decoder alone, and nobody noticed for years, because such a model still learns a little.

# %% [markdown] lang="zh"
# 还有一个检验，以后每写一个注意力都值得做：改动一个编码器状态，权重必须跟着变。听起来多余。可是流传很广的代码里，真有只用解码器状态来算权重的，多年没人发现，因为那样的模型也能学到一点东西。

# %%
memory, state = torch.randn(5, 128) / 4, torch.randn(128) / 4
moved = memory.clone()
moved[2] += 0.1 * state  # one encoder state, a little more like what is sought
with torch.no_grad():
    for name, states in [("before", memory), ("after ", moved)]:
        print(name, look(model, states, state)[1].numpy().round(3))

# %% [markdown] lang="en"
# And now the curve. Lines and bands are the recorded study again, with additive and dot attention added; the dots are the model that you have just trained. Look at the white part first. Was your first guess high enough?

# %% [markdown] lang="zh"
# 现在来看曲线。线和色带还是那项录好的实验，加上了加性与点积两种注意力；圆点就是你刚训练的模型。先看白色的部分。你猜的第一个数够高吗？

# %%
live = {"dot": seq2seq.quality_by_length(model)["exact"]}
figure, ax = plt.subplots(figsize=(7.5, 3.6))
draw_by_length(ax, study, ["plain", "reversed", "additive", "dot"], live=live)
ax.set_title("The same curve, with attention")
ax.legend(bbox_to_anchor=(1.0, 0.5), loc="center left")
show()

# %% [markdown] lang="en"
# The cliff has become a gentle slope. What is left of the slope is mostly arithmetic: a sentence of 20 words offers more chances for one mistake than a sentence of 5.
#
# Is it a fair fight? The models without attention got at least as many CPU seconds. Is it the attention, or the two-way encoder? The study has that too:

# %% [markdown] lang="zh"
# 悬崖变成了缓坡。剩下的坡度大半是算术：20 个词的句子，出一次错的机会比 5 个词的句子多。
#
# 比得公平吗？不带注意力的模型得到的 CPU 时间只多不少。功劳属于注意力，还是双向编码器？实验里也有记录：

# %%
groups = study["groups"][:4]
print(f"{'exact match (%)':18}", "".join(f"{group:>8}" for group in groups), "   CPU-s")
for name in ("plain", "reversed", "dot, one-way", "additive", "dot", "general"):
    seconds = seq2seq.study_values(study, name, "seconds").mean()
    means = seq2seq.study_values(study, name)[:, :4].mean(axis=0)
    print(f"{name:18}", "".join(f"{value:8.0f}" for value in means), f"{seconds:8.0f}")

# %% [markdown] lang="en"
# Both. With the one-way encoder of lesson 5, attention lifts the longest group from nothing to about a quarter, in fewer seconds. Reading in both directions lifts it on to more than three quarters. The two belong together: attention fetches single states, so each state had better know what stands to its left *and* right.

# %% [markdown] lang="zh"
# 两者都有份。用第 5 课那种单向编码器，注意力就让最长的一组从零升到约四分之一，花的时间还更少。再加上双向读，升到四分之三以上。两者是配套的：注意力取的是单个状态，所以每个状态最好既知道左边，*也*知道右边。

# %% [markdown] lang="en"
# ### A closer look: longer than anything it has read
#
# "The bottleneck is gone", they say. Now look at the grey part of the picture. If attention had really removed the problem of length, the curve would simply go on. It falls as well, only later.
#
# So the honest sentence is: **within the lengths seen in training** the bottleneck is gone. What goes wrong beyond? Read a typical one of these translations beside the true one:

# %% [markdown] lang="zh"
# ### 细看一步：比读过的都长
#
# 人们说“瓶颈消失了”。现在看图上灰色的部分。如果注意力真的解决了长度问题，曲线就该照样延伸下去。可它也掉下来了，只是晚一些。
#
# 所以老实的说法是：**在训练见过的长度之内**，瓶颈消失了。再长会出什么问题？挑一句有代表性的译文，和正确答案对着读：

# %%
long = [pair for pair in corpus.beyond if len(pair.source) >= 31]
said = seq2seq.translate_greedy(model, [pair.source for pair in long])
short = [len(p.target) - len(x.words) for p, x in zip(long, said, strict=True)]  # words missing
place = int(np.argsort(short, kind="stable")[len(short) // 2])  # neither the best nor the worst
print("source:", translation.show_text(long[place].source))
print("true:  ", translation.show_text(long[place].target))
print("model: ", translation.show_text(said[place].words))
print(f"\nwords too few, on average, at 31 to 40 words: {np.mean(short):.1f}")

# %% [markdown] lang="en"
# Each piece is good French, but it jumps: a clause is left out, or said twice. Nothing in our three lines remembers which places were already translated. A score sees what fits *now*, and in a long sentence several places fit. (Tu and others added such a memory in 2016 and called it coverage.)

# %% [markdown] lang="zh"
# 每一小段都是通顺的法语，但它会跳：漏掉一个分句，或者把一个分句说两遍。我们那三行公式里，没有什么记得哪些位置已经译过了。分数只看*眼下*合不合适，而长句里合适的地方不止一处。（Tu 等人在 2016 年加上了这种记忆，叫作 coverage，即覆盖。）

# %% [markdown] lang="en"
# ## Where does it look?
#
# The weights can be drawn: source words along the bottom, French words from top to bottom, dark where the model looks. Our grammar knows the true source of each French word; an orange ring marks it. The model never saw these rings.
#
# **Before you run:** French puts most adjectives after the noun. What will the picture look like there?

# %% [markdown] lang="zh"
# ## 它在看哪里？
#
# 权重可以画出来：横轴是源句的词，纵轴自上而下是法语词，颜色深的地方就是模型在看的地方。我们的语法知道每个法语词真正来自哪个词，用橙色的圈标出。这些圈，模型从没见过。
#
# **运行前先想：** 法语的形容词多半放在名词后面。图上那里会是什么样子？


# %%
def crossings(pair):
    return studies.word_classes(pair).count("crossing adjective")


fitting = [p for p in corpus.test if crossings(p) >= 2 and 8 <= len(p.source) <= 10]
pair = next((p for p in fitting if translate(model, p.source)[0] == p.target), fitting[0])
words, weights = translate(model, pair.source)

ax = views.alignment_map(pair.source, words, weights[: len(words)], pair.alignment)
ax.set_title("Dark: where it looks. Ring: the true source")
show()

# %% [markdown] lang="en"
# Mostly a diagonal: both languages go forward. But at each adjective the path **crosses**: the eye first jumps over the adjective to the noun, then comes back. No one taught it that. It is what makes the next word easiest to guess.
#
# The diagonal has no error in it, so is it always so clear? A longer one:

# %% [markdown] lang="zh"
# 大体是一条对角线：两种语言都往前走。但每到形容词，路线就**交叉**：目光先跳过形容词去看名词，再折回来。没有人教过它。这样看，下一个词最好猜，仅此而已。
#
# 每次都这么清楚吗？再看一个长些的句子：

# %%
pair = next(p for p in corpus.test if len(p.source) == 16 and crossings(p) >= 2)
words, weights = translate(model, pair.source)
gold = pair.alignment if words == pair.target else ()
views.alignment_map(pair.source, words, weights[: len(words)], gold, title="Sixteen words")
show()
print("translation right" if gold else f"it should be: {translation.show_text(pair.target)}")

# %% [markdown] lang="en"
# A heatmap belongs to one sentence, and it is easy to pick a pretty one. So we count over the whole test set: for which share of the French words does the largest weight lie on a true source word? "Crossing" are adjectives behind their noun.

# %% [markdown] lang="zh"
# 一张热力图只属于一个句子，挑一张漂亮的很容易。所以我们在整个测试集上数一数：有多少法语词，最大的权重正好落在真正的源词上？“交叉”指名词后面的形容词。

# %%
shares = studies.gold_share(model, corpus.test)
for kind, share in shares.items():
    print(f"{kind:20} {share:.1%}")

# %% [markdown] lang="en"
# ### Watch it step by step
#
# In a live notebook, drag the slider or press play: the upper row is the source, the darker the more weight; below, the words written so far, the current one framed. (Without a kernel you see the first step only; the heatmaps above hold the same numbers.)

# %% [markdown] lang="zh"
# ### 一步一步看
#
# 笔记本运行时，拖动滑块或按播放：上面一行是源句，颜色越深，权重越大；下面是已经写出的词，当前的词加了框。（没有运行内核时，只看得到第一步；上面的热力图里是同样的数。）

# %%
pair = fitting[1]
words, weights = translate(model, pair.source)
views.step_viewer(pair.source, words, weights)

# %%
figure, axes = plt.subplots(5, 1, figsize=(6.4, 3.6), sharex=True)
for step, ax in enumerate(axes):
    heatmap(weights[step : step + 1], pair.source, [words[step]], vmax=1, ax=ax)
axes[0].set_title("The first five decoding steps")
show()

# %% [markdown] lang="en"
# Now your own sentence, with words from the list. Change it and run again. Some sentences that our grammar would never make work too, some fail in funny ways.

# %% [markdown] lang="zh"
# 现在换成你自己的句子，词从列出的里面选。改一改再运行。有些句子我们的语法根本造不出来，也能译；有些会错得很有趣。

# %%
sentence = "the small white cat sees a strange house"

known = sorted(word for word in model.source.words if word.isalpha())
unknown = [word for word in sentence.split() if word not in model.source.index]
print("unknown to the model:", *unknown) if unknown else print("all words known")
words, weights = translate(model, sentence.split())
views.alignment_map(
    sentence.split(), words, weights[: len(words)], title=translation.show_text(words)
)
show()
print("it knows:", *known)

# %% [markdown] lang="en"
# ## A closer look: attention is not alignment
#
# So attention finds which words belong together, like a dictionary? Careful. We train a second model with Bahdanau's score, and its encoder reads from **left to right only**. When that encoder stands at "the", it has not yet seen the noun. But French must choose between *le* and *la*, and that depends on the noun's gender.
#
# **Your guess:** where will this model look when it writes *le* or *la*? (Training takes 10 to 20 seconds.)

# %% [markdown] lang="zh"
# ## 细看一步：注意力不等于对齐
#
# 这么说，注意力像词典一样，找出了哪个词对哪个词？别急。我们再训练一个模型，用 Bahdanau 的打分，编码器**只从左往右**读。读到 the 的时候，它还没看见后面的名词。可是法语要在 *le* 和 *la* 之间选一个，这取决于名词的性。
#
# **请你猜：** 写 *le* 或 *la* 的时候，这个模型会看哪里？（训练要 10 到 20 秒。）

# %%
one_way, history = seq2seq.trained_translator("additive", seed=0, two_way=False)
said = seq2seq.translate_greedy(one_way, [pair.source for pair in corpus.test])
print(f"BLEU of its translations: {seq2seq.bleu(said, corpus.test):.0f}")

shares_one_way = studies.gold_share(one_way, corpus.test)
for kind in shares:
    print(f"{kind:20} two-way dot {shares[kind]:5.1%}", end="   ")
    print(f"one-way additive {shares_one_way[kind]:5.1%}")


# %%
def astray(pair, weights):
    """How many determiners have their largest weight outside the ring."""
    rows = zip(studies.word_classes(pair), weights, pair.alignment, strict=False)
    return sum(int(a.argmax()) not in true for kind, a, true in rows if kind == "determiner")


right = [(p, x.weights) for p, x in zip(corpus.test, said, strict=True) if x.words == p.target]
short = [(p, a) for p, a in right if 7 <= len(p.source) <= 10]
pair, weights = max(short, key=lambda both: astray(*both))  # chosen because it shows it well
views.alignment_map(pair.source, pair.target, weights[:-1], pair.alignment)
plt.title("One-way encoder, right translation")
show()

# %% [markdown] lang="en"
# The translation is right, and yet for the determiners the dark cell is **not** in the ring: it lies on the noun, because that is where the gender can be read. We chose this sentence because it shows it well. So count again, over all test sentences that this model translates without a mistake:

# %% [markdown] lang="zh"
# 译文是对的，可是写限定词时，深色的格子**不在**圈里，而落在名词上：因为性要从名词那里读出来。这一句是特意挑的，因为它看得最清楚。所以再数一遍，范围是这个模型译得全对的所有测试句：

# %%
good = [pair for pair, _ in right]  # what the one-way model translates without a mistake
print(f"{len(good)} sentences; the largest weight of a determiner lies on")
for name, which in [("two-way dot", model), ("one-way additive", one_way)]:
    own, noun = studies.determiner_looks(which, good)
    print(f"{name:17} its English one: {own:.0%}   the noun: {noun:.0%}")

# %% [markdown] lang="en"
# Attention answers "where do I find what I need?", not "which word is this a translation of?". For about half of the determiners the two are different places, in sentences that come out right.
#
# Would another seed look the same? We recorded five of each kind. First whom they agree with, mean and range:

# %% [markdown] lang="zh"
# 注意力回答的是“我要的东西在哪里找得到”，而不是“这个词译自哪个词”。大约一半的限定词，这是两个不同的地方，而这些句子都译对了。
#
# 换个种子，看的地方也一样吗？我们每种录了五个种子。先看它们与谁一致，列出均值和范围：

# %%
recorded = studies.recorded()["translators"]
print(f"{'largest weight on a true source (%)':36} {'crossing adj.':>16} {'determiner':>16}")
for name, runs in recorded.items():
    print(f"{name:36}", end="")
    for kind in ("crossing adjective", "determiner"):
        values = 100 * np.array([run["gold share"][kind] for run in runs])
        spread = f"{values.mean():.0f} ({values.min():.0f} to {values.max():.0f})"
        print(f"{spread:>17}", end="")
    print()

# %% [markdown] lang="en"
# The crossing is safe with all of them. But look at the last row: some one-way models look at *the* itself nearly always, others half of the time. Same architecture, same data, another seed.
#
# Which of them choose *le* or *la* more often right: those that agree with the dictionary, or those that look away to the noun? Guess before you run.

# %% [markdown] lang="zh"
# 交叉的形容词，各个模型都稳。可是看最后一行：同样是单向模型，有的几乎总是看 *the* 本身，有的只有一半时候看它。结构一样，数据一样，只换了种子。
#
# 哪些模型选 *le* 或 *la* 选得更对：与词典一致的，还是扭头去看名词的？先猜，再运行。

# %%
for (name, runs), colour in zip(recorded.items(), ("C0", "C2", "C1"), strict=True):
    own = [100 * run["determiner looks"]["own"] for run in runs]
    right = [100 * run["articles right"] for run in runs]
    plt.plot(own, right, "o", color=colour, ms=8, alpha=0.8, label=name)
plt.title("Looking at the right word, writing the right word")
plt.xlabel("determiners that look at their own word (%)")
plt.ylabel("articles with a gender right (%)")
plt.xlim(30, 103)
plt.ylim(30, 103)
plt.legend(loc="lower left")
show()

# %% [markdown] lang="en"
# Among the one-way models, the more a model agrees with the dictionary, the **worse** it translates: at *the* there is nothing to learn about gender. Those that look away to the noun find it. With a two-way encoder the state at *the* has already read the noun, and looking straight ahead is enough.
#
# > **Misconception.** "Its heatmap looks right, so the model is good." Five points are no law of nature, but they are enough to refute that.

# %% [markdown] lang="zh"
# 在单向模型里，与词典越一致，译得越**差**：在 *the* 那里，看不出一点性的消息。扭头去看名词的，才找得到。用了双向编码器，*the* 处的状态已经读过名词，直直地看过去就够了。
#
# > **常见误解。** “热力图看着对，所以模型好。”五个点算不上自然规律，但足以反驳这句话。

# %% [markdown] lang="en"
# ### An ablation: do the weights matter at all?
#
# A picture may be pretty and beside the point. The test is to *change* the weights and see whether the translation changes. Order these five by what you expect: weights as learned; only the largest one kept; everything equal; the largest one removed; all shifted by one place.

# %% [markdown] lang="zh"
# ### 消融实验：权重到底要不要紧？
#
# 图可以很漂亮，却与结果无关。检验的办法是*改动*权重，看译文变不变。请按你的预期给这五种排个次序：原样不动；只留最大的一个；全部相等；去掉最大的一个；整体挪一个位置。


# %%
def without_largest(a):
    rest = a * (a < a.max())
    return rest / rest.sum().clamp(min=1e-9)


changes = {
    "as learned": lambda a: a,
    "only the largest": lambda a: (a == a.max()).float(),
    "all equal": lambda a: torch.full_like(a, 1 / len(a)),
    "largest removed": without_largest,
    "shifted by one": lambda a: a.roll(1),
}

# %%
some = corpus.test[::9]
kept = []
for change in changes.values():
    right = [translate(model, pair.source, change)[0] == pair.target for pair in some]
    kept.append(100 * np.mean(right))
plt.figure(figsize=(6, 2.6))
bars = plt.barh(list(changes), kept, height=0.6)
plt.gca().invert_yaxis()
plt.bar_label(bars, fmt="%.0f %%", padding=3)
plt.xlim(0, 105)
plt.xlabel("exact match (%)")
plt.title(f"{len(some)} test sentences, weights tampered with")
show()

# %% [markdown] lang="en"
# So this decoder lives by its weights: look one place too far and every sentence breaks. In that sense they do explain. But they are not *the* explanation: encoder states have read their neighbours, so a weight on "cat" may fetch what was learned from "black". And two models may agree on every word and look at different places.
#
# How far heatmaps explain is still disputed: "Attention is not explanation" (Jain and Wallace, 2019) was answered by "Attention is not not explanation" (Wiegreffe and Pinter, 2019). Use them as an intuition, and test it.

# %% [markdown] lang="zh"
# 可见这个解码器全靠权重：看偏一格，句句都错。在这个意义上，权重确实说明问题。但它们不是*唯一的*解释：编码器的状态读过左右邻居，放在 cat 上的权重，取来的可能是从 black 学到的东西；而且两个模型可以每个词都译得一样，看的地方却不同。
#
# 热力图能解释到什么程度，至今还有争论：有人写了 “Attention is not explanation”（Jain 与 Wallace，2019），就有人回了一篇 “Attention is not not explanation”（Wiegreffe 与 Pinter，2019）。拿它当直觉，再去检验。

# %% quiz="not_alignment"
quiz("not_alignment")

# %% [markdown] lang="en"
# ## Real data: dates
#
# A grammar is a laboratory. Out in the world people write the same day in many ways. Our next data come from Unicode's CLDR, the tables that your telephone uses: seven languages, with and without weekday. The target is the ISO form. We drop capitals, and we leave out patterns such as 5/3/1998: day or month first? Nobody can tell.

# %% [markdown] lang="zh"
# ## 真实数据：日期
#
# 语法造的句子是实验室里的东西。现实中，同一天有许多种写法。下面的数据来自 Unicode 的 CLDR，也就是你的手机所用的那些表：七种语言，带星期或不带。目标是 ISO 格式。我们把大写都换成小写，并且去掉 5/3/1998 这类写法：先日还是先月？谁也说不准。

# %%
calendar = dates.load_dates()
for pair in calendar.train[:8]:
    print(f"{''.join(pair.target)}  <-  {''.join(pair.source)}")
train, test = ({pair.target for pair in part} for part in (calendar.train, calendar.test))
print(f"{len(train)} days to train on, {len(test)} to test on, {len(train & test)} in both")

# %% [markdown] lang="en"
# The same dot attention, smaller, character by character; about four seconds. Which share of 1,000 unseen days will be right in all ten characters? And without attention, with as many steps?

# %% [markdown] lang="zh"
# 还是点积注意力，小一号，逐个字符翻译，约四秒。1,000 个没见过的日子，十个字符全对的会占多少？如果不用注意力，步数相同，又会怎样？

# %%
reader, history = studies.dates_translator(retrain=False)
said = seq2seq.translate_greedy(reader, [pair.source for pair in calendar.test])
exact = seq2seq.exact_match(said, calendar.test)
without = studies.recorded()["dates"]["reversed"]
print(f"with attention, this run: {exact:.1%} of unseen days exact")
print(f"without, recorded, five seeds: {', '.join(f'{share:.1%}' for share in without)}")

# %% [markdown] lang="en"
# Copying four digits from the right place is hard from memory and easy by looking. Two maps; the ring marks the characters that truly say it. Look at how it reads a month's name: does it need all of the letters?

# %% [markdown] lang="zh"
# 凭记忆照抄四位数字很难，看着抄就容易。下面是两张图；圈标出真正说明问题的那些字符。看看它怎样读月份的名字：每个字母都需要吗？

# %%
for wanted in ("septiembre", "月"):
    place = next(i for i, p in enumerate(calendar.test) if wanted in "".join(p.source))
    pair, found = calendar.test[place], said[place]
    views.date_map("".join(pair.source), found, gold=pair.alignment)
show()

# %% [markdown] lang="en"
# A few letters do, as they do for us. Now what people might type. The model always answers, whatever it reads; so the course checks the answer: is it a day of the calendar, and would one of our patterns write it like this?

# %% [markdown] lang="zh"
# 几个字母就够了，我们自己读也是这样。再看人们可能输入的东西。不管读到什么，模型总会给出一个答案；所以课程再核对一遍：日历上有没有这一天？我们的各种写法里，有没有哪一种会写成这样？

# %%
typed = ["MARCH 5, 1998", "1998年3月5日", "3 de septiembre de 2031", "31 February 1998"]
typed += ["14 juillet 1789", "5/3/1998", "next Tuesday", "½ past 8"]
for text in typed:
    found, verdict = studies.read_date(reader, text)
    print(f"{text}\n    {views.date_sentence(verdict, ''.join(found.words))}")

# %% [markdown] lang="en"
# The storming of the Bastille is beyond it: training showed only years from 1900 to 2099. It learned what it was shown, and no more.

# %% [markdown] lang="zh"
# 攻占巴士底狱的那一天难住了它：训练中只出现过 1900 到 2099 年。给它看了什么，它才会什么，多一点也不会。

# %%
older = seq2seq.translate_greedy(reader, [pair.source for pair in calendar.beyond])
print(f"days of 1800 to 1899: {seq2seq.exact_match(older, calendar.beyond):.1%} exact")
print("".join(calendar.beyond[0].source), "->", "".join(older[0].words))

# %% [markdown] lang="en"
# Your turn, in a live notebook: type a date and press Enter.

# %% [markdown] lang="zh"
# 该你了（需要运行内核）：输入一个日期，按回车。

# %%
views.date_box(reader, show)

# %% [markdown] lang="en"
# ## A dictionary that blends
#
# Step back from translation: what kind of thing is attention? A Python dictionary takes a **query**, finds the **key** that equals it, and hands out that key's **value**. All or nothing:

# %% [markdown] lang="zh"
# ## 会调和的字典
#
# 先把翻译放一放：注意力究竟是什么？Python 的字典接到一个**查询**（query），找到与它相等的**键**（key），把这个键的**值**（value）交出来。要么全有，要么全无：

# %%
colours = {"red": (1, 0, 0), "yellow": (1, 1, 0), "green": (0, 1, 0)}
colours |= {"cyan": (0, 1, 1), "blue": (0, 0, 1), "magenta": (1, 0, 1)}
print("red:", colours["red"], "  orange:", colours.get("orange", "no such key"))

# %% [markdown] lang="en"
# Attention is the soft version. Query and keys are vectors, each key gets a weight by how well it fits, and the answer is a **blend** of all values. In our translator the query is the decoder's state, and keys and values are both the encoder's states $h_t$.
#
# Let the six colours sit on a circle, 60 degrees apart. Orange lies between red (0) and yellow (60). What should the answer at 30 degrees be?

# %% [markdown] lang="zh"
# 注意力是它的软版本。查询和键都是向量，键越合适，权重越大，答案是所有值的**调和**。在我们的翻译模型里，查询是解码器的状态，键和值都是编码器的状态 $h_t$。
#
# 把六种颜色放在一个圆上，相隔 60 度。橙色在红（0）和黄（60）之间。在 30 度处，答案应当是什么？

# %%
angles = torch.arange(6) * torch.pi / 3
KEYS = torch.stack([angles.cos(), angles.sin()], 1)  # (6, 2) points on the circle
VALUES = torch.tensor(list(colours.values()), dtype=torch.float32)  # (6, 3)


def blend(degrees, temperature):
    """The colours at some angles: (n,) -> (n, 3), and the weights (n, 6)."""
    turn = torch.deg2rad(degrees)
    Q = torch.stack([turn.cos(), turn.sin()], -1)  # (n, 2) queries
    weights = torch.softmax(Q @ KEYS.T / temperature, -1)
    return weights @ VALUES, weights


answer, weights = blend(torch.tensor([30.0]), temperature=0.1)
print("weights", weights[0].numpy().round(2), " colour", answer[0].numpy().round(2))

# %% [markdown] lang="en"
# Half red, half yellow: orange, a key that was never in the dictionary. The **temperature** divides the scores. Guess the two ends: what happens as it goes to 0, and what when it grows large?

# %% [markdown] lang="zh"
# 一半红一半黄，得到橙：字典里从来没有过的键。**温度**用来除分数。先猜两头：温度趋于 0 会怎样？很大时又会怎样？

# %%
circle = torch.linspace(0, 359, 360)
temperatures = [0.01, 0.1, 0.3, 1.0, 10.0]
figure, axes = plt.subplots(5, 1, figsize=(6, 2.8), sharex=True)
for ax, temperature in zip(axes, temperatures, strict=True):
    strip = blend(circle, temperature)[0].clamp(0, 1)
    ax.imshow(strip[None], aspect="auto", extent=(0, 360, 0, 1))
    ax.set_yticks([0.5], [f"{temperature:g}"])
    ax.grid(False)
axes[0].set_title("The answer around the circle, by temperature")
axes[-1].set_xticks(range(0, 361, 60))
axes[-1].set_xlabel("angle of the query (degrees)")
show()

# %% [markdown] lang="en"
# Near 0 it is the **hard** look-up: nearest key, sharp borders. Very hot, it gives the same grey average to every question. In between lies attention. In a live notebook, drag both sliders:

# %% [markdown] lang="zh"
# 趋于 0，就是**硬**查找：取最近的键，边界分明。非常热的时候，不管问什么，都给同一个灰色的平均。注意力在两者之间。笔记本运行时，可以拖动两个滑块：


# %%
def picture(angle, temperature):
    answer, weights = blend(torch.tensor([angle]), temperature)
    plt.figure(figsize=(5, 2))
    plt.bar(list(colours), weights[0], color=VALUES.numpy(), edgecolor="0.3")
    plt.ylim(0, 1)
    plt.gca().set_facecolor(answer[0].clamp(0, 1).numpy())
    plt.title(f"temperature {temperature:.3f}: weights, on the colour they give")
    show()


explore(
    picture,
    angle=slider("angle of the query (degrees)", 0, 359, 1, start=30),
    temperature=slider("temperature", -2, 1, 0.1, start=0.1, log=True),
)

# %% [markdown] lang="en"
# Why not always the hard look-up? Because nothing could be learned through it. Move the query a little and the answer does not move: its gradient is zero. That is the deeper reason for softmax:

# %% [markdown] lang="zh"
# 为什么不干脆用硬查找？因为隔着它什么也学不了。查询动一点，答案纹丝不动：梯度为零。用 softmax 的深层理由就在这里：

# %%
for temperature in (0.01, 0.1, 0.3, 1.0, 10.0):
    degrees = torch.tensor([20.0], requires_grad=True)
    red, green, blue = blend(degrees, temperature)[0][0]
    (gradient,) = torch.autograd.grad(green, degrees)
    print(f"temperature {temperature:5}: d(green)/d(degree) = {gradient.item():.1e}")

# %% [markdown] lang="en"
# ### Exercise: `dot_attention`
#
# The general form, for several queries at once. `mask[i, t]` is True where query i may look at place t (padding, say, it may not see). Hidden places get a weight of exactly 0. A query that may look nowhere gets zeros, both as weights and as context, never nan. Multiply the scores by `scale`.
#
# <details><summary>Hint</summary>
#
# `masked_fill(~mask, float("-inf"))` before the softmax gives exact zeros after it. A row full of minus infinity gives nan: mend it afterwards.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`dot_attention`
#
# 一般的形式，一次处理几个查询。`mask[i, t]` 为 True 表示查询 i 可以看位置 t（比如填充就不许看）。不许看的位置，权重必须正好是 0。哪里都不许看的查询，权重和上下文都得零，绝不能是 nan。分数要乘以 `scale`。
#
# <details><summary>提示</summary>
#
# softmax 之前用 `masked_fill(~mask, float("-inf"))`，之后就正好是零。整行都是负无穷会得到 nan：事后补救。
#
# </details>


# %% exercise="dot_attention"
def dot_attention(q, K, V, mask, scale):
    """Soft look-up of several queries.

    Args:
        q: (Q, d) tensor, one query a row.
        K: (T, d) tensor, one key a row.
        V: (T, D) tensor, one value a row.
        mask: (Q, T) tensor of bool, True where a query may look.
        scale: a number; the scores are multiplied by it.

    Returns:
        context (Q, D) and weights (Q, T), in this order. Weights are 0 where mask is False; a
        query that may look nowhere has zeros in both.
    """
    ### BEGIN SOLUTION
    scores = (q @ K.T * scale).masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, -1))
    return weights @ V, weights
    ### END SOLUTION


# %% check="dot_attention"
check(dot_attention)

# %% [markdown] lang="en"
# ## Which score is cheaper?
#
# Dot scores of all target and source places are one matrix product. Additive scores need a tanh for every pair of places and every hidden unit. Guess the ratio at 50 words on both sides.

# %% [markdown] lang="zh"
# ## 哪种打分更省？
#
# 点积打分：所有目标位置对所有源位置，就是一次矩阵乘法。加性打分：每一对位置、每一个隐藏单元，都要算一次 tanh。两边都是 50 个词时，猜猜差多少倍。

# %%
H = 128
A1, A2, u = torch.randn(H, H) / 11, torch.randn(H, H) / 11, torch.randn(H)


def all_dot(target, source):
    return target @ source.T  # (T, S)


def all_additive(target, source):
    return torch.tanh((target @ A2.T)[:, None] + (source @ A1.T)[None]) @ u  # (T, S)


for words in (10, 20, 50, 100):
    both = torch.randn(words, H), torch.randn(words, H)
    dot, additive = (1e3 * studies.best_seconds(f, *both) for f in (all_dot, all_additive))
    print(
        f"{words:3} words: dot {dot:6.3f} ms, additive {additive:7.3f} ms, {additive / dot:4.0f} x"
    )

# %% [markdown] lang="en"
# That is why everybody went over to dot products. In the whole translator the difference is smaller, for the RNNs cost most of the time; you saw the seconds in the study's table.

# %% [markdown] lang="zh"
# 大家后来都改用点积，原因就在这里。放到整个翻译模型里，差别没有这么大，因为大部分时间花在 RNN 上；各模型的秒数，前面实验的表里已经见过。

# %% [markdown] lang="en"
# ## The square root of d
#
# Dot products have one weakness. If the entries of q and k are independent, with mean 0 and variance 1, then $q \cdot k$ is a sum of $d$ such products. Its mean is 0. Its spread, you can work out:

# %% [markdown] lang="zh"
# ## d 的平方根
#
# 点积有一个弱点。如果 q 和 k 的各个分量相互独立，均值为 0，方差为 1，那么 $q \cdot k$ 就是 $d$ 个这样的乘积之和。均值是 0。散布有多大，你自己算得出来：

# %% quiz="root_d"
quiz("root_d")

# %% [markdown] lang="en"
# Scores in the tens are loud. Softmax then gives nearly everything to one place, like the dictionary at low temperature, and we know what that does to learning. The cure is to divide by $\sqrt{d}$. (Some copies of this argument lost the root sign on the way; so we try dividing by $d$ too.)
#
# We measure four things, for 10 keys: the variance of the scores; to how many places the weight really goes ($e^{\text{entropy}}$); the size of the softmax's Jacobian; and the gradient that reaches the query.

# %% [markdown] lang="zh"
# 几十的分数太响了。softmax 会把权重几乎全给一个位置，就像低温下的字典，而那样对学习有什么影响，我们已经知道。办法是除以 $\sqrt{d}$。（这个论证传抄时，有的版本丢了根号；所以我们也试试除以 $d$。）
#
# 取 10 个键，量四样东西：分数的方差；权重实际分给了几个位置（$e^{\text{entropy}}$，即熵的指数）；softmax 雅可比矩阵的大小；以及传到查询的梯度。


# %%
def measure(d, scale, queries=200, places=10):
    """Four numbers about softmax(scale * q.k) for random queries and keys of size d."""
    g = torch.Generator().manual_seed(d)
    q = torch.randn(queries, 1, d, generator=g)
    K = torch.randn(queries, places, d, generator=g)
    e = scale * (q @ K.transpose(1, 2))[:, 0]  # (queries, places)
    a = torch.softmax(e, -1)
    entropy = -(a * (a + 1e-38).log()).sum(-1)
    J = torch.diag_embed(a) - a[:, :, None] * a[:, None]  # d weights / d scores
    typical = [x.flatten(1).norm(dim=1).median() for x in (J, scale * J @ K)]  # by e, by q
    return e.var(), entropy.exp().mean(), *typical


# %%
sizes = [4, 16, 64, 256, 1024, 4096]
ways = {
    "unscaled": lambda d: 1.0,
    "divided by the root of d": lambda d: d**-0.5,
    "divided by d": lambda d: 1 / d,
}
results = {name: np.array([measure(d, way(d)) for d in sizes]) for name, way in ways.items()}
for name, table in results.items():
    print(f"{name:26} variance of scores:", *(f"{value:.2g}" for value in table[:, 0]))

# %%
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2))
titles = ["Places that get weight", "Jacobian of the softmax", "Gradient at the query"]
for column, (ax, title) in enumerate(zip(axes, titles, strict=True), start=1):
    for (name, table), colour in zip(results.items(), ("C1", "C0", "C2"), strict=True):
        ax.plot(sizes, table[:, column], "o-", color=colour, label=name)
    ax.set_xscale("log", base=4)
    ax.set_yscale("linear" if column == 1 else "log")
    ax.set_xticks(sizes, sizes, rotation=45)
    ax.set(title=title, xlabel="d")
    if column > 1:
        ax.set_ylim(1e-4, 3)
axes[0].set_ylabel("of 10")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
show()

# %% [markdown] lang="en"
# Unscaled, the weight shrinks to one place and the typical gradient dies. Divided by $d$, all places get the same and the gradient fades too, for the other reason: no question makes a difference. Only the root keeps everything as it is, whatever the size. (If you ever see weights that are nearly even everywhere, look for a lost root.)

# %% [markdown] lang="zh"
# 不缩放，权重缩到一个位置上，典型的梯度也没了。除以 $d$，所有位置分得一样多，梯度同样变小，理由正相反：问什么都没有区别。只有除以根号，不论多大，一切如旧。（要是哪天看到权重处处都差不多，先查查是不是丢了根号。）

# %% [markdown] lang="en"
# > **A closer look.** "Large scores give small gradients" is true of the *typical* query at large $d$. Look at the right picture once more: up to about $d = 64$ the unscaled gradient is the **larger** one, for scaling itself divides it. And we plotted medians. The mean tells another story:

# %% [markdown] lang="zh"
# > **细看一步。** “分数大，梯度就小”，说的是 $d$ 很大时的*典型*查询。再看右图：大约到 $d = 64$ 为止，不缩放的梯度反而**更大**，因为缩放本身就要除一次。而且我们画的是中位数，平均值说的是另一回事：

# %%
for d in (4, 64, 1024):
    g = torch.Generator().manual_seed(d)
    q, K = torch.randn(300, 1, d, generator=g), torch.randn(300, 10, d, generator=g)
    a = torch.softmax((q @ K.transpose(1, 2))[:, 0], -1)
    J = torch.diag_embed(a) - a[:, :, None] * a[:, None]
    size = (J @ K).flatten(1).norm(dim=1)  # gradient at each query, unscaled
    print(f"d = {d:4}, unscaled: median {size.median():.1e}, mean {size.mean():.2f},", end=" ")
    print(f"the loudest tenth has {size.topk(30).values.sum() / size.sum():.0%} of it")

# %% [markdown] lang="en"
# A few queries that sit just between two keys get everything, all others nothing. Learning does not stop, it becomes a lottery. Our translator, by the way, does not scale: with 128 units it learned well as you saw. The root matters when $d$ is large and nothing else keeps the scores small.

# %% [markdown] lang="zh"
# 少数恰好夹在两个键之间的查询拿走了一切，其余的什么也得不到。学习没有停，却变成了抽奖。顺便说，我们的翻译模型没有缩放：128 个单元，照样学得不错。$d$ 很大，又没有别的办法让分数保持适中时，这个根号才要紧。

# %% [markdown] lang="en"
# ## From looking back to looking around
#
# One thing we have not touched: encoder and decoder are still RNNs. They walk. Word 50 waits for word 49, and a gradient from the end to the start passes through every step between (lessons 3 and 4).
#
# But if looking works so well, why walk at all? Let **each position of one sentence** ask its own query, and let all positions answer. That is **self-attention**. Queries, keys and values are three views of the same $X$, one row per word:
#
# $$\text{softmax}\left(\frac{(X W_q)(X W_k)^\top}{\sqrt{d}}\right) X W_v$$

# %% [markdown] lang="zh"
# ## 从回头看到四面看
#
# 有一样东西我们还没动：编码器和解码器仍是 RNN，只会一步一步走。第 50 个词要等第 49 个词，从句尾到句首的梯度要穿过中间的每一步（第 3、4 课）。
#
# 可是，既然看这么好用，何必还要走？让**同一句话里的每个位置**都提出自己的查询，由所有位置来回答。这就是**自注意力**。查询、键、值是同一个 $X$（每行一个词）的三种投影：
#
# $$\text{softmax}\left(\frac{(X W_q)(X W_k)^\top}{\sqrt{d}}\right) X W_v$$

# %% [markdown] lang="en"
# ### Exercise: `self_attention`
#
# Here $d$ is the length of a key, which need not be the length of a word vector. With `causal=True` a position sees itself and earlier ones only: that is what a language model needs, for it must not read the answer.
#
# <details><summary>Hint</summary>
#
# `torch.ones(T, T, dtype=torch.bool).tril()` is True on and below the diagonal: row i may look at columns 0 to i.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`self_attention`
#
# 这里 $d$ 是键的长度，不一定等于词向量的长度。`causal=True` 时，一个位置只看得到自己和前面的：语言模型需要这样，因为它不可以偷看答案。
#
# <details><summary>提示</summary>
#
# `torch.ones(T, T, dtype=torch.bool).tril()` 在对角线及其下方为 True：第 i 行可以看第 0 到 i 列。
#
# </details>


# %% exercise="self_attention"
def self_attention(X, Wq, Wk, Wv, causal):
    """Scaled dot-product self-attention with one head.

    Args:
        X: (T, E) tensor, one position a row.
        Wq: (E, d) tensor, makes queries.
        Wk: (E, d) tensor, makes keys.
        Wv: (E, D) tensor, makes values.
        causal: True hides later positions.

    Returns:
        (T, D) tensor.
    """
    ### BEGIN SOLUTION
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    scores = Q @ K.T / K.shape[1] ** 0.5
    if causal:
        allowed = torch.ones(len(X), len(X), dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.softmax(scores, -1) @ V
    ### END SOLUTION


# %% check="self_attention"
check(self_attention)

# %% [markdown] lang="en"
# In the course's layer the same is three `nn.Linear` and one call of PyTorch. Two things to notice. First: "dog bites man" and "man bites dog", the pair with which the course began. Will the output for "dog" differ between the two?

# %% [markdown] lang="zh"
# 在课程的层里，同样的东西是三个 `nn.Linear` 加 PyTorch 的一次调用。有两点值得注意。第一点，用“狗咬人”和“人咬狗”来看，这门课就是从它们开始的。dog 的输出，在两句里会不同吗？

# %%
torch.manual_seed(0)
vectors = dict(zip(("dog", "bites", "man"), torch.randn(3, 8), strict=True))
layer = studies.SelfAttention(8, 8)
with torch.no_grad():
    for causal in (False, True):
        outputs = []
        for text in ("dog bites man", "man bites dog"):
            x = torch.stack([vectors[word] for word in text.split()])[None]  # (1, 3, 8)
            outputs.append(layer(x, causal=causal)[0, text.split().index("dog")])
        same = torch.allclose(*outputs, atol=1e-6)
        print(f"causal {causal!s:5}: output at 'dog' is {'the same' if same else 'different'}")

# %% [markdown] lang="en"
# Without a mask, self-attention is a bag of words: it does not see order at all. The RNN had order for free, because it walked. So whoever throws the RNN away must give the order back, for instance by adding a vector for each *position*. We leave that to a course on Transformers.
#
# The second thing is the path. How much of the first input reaches the last output? We measure the gradient's norm, for growing T: plain RNN, LSTM (also with the large forget bias of lesson 4), self-attention. All untrained. Sketch four curves.

# %% [markdown] lang="zh"
# 没有掩码时，自注意力就是一个词袋：完全看不见次序。RNN 一步步走，次序是白得的。所以谁扔掉 RNN，谁就得把次序补回来，比如给每个*位置*加一个向量。这留给讲 Transformer 的课。
#
# 第二点是路径。第一个输入有多少能到达最后的输出？我们让 T 增大，量梯度的范数：普通 RNN、LSTM（以及第 4 课那种大遗忘偏置的）、自注意力，都没有训练过。先在脑子里画四条曲线。


# %%
def make(kind, width=32):
    torch.manual_seed(0)
    if kind == "self-attention":
        return studies.SelfAttention(width, width).double()
    layer = (nn.RNN if kind == "RNN" else nn.LSTM)(width, width, batch_first=True).double()
    if kind == "LSTM, forget bias 5":
        layer.bias_ih_l0.data[width : 2 * width] = 5.0
    return lambda x: layer(x)[0]


# %%
kinds = ["RNN", "LSTM", "LSTM, forget bias 5", "self-attention"]
steps = [2, 4, 8, 16, 32, 64, 128, 256, 512]
norms = {
    kind: [
        np.mean([studies.first_to_last_gradient(make(kind), t, 32, seed) for seed in range(5)])
        for t in steps
    ]
    for kind in kinds
}

# %%
for kind, colour in zip(kinds, ("C1", "C3", "C2", "C0"), strict=True):
    plt.loglog(steps, norms[kind], "o-", color=colour, label=kind)
plt.loglog(steps, 10 / np.array(steps), ":", color="0.5", label="1 / T")
plt.ylim(1e-12, 1e2)
plt.title("How much of the first input reaches the last output")
plt.xlabel("T, length of the sequence")
plt.ylabel("gradient norm")
plt.legend(fontsize=8)
show()

# %% [markdown] lang="en"
# The RNN's curve dives out of the picture, the LSTM's a little later; the large forget bias holds on. Self-attention falls too, but slowly: from any position to any other it is **one step**, be T 2 or 512.
#
# > **A closer look.** One step, but no constant gradient. Untrained weights spread over all T positions, so each gets about 1/T: the curve follows the dotted line. Short is the *path*; how much travels on it must be learned.

# %% [markdown] lang="zh"
# RNN 的曲线一头栽出图外，LSTM 稍晚一些；大遗忘偏置撑得住。自注意力也降，但降得慢：不管 T 是 2 还是 512，从任何位置到任何位置都只有**一步**。
#
# > **细看一步。** 只有一步，但梯度并非不变。没训练过的权重摊在全部 T 个位置上，每个约得 1/T：曲线跟着虚线走。短的是*路径*；路上走多少东西，要靠学。

# %% [markdown] lang="en"
# And the time? What parallel hardware cannot shorten is the chain of operations that must **wait for one another**. We can count it in the graph that PyTorch keeps for the gradient. Which of the two will grow with T?

# %% [markdown] lang="zh"
# 那么时间呢？并行硬件缩短不了的，是那条必须**一个等一个**的运算链。PyTorch 为了求梯度，把整张计算图都记着，我们就在图上数。下面两种，哪一种会随 T 变长？

# %%
width = 64
cell, lstm = nn.LSTMCell(width, width), nn.LSTM(width, width, batch_first=True)
attention = studies.SelfAttention(width, width)


def walk(x):
    """An LSTM, one step a call: the last state (1, width) of x (1, T, width)."""
    state = None
    for step in x.unbind(1):
        state = cell(step, state)
    return state[0]


for t in (8, 64, 512):
    chains = [studies.longest_chain(run(torch.randn(1, t, width))) for run in (walk, attention)]
    print(f"T = {t:3}: LSTM {chains[0]:5}, self-attention {chains[1]:3} operations in a row")

# %% [markdown] lang="en"
# With enough hardware, all positions of self-attention are computed at once; an LSTM must take its T steps, whatever the hardware. **We** have one processor core. Who is faster here, at T = 32 and at T = 2,048?

# %% [markdown] lang="zh"
# 硬件够多，自注意力的所有位置可以同时算完；LSTM 却必须走完 T 步，什么硬件也没用。**我们**只用一个处理器核心。T = 32 和 T = 2,048 时，各是谁更快？

# %%
lengths = [32, 64, 128, 256, 512, 1024, 2048]

runs = {"LSTM, one step a call": walk, "LSTM, fused": lstm, "self-attention": attention}
inputs = [torch.randn(1, t, width) for t in lengths]
with torch.no_grad():
    times = {
        name: [1e3 * studies.best_seconds(run, x, budget=0.05) for x in inputs]
        for name, run in runs.items()
    }

# %%
for (name, values), colour in zip(times.items(), ("C1", "C3", "C0"), strict=True):
    plt.loglog(lengths, values, "o-", color=colour, label=name)
plt.title("One processor core, one sequence")
plt.xlabel("T, length of the sequence")
plt.ylabel("milliseconds")
plt.xticks(lengths, lengths)
plt.minorticks_off()
plt.legend()
show()
ahead = np.array(times["self-attention"]) < np.array(times["LSTM, fused"])
print("self-attention beats the fused LSTM at T =", *np.array(lengths)[ahead])

# %% [markdown] lang="en"
# On one core attention is ahead only for short sequences. It compares every pair of positions, $T^2$ of them, and nobody shares the work; the LSTM's T steps become cheaper in the long run. So the gain is not "less work". It is **parallel hardware**, where T steps in a row are what hurts, and the **short path**. Say which, when you praise it.

# %% [markdown] lang="zh"
# 只有一个核心时，注意力只在短序列上领先。它要比较每一对位置，共 $T^2$ 对，没有人分担；序列一长，LSTM 的 T 步反而便宜。所以好处不在于“活儿少”，而在于**并行硬件**（在那里，一步接一步才是最要命的），以及**路径短**。夸它的时候，要说清夸的是哪一样。

# %% quiz="parallel"
quiz("parallel")

# %% [markdown] lang="en"
# Stack such layers, with several heads each, add positions and small feed-forward networks, and leave out the RNN: "Attention is all you need" (Vaswani and others, 2017). That is the **Transformer**. Everything in its central formula you have now written yourself.

# %% [markdown] lang="zh"
# 把这样的层叠起来，每层放几个头，加上位置和小的前馈网络，去掉 RNN：“Attention is all you need”（Vaswani 等，2017）。这就是 **Transformer**。它的核心公式里的每一样东西，你现在都亲手写过了。

# %% [markdown] lang="en"
# ## Summary
#
# - **Attention**: score each encoder state against the decoder's state, softmax, weighted sum; anew at each output word. The context's size does not depend on the source's length.
# - **Additive** scores use a small network, **dot** scores one matrix product. A dot product favours long keys; divide it by $\sqrt{d}$ when $d$ is large.
# - Within the lengths seen in training the bottleneck is gone. **Beyond them quality falls**: nothing remembers what is already translated.
# - Heatmaps show where the model looks for what it needs. That is often the alignment, and sometimes not. Change the weights before you believe them.
# - Query, key, value: a dictionary that blends and can be learned.
# - **Self-attention**: every position looks at all, in one step, without order of its own.
#
# > **Checkpoint.** Can you tell a friend why the article *la* may look at the noun, and why that is no mistake? Then go on.

# %% [markdown] lang="zh"
# ## 小结
#
# - **注意力**：用解码器的状态给编码器的每个状态打分，做 softmax，加权求和；每写一个词都重来一次。上下文的大小与源句长度无关。
# - **加性**打分用一个小网络，**点积**打分只是一次矩阵乘法。点积偏爱长的键；$d$ 大时要除以 $\sqrt{d}$。
# - 在训练见过的长度之内，瓶颈消失了。**再长，质量就下降**：没有什么记得哪些已经译过。
# - 热力图显示模型在哪里找它要的东西。那往往就是对齐，有时却不是。先改动权重试试，再相信。
# - 查询、键、值：一本会调和、可以学的字典。
# - **自注意力**：每个位置一步就看到所有位置，但它自己没有次序。
#
# > **自查。** 你能向朋友讲清楚，冠词 *la* 为什么会去看名词，而且这并不算错吗？能，就往下学。

# %% [markdown] lang="en"
# ## Further reading
#
# - A. Graves (2013), *Generating Sequences With Recurrent Neural Networks*: a soft window that slides over the text while a network writes by hand. Attention's forerunner.
# - D. Bahdanau, K. Cho and Y. Bengio (2014), *Neural Machine Translation by Jointly Learning to Align and Translate*. Read sections 3 and 5.
# - M.-T. Luong, H. Pham and C. Manning (2015), *Effective Approaches to Attention-based Neural Machine Translation*: dot, general and others compared.
# - P. Koehn and R. Knowles (2017), *Six Challenges for Neural Machine Translation*: long sentences, and attention that is not alignment.
# - A. Vaswani and others (2017), *Attention Is All You Need*. Section 3.2 is the square root of $d$.
#
# Next: [7. Recap](07_recap.ipynb), the whole way in three pictures.

# %% [markdown] lang="zh"
# ## 延伸阅读
#
# - A. Graves（2013），*Generating Sequences With Recurrent Neural Networks*：网络一边写字，一边让一扇软窗口在文本上滑动。注意力的先声。
# - D. Bahdanau、K. Cho、Y. Bengio（2014），*Neural Machine Translation by Jointly Learning to Align and Translate*。请读第 3 节和第 5 节。
# - M.-T. Luong、H. Pham、C. Manning（2015），*Effective Approaches to Attention-based Neural Machine Translation*：比较了点积、general 等几种打分。
# - P. Koehn 与 R. Knowles（2017），*Six Challenges for Neural Machine Translation*：长句，以及不等于对齐的注意力。
# - A. Vaswani 等（2017），*Attention Is All You Need*。第 3.2 节讲的就是 $d$ 的平方根。
#
# 下一课：[7. 回顾](07_recap.ipynb)，用三张图走完全程。
