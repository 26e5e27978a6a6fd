/* Counts the words of UTF-8 text: the compiled form of tokbench.corpora.counting.

   A Counter holds each distinct word once. Its slots form a hash table with open addressing and
   linear probing; a slot holds 32 bits of the word's hash and the number of its entry plus one, so
   that most probes never leave the table. Entries stand in the order in which the words were first
   met. A word of up to 8 bytes lies in its entry, a longer one in the arena. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CODE_POINTS 0x110000
#define FEWEST_SLOTS 1024
#define MOST_ENTRIES ((uint64_t)UINT32_MAX - 1)
#define BATCH 64
#define SHORT 8 /* bytes of a word that lies in its entry */

/* Classes of a code point, as tokbench.corpora.splitters gives them. */
enum { RUNS = 3, KNOWN = 4, SPECIAL = 8 }; /* RUNS: letters 1, symbols 2, marks both */

/* How a loop ended. */
enum outcome { DONE, NO_MEMORY, TOO_MANY, NOT_UTF8, TOO_LONG };

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define PREFETCH(address) ((void)0)
#define LIKELY(condition) (condition)
#endif

typedef struct {
    uint64_t text; /* the bytes of a short word, else where a long one begins in the arena */
    int64_t count;
    uint32_t length;
    uint32_t hash;
} Entry;

typedef struct {
    const uint8_t *at;
    uint64_t key; /* the first 8 bytes, zero beyond the word's end */
    uint32_t length;
    uint32_t hash;
} Token;

typedef struct {
    PyObject_HEAD
    uint64_t *slots; /* hash << 32 | number of the entry + 1, or 0 */
    uint64_t mask;   /* slots - 1; their number is a power of two */
    Entry *entries;
    uint64_t used, room;
    uint8_t *arena;
    uint64_t arena_used, arena_room;
    uint8_t *classes; /* one byte a code point, 0 where unknown */
} Counter;

/* --- bytes, eight at a time ------------------------------------------------------------------ */

static inline uint64_t
little(uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = (word & 0x00FF00FF00FF00FFu) << 8 | (word >> 8 & 0x00FF00FF00FF00FFu);
    word = (word & 0x0000FFFF0000FFFFu) << 16 | (word >> 16 & 0x0000FFFF0000FFFFu);
    word = word << 32 | word >> 32;
#endif
    return word;
}

/* Eight bytes, the first one lowest; beyond the end stand spaces. */
static inline uint64_t
load(const uint8_t *at, const uint8_t *end)
{
    uint64_t word;
    if (LIKELY(end - at >= 8))
        memcpy(&word, at, 8);
    else {
        memset(&word, ' ', 8);
        memcpy(&word, at, (size_t)(end - at));
    }
    return little(word);
}

#define EACH(byte) (0x0101010101010101u * (byte))

static inline uint64_t
lowest(unsigned bytes)
{
    return bytes < 8 ? ((uint64_t)1 << 8 * bytes) - 1 : UINT64_MAX;
}

/* The highest bit of each byte that is ASCII white space: a space, or 9 to 13. No sum below
   carries into the next byte, so every bit is right. */
static inline uint64_t
spaces(uint64_t word)
{
    uint64_t low = word & EACH(0x7F), other = word ^ EACH(0x20);
    uint64_t space = ~(((other & EACH(0x7F)) + EACH(0x7F)) | other);
    uint64_t control = (low + EACH(0x80 - 9)) & ~(low + EACH(0x80 - 14)) & ~word;
    return (space | control) & EACH(0x80);
}

static inline unsigned
first_marked(uint64_t marks)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(marks) / 8;
#else
    unsigned byte = 0;
    while (!(marks & 0x80)) {
        marks >>= 8;
        byte++;
    }
    return byte;
#endif
}

static inline int
is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= 9 && byte <= 13);
}

/* --- hashing ---------------------------------------------------------------------------------- */

/* Each step is a bijection of the state, so words of up to 8 bytes and of one length never share
   all 64 bits. */
static inline uint64_t
stirred(uint64_t state)
{
    state *= 0xC2B2D4C9A9E3779Fu;
    state ^= state >> 32;
    return state;
}

static inline uint64_t
hash_short(uint64_t key, uint64_t length)
{
    uint64_t state = stirred(key ^ length << 56 ^ 0xD6FFA3FFB5FF93FFu);
    state *= 0x9E6C63D0876A9A47u;
    return state ^ state >> 29;
}

static uint64_t
hash_bytes(const uint8_t *at, uint64_t length)
{
    const uint8_t *end = at + length;
    uint64_t state = length * 0x9E6C63D0876A9A47u;
    for (; end - at > 8; at += 8)
        state = stirred(state ^ load(at, end));
    return hash_short(stirred(state ^ (load(at, end) & lowest((unsigned)(end - at)))), 0);
}

/* --- the table -------------------------------------------------------------------------------- */

static int
grown_slots(Counter *self)
{
    uint64_t size = self->slots ? 2 * (self->mask + 1) : FEWEST_SLOTS;
    uint64_t *slots =
        size > SIZE_MAX / sizeof *slots ? NULL : calloc((size_t)size, sizeof *slots);
    if (!slots)
        return 0;
    for (uint64_t i = 0; self->slots && i <= self->mask; i++) {
        uint64_t slot = self->slots[i];
        if (!slot)
            continue;
        uint64_t at = (slot >> 32) & (size - 1);
        while (slots[at])
            at = (at + 1) & (size - 1);
        slots[at] = slot;
    }
    free(self->slots);
    self->slots = slots;
    self->mask = size - 1;
    return 1;
}

static int
grown_entries(Counter *self)
{
    uint64_t room = self->room ? self->room + self->room / 2 : FEWEST_SLOTS / 2;
    if (room > SIZE_MAX / sizeof(Entry))
        return 0;
    Entry *entries = realloc(self->entries, (size_t)room * sizeof *entries);
    if (!entries)
        return 0;
    self->entries = entries;
    self->room = room;
    return 1;
}

static int
kept(Counter *self, const Token *token, uint64_t *text)
{
    if (token->length <= SHORT) {
        *text = token->key;
        return 1;
    }
    if (self->arena_room - self->arena_used < token->length) {
        uint64_t room = self->arena_room + self->arena_room / 2 + token->length + 4096;
        uint8_t *arena = room > SIZE_MAX ? NULL : realloc(self->arena, (size_t)room);
        if (!arena)
            return 0;
        self->arena = arena;
        self->arena_room = room;
    }
    *text = self->arena_used;
    memcpy(self->arena + self->arena_used, token->at, token->length);
    self->arena_used += token->length;
    return 1;
}

static inline int
same(const Counter *self, const Entry *entry, const Token *token)
{
    if (entry->length != token->length)
        return 0;
    if (token->length <= SHORT)
        return entry->text == token->key;
    return memcmp(self->arena + entry->text, token->at, token->length) == 0;
}

/* The slot of a word, or the empty slot where it belongs. */
static inline uint64_t
slot_of(const Counter *self, const Token *token)
{
    uint64_t at = token->hash & self->mask, slot;
    for (; (slot = self->slots[at]); at = (at + 1) & self->mask)
        if (slot >> 32 == token->hash && same(self, self->entries + ((uint32_t)slot - 1), token))
            break;
    return at;
}

static enum outcome
added(Counter *self, const Token *token, int64_t count)
{
    uint64_t at = slot_of(self, token);
    if (LIKELY(self->slots[at])) {
        self->entries[(uint32_t)self->slots[at] - 1].count += count;
        return DONE;
    }
    if (self->used >= MOST_ENTRIES)
        return TOO_MANY;
    if (self->used == self->room && !grown_entries(self))
        return NO_MEMORY;
    /* A third of the slots stays empty, so that probes end soon. */
    if (self->used >= (self->mask + 1) / 3 * 2) {
        if (!grown_slots(self))
            return NO_MEMORY;
        at = slot_of(self, token);
    }
    Entry entry = {0, count, token->length, token->hash};
    if (!kept(self, token, &entry.text))
        return NO_MEMORY;
    self->entries[self->used] = entry;
    self->slots[at] = (uint64_t)token->hash << 32 | ++self->used;
    return DONE;
}

/* Words wait in a batch, so that their slots are fetched from memory side by side. */
typedef struct {
    Token tokens[BATCH];
    unsigned waiting;
} Batch;

static void
fetched(const Counter *self, const Token *tokens, unsigned waiting)
{
    for (unsigned i = 0; i < waiting; i++) {
        uint64_t slot = self->slots[tokens[i].hash & self->mask];
        if (slot)
            PREFETCH(self->entries + ((uint32_t)slot - 1));
    }
}

static enum outcome
flushed(Counter *self, Batch *batch)
{
    enum outcome outcome = DONE;
    fetched(self, batch->tokens, batch->waiting);
    for (unsigned i = 0; i < batch->waiting && outcome == DONE; i++)
        outcome = added(self, batch->tokens + i, 1);
    batch->waiting = 0;
    return outcome;
}

static inline Token
hashed(const Counter *self, const uint8_t *at, uint64_t length, uint64_t key)
{
    uint64_t hash = length <= SHORT ? hash_short(key, length) : hash_bytes(at, length);
    Token token = {at, key, (uint32_t)length, (uint32_t)(hash ^ hash >> 32)};
    PREFETCH(self->slots + (token.hash & self->mask));
    return token;
}

static inline enum outcome
pushed(Counter *self, Batch *batch, const uint8_t *at, uint64_t length, uint64_t key)
{
    if (length > UINT32_MAX)
        return TOO_LONG;
    batch->tokens[batch->waiting++] = hashed(self, at, length, key);
    return batch->waiting < BATCH ? DONE : flushed(self, batch);
}

/* --- finding words ---------------------------------------------------------------------------- */

static enum outcome
count_between_spaces(Counter *self, Batch *batch, const uint8_t *at, const uint8_t *end)
{
    enum outcome outcome = DONE;
    while (outcome == DONE) {
        while (at < end && is_space(*at))
            at++;
        if (at == end)
            break;
        const uint8_t *begin = at;
        uint64_t key = load(at, end), marks = spaces(key);
        if (LIKELY(marks)) {
            unsigned length = first_marked(marks);
            at += length;
            key &= lowest(length);
        }
        else {
            do {
                at += 8;
                marks = at < end ? spaces(load(at, end)) : EACH(0x80);
            } while (!marks);
            at += first_marked(marks);
        }
        outcome = pushed(self, batch, begin, (uint64_t)(at - begin), key);
    }
    return outcome == DONE ? flushed(self, batch) : outcome;
}

/* The bytes of the character at `at`, and its code point; 0 where it is no valid UTF-8. Encoded
   surrogates are let through where `surrogates` is true. */
static inline unsigned
character(const uint8_t *at, const uint8_t *end, uint32_t *code)
{
    uint32_t lead = at[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || end - at < (ptrdiff_t)length)
        return 0;
    uint32_t found = lead & (0x7Fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        found = found << 6 | (at[i] & 0x3F);
    }
    if ((length == 3 && (found < 0x800 || (found >= 0xD800 && found < 0xE000))) ||
        (length == 4 && (found < 0x10000 || found >= CODE_POINTS)))
        return 0;
    *code = found;
    return length;
}

/* Count runs of characters that have a class in common; stops before a run that holds a special
   character or one of unknown class, whose code point goes to `stopped`. */
static enum outcome
count_runs(Counter *self, Batch *batch, const uint8_t **where, const uint8_t *end, int64_t *stopped)
{
    const uint8_t *at = *where, *classes = self->classes;
    enum outcome outcome = DONE;
    uint32_t code = 0;
    *stopped = -1;
    while (at < end && outcome == DONE) {
        const uint8_t *begin = at;
        uint8_t run = RUNS, class = 0;
        while (at < end) {
            unsigned length = character(at, end, &code);
            if (!length)
                return NOT_UTF8;
            class = classes[code];
            if (!class || class & SPECIAL) {
                *stopped = code;
                break;
            }
            if (!(class & run))
                break;
            run &= class;
            at += length;
        }
        if (*stopped >= 0) {
            at = begin;
            break;
        }
        if (at == begin)
            at += character(at, end, &code); /* white space */
        else {
            uint64_t length = (uint64_t)(at - begin);
            uint64_t key = load(begin, end) & lowest(length < 8 ? (unsigned)length : 8);
            outcome = pushed(self, batch, begin, length, key);
        }
    }
    *where = at;
    return outcome == DONE ? flushed(self, batch) : outcome;
}

/* --- what Python sees ------------------------------------------------------------------------- */

static PyObject *
raised(enum outcome outcome)
{
    switch (outcome) {
    case NOT_UTF8:
        PyErr_SetString(PyExc_ValueError, "the text is not valid UTF-8");
        break;
    case TOO_MANY:
        PyErr_SetString(PyExc_OverflowError, "over 4,294,967,294 distinct words");
        break;
    case TOO_LONG:
        PyErr_SetString(PyExc_OverflowError, "a word of over 4,294,967,295 bytes");
        break;
    default:
        PyErr_NoMemory();
    }
    return NULL;
}

static PyObject *
Counter_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *none[] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":Counter", none))
        return NULL;
    Counter *self = (Counter *)PyType_GenericAlloc(type, 0);
    if (self && !grown_slots(self)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void
Counter_dealloc(Counter *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    free(self->slots);
    free(self->entries);
    free(self->arena);
    free(self->classes);
    PyObject_Free(self);
    Py_DECREF(type);
}

static Py_ssize_t
Counter_len(Counter *self)
{
    return (Py_ssize_t)self->used;
}

static PyObject *
Counter_spaced(Counter *self, PyObject *args)
{
    Py_buffer text;
    if (!PyArg_ParseTuple(args, "y*:spaced", &text))
        return NULL;
    Batch batch = {.waiting = 0};
    const uint8_t *begin = text.buf;
    enum outcome outcome = count_between_spaces(self, &batch, begin, begin + text.len);
    PyBuffer_Release(&text);
    if (outcome != DONE)
        return raised(outcome);
    Py_RETURN_NONE;
}

static PyObject *
Counter_runs(Counter *self, PyObject *args)
{
    Py_buffer text;
    Py_ssize_t start;
    if (!PyArg_ParseTuple(args, "y*n:runs", &text, &start))
        return NULL;
    if (start < 0 || start > text.len) {
        PyBuffer_Release(&text);
        PyErr_SetString(PyExc_ValueError, "the start lies outside the text");
        return NULL;
    }
    if (!self->classes)
        self->classes = calloc(CODE_POINTS, 1);
    enum outcome outcome = NO_MEMORY;
    int64_t stopped = -1;
    const uint8_t *begin = text.buf, *at = begin + start;
    if (self->classes) {
        Batch batch = {.waiting = 0};
        outcome = count_runs(self, &batch, &at, begin + text.len, &stopped);
    }
    Py_ssize_t reached = at - begin;
    PyBuffer_Release(&text);
    if (outcome != DONE)
        return raised(outcome);
    return Py_BuildValue("nL", reached, (long long)stopped);
}

static PyObject *
Counter_classify(Counter *self, PyObject *args)
{
    Py_buffer classes;
    Py_ssize_t begin;
    if (!PyArg_ParseTuple(args, "ny*:classify", &begin, &classes))
        return NULL;
    int fits = begin >= 0 && begin <= CODE_POINTS && classes.len <= CODE_POINTS - begin;
    for (Py_ssize_t i = 0; fits && i < classes.len; i++) {
        uint8_t class = ((const uint8_t *)classes.buf)[i];
        fits = (class & KNOWN) && class < 2 * SPECIAL;
    }
    PyObject *result = NULL;
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "expected a class from 4 to 15 for each code point");
    else {
        if (!self->classes)
            self->classes = calloc(CODE_POINTS, 1);
        if (self->classes) {
            memcpy(self->classes + begin, classes.buf, (size_t)classes.len);
            result = Py_NewRef(Py_None);
        }
        else
            PyErr_NoMemory();
    }
    PyBuffer_Release(&classes);
    return result;
}

/* --- columns of words, out of a counter and into it ------------------------------------------- */

static uint64_t
bytes_of(const Counter *self)
{
    uint64_t bytes = self->arena_used;
    for (uint64_t i = 0; i < self->used; i++)
        bytes += self->entries[i].length <= SHORT ? self->entries[i].length : 0;
    return bytes;
}

static void
write_columns(const Counter *self, uint8_t *utf8, int64_t *ends, int64_t *counts)
{
    int64_t end = 0;
    for (uint64_t i = 0; i < self->used; i++) {
        const Entry *entry = self->entries + i;
        uint64_t key = little(entry->text);
        const void *text = entry->length <= SHORT ? (void *)&key : self->arena + entry->text;
        memcpy(utf8 + end, text, entry->length);
        ends[i] = end += entry->length;
        counts[i] = entry->count;
    }
}

static PyObject *
Counter_columns(Counter *self, PyObject *Py_UNUSED(ignored))
{
    uint64_t bytes = bytes_of(self);
    if (self->used > PY_SSIZE_T_MAX / sizeof(int64_t) || bytes > PY_SSIZE_T_MAX)
        return PyErr_NoMemory();
    Py_ssize_t size = (Py_ssize_t)(self->used * sizeof(int64_t));
    PyObject *utf8 = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    PyObject *ends = PyBytes_FromStringAndSize(NULL, size);
    PyObject *counts = PyBytes_FromStringAndSize(NULL, size);
    if (utf8 && ends && counts) {
        write_columns(self, (uint8_t *)PyBytes_AsString(utf8), (int64_t *)PyBytes_AsString(ends),
                      (int64_t *)PyBytes_AsString(counts));
        return Py_BuildValue("NNN", utf8, ends, counts);
    }
    Py_XDECREF(utf8);
    Py_XDECREF(ends);
    Py_XDECREF(counts);
    return NULL;
}

static inline int64_t
number_at(const Py_buffer *column, uint64_t i)
{
    int64_t number;
    memcpy(&number, (const uint8_t *)column->buf + i * sizeof number, sizeof number);
    return number;
}

static int
belong_together(const Py_buffer *utf8, const Py_buffer *ends, const Py_buffer *counts)
{
    if (ends->len % (Py_ssize_t)sizeof(int64_t) || ends->len != counts->len)
        return 0;
    int64_t end = 0;
    for (uint64_t i = 0; i < (uint64_t)ends->len / sizeof(int64_t); i++) {
        int64_t next = number_at(ends, i);
        if (next < end || next > utf8->len)
            return 0;
        end = next;
    }
    return 1;
}

/* Add counted words in their order. */
static enum outcome
added_columns(Counter *self, const Py_buffer *utf8, const Py_buffer *ends, const Py_buffer *counts)
{
    Token tokens[BATCH];
    const uint8_t *text = utf8->buf;
    uint64_t words = (uint64_t)ends->len / sizeof(int64_t);
    int64_t begin = 0;
    enum outcome outcome = DONE;
    for (uint64_t i = 0; i < words && outcome == DONE;) {
        unsigned waiting = 0;
        uint64_t added_before = i;
        for (; i < words && waiting < BATCH; i++) {
            int64_t end = number_at(ends, i);
            uint64_t length = (uint64_t)(end - begin);
            if (length > UINT32_MAX)
                return TOO_LONG;
            const uint8_t *at = text + begin;
            uint64_t key = load(at, text + utf8->len) & lowest(length < 8 ? (unsigned)length : 8);
            tokens[waiting++] = hashed(self, at, length, key);
            begin = end;
        }
        fetched(self, tokens, waiting);
        for (unsigned j = 0; j < waiting && outcome == DONE; j++)
            outcome = added(self, tokens + j, number_at(counts, added_before + j));
    }
    return outcome;
}

static PyObject *
Counter_add(Counter *self, PyObject *args)
{
    Py_buffer utf8, ends, counts;
    if (!PyArg_ParseTuple(args, "y*y*y*:add", &utf8, &ends, &counts))
        return NULL;
    int fits = belong_together(&utf8, &ends, &counts);
    enum outcome outcome = fits ? added_columns(self, &utf8, &ends, &counts) : DONE;
    PyBuffer_Release(&utf8);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&counts);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "columns that do not belong together");
        return NULL;
    }
    if (outcome != DONE)
        return raised(outcome);
    Py_RETURN_NONE;
}

static PyMethodDef counter_methods[] = {
    {"spaced", (PyCFunction)Counter_spaced, METH_VARARGS,
     "spaced(text): count the words between ASCII white space."},
    {"runs", (PyCFunction)Counter_runs, METH_VARARGS,
     "runs(text, start): count the runs of a class from a byte on; return the byte reached and, "
     "where it is not the end, the code point that is special or whose class is unknown."},
    {"classify", (PyCFunction)Counter_classify, METH_VARARGS,
     "classify(begin, classes): set the classes of consecutive code points."},
    {"add", (PyCFunction)Counter_add, METH_VARARGS,
     "add(utf8, ends, counts): add counted words, as `columns` returns them."},
    {"columns", (PyCFunction)Counter_columns, METH_NOARGS,
     "columns(): return UTF-8, ends and counts of all words, in the order in which they first occur."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot counter_slots[] = {
    {Py_tp_doc, "Distinct words with their counts."},
    {Py_tp_new, Counter_new},
    {Py_tp_dealloc, Counter_dealloc},
    {Py_tp_methods, counter_methods},
    {Py_mp_length, Counter_len},
    {Py_sq_length, Counter_len},
    {0, NULL},
};

static PyType_Spec counter_spec = {
    .name = "tokbench.corpora._count.Counter",
    .basicsize = sizeof(Counter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = counter_slots,
};

static int
module_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &counter_spec, NULL);
    if (!type)
        return -1;
    int failed = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return failed;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tokbench.corpora._count",
    .m_doc = "Counts the words of UTF-8 text.",
    .m_size = 0,
    .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit__count(void)
{
    return PyModuleDef_Init(&module_definition);
}
