/* What comes in: words, and columns of 64-bit numbers. */

#ifndef TOKBENCH_SEGMENT_INPUT_H
#define TOKBENCH_SEGMENT_INPUT_H

#include "segment_map.h"

#define AHEAD 8 /* strings to fetch from memory before they are needed */

#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

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

/* Give a string of a tuple; strings lie scattered in memory, which is slower than any work. */
static inline PyObject *string_at(PyObject *strings, Py_ssize_t i) {
    if (i + AHEAD < PyTuple_GET_SIZE(strings)) {
        const char *later = (const char *)PyTuple_GET_ITEM(strings, i + AHEAD);
        FETCH(later);
        FETCH(later + 64);
    }
    return PyTuple_GET_ITEM(strings, i);
}

/* Check a tuple of strings; give the length of the longest, or -1. */
static Py_ssize_t longest_string(PyObject *strings) {
    Py_ssize_t longest = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(strings); i++) {
        PyObject *string = string_at(strings, i);
        if (!PyUnicode_Check(string)) {
            PyErr_Format(PyExc_TypeError, "a str is expected, not %.100s", Py_TYPE(string)->tp_name);
            return -1;
        }
#if PY_VERSION_HEX < 0x030C0000
        if (PyUnicode_READY(string) < 0)
            return -1;
#endif
        longest = Py_MAX(longest, PyUnicode_GET_LENGTH(string));
    }
    if (longest > INT32_MAX / 8) {
        PyErr_SetString(PyExc_OverflowError, "a word is too long");
        return -1;
    }
    return longest;
}

static inline int utf8_width(Py_UCS4 letter) {
    return letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
}

#endif
