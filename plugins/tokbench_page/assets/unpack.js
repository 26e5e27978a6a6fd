"use strict";
/** Return the text of an element that holds it deflated, in base 64. */
async function unpacked(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(text).text();
}

/** Run the script that an element holds so; the policy of the page allows it by its hash. */
async function runPacked(id) {
  const script = document.createElement("script");
  script.textContent = await unpacked(id);
  document.head.append(script);
}
