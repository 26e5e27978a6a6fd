/* Cutting many words, with every state that each passes through while a vocabulary is learned.
 *
 * Symbols are numbers: a token's is its id, further symbols that merges only pass through follow,
 * and the number after the last stands for whatever is unknown. A state of a word is a list of
 * symbols with the bytes at which they end; it holds for vocabularies of `since` to `until` - 1
 * learned items.
 *
 * merge: the pair with the lowest rank is merged everywhere, until no pair has a rank. Whatever the
 * order of the ranks, no rank of m or more is merged before all below m are done; so when a rank
 * is about to be merged that is above all before, h the highest of these, the word stands as every
 * vocabulary of h + 1 to `rank` learned items leaves it: one replay gives all states.
 *
 * match: the longest token of a trie that the rest of the word begins with, and again after it.
 * Each token has a birth: how many items are learned when it is in the vocabulary. Beside the
 * longest token born by m, a walk meets longer ones that are born later; the earliest of these
 * births is where the word's next state begins. What is found at a position stays right until the
 * birth of a longer token there, so each state walks only where one is born. With scores, the
 * tokens are those whose scores add up to most, and each word has one state.
 *
 * The words are cut without the interpreter's lock, which is taken back, after so much work, to let
 * signals in. */

#include "segment_merge.h"
#include "segment_match.h"
#include "segment_best.h"

static int merge_words(Run *run, const Merges *merges, const Words *words, Cut *cut,
                       Links *links) {
    Text word = {0};
    for (Py_ssize_t i = 0; i < words->count; i++) {
        word = next_word(words, word);
        spell(&merges->letters, word, cut);
        cut->number = i;
        int failed = cut->length == 0      ? 0
                     : cut->length <= SHORT ? merge_short(run, merges, cut)
                                            : merge_long(run, merges, links, cut);
        if (failed < 0 || run_worked(run, 1) < 0)
            return -1;
    }
    return 0;
}

static PyObject *merge(PyObject *module, PyObject *args) {
    PyObject *words_given, *letters, *items;
    Py_ssize_t since;
    Words words = {0};
    Run run = {0};
    Merges merges = {0};
    Cut cut = {0};
    Links links = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "SniO!O!p", &words_given, &since, &run.tokens,
                          &PyTuple_Type, &letters, &PyTuple_Type, &items, &merges.in_order))
        return NULL;
    run.since = since;
    int failed = words_open(&words, words_given) < 0 || merges_open(&merges, letters, items) < 0 ||
                 cut_open(&cut, words.longest) < 0 || links_open(&links, words.longest) < 0 ||
                 run_open(&run, words.count) < 0;
    if (!failed) {
        run.thread = PyEval_SaveThread();
        failed = merge_words(&run, &merges, &words, &cut, &links) < 0;
        PyEval_RestoreThread(run.thread);
    }
    links_close(&links);
    cut_close(&cut);
    merges_close(&merges);
    PyBuffer_Release(&words.letters);
    return run_close(&run, failed);
}

static int match_words(Run *run, const Trie *trie, const Scores *scores, const Words *words,
                       Cut *cut, Found *found, int64_t learned) {
    Text text = {0};
    for (Py_ssize_t i = 0; i < words->count; i++) {
        text = next_word(words, text);
        Marked word = marked(trie, text);
        cut->number = i;
        int failed = word.last == word.first ? 0
                     : scores->ways == NULL  ? match_word(run, trie, &word, cut, found, learned)
                                : best_word(run, trie, &word, scores, cut, found, learned);
        if (failed < 0 || run_worked(run, 1) < 0)
            return -1;
    }
    return 0;
}

static PyObject *match(PyObject *module, PyObject *args) {
    PyObject *words_given, *letters, *tokens, *scores_given;
    Py_ssize_t since, learned;
    Words words = {0};
    Run run = {0};
    Trie trie = {0};
    Scores scores = {0};
    Cut cut = {0};
    Found found = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "SnnO!O!O", &words_given, &since, &learned,
                          &PyTuple_Type, &letters, &PyTuple_Type, &tokens, &scores_given))
        return NULL;
    run.since = since;
    int failed = words_open(&words, words_given) < 0 || trie_open(&trie, letters, tokens) < 0 ||
                 scores_open(&scores, scores_given, column_length(&trie.births),
                             words.longest) < 0 ||
                 cut_open(&cut, words.longest) < 0 || found_open(&found, words.longest) < 0 ||
                 run_open(&run, words.count) < 0;
    if (!failed) {
        run.tokens = (int32_t)column_length(&trie.births);
        run.thread = PyEval_SaveThread();
        failed = match_words(&run, &trie, &scores, &words, &cut, &found, learned) < 0;
        PyEval_RestoreThread(run.thread);
    }
    found_close(&found);
    cut_close(&cut);
    scores_close(&scores);
    trie_close(&trie);
    PyBuffer_Release(&words.letters);
    return run_close(&run, failed);
}

PyDoc_STRVAR(merge_doc,
"merge(words, since, tokens, letters, merges, in_order)\n--\n\n"
"Merge words; see _segment.pyi for what goes in and comes out.");

PyDoc_STRVAR(match_doc,
"match(words, since, learned, letters, trie, scores)\n--\n\n"
"Cut words into longest or best tokens; see _segment.pyi for what goes in and comes out.");

static PyMethodDef methods[] = {
    {"merge", merge, METH_VARARGS, merge_doc},
    {"match", match, METH_VARARGS, match_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_segment",
    .m_doc = "Cutting many words, with every state that each passes through.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__segment(void) {
    return PyModuleDef_Init(&definition);
}
