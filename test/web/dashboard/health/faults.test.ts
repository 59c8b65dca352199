import { expect, test } from "vitest";
import { byStage, faultsOf, missingFirst, type Status } from "../../../../web/dashboard/pages/health/faults.ts";

const WORKER: Status["workers"][number] = {
  ...{ id: "worker_1", role: "media", acceptsCalls: true, calls: 0, callsMax: 10, loopDelayMs: 1 },
};
const PROVIDER: Status["providers"][number] = {
  ...{ stage: "llm", provider: "openai", circuitBreaker: "closed", openInWorkers: 0 },
  ...{ answers: 0, failures: 0, medianDelayMs: null, p95DelayMs: null },
};
const NODE: Status["nodes"][number] = {
  ...{ name: "node-1", state: "accepting", version: "1.0.0", mediaUrl: null, takenBy: null, webrtc: false },
  ...{ slots: { max: 10, active: 1, reserved: 0 }, leaseLeftMs: 4_000, startedAt: "2026-11-28T08:00:00.000Z" },
};
const SOUND: Status = {
  version: "1.0.0",
  checkedAt: "2026-11-28T09:00:00.000Z",
  newCalls: { accepted: true, reason: null, message: "new calls are accepted" },
  slots: { max: 10, active: 0, reserved: 0 },
  workers: [WORKER],
  silentWorkers: 0,
  providers: [PROVIDER],
  jobs: { waiting: 1, running: 0, dead: 0, oldestDueSeconds: 60, kinds: [] },
  disk: { state: "ok", freeBytes: 1e12, minFreeBytes: 1e9 },
  database: { kind: "sqlite", state: "ok" },
  nodes: [],
  configuration: [{ name: "prices", state: "optional", message: "set PRICES", variables: ["PRICES"] }],
};

test("nothing is wrong with a service that works, whatever is optional", () => {
  expect(faultsOf(SOUND)).toEqual([]);
});

test("what is wrong is named, what calls suffer from first", () => {
  const faults = faultsOf({
    ...SOUND,
    workers: [WORKER, { ...WORKER, acceptsCalls: false }],
    silentWorkers: 2,
    providers: [{ ...PROVIDER, circuitBreaker: "open", openInWorkers: 1 }],
    jobs: { ...SOUND.jobs, dead: 1, oldestDueSeconds: 61 },
    disk: { ...SOUND.disk, state: "low" },
    database: { kind: "postgres", state: "lost" },
    newCalls: { accepted: false, reason: "insufficient_storage", message: "new calls are refused: the disk is full" },
    configuration: [{ name: "speech", state: "missing", message: "set TTS", variables: ["TTS"] }],
  });
  expect(faults.map(({ tone, text }) => `${tone}: ${text}`)).toEqual([
    "bad: New calls are refused: the disk is full.",
    "bad: The database does not answer, and nothing is written.",
    "bad: The disk is nearly full, and new calls are refused.",
    "warn: 1 worker takes no calls.",
    "warn: 2 workers did not answer within half a second.",
    "warn: 1 part of the configuration is missing.",
    "warn: LLM of openai keeps failing in 1 worker: calls use the fallbacks.",
    "warn: 1 job has failed for good.",
    "warn: A job has been due for 1:01.",
  ]);
  expect(faultsOf({ ...SOUND, workers: [] })).toEqual([{ tone: "bad", text: "No media worker is connected." }]);
  expect(faultsOf({ ...SOUND, nodes: [NODE, { ...NODE, name: "node-2", state: "gone", takenBy: "node-1" }] })).toEqual([
    { tone: "bad", text: "1 node is gone: others record the calls." },
  ]);
});

test("providers are in the order of a turn", () => {
  const providers = (["tts", "stt", "llm"] as const).map((stage) => ({ ...PROVIDER, stage }));
  expect(byStage(providers).map(({ stage }) => stage)).toEqual(["stt", "llm", "tts"]);
});

test("missing parts of the configuration come first, and the order is the service's otherwise", () => {
  const part = (name: string, state: "ready" | "missing" | "optional") => ({ name, state, message: "", variables: [] });
  const parts = [part("a", "ready"), part("b", "optional"), part("c", "missing"), part("d", "ready")];
  expect(missingFirst(parts).map(({ name }) => name)).toEqual(["c", "b", "a", "d"]);
});
