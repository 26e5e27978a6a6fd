/* Longest match of a word, in each of its states. */

#ifndef TOKBENCH_SEGMENT_MATCH_H
#define TOKBENCH_SEGMENT_MATCH_H

#include "segment_states.h"
#include "segment_trie.h"

/* A word as the characters that a trie is walked with: its letters between the edge marks. */
typedef struct {
    int kind;
    const void *data;
    Py_ssize_t letters;
    int32_t before;           /* characters before the first letter */
    int32_t size;
    int32_t no_end, no_begin; /* after the begin mark, before the end mark: fused, so no border */
} Text;

static Text text_of(const Trie *trie, PyObject *word) {
    Text text = {PyUnicode_KIND(word), PyUnicode_DATA(word), PyUnicode_GET_LENGTH(word), 0, 0, 0, 0};
    text.before = trie->bow != ABSENT;
    text.size = text.before + (int32_t)text.letters + (trie->eow != ABSENT);
    text.no_end = trie->bow == FUSED ? 1 : -1;
    text.no_begin = trie->eow == FUSED ? text.size - 1 : -1;
    return text;
}

static inline int is_border(const Text *text, int32_t at) {
    return at != text->no_end && at != text->no_begin;
}

static inline int is_letter(const Text *text, int32_t at) {
    return at >= text->before && at < text->before + text->letters;
}

static inline Py_UCS4 char_at(const Text *text, int32_t at) {
    if (is_letter(text, at))
        return PyUnicode_READ(text->kind, text->data, at - text->before);
    return at < text->before ? BOW : EOW;
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
static Match match_nothing(const Trie *trie, const Text *text, int32_t start, int64_t learned) {
    const Letters *letters = &trie->letters;
    Match match = {letters->unknown, start + 1, NONE};
    while (!is_border(text, match.stop))
        match.stop++;
    if (trie->bow == SEPARATE && start < text->before)
        match.symbol = letters->begin;
    else if (trie->eow == SEPARATE && start == text->before + text->letters)
        match.symbol = letters->end;
    else {
        int32_t at = start < text->before ? text->before : start;
        int first = at == text->before, last = at == text->before + text->letters - 1;
        match.symbol = letter_forms(letters, char_at(text, at))[first + 2 * last];
    }
    if (match.symbol < column_length(&trie->births) && birth_of(trie, match.symbol) > learned) {
        match.longer = birth_of(trie, match.symbol);
        match.symbol = letters->unknown;
    }
    return match;
}

/* Find the longest token at a position that is there after so many learned items. */
static Match longest_match(const Trie *trie, const Text *text, int32_t start, int64_t learned) {
    Match match = {GONE, start, NONE};
    int32_t longer = NONE;
    int32_t node = start > text->before && is_letter(text, start) ? trie->inner_root : 0;
    for (int32_t at = start; at < text->size; at++) {
        node = child(trie, node, char_at(text, at));
        if (node == GONE)
            break;
        int32_t id = trie->token_at[node];
        if (id == GONE || !is_border(text, at + 1))
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
        match = match_nothing(trie, text, start, learned);
    match.longer = Py_MIN(match.longer, longer);
    return match;
}

/* What was found at each position of a text, and the bytes of the word before it. */
typedef struct {
    Match *matches;
    int64_t *bytes;
} Found;

static int found_open(Found *found, Py_ssize_t longest) {
    found->matches = PyMem_Malloc(((size_t)longest + 3) * sizeof *found->matches);
    found->bytes = PyMem_Malloc(((size_t)longest + 3) * sizeof *found->bytes);
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

static void found_start(Found *found, const Text *text) {
    found->bytes[0] = 0;
    for (int32_t at = 0; at < text->size; at++) {
        int width = is_letter(text, at) ? utf8_width(char_at(text, at)) : 0;
        found->bytes[at + 1] = found->bytes[at] + width;
        found->matches[at].longer = 0; /* nothing is found yet */
    }
}

/* Cut a word with the tokens born by its present state; give the birth that ends the state. */
static int32_t match_all(const Trie *trie, const Text *text, Cut *cut, Found *found) {
    int32_t until = NONE;
    cut->length = 0;
    for (int32_t start = 0; start < text->size;) {
        Match *match = &found->matches[start];
        if (match->longer <= cut->since)
            *match = longest_match(trie, text, start, cut->since);
        start = match->stop;
        until = Py_MIN(until, match->longer);
        cut->symbols[cut->length] = match->symbol;
        cut->ends[cut->length++] = found->bytes[start];
    }
    return until;
}

static int match_word(Run *run, const Trie *trie, const Text *text, Cut *cut, Found *found,
                      int64_t learned) {
    found_start(found, text);
    cut->since = Py_MAX(run->since, 0);
    while (cut->since <= learned) {
        int32_t until = match_all(trie, text, cut, found);
        if (end_state(run, cut, Py_MIN(until, learned + 1)) < 0)
            return -1;
    }
    return 0;
}

#endif
