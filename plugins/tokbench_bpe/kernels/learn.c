/* Byte pair encoding, learned on flat arrays: the merges of indexed.py, many times faster.
 *
 * All words stand in one row of cells, a cell for each letter, with a border between words. A
 * symbol of several letters keeps all of their cells and has its number in the first and in the
 * last of them, so the symbol before a place ends in the cell before it, the symbol behind it
 * begins where its own cells end, and nothing needs to be linked. A cell in between is never
 * mistaken for the begin of a symbol: a number that it still holds belongs to a part that it did
 * not begin, except for the begin of the right part, which a merge makes a border.
 *
 * Every pair that is frequent enough has its count and the places where it began when it was
 * born. A merge walks its pair's places from left to right and gathers, for each neighbour, how
 * often it stood there: that is what the neighbour's pair with the part loses, and what its pair
 * with the product is born with. So the table of pairs is asked once a neighbour, not once a
 * place. No two merges give the same symbol, so a pair is born in one merge, and from then on
 * only loses places; those that it has lost are passed over when it is merged.
 */

#include "learn_queue.h"
#include "learn_row.h"

#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* How many places ahead cells are fetched: about as many as memory answers late. */
#define AHEAD 12

/* How often a symbol stood beside the places of a merge; `next` is where its next place goes. */
typedef struct {
    int64_t weight;
    uint32_t length, next;
} Neighbour;

/* One side of a merge: neighbours by symbol, the symbols met, and the symbol at each place. */
typedef struct {
    Neighbour *by_symbol;
    int32_t *met, *at_place;
    uint32_t number_met;
} Side;

/* `places` holds the places of all pairs; `learned` left, right and count of each merge. */
typedef struct {
    Row row;
    Symbols symbols;
    Pairs pairs;
    Queue queue;
    uint32_t *places, number_of_places;
    Side before, after;
    size_t side_capacity;
    int64_t *learned;
    size_t number_learned, learned_capacity;
    Watch signals;
} Learner;

static void close_side(Side *side)
{
    free(side->by_symbol);
    free(side->met);
    free(side->at_place);
}

static void close_learner(Learner *learner)
{
    close_row(&learner->row);
    close_symbols(&learner->symbols);
    close_pairs(&learner->pairs);
    close_queue(&learner->queue);
    close_side(&learner->before);
    close_side(&learner->after);
    free(learner->places);
    free(learner->learned);
    free(learner);
}

/* ---- the pairs of the words ---- */

static Status count_pairs(Learner *learner)
{
    const Row *row = &learner->row;
    Status status = FINE;
    for (uint32_t cell = 1; !status && cell < row->length; cell++) {
        int32_t left = row->cells[cell - 1].symbol, right = row->cells[cell].symbol;
        if (left == BORDER || right == BORDER)
            continue;
        uint32_t number;
        if ((status = find_or_add(&learner->pairs, left, right, &number)))
            break;
        learner->pairs.all[number].length++;
        learner->pairs.all[number].count += weight_of(row, cell);
        status = watch(&learner->signals, 1);
    }
    return status;
}

/* Make room for all places: those of the words' pairs, and two that each merged place can bear. */
static Status make_places(Learner *learner)
{
    uint32_t longest = 1;
    for (size_t number = 0; number < learner->pairs.number; number++) {
        Pair *pair = &learner->pairs.all[number];
        if (pair->length > longest)
            longest = pair->length;
        pair->first = learner->number_of_places;
        learner->number_of_places += pair->length;
        pair->length = 0;
    }
    /* Only what is written takes memory, on all common systems. */
    learner->places = malloc(3 * (size_t)learner->row.length * sizeof(uint32_t));
    learner->before.at_place = malloc(longest * sizeof(int32_t));
    learner->after.at_place = malloc(longest * sizeof(int32_t));
    bool made = learner->places && learner->before.at_place && learner->after.at_place;
    return made ? FINE : NO_MEMORY;
}

static void list_places(Learner *learner)
{
    const Row *row = &learner->row;
    for (uint32_t cell = 1; cell < row->length; cell++) {
        int32_t left = row->cells[cell - 1].symbol, right = row->cells[cell].symbol;
        if (left == BORDER || right == BORDER)
            continue;
        Pair *pair = &learner->pairs.all[*find_slot(&learner->pairs, left, right)];
        learner->places[pair->first + pair->length++] = cell - 1;
    }
}

static Status index_pairs(Learner *learner)
{
    Status status = count_pairs(learner);
    if (!status)
        status = make_places(learner);
    if (status)
        return status;
    list_places(learner);
    learner->queue.pairs = &learner->pairs;
    learner->queue.symbols = &learner->symbols;
    learner->queue.places = learner->places;
    return enqueue_all(&learner->queue);
}

/* ---- the best pair ---- */

static inline bool stands_at(const Learner *learner, const Pair *pair, uint32_t cell)
{
    const Cell *cells = learner->row.cells;
    uint32_t behind = cell + learner->symbols.all[pair->parts[0]].cells;
    return cells[cell].symbol == pair->parts[0] && cells[behind].symbol == pair->parts[1];
}

/* Pass over the places where a pair stands no more; tell whether there were any. */
static bool skip_places(const Learner *learner, Pair *pair)
{
    uint32_t length = pair->length;
    for (; pair->length && !stands_at(learner, pair, learner->places[pair->first]); pair->length--)
        pair->first++;
    return pair->length < length;
}

/* Take the pair that is to be merged; NONE where no pair is frequent enough. */
static Status take_best(Learner *learner, uint32_t *best)
{
    Queue *queue = &learner->queue;
    Status status = fill_heap(queue);
    for (*best = NONE; !status && queue->length && *best == NONE;) {
        Entry top = queue->heap[0];
        Pair *pair = &learner->pairs.all[top.pair];
        bool moved = pair->count != top.count;
        if (!moved && queue->ties == FIRST)
            moved = skip_places(learner, pair);
        if (!moved)
            *best = top.pair;
        pop(queue);
        if (moved)
            status = enqueue(queue, top.pair);
        if (moved && !status)
            status = fill_heap(queue);
    }
    return status;
}

/* ---- merging ---- */

static Status widen_side(Side *side, size_t old, size_t capacity)
{
    void *bigger = realloc(side->by_symbol, capacity * sizeof(Neighbour));
    if (!bigger)
        return NO_MEMORY;
    side->by_symbol = bigger;
    memset(side->by_symbol + old, 0, (capacity - old) * sizeof(Neighbour));
    /* One more, since `meet` writes before it knows whether the neighbour was met before. */
    if (!(bigger = realloc(side->met, (capacity + 1) * sizeof(int32_t))))
        return NO_MEMORY;
    side->met = bigger;
    return FINE;
}

static Status make_room_for_neighbours(Learner *learner)
{
    size_t old = learner->side_capacity, capacity = learner->symbols.capacity;
    if (learner->symbols.number <= old)
        return FINE;
    Status status = widen_side(&learner->before, old, capacity);
    if (!status)
        status = widen_side(&learner->after, old, capacity);
    if (!status)
        learner->side_capacity = capacity;
    return status;
}

static inline void meet(Side *side, uint32_t place, int32_t symbol, int64_t weight)
{
    Neighbour *neighbour = &side->by_symbol[symbol];
    side->at_place[place] = symbol;
    side->met[side->number_met] = symbol;
    side->number_met += !neighbour->length++;
    neighbour->weight += weight;
}

/* Merge a pair at its places and gather its neighbours; leave in its list where it stood. */
static void merge_places(Learner *learner, Pair *pair, int32_t product)
{
    Cell *cells = learner->row.cells;
    uint32_t *places = learner->places + pair->first, kept = 0;
    uint32_t middle = learner->symbols.all[pair->parts[0]].cells;
    uint32_t span = learner->symbols.all[product].cells;
    for (uint32_t i = 0; i < pair->length; i++) {
        if (i + AHEAD < pair->length)
            PREFETCH(&cells[places[i + AHEAD]]);
        uint32_t cell = places[i];
        if (!stands_at(learner, pair, cell))
            continue;
        int32_t before = cells[cell - 1].symbol;
        int64_t weight = weight_of(&learner->row, cell);
        if (before == product) /* then what stood behind that one was this pair's left part */
            learner->after.at_place[kept - 1] = BORDER;
        meet(&learner->before, kept, before, weight);
        meet(&learner->after, kept, cells[cell + span].symbol, weight);
        cells[cell].symbol = product;
        cells[cell + middle].symbol = BORDER;
        cells[cell + span - 1].symbol = product;
        places[kept++] = cell;
    }
    pair->length = kept;
}

/* Take from the pairs that stood beside a merge what it took from them; none is of the product. */
static void lower_counts(Learner *learner, const Pair *pair)
{
    int32_t left = pair->parts[0], right = pair->parts[1];
    const Side *before = &learner->before, *after = &learner->after;
    for (uint32_t i = 0; i < before->number_met; i++) {
        int32_t symbol = before->met[i];
        if (symbol != BORDER)
            lower_count(&learner->pairs, symbol, left, before->by_symbol[symbol].weight);
    }
    for (uint32_t i = 0; i < after->number_met; i++) {
        int32_t symbol = after->met[i];
        if (symbol != BORDER)
            lower_count(&learner->pairs, right, symbol, after->by_symbol[symbol].weight);
    }
}

/* Add the pair of a neighbour and the product, with room for its places, if it is frequent. */
static Status bear(Learner *learner, int32_t left, int32_t right, Neighbour *neighbour)
{
    neighbour->next = NONE;
    if (left == BORDER || right == BORDER || neighbour->weight < learner->queue.minimum)
        return FINE;
    uint32_t number;
    Status status = find_or_add(&learner->pairs, left, right, &number);
    if (status)
        return status;
    Pair *pair = &learner->pairs.all[number];
    pair->count = neighbour->weight;
    pair->length = neighbour->length;
    pair->first = neighbour->next = learner->number_of_places;
    learner->number_of_places += neighbour->length;
    return FINE;
}

static Status bear_all(Learner *learner, int32_t left, int32_t product)
{
    Side *before = &learner->before, *after = &learner->after;
    /* Left parts that were merged in their turn are no neighbours any more. */
    after->by_symbol[left].weight -= before->by_symbol[product].weight;
    after->by_symbol[left].length -= before->by_symbol[product].length;
    before->by_symbol[BORDER].next = after->by_symbol[BORDER].next = NONE;
    Status status = FINE;
    for (uint32_t i = 0; !status && i < before->number_met; i++) {
        int32_t symbol = before->met[i];
        status = bear(learner, symbol, product, &before->by_symbol[symbol]);
    }
    for (uint32_t i = 0; !status && i < after->number_met; i++) {
        int32_t symbol = after->met[i];
        status = bear(learner, product, symbol, &after->by_symbol[symbol]);
    }
    return status;
}

/* Write the places of the pairs that were born; they rise since those of the merge do. */
static void write_places(Learner *learner, const Pair *merged)
{
    uint32_t *places = learner->places;
    for (uint32_t i = 0; i < merged->length; i++) {
        uint32_t cell = places[merged->first + i];
        int32_t before = learner->before.at_place[i], after = learner->after.at_place[i];
        uint32_t *next = &learner->before.by_symbol[before].next;
        if (*next != NONE)
            places[(*next)++] = cell - learner->symbols.all[before].cells;
        next = &learner->after.by_symbol[after].next;
        if (*next != NONE)
            places[(*next)++] = cell;
    }
}

static void forget(Side *side)
{
    for (uint32_t i = 0; i < side->number_met; i++)
        side->by_symbol[side->met[i]] = (Neighbour){0};
    side->number_met = 0;
}

/* Merge a pair everywhere, and let the pairs that this bears wait for their turn. */
static Status merge(Learner *learner, uint32_t number)
{
    int32_t product = (int32_t)learner->symbols.number;
    Pair *pair = &learner->pairs.all[number];
    Status status = add_product(&learner->symbols, pair->parts[0], pair->parts[1]);
    if (!status)
        status = make_room_for_neighbours(learner);
    if (status)
        return status;
    merge_places(learner, pair, product);
    lower_counts(learner, pair);
    Pair merged = *pair; /* since pairs move when one is added */
    size_t born = learner->pairs.number;
    if ((status = bear_all(learner, merged.parts[0], product)))
        return status;
    write_places(learner, &merged);
    forget(&learner->before);
    forget(&learner->after);
    for (; !status && born < learner->pairs.number; born++)
        status = enqueue(&learner->queue, (uint32_t)born);
    return status ? status : watch(&learner->signals, merged.length + 64);
}

static Status note(Learner *learner, const Pair *pair)
{
    size_t needed = 3 * (learner->number_learned + 1);
    if (needed > learner->learned_capacity) {
        void *bigger = grown(learner->learned, &learner->learned_capacity, needed, sizeof(int64_t));
        if (!bigger)
            return NO_MEMORY;
        learner->learned = bigger;
    }
    int64_t *row = learner->learned + 3 * learner->number_learned++;
    row[0] = pair->parts[0];
    row[1] = pair->parts[1];
    row[2] = pair->count;
    return FINE;
}

/* Merge the best pair until so many merges are learned or no pair is frequent enough. */
static Status merge_all(Learner *learner, int64_t limit)
{
    Status status = FINE;
    while (!status && (int64_t)learner->number_learned < limit) {
        uint32_t best;
        status = take_best(learner, &best);
        if (status || best == NONE)
            break;
        status = note(learner, &learner->pairs.all[best]);
        if (!status)
            status = merge(learner, best);
    }
    return status;
}

/* ---- the interface ---- */

/* Take a symbol of the alphabet; its text as shown is kept only where it differs. */
static bool take_symbol(Symbols *symbols, PyObject *raw, PyObject *shown, PyObject *mark)
{
    if (!PyBytes_Check(raw) || !PyBytes_Check(shown)) {
        PyErr_SetString(PyExc_TypeError, "the texts of the alphabet are bytes");
        return false;
    }
    const char *bytes = PyBytes_AsString(raw), *as_shown = PyBytes_AsString(shown);
    size_t length = (size_t)PyBytes_Size(raw), other = (size_t)PyBytes_Size(shown);
    Symbol symbol = {.cells = 1};
    Status status = append_text(symbols, bytes, length, &symbol.raw);
    symbol.shown = symbol.raw;
    if (!status && (length != other || memcmp(bytes, as_shown, length)))
        status = append_text(symbols, as_shown, other, &symbol.shown);
    if (!status)
        status = add_symbol(symbols, symbol);
    if (status)
        return raise_status(status);
    size_t marked = symbols->continuation_length;
    if (!continues(symbols, symbol.raw) ||
        (other >= marked && !memcmp(as_shown, PyBytes_AsString(mark), marked)))
        return true;
    PyErr_SetString(PyExc_ValueError, "a continuation mark is not shown as it should be");
    return false;
}

static bool take_alphabet(Symbols *symbols, PyObject *raw, PyObject *shown, PyObject *mark)
{
    Py_ssize_t letters = PyTuple_Size(raw);
    if (PyTuple_Size(shown) != letters) {
        PyErr_SetString(PyExc_ValueError, "raw and shown texts are not of one length");
        return false;
    }
    symbols->continuation_length = (size_t)PyBytes_Size(mark);
    Status status = add_symbol(symbols, (Symbol){0}); /* the border */
    if (status)
        return raise_status(status);
    for (Py_ssize_t i = 0; i < letters; i++)
        if (!take_symbol(symbols, PyTuple_GetItem(raw, i), PyTuple_GetItem(shown, i), mark))
            return false;
    return true;
}

static bool take_ties(Learner *learner, const char *ties)
{
    static const char *const names[] = {"greatest", "smallest", "first"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(ties, names[i])) {
            learner->queue.ties = (Ties)i;
            learner->symbols.spelled = i != FIRST;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "ties: found '%s', expected greatest, smallest or first", ties);
    return false;
}

static PyObject *learn_merges(
    Learner *learner, const Spelling *spelling, const Columns *columns, int64_t limit)
{
    learner->signals.thread = PyEval_SaveThread();
    Status status = read_words(&learner->row, spelling, columns, &learner->signals);
    if (!status)
        status = index_pairs(learner);
    if (!status)
        status = merge_all(learner, limit);
    PyEval_RestoreThread(learner->signals.thread);
    if (status)
        return raise_status(status);
    Py_ssize_t size = (Py_ssize_t)(3 * sizeof(int64_t) * learner->number_learned);
    return PyBytes_FromStringAndSize((const char *)learner->learned, size);
}

static PyObject *learn(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *utf8, *ends, *counts, *letters, *raw, *shown, *mark, *result = NULL;
    Spelling spelling = {0};
    const char *ties;
    long long minimum, limit;
    if (!PyArg_ParseTuple(args, "OOOOiiO!O!SsLL", &utf8, &ends, &counts, &letters,
                          &spelling.begin, &spelling.end, &PyTuple_Type, &raw, &PyTuple_Type,
                          &shown, &mark, &ties, &minimum, &limit))
        return NULL;
    Learner *learner = calloc(1, sizeof *learner);
    if (!learner)
        return PyErr_NoMemory();
    Columns columns = {0};
    learner->queue.minimum = minimum < 1 ? 1 : minimum;
    if (take_ties(learner, ties) && open_columns(&columns, utf8, ends, counts) &&
        open_spelling(&spelling, letters, PyTuple_Size(raw)) &&
        take_alphabet(&learner->symbols, raw, shown, mark))
        result = learn_merges(learner, &spelling, &columns, limit);
    close_spelling(&spelling);
    close_columns(&columns);
    close_learner(learner);
    return result;
}

static PyMethodDef methods[] = {
    {"learn", learn, METH_VARARGS,
     "Learn merges; give left, right and count of each as three 64-bit integers."},
    {"letter_counts", letter_counts, METH_VARARGS,
     "Count letters; give each, and its counts inside a word and as its first, last and only one."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_learn",
    .m_doc = "Byte pair encoding learned on flat arrays.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__learn(void)
{
    return PyModuleDef_Init(&definition);
}
