import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// Counts that tell how readable the repository is: the words of the old dialect, files per folder, the longest file, README lines,
// and imports between folders. `npm run counts` prints them; docs/glossary.md says which words replace the dialect.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CODE = ["src", "test", "bench"];
const PROSE = [
  "src",
  "test",
  "bench",
  "docs",
  "deploy",
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
];

/** Words of the dialect, each a pattern of one use. Some are good English elsewhere: the figure falls, and need not reach 0. */
const DIALECT = {
  told: /\b(un)?told\b/gi,
  behind: /\bbehind\b/gi,
  nobody: /\bnobody\b/gi,
  whoever: /\bwho(m)?ever\b/gi,
  ear: /\bears?\b|\b(ear|Ear)(?=[A-Z-])|(?<=[a-z])Ears?\b/g,
  brain: /\bbrains?\b|\b[bB]rain(?=[A-Z-])|(?<=[a-z])Brains?/g,
  "left alone": /\bleft alone\b/gi,
  knocks: /\bknock(s|ed|ing)?\b/gi,
  borne: /\bborne?\b/gi,
  "passed over": /\bpass(ed|es)? over\b/gi,
  moments: /\bmoments?\b/gi,
  standing: /\bstandings?\b/gi,
  piece: /\bpieces?\b|\b[pP]iece(?=[A-Z-])|(?<=[a-z])Pieces?/g,
  strangers: /\bstrangers?\b/gi,
};

function filesUnder(path) {
  const full = join(ROOT, path);
  if (/\.\w+$/.test(path)) return [full];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.includes("node_modules") && !entry.parentPath.includes("/dist"),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}

const shown = (path) => relative(ROOT, path);
const linesOf = (text) => text.split("\n").length - 1;
const most = (counts) => Object.entries(counts).sort(([, a], [, b]) => b - a)[0] ?? ["none", 0];

function countWords() {
  const texts = PROSE.flatMap(filesUnder)
    .filter((path) => /\.(ts|mjs|md|ya?ml|json)$/.test(path) && !path.includes("/fixtures/"))
    .map((path) => readFileSync(path, "utf8"));
  const count = (pattern) => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
  return Object.entries(DIALECT).map(([word, pattern]) => [`"${word}"`, count(pattern)]);
}

/** Files of code directly in each folder. */
function countFolders(part) {
  const folders = {};
  for (const path of filesUnder(part).filter((path) => path.endsWith(".ts"))) {
    const folder = shown(dirname(path));
    folders[folder] = (folders[folder] ?? 0) + 1;
  }
  return folders;
}

/** Pairs of folders of which one imports from the other. */
function countFolderImports() {
  const pairs = new Set();
  for (const path of filesUnder("src").filter((path) => path.endsWith(".ts"))) {
    for (const [, target] of readFileSync(path, "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      const [from, to] = [dirname(path), dirname(resolve(dirname(path), target))];
      if (from !== to) pairs.add(`${shown(from)} -> ${shown(to)}`);
    }
  }
  return pairs.size;
}

function longestFile() {
  const lengths = {};
  for (const path of CODE.flatMap(filesUnder).filter((path) => path.endsWith(".ts"))) {
    lengths[shown(path)] = linesOf(readFileSync(path, "utf8"));
  }
  return most(lengths);
}

const [longest, lines] = longestFile();
const rows = [
  ...countWords(),
  ...CODE.flatMap((part) => {
    const folders = countFolders(part);
    const [folder, files] = most(folders);
    return [
      [`folders of ${part}`, Object.keys(folders).length],
      [`largest folder of ${part} (${folder}), files`, files],
    ];
  }),
  ["folder-to-folder imports of src", countFolderImports()],
  [`longest file (${longest}), lines`, lines],
  ["README.md, lines", linesOf(readFileSync(join(ROOT, "README.md"), "utf8"))],
  ["README.md, words", readFileSync(join(ROOT, "README.md"), "utf8").split(/\s+/).length],
];
for (const [name, value] of rows) console.log(`${String(name).padEnd(64)}${value}`);
