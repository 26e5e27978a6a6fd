/* Adds up the rows of a table of counts: the compiled form of tokbench.api.count_table.
 *
 * The interpreter's lock is let go meanwhile. An item outside the table is refused, not read. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* The arrays of one call; an item has `size` bytes, 4 or 8, and there may be no weights. */
typedef struct {
    Py_buffer sums, values, items, ends, weights;
    Py_ssize_t columns, size;
} Call;

static int64_t item_at(const Call *call, int64_t place) {
    return call->size == 4 ? (int64_t)((const uint32_t *)call->items.buf)[place]
                           : ((const int64_t *)call->items.buf)[place];
}

/* Returns whether all items and ends lie inside their arrays. */
static int add_rows(const Call *call) {
    const double *values = call->values.buf, *weights = call->weights.buf;
    const int64_t *ends = call->ends.buf;
    const int64_t places = call->items.len / call->size;
    const int64_t rows = call->ends.len / (Py_ssize_t)sizeof *ends - 1;
    const int64_t columns = call->columns;
    const int64_t width = call->values.len / (Py_ssize_t)sizeof *values / columns;
    for (int64_t row = 0; row < rows; row++) {
        double *sum = (double *)call->sums.buf + row * columns;
        const int64_t first = ends[row], last = ends[row + 1];
        if (first < 0 || last > places)
            return 0;
        for (int64_t place = first; place < last; place++) {
            const int64_t item = item_at(call, place);
            if (item < 0 || item >= width)
                return 0;
            const double *value = values + item * columns;
            const double weight = weights ? weights[place] : 1;
            for (int64_t column = 0; column < columns; column++)
                sum[column] += weight * value[column];
        }
    }
    return 1;
}

static int fits(const Call *call) {
    const Py_ssize_t number = sizeof(double), index = sizeof(int64_t);
    const Py_ssize_t rows = call->ends.len / index - 1, size = call->size;
    return call->columns > 0 && rows >= 0 && (size == 4 || size == 8) &&
           call->sums.len == rows * call->columns * number &&
           call->values.len % (call->columns * number) == 0 &&
           (!call->weights.buf || call->weights.len / number == call->items.len / size);
}

static PyObject *add_up(PyObject *module, PyObject *args) {
    Call call = {0};
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "w*y*y*y*z*nn", &call.sums, &call.values, &call.items,
                          &call.ends, &call.weights, &call.columns, &call.size))
        return NULL;
    int inside = fits(&call);
    if (inside) {
        Py_BEGIN_ALLOW_THREADS
        inside = add_rows(&call);
        Py_END_ALLOW_THREADS
    }
    if (inside)
        result = Py_NewRef(Py_None);
    else
        PyErr_SetString(PyExc_ValueError, "the arrays of a table do not fit one another");
    PyBuffer_Release(&call.sums);
    PyBuffer_Release(&call.values);
    PyBuffer_Release(&call.items);
    PyBuffer_Release(&call.ends);
    PyBuffer_Release(&call.weights);
    return result;
}

static PyMethodDef methods[] = {
    {"add_up", add_up, METH_VARARGS,
     "add_up(sums, values, items, ends, weights, columns, size): add the values of each row's "
     "items."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tokbench.api._count_table",
    .m_doc = "Adds up the rows of a table of counts.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__count_table(void) {
    return PyModuleDef_Init(&definition);
}
