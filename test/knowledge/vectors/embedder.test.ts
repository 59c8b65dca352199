import { describe, expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { EMBEDDING_RETRY_DELAYS_MS, QUESTION_EMBEDDING_MS_MAX } from "../../../src/core/limits/knowledge/retrieval.ts";
import type { Embeddings } from "../../../src/knowledge/vectors/embeddings.ts";
import { quantized } from "../../../src/knowledge/vectors/quantized.ts";
import { addition, CORPUS, document, indexHost, question } from "../../support/knowledge/indexes.ts";
import { eventually } from "../../support/providers/stt/stt-kit.ts";

/** What a text is about, by words that the questions do not have: no ranking by words could find them. */
const SUBJECTS = [/engine|motor/i, /tyre|wheel/i, /battery|accumulator/i];
const vectorOf = (text: string) => quantized(SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0.01)));

class ScriptedEmbeddings implements Embeddings {
  readonly model: string;
  readonly asked: (readonly string[])[] = [];
  failures = 0;
  isHanging = false;
  /** The next answer waits for it. */
  gate: Promise<void> | undefined;

  constructor(model = "small") {
    this.model = model;
  }

  async embed(texts: readonly string[], signal: AbortSignal) {
    this.asked.push(texts);
    if (this.failures > 0) {
      this.failures -= 1;
      throw providerFailed("embeddings", "planned");
    }
    const { gate } = this;
    this.gate = undefined;
    await gate;
    if (this.isHanging) {
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    }
    return texts.map(vectorOf);
  }
}

const TEXTS = ["The motor needs oil.", "Wheels are changed in winter.", "An accumulator lasts five years."];

async function scene(embeddings = new ScriptedEmbeddings()) {
  const batches: number[] = [];
  const rankings: string[] = [];
  const index = indexHost({
    embeddings,
    onEmbedded: (vectors) => batches.push(vectors),
    onRanked: (by) => rankings.push(by),
  });
  await index.host.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" });
  const texts = async (text: string, max = 1): Promise<string[]> =>
    (await index.host.retriever.query(question(text, max), new AbortController().signal)).passages.map(
      (one) => one.text,
    );
  return { ...index, embeddings, batches, rankings, texts };
}

describe("passages are found by their meaning", () => {
  test("once their vectors are made; until then words rank", async () => {
    const { host, batches, texts, rankings } = await scene();
    await host.change(addition(1, TEXTS));
    await eventually(() => batches.length === 1).toBe(true);
    await texts("tyre");
    await eventually(async () => (await texts("tyre"))[0] === TEXTS[1]).toBe(true);
    expect(await texts("battery")).toEqual([TEXTS[2]]);
    expect(rankings.every((by) => by === "words_and_vectors")).toBe(true);
    expect(host.vectorBytes).toBeGreaterThan(0);
  });

  test("a request that fails is sent again after a while, and what is done stays done", async () => {
    const embeddings = new ScriptedEmbeddings();
    embeddings.failures = 1;
    const { host, clock, batches } = await scene(embeddings);
    await host.change(addition(1, TEXTS));
    await eventually(() => batches.length === 1).toBe(true);
    expect(batches).toEqual([0]);
    await clock.play(EMBEDDING_RETRY_DELAYS_MS[0] ?? 0);
    await eventually(() => batches.length === 2).toBe(true);
    expect(batches).toEqual([0, 3]);
  });

  test("after too many failures it waits for a change", async () => {
    const embeddings = new ScriptedEmbeddings();
    embeddings.failures = 1_000;
    const { host, clock, batches } = await scene(embeddings);
    await host.change(addition(1, TEXTS));
    for (const delayMs of EMBEDDING_RETRY_DELAYS_MS) await clock.play(delayMs);
    const attempts = EMBEDDING_RETRY_DELAYS_MS.length + 1;
    await eventually(() => batches.length === attempts).toBe(true);
    await clock.play(3_600_000);
    expect(batches).toHaveLength(attempts);
    embeddings.failures = 0;
    await host.change(addition(2, ["A new text."]));
    await eventually(() => batches.length > attempts).toBe(true);
    expect(batches.at(-1)).toBe(4);
  });

  test("a question whose vector does not come in time is answered by words, and counted", async () => {
    const embeddings = new ScriptedEmbeddings();
    const { host, clock, batches, rankings } = await scene(embeddings);
    await host.change(addition(1, TEXTS));
    await eventually(() => batches.length === 1).toBe(true);
    embeddings.isHanging = true;
    const answer = host.retriever.query(question("oil"), new AbortController().signal);
    await clock.play(QUESTION_EMBEDDING_MS_MAX);
    expect((await answer).passages).toMatchObject([{ text: TEXTS[0] }]);
    expect(rankings).toEqual(["words_without_embedding"]);
  });

  test("a corpus that is removed during a question gives no passages", async () => {
    const embeddings = new ScriptedEmbeddings();
    const { host, clock, batches } = await scene(embeddings);
    await host.change(addition(1, TEXTS));
    await eventually(() => batches.length === 1).toBe(true);
    embeddings.isHanging = true;
    const answer = host.retriever.query(question("oil"), new AbortController().signal);
    await host.change({ kind: "remove-corpus", corpusId: CORPUS });
    await clock.play(QUESTION_EMBEDDING_MS_MAX);
    expect((await answer).passages).toEqual([]);
  });

  test("vectors that are under way when the file is made again do not come to other chunks", async () => {
    const embeddings = new ScriptedEmbeddings();
    let release = (): void => {};
    embeddings.gate = new Promise((resolve) => {
      release = resolve;
    });
    const { host, batches, texts } = await scene(embeddings);
    await host.change(addition(1, TEXTS));
    await host.change({ kind: "remove-corpus", corpusId: CORPUS });
    await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" });
    await host.change(addition(1, [...TEXTS].reverse()));
    release();
    await eventually(() => batches.length === 1).toBe(true);
    await eventually(async () => (await texts("battery"))[0] === TEXTS[2]).toBe(true);
    expect(embeddings.asked.slice(0, 2)).toEqual([TEXTS, [...TEXTS].reverse()]);
  });

  test("a question that is asked again is embedded once", async () => {
    const { host, embeddings, batches, texts } = await scene();
    await host.change(addition(1, TEXTS));
    await eventually(() => batches.length === 1).toBe(true);
    await texts("oil");
    await texts("oil");
    expect(embeddings.asked).toHaveLength(2);
  });

  test("vectors of a removed document are gone, and those of another model are made again", async () => {
    const { host, batches, folder, writer, texts } = await scene();
    await host.change(addition(1, TEXTS));
    await host.change(addition(2, ["An accumulator of lead."]));
    await eventually(() => batches.reduce((sum, count) => sum + count, 0) === 4).toBe(true);
    await host.change({ kind: "remove-document", corpusId: CORPUS, documentId: document(1).id });
    await eventually(async () => (await texts("battery", 9)).length === 1).toBe(true);
    expect(await texts("battery", 9)).toEqual(["An accumulator of lead."]);
    host.close();
    const other: number[] = [];
    const next = indexHost({
      folder,
      changer: { change: async (change) => writer.change(change) },
      embeddings: new ScriptedEmbeddings("large"),
      onEmbedded: (vectors) => other.push(vectors),
    });
    next.host.start();
    await eventually(() => other.length === 1).toBe(true);
    expect(other).toEqual([1]);
    next.host.close();
  });
});
