"use strict";
/** Return the text of an element that holds it deflated, in base 64. */
async function unpacked(id) {
  const raw = atob(document.getElementById(id).textContent);
  const packed = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) packed[i] = raw.charCodeAt(i); // `from` takes ten times as long
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(text).text();
}

if (typeof DecompressionStream === "undefined") {
  document.getElementById("no-charts").hidden = false;
} else {
  unpacked("scripts").then((source) => {
    const script = document.createElement("script"); // the policy of the page allows it by its hash
    script.textContent = source;
    document.head.append(script);
  });
}
