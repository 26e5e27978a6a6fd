/* What goes out: the states of each word as it is cut, in columns that grow. */

#ifndef TOKBENCH_SEGMENT_STATES_H
#define TOKBENCH_SEGMENT_STATES_H

#include "segment_input.h"

#define WORK_BETWEEN_SIGNALS (1 << 18)

typedef struct {
    PyObject *bytes;
    int64_t *cells;
    Py_ssize_t used, room;
} Column;

enum { WORD, ROW, IDS, ENDS, SINCE, UNTIL, COLUMNS };

typedef struct {
    Column columns[COLUMNS];
    PyThreadState *thread;  /* while the interpreter's lock is given away */
    int64_t since;          /* earlier states are not asked for */
    int32_t tokens;         /* symbols from here on have no id */
    Py_ssize_t work;        /* symbols written since signals were let in */
} Run;

static int column_resize(Column *column, Py_ssize_t room) {
    if (room > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(int64_t)) {
        PyErr_NoMemory();
        return -1;
    }
    if (PyByteArray_Resize(column->bytes, room * (Py_ssize_t)sizeof(int64_t)) < 0)
        return -1;
    column->cells = (int64_t *)(void *)PyByteArray_AsString(column->bytes);
    column->room = room;
    return 0;
}

static int run_open(Run *run, Py_ssize_t words) {
    for (int i = 0; i < COLUMNS; i++) {
        run->columns[i].bytes = PyByteArray_FromStringAndSize(NULL, 0);
        if (run->columns[i].bytes == NULL ||
            column_resize(&run->columns[i], (i == IDS || i == ENDS ? 3 : 1) * words + 1) < 0)
            return -1;
    }
    run->columns[ROW].cells[run->columns[ROW].used++] = 0;
    return 0;
}

/* Give the columns as a tuple; NULL with an exception where `failed` or out of memory. */
static PyObject *run_close(Run *run, int failed) {
    PyObject *result = failed ? NULL : PyTuple_New(COLUMNS);
    for (int i = 0; i < COLUMNS; i++) {
        Column *column = &run->columns[i];
        if (result != NULL && column_resize(column, column->used) < 0)
            Py_CLEAR(result);
        if (result != NULL)
            PyTuple_SetItem(result, i, column->bytes); /* which takes it over */
        else
            Py_CLEAR(column->bytes);
    }
    return result;
}

static int run_reserve(Run *run, int which, Py_ssize_t more) {
    Column *column = &run->columns[which];
    if (more <= column->room - column->used)
        return 0;
    PyEval_RestoreThread(run->thread);
    int failed = column_resize(column, column->used + column->room + more);
    run->thread = PyEval_SaveThread();
    return failed;
}

/* Count work done; give -1 where a signal, answered now and then, wants an end. */
static int run_worked(Run *run, Py_ssize_t work) {
    run->work += work;
    if (run->work < WORK_BETWEEN_SIGNALS)
        return 0;
    run->work = 0;
    PyEval_RestoreThread(run->thread);
    int failed = PyErr_CheckSignals();
    run->thread = PyEval_SaveThread();
    return failed;
}

static inline void append(Run *run, int which, int64_t value) {
    Column *column = &run->columns[which];
    column->cells[column->used++] = value;
}

/* One word as it is cut. */
typedef struct {
    Py_ssize_t number;
    Py_ssize_t length;
    int32_t *symbols;
    int64_t *ends;  /* the byte at which each symbol ends */
    int32_t *ranks; /* merge: of each symbol and the one after it */
    int64_t since;  /* the learned items at which the present state begins */
} Cut;

static int cut_open(Cut *cut, Py_ssize_t longest) {
    size_t room = (size_t)longest + 2;
    cut->symbols = PyMem_Malloc(room * sizeof *cut->symbols);
    cut->ends = PyMem_Malloc(room * sizeof *cut->ends);
    cut->ranks = PyMem_Malloc(room * sizeof *cut->ranks);
    if (cut->symbols == NULL || cut->ends == NULL || cut->ranks == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void cut_close(Cut *cut) {
    PyMem_Free(cut->symbols);
    PyMem_Free(cut->ends);
    PyMem_Free(cut->ranks);
}

/* Write down that the present state holds up to `until` - 1 learned items; the next begins. */
static int end_state(Run *run, Cut *cut, int64_t until) {
    int64_t since = Py_MAX(cut->since, run->since);
    cut->since = until;
    if (until <= since)
        return 0;
    for (int i = 0; i < COLUMNS; i++)
        if (run_reserve(run, i, i == IDS || i == ENDS ? cut->length : 1) < 0)
            return -1;
    int64_t *ids = run->columns[IDS].cells + run->columns[IDS].used;
    for (Py_ssize_t i = 0; i < cut->length; i++)
        ids[i] = cut->symbols[i] < run->tokens ? cut->symbols[i] : -1;
    memcpy(run->columns[ENDS].cells + run->columns[ENDS].used, cut->ends,
           (size_t)cut->length * sizeof *cut->ends);
    run->columns[IDS].used += cut->length;
    run->columns[ENDS].used += cut->length;
    append(run, WORD, cut->number);
    append(run, ROW, run->columns[IDS].used);
    append(run, SINCE, since);
    append(run, UNTIL, until);
    return run_worked(run, cut->length);
}

#endif
