/* Pairs of neighbouring symbols by number, and a hash table that finds them. */

#ifndef TOKBENCH_LEARN_PAIRS_H
#define TOKBENCH_LEARN_PAIRS_H

#include "learn_words.h"

#define NONE UINT32_MAX
#define FEWEST_BITS 12

/* Its places are `length` numbers from `first` on; `next` is the pair behind it in its bucket. */
typedef struct {
    int32_t parts[2];
    int64_t count;
    uint32_t first, length, next;
} Pair;

/* At most half of the 2^bits `slots` hold the number of a pair, the others NONE. */
typedef struct {
    Pair *all;
    size_t number, capacity;
    uint32_t *slots;
    int bits;
} Pairs;

static void close_pairs(Pairs *pairs)
{
    free(pairs->all);
    free(pairs->slots);
}

/* Give the slot that holds a pair, or the empty one where it would stand. */
static uint32_t *find_slot(const Pairs *pairs, int32_t left, int32_t right)
{
    /* Multiplying by 2^64 / golden ratio spreads the keys over the highest bits (Knuth). */
    uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - pairs->bits));
    for (size_t mask = ((size_t)1 << pairs->bits) - 1;; slot = (slot + 1) & mask) {
        uint32_t number = pairs->slots[slot];
        if (number == NONE)
            return &pairs->slots[slot];
        const int32_t *parts = pairs->all[number].parts;
        if (parts[0] == left && parts[1] == right)
            return &pairs->slots[slot];
    }
}

/* Make 2^bits slots and put all pairs into them. */
static Status make_slots(Pairs *pairs, int bits)
{
    size_t size = sizeof(uint32_t) << bits;
    free(pairs->slots);
    if (!(pairs->slots = malloc(size)))
        return NO_MEMORY;
    memset(pairs->slots, 0xff, size);
    pairs->bits = bits;
    for (size_t number = 0; number < pairs->number; number++) {
        const int32_t *parts = pairs->all[number].parts;
        *find_slot(pairs, parts[0], parts[1]) = (uint32_t)number;
    }
    return FINE;
}

static Status make_room_for_pair(Pairs *pairs)
{
    size_t needed = pairs->number + 1;
    if (needed > pairs->capacity) {
        void *bigger = grown(pairs->all, &pairs->capacity, needed, sizeof(Pair));
        if (!bigger)
            return NO_MEMORY;
        pairs->all = bigger;
    }
    size_t slots = pairs->slots ? (size_t)1 << pairs->bits : 0;
    if (2 * needed <= slots)
        return FINE;
    return make_slots(pairs, slots ? pairs->bits + 1 : FEWEST_BITS);
}

/* Give the number of a pair, which is added without places if it is not there. */
static inline Status find_or_add(Pairs *pairs, int32_t left, int32_t right, uint32_t *number)
{
    Status status = make_room_for_pair(pairs);
    if (status)
        return status;
    uint32_t *slot = find_slot(pairs, left, right);
    if (*slot == NONE) {
        *slot = (uint32_t)pairs->number++;
        pairs->all[*slot] = (Pair){.parts = {left, right}, .next = NONE};
    }
    *number = *slot;
    return FINE;
}

/* Take from the count of a pair, if it is one of those that are kept. */
static inline void lower_count(Pairs *pairs, int32_t left, int32_t right, int64_t weight)
{
    uint32_t number = *find_slot(pairs, left, right);
    if (number != NONE)
        pairs->all[number].count -= weight;
}

#endif
