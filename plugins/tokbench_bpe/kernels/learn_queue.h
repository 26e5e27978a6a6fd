/* The queue of pairs: the most frequent first, equals as the tie rule says.
 *
 * Counts only fall, and a pair that is born is no more frequent than the pair whose merge bore it.
 * So pairs wait unordered in buckets by count, and only those of the highest bucket are in order,
 * in a heap: the many rare pairs are never compared. Each pair is in one of the two, once, as it
 * was when it was put in; so what comes out may have become rarer, and is then put in again.
 */

#ifndef TOKBENCH_LEARN_QUEUE_H
#define TOKBENCH_LEARN_QUEUE_H

#include "learn_pairs.h"
#include "learn_symbols.h"

/* A bucket for each count below 64; above, 32 for each doubling up to 2^63. */
#define BUCKETS (32 * 59)

typedef enum { GREATEST, SMALLEST, FIRST } Ties;

typedef struct {
    int64_t count;
    uint32_t pair;
} Entry;

/* Buckets are chains of pairs; those from `highest` on have been emptied into the heap. */
typedef struct {
    const Symbols *symbols;
    Pairs *pairs;
    const uint32_t *places;
    Ties ties;
    int64_t minimum;
    uint32_t buckets[BUCKETS];
    int highest;
    Entry *heap;
    size_t length, capacity;
} Queue;

static void close_queue(Queue *queue)
{
    free(queue->heap);
}

static int bucket_of(int64_t count)
{
    int doublings = 0;
    for (; count >= 64; count >>= 1)
        doublings++;
    return 32 * doublings + (int)count;
}

/* Tell whether `a` is to be merged before `b`. */
static bool precedes(const Queue *queue, Entry a, Entry b)
{
    if (a.count != b.count)
        return a.count > b.count;
    const Pair *one = &queue->pairs->all[a.pair], *other = &queue->pairs->all[b.pair];
    if (queue->ties == FIRST)
        return queue->places[one->first] < queue->places[other->first];
    int order = compare_pairs(queue->symbols, one->parts, other->parts);
    return queue->ties == GREATEST ? order > 0 : order < 0;
}

/* Put an entry at the top and let it sink until none below it precedes it. */
static void sink(Queue *queue, Entry entry)
{
    Entry *heap = queue->heap;
    size_t hole = 0, below;
    while ((below = 2 * hole + 1) < queue->length) {
        if (below + 1 < queue->length && precedes(queue, heap[below + 1], heap[below]))
            below++;
        if (!precedes(queue, heap[below], entry))
            break;
        heap[hole] = heap[below];
        hole = below;
    }
    heap[hole] = entry;
}

static void pop(Queue *queue)
{
    Entry last = queue->heap[--queue->length];
    if (queue->length)
        sink(queue, last);
}

static Status push(Queue *queue, Entry entry)
{
    if (queue->length == queue->capacity) {
        size_t needed = queue->length + 64;
        void *bigger = grown(queue->heap, &queue->capacity, needed, sizeof(Entry));
        if (!bigger)
            return NO_MEMORY;
        queue->heap = bigger;
    }
    size_t hole = queue->length++;
    for (; hole && precedes(queue, entry, queue->heap[(hole - 1) / 2]); hole = (hole - 1) / 2)
        queue->heap[hole] = queue->heap[(hole - 1) / 2];
    queue->heap[hole] = entry;
    return FINE;
}

/* Let a pair wait for its turn; one that is too rare never has it. */
static Status enqueue(Queue *queue, uint32_t number)
{
    Pair *pair = &queue->pairs->all[number];
    if (pair->count < queue->minimum)
        return FINE;
    int bucket = bucket_of(pair->count);
    if (bucket >= queue->highest)
        return push(queue, (Entry){pair->count, number});
    pair->next = queue->buckets[bucket];
    queue->buckets[bucket] = number;
    return FINE;
}

static Status enqueue_all(Queue *queue)
{
    Status status = FINE;
    queue->highest = BUCKETS;
    memset(queue->buckets, 0xff, sizeof queue->buckets); /* all NONE */
    for (size_t number = 0; !status && number < queue->pairs->number; number++)
        status = enqueue(queue, (uint32_t)number);
    return status;
}

/* Empty the highest bucket that holds any pair into the heap; its pairs may have become rarer. */
static Status open_bucket(Queue *queue)
{
    Status status = FINE;
    uint32_t number = queue->buckets[--queue->highest];
    while (!status && number != NONE) {
        uint32_t next = queue->pairs->all[number].next;
        status = enqueue(queue, number);
        number = next;
    }
    return status;
}

/* See to it that the heap holds a pair, if any is left. */
static Status fill_heap(Queue *queue)
{
    Status status = FINE;
    while (!status && !queue->length && queue->highest)
        status = open_bucket(queue);
    return status;
}

#endif
