// The order of what the search finds: titles that hold the words of the question come first, and the
// Python interface, whose names are found by each of their parts, comes after the pages.
const question = new URLSearchParams(location.search).get("q") || "";
const words = question.toLowerCase().match(/[^\s.,?!]{3,}/g) || [];
var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) => {
    const held = words.filter((word) => title.toLowerCase().includes(word.replace(/s$/, "")));
    return kind === "object" ? score / 4 : score + 20 * (held.length / (words.length || 1));
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};

// A browser fetches no page for one that is a file, so the texts for the excerpts are a script.
const texts = new Promise((loaded) => {
  const script = document.head.appendChild(document.createElement("script"));
  script.onload = () => loaded(pageTexts);
  script.src = "_static/texts.js";
});
window.fetch = async (address) => {
  const page = address.replace(/^\.\/|\.html$/g, "");
  return { text: async () => (await texts)[page] };
};
