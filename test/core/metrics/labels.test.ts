import { expect, test, vi } from "vitest";

vi.mock("prom-client", () => {
  throw new Error("prom-client is loaded");
});

test("the labels of metrics and the readings of a worker are known without prom-client, its metrics are not", async () => {
  const { LLM_ABORT_REASONS } = await import("../../../src/core/metrics/labels.ts");
  const { LIVE_STATES } = await import("../../../src/core/metrics/worker-readings.ts");
  expect(LLM_ABORT_REASONS).toContain("superseded");
  expect(LIVE_STATES).toContain("listening");
  await expect(import("../../../src/core/metrics/worker-metrics.ts")).rejects.toThrow();
});
