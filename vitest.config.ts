import { defineConfig } from "vitest/config";

/** Many calls in real time, and what tells how long the loop was blocked: by themselves, behind all that could take the machine from them. */
const realTime = [
  "test/end-to-end/matrix.test.ts",
  "test/end-to-end/stage-latency.test.ts",
  "test/bench/**/*.test.ts",
  "test/costly-input.test.ts",
];
/** Programs as programs: what the build made of them. */
const programs = ["test/end-to-end/**/*.test.ts", "test/cli/*.test.ts"];
const BUILD = "test/support/build.ts";
const common = { testTimeout: 30_000, hookTimeout: 30_000 };

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...realTime, ...programs],
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
          exclude: realTime,
          globalSetup: BUILD,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: "real-time",
          include: realTime,
          globalSetup: BUILD,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
