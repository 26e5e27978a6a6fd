/* What comes in: columns of 64-bit numbers, texts, and the symbols of letters. */

#ifndef TOKBENCH_SEGMENT_INPUT_H
#define TOKBENCH_SEGMENT_INPUT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

/* Take a column whose numbers lie between two bounds, both included. */
static int take_column(PyObject *given, Py_buffer *view, int64_t lowest, int64_t highest) {
    if (PyObject_GetBuffer(given, view, PyBUF_SIMPLE) < 0)
        return -1;
    Py_ssize_t length = view->len / (Py_ssize_t)sizeof(int64_t);
    const int64_t *cells = view->buf;
    int sound = view->len % (Py_ssize_t)sizeof(int64_t) == 0 && length < INT32_MAX &&
                (length == 0 || (uintptr_t)view->buf % _Alignof(int64_t) == 0);
    for (Py_ssize_t i = 0; sound && i < length; i++)
        sound = lowest <= cells[i] && cells[i] <= highest;
    if (!sound) {
        PyErr_SetString(PyExc_ValueError, "a column of 64-bit numbers in their range is expected");
        return -1;
    }
    return 0;
}

static inline Py_ssize_t column_length(const Py_buffer *view) {
    return view->len / (Py_ssize_t)sizeof(int64_t);
}

static inline int64_t cell(const Py_buffer *view, Py_ssize_t i) {
    return ((const int64_t *)view->buf)[i];
}

/* ---- texts ---- */

/* The mark that tokbench.api.text calls so; it also ends each word. */
#define CONTINUATION 0xFDD2

typedef struct {
    const uint32_t *letters;
    Py_ssize_t length;
} Text;

/* Code points of words, each with a CONTINUATION behind it; bytes, so that nobody changes them. */
typedef struct {
    Py_buffer letters;
    Py_ssize_t count, longest;
} Words;

static int take_letters(PyObject *given, Py_buffer *view) {
    if (PyObject_GetBuffer(given, view, PyBUF_SIMPLE) < 0)
        return -1;
    if (view->len % (Py_ssize_t)sizeof(uint32_t) == 0 &&
        (uintptr_t)view->buf % _Alignof(uint32_t) == 0)
        return 0;
    PyErr_SetString(PyExc_ValueError, "letters in UTF-32 are expected");
    return -1;
}

static inline Py_ssize_t letters_in(const Py_buffer *view) {
    return view->len / (Py_ssize_t)sizeof(uint32_t);
}

static int words_open(Words *words, PyObject *given) {
    if (take_letters(given, &words->letters) < 0)
        return -1;
    const uint32_t *letters = words->letters.buf;
    Py_ssize_t length = 0;
    for (Py_ssize_t i = 0; i < letters_in(&words->letters); i++) {
        length = letters[i] == CONTINUATION ? 0 : length + 1;
        words->longest = Py_MAX(words->longest, length);
        words->count += length == 0;
    }
    if (length == 0 && words->longest <= INT32_MAX / 8)
        return 0;
    if (length > 0)
        PyErr_SetString(PyExc_ValueError, "a mark behind each word is expected");
    else
        PyErr_SetString(PyExc_OverflowError, "a word is too long");
    return -1;
}

/* Move on to the next word: at first from an empty text before the first word's first letter. */
static inline Text next_word(const Words *words, Text word) {
    const uint32_t *begin = word.letters ? word.letters + word.length + 1 : words->letters.buf;
    const uint32_t *at = begin;
    while (*at != CONTINUATION)
        at++;
    return (Text){begin, at - begin};
}

static inline int utf8_width(uint32_t letter) {
    return letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
}

/* ---- a hash map from 64-bit keys to 32-bit numbers, by open addressing ---- */

typedef struct {
    uint64_t key;
    int32_t value;
} Entry;

typedef struct {
    Entry *entries;
    size_t count;
    int bits;
} Map;

#define NO_KEY UINT64_MAX

static int map_open(Map *map, int bits) {
    size_t bytes = sizeof(Entry) << bits;
    map->entries = PyMem_Malloc(bytes);
    if (map->entries == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(map->entries, 0xFF, bytes);
    map->count = 0;
    map->bits = bits;
    return 0;
}

/* Give the entry of a key, or the free one where it belongs. */
static inline Entry *map_entry(const Map *map, uint64_t key) {
    size_t mask = ((size_t)1 << map->bits) - 1;
    size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - map->bits));
    while (map->entries[at].key != key && map->entries[at].key != NO_KEY)
        at = (at + 1) & mask;
    return &map->entries[at];
}

static inline int32_t map_get(const Map *map, uint64_t key, int32_t otherwise) {
    const Entry *entry = map_entry(map, key);
    return entry->key == key ? entry->value : otherwise;
}

static int map_grow(Map *map) {
    Map larger;
    if (map_open(&larger, map->bits + 1) < 0)
        return -1;
    for (size_t at = 0; at < (size_t)1 << map->bits; at++)
        if (map->entries[at].key != NO_KEY)
            *map_entry(&larger, map->entries[at].key) = map->entries[at];
    larger.count = map->count;
    PyMem_Free(map->entries);
    *map = larger;
    return 0;
}

static int map_put(Map *map, uint64_t key, int32_t value) {
    if (map->count >= (size_t)1 << (map->bits - 1) && map_grow(map) < 0)
        return -1;
    Entry *entry = map_entry(map, key);
    map->count += entry->key == NO_KEY;
    entry->key = key;
    entry->value = value;
    return 0;
}

/* ---- letters as symbols, by their place in a word ---- */

#define NONE INT32_MAX /* no rank, no birth: above all there are */
#define GONE (-1)      /* no symbol; one that its left neighbour has taken in */

enum { INNER, FIRST, LAST, ONLY };

/* Rows of four symbols: of a letter inside the word, at its begin, at its end, and alone. */
typedef struct {
    Map rows;
    int32_t ascii[128];
    int32_t *forms;
    int32_t unknown_row;
    int32_t unknown;
    int32_t begin, end;  /* the symbols put before and after each word, or GONE */
} Letters;

static inline const int32_t *letter_forms(const Letters *letters, uint32_t letter) {
    int32_t row = letter < 128 ? letters->ascii[letter]
                               : map_get(&letters->rows, letter, letters->unknown_row);
    return letters->forms + 4 * (size_t)row;
}

static int letters_fill(Letters *letters, const Py_buffer *codes, const Py_buffer *forms) {
    int32_t rows = (int32_t)column_length(codes);
    if (column_length(forms) != 4 * (Py_ssize_t)rows) {
        PyErr_SetString(PyExc_ValueError, "four forms of each letter are expected");
        return -1;
    }
    letters->forms = PyMem_Malloc(4 * sizeof(int32_t) * ((size_t)rows + 1));
    if (letters->forms == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    letters->unknown_row = rows;
    for (int i = 0; i < 128; i++)
        letters->ascii[i] = rows;
    for (Py_ssize_t i = 0; i < 4 * (Py_ssize_t)rows; i++)
        letters->forms[i] = (int32_t)cell(forms, i);
    for (int i = 0; i < 4; i++)
        letters->forms[4 * (size_t)rows + i] = letters->unknown;
    for (int32_t row = 0; row < rows; row++) {
        int64_t code = cell(codes, row);
        if (code < 128)
            letters->ascii[code] = row;
        else if (map_put(&letters->rows, (uint64_t)code, row) < 0)
            return -1;
    }
    return 0;
}

/* Read (codes, forms, begin, end, unknown); what was allocated is for `letters_close` to free. */
static int letters_open(Letters *letters, PyObject *given) {
    PyObject *codes_given, *forms_given;
    Py_buffer codes = {0}, forms = {0};
    memset(letters, 0, sizeof *letters);
    if (!PyArg_ParseTuple(given, "OOiii", &codes_given, &forms_given, &letters->begin,
                          &letters->end, &letters->unknown))
        return -1;
    if (letters->begin < GONE || letters->begin > letters->unknown || letters->end < GONE ||
        letters->end > letters->unknown || letters->unknown >= NONE) {
        PyErr_SetString(PyExc_ValueError, "a symbol is out of range");
        return -1;
    }
    int failed = map_open(&letters->rows, 8) < 0 ||
                 take_column(codes_given, &codes, 0, 0x10FFFF) < 0 ||
                 take_column(forms_given, &forms, 0, letters->unknown) < 0 ||
                 letters_fill(letters, &codes, &forms) < 0;
    PyBuffer_Release(&codes);
    PyBuffer_Release(&forms);
    return failed ? -1 : 0;
}

static void letters_close(Letters *letters) {
    PyMem_Free(letters->rows.entries);
    PyMem_Free(letters->forms);
}

#endif
