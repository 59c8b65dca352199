import { defineConfig } from "vitest/config";

/**
 * `npm run test:long`: what a newcomer's change seldom touches and what would take `npm test` beyond its 6 minutes. Many calls in
 * real time, measurements of how long the loop was blocked, processes that are killed and take their deadlines, and commands that
 * compile or are many. Of those that take 20 s and more: `call-command` runs whole calls in real time, whose parts test/simulator
 * tests; `drain` waits for deadlines of whole processes, and the supervisor's tests have the same in virtual time; `nginx` is about
 * deployment, and starts a proxy that few have installed; `opus-codec` and the two examples hold whole calls in real time,
 * whose codec and tools the unit tests cover; the tests of budgeted child processes let them
 * use up their budgets of CPU time. The contract suites of the media servers stay, though they take longest:
 * they are the contract. One file at a time, so that none takes the machine from another.
 */
const long = [
  "test/bench/**/*.test.ts",
  "test/security/costly-input.test.ts",
  "test/cli/development-tools.test.ts",
  "test/core/tasks/budgeted-process.test.ts",
  "test/core/schemas/checker.test.ts",
  ...[
    "calls/call-command",
    "calls/matrix",
    "calls/opus-codec",
    "calls/stage-latency",
    "docs/pages",
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
/** The tests of packages that are installed below test/ are not ours. */
const foreign = "**/node_modules/**";
/** Programs as programs: what the build made of them. */
const programs = ["test/end-to-end/**/*.test.ts", "test/cli/*.test.ts"];
const BUILD = "test/support/services/build.ts";
const common = { testTimeout: 30_000, hookTimeout: 30_000 };

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    reporters: ["default", "./test/support/skipped-tests-reporter.ts"],
    projects: [
      {
        test: {
          ...common,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [foreign, ...long, ...programs],
          // Many wait rather than work, so one more than the least machine has processors.
          maxWorkers: 3,
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
          name: "long",
          include: long,
          exclude: [foreign],
          globalSetup: BUILD,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
