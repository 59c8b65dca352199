import { defineConfig } from "vitest/config";

const common = { testTimeout: 30_000, hookTimeout: 30_000 };

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    // Vitest leaves one processor to others, which on two of them is half of all.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          ...common,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/end-to-end/**", "test/bench/**", "test/costly-input.test.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Real calls in real time, and what tells how long the loop was blocked: one file after the other, and behind everything
        // that could take the machine from them.
        test: {
          ...common,
          name: "end-to-end",
          include: ["test/end-to-end/**/*.test.ts", "test/bench/**/*.test.ts", "test/costly-input.test.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
