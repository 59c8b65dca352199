import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { Retriever } from "../../../src/core/knowledge/passages.ts";
import { RetrievalClient } from "../../../src/knowledge/host/client.ts";
import { QuestionQueue } from "../../../src/knowledge/host/question-queue.ts";
import { RetrievalServer } from "../../../src/knowledge/host/server.ts";
import { connectorTo } from "../../../src/store/handoff/socket-path.ts";
import { addition, CORPUS, indexHost, OTHER_CORPUS, question } from "../../support/knowledge/indexes.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

type Host = ReturnType<typeof indexHost>["host"];

/** A client of a server of this index. */
async function overSocket(host: Host): Promise<Retriever> {
  const path = join(temporaryDirectory(), "retrieval.sock");
  const server = new RetrievalServer({
    questions: new QuestionQueue({ retriever: host.retriever }),
    change: (change) => host.change(change),
    state: (after) => host.corpora.page(after),
    metrics: async () => "",
    clock: systemClock,
    onQuestion: () => {},
    onDefect: (error) => {
      throw error;
    },
    onAbandoned: () => {},
  });
  await server.listen((listener) => void listener.listen(path));
  const client = new RetrievalClient({ connect: connectorTo(path), clock: systemClock });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return client;
}

describe.each([
  ["in the process", async (host: Host): Promise<Retriever> => host.retriever],
  ["through a queue", async (host: Host): Promise<Retriever> => new QuestionQueue({ retriever: host.retriever })],
  ["over a socket", overSocket],
])("contract of Retriever: %s", (_, retrieverOf) => {
  const scene = async () => {
    const { host } = indexHost();
    await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" });
    await host.change({ kind: "corpus", corpusId: OTHER_CORPUS, languageId: "en" });
    await host.change(addition(1, ["Apples are red.", "Pears are green.", "Apples and pears are fruit."]));
    await host.change(addition(2, ["An apple a day keeps the doctor away."], OTHER_CORPUS));
    return { host, retriever: await retrieverOf(host) };
  };
  const life = (): AbortSignal => new AbortController().signal;

  test("gives passages with the best first, of at most the number asked for", async () => {
    const { retriever } = await scene();
    const { passages, tookMs } = await retriever.query(question("red apples", 1), life());
    expect(passages.map(({ text }) => text)).toEqual(["Apples are red."]);
    expect(tookMs).toBeGreaterThanOrEqual(0);
    const all = await retriever.query(question("red apples", 5), life());
    expect(all.passages.map(({ score }) => score)).toEqual(
      all.passages.map(({ score }) => score).toSorted((a, b) => b - a),
    );
  });

  test("answers from several corpora together, each named once", async () => {
    const { retriever } = await scene();
    const { passages } = await retriever.query(question("apple", 9, [CORPUS, OTHER_CORPUS, CORPUS]), life());
    expect(passages).toHaveLength(3);
    expect(new Set(passages.map(({ corpusId }) => corpusId))).toEqual(new Set([CORPUS, OTHER_CORPUS]));
  });

  test("no words: no passages", async () => {
    const { retriever } = await scene();
    expect((await retriever.query(question(" ?! "), life())).passages).toEqual([]);
  });

  test("rejects with unavailable where no index can answer", async () => {
    const { host, retriever } = await scene();
    await host.change({ kind: "remove-corpus", corpusId: CORPUS });
    await expect(retriever.query(question("apple"), life())).rejects.toMatchObject({ code: "unavailable" });
  });

  test("rejects with the reason of a signal, before and during the question", async () => {
    const { retriever } = await scene();
    const aborter = new AbortController();
    const pending = retriever.query(question("apple"), aborter.signal).catch((error: unknown) => error);
    aborter.abort(new Error("the caller went on"));
    const outcome = await pending;
    // The answer may have been ready already.
    if (outcome instanceof Error) expect(outcome.message).toBe("the caller went on");
    await expect(retriever.query(question("apple"), aborter.signal)).rejects.toThrow("the caller went on");
  });

  test("questions at the same time get their own answers", async () => {
    const { retriever } = await scene();
    const asked = ["red", "green", "fruit"];
    const answers = await Promise.all(asked.map((text) => retriever.query(question(text, 1), life())));
    expect(answers.map(({ passages }) => passages[0]?.text)).toEqual([
      "Apples are red.",
      "Pears are green.",
      "Apples and pears are fruit.",
    ]);
  });
});
