"""The character model of lesson 3: reading in chunks, its table, training, writing."""

import numpy as np
import pytest
import torch

from course_utils.recurrent import HASH_SIZE, CharRNN, CharTrainer, char_probs, write
from course_utils.training import set_seed

KINDS = [("RNN", 0), ("RNN", 4), ("LSTM", 0), ("GRU", 3)]


def model_of(kind, direct, vocab_size=5):
    set_seed(0)
    model = CharRNN(vocab_size, 8, embed=6, direct=direct, kind=kind)
    if direct:
        torch.nn.init.normal_(model.table.weight)
    return model


@pytest.mark.parametrize(("kind", "direct"), KINDS)
def test_reading_in_chunks_is_reading_at_once(kind, direct):
    model = model_of(kind, direct)
    ids = torch.randint(5, (12, 3))
    whole, _ = model(ids)
    state, parts = None, []
    for chunk in ids.split([1, 5, 2, 4]):
        scores, state = model(chunk, state)
        parts.append(scores)
    assert torch.allclose(torch.cat(parts), whole, atol=1e-6)


@pytest.mark.parametrize(("kind", "direct"), KINDS)
def test_no_prediction_sees_the_future(kind, direct):
    model = model_of(kind, direct)
    ids = torch.randint(5, (10, 1))
    other = ids.clone()
    other[6:] = (ids[6:] + 1) % 5
    assert torch.equal(model(ids)[0][:6], model(other)[0][:6])
    assert not torch.allclose(model(ids)[0][6:], model(other)[0][6:])


def test_the_table_has_a_row_for_each_context_and_no_more():
    model = model_of("RNN", 4)
    ids = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])[:, None]
    past = torch.full((3, 1), 5)
    rows = model._rows(torch.cat([past, ids]))
    assert rows.shape == (8, 1, 3)
    assert torch.equal(rows[6, 0, :2], rows[2, 0, :2])  # the same last 2 and 3 characters
    assert rows[6, 0, 2] != rows[2, 0, 2]  # but at 2 the text has just begun
    for column in range(3):
        assert (rows[..., column] // HASH_SIZE == column).all()


def test_probabilities_are_those_of_the_scores_and_sum_to_one():
    model = model_of("RNN", 3)
    ids = np.array([0, 1, 4, 2, 3, 1])
    scores, _ = model(torch.from_numpy(ids)[:, None])
    probs = scores[:, 0].softmax(-1).detach().numpy()
    assert probs.sum(1) == pytest.approx(1, abs=1e-6)
    wanted = [probs[t - 1, ids[t]] for t in range(2, 6)]
    assert char_probs(model, ids, start=2) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("direct", [0, 3])
def test_training_learns_a_pattern_and_writes_it(direct, capsys):
    ids = np.array([0, 1, 2, 3] * 100)
    set_seed(0)
    model = CharRNN(4, 16, embed=8, direct=direct)
    losses = CharTrainer(model, ids, steps=60, batch=4, rate=0.02).run(60, "pattern")
    assert losses[-1] < 0.1 < losses[0]
    assert "pattern: 60 steps" in capsys.readouterr().out
    assert write(model, list("abcd"), 8, begin="a") == "abcdabcda"


def test_training_in_stages_is_training_at_once(capsys):
    ids = np.random.default_rng(0).integers(0, 4, size=2000)

    def weights(stages):
        set_seed(0)
        model = CharRNN(4, 8, direct=2)
        trainer = CharTrainer(model, ids, steps=20, batch=4)
        for stage in stages:
            trainer.run(stage)
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    assert torch.equal(weights([20]), weights([5, 15]))


def test_the_state_is_carried_over_but_not_its_gradient():
    ids = np.random.default_rng(0).integers(0, 4, size=400)
    set_seed(0)
    trainer = CharTrainer(CharRNN(4, 8), ids, steps=3, batch=4)
    trainer._step()
    memory, _ = trainer.state
    assert memory.abs().sum() > 0
    assert not memory.requires_grad
