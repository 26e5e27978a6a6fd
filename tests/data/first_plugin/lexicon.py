from tokbench.api import Learner, Vocabulary, hookimpl


class Lexicon(Learner):
    """Know every character and the most frequent words, which also serve as parts of others."""

    def learn(self, words, size):
        frequent = sorted(words, key=words.get, reverse=True)
        tokens = dict.fromkeys([*sorted("".join(words)), *frequent])
        return Vocabulary(tuple(tokens)[: size.total], segmenter={"use": "longest-match"})


@hookimpl
def tokbench_learners():
    return {"lexicon": Lexicon}
