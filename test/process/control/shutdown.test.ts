import { expect, test } from "vitest";
import { DRAIN_RECORDS_MS } from "../../../src/core/limits/service/processes.ts";
import { shutDownControl } from "../../../src/process/control/shutdown.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";

/** Everything that the shutdown ends, and the order in which it does so; the API closes when `closeApi` is called. */
function shutdown() {
  const clock = new ManualClock();
  const steps: string[] = [];
  let closeApi = (): void => {};
  const step = (name: string) => (): void => void steps.push(name);
  const asyncStep = (name: string) => async (): Promise<void> => void steps.push(name);
  const done = shutDownControl({
    admission: { drain: step("refuse calls") },
    jobs: { stop: asyncStep("jobs") },
    api: {
      close() {
        steps.push("api");
        return new Promise<void>((resolve) => {
          closeApi = resolve;
        });
      },
      server: {
        closeAllConnections() {
          steps.push("connections");
          closeApi();
        },
      },
    },
    lostCalls: { recoverAll: asyncStep("lost calls") },
    finalizer: { idle: asyncStep("records") },
    phoneCalls: { stop: asyncStep("telephone calls") },
    callsOfNodes: { close: asyncStep("calls of nodes") },
    lease: { stop: asyncStep("lease") },
    traces: { close: asyncStep("traces") },
    renderer: { close: step("renderer") },
    transcriber: { close: step("transcriber") },
    ingester: { close: asyncStep("ingester") },
    handoff: { close: asyncStep("handoff") },
    providers: { close: step("providers") },
    stores: { close: asyncStep("stores") },
    clock,
    exit: (code) => void steps.push(`exit ${code}`),
  });
  return { clock, steps, done, closeApi: () => closeApi() };
}

const BEFORE_RESPONSES = ["refuse calls", "jobs", "api", "lost calls"];
const AFTER_RESPONSES = [
  "records",
  "telephone calls",
  "calls of nodes",
  "traces",
  "renderer",
  "transcriber",
  "ingester",
  "handoff",
  "providers",
  "lease",
  "stores",
  "exit 0",
];

test("Shutdown makes the remaining records before it closes what they need", async () => {
  const { clock, steps, done, closeApi } = shutdown();
  await settled();
  expect(steps).toEqual(BEFORE_RESPONSES);
  closeApi();
  await done;
  expect(steps).toEqual([...BEFORE_RESPONSES, ...AFTER_RESPONSES]);
  expect(clock.pending).toBe(0);
});

test("Shutdown closes the connections of slow clients after half of the time for the last records", async () => {
  const { clock, steps, done } = shutdown();
  await clock.play(DRAIN_RECORDS_MS / 2 - 1);
  expect(steps).toEqual(BEFORE_RESPONSES);
  await clock.play(1);
  await done;
  expect(steps).toEqual([...BEFORE_RESPONSES, "connections", ...AFTER_RESPONSES]);
});
