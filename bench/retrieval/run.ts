import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readArguments, runCommand, UsageError, wholeNumber } from "../../src/cli/command.ts";
import { writeTable } from "../harness/command.ts";
import { inProject } from "../harness/project.ts";
import { type PackageText, readPackages } from "./apt-packages.ts";
import { measureFusedRecall } from "./fused.ts";
import { startPackagedModel } from "./model/packaged-model.ts";
import { measureRecall, RECALL_INDEXES, type RecallIndex, type RecallRow, sampled } from "./recall.ts";
import { buildSpeedIndex, measureDotProducts, measureFused, measureMiniSearch, measureWords } from "./speed.ts";
import { missesText, type RetrievalFigures, resultText } from "./text.ts";

const USAGE = `How fast and how well passages of corpora are found.

  npm run bench:retrieval -- [--only PART] [--language en] [--index words] [--chunks 100000] [--questions 300] [--lists DIR]
                             [--minutes 30] [--seed 1] [--misses] [--write]

  --only       one part; each part keeps its figures, and the table has those of all that have run. Default: all
                 build      the index for the speed measurement; a build that was ended goes on where it was
                 words      BM25, and plain FTS5 with all terms
                 vectors    BM25 fused with random vectors of 384 and 1,536 dimensions; dot products by SIMD and in JavaScript
                 minisearch minisearch in process; needs about a gigabyte of heap
                 recall     recall@5 on the descriptions of Debian's packages
                 table      measures nothing: the table of the parts that have run
                 fused      the same by words and by the vectors of the endpoint EMBEDDINGS_BASE_URL, EMBEDDINGS_MODEL;
                            without them, of a small model from npm
  --language   of recall: en, de, it, ru or ja. Default: all that apt has
  --index      of recall: words, without_stems, unpruned (all terms of a question) or minisearch. Default: all
  --chunks     of the speed measurement, 100 to 1000000
  --questions  of the speed measurement, 10 to 10000
  --lists      the folder of apt's lists; default: apt's own
  --minutes    a build ends after them and goes on in the next run, 1 to 600
  --seed       which packages are passages, and which are questions
  --misses     prints questions whose passage was not found
  --write      replaces the section bench:retrieval of bench/RESULTS.md

Recall needs the long descriptions of packages, which apt fetches, and \`fused\` a model that is installed apart, because it weighs 31 MB:

  apt-get -o Acquire::Languages=en,de,it,ru,ja update
  npm ci --prefix bench/retrieval/model
`;

const EXPLANATION = `Speed: chunks of 80 words of a vocabulary with Zipf's law, questions of twelve words of which five are function words, one after the
other in one process, passages read. Recall@5: the question is a package's synopsis, the passage its long description without it;
2,000 questions by seed among at most 60,000 descriptions, equal ones taken once: Debian translates fewer into German, Italian, Russian
and Japanese. Goals: 5 points more than minisearch in each language, and fused answers 5 points more than words alone.`;

const LANGUAGES = ["en", "de", "it", "ru", "ja"] as const;
const PARTS = ["build", "words", "vectors", "minisearch", "recall", "fused", "table"] as const;
type Part = (typeof PARTS)[number];
const PASSAGES_MAX = 60_000;
const QUESTIONS_OF_RECALL = 2_000;
const FUSED_PASSAGES = 3_000;
const FUSED_QUESTIONS = 1_000;
const MINISEARCH_QUESTIONS_MAX = 50;
const MS_PER_MINUTE = 60_000;

const OPTIONS = {
  only: { type: "string" },
  language: { type: "string" },
  index: { type: "string" },
  chunks: { type: "string", default: "100000" },
  questions: { type: "string", default: "300" },
  lists: { type: "string" },
  minutes: { type: "string", default: "30" },
  seed: { type: "string", default: "1" },
  misses: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
} as const;

const cache = fileURLToPath(inProject("bench/cache/retrieval/"));
const figuresFile = `${cache}/figures.json`;

function readFigures(): RetrievalFigures {
  if (!existsSync(figuresFile)) return { speed: [], recall: [] };
  return JSON.parse(readFileSync(figuresFile, "utf8")) as RetrievalFigures;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Adds a figure in place of an older one of the same thing. */
function keep(add: Partial<RetrievalFigures>): void {
  const figures = readFigures();
  const { speed = [], recall = [] } = add;
  figures.speed = [...figures.speed.filter(({ what }) => !speed.some((row) => row.what === what)), ...speed];
  const isSame = (a: RecallRow, b: RecallRow): boolean =>
    a.language === b.language && a.what === b.what && a.passages === b.passages;
  figures.recall = [...figures.recall.filter((row) => !recall.some((other) => isSame(row, other))), ...recall];
  writeFileSync(figuresFile, JSON.stringify(figures));
}

interface Given {
  readonly languages: readonly string[];
  readonly indexes: readonly RecallIndex[];
  readonly chunks: number;
  readonly questions: number;
  readonly lists: string | undefined;
  readonly msMax: number;
  readonly seed: number;
}

async function runPart(part: Part, given: Given): Promise<void> {
  const { chunks, questions, msMax } = given;
  const folder = `${cache}/speed-${chunks}`;
  switch (part) {
    case "build":
      buildSpeedIndex(folder, chunks, msMax, say);
      return;
    case "words":
      keep({ speed: [measureWords(folder, questions, false)] });
      keep({ speed: [measureWords(folder, questions, true)] });
      return;
    case "vectors":
      for (const dimensions of [384, 1_536]) keep({ speed: [measureFused(folder, questions, dimensions)] });
      keep({ speed: [...measureDotProducts(chunks, 384, Math.min(questions, MINISEARCH_QUESTIONS_MAX))] });
      return;
    case "minisearch":
      keep({ speed: [measureMiniSearch(chunks, Math.min(questions, MINISEARCH_QUESTIONS_MAX))] });
      return;
    case "recall":
      for (const language of given.languages) measureLanguage(language, given);
      return;
    case "fused":
      await measureWithModel(given);
      return;
    case "table":
      return;
  }
}

/** The packages of a language; reading apt's lists takes as long as an index. */
function packagesOf(language: string, lists: string | undefined): readonly PackageText[] | undefined {
  const file = `${cache}/packages-${language}.json`;
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as readonly PackageText[];
  const packages = readPackages(language, lists);
  if (packages !== undefined) writeFileSync(file, JSON.stringify(packages));
  return packages;
}

function measureLanguage(language: string, { indexes, lists, seed }: Given): void {
  const packages = packagesOf(language, lists);
  if (packages === undefined) {
    say(`recall in ${language} is skipped: apt has no descriptions in it; see --help`);
    return;
  }
  const sample = sampled(packages, PASSAGES_MAX, QUESTIONS_OF_RECALL, seed);
  for (const index of indexes) {
    const row = measureRecall(language, index, sample);
    keep({ recall: [row] });
    say(`${language}, ${index}: ${row.recall.toFixed(1)} %`);
  }
}

async function measureWithModel({ lists, seed }: Given): Promise<void> {
  const packages = packagesOf("en", lists);
  if (packages === undefined) {
    say("recall by vectors is skipped: it needs apt's English descriptions; see --help");
    return;
  }
  const sample = sampled(packages, FUSED_PASSAGES, FUSED_QUESTIONS, seed);
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_MODEL: model, EMBEDDINGS_API_KEY: apiKey } = process.env;
  if (baseUrl !== undefined && model !== undefined) {
    keep({ recall: [...(await measureFusedRecall({ baseUrl, model, apiKey }, "en", sample))] });
    return;
  }
  const packaged = await startPackagedModel();
  keep({ recall: [...(await measureFusedRecall(packaged.settings, "en", sample))] });
  packaged.close();
}

const chosen = <Name extends string>(
  option: string,
  value: string | undefined,
  names: readonly Name[],
): readonly Name[] => {
  if (value === undefined) return names;
  const name = names.find((candidate) => candidate === value);
  if (name === undefined) throw new UsageError([`--${option} must be one of ${names.join(", ")}, not ${value}`]);
  return [name];
};

async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, OPTIONS);
  mkdirSync(cache, { recursive: true });
  const given = {
    languages: chosen("language", values.language, LANGUAGES),
    indexes: chosen("index", values.index, RECALL_INDEXES),
    chunks: wholeNumber("chunks", values.chunks, 100, 1_000_000),
    questions: wholeNumber("questions", values.questions, 10, 10_000),
    lists: values.lists,
    msMax: wholeNumber("minutes", values.minutes, 1, 600) * MS_PER_MINUTE,
    seed: wholeNumber("seed", values.seed, 0, 2 ** 32 - 1),
  };
  for (const part of chosen("only", values.only, PARTS)) await runPart(part, given);
  const figures = readFigures();
  const text = resultText(figures);
  say(text);
  if (values.misses) say(missesText(figures));
  if (values.write) writeTable({ name: "retrieval", explanation: EXPLANATION }, args, text);
  return 0;
}

await runCommand({ help: USAGE, example: "npm run bench:retrieval -- --only recall --language de", run });
