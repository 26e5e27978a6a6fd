/* Counted words as columns: checked, walked word by word, and decoded letter by letter.
 *
 * The columns are those of tokbench.api.arrays.CountedWords: the words' UTF-8 bytes one after the
 * other (lone surrogates written as any other letter), the byte at which each word ends, its count.
 * Every number is checked when it is used, so that columns which somebody changes meanwhile can
 * give a wrong answer or an error, but never reach memory that is not theirs.
 */

#ifndef TOKBENCH_LEARN_WORDS_H
#define TOKBENCH_LEARN_WORDS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CODE_POINTS 0x110000
#define STEPS_BETWEEN_SIGNALS (1 << 22)

_Static_assert(sizeof(size_t) >= 8, "numbers of cells are multiplied in size_t");

typedef enum {
    FINE,
    NO_MEMORY,
    TOO_MANY_CELLS,
    COUNTS_OVERFLOW,
    NEGATIVE_COUNT,
    WRONG_ENDS,
    NOT_UTF8,
    INTERRUPTED,
} Status;

/* Raise what a status means; for INTERRUPTED the exception is set already. */
static PyObject *raise_status(Status status)
{
    switch (status) {
    case TOO_MANY_CELLS:
        PyErr_SetString(PyExc_MemoryError, "the distinct words have too many letters in all");
        break;
    case COUNTS_OVERFLOW:
        PyErr_SetString(PyExc_OverflowError, "the counts of all letters sum to 2^63 or more");
        break;
    case NEGATIVE_COUNT:
        PyErr_SetString(PyExc_ValueError, "counts: found a count below 0");
        break;
    case WRONG_ENDS:
        PyErr_SetString(PyExc_ValueError, "ends: they must rise to the number of bytes");
        break;
    case NOT_UTF8:
        PyErr_SetString(PyExc_ValueError, "utf8: a word is not UTF-8");
        break;
    case NO_MEMORY:
        PyErr_NoMemory();
        break;
    default:
        break;
    }
    return NULL;
}

/* Give `block` with room for at least `needed` items, or NULL and leave it as it was. */
static void *grown(void *block, size_t *capacity, size_t needed, size_t item)
{
    size_t more = *capacity + *capacity / 2;
    if (more < needed)
        more = needed;
    if (more > PTRDIFF_MAX / item)
        return NULL;
    void *bigger = realloc(block, more * item);
    if (bigger)
        *capacity = more;
    return bigger;
}

/* The thread of the interpreter, which is let go while C works. */
typedef struct {
    PyThreadState *thread;
    int64_t steps;
} Watch;

/* Count steps, and about ten times a second see whether the user wants to stop. */
static Status watch(Watch *watch, int64_t steps)
{
    watch->steps += steps;
    if (watch->steps < STEPS_BETWEEN_SIGNALS)
        return FINE;
    watch->steps = 0;
    PyEval_RestoreThread(watch->thread);
    int interrupted = PyErr_CheckSignals();
    watch->thread = PyEval_SaveThread();
    return interrupted ? INTERRUPTED : FINE;
}

typedef struct {
    Py_buffer utf8, ends, counts;
    int64_t words;
} Columns;

typedef struct {
    const uint8_t *begin, *end;
    int64_t count;
} Word;

static void close_columns(Columns *columns)
{
    PyBuffer_Release(&columns->utf8);
    PyBuffer_Release(&columns->ends);
    PyBuffer_Release(&columns->counts);
}

static bool open_integers(PyObject *given, Py_buffer *view, size_t size, const char *formats)
{
    if (PyObject_GetBuffer(given, view, PyBUF_ND | PyBUF_FORMAT) < 0)
        return false;
    const char *format = view->format ? view->format : "B";
    if ((size_t)view->itemsize == size && strchr(formats, format[strlen(format) - 1]))
        return true;
    PyErr_Format(PyExc_ValueError, "expected signed integers of %zu bytes", size);
    PyBuffer_Release(view);
    return false;
}

/* Take hold of the columns, which must be zeroed; what was opened is closed by close_columns. */
static bool open_columns(Columns *columns, PyObject *utf8, PyObject *ends, PyObject *counts)
{
    if (PyObject_GetBuffer(utf8, &columns->utf8, PyBUF_SIMPLE) < 0 ||
        !open_integers(ends, &columns->ends, 8, "ql") ||
        !open_integers(counts, &columns->counts, 8, "ql"))
        return false;
    if (columns->ends.len != columns->counts.len) {
        PyErr_SetString(PyExc_ValueError, "ends and counts are not of one length");
        return false;
    }
    columns->words = columns->ends.len / 8;
    return true;
}

static int64_t integer_at(const Py_buffer *view, int64_t number)
{
    int64_t value;
    memcpy(&value, (const char *)view->buf + 8 * number, sizeof value);
    return value;
}

/* Move `word`, which holds the word before it or is zeroed, to a word. */
static Status read_word(const Columns *columns, int64_t number, Word *word)
{
    const uint8_t *bytes = columns->utf8.buf;
    word->begin = number ? word->end : bytes;
    int64_t end = integer_at(&columns->ends, number);
    bool last = number == columns->words - 1;
    if (end < word->begin - bytes || end > columns->utf8.len || (last && end < columns->utf8.len))
        return WRONG_ENDS;
    word->end = bytes + end;
    word->count = integer_at(&columns->counts, number);
    return word->count < 0 ? NEGATIVE_COUNT : FINE;
}

/* Add `count` for each of so many letters to a total, which must stay below 2^63. */
static Status add_count(int64_t *total, int64_t count, int64_t letters)
{
    if (letters && count > (INT64_MAX - *total) / letters)
        return COUNTS_OVERFLOW;
    *total += count * letters;
    return FINE;
}

/* Decode a letter of two to four bytes; -1 for what Python's `surrogatepass` would refuse. */
static int32_t decode_long(const uint8_t **at, const uint8_t *end)
{
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t lead = **at;
    int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || end - *at < length)
        return -1;
    int32_t letter = lead & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        uint8_t next = (*at)[i];
        if ((next & 0xc0) != 0x80)
            return -1;
        letter = letter << 6 | (next & 0x3f);
    }
    *at += length;
    return letter < least[length] || letter >= CODE_POINTS ? -1 : letter;
}

/* Decode the letter at `at`, which must be before `end`, and move on; -1 if it is not UTF-8. */
static inline int32_t decode(const uint8_t **at, const uint8_t *end)
{
    return **at < 0x80 ? *(*at)++ : decode_long(at, end);
}

#endif
