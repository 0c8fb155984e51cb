# %% [markdown] lang="en"
# # 5. Seq2seq: a sentence through a keyhole
#
# Our recurrent networks can read a text of any length and guess what comes next. But "next" meant the next word of the *same* text. Many tasks read one sequence and write **another**: a sentence into French, a question into its answer, a sound into words.
#
# In this lesson two LSTMs share the work. One reads, one writes, and between them passes a single vector. It will translate, to our delight, and then we shall watch it choke on long sentences. Why it chokes is the question that led to attention.

# %% [markdown] lang="zh"
# # 5. Seq2seq：一句话挤过钥匙孔
#
# 我们的循环网络能读任意长的文本，并猜出接下来的词。不过，这里的“接下来”说的是*同一段*文本的下一个词。许多任务读的是一个序列，写的却是**另一个**：英语句子译成法语，问题变成回答，声音变成文字。
#
# 这一课让两个 LSTM 分工：一个读，一个写，中间只递过去一个向量。它居然真的会翻译，这很令人高兴；接着我们会看到它被长句噎住。它为什么会噎住？正是这个问题引出了注意力。

# %% [markdown] lang="en"
# > **Goals.** Build an encoder and a decoder, and train them with teacher forcing. Decode greedily and with a beam, and know what a beam does not promise. Measure how quality falls with length, and find out what is lost in the keyhole.
# >
# > **Time.** About 75 minutes to read and solve. All cells together run in about 40 seconds; the two long ones say so and keep what they trained for your next visit.

# %% [markdown] lang="zh"
# > **目标。** 造出编码器和解码器，用教师强制训练它们；会用贪心和束搜索解码，并知道束搜索不保证什么；量出质量怎样随句长下降，查明钥匙孔里丢了什么。
# >
# > **时间。** 阅读和做题约 75 分钟。全部代码一共运行约 40 秒；有两格较慢，事先会说明，训练结果会保留到你下次再来。

# %%
import time
from collections import Counter, defaultdict

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from course_utils import open_lesson
from course_utils import seq2seq as s2s
from course_utils.corpora.translation import load_translation, show_text
from course_utils.plots import heatmap, show
from course_utils.training import progress, set_seed
from course_utils.translation_plots import draw_by_length, draw_tree, tree_beam

quiz, check = open_lesson("05_seq2seq")

# %% [markdown] lang="en"
# ## The task
#
# Our corpus is made by a small grammar: 144 English words, correct French. The price of a grammar is that its sentences are a little odd. The gain is that we know the truth about each of them, even which French word comes from which English word.
#
# Training sentences have 3 to 20 words, each length equally often. A separate test set goes up to 40.

# %% [markdown] lang="zh"
# ## 任务
#
# 语料由一套小语法生成：144 个英语词，正确的法语。代价是句子有点怪；好处是每个句子的真相我们都知道，连哪个法语词来自哪个英语词都知道。
#
# 训练句有 3 到 20 个词，各种长度一样多。另外还有一个测试集，长到 40 个词。

# %%
corpus = load_translation()
for pair in (corpus.test[70], corpus.test[250], corpus.beyond[0]):
    print(len(pair.source), show_text(pair.source))
    print("  ", show_text(pair.target))
sets = [{p.source for p in part} for part in (corpus.train, corpus.validation, corpus.test)]
print("pairs:", [len(part) for part in sets], "shared:", len(sets[0] & (sets[1] | sets[2])))

# %% [markdown] lang="en"
# No sentence is in two sets. Look at one pair as a picture: each row is a French word, the dark cell is the English word it comes from. Where does the diagonal break?

# %% [markdown] lang="zh"
# 没有一个句子同时出现在两个集合里。把其中一对画成图：每一行是一个法语词，深色格子是它所来自的英语词。对角线在哪里断开了？

# %%
pair = next(p for p in corpus.test if {"black", "not"} <= set(p.source) and p.one_to_one)
gold = np.zeros((len(pair.target), len(pair.source)))
for row, places in enumerate(pair.alignment):
    gold[row, list(places)] = 1
heatmap(gold, pair.source, pair.target, xlabel="English", ylabel="French", vmax=1)
show()

# %% [markdown] lang="en"
# Colours stand *after* the noun in French, and denial wraps around the verb. So we cannot translate place by place. How bad would it be? Let us give word-by-word translation its best chance: for every English word, the French word it is aligned with most often.

# %% [markdown] lang="zh"
# 法语里颜色放在名词*后面*，否定词夹在动词两边。所以没法一个位置一个位置地译。那样译会有多糟？给逐词翻译一个最好的条件：每个英语词，都取它最常对应的那个法语词。

# %%
partners = defaultdict(Counter)
for pair in corpus.train:
    for french, places in zip(pair.target, pair.alignment, strict=True):
        partners[pair.source[places[0]]][french] += 1
lexicon = {english: counts.most_common(1)[0][0] for english, counts in partners.items()}

for pair in corpus.test[70:73]:
    print("word by word:", show_text(lexicon[word] for word in pair.source))
    print("       right:", show_text(pair.target))
right = [tuple(lexicon[w] for w in p.source) == p.target for p in corpus.test]
print(f"all words right: {100 * np.mean(right):.1f} % of the test sentences")

# %% [markdown] lang="en"
# Almost never right. *The* may be `le`, `la`, `l'` or `les`, and only the noun knows. To choose, the writer must know more than one English word: at best, the whole sentence.
#
# An n-gram or a single LSTM does not help either. They continue a text in its own order, one word out for one word in. Here order, length and language change.

# %% [markdown] lang="zh"
# 几乎从来不对。*the* 可以是 `le`、`la`、`l'` 或 `les`，只有名词才知道该用哪个。要选对，写的一方就不能只看一个英语词，最好知道整句话。
#
# n 元模型或单个 LSTM 也帮不上忙：它们按原来的次序续写，进一个词，出一个词。而这里次序、长度、语言都变了。

# %% [markdown] lang="en"
# ## Read first, then write
#
# The idea of 2014 (Sutskever and others; Cho and others): let one network, the **encoder**, read the source $x$ to its end. Its last state $c$ is a summary. A second network, the **decoder**, starts from that state and writes. It is a language model, as in lesson 1, that knows one thing more:
#
# $$P(y_1, \dots, y_M \mid x) = \prod_{t=1}^{M} P(y_t \mid y_{<t}, c)$$

# %% [markdown] lang="zh"
# ## 先读完，再动笔
#
# 2014 年的想法（Sutskever 等人，Cho 等人）是：让一个网络，即**编码器**，把源句 $x$ 从头读到尾，它最后的状态 $c$ 就是摘要。另一个网络，即**解码器**，从这个状态出发往外写。它就是第 1 课那样的语言模型，只是多知道一件事：
#
# $$P(y_1, \dots, y_M \mid x) = \prod_{t=1}^{M} P(y_t \mid y_{<t}, c)$$

# %% [markdown] lang="en"
# First, words become numbers. Three special ones are added: `<bos>` tells the decoder to begin, `<eos>` is how it says "done", `<pad>` fills up short rows so that sentences of unequal length fit into one tensor.

# %% [markdown] lang="zh"
# 第一步，把词变成数。另加三个特殊记号：`<bos>` 告诉解码器开始写，`<eos>` 是它表示“写完了”的方式，`<pad>` 用来补齐短的行，让长短不一的句子装进同一个张量。

# %%
source, target = s2s.vocabularies(corpus)
print("words:", len(source), "English,", len(target), "French; special:", source.words[:4])

rows = s2s.encode_pairs([corpus.test[0], corpus.test[130]], source, target)
batch = s2s.make_batch(rows)
for name in ("source", "target_in", "target_out"):
    print(f"{name:10}", *getattr(batch, name).tolist(), sep="\n   ")

# %% [markdown] lang="en"
# Look at the last two. They are the same sentence, one step apart: what the decoder reads, and what it should write next. The number 0 is padding.
#
# Now the encoder. It is an embedding and an LSTM, and it throws away everything but the last state.

# %% [markdown] lang="zh"
# 看最后两个：同一句话，错开一步。前者是解码器读的，后者是它接下来该写的。数字 0 是填充。
#
# 再看编码器。它由一个嵌入层和一个 LSTM 组成，除了最后的状态，其余一概丢掉。


# %%
class Encoder(nn.Module):
    """Read a sentence, keep one state."""

    def __init__(self, words, E=64, H=128):
        super().__init__()
        self.vectors = nn.Embedding(words, E)
        self.lstm = nn.LSTM(E, H, batch_first=True)

    def forward(self, words):  # (B, S)
        _, state = self.lstm(self.vectors(words))
        return state  # h and c, each (1, B, H)


# %% [markdown] lang="en"
# Guess before you run: how many numbers does it keep of 3 words, and how many of 40?

# %% [markdown] lang="zh"
# 运行之前先猜：3 个词，它留下多少个数？40 个词呢？

# %%
set_seed(0)
encoder = Encoder(len(source))
for pair in (corpus.test[0], corpus.beyond[-1]):
    h, c = encoder(torch.tensor([source.encode(pair.source)]))
    print(len(pair.source), "words -> h", tuple(h.shape), "and c", tuple(c.shape))

# %% [markdown] lang="en"
# The same 128 (twice: h and c), whatever goes in. This is the keyhole of the title. Keep it in mind; for now we are glad that any sentence fits.
#
# The decoder reads French words, starting from the state it is handed, and scores every French word as the next one.

# %% [markdown] lang="zh"
# 不管读进什么，都是同样的 128 个（h 和 c 各一份）。这就是标题里的钥匙孔。先记着它；眼下我们只高兴：任何句子都装得下。
#
# 解码器从接过来的状态出发，读法语词，并给每一个法语词打分：它作为下一个词有多合适。


# %%
class Decoder(nn.Module):
    """A language model that begins with a state it was given."""

    def __init__(self, words, E=64, H=128):
        super().__init__()
        self.vectors = nn.Embedding(words, E)
        self.lstm = nn.LSTM(E, H, batch_first=True)
        self.output = nn.Linear(H, words)

    def forward(self, words, state):  # (B, T)
        hidden, state = self.lstm(self.vectors(words), state)  # (B, T, H)
        return self.output(hidden), state  # logits (B, T, V)


# %%
decoder = Decoder(len(target))
logits, _ = decoder(batch.target_in, encoder(batch.source))
print("logits", tuple(logits.shape), "= sentences, places, French words")

# %% [markdown] lang="en"
# ### A trap: padding
#
# Rows of a batch are filled up with padding. An LSTM does not know that; it reads on, and each blank word changes its state. Here is one sentence, alone and with 4 blanks behind it. `pack_padded_sequence` tells the LSTM where each row ends.

# %% [markdown] lang="zh"
# ### 陷阱：填充
#
# 批里短的行用填充补齐。LSTM 并不知道，它会一直读下去，每个空位都改变它的状态。下面是同一句话：单独读，以及后面跟 4 个空位时读。`pack_padded_sequence` 会告诉 LSTM 每行到哪里为止。

# %%
words = torch.tensor([source.encode(corpus.test[130].source)])
with_blanks = nn.functional.pad(words, (0, 4))  # PAD is 0
packed = nn.utils.rnn.pack_padded_sequence(
    encoder.vectors(with_blanks), [words.shape[1]], batch_first=True
)
with torch.no_grad():
    alone, careless = encoder(words)[0], encoder(with_blanks)[0]
    careful = encoder.lstm(packed)[1][0]
for how, state in (("padding read", careless), ("packed", careful)):
    print(f"{how:12}: the last state changes by {(state - alone).norm() / alone.norm():.2f}")

# %% [markdown] lang="en"
# The summary of the sentence would be mostly a summary of blanks. The course's batches go further: they put sentences of equal length together, so that there is hardly any padding to skip.
#
# The loss has the same trap. Here it is yours to avoid.

# %% [markdown] lang="zh"
# 不处理的话，句子的摘要大半成了空位的摘要。本课程的批还更进一步：把一样长的句子放在一起，几乎没有填充需要跳过。
#
# 损失函数里有同样的陷阱，这一次由你来避开。

# %% [markdown] lang="en"
# ### Exercise: `masked_cross_entropy`
#
# The decoder gives logits for every place. Return the mean of $-\ln P(\text{target})$ over the places that hold a real word. Every real word weighs the same, in whatever sentence it stands. If there is none at all, the loss is 0.
#
# <details><summary>Hint</summary>
#
# `torch.log_softmax` over the last axis gives log-probabilities; `gather` picks one per place. Multiply by the mask, add up, and divide by the number of real words (but never by 0).
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`masked_cross_entropy`
#
# 解码器在每个位置都给出 logits。请返回 $-\ln P(\text{target})$ 在所有真实词位置上的平均。不论在哪个句子里，每个真实词分量相同。如果一个真实词也没有，损失为 0。
#
# <details><summary>提示</summary>
#
# 沿最后一个轴做 `torch.log_softmax` 得到对数概率，`gather` 在每个位置取出一个。乘上掩码，求和，再除以真实词的个数（但绝不能除以 0）。
#
# </details>


# %% exercise="masked_cross_entropy"
def masked_cross_entropy(logits, targets, pad):
    """Mean cross-entropy in nats over the real words of a padded batch.

    Args:
        logits: (B, T, V) tensor, not yet normalised.
        targets: (B, T) tensor of word numbers; `pad` marks places without a word.
        pad: the number that stands for padding (not always 0).

    Returns:
        A tensor with a single number; 0 if all places are padding.
    """
    ### BEGIN SOLUTION
    logp = torch.log_softmax(logits, dim=-1)
    losses = -logp.gather(-1, targets[..., None])[..., 0]  # (B, T)
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
    ### END SOLUTION


# %% check="masked_cross_entropy"
check(masked_cross_entropy)

# %% [markdown] lang="en"
# ## Teacher forcing
#
# During training we know the true translation. So the decoder reads the *true* previous word at each step, not its own guess, as a pupil who is corrected after every word. This is **teacher forcing**. All steps can then be computed in one call.
#
# The whole training step is a few lines. We first try it on something small: eight sentences. If a model cannot learn eight sentences by heart, something is broken.

# %% [markdown] lang="zh"
# ## 教师强制
#
# 训练时我们知道标准译文。所以每一步都让解码器读*真正的*上一个词，而不是它自己猜的词，好比学生每写一个词就有人纠正。这叫**教师强制**（teacher forcing）。这样所有步骤一次调用就能算完。
#
# 整个训练步只有几行。先拿小东西试一试：八个句子。要是连八个句子都背不下来，准是哪里坏了。

# %%
eight = [pair for pair in corpus.train if len(pair.source) == 6][:8]
batch = s2s.make_batch(s2s.encode_pairs(eight, source, target))
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=5e-3)
losses = []
for _ in progress(range(60), "eight sentences"):
    logits, _ = decoder(batch.target_in, encoder(batch.source))  # read the truth, guess the next
    loss = nn.functional.cross_entropy(
        logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=s2s.PAD
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss {losses[0]:.2f} -> {losses[-1]:.3f}; a uniform guess costs {np.log(len(target)):.2f}")

# %% [markdown] lang="en"
# To translate, there is no teacher: the decoder reads its own words. Take the likeliest word, feed it back, and stop at `<eos>`. This is **greedy** decoding, and the next exercise.

# %% [markdown] lang="zh"
# 真正翻译时没有老师：解码器读自己写的词。取最可能的词，喂回去，遇到 `<eos>` 停下。这叫**贪心**解码，也就是下一个练习。

# %% [markdown] lang="en"
# ### Exercise: `greedy_decode`
#
# `step(token, state)` reads one token and returns two things: an array with the log-probability of each next token, and the new state. Start with `bos`. Write until `eos` is written or `max_len` tokens are.
#
# Return the list of tokens written (with `eos` if it was, without `bos`) and the log-probability of the whole, a sum.
#
# <details><summary>Hint</summary>
#
# Two things change from step to step: the token and the state. If your output repeats itself, one of them does not.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`greedy_decode`
#
# `step(token, state)` 读一个词元，返回两样东西：一个数组，给出每个词元作为下一个的对数概率；以及新的状态。从 `bos` 开始写，写出 `eos` 或写满 `max_len` 个词元为止。
#
# 返回写出的词元列表（若写了 `eos` 就包含它，不含 `bos`），以及整句的对数概率，即各步之和。
#
# <details><summary>提示</summary>
#
# 每一步都在变的有两样：词元和状态。如果输出老在重复，说明有一样没有变。
#
# </details>


# %% exercise="greedy_decode"
def greedy_decode(step, state, bos, eos, max_len):
    """Write the likeliest token at each step.

    Args:
        step: function (token, state) -> (log_probs, state); log_probs is a (V,) array.
        state: the decoder's first state; hand it on, never look inside.
        bos, eos: the tokens that begin and end a sentence.
        max_len: write no more tokens than this.

    Returns:
        (tokens, log_prob): a list of ints, and a float.
    """
    ### BEGIN SOLUTION
    tokens, log_prob, token = [], 0.0, bos
    while token != eos and len(tokens) < max_len:
        log_probs, state = step(token, state)
        token = int(np.argmax(log_probs))
        tokens.append(token)
        log_prob += float(log_probs[token])
    return tokens, log_prob
    ### END SOLUTION


# %% check="greedy_decode"
check(greedy_decode)

# %% [markdown] lang="en"
# Below is the same for a whole batch of our small model. Nobody stops early here; what comes after `<eos>` is cut off when the numbers become words. Did it learn the eight by heart?

# %% [markdown] lang="zh"
# 下面对小模型的一整批做同样的事。这里谁也不提前停；变回词的时候，`<eos>` 之后的部分会切掉。那八个句子，它背下来了吗？


# %%
@torch.no_grad()
def write(words, steps=12):
    """Greedy translation of a batch (B, S), free-running."""
    state, last, written = encoder(words), torch.full((len(words), 1), s2s.BOS), []
    for _ in range(steps):
        logits, state = decoder(last, state)
        last = logits.argmax(-1)  # (B, 1)
        written.append(last)
    return [target.decode(row) for row in torch.cat(written, 1).tolist()]


said = write(batch.source)
print("right:", sum(one == pair.target for one, pair in zip(said, eight, strict=True)), "of 8")
stranger = next(pair for pair in corpus.test if len(pair.source) == 6)
(answer,) = write(torch.tensor([source.encode(stranger.source)]))
print(show_text(stranger.source), "->", show_text(answer))
print("one of the eight:", answer in [pair.target for pair in eight])

# %% [markdown] lang="en"
# By heart, yes. Asked for a sentence it has never seen, it recites one of the eight. Learning by heart is not learning to translate; for that it needs many sentences.

# %% [markdown] lang="zh"
# 背下来了。可是给它一个没见过的句子，它就从八句里挑一句来背。会背不等于会译；要学会翻译，得有很多句子。

# %% [markdown] lang="en"
# ## Training for real
#
# `course_utils.seq2seq` holds the same model with what makes it fast: batches of equal length, packing, one call per LSTM. Is it really the same? We copy our weights into it and compare the outputs.

# %% [markdown] lang="zh"
# ## 正式训练
#
# `course_utils.seq2seq` 里是同一个模型，外加让它跑得快的办法：等长的批、打包、每个 LSTM 只调用一次。真的是同一个吗？把我们的权重抄过去，比一比输出。

# %%
twin = s2s.make_translator("plain", source, target)
twin.source_vectors.load_state_dict(encoder.vectors.state_dict())
twin.encoder.load_state_dict(encoder.lstm.state_dict())
twin.target_vectors.load_state_dict(decoder.vectors.state_dict())
twin.decoder.load_state_dict(decoder.lstm.state_dict())
twin.output.load_state_dict(decoder.output.state_dict())
with torch.no_grad():
    logits, _ = decoder(batch.target_in, encoder(batch.source))
    print(f"largest difference of logits: {(twin(batch) - logits).abs().max():.1e}")

# %% [markdown] lang="en"
# Same model. Now 1,500 steps of 32 sentences each, about 15 seconds. (The best-known tutorials walk through one sentence at a time, word by word. On our machine the two ways differ about 50 times in words per second: `benchmarks/translation.py`.)
#
# The trained model is kept in your course folder. `retrain=True` trains it again; another `seed` gives you a model of your own.

# %% [markdown] lang="zh"
# 是同一个模型。现在训练 1,500 步，每步 32 个句子，大约 15 秒。（最有名的教程往往一次一句、逐词循环。在我们的机器上，两种做法每秒处理的词数相差约 50 倍，见 `benchmarks/translation.py`。）
#
# 训练好的模型会保存在课程数据文件夹里。`retrain=True` 会重新训练；换一个 `seed`，就得到你自己的模型。

# %%
plain, history = s2s.trained_translator("plain", seed=0)
print(
    f"{history.seconds:.0f} CPU seconds, loss {history.validation[-1][1]:.2f} on validation pairs"
)

# %%
words = Counter(word for pair in corpus.train for word in (*pair.target, "<eos>"))
shares = np.array(list(words.values())) / words.total()
smooth = np.convolve(history.losses, np.ones(25) / 25, mode="valid")
plt.plot(np.arange(len(smooth)) + 13, smooth, label="training (mean of 25 steps)")
plt.plot(*zip(*history.validation, strict=True), "o", label="validation")
plt.axhline(np.log(len(target)), color="0.5", ls=":", label="uniform guess")
plt.axhline(-(shares * np.log(shares)).sum(), color="0.5", ls="--", label="word frequencies only")
plt.gca().set(xlabel="step", ylabel="loss, nats per word", ylim=(0, None))
plt.legend()
show()

# %% [markdown] lang="en"
# The two curves stay together, so it does not learn by heart this time. And here is what it says about sentences it has never seen, from short to long. Everything below is decoded free-running: the model reads its own words.

# %% [markdown] lang="zh"
# 两条曲线一路相随，可见这次不是死记硬背。下面是它对没见过的句子的译文，由短到长。从这里起，一律自由运行：模型读自己写的词。

# %%
picked = [corpus.test[60 * (length - 3) + 2] for length in (3, 5, 7, 9, 13, 18)]
said = s2s.translate_greedy(plain, [pair.source for pair in picked])
for one, pair in zip(said, picked, strict=True):
    print(len(pair.source), show_text(pair.source))
    print("   said: ", show_text(one.words), "(right)" if one.words == pair.target else "")
    if one.words != pair.target:
        print("   right:", show_text(pair.target))

# %% [markdown] lang="en"
# The shortest sentences come out right, agreement and all, from nothing but examples. Longer ones begin well and then go on, in good French, about something else. Remember that: the *form* stays, the *content* gets lost.
#
# > **Checkpoint.** Two networks, one state between them, trained by reading the truth and used by reading themselves. If you can draw that from memory, go on. If not, look at the cells of `Encoder`, `Decoder` and `write` once more.

# %% [markdown] lang="zh"
# 最短的句子译得对，连性数配合都对，而它看过的只有例句。长一些的，开头不错，随后就用通顺的法语说起别的事来。记住这一点：*形式*还在，*内容*丢了。
#
# > **自查。** 两个网络，中间一个状态；训练时读的是正确答案，使用时读的是自己。这幅图你能凭记忆画出来，就往下走；画不出来，就再看一遍 `Encoder`、`Decoder` 和 `write` 那几格。

# %% [markdown] lang="en"
# ## Without the teacher
#
# In training the decoder always read the truth. In use it reads itself, and after its first mistake it stands where training never took it. Measured place by place: what share of words is right with the teacher, and without? Guess how the two curves run.

# %% [markdown] lang="zh"
# ## 没有老师的时候
#
# 训练时解码器读的总是正确的词；使用时它读的是自己写的，第一次写错之后，就站到了训练从没带它去过的地方。逐个位置来量：有老师和没有老师，单词正确率各是多少？先猜两条曲线的走势。

# %%
pairs = [pair for pair in corpus.test if 9 <= len(pair.source) <= 12]
batch = s2s.make_batch(s2s.encode_pairs(pairs, source, target))
real, T = batch.target_out != s2s.PAD, batch.target_out.shape[1]
with torch.no_grad():
    forced = plain(batch).argmax(-1)  # (B, T)
said = s2s.translate_greedy(plain, [pair.source for pair in pairs])
free = s2s.pad_rows([[*target.encode(one.words), s2s.EOS] for one in said], extra=T)[:, :T]

for name, guess in (("with teacher", forced), ("free-running", free)):
    right = (guess == batch.target_out) & real
    plt.plot(range(1, 12), (right.sum(0) / real.sum(0))[:11], "o-", label=name)
    whole = (right | ~real).all(1).double().mean()
    print(f"{name}: {right.sum() / real.sum():.2f} of words, {whole:.4f} of sentences right")
plt.gca().set(xlabel="place in the translation", ylabel="share of words right", ylim=(0, 1.03))
plt.legend()
show()

# %% [markdown] lang="en"
# The curves part after the first words: one slip leads to the next. This gap is called **exposure bias**. Whoever reports numbers with the teacher left on reports the upper curve.
#
# Yet look at the printed shares of *whole sentences*. They are equal, and that is no accident. Can you say why?

# %% [markdown] lang="zh"
# 头几个词之后两条曲线就分开了：错一步，带出下一步。这个差距叫**暴露偏差**（exposure bias）。谁评估时忘了请走老师，报出来的就是上面那条曲线。
#
# 可是再看打印出来的*整句*正确率：两者相等，而且不是碰巧。你说得出为什么吗？

# %% quiz="forcing"
quiz("forcing")

# %% [markdown] lang="en"
# ## Greedy is not best
#
# Greedy decoding takes the best word at each step. The *product* of the steps is what counts, and the best first step can lead into a crowd of poor ones. A tree made by hand, three steps deep ("many birds sing"); each box shows a word and its probability at that point.

# %% [markdown] lang="zh"
# ## 贪心不是最好
#
# 贪心解码每一步都取最好的词。可真正要紧的是各步的*乘积*，而最好的第一步可能通向一群平庸的后续。下面是一棵手工做的树，三步深（“many birds sing”，许多鸟在唱歌）；每个方框里是一个词和它在那里的概率。

# %%
sing = {"chantent": (0.55, {}), "dorment": (0.45, {})}
tree = {
    "les": (0.6, {"oiseaux": (0.55, sing), "chats": (0.45, sing)}),
    "beaucoup": (0.4, {"d'oiseaux": (0.9, {"chantent": (0.9, {}), "dorment": (0.1, {})}),
                       "de chats": (0.1, sing)}),
}  # fmt: skip
greedy, best = list(tree_beam(tree, 1)[-1]), list(tree_beam(tree, 99)[-1])[:1]
_, ax = plt.subplots(figsize=(7.5, 4.2))
leaves = draw_tree(ax, tree, {"greedy": greedy, "the likeliest": best})
show()
print(f"all {len(leaves)} sentences together: {sum(leaves.values()):.3f}")

# %% [markdown] lang="en"
# The probabilities of all eight sentences sum to 1, so nothing is hidden: greedy ends at 0.182 while another sentence has 0.324. After `les` the model cannot decide, and each hesitation costs nearly half.
#
# To try every sentence is out of the question: 183 French words and 10 steps make more sentences than a computer can count. **Beam search** is the compromise: keep not one prefix but the $k$ best (4 to 10 are usual).

# %% [markdown] lang="zh"
# 八个句子的概率之和是 1，什么都没藏着：贪心得到 0.182，而另有一句是 0.324。走了 `les` 之后模型拿不定主意，每犹豫一次就损失近一半。
#
# 把所有句子都试一遍办不到：183 个法语词走 10 步，句子多得计算机也数不完。**束搜索**（beam search）是折中的办法：不是只留一个前缀，而是留最好的 $k$ 个（通常 4 到 10 个）。

# %%
for number, level in enumerate(tree_beam(tree, width=2), 1):
    print(f"step {number}:", *(f"  {show_text(p)} {share:.3f}" for p, share in level.items()))

# %% quiz="two_steps"
quiz("two_steps")

# %% [markdown] lang="en"
# ### Exercise: `beam_search`
#
# `step` is as before; scores are sums of log-probabilities. At each step, extend every kept prefix by every token and keep the `width` best of *all* of them. A sentence that has written `eos` is not extended; it stays as it is and competes for its place. Stop when all kept ones have ended, or after `max_len` steps.
#
# Return what is kept, best first, as a list of `(tokens, log_prob)`. There may be fewer than `width`.
#
# <details><summary>Hint</summary>
#
# Keep four things per prefix: its tokens, its score, its last token, its own state. Build one long list per step, sort it, cut it.
#
# </details>

# %% [markdown] lang="zh"
# ### 练习：`beam_search`
#
# `step` 和前面一样，分数是对数概率之和。每一步，把留下的每个前缀用每个词元扩展，在*全部*结果中留下最好的 `width` 个。已经写出 `eos` 的句子不再扩展，原样留着参加排名。留下的全部结束，或走完 `max_len` 步，就停下。
#
# 把留下的按从好到差排列，返回 `(tokens, log_prob)` 的列表。个数可以少于 `width`。
#
# <details><summary>提示</summary>
#
# 每个前缀记四样：它的词元、分数、最后一个词元、它自己的状态。每一步造一张长列表，排序，截断。
#
# </details>


# %% exercise="beam_search"
def beam_search(step, state, bos, eos, width, max_len):
    """Keep the `width` likeliest prefixes at every step.

    Args:
        step: function (token, state) -> (log_probs, state); log_probs is a (V,) array.
        state: the decoder's first state.
        bos, eos: the tokens that begin and end a sentence.
        width: how many prefixes are kept, ended ones included.
        max_len: take no more steps than this.

    Returns:
        A list of (tokens, log_prob), best first: a list of ints and a float each.
    """
    ### BEGIN SOLUTION
    kept = [([], 0.0, bos, state)]
    for _ in range(max_len):
        wider = [one for one in kept if one[2] == eos]
        for tokens, score, last, now in kept:
            if last != eos:
                log_probs, after = step(last, now)
                for token, p in enumerate(log_probs.tolist()):
                    wider.append(([*tokens, token], score + p, token, after))
        kept = sorted(wider, key=lambda one: -one[1])[:width]
    return [(tokens, score) for tokens, score, _, _ in kept]
    ### END SOLUTION


# %% check="beam_search"
check(beam_search)

# %% [markdown] lang="en"
# Now on the trained model, 540 test sentences at once. Three questions: how often does the beam find a sentence that the model itself likes better than greedy's? Are such sentences also *better translations*? And what does it cost?

# %% [markdown] lang="zh"
# 现在用在训练好的模型上，一次 540 个测试句。三个问题：束搜索有多少次找到了模型自己更喜欢的句子？这样的句子作为*译文*也更好吗？要花多少时间？

# %%
pairs = corpus.test[::2]
sources = [pair.source for pair in pairs]
greedy = s2s.translate_greedy(plain, sources)
print(f"greedy: exact {s2s.exact_match(greedy, pairs):.3f}, BLEU {s2s.bleu(greedy, pairs):.1f}")
for width in (2, 4, 10):
    begin = time.process_time()
    beams = s2s.translate_beam(plain, sources, width)
    cost = 1000 * (time.process_time() - begin) / len(sources)
    best = [beam[0] for beam in beams]
    gain = np.array([one.score - other.score for one, other in zip(best, greedy, strict=True)])
    print(f"width {width:2}: exact {s2s.exact_match(best, pairs):.3f}, BLEU {s2s.bleu(best, pairs):.1f},",
          f"likelier {np.mean(gain > 1e-4):.3f}, less likely {np.mean(gain < -1e-4):.3f}, {cost:.1f} ms")  # fmt: skip

# %% [markdown] lang="en"
# A few points for a few milliseconds: worth having, no wonder cure. (**BLEU** counts shared word groups of one to four words with the reference; 100 is a perfect copy. We use `sacrebleu`.)
#
# But look at the share of *less likely*. Sometimes the beam returns a sentence that the model likes less than greedy's! Here is how that happens, in a tree of three steps.

# %% [markdown] lang="zh"
# 花几毫秒换来几分：值得，但不是灵丹妙药。（**BLEU** 数的是译文与参考译文共有的一到四词的词组，完全照抄得 100。我们用的是 `sacrebleu`。）
#
# 再看 less likely（更不可能）那一项：有时束搜索返回的句子，模型竟不如贪心的那句喜欢！下面这棵三步的树说明这是怎么发生的。

# %%
even = {"dort": (0.5, {}), "rit": (0.5, {})}
crowd = {"chat": (0.34, {}), "chien": (0.33, {}), "roi": (0.33, {})}
trap = {
    "le": (0.55, {"chat": (0.4, {"dort": (0.9, {}), "rit": (0.1, {})}),
                  "chien": (0.3, even), "roi": (0.3, even)}),
    "un": (0.45, {"petit": (0.5, crowd), "grand": (0.5, crowd)}),
}  # fmt: skip
_, ax = plt.subplots(figsize=(7.5, 4.4))
one, two = list(tree_beam(trap, 1)[-1]), list(tree_beam(trap, 2)[-1])
leaves = draw_tree(ax, trap, {"greedy": one, "width 2": two[:1]})
show()
print(f"greedy finds {leaves[one[0]]:.3f}, a beam of 2 finds {leaves[two[0]]:.3f}")

# %% [markdown] lang="en"
# At the second step both continuations of `un` (0.225 each) push out greedy's prefix `le chat` (0.220). Only afterwards do they fall apart, and there is no way back.
#
# > **Misconception.** "A beam can only improve on greedy." It looks for likely sentences and gives no guarantee: not the likeliest, and not even one as likely as greedy's.

# %% [markdown] lang="zh"
# 走到第二步，`un` 的两个续写（各 0.225）把贪心的前缀 `le chat`（0.220）挤了出去。之后它们才散了架，可是已经回不了头。
#
# > **常见误解。** “束搜索只会比贪心好。”它是去找概率高的句子，但不作任何保证：既不保证最可能，也不保证不比贪心差。

# %% [markdown] lang="en"
# ### Long or short?
#
# Every further word adds a negative number to the sum. So among finished sentences the sum leans towards the **short** ones. A common repair divides the score by the number of steps (to some power) before choosing. Which way does the choice move then?

# %% [markdown] lang="zh"
# ### 偏长还是偏短？
#
# 每多写一个词，总和里就多一个负数。所以在已完成的句子里，总和偏向**短**句。常见的补救是：选择之前把分数除以步数（的若干次方）。这样一来，选择会往哪边移？

# %% quiz="lean"
quiz("lean")

# %%
wanted = np.mean([len(pair.target) + 1 for pair in pairs])
print(f"reference       {wanted:.2f} steps")
for power in (0, 0.5, 1, 2):
    best = [max(beam, key=lambda one: one.score / one.steps**power) for beam in beams]
    steps = np.mean([one.steps for one in best])
    print(f"power {power:3}       {steps:.2f} steps, BLEU {s2s.bleu(best, pairs):.1f}")

# %% [markdown] lang="en"
# The greater the power, the longer the choice: normalising *favours long sentences*, though it is widely told the other way round. Whether it helps is another matter. Here the plain sum already gives the right length, and there is little to gain.

# %% [markdown] lang="zh"
# 次方越大，选出的句子越长：归一化*偏向长句*，尽管反着说的人很多。至于它有没有用，是另一回事。这里用总和选出的长度本来就差不多，没什么可赚的。

# %% [markdown] lang="en"
# ## The bottleneck
#
# We have seen single long sentences go wrong. Now the whole curve. Behind your run stand the recorded runs of a study: the same training with 3 seeds, line = mean, band = lowest to highest (`benchmarks/translation_study.py` makes it again). Your dots, seed 0, are one of the three; another seed moves them. Where do you expect the curve to reach zero?

# %% [markdown] lang="zh"
# ## 瓶颈
#
# 单个长句出错已经见过了，现在看整条曲线。在你这次运行的后面，是一项研究的记录：同样的训练，3 个种子，线是平均，带是最低到最高（`benchmarks/translation_study.py` 可以重做）。你的圆点用的是种子 0，是其中之一；换个种子，圆点就会移动。你猜曲线在哪里降到零？

# %%
study = s2s.load_study()
live = {"plain": s2s.quality_by_length(plain)}
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6))
for ax, what in zip(axes, ("exact", "bleu"), strict=True):
    draw_by_length(ax, study, ["plain"], what, {"plain": live["plain"][what]})
axes[0].legend(loc="upper right", bbox_to_anchor=(1, 0.9))
show()

# %% [markdown] lang="en"
# At 3 to 8 words more than half of the sentences are perfect; from 13 words on, hardly any. BLEU falls less abruptly, since it pays for every part that is right. The sentences did not get harder word by word; they only got longer. The state did not.

# %% [markdown] lang="zh"
# 3 到 8 个词时，半数以上的句子全对；到了 13 个词以上，几乎一句全对的也没有。BLEU 降得缓一些，因为译对一部分也给分。句子里的词并没有变难，只是变多了；状态却没有变大。

# %% quiz="bottleneck"
quiz("bottleneck")

# %% [markdown] lang="en"
# ### What gets lost?
#
# It is said that the *first* words fade most: they were read longest ago. We can ask the encoder directly. Exchange one word of a 16-word sentence for another and see how much the last state moves. A word that moves nothing has been forgotten. We ask an untrained encoder, then the trained one. Predict both curves.

# %% [markdown] lang="zh"
# ### 丢了什么？
#
# 常听人说，*最前面*的词褪色最厉害，因为它们读得最早。我们可以直接问编码器：把 16 词句子里的一个词换成另一个，看最后的状态移动了多少。换了也不动，说明这个词已经忘了。先问没训练过的编码器，再问训练过的。请预测两条曲线。


# %%
def traces(model, ids):
    """How far the last state moves, relatively, when the word at each place is exchanged."""
    lengths = torch.full((len(ids),), ids.shape[1])
    with torch.no_grad():
        before, moved = model.start(ids, lengths).h, []
        for place in range(ids.shape[1]):
            other = ids.clone()
            other[:, place] = ids[:, place].roll(1)  # the word that another sentence has there
            change = (model.start(other, lengths).h - before).norm(dim=1) / before.norm(dim=1)
            moved.append(change[other[:, place] != ids[:, place]].mean().item())
    return moved


# %%
ids = torch.tensor([source.encode(p.source) for p in corpus.test if len(p.source) == 16])
set_seed(0)
fresh = s2s.make_translator("plain", source, target)
for model, name in ((fresh, "untrained"), (plain, "trained")):
    plt.semilogy(range(1, 17), traces(model, ids), "o-", label=name)
plt.gca().set(xlabel="place of the exchanged word", ylabel="movement of the last state")
plt.legend()
show()

# %% [markdown] lang="en"
# Untrained, the saying is right: a straight line on the log scale, each step back costs the same factor. Lesson 4 told us why: forget gates start near one half.
#
# > **A closer look.** Training turned it round! The trained encoder holds on to the *first* words, for the decoder needs them first, and pays with the *middle*. What fades depends on what is asked for. Only this is sure: there is not room for all.

# %% [markdown] lang="zh"
# 没训练时，这话不错：在对数坐标上是一条直线，每往回一步，缩小的倍数都一样。第 4 课讲过原因：遗忘门一开始接近一半。
#
# > **细看一步。** 训练把它翻了过来！训练后的编码器牢牢抓住*开头*的词，因为解码器最先要用它们；代价由*中间*的词承担。褪色的是什么，要看需要的是什么。能确定的只有一点：装不下全部。

# %% [markdown] lang="en"
# ## A trick: read backwards
#
# Sutskever and his colleagues fed the source **in reverse**. Nothing else changes, no parameter is added. Then the first source word is read last, right before the decoder needs it. Will it help? And only at the start of the translation, or everywhere? Another 15 seconds of training, the same budget.

# %% [markdown] lang="zh"
# ## 一个窍门：倒着读
#
# Sutskever 和同事把源句**倒过来**喂进去。别的什么都不变，也不增加参数。这样源句的第一个词最后才读到，刚好赶在解码器要用它之前。会有用吗？只对译文的开头有用，还是处处有用？再训练 15 秒，预算相同。

# %%
turned, history = s2s.trained_translator("reversed", seed=0)
print(
    f"{history.seconds:.0f} CPU seconds, loss {history.validation[-1][1]:.2f} on validation pairs"
)
live["reversed"] = s2s.quality_by_length(turned)

# %%
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6))
for ax, what in zip(axes, ("exact", "bleu"), strict=True):
    values = {name: result[what] for name, result in live.items()}
    draw_by_length(ax, study, ["plain", "reversed"], what, values)
axes[0].legend(loc="upper right", bbox_to_anchor=(1, 0.9))
show()

# %% [markdown] lang="en"
# It helps at every length, and the bands do not touch at 3 to 12 words. The usual explanation: reversal shortens the way from a source word to its translation. We have the gold alignment, so let us measure that way: the number of steps between reading a word and writing its translation.

# %% [markdown] lang="zh"
# 每种长度都有改善，3 到 12 个词处两条带互不相碰。通常的解释是：倒读缩短了源词到译词的路程。我们手里有标准对齐，那就量一量这段路：从读到一个词，到写出它的译词，中间隔几步。

# %%
longer = [pair for pair in corpus.test if len(pair.source) >= 13]
for name, backwards in (("forward", False), ("reversed", True)):
    mean, least, most = [], [], []
    for pair in longer:
        S = len(pair.source)
        read = [S - 1 - at[0] if backwards else at[0] for at in pair.alignment]
        lags = [S - when + place for place, when in enumerate(read)]
        mean.append(np.mean(lags)), least.append(min(lags)), most.append(max(lags))
    shown = f"{np.mean(mean):.0f} steps, shortest {np.mean(least):.0f}, longest {np.mean(most):.0f}"
    print(f"{name:9} mean {shown}")

# %% [markdown] lang="en"
# > **A closer look.** The *mean* way has not changed at all! A few words come close, as many move away. So "it shortens distances" cannot be the whole story. If it were, the end of the translation should suffer: its words now lie farthest. Does it?

# %% [markdown] lang="zh"
# > **细看一步。** *平均*路程根本没变！有几个词近了，就有同样多的词远了。所以“缩短了距离”不会是全部原因。果真如此的话，译文的末尾应当变差，因为那里的词现在隔得最远。是这样吗？

# %%
batch = s2s.make_batch(s2s.encode_pairs(longer, source, target))
sizes = (batch.target_out != s2s.PAD).sum(1, keepdim=True) - 1  # words without <eos>
quarter = 4 * torch.arange(batch.target_out.shape[1]) // sizes  # (B, T), 0 to 3, then more
for shift, (model, name) in enumerate(((plain, "plain"), (turned, "reversed"))):
    with torch.no_grad():
        right = model(batch).argmax(-1) == batch.target_out
    shares = [right[quarter == q].double().mean().item() for q in range(4)]
    print(f"{name:9}", "   ".join(f"{100 * share:.0f} %" for share in shares))
    plt.bar(np.arange(4) + 0.4 * shift, shares, 0.38, label=name)
plt.xticks(np.arange(4) + 0.2, ["first", "second", "third", "last"])
plt.gca().set(xlabel="quarter of the translation", ylabel="share of words right", ylim=(0, 1))
plt.legend()
show()

# %% [markdown] lang="en"
# Accuracy rises in *all* quarters, the last included (with the teacher on, so that no slip spreads). So distance is part of it, not all. A likely reading: a few close pairs give the gradient a foothold early, and the rest is learned faster from there. The authors themselves wrote that they had no complete explanation. Nor have we.

# %% [markdown] lang="zh"
# *每一段*的正确率都上升了，最后一段也不例外（这里有老师，错误不会扩散）。所以距离是原因之一，不是全部。一种说得通的看法是：少数挨得近的词对让梯度早早有了落脚点，其余的从那里学得更快。原作者自己也写道，他们没有完整的解释。我们也没有。

# %% [markdown] lang="en"
# ## A wider keyhole
#
# If the state is too small, make it larger. The study trained the plain model with 64, 128 and 256 units, same steps, same data. The widest has about 3 times the parameters of the middle one and took more than twice as long.

# %% [markdown] lang="zh"
# ## 把钥匙孔加宽
#
# 状态太小，就加大。研究里用 64、128、256 个单元训练了朴素模型，步数相同，数据相同。最宽的参数约为中间的 3 倍，用时是它的两倍多。

# %%
_, axes = plt.subplots(1, 2, figsize=(9.5, 3.6))
widths = {"plain, H=64": "H = 64", "plain": "H = 128", "plain, H=256": "H = 256"}
for ax, what in zip(axes, ("exact", "bleu"), strict=True):
    draw_by_length(ax, study, list(widths), what, labels=widths)
axes[0].legend(loc="upper right", bbox_to_anchor=(1, 0.9))
show()
for name in widths:
    runs = study["models"][name]["runs"]
    seconds = np.mean([run["seconds"] for run in runs])
    print(f"{name:13} {runs[0]['parameters']:7,} parameters, {seconds:.0f} CPU seconds")

# %% [markdown] lang="en"
# Wider is better, a good deal. So capacity counts, and so does how well it is used (reading backwards added no capacity). But each doubling only pushes the cliff a few words to the right. We would need a larger state for every longer sentence. That is no way to read a book.

# %% [markdown] lang="zh"
# 越宽越好，而且好不少。可见容量要紧，怎样用好它也要紧（倒着读并没有增加容量）。可是每加一倍，悬崖只往右挪几个词。句子每长一点，就得换一个更大的状态。书可不是这样读的。

# %% [markdown] lang="en"
# ## Summary
#
# - Two recurrent networks translate: the encoder's last state starts the decoder, a language model conditioned on it. Padding must touch neither state nor loss.
# - Training reads the truth at each step (teacher forcing); use does not. Measure free-running.
# - Greedy is not optimal. A beam keeps $k$ prefixes and usually finds likelier sentences, without any guarantee. Dividing by length favours long ones.
# - One vector for any length is a bottleneck. Quality falls off a cliff as sentences grow. Reading backwards and wider states move the cliff; they do not remove it.

# %% [markdown] lang="zh"
# ## 小结
#
# - 两个循环网络就能翻译：编码器最后的状态启动解码器，解码器是以它为条件的语言模型。填充既不能碰到状态，也不能碰到损失。
# - 训练时每一步读正确的词（教师强制），使用时不然。评估要自由运行。
# - 贪心不是最优。束搜索留 $k$ 个前缀，通常能找到更可能的句子，但没有任何保证。除以长度会偏向长句。
# - 不管多长的句子都压进一个向量，这就是瓶颈。句子变长，质量如坠悬崖。倒着读、加宽状态，都只能挪动悬崖，去不掉它。

# %% [markdown] lang="en"
# > **Next.** A human translator does not read a page, close the book and recite. She looks back at the source, again and again, at the place that matters now. The encoder has a state for *every* word; we threw all but one away. Lesson 6 keeps them.

# %% [markdown] lang="zh"
# > **下一课。** 译者不会读完一页就合上书凭记忆背。她会一次次回头看原文，看当下要紧的那一处。编码器对*每个*词都有一个状态，我们却只留下一个，其余全扔了。第 6 课要把它们留下来。

# %% [markdown] lang="en"
# ## Further reading
#
# - Sutskever, Vinyals and Le, "Sequence to sequence learning with neural networks" (2014): this lesson's model, and the reversal.
# - Cho and others, "Learning phrase representations using RNN encoder-decoder" (2014), and "On the properties of neural machine translation" (2014), which first drew the curve over length.
# - Ranzato and others, "Sequence level training with recurrent neural networks" (2016): exposure bias.
# - Papineni and others, "BLEU" (2002); Post, "A call for clarity in reporting BLEU scores" (2018): why we use sacrebleu.
# - Stahlberg and Byrne, "On NMT search errors and model errors: cat got your tongue?" (2019): what exact search finds.

# %% [markdown] lang="zh"
# ## 延伸阅读
#
# - Sutskever、Vinyals、Le，“Sequence to sequence learning with neural networks”（2014）：本课的模型，以及倒读。
# - Cho 等，“Learning phrase representations using RNN encoder-decoder”（2014），以及 “On the properties of neural machine translation”（2014），后者最先画出质量随长度变化的曲线。
# - Ranzato 等，“Sequence level training with recurrent neural networks”（2016）：暴露偏差。
# - Papineni 等，“BLEU”（2002）；Post，“A call for clarity in reporting BLEU scores”（2018）：我们为什么用 sacrebleu。
# - Stahlberg、Byrne，“On NMT search errors and model errors: cat got your tongue?”（2019）：精确搜索找到了什么。
