from chunkwright.gold import edit
from chunkwright.gold.goldset import GoldSet, Question
from chunkwright.gold.history import Edit, History

GOLD = GoldSet((Question("q1", "What?", ()),))


def done(history, before, after, label="an edit", chosen=""):
    history.add(Edit(label, before, after, chosen))
    return after


def test_edits_are_undone_one_after_another():
    history = History()
    first = done(history, GOLD, edit.added(GOLD, "Is it on?"), "add a question", "q1")
    second = done(history, first, edit.removed(first, "q1"), "delete q1")
    assert history.last == "delete q1"
    assert history.undo(second).before is first
    undone = history.undo(first)
    assert (undone.before is GOLD, undone.chosen) == (True, "q1")
    assert history.last == ""


def test_what_somebody_else_did_since_is_not_undone():
    history = History()
    first = done(history, GOLD, edit.added(GOLD, "Is it on?"))
    done(history, first, edit.added(first, "Is it off?"))
    assert history.undo(GoldSet((*first, Question("theirs", "Mine?", ())))) is None
    assert history.last == ""


def test_the_oldest_edits_are_forgotten():
    history, gold = History(), GOLD
    for number in range(150):
        gold = done(history, gold, edit.added(gold, f"Is it {number}?"))
    assert len(history.edits) == 100
    while history.last:
        gold = history.undo(gold).before
    assert len(gold) == 51
