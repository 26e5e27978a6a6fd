/* The row of cells in which all words stand, with a border before, between and behind them. */

#ifndef TOKBENCH_LEARN_ROW_H
#define TOKBENCH_LEARN_ROW_H

#include "learn_letters.h"

/* Places are numbered with 32 bits, and each cell can give up to three. */
#define MOST_CELLS (UINT32_MAX / 3)
#define HEAVY 0x80000000u

/* `weight` is the count of the cell's word; from 2^31 on, its number in `heavy` with HEAVY set. */
typedef struct {
    int32_t symbol;
    uint32_t weight;
} Cell;

typedef struct {
    Cell *cells;
    uint32_t length, capacity;
    int64_t *heavy;
    size_t number_of_heavy, heavy_capacity;
} Row;

static void close_row(Row *row)
{
    free(row->cells);
    free(row->heavy);
}

static inline int64_t weight_of(const Row *row, uint32_t cell)
{
    uint32_t weight = row->cells[cell].weight;
    return weight & HEAVY ? row->heavy[weight & ~HEAVY] : weight;
}

/* Make room for a cell a letter, a border, and for each word its marks and a border. */
static Status make_cells(Row *row, const Columns *columns, int64_t marks)
{
    const uint8_t *bytes = columns->utf8.buf;
    int64_t cells = 1;
    for (Py_ssize_t i = 0; i < columns->utf8.len; i++)
        cells += (bytes[i] & 0xc0) != 0x80;
    if (cells > MOST_CELLS || columns->words > (MOST_CELLS - cells) / (marks + 1))
        return TOO_MANY_CELLS;
    row->capacity = (uint32_t)(cells + columns->words * (marks + 1));
    row->cells = malloc(row->capacity * sizeof(Cell));
    return row->cells ? FINE : NO_MEMORY;
}

/* Give a count in the form in which cells hold it. */
static Status make_weight(Row *row, int64_t count, uint32_t *weight)
{
    *weight = (uint32_t)count;
    if (count < HEAVY)
        return FINE;
    size_t number = row->number_of_heavy;
    if (number == row->heavy_capacity) {
        void *bigger = grown(row->heavy, &row->heavy_capacity, number + 1, sizeof(int64_t));
        if (!bigger)
            return NO_MEMORY;
        row->heavy = bigger;
    }
    row->heavy[row->number_of_heavy++] = count;
    *weight = HEAVY | (uint32_t)number;
    return FINE;
}

static inline void add_cell(Row *row, int32_t symbol, uint32_t weight)
{
    /* There is room, unless somebody changed the columns after the cells were made; even then the
     * last cell is left to a border. */
    if (row->length + (symbol != BORDER) < row->capacity)
        row->cells[row->length++] = (Cell){symbol, weight};
}

static Status spell_word(Row *row, const Spelling *spelling, const Word *word, uint32_t weight)
{
    if (spelling->begin)
        add_cell(row, spelling->begin, weight);
    for (const uint8_t *at = word->begin; at < word->end;) {
        int place = at == word->begin ? AS_FIRST : INSIDE;
        int32_t letter = decode(&at, word->end);
        if (letter < 0)
            return NOT_UTF8;
        place += at == word->end ? AS_LAST : INSIDE;
        add_cell(row, spelling->numbers[spelling->row_of[letter]][place], weight);
    }
    if (spelling->end)
        add_cell(row, spelling->end, weight);
    add_cell(row, BORDER, 0);
    return FINE;
}

/* Add a word's cells; `total` is the sum of the counts of all symbols, which no pair can exceed. */
static Status add_word(Row *row, const Spelling *spelling, const Word *word, int64_t *total)
{
    uint32_t weight, length = row->length;
    Status status = make_weight(row, word->count, &weight);
    if (!status)
        status = spell_word(row, spelling, word, weight);
    return status ? status : add_count(total, word->count, row->length - length - 1);
}

static Status read_words(Row *row, const Spelling *spelling, const Columns *columns, Watch *signals)
{
    Status status = make_cells(row, columns, !!spelling->begin + !!spelling->end);
    if (status)
        return status;
    add_cell(row, BORDER, 0);
    Word word = {0};
    int64_t total = 0;
    for (int64_t number = 0; !status && number < columns->words; number++) {
        status = read_word(columns, number, &word);
        if (!status)
            status = add_word(row, spelling, &word, &total);
        if (!status)
            status = watch(signals, word.end - word.begin);
    }
    return status;
}

#endif
