import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { asAccountId } from "../../../src/core/ids.ts";
import { INGESTER_IDLE_MS_MAX } from "../../../src/core/limits/knowledge/corpora.ts";
import type { TaskChildEvents } from "../../../src/core/task-processes/child.ts";
import type { TaskMessage } from "../../../src/core/task-processes/messages.ts";
import type { IngestAnswer } from "../../../src/knowledge/documents/ingester.ts";
import { IngesterClient, type IngesterClientOptions } from "../../../src/process/ingester/client.ts";
import { forkIngester } from "../../../src/process/ingester/fork.ts";
import { ingestTaskOf } from "../../support/knowledge/ingest-tasks.ts";
import { pdfFile } from "../../support/knowledge/pdf-files.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const ACCOUNT = asAccountId("account_1");
const NEVER = new AbortController().signal;
const clients: IngesterClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

function clientOf(options: Pick<IngesterClientOptions, "start" | "clock">) {
  const { log } = memoryLog();
  const outcomes: string[] = [];
  const client = new IngesterClient({ ...options, log, count: (outcome) => outcomes.push(outcome) });
  clients.push(client);
  return { client, outcomes };
}

test("a process reads one document after the other, of several kinds", { timeout: 60_000 }, async () => {
  const { client } = clientOf({ start: forkIngester(), clock: systemClock });
  const tasks = [
    ingestTaskOf("A plain text."),
    ingestTaskOf(pdfFile([[{ text: "A page." }]])),
    ingestTaskOf("<html><p>Hypertext."),
  ];
  const answers = await Promise.all(tasks.map((task) => client.read(ACCOUNT, task, NEVER)));
  expect(answers.map((answer) => answer.kind === "read" && answer.facts.format)).toEqual(["text", "pdf", "html"]);
  expect(tasks.map(({ chunksPath }) => JSON.parse(readFileSync(chunksPath, "utf8")).text)).toEqual([
    "A plain text.",
    "A page.",
    "Hypertext.",
  ]);
});

test("a document that cannot be read harms no other", { timeout: 60_000 }, async () => {
  const { client } = clientOf({ start: forkIngester(), clock: systemClock });
  const [bad, good] = await Promise.all([
    client.read(ACCOUNT, ingestTaskOf(Buffer.from([0, 1, 2, 3])), NEVER),
    client.read(ACCOUNT, ingestTaskOf("Good."), NEVER),
  ]);
  expect(bad).toMatchObject({ kind: "failed", failure: { code: "unsupported_format" } });
  expect(good).toMatchObject({ kind: "read" });
});

/** A process that answers on command. */
function scriptedProcess() {
  const processes: { events: TaskChildEvents; sent: unknown[]; isKilled: boolean }[] = [];
  const start = (events: TaskChildEvents) => {
    const one = { events, sent: [] as unknown[], isKilled: false };
    processes.push(one);
    return {
      pid: undefined,
      send: (message: unknown) => void one.sent.push(message),
      kill() {
        one.isKilled = true;
        events.onExit({ exitCode: null, signal: "SIGKILL" });
      },
    };
  };
  const emit = (message: TaskMessage<IngestAnswer>) => processes.at(-1)?.events.onMessage(message);
  return { start, processes, emit };
}

const ANSWER: IngestAnswer = { kind: "failed", failure: { code: "no_text", message: "no text" } };
const answered = { kind: "answer", answer: ANSWER, cpuMs: 1, isFull: false } as const;

describe("the process", () => {
  test("is started for a document, and ended when there was none for a while", async () => {
    const clock = new ManualClock();
    const { start, processes, emit } = scriptedProcess();
    const { client } = clientOf({ start, clock });
    expect(processes).toHaveLength(0);
    const reading = client.read(ACCOUNT, ingestTaskOf("a"), NEVER);
    emit({ kind: "ready" });
    emit(answered);
    expect(await reading).toEqual(ANSWER);
    await clock.play(INGESTER_IDLE_MS_MAX);
    expect(processes.map(({ isKilled }) => isKilled)).toEqual([true]);
    const again = client.read(ACCOUNT, ingestTaskOf("b"), NEVER);
    expect(processes).toHaveLength(2);
    emit({ kind: "ready" });
    emit(answered);
    await again;
  });

  test("that dies of a document says that it took too much", async () => {
    const { start, processes, emit } = scriptedProcess();
    const { client, outcomes } = clientOf({ start, clock: new ManualClock() });
    const reading = client.read(ACCOUNT, ingestTaskOf("a"), NEVER);
    emit({ kind: "ready" });
    processes[0]?.events.onExit({ exitCode: null, signal: "SIGKILL" });
    await expect(reading).rejects.toMatchObject({ code: "over_budget" });
    expect(outcomes).toEqual(["over_budget"]);
  });

  test("whose program fails is a defect of the service, and another attempt may succeed", async () => {
    const { start, emit } = scriptedProcess();
    const { client } = clientOf({ start, clock: new ManualClock() });
    const reading = client.read(ACCOUNT, ingestTaskOf("a"), NEVER);
    emit({ kind: "ready" });
    emit({ kind: "failed", code: "internal", cpuMs: 1, isFull: false });
    await expect(reading).rejects.toMatchObject({ code: "ingester_failed" });
  });

  test("does not hold up a job that is stopped, nor a service that stops", async () => {
    const { start, emit } = scriptedProcess();
    const { client } = clientOf({ start, clock: new ManualClock() });
    const stop = new AbortController();
    const reading = client.read(ACCOUNT, ingestTaskOf("a"), stop.signal);
    const other = client.read(ACCOUNT, ingestTaskOf("b"), NEVER);
    emit({ kind: "ready" });
    stop.abort(new Error("cancelled"));
    await expect(reading).rejects.toThrow("cancelled");
    const rejected = expect(other).rejects.toMatchObject({ code: "unavailable" });
    await client.close();
    await rejected;
    await expect(client.read(ACCOUNT, ingestTaskOf("c"), NEVER)).rejects.toMatchObject({ code: "unavailable" });
    await settled();
  });
});
