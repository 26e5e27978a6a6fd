/* Letters as symbols, by their place in a word. */

#ifndef TOKBENCH_SEGMENT_LETTERS_H
#define TOKBENCH_SEGMENT_LETTERS_H

#include "segment_input.h"

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

static inline const int32_t *letter_forms(const Letters *letters, Py_UCS4 letter) {
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
