// A line of JSON in, {"words": [...], "seconds": s, "seed": n}; a line out: every layout that crossword-layout-generator
// makes of the shuffled list within so much CPU time, at least one. Run: node crossword_layout.js FOLDER/node_modules
const path = require("path");
const generator = require(path.join(path.resolve(process.argv[2]), "crossword-layout-generator"));
console.log = () => {};

function random(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 4294967296;
  };
}

function shuffled(words, chance) {
  const copy = words.slice();
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(chance() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}

const spent = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { words, seconds, seed } = JSON.parse(line);
  const chance = random(seed);
  const start = spent();
  const layouts = [];
  let last = 0;
  do {
    const begun = spent();
    const made = generator.generateLayout(shuffled(words, chance).map((answer) => ({ answer, clue: "" })));
    const laid = made.result.filter((word) => word.orientation !== "none");
    layouts.push(laid.map((word) => [word.answer, word.starty - 1, word.startx - 1, word.orientation === "across"]));
    last = spent() - begun;
  } while (spent() - start + last <= seconds);
  process.stdout.write(JSON.stringify({ seconds: spent() - start, layouts }) + "\n");
});
