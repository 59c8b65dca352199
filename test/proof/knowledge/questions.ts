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
  #lines: readonly Promise<void>[] = [];
  taken = 0;

  constructor(service: AskedService, corpusId: string, seed: number) {
    this.#service = service;
    this.#corpusId = corpusId;
    this.#questions = spokenQuestions(QUESTIONS, seed);
  }

  async fill(): Promise<void> {
    this.#isOver = false;
    this.#lines = Array.from({ length: AT_ONCE }, () => this.#askOneAfterTheOther());
  }

  /** Rejects where a question is not answered. */
  async keepFull(seconds: number): Promise<void> {
    const over = new Promise<void>((resolve) => setTimeout(resolve, seconds * 1_000));
    await Promise.race([over, Promise.all(this.#lines)]);
  }

  async clear(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#lines);
  }

  async #askOneAfterTheOther(): Promise<void> {
    while (!this.#isOver) {
      const text = this.#questions[this.taken % QUESTIONS] ?? "";
      this.taken += 1;
      await ask(this.#service, "POST", `/corpora/${this.#corpusId}/query`, 200, { text });
    }
  }
}
