import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { asCorpusId, type CorpusId } from "../../../src/core/ids.ts";
import type { RetrievalAnswer, Retriever } from "../../../src/core/knowledge/passages.ts";
import {
  QUESTION_MS_MAX,
  RETRIEVAL_RECONNECT_MS,
  RETRIEVAL_RECONNECT_MS_MAX,
} from "../../../src/core/limits/knowledge/retrieval.ts";
import { RetrievalClient } from "../../../src/knowledge/host/client.ts";
import { QuestionQueue } from "../../../src/knowledge/host/question-queue.ts";
import { RetrievalServer } from "../../../src/knowledge/host/server.ts";
import type { IndexPage } from "../../../src/knowledge/index/open-corpora.ts";
import { connectorTo } from "../../../src/store/handoff/socket-path.ts";
import { CORPUS, OTHER_CORPUS, question } from "../../support/knowledge/indexes.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { eventually } from "../../support/providers/stt/stt-kit.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LOST_CORPUS = asCorpusId("cor_0197a000-0000-7000-8000-000000000000");
const ANSWER: RetrievalAnswer = { passages: [], tookMs: 3 };
const answering: Retriever = { query: async () => ANSWER };
/** One that answers nothing until its question is cancelled. */
const hanging = (): Retriever & { cancelled: number } => {
  const retriever = {
    cancelled: 0,
    query: (_: unknown, signal: AbortSignal) =>
      new Promise<RetrievalAnswer>((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          retriever.cancelled += 1;
          reject(signal.reason);
        });
      }),
  };
  return retriever;
};
const life = (): AbortSignal => new AbortController().signal;

/** Of the first page no file can be used. */
const PAGES: readonly IndexPage[] = [
  { corpora: [], next: LOST_CORPUS },
  { corpora: [{ corpusId: CORPUS, languageId: "en", documents: [] }], next: CORPUS },
  { corpora: [{ corpusId: OTHER_CORPUS, languageId: "en", documents: [] }] },
];

async function serve(path: string, retriever: Retriever, waitingMax?: number) {
  const outcomes: string[] = [];
  const server = new RetrievalServer({
    questions: new QuestionQueue({ retriever, ...(waitingMax !== undefined && { waitingMax }) }),
    change: async () => "done",
    state: async (after) => PAGES.find((_, at) => PAGES[at - 1]?.next === after) ?? { corpora: [] },
    metrics: async () => "trunkline_metric 1\n",
    clock: systemClock,
    onQuestion: (outcome) => outcomes.push(outcome),
    onDefect: () => outcomes.push("defect"),
    onAbandoned: () => {},
  });
  rmSync(path, { force: true });
  await server.listen((listener) => void listener.listen(path));
  onTestFinished(() => server.close());
  return { server, outcomes };
}

function clientOf(path: string, clock: Clock = systemClock) {
  const lost: CorpusId[] = [];
  let reconnections = 0;
  const client = new RetrievalClient({
    connect: connectorTo(path),
    clock,
    onLost: (corpusId) => lost.push(corpusId),
    onReconnected: () => {
      reconnections += 1;
    },
  });
  onTestFinished(() => client.close());
  return { client, lost, reconnections: () => reconnections };
}

const socketPath = (): string => join(temporaryDirectory(), "retrieval.sock");

describe("the client of the retrieval process", () => {
  test("a question that was pending when the process died is answered by the next one", async () => {
    const path = socketPath();
    const first = await serve(path, hanging());
    const { client, reconnections } = clientOf(path);
    const answer = client.query(question("apple"), life());
    await eventually(() => first.server.connectionCount === 1).toBe(true);
    first.server.close();
    await serve(path, answering);
    expect(await answer).toEqual(ANSWER);
    expect(reconnections()).toBe(1);
  });

  test("a change that was pending when the process died fails: half of it may be done", async () => {
    const path = socketPath();
    const connections = createServer((connection) => connection.once("data", () => connection.destroy()));
    connections.listen(path);
    onTestFinished(() => void connections.close());
    const { client } = clientOf(path);
    await expect(client.change({ kind: "remove-corpus", corpusId: CORPUS })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  test("without a process a question fails as unavailable within its deadline", async () => {
    const clock = new ManualClock();
    const { client } = clientOf(socketPath(), clock);
    const failed = expect(client.query(question("apple"), life())).rejects.toMatchObject({
      code: "unavailable",
      message: "the retrieval process does not run",
    });
    await clock.play(QUESTION_MS_MAX);
    await failed;
  });

  test("a question that is aborted is cancelled in the process", async () => {
    const path = socketPath();
    const retriever = hanging();
    const { outcomes } = await serve(path, retriever);
    const { client } = clientOf(path);
    const aborter = new AbortController();
    const pending = client.query(question("apple"), aborter.signal);
    await client.state();
    aborter.abort(new Error("over"));
    await expect(pending).rejects.toThrow("over");
    await eventually(() => retriever.cancelled === 1).toBe(true);
    await eventually(() => outcomes.length === 1).toBe(true);
    expect(outcomes).toEqual(["cancelled"]);
  });

  test("past the limit of waiting questions a new one is refused as unavailable, and counted", async () => {
    const path = socketPath();
    const { outcomes } = await serve(path, hanging(), 2);
    const { client } = clientOf(path);
    for (let count = 0; count < 2; count++) client.query(question("apple"), life()).catch(() => {});
    await expect(client.query(question("apple"), life())).rejects.toMatchObject({ code: "unavailable" });
    expect(outcomes).toEqual(["refused"]);
  });

  test("a defect is one failed question, and says nothing of itself", async () => {
    const path = socketPath();
    const { outcomes } = await serve(path, { query: () => Promise.reject(new TypeError("secret words")) });
    const { client } = clientOf(path);
    await expect(client.query(question("apple"), life())).rejects.toThrow("internal error");
    expect(outcomes).toEqual(["failed", "defect"]);
  });

  test("reads page by page what the index has, also where no file of a page can be used", async () => {
    const path = socketPath();
    await serve(path, answering);
    const { client } = clientOf(path);
    expect((await client.state()).map(({ corpusId }) => corpusId)).toEqual([CORPUS, OTHER_CORPUS]);
  });

  test("while connections break without an answer, it waits longer and longer before the next", async () => {
    const path = socketPath();
    let count = 0;
    const connections = createServer((connection) => {
      count += 1;
      connection.destroy();
      if (count === 8) connections.close();
    });
    connections.listen(path);
    const delaysMs: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after(delayMs, task) {
        if (delayMs > RETRIEVAL_RECONNECT_MS_MAX) return systemClock.after(delayMs, task);
        delaysMs.push(delayMs);
        return systemClock.after(0, task);
      },
    };
    const { client } = clientOf(path, clock);
    client.state().catch(() => {});
    await eventually(() => delaysMs.length >= 10).toBe(true);
    // Nothing listens any more: the next process is about to start.
    expect(delaysMs.slice(8, 10)).toEqual([RETRIEVAL_RECONNECT_MS, RETRIEVAL_RECONNECT_MS]);
    expect(delaysMs.slice(0, 3)).toEqual([1, 2, 4].map((times) => times * RETRIEVAL_RECONNECT_MS));
    expect(delaysMs.at(6)).toBe(RETRIEVAL_RECONNECT_MS_MAX);
  });

  test("hears of lost corpora and reads the metrics", async () => {
    const path = socketPath();
    const { server } = await serve(path, answering);
    const { client, lost } = clientOf(path);
    expect(await client.metrics(5_000)).toBe("trunkline_metric 1\n");
    server.reportLost(CORPUS);
    await eventually(() => lost.length === 1).toBe(true);
    expect(lost).toEqual([CORPUS]);
  });

  test("there are no metrics where the process does not answer", async () => {
    const clock = new ManualClock();
    const { client } = clientOf(socketPath(), clock);
    const metrics = client.metrics(500);
    await clock.play(500);
    expect(await metrics).toBeUndefined();
  });
});
