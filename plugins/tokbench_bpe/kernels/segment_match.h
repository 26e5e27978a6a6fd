/* Longest match of a word in a trie of tokens, in each of its states. */

#ifndef TOKBENCH_SEGMENT_MATCH_H
#define TOKBENCH_SEGMENT_MATCH_H

#include "segment_states.h"

/* ---- the tokens of a vocabulary, each with its birth ---- */

enum { ABSENT, FUSED, SEPARATE };

typedef struct {
    Map children;        /* by node and code point */
    int32_t *token_at;   /* by node, the token that ends there, or GONE */
    int32_t count;
    Py_buffer births;    /* by token */
    int bow, eow;        /* ABSENT, FUSED or SEPARATE */
    int continuation;    /* whether letters after the first begin a token with their mark */
    int32_t inner_root;  /* the node of that mark, or GONE */
    Letters letters;
} Trie;

static inline uint64_t child_key(int32_t node, uint32_t code) {
    return (uint64_t)(uint32_t)node << 21 | code;
}

static inline int32_t child(const Trie *trie, int32_t node, uint32_t code) {
    return node == GONE ? GONE : map_get(&trie->children, child_key(node, code), GONE);
}

static int trie_add(Trie *trie, Text token, int32_t id) {
    int32_t node = 0;
    for (Py_ssize_t i = 0; i < token.length; i++) {
        uint32_t code = token.letters[i];
        int32_t next = child(trie, node, code);
        if (next == GONE) {
            next = trie->count++;
            trie->token_at[next] = GONE;
            if (map_put(&trie->children, child_key(node, code), next) < 0)
                return -1;
        }
        node = next;
    }
    trie->token_at[node] = id;
    return 0;
}

static int trie_fill(Trie *trie, const Py_buffer *letters, const Py_buffer *ends,
                     const Py_buffer *ids) {
    size_t nodes = (size_t)letters_in(letters) + 1;
    int sound = nodes < NONE && column_length(ids) == column_length(ends);
    for (Py_ssize_t i = 1; sound && i < column_length(ends); i++)
        sound = cell(ends, i - 1) <= cell(ends, i);
    if (!sound) {
        PyErr_SetString(PyExc_ValueError, "rising ends of tokens, and an id of each, are expected");
        return -1;
    }
    trie->token_at = PyMem_Malloc(nodes * sizeof *trie->token_at);
    if (trie->token_at == NULL || map_open(&trie->children, 8) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    trie->token_at[0] = GONE;
    trie->count = 1;
    int64_t begin = 0;
    for (Py_ssize_t i = 0; i < column_length(ends); begin = cell(ends, i++)) {
        Text token = {(const uint32_t *)letters->buf + begin, (Py_ssize_t)(cell(ends, i) - begin)};
        if (trie_add(trie, token, (int32_t)cell(ids, i)) < 0)
            return -1;
    }
    trie->inner_root = trie->continuation ? child(trie, 0, CONTINUATION) : 0;
    return 0;
}

/* A mark has a symbol exactly where it is one of its own. */
static int edges_checked(const Trie *trie) {
    const Letters *letters = &trie->letters;
    if (trie->bow >= ABSENT && trie->bow <= SEPARATE && trie->eow >= ABSENT &&
        trie->eow <= SEPARATE && (trie->bow == SEPARATE) == (letters->begin != GONE) &&
        (trie->eow == SEPARATE) == (letters->end != GONE))
        return 0;
    PyErr_SetString(PyExc_ValueError, "the marks do not agree with their symbols");
    return -1;
}

/* Read (letters, ends, ids, births, bow, eow, continuation); births are those of all ids. */
static int trie_open(Trie *trie, PyObject *symbols, PyObject *given) {
    PyObject *letters_given, *ends_given, *ids_given, *births;
    Py_buffer letters = {0}, ends = {0}, ids = {0};
    if (letters_open(&trie->letters, symbols) < 0 ||
        !PyArg_ParseTuple(given, "SOOOiip", &letters_given, &ends_given, &ids_given, &births,
                          &trie->bow, &trie->eow, &trie->continuation))
        return -1;
    int failed = edges_checked(trie) < 0 ||
                 take_column(births, &trie->births, 0, NONE - 1) < 0 ||
                 take_column(ids_given, &ids, 0, column_length(&trie->births) - 1) < 0 ||
                 take_letters(letters_given, &letters) < 0 ||
                 take_column(ends_given, &ends, 0, letters_in(&letters)) < 0 ||
                 trie_fill(trie, &letters, &ends, &ids) < 0;
    PyBuffer_Release(&letters);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&ids);
    return failed ? -1 : 0;
}

static void trie_close(Trie *trie) {
    PyBuffer_Release(&trie->births);
    PyMem_Free(trie->children.entries);
    PyMem_Free(trie->token_at);
    letters_close(&trie->letters);
}

/* ---- words ---- */

/* A word between its marks; its letters stand from `first` to before `last`. */
typedef struct {
    const uint32_t *letters;
    int32_t size, first, last;
    int32_t no_end, no_begin; /* after the begin mark, before the end mark: fused, so no border */
} Marked;

static Marked marked(const Trie *trie, Text text) {
    Marked word = {.letters = text.letters, .size = (int32_t)text.length};
    word.first = trie->bow != ABSENT;
    word.last = word.size - (trie->eow != ABSENT);
    word.no_end = trie->bow == FUSED ? word.first : -1;
    word.no_begin = trie->eow == FUSED ? word.last : -1;
    return word;
}

static inline int is_border(const Marked *word, int32_t at) {
    return at != word->no_end && at != word->no_begin;
}

typedef struct {
    int32_t symbol;
    int32_t stop;   /* the position after it */
    int32_t longer; /* the birth of the first longer token, or NONE */
} Match;

static inline int32_t birth_of(const Trie *trie, int32_t id) {
    return (int32_t)cell(&trie->births, id);
}

/* Where no token begins: one letter with its marks, or one mark, is a token that may be unknown. */
static Match match_nothing(const Trie *trie, const Marked *word, int32_t start, int64_t learned) {
    const Letters *letters = &trie->letters;
    Match match = {letters->unknown, start + 1, NONE};
    while (!is_border(word, match.stop))
        match.stop++;
    if (trie->bow == SEPARATE && start < word->first)
        match.symbol = letters->begin;
    else if (trie->eow == SEPARATE && start >= word->last)
        match.symbol = letters->end;
    else {
        int32_t at = Py_MAX(start, word->first);
        int first = at == word->first, last = at == word->last - 1;
        match.symbol = letter_forms(letters, word->letters[at])[first + 2 * last];
    }
    if (match.symbol < column_length(&trie->births) && birth_of(trie, match.symbol) > learned) {
        match.longer = birth_of(trie, match.symbol);
        match.symbol = letters->unknown;
    }
    return match;
}

/* Find the longest token at a position that is there after so many learned items. */
static Match longest_match(const Trie *trie, const Marked *word, int32_t start, int64_t learned) {
    Match match = {GONE, start, NONE};
    int32_t longer = NONE;
    int32_t node = start > word->first && start < word->last ? trie->inner_root : 0;
    for (int32_t at = start; at < word->size; at++) {
        node = child(trie, node, word->letters[at]);
        if (node == GONE)
            break;
        int32_t id = trie->token_at[node];
        if (id == GONE || !is_border(word, at + 1))
            continue;
        if (birth_of(trie, id) > learned)
            longer = Py_MIN(longer, birth_of(trie, id));
        else {
            match.symbol = id;
            match.stop = at + 1;
            longer = NONE;
        }
    }
    if (match.symbol == GONE)
        match = match_nothing(trie, word, start, learned);
    match.longer = Py_MIN(match.longer, longer);
    return match;
}

/* What was found at each position of a text, and the bytes of the word before it. */
typedef struct {
    Match *matches;
    int64_t *bytes;
} Found;

static int found_open(Found *found, Py_ssize_t longest) {
    found->matches = PyMem_Malloc(((size_t)longest + 1) * sizeof *found->matches);
    found->bytes = PyMem_Malloc(((size_t)longest + 1) * sizeof *found->bytes);
    if (found->matches == NULL || found->bytes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void found_close(Found *found) {
    PyMem_Free(found->matches);
    PyMem_Free(found->bytes);
}

static void found_start(Found *found, const Marked *word) {
    found->bytes[0] = 0;
    for (int32_t at = 0; at < word->size; at++) {
        int is_mark = at < word->first || at >= word->last;
        int width = is_mark ? 0 : utf8_width(word->letters[at]);
        found->bytes[at + 1] = found->bytes[at] + width;
        found->matches[at].longer = 0; /* nothing is found yet */
    }
}

/* Cut a word with the tokens born by its present state; give the birth that ends the state. */
static int32_t match_all(const Trie *trie, const Marked *word, Cut *cut, Found *found) {
    int32_t until = NONE;
    cut->length = 0;
    for (int32_t start = 0; start < word->size;) {
        Match *match = &found->matches[start];
        if (match->longer <= cut->since)
            *match = longest_match(trie, word, start, cut->since);
        start = match->stop;
        until = Py_MIN(until, match->longer);
        cut->symbols[cut->length] = match->symbol;
        cut->ends[cut->length++] = found->bytes[start];
    }
    return until;
}

static int match_word(Run *run, const Trie *trie, const Marked *word, Cut *cut, Found *found,
                      int64_t learned) {
    found_start(found, word);
    cut->since = Py_MAX(run->since, 0);
    while (cut->since <= learned) {
        int32_t until = match_all(trie, word, cut, found);
        if (end_state(run, cut, Py_MIN(until, learned + 1)) < 0)
            return -1;
    }
    return 0;
}

#endif
