/* Symbols by number: how many cells they span, and their texts, which only equal counts compare. */

#ifndef TOKBENCH_LEARN_SYMBOLS_H
#define TOKBENCH_LEARN_SYMBOLS_H

#include "learn_words.h"

static const char CONTINUATION[] = "\xef\xb7\x92";
#define CONTINUATION_LENGTH 3

typedef struct {
    size_t begin, length;
} Text;

/* The raw text holds marks as noncharacters, the shown one spells them; often they are one. */
typedef struct {
    uint32_t cells;
    Text shown, raw;
} Symbol;

/* All texts stand one after the other in `bytes`; none is kept unless pairs are `spelled`. */
typedef struct {
    Symbol *all;
    size_t number, capacity;
    uint8_t *bytes;
    size_t length, bytes_capacity;
    size_t continuation_length; /* of the mark as shown */
    bool spelled;
} Symbols;

static void close_symbols(Symbols *symbols)
{
    free(symbols->all);
    free(symbols->bytes);
}

static Status make_room_for_bytes(Symbols *symbols, size_t length)
{
    size_t needed = symbols->length + length;
    if (needed <= symbols->bytes_capacity)
        return FINE;
    void *bigger = grown(symbols->bytes, &symbols->bytes_capacity, needed, 1);
    if (!bigger)
        return NO_MEMORY;
    symbols->bytes = bigger;
    return FINE;
}

/* Append bytes, which may be of `symbols->bytes` themselves, where there is room. */
static void append(Symbols *symbols, const void *bytes, size_t length)
{
    if (length)
        memcpy(symbols->bytes + symbols->length, bytes, length);
    symbols->length += length;
}

/* Append two texts, without the first bytes of the right one. */
static Text append_joined(Symbols *symbols, Text left, Text right, size_t dropped)
{
    size_t begin = symbols->length;
    append(symbols, symbols->bytes + left.begin, left.length);
    append(symbols, symbols->bytes + right.begin + dropped, right.length - dropped);
    return (Text){begin, symbols->length - begin};
}

static Status append_text(Symbols *symbols, const char *bytes, size_t length, Text *text)
{
    Status status = make_room_for_bytes(symbols, length);
    if (status)
        return status;
    *text = (Text){symbols->length, length};
    append(symbols, bytes, length);
    return FINE;
}

/* Tell whether a raw text begins with the continuation mark, which a left neighbour takes off. */
static bool continues(const Symbols *symbols, Text raw)
{
    return raw.length >= CONTINUATION_LENGTH &&
           !memcmp(symbols->bytes + raw.begin, CONTINUATION, CONTINUATION_LENGTH);
}

static Status add_symbol(Symbols *symbols, Symbol symbol)
{
    if (symbols->number == symbols->capacity) {
        size_t needed = symbols->number + 1;
        void *bigger = grown(symbols->all, &symbols->capacity, needed, sizeof(Symbol));
        if (!bigger)
            return NO_MEMORY;
        symbols->all = bigger;
    }
    symbols->all[symbols->number++] = symbol;
    return FINE;
}

/* Write the texts of a product. */
static Status join(Symbols *symbols, const Symbol *left, const Symbol *right, Symbol *product)
{
    size_t length = left->raw.length + right->raw.length;
    Status status =
        make_room_for_bytes(symbols, length + left->shown.length + right->shown.length);
    if (status)
        return status;
    bool mark = continues(symbols, right->raw);
    size_t raw_mark = mark ? CONTINUATION_LENGTH : 0;
    size_t shown_mark = mark ? symbols->continuation_length : 0;
    bool one = left->raw.begin == left->shown.begin && right->raw.begin == right->shown.begin;
    product->raw = append_joined(symbols, left->raw, right->raw, raw_mark);
    product->shown =
        one ? product->raw : append_joined(symbols, left->shown, right->shown, shown_mark);
    return FINE;
}

static Status add_product(Symbols *symbols, int32_t left, int32_t right)
{
    const Symbol *one = &symbols->all[left], *other = &symbols->all[right];
    Symbol product = {.cells = one->cells + other->cells};
    Status status = symbols->spelled ? join(symbols, one, other, &product) : FINE;
    return status ? status : add_symbol(symbols, product);
}

static int compare_texts(const Symbols *symbols, Text a, Text b)
{
    if (a.begin == b.begin)
        return 0;
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(symbols->bytes + a.begin, symbols->bytes + b.begin, shorter);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Compare two pairs as shown, by code points, which is the order of UTF-8; then as they are raw. */
static int compare_pairs(const Symbols *symbols, const int32_t *a, const int32_t *b)
{
    int order = 0;
    for (int i = 0; !order && i < 2; i++)
        order = compare_texts(symbols, symbols->all[a[i]].shown, symbols->all[b[i]].shown);
    for (int i = 0; !order && i < 2; i++)
        order = compare_texts(symbols, symbols->all[a[i]].raw, symbols->all[b[i]].raw);
    return order;
}

#endif
