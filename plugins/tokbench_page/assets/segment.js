/* Cuts words with a vocabulary as the run's own segmenters do; see playground.py for its form.

   Texts are arrays of code points. In a vocabulary of bytes each character of a token is one byte. */
const Segmenters = (() => {
  "use strict";
  const BOW = "\uFDD0", EOW = "\uFDD1", CONTINUATION = "\uFDD2";
  const MARKS = /[\uFDD0-\uFDD2]/g;
  const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const LETTER = "\\p{L}\\p{M}\\p{N}_\\u200c\\u200d";
  const SYMBOL = "\\p{L}\\p{M}\\p{N}_" + SPACE;
  const SPLITTERS = {
    words: new RegExp(`[${LETTER}]+|[^${SYMBOL}]+`, "gu"),
    whitespace: /[^ \t\n\r\f\v]+/gu,
  };

  function words(text, splitter) {
    return text.replace(MARKS, "").match(SPLITTERS[splitter] || SPLITTERS.whitespace) || [];
  }

  function joined(parts) {
    return parts.map((part, i) => (i && part.startsWith(CONTINUATION) ? part.slice(1) : part)).join("");
  }

  /* Load a vocabulary: each token with its id and the number of learned items that it needs. */
  function load(data) {
    const births = new Map(data.alphabet.map((letter) => [letter, 0]));
    const built = [...data.alphabet];
    const items = [];
    let end = 0;
    for (const [i, count] of data.counts.entries()) {
      const spelled = data.parts.slice(end, (end += count));
      const parts = spelled.map((part) => (typeof part === "string" ? part : built[part]));
      const product = joined(parts);
      if (!births.has(product)) {
        births.set(product, i + 1);
        built.push(product);
      }
      items.push({ parts, product });
    }
    const vocabulary = { ...data, built, births, items, ranks: new Map() };
    items.forEach(({ parts }, rank) => {
      const pair = parts.join("\0");
      if (parts.length === 2 && !vocabulary.ranks.has(pair)) vocabulary.ranks.set(pair, rank);
    });
    vocabulary.ids = new Map(built.map((token, id) => [token, id]));
    return vocabulary;
  }

  function form(marks, letter, first, last) {
    let shown = marks.continuation === "fused" && !first ? CONTINUATION + letter : letter;
    if (marks.bow === "fused" && first) shown = BOW + shown;
    return marks.eow === "fused" && last ? shown + EOW : shown;
  }

  function spell(marks, letters) {
    const last = letters.length - 1;
    const symbols = letters.map((letter, i) => form(marks, letter, i === 0, i === last));
    if (marks.bow === "separate" || marks.bow === "fenced") symbols.unshift(BOW);
    if (marks.eow === "separate" || marks.eow === "fenced") symbols.push(EOW);
    return symbols;
  }

  /* A heap of (rank, place), the lowest rank first, then the first place. */
  class Heap {
    constructor() {
      this.items = [];
    }
    static before(a, b) {
      return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
    }
    push(item) {
      const items = this.items;
      let at = items.push(item) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!Heap.before(items[at], items[parent])) break;
        [items[at], items[parent]] = [items[parent], items[at]];
        at = parent;
      }
    }
    pop() {
      const items = this.items;
      const top = items[0];
      const end = items.pop();
      if (!items.length) return top;
      items[0] = end;
      for (let at = 0; ; ) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < items.length && Heap.before(items[child], items[least])) least = child;
        }
        if (least === at) return top;
        [items[at], items[least]] = [items[least], items[at]];
        at = least;
      }
    }
  }

  /* Merge the pair with the lowest rank everywhere, then look at what it made; and so on. */
  function merge(vocabulary, letters, kept) {
    const symbols = [null, ...spell(vocabulary.marks, letters), null];
    const before = symbols.map((_, i) => i - 1);
    const after = symbols.map((_, i) => i + 1);
    const waiting = new Heap();
    const wait = (places) => {
      for (const place of places) {
        const left = symbols[place], right = symbols[after[place]];
        if (left === null || right === null || right === undefined) continue;
        const rank = vocabulary.ranks.get(left + "\0" + right);
        if (rank !== undefined && rank < kept) waiting.push([rank, place]);
      }
    };
    wait(symbols.keys());
    while (waiting.items.length) {
      const rank = waiting.items[0][0];
      const { parts, product } = vocabulary.items[rank];
      const changed = [];
      while (waiting.items.length && waiting.items[0][0] === rank) {
        const place = waiting.pop()[1];
        const gone = after[place];
        if (symbols[place] === parts[0] && symbols[gone] === parts[1]) {
          symbols[place] = product;
          symbols[gone] = null;
          after[place] = after[gone];
          before[after[gone]] = place;
          changed.push(before[place], place);
        }
      }
      wait(changed);
    }
    return symbols.filter((symbol) => symbol !== null);
  }

  const tries = new WeakMap(); // by births, which all systems of a vocabulary share

  function trie({ births }) {
    if (tries.has(births)) return tries.get(births);
    const root = new Map();
    for (const [token, birth] of births) {
      let node = root;
      for (const char of token) {
        if (!node.has(char)) node.set(char, new Map());
        node = node.get(char);
      }
      node.set("", birth);
    }
    tries.set(births, root);
    return root;
  }

  /* Walk from a symbol on; tell `found` each token that ends at a symbol and is learned so far. */
  function walk(vocabulary, symbols, start, kept, found) {
    let node = trie(vocabulary);
    for (let place = start; place < symbols.length; place++) {
      let symbol = symbols[place];
      if (place > start && symbol.startsWith(CONTINUATION)) symbol = symbol.slice(1);
      for (const char of symbol) {
        node = node.get(char);
        if (!node) return;
      }
      if (node.has("") && node.get("") <= kept) found(place + 1);
    }
  }

  /* Take the longest token that the rest begins with; where none does, one symbol. */
  function match(vocabulary, letters, kept) {
    const symbols = spell(vocabulary.marks, letters);
    const tokens = [];
    for (let start = 0; start < symbols.length; ) {
      let end = start + 1;
      walk(vocabulary, symbols, start, kept, (stop) => (end = stop));
      tokens.push(joined(symbols.slice(start, end)));
      start = end;
    }
    return tokens;
  }

  /* As BERT does: a word with a part that no token matches is one unknown token. */
  function wordpiece(vocabulary, letters, kept) {
    const unknown = [letters.join("") + CONTINUATION];  // no token ends with such a mark
    const most = vocabulary.options["max-characters"];
    if (most !== null && letters.length > most) return unknown;
    const tokens = match(vocabulary, letters, kept);
    const whole = vocabulary.options["whole-word-unknown"];
    const known = (token) => vocabulary.births.get(token) <= kept;
    return whole && !tokens.every(known) ? unknown : tokens;
  }

  /* The highest sum of scores; of equal ones the longest last token, and so on backwards. */
  function unigram(vocabulary, letters, kept) {
    const symbols = spell(vocabulary.marks, letters);
    const lowest = Math.min(...Object.values(vocabulary.scores), Infinity);
    const unknown = (lowest === Infinity ? 0 : lowest) - 10;
    const best = [0], from = [-1];
    for (let start = 0; start < symbols.length; start++) {
      if (best[start] === undefined) continue;
      let alone = false;
      const reach = (stop, score) => {
        const sum = best[start] + score;
        if (best[stop] === undefined || sum > best[stop]) {
          best[stop] = sum;
          from[stop] = start;
        }
      };
      walk(vocabulary, symbols, start, kept, (stop) => {
        alone = alone || stop === start + 1;
        reach(stop, vocabulary.scores[joined(symbols.slice(start, stop))]);
      });
      if (!alone) reach(start + 1, unknown);
    }
    const tokens = [];
    for (let stop = symbols.length; stop > 0; stop = from[stop]) {
      tokens.unshift(joined(symbols.slice(from[stop], stop)));
    }
    return tokens;
  }

  function whole(vocabulary, letters) {
    const { bow, eow } = vocabulary.marks;
    return [(bow === "absent" ? "" : BOW) + letters.join("") + (eow === "absent" ? "" : EOW)];
  }

  const CUTS = {
    bpe: merge,
    "longest-match": match,
    wordpiece,
    unigram,
    char: (vocabulary, letters) => spell(vocabulary.marks, letters),
    word: whole,
  };

  /* Cut one word: how tokens are spelled, their ids, -1 for unknown ones, their bytes of the word. */
  function cut(vocabulary, word, kept) {
    const bytes = vocabulary.units === "bytes";
    const letters = bytes
      ? [...new TextEncoder().encode(word)].map((byte) => String.fromCharCode(byte))
      : [...word];
    return CUTS[vocabulary.use](vocabulary, letters, kept).map((token) => {
      const known = vocabulary.births.get(token) <= kept;
      const shown = show(vocabulary, known ? token : token.replace(MARKS, ""));
      const text = token.replace(MARKS, "");
      const length = bytes ? text.length : new TextEncoder().encode(text).length;
      return { id: known ? vocabulary.ids.get(token) : -1, shown, bytes: length };
    });
  }

  /* Spell a token for people, as `tokbench segment` does. */
  function show(vocabulary, token) {
    if (vocabulary.units === "bytes" && !/[^\0-\xff]/.test(token)) return readable(token);
    const { texts } = vocabulary;
    return token
      .replaceAll(BOW, () => texts.bow)
      .replaceAll(EOW, () => texts.eow)
      .replaceAll(CONTINUATION, () => texts.continuation);
  }

  /* Spell bytes: whole characters as they are, a space as Ġ, other bytes by their number. */
  function readable(token) {
    const bytes = [...token].map((char) => char.charCodeAt(0));
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    let shown = "";
    for (let i = 0; i < bytes.length; ) {
      const first = bytes[i];
      const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
      let char = null;
      try {
        char = decoder.decode(Uint8Array.from(bytes.slice(i, i + length)));
      } catch {
        // Only a part of a character.
      }
      if (char !== null && [...char].length === 1) {
        shown += char === " " ? "Ġ" : char;
        i += length;
      } else {
        shown += `<0x${first.toString(16).toUpperCase().padStart(2, "0")}>`;
        i += 1;
      }
    }
    return shown;
  }

  /* Write the continuation mark that is only displayed. */
  function display(vocabulary, tokens) {
    const mark = vocabulary.marks.continuation === "display" ? vocabulary.texts.continuation : "";
    return tokens.map((one, i) => (i && mark ? { ...one, shown: mark + one.shown } : one));
  }

  return { words, load, cut: (v, word, kept) => display(v, cut(v, word, kept)) };
})();
if (typeof module !== "undefined") module.exports = Segmenters;
