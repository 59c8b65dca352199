import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BenchService, sendRequest } from "../../../bench/rig/service.ts";
import { type InterferenceResult, measureInterference, type OtherWork } from "../interference.ts";

/** Not yet over at any time of a loaded round: three are transcribed, two of each account. */
const FILES = 6;
const POLL_MS = 500;

/** What live calls notice of files that are transcribed. `file` is the content of each of the files. */
export async function measureBatchInterference(
  file: Buffer,
  options: { reduced: boolean; print: (line: string) => void },
): Promise<InterferenceResult> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-files-"));
  const path = join(folder, "file.wav");
  writeFileSync(path, file);
  try {
    return await measureInterference({
      ...options,
      makeWork: (service) => new FullQueue(service, path),
      work: "files",
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files of two accounts, of which some are always waiting. */
class FullQueue implements OtherWork {
  readonly #service: BenchService;
  readonly #path: string;
  #open: { id: string; key: string }[] = [];
  taken = 0;

  constructor(service: BenchService, path: string) {
    this.#service = service;
    this.#path = path;
  }

  async fill(): Promise<void> {
    while (this.#open.length < FILES) this.#open.push(await this.#upload());
  }

  async keepFull(seconds: number): Promise<void> {
    const endMs = performance.now() + seconds * 1_000;
    while (performance.now() < endMs) {
      await delay(POLL_MS);
      const isOpen = await Promise.all(this.#open.map((file) => this.#isOpen(file)));
      this.#open = this.#open.filter((_, index) => isOpen[index]);
      await this.fill();
    }
  }

  async clear(): Promise<void> {
    for (const { id, key } of this.#open.splice(0)) {
      await sendRequest({ ...this.#service, key }, "POST", `/api/v1/transcriptions/${id}/cancel`, 200, "{}");
    }
  }

  async #upload(): Promise<{ id: string; key: string }> {
    const [, ...keys] = this.#service.keys;
    const key = keys[this.taken % keys.length] as string;
    this.taken += 1;
    const form = new FormData();
    form.append("language", "en");
    form.append("file", await openAsBlob(this.#path), "file.wav");
    const url = `${this.#service.apiUrl}/api/v1/transcriptions`;
    const response = await fetch(url, { method: "POST", headers: { "X-API-Key": key }, body: form });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST /transcriptions: ${response.status} ${text}`);
    return { id: (JSON.parse(text) as { id: string }).id, key };
  }

  async #isOpen({ id, key }: { id: string; key: string }): Promise<boolean> {
    const answer = await sendRequest({ ...this.#service, key }, "GET", `/api/v1/transcriptions/${id}`, 200);
    const { status } = JSON.parse(answer.toString()) as { status: string };
    return status === "queued" || status === "processing";
  }
}
