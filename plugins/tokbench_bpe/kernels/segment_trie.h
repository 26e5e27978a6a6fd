/* The tokens of a vocabulary as a trie, each with its birth. */

#ifndef TOKBENCH_SEGMENT_TRIE_H
#define TOKBENCH_SEGMENT_TRIE_H

#include "segment_letters.h"

/* The marks inside tokens, as tokbench.api.marks has them. */
#define BOW 0xFDD0
#define EOW 0xFDD1
#define CONTINUATION 0xFDD2

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

static inline uint64_t child_key(int32_t node, Py_UCS4 code) {
    return (uint64_t)(uint32_t)node << 21 | code;
}

static inline int32_t child(const Trie *trie, int32_t node, Py_UCS4 code) {
    return node == GONE ? GONE : map_get(&trie->children, child_key(node, code), GONE);
}

static int trie_add(Trie *trie, PyObject *token, int32_t id) {
    int32_t node = 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(token); i++) {
        Py_UCS4 code = PyUnicode_READ_CHAR(token, i);
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

static int trie_fill(Trie *trie, PyObject *tokens, const Py_buffer *ids) {
    size_t nodes = 1;
    if (longest_string(tokens) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tokens); i++)
        nodes += (size_t)PyUnicode_GET_LENGTH(PyTuple_GET_ITEM(tokens, i));
    if (nodes >= NONE || column_length(ids) != PyTuple_GET_SIZE(tokens)) {
        PyErr_SetString(PyExc_ValueError, "fewer tokens, with one id each, are expected");
        return -1;
    }
    trie->token_at = PyMem_Malloc(nodes * sizeof *trie->token_at);
    if (trie->token_at == NULL || map_open(&trie->children, 8) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    trie->token_at[0] = GONE;
    trie->count = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tokens); i++)
        if (trie_add(trie, PyTuple_GET_ITEM(tokens, i), (int32_t)cell(ids, i)) < 0)
            return -1;
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

/* Read (tokens, ids, births, bow, eow, continuation); births are those of all ids. */
static int trie_open(Trie *trie, PyObject *letters, PyObject *given) {
    PyObject *tokens, *ids_given, *births;
    Py_buffer ids = {0};
    if (letters_open(&trie->letters, letters) < 0 ||
        !PyArg_ParseTuple(given, "O!OOiip", &PyTuple_Type, &tokens, &ids_given, &births,
                          &trie->bow, &trie->eow, &trie->continuation))
        return -1;
    int failed = edges_checked(trie) < 0 ||
                 take_column(births, &trie->births, 0, NONE - 1) < 0 ||
                 take_column(ids_given, &ids, 0, column_length(&trie->births) - 1) < 0 ||
                 trie_fill(trie, tokens, &ids) < 0;
    PyBuffer_Release(&ids);
    return failed ? -1 : 0;
}

static void trie_close(Trie *trie) {
    PyBuffer_Release(&trie->births);
    PyMem_Free(trie->children.entries);
    PyMem_Free(trie->token_at);
    letters_close(&trie->letters);
}

#endif
