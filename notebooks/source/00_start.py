# %% [markdown] lang="en"
# # Sequence models and the origins of attention
#
# How did machines learn to read one word after another, and why did they end up looking at all words at once? This course walks that road by building every machine on it: count, embed, remember, forget less, translate, look back.
#
# Nothing here is a picture of a result. Each claim is followed by the cell that shows it, on your machine, in seconds, without a network. Where a well-known claim turns out to be not quite true, we say so and show that too.

# %% [markdown] lang="zh"
# # 序列模型与注意力的由来
#
# 机器怎样学会一个词接一个词地读？后来又为什么变成同时看所有的词？这门课带你走一遍这条路，路上的每台机器都亲手造出来：计数，嵌入，记住，忘得慢些，翻译，回头看。
#
# 这里没有现成的结果图。每个说法后面都跟着证明它的代码，在你自己的电脑上几秒钟跑完，不用联网。遇到流传很广却不太对的说法，我们会指出来，也证明给你看。

# %% [markdown] lang="en"
# ## Seven lessons
#
# 1. [Language models](01_language_models.ipynb): counting what comes next, and why counting fails. *50 minutes*
# 2. [Word vectors](02_word_vectors.ipynb): words that occur alike move close together. *60 minutes*
# 3. [Recurrent networks](03_rnn.ipynb): a memory of any length, and how it fades. *50 minutes*
# 4. [LSTM and GRU](04_lstm.ipynb): a memory that adds instead of multiplying. *50 minutes*
# 5. [Sequence to sequence](05_seq2seq.ipynb): a sentence pressed through a keyhole. *60 minutes*
# 6. [Attention](06_attention.ipynb): looking back at every word, at every step. *60 minutes*
# 7. [Three things to keep](07_recap.ipynb): all models on one text, and ten questions. *30 minutes*
#
# Each lesson begins with what the last one could not do. You need Python, a little NumPy, and school mathematics up to logarithms and derivatives; PyTorch appears in lesson 2 and is explained on the way.

# %% [markdown] lang="zh"
# ## 七课
#
# 1. [语言模型](01_language_models.ipynb)：数一数接下来是什么，以及计数为什么不够。**50 分钟**
# 2. [词向量](02_word_vectors.ipynb)：用法相似的词彼此靠近。**60 分钟**
# 3. [循环网络](03_rnn.ipynb)：多长都能记，却越记越淡。**50 分钟**
# 4. [LSTM 与 GRU](04_lstm.ipynb)：用加法而不是乘法来记。**50 分钟**
# 5. [序列到序列](05_seq2seq.ipynb)：从钥匙孔里塞过一句话。**60 分钟**
# 6. [注意力](06_attention.ipynb)：每一步都回头看每一个词。**60 分钟**
# 7. [该记住的三件事](07_recap.ipynb)：所有模型读同一篇文本，外加十道题。**30 分钟**
#
# 每一课都从上一课做不到的事讲起。你需要会一点 Python 和 NumPy，数学到对数和导数就够。PyTorch 从第 2 课出现，边用边讲。

# %% [markdown] lang="en"
# ## How to work
#
# - **Run** the cells from top to bottom: Shift + Enter runs one and moves on.
# - **Predict** wherever we ask "before you run it". A wrong guess teaches more than a right page.
# - **Answer** the questions. Every choice has its own explanation, and you may try again.
# - **Write** the functions marked as exercises, then run `check(...)` below. It calls your function on small cases and says what is off; for common slips it says which.
#
# A cell that is still unsolved stops nothing: the rest of the lesson runs without it. Your answers are kept beside the notebook, so close it whenever you like.

# %% [markdown] lang="zh"
# ## 怎样学
#
# - **运行**：从上到下一格一格地运行，Shift + Enter 运行当前格并跳到下一格。
# - **预测**：凡是写着“运行前先猜”的地方，真的猜一下。猜错一次，胜过看对一页。
# - **作答**：每个选项都有自己的解释，答错了可以再来。
# - **编写**：写出练习中的函数，再运行下面的 `check(...)`。它用几个小例子调用你的函数，告诉你哪里不对；常见的错误，它能直接认出来。
#
# 没做的练习不会挡路，其余内容照样运行。你的作答保存在笔记本旁边，随时可以关掉，下次接着学。

# %% [markdown] lang="en"
# ## Your progress
#
# Run this cell whenever you want to see your points and what is still open.

# %% [markdown] lang="zh"
# ## 你的进度
#
# 想看得分和还没做的题，随时运行这一格。

# %%
from course_utils import show_progress

show_progress()

# %% [markdown] lang="en"
# ## Handing in
#
# Save the notebook first. Then open a terminal (File, New, Terminal), and:
#
# - alone: `course grade 01_language_models.ipynb` grades your work with fresh cases and writes a page with every point explained;
# - in a class: `course submit 01_language_models.ipynb` packs the notebook and your answers into one file to upload, and points out unsaved or unsolved work. If your class uses nbgrader's own Submit button, use that.

# %% [markdown] lang="zh"
# ## 交作业
#
# 先保存笔记本。再打开终端（文件，新建，终端）：
#
# - 自学：`course grade 01_language_models.ipynb` 用新的例子给你评分，并写出一页说明，每一分都有解释；
# - 跟班：`course submit 01_language_models.ipynb` 把笔记本和作答打包成一个文件，供你上传，并指出没保存或没做完的地方。如果班里用的是 nbgrader 自带的提交按钮，就用它。
