import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROJECT, projectFiles } from "../support/repository/files.ts";

/**
 * Words of the first version that docs/glossary.md replaces, each with what to write instead. Whole words, and parts of names:
 * `brainOf`, `hasEars`. Where a word is good English too, the pattern leaves out that use.
 */
const BANNED: readonly (readonly [word: string, pattern: RegExp, instead: string])[] = [
  ["ear", /\bears?\b|\bear(?=[A-Z_-])|(?<=[a-z])Ears?\b|(?:\b|(?<=[a-z]))Ear(?=[A-Z])|\bEars?\b/, "STT"],
  ["brain", /\bbrains?\b|\bbrain(?=[A-Z_-])|(?:\b|(?<=[a-z]))Brains?(?![a-z])/, "LLM"],
  ["piece", /\bpieces?\b|\bpieces?(?=[A-Z_-])|(?:\b|(?<=[a-z]))Pieces?(?![a-z])/, "segment of a reply, chunk of bytes"],
  [
    "told",
    /\b(?:[Uu]n)?[Tt]olds?\b(?! (?:me|you|him|her|us|them)\b)|\b(?:un)?told(?=[A-Z])|(?<=[a-z])Told(?![a-z])/,
    "reported, emitted, sent, received",
  ],
  ["nobody", /\bnobody\b/i, "no caller, no client, no process: name it"],
  ["whoever", /\bwhom?ever\b/i, "the caller, the client, the process: name it"],
  [
    "behind",
    /\bbehind\b(?! (?:an? |the |your )?(?:reverse proxy|load balancer|proxy|proxies|nginx|path|church)\b)/i,
    "after, later than; a service is behind a proxy",
  ],
  ["left alone", /\bleft[ _]alone\b/i, "skipped, unchanged; the circuit breaker is open"],
  ["pass over", /(?<!\b(?:one|a|each) )\bpass(?:ed|es|ing)?[ -]?over\b/i, "ignore"],
  ["borne", /\bborne\b/i, "tolerated, accepted, open for"],
  ["knock", /\bknock(?:s|ed|ing)?(?![a-z])/i, "connect"],
  ["stranger", /\bstrangers?(?![a-z])/i, "unauthenticated client, another account"],
  ["moments", /\bmoments\b|(?<=[a-z])Moments\b/i, "timings, timestamps"],
  ["standing", /\bstandings?\b(?! (?:by|in|for|orders?)\b)/i, "state, snapshot"],
  [
    "ask ahead",
    /\b(?:[Aa]sk|[Ff]orget)(?:s|ed|ing|ten)?(?:[ -]a|A)head(?![a-z])/,
    "preemptive generation: start, cancel",
  ],
  ["talk over", /\btalk(?:s|ed|ing)? over\b/i, "interrupt"],
  ["keeper", /\bkeepers?\b/i, "finalizer"],
  ["tally", /\btall(?:y|ies)(?![a-z])/i, "counters"],
  ["inbox", /\binbox(?![a-z])/i, "message guard"],
  ["allowance", /\ballowances?\b/i, "token bucket, limit"],
  ["cadence", /\bcadences?(?![a-z])/i, "arrival interval"],
  ["hand-off", /\bhand-offs?\b/i, "handoff"],
];

/** Exact lines in which a word is right, each with its reason. */
const ALLOWED: ReadonlySet<string> = new Set([
  // A migration test writes names of an earlier version.
  "...{ firstPiece: step(40), voiceFirstByte: step(90), firstSampleOut: step(15), whole: step(785) },",
  'const oldUsage = [used("ear", "deepgram"), used("model", "openai"), used("voice", "espeak")];',
  "...{ finalMs: 300, endOfTurnMs: 520, askedMs: 521, firstTextMs: 641, firstPieceMs: 681 },",
  "expect(migrated).not.toMatch(/engine|whole|firstPiece/);",
  // Speech of a bench. With other words its figures could not be compared with earlier ones.
  '"She told me that the meeting had been moved, so nobody was there when I arrived with the papers.",',
]);

/** Files that must name the words. */
const EXEMPT = [
  // The list of words to avoid, and this test.
  ...["docs/glossary.md", "test/repository/words.test.ts"],
  // Tables of names that earlier versions wrote to journals and to the database, with the names of today.
  ...["src/record/journal/version-2-names.ts", "src/store/sql/migrations/0012-names.ts"],
  "test/support/golden/recorded-names.ts",
  // Figures that earlier runs printed.
  "bench/RESULTS.md",
];
const PLACES = [
  ...[
    "src",
    "test",
    "bench",
    "docs",
    "deploy",
    "scripts",
    "examples",
    "tools",
    "web",
    "fixtures/README.md",
    "fixtures/provider/README.md",
  ],
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "package.json"],
];

const files = projectFiles(PLACES).filter(
  (path) => /\.(?:ts|mjs|md|ya?ml|json|conf|html)$/.test(path) && !EXEMPT.includes(path),
);
const lines = files.flatMap((path) =>
  readFileSync(join(PROJECT, path), "utf8")
    .split("\n")
    .map((line) => ({ path, text: line.trim() })),
);

const wordsIn = (line: string): string[] => BANNED.filter(([, pattern]) => pattern.test(line)).map(([word]) => word);

describe("the words of docs/glossary.md", () => {
  test("are checked in code, tests, benches, pages, dashboards and alerts", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...["src/call/call.ts", "test/call/call.test.ts", "bench/README.md", "docs/api.md", "README.md"],
        ...["deploy/grafana/trunkline.json", "deploy/prometheus/alerts.yml", "fixtures/README.md"],
      ]),
    );
  });

  test.each(BANNED)("are used instead of '%s'", (_, pattern, instead) => {
    const found = lines.filter(({ text }) => pattern.test(text) && !ALLOWED.has(text));
    expect(
      found.map(({ path, text }) => `${path}: ${text}`),
      `write instead: ${instead}; see docs/glossary.md`,
    ).toEqual([]);
  });

  test("have no exception that is not needed", () => {
    const present = new Set(lines.map(({ text }) => text));
    expect([...ALLOWED].filter((line) => !present.has(line) || wordsIn(line).length === 0)).toEqual([]);
  });
});

describe("a line of the old words", () => {
  test.each([
    ["ear", "the ear has given no final"],
    ["ear", "const hasEars = true;"],
    ["brain", "const brainOf = (name: string): Llm =>"],
    ["piece", "firstPieceMs: number;"],
    ["told", "every problem is told at once"],
    ["told", "const isTold = true;"],
    ["nobody", "nobody who is asked"],
    ["behind", "behind a stall it asks"],
    ["left alone", "is left alone by all calls"],
    ["pass over", "a back-channel is passed over"],
    ["moments", "the moments of a reply"],
    ["standing", "the standing of a call"],
    ["ask ahead", "#askedAheadMs = 0;"],
    ["stranger", "const STRANGERS = 700;"],
  ])("with '%s' is found: %s", (word, line) => {
    expect(wordsIn(line)).toContain(word);
  });

  test.each([
    "a year of heartbeats",
    "to hear and to bear",
    "retold would be another word",
    "the handoff socket",
    "one pass over the bytes",
    "a service behind a reverse proxy",
    "the outstanding redemptions, at one moment",
    "tiebreaker, piecemeal, knockout, passport",
  ])("is not found in: %s", (line) => {
    expect(wordsIn(line)).toEqual([]);
  });
});
