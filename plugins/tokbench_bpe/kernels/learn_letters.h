/* Letters by their place in a word: counting them, and the symbol numbers that they stand for. */

#ifndef TOKBENCH_LEARN_LETTERS_H
#define TOKBENCH_LEARN_LETTERS_H

#include "learn_words.h"

#define BORDER 0

/* The only letter of a word is its first and its last: the numbers add up. */
enum { INSIDE = 0, AS_FIRST = 1, AS_LAST = 2, PLACES = 4 };

typedef int32_t Numbers[PLACES];
typedef int64_t Counts[PLACES];

/* ---- spelling ---- */

/* Row 0 stands for letters that are not known, which are borders; `begin` and `end` for marks. */
typedef struct {
    uint32_t *row_of; /* by code point */
    Numbers *numbers; /* by row */
    int32_t begin, end;
} Spelling;

static void close_spelling(Spelling *spelling)
{
    free(spelling->row_of);
    free(spelling->numbers);
}

static bool in_alphabet(const int32_t *numbers, int count, Py_ssize_t alphabet)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] < 0 || numbers[i] > alphabet)
            return false;
    return true;
}

/* Take rows of a code point and its four numbers; a number is at most the alphabet's size. */
static bool fill_spelling(Spelling *spelling, const Py_buffer *view, Py_ssize_t alphabet)
{
    Py_ssize_t rows = view->len / (5 * (Py_ssize_t)sizeof(int32_t));
    int32_t marks[] = {spelling->begin, spelling->end};
    spelling->row_of = calloc(CODE_POINTS, sizeof(uint32_t));
    spelling->numbers = calloc((size_t)rows + 1, sizeof(Numbers));
    if (!spelling->row_of || !spelling->numbers)
        return raise_status(NO_MEMORY);
    bool fits = view->len % (5 * (Py_ssize_t)sizeof(int32_t)) == 0;
    fits = fits && in_alphabet(marks, 2, alphabet);
    for (Py_ssize_t row = 1; fits && row <= rows; row++) {
        int32_t given[5];
        memcpy(given, (const char *)view->buf + (row - 1) * (Py_ssize_t)sizeof given, sizeof given);
        fits = in_alphabet(given, 1, CODE_POINTS - 1) && in_alphabet(given + 1, PLACES, alphabet);
        if (fits) {
            memcpy(spelling->numbers[row], given + 1, sizeof(Numbers));
            spelling->row_of[given[0]] = (uint32_t)row;
        }
    }
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "letters: found what is no letter or no symbol");
    return fits;
}

static bool open_spelling(Spelling *spelling, PyObject *letters, Py_ssize_t alphabet)
{
    Py_buffer view;
    if (!open_integers(letters, &view, sizeof(int32_t), "il"))
        return false;
    bool filled = fill_spelling(spelling, &view, alphabet);
    PyBuffer_Release(&view);
    return filled;
}

/* ---- counting ---- */

typedef struct {
    uint32_t *row_of; /* by code point; 0 for letters that were not met */
    Counts *counts;
    size_t rows, capacity;
} Tally;

static void close_tally(Tally *tally)
{
    free(tally->row_of);
    free(tally->counts);
}

static Status add_row(Tally *tally, int32_t letter)
{
    if (tally->rows == tally->capacity) {
        size_t more = 2 * tally->capacity + 128;
        void *counts = realloc(tally->counts, more * sizeof(Counts));
        if (!counts)
            return NO_MEMORY;
        tally->counts = counts;
        tally->capacity = more;
    }
    memset(tally->counts[tally->rows], 0, sizeof(Counts));
    tally->row_of[letter] = (uint32_t)++tally->rows;
    return FINE;
}

/* Add a word's letters; `total` is the sum of all counts, which none of them can exceed. */
static Status tally_word(Tally *tally, const Word *word, int64_t *total)
{
    int64_t letters = 0;
    for (const uint8_t *at = word->begin; at < word->end; at++)
        letters += (*at & 0xc0) != 0x80;
    Status status = add_count(total, word->count, letters);
    for (const uint8_t *at = word->begin; !status && at < word->end;) {
        int place = at == word->begin ? AS_FIRST : INSIDE;
        int32_t letter = decode(&at, word->end);
        if (letter < 0)
            return NOT_UTF8;
        place += at == word->end ? AS_LAST : INSIDE;
        if (!tally->row_of[letter])
            status = add_row(tally, letter);
        if (!status)
            tally->counts[tally->row_of[letter] - 1][place] += word->count;
    }
    return status;
}

static Status tally_words(Tally *tally, const Columns *columns, Watch *signals)
{
    tally->row_of = calloc(CODE_POINTS, sizeof(uint32_t));
    Status status = tally->row_of ? FINE : NO_MEMORY;
    Word word = {0};
    int64_t total = 0;
    for (int64_t number = 0; !status && number < columns->words; number++) {
        status = read_word(columns, number, &word);
        if (!status)
            status = tally_word(tally, &word, &total);
        if (!status)
            status = watch(signals, word.end - word.begin);
    }
    return status;
}

/* Give each letter with its four counts, in code-point order, as 64-bit integers. */
static PyObject *tally_rows(const Tally *tally)
{
    Py_ssize_t size = (Py_ssize_t)(tally->rows * (1 + PLACES) * sizeof(int64_t));
    PyObject *result = PyBytes_FromStringAndSize(NULL, size);
    if (!result)
        return NULL;
    char *out = PyBytes_AsString(result);
    for (int64_t letter = 0; letter < CODE_POINTS; letter++) {
        uint32_t row = tally->row_of[letter];
        if (!row)
            continue;
        memcpy(out, &letter, sizeof letter);
        memcpy(out + sizeof letter, tally->counts[row - 1], sizeof(Counts));
        out += sizeof letter + sizeof(Counts);
    }
    return result;
}

static PyObject *letter_counts(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *utf8, *ends, *counts, *result = NULL;
    if (!PyArg_ParseTuple(args, "OOO", &utf8, &ends, &counts))
        return NULL;
    Columns columns = {0};
    Tally tally = {0};
    if (open_columns(&columns, utf8, ends, counts)) {
        Watch signals = {.thread = PyEval_SaveThread()};
        Status status = tally_words(&tally, &columns, &signals);
        PyEval_RestoreThread(signals.thread);
        result = status ? raise_status(status) : tally_rows(&tally);
    }
    close_tally(&tally);
    close_columns(&columns);
    return result;
}

#endif
