import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { longInPairs, longInParallel, longInTurn, longShared } from "./test/support/long-tests.ts";
import { useMemoryForTemporaryFiles } from "./test/support/memory-directory.ts";
import { SlowestFirst } from "./test/support/slowest-first.ts";

const long = [...longShared, ...longInParallel, ...longInTurn, ...longInPairs];
/**
 * Folders of `test` whose files share processes, because they leave no state in them. A process of its own costs each file 0.4 s of
 * CPU time or more, mostly for the imports.
 */
const sharing =
  "api call carriers cli cluster config core delivery gateway knowledge media process proof record repository simulator speech store support telephony transcription web".split(
    " ",
  );
const isolated = readdirSync(fileURLToPath(new URL("test", import.meta.url))).filter((name) => !sharing.includes(name));
const foldersOf = (names: readonly string[]): string[] => names.map((name) => `test/${name}/**/*.test.ts`);
/**
 * Of these folders, the files that need a process of their own: they measure its heap, change its built-ins, environment or modules, or
 * list its metrics.
 */
const notSharing = [
  "test/carriers/parse-charge.test.ts",
  "test/cli/admin/*.test.ts",
  "test/core/metrics/*.test.ts",
  "test/core/schemas/compile.test.ts",
  "test/core/task-processes/child-module.test.ts",
  "test/delivery/sender.test.ts",
  "test/gateway/event-loop/lag.test.ts",
  "test/gateway/leg/caller-audio.test.ts",
  "test/gateway/webrtc/*.test.ts",
  "test/media/opus/native.test.ts",
  "test/process/worker/supervisor-connections.test.ts",
  "test/repository/hops.test.ts",
  "test/repository/monitoring.test.ts",
  "test/simulator/emulator/plivo.test.ts",
  "test/simulator/service/process.test.ts",
  "test/speech/preconnect.test.ts",
  "test/speech/tts/languages.test.ts",
  "test/speech/tts/providers/espeak/*.test.ts",
  "test/store/api-key-comparison.test.ts",
  "test/store/data-dir/token-keys-on-disk.test.ts",
  "test/store/handoff/socket-path.test.ts",
  "test/store/sqlite/faults.test.ts",
  "test/store/sqlite/open-stores.test.ts",
];
/** The tests of packages that are installed below test/ are not ours. */
const foreign = "**/node_modules/**";
/** Programs as programs: what the build made of them. */
const programs = ["test/end-to-end/**/*.test.ts", "test/cli/*.test.ts"];
/** One more than the smallest machine has processors, because many tests wait rather than work. */
const PART_WORKERS = 3;
const BUILD = "test/support/services/build.ts";
/** What has not ended by then never will, also on a machine that many share. */
const common = { testTimeout: 60_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } };
/** The client as it is written, as in tsconfig.json; package.json names what the build makes of it. */
const resolve = { alias: { "#client": fileURLToPath(new URL("web/client/src/index.ts", import.meta.url)) } };

/** The stages that a test of a provider's faults is about: the columns of `npm run faults`. */
const tags = [
  { name: "stt", description: "Speech to text." },
  { name: "llm", description: "The language model." },
  { name: "tts", description: "Text to speech." },
];

useMemoryForTemporaryFiles();

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    tags,
    sequence: { sequencer: SlowestFirst },
    reporters: ["default", "./test/support/skipped-tests-reporter.ts"],
    projects: [
      {
        resolve,
        test: {
          ...common,
          name: "isolated",
          include: [...foldersOf(isolated), ...notSharing],
          exclude: [foreign, ...long, ...programs],
          maxWorkers: PART_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: "shared",
          include: foldersOf(sharing),
          exclude: [foreign, ...long, ...notSharing, ...programs],
          isolate: false,
          maxWorkers: PART_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve,
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
        resolve,
        test: {
          ...common,
          name: "long-shared",
          include: longShared,
          exclude: [foreign],
          isolate: false,
          maxWorkers: PART_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: "long-in-parallel",
          include: longInParallel,
          exclude: [foreign],
          globalSetup: BUILD,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: "long-in-turn",
          include: longInTurn,
          exclude: [foreign],
          globalSetup: BUILD,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: "long-in-pairs",
          include: longInPairs,
          exclude: [foreign],
          globalSetup: BUILD,
          maxWorkers: 2,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
});
