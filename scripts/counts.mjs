import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// Counts that tell how readable the repository is: files per folder, the longest file, README lines, imports between folders,
// repeated lines, and the files and generators through which audio passes. `npm run counts` prints them.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CODE = ["src", "test", "bench", "web"];

/** The files of TypeScript below a folder, but for installed and built ones. */
const filesUnder = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(({ parentPath }) => !parentPath.includes("node_modules") && !parentPath.includes("/dist"))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => path.endsWith(".ts"));

const shown = (path) => relative(ROOT, path);
const linesOf = (text) => text.split("\n").length - 1;
const most = (counts) => Object.entries(counts).sort(([, a], [, b]) => b - a)[0] ?? ["none", 0];

/** Files of code directly in each folder. */
function countFolders(part) {
  const folders = {};
  for (const path of filesUnder(part)) {
    const folder = shown(dirname(path));
    folders[folder] = (folders[folder] ?? 0) + 1;
  }
  return folders;
}

/** Pairs of folders of which one imports from the other. */
function countFolderImports() {
  const pairs = new Set();
  for (const path of filesUnder("src")) {
    for (const [, target] of readFileSync(path, "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      const [from, to] = [dirname(path), dirname(resolve(dirname(path), target))];
      if (from !== to) pairs.add(`${shown(from)} -> ${shown(to)}`);
    }
  }
  return pairs.size;
}

function longestFile() {
  const lengths = {};
  for (const path of CODE.flatMap(filesUnder)) {
    lengths[shown(path)] = linesOf(readFileSync(path, "utf8"));
  }
  return most(lengths);
}

/** So many equal lines in a row, in two places, are a repetition. */
const REPEATED_RUN_LINES = 6;

/** The lines of a program that can repeat: with one space for any white space, and without imports, comments and lone punctuation. */
const codeLines = (text) =>
  text
    .replace(/^import\b[^;]*;$/gm, "")
    .replace(/^\s*\/\*.*?\*\/$/gms, "")
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " "))
    .filter((line) => /\w/.test(line) && !line.startsWith("//"));

/** How many lines of each part stand in a run that the parts have at least twice. */
function countRepeatedLines() {
  const files = CODE.flatMap((part) =>
    filesUnder(part).map((path) => ({ part, lines: codeLines(readFileSync(path, "utf8")) })),
  );
  const runs = new Map();
  for (const { lines } of files) {
    for (let at = 0; at + REPEATED_RUN_LINES <= lines.length; at += 1) {
      const run = lines.slice(at, at + REPEATED_RUN_LINES).join("\n");
      runs.set(run, (runs.get(run) ?? 0) + 1);
    }
  }
  const counts = Object.fromEntries(CODE.map((part) => [part, 0]));
  for (const { part, lines } of files) {
    const repeated = new Set();
    for (let at = 0; at + REPEATED_RUN_LINES <= lines.length; at += 1) {
      if (runs.get(lines.slice(at, at + REPEATED_RUN_LINES).join("\n")) === 1) continue;
      for (let line = at; line < at + REPEATED_RUN_LINES; line += 1) repeated.add(line);
    }
    counts[part] += repeated.size;
  }
  return Object.entries(counts);
}

/** What test/repository/hops.test.ts measures in a call: see `Hops` of test/support/repository/hops.ts. */
function measureHops() {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-counts-"));
  try {
    const outputFile = join(folder, "report.json");
    const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "test/repository/hops.test.ts"];
    const { status } = spawnSync(process.execPath, [...vitest, "--reporter", "json", "--outputFile", outputFile], {
      cwd: ROOT,
    });
    if (status !== 0) throw new Error("test/repository/hops.test.ts fails: run it by itself");
    const [{ assertionResults }] = JSON.parse(readFileSync(outputFile, "utf8")).testResults;
    return assertionResults[0].meta.hops;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [longest, lines] = longestFile();
const hops = measureHops();
const rows = [
  ...CODE.flatMap((part) => {
    const folders = countFolders(part);
    const [folder, files] = most(folders);
    return [
      [`folders of ${part}`, Object.keys(folders).length],
      [`largest folder of ${part} (${folder}), files`, files],
    ];
  }),
  ["folder-to-folder imports of src", countFolderImports()],
  ...countRepeatedLines().map(([part, count]) => [
    `repeated lines of ${part}, in runs of ${REPEATED_RUN_LINES} or more`,
    count,
  ]),
  ["files that run for a frame in: from the socket's message to the STT and the journal", hops.frameIn.length],
  ["files that run for a chunk of the TTS: from its socket's message to the ring of frames", hops.chunk.length],
  ["async generators that a chunk passes, the adapter's own among them", hops.chunkGenerators],
  ["files that run for a frame out: from the tick to the socket", hops.frameOut.length],
  [`longest file (${longest}), lines`, lines],
  ["README.md, lines", linesOf(readFileSync(join(ROOT, "README.md"), "utf8"))],
  ["README.md, words", readFileSync(join(ROOT, "README.md"), "utf8").split(/\s+/).length],
];
for (const [name, value] of rows) console.log(`${String(name).padEnd(88)}${value}`);
