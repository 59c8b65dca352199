import { setTimeout as delay } from "node:timers/promises";
import { type BenchService, sendRequest } from "../../../bench/rig/service.ts";
import { pdfFile } from "../../support/knowledge/pdf-files.ts";
import { type InterferenceResult, measureInterference, type OtherWork } from "../interference.ts";

/** Not yet over at any time of a loaded round: four are read, two of each account. */
const DOCUMENTS = 12;
const PAGES = 20;
const LINES_PER_PAGE = 40;
const POLL_MS = 200;

/** What live calls notice of PDFs that are read and indexed. */
export const measureIngestionInterference = (options: {
  reduced: boolean;
  print: (line: string) => void;
}): Promise<InterferenceResult> =>
  measureInterference({ ...options, makeWork: (service) => new FullCorpora(service, pdf()), work: "PDFs" });

const pdf = (): Buffer =>
  pdfFile(
    Array.from({ length: PAGES }, (_page, page) =>
      Array.from({ length: LINES_PER_PAGE }, (_line, line) => ({
        text: `Page ${page}: the seal of pump ${page * LINES_PER_PAGE + line} lasts for ${line} months of water at ${page} degrees.`,
      })),
    ),
  );

interface Corpus {
  key: string;
  id: string;
  /** Documents that are not over. */
  open: Set<string>;
}

/** A corpus of each of two accounts, into which documents are uploaded faster than they are read. */
class FullCorpora implements OtherWork {
  readonly #service: BenchService;
  readonly #content: Buffer;
  #corpora: readonly Corpus[] = [];
  taken = 0;

  constructor(service: BenchService, content: Buffer) {
    this.#service = service;
    this.#content = content;
  }

  async fill(): Promise<void> {
    if (this.#corpora.length === 0) await this.#create();
    for (const corpus of this.#corpora) {
      while (corpus.open.size < DOCUMENTS / this.#corpora.length) await this.#upload(corpus);
    }
  }

  async keepFull(seconds: number): Promise<void> {
    const endMs = performance.now() + seconds * 1_000;
    while (performance.now() < endMs) {
      await delay(POLL_MS);
      for (const corpus of this.#corpora) await this.#forgetThoseOver(corpus);
      await this.fill();
    }
  }

  async clear(): Promise<void> {
    for (const { key, id } of this.#corpora) {
      await sendRequest({ ...this.#service, key }, "DELETE", `/api/v1/corpora/${id}`, 204);
    }
    this.#corpora = [];
  }

  async #create(): Promise<void> {
    const [, ...keys] = this.#service.keys;
    const corpora: Corpus[] = [];
    for (const key of keys) {
      const body = JSON.stringify({ name: "Pumps" });
      const answer = await sendRequest({ ...this.#service, key }, "POST", "/api/v1/corpora", 201, body);
      corpora.push({ key, id: (JSON.parse(answer.toString()) as { id: string }).id, open: new Set() });
    }
    this.#corpora = corpora;
  }

  async #upload({ key, id, open }: Corpus): Promise<void> {
    this.taken += 1;
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(this.#content)]), `pumps-${this.taken}.pdf`);
    const url = `${this.#service.apiUrl}/api/v1/corpora/${id}/documents`;
    const response = await fetch(url, { method: "POST", headers: { "X-API-Key": key }, body: form });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST /corpora/${id}/documents: ${response.status} ${text}`);
    open.add((JSON.parse(text) as { id: string }).id);
  }

  async #forgetThoseOver({ key, id, open }: Corpus): Promise<void> {
    for (const documentId of open) {
      const path = `/api/v1/corpora/${id}/documents/${documentId}`;
      const { status } = JSON.parse((await sendRequest({ ...this.#service, key }, "GET", path, 200)).toString()) as {
        status: string;
      };
      if (status === "ready" || status === "failed") open.delete(documentId);
    }
  }
}
