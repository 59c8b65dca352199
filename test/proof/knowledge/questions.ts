import { setTimeout as delay } from "node:timers/promises";
import { spokenQuestions } from "../../../bench/retrieval/spoken-corpus.ts";
import type { BenchService } from "../../../bench/rig/service.ts";
import { type InterferenceResult, measureInterference, type OtherWork } from "../interference.ts";
import { type AskedService, ask, corpusIn } from "./spoken-corpora.ts";

const FULL = { documents: 400 };
const REDUCED = { documents: 4 };
/** More than the process that finds passages answers at a time. */
const AT_ONCE = 8;
/** They are asked again from the first when all were. */
const QUESTIONS = 2_000;
/** No limit of requests holds a client back. */
const REQUESTS_PER_MINUTE = "100000";

/** What live calls notice of questions to a corpus, as many as are answered. */
export async function measureQuestionInterference(options: {
  reduced: boolean;
  seed: number;
  print: (line: string) => void;
}): Promise<InterferenceResult> {
  const { reduced, seed, print } = options;
  const { documents } = reduced ? REDUCED : FULL;
  const makeWork = async ({ apiUrl, keys: [, key = ""] }: BenchService): Promise<OtherWork> => {
    const service = { apiUrl, keys: [key] } as const;
    print(`  ${documents} documents are uploaded`);
    const { corpusId } = await corpusIn(service, documents);
    return new Questions(service, corpusId, seed);
  };
  const env = { API_KEY_REQUESTS_PER_MINUTE: REQUESTS_PER_MINUTE, ACCOUNT_REQUESTS_PER_MINUTE: REQUESTS_PER_MINUTE };
  return await measureInterference({ reduced, print, makeWork, env, work: "questions" });
}

/** Questions of twelve words to the corpus of one account, several at a time. */
class Questions implements OtherWork {
  readonly #service: AskedService;
  readonly #corpusId: string;
  readonly #questions: readonly string[];
  #isOver = true;
  /** Resolves when none is asked any more, with what went wrong. */
  #asking: Promise<Error | undefined> = Promise.resolve(undefined);
  #asked = 0;
  /** Those that were answered with passages. */
  taken = 0;

  constructor(service: AskedService, corpusId: string, seed: number) {
    this.#service = service;
    this.#corpusId = corpusId;
    this.#questions = spokenQuestions(QUESTIONS, seed);
  }

  async fill(): Promise<void> {
    this.#isOver = false;
    const lines = Array.from({ length: AT_ONCE }, () => this.#askOneAfterTheOther());
    this.#asking = Promise.all(lines).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
  }

  async keepFull(seconds: number): Promise<void> {
    await delay(seconds * 1_000);
  }

  /** Rejects where a question was not answered. */
  async clear(): Promise<void> {
    this.#isOver = true;
    const error = await this.#asking;
    if (error !== undefined) throw error;
  }

  async #askOneAfterTheOther(): Promise<void> {
    while (!this.#isOver) {
      const text = this.#questions[this.#asked % QUESTIONS] ?? "";
      this.#asked += 1;
      const path = `/corpora/${this.#corpusId}/query`;
      const { passages } = await ask<{ passages: readonly object[] }>(this.#service, "POST", path, 200, { text });
      if (passages.length === 0) throw new Error(`no passages were found for ${text}`);
      this.taken += 1;
    }
  }
}
