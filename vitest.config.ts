import { defineConfig } from "vitest/config";

/**
 * `npm run test:long`: tests of what few changes touch, which would take `npm test` beyond its 6 minutes. Calls in real time,
 * measurements of a blocked event loop, processes that are killed or wait for their deadlines, commands that compile or are many,
 * and whatever repeats a test of `npm test` at a larger size. Of those that take 20 s and more:
 * - `call-command` and `human-demo`: whole calls in real time, whose parts test/simulator and test/cli/demo test;
 * - `drain`: deadlines of whole processes, which the tests of the supervisor have in virtual time;
 * - `nginx`: deployment behind a proxy that few have installed;
 * - `docs/pages` and `docs/slow-pages`: all commands of the documentation; test/repository/blocks checks the rest of its blocks;
 * - `opus-codec` and the examples: whole calls in real time, whose codec and tools other tests cover;
 * - `first-words`: a build, and the time until a person is understood;
 * - `budgeted-process` and `checker`: child processes that use up their budgets of CPU time;
 * - `local/pool/memory`: the installed speech model in a process of its own, as it is built;
 * - `local/pool/processes`: child processes of the local STT that are killed, whose pool the other tests have in virtual time;
 * - `long-calls`: an hour of speech and 20 minutes of noise through the speech detectors, an hour of replies through the echo check;
 * - `all-outcomes` and `mutant-calls`: more seeds and mutants of the simulation than test/sim/sim and test/sim/mutants take;
 * - `near-misses`: thousands of streams of STT providers, each with one message that is nearly right;
 * - `local/engine/moonshine`: the installed speech model itself; its parts are tested in `npm test`;
 * - `resampler-rates`: the pairs of rates that test/media/resampler does not have, and an hour of audio.
 * The contract suites of the media servers stay in `npm test`, though they take longest: they are the contract.
 */
const longInParallel = [
  "test/bench/**/*.test.ts",
  "test/api/http/pages-in-a-browser.test.ts",
  "test/cli/development-tools.test.ts",
  "test/cli/models/add.test.ts",
  "test/core/node-version.test.ts",
  "test/media/echo/long-calls.test.ts",
  "test/media/resampler-rates.test.ts",
  "test/media/voice-activity/long-calls.test.ts",
  "test/media/voice-activity/silero/long-calls.test.ts",
  "test/record/journal/crash.test.ts",
  "test/speech/local/pool/turn-model.test.ts",
  "test/sim/all-outcomes.test.ts",
  "test/speech/stt/near-misses.test.ts",
  "test/sim/mutant-calls.test.ts",
  "test/speech/local/engine/moonshine.test.ts",
];
/** Of the same tests, files that measure time or hold calls in real time: one at a time, so that no test slows another down. */
const longInTurn = [
  "test/core/schemas/checker.test.ts",
  "test/core/task-processes/budgeted-process.test.ts",
  "test/speech/local/pool/memory.test.ts",
  "test/speech/local/pool/processes.test.ts",
  "test/end-to-end/start/data-dir.test.ts",
  "test/end-to-end/start/first-words.test.ts",
  "test/security/costly-input.test.ts",
  ...[
    "calls/call-command",
    "calls/human-demo",
    "calls/matrix",
    "calls/opus-codec",
    "calls/stage-latency",
    "examples/talk",
    "examples/tools",
    "network/nginx",
    "network/unauthenticated-connections",
    "processes/chaos",
    "processes/drain",
    "processes/killed-supervisor",
    "processes/lost-process",
    "processes/signals",
  ].map((name) => `test/end-to-end/${name}.test.ts`),
];
/** The commands of the documentation. They wait for calls in real time, so two files run at once. */
const longPages = ["test/end-to-end/docs/pages.test.ts", "test/end-to-end/docs/slow-pages.test.ts"];
const long = [...longInParallel, ...longInTurn, ...longPages];
/**
 * Folders of `test` whose files share processes, because they leave no state in them. A process of its own costs each file 0.4 s of
 * CPU time or more, mostly for the imports.
 */
const sharing = ["api", "call", "carriers", "config", "core", "record", "simulator", "speech"];
/** The files of these folders that need a process of their own: they measure its heap, observe its built-ins, or start processes. */
const notSharing = [
  "test/carriers/parse-charge.test.ts",
  "test/core/metrics/*.test.ts",
  "test/core/schemas/compile.test.ts",
  "test/core/task-processes/child-module.test.ts",
  "test/simulator/service/process.test.ts",
  "test/speech/preconnect.test.ts",
  "test/speech/tts/languages.test.ts",
  "test/speech/tts/providers/espeak/*.test.ts",
];
/** The tests of packages that are installed below test/ are not ours. */
const foreign = "**/node_modules/**";
/** Programs as programs: what the build made of them. */
const programs = ["test/end-to-end/**/*.test.ts", "test/cli/*.test.ts"];
/** One more than the smallest machine has processors, because many tests wait rather than work. */
const PART_WORKERS = 3;
const BUILD = "test/support/services/build.ts";
const common = { testTimeout: 30_000, hookTimeout: 30_000 };

/** The stages that a test of a provider's faults is about: the columns of `npm run faults`. */
const tags = [
  { name: "stt", description: "Speech to text." },
  { name: "llm", description: "The language model." },
  { name: "tts", description: "Text to speech." },
];

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    tags,
    reporters: ["default", "./test/support/skipped-tests-reporter.ts"],
    projects: [
      {
        test: {
          ...common,
          name: "isolated",
          // The pattern also leaves out folders whose names begin like one that it excludes.
          include: [`test/!(${sharing.join("|")})/**/*.test.ts`, "test/callers/*.test.ts", ...notSharing],
          exclude: [foreign, ...long, ...programs],
          maxWorkers: PART_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: "shared",
          include: [`test/@(${sharing.join("|")})/**/*.test.ts`],
          exclude: [foreign, ...long, ...notSharing],
          isolate: false,
          maxWorkers: PART_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: "end-to-end",
          include: programs,
          exclude: [foreign, ...long],
          globalSetup: BUILD,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: "long-in-parallel",
          include: longInParallel,
          exclude: [foreign],
          globalSetup: BUILD,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...common,
          name: "long-in-turn",
          include: longInTurn,
          exclude: [foreign],
          globalSetup: BUILD,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...common,
          name: "long-pages",
          include: longPages,
          exclude: [foreign],
          globalSetup: BUILD,
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
