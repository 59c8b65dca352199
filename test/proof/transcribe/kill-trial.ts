import { setTimeout as delay } from "node:timers/promises";
import type { TranscriptionId } from "../../../src/core/ids.ts";
import {
  PARTS_PENDING_MAX,
  TRANSCRIPTIONS_PER_ACCOUNT_MAX,
} from "../../../src/core/limits/transcriptions/transcriptions.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { Random } from "../../support/random.ts";
import { KilledService, type StoreName } from "../killed-service.ts";
import { FakeStt } from "./fake-stt.ts";
import { fileOf, sentences } from "./files.ts";
import { type JobEvidence, type Kill, type KillVerdict, verdictOf } from "./verdict.ts";

// Transcriptions of files while the processes of the service are killed at random times.

const PARTS_PER_JOB = 4;
/** Transcriptions that are not over at any time. */
const JOBS_AT_ONCE = 16;
const KILL_AFTER_MS = [300, 4_000] as const;
const POLL_MS = 500;
/** By then everything is over, whatever was killed last. */
const SETTLE_MS_MAX = 900_000;
/** By then the events of their ends are delivered, whatever attempt a kill has ended. */
const EVENTS_MS_MAX = 180_000;
const VICTIMS = ["control", "transcriber", "transcriber", "service"] as const;

export interface KillTrialOptions {
  store: StoreName;
  jobs: number;
  kills: number;
  seed: number;
}

export interface KillTrialResult extends KillTrialOptions {
  verdict: KillVerdict;
  tookS: number;
}

interface Item {
  id: string;
  status: string;
  result?: TranscriptionResult | null;
}

export class KillTrial {
  readonly #trial: KillTrialOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #kills: Kill[] = [];
  readonly #ids: string[] = [];
  readonly #over = new Set<string>();
  /** The words of those that are completed. */
  readonly #resultWords = new Map<TranscriptionId, readonly string[]>();

  constructor(trial: KillTrialOptions, print: (line: string) => void) {
    this.#trial = trial;
    this.#random = new Random(trial.seed);
    this.#print = print;
  }

  async run(): Promise<KillTrialResult> {
    const begunMs = performance.now();
    const fake = await FakeStt.start(this.#random.fork());
    const service = await KilledService.start(this.#trial.store, {
      STT: "openai",
      OPENAI_STT_API_KEY: "proof",
      OPENAI_STT_URL: fake.url,
      OPENAI_STT_MODEL: "proof",
    });
    try {
      await service.withStores((stores) =>
        Promise.all([this.#createAll(service, fake), this.#killAll(service, stores)]),
      );
      await this.#settle(service);
      await this.#awaitEvents(service);
      const jobs = await this.#evidence(service);
      const verdict = verdictOf({
        jobs,
        requests: fake.requests,
        kills: this.#kills,
        partsPerJob: PARTS_PER_JOB,
        partsAtOnceMax: TRANSCRIPTIONS_PER_ACCOUNT_MAX * PARTS_PENDING_MAX,
      });
      return { ...this.#trial, jobs: jobs.length, verdict, tookS: (performance.now() - begunMs) / 1_000 };
    } finally {
      await service.remove();
      fake.stop();
    }
  }

  async #createAll(service: KilledService, fake: FakeStt): Promise<void> {
    const spoken = sentences();
    const random = this.#random.fork();
    // As many as asked for, and more where the kills take longer.
    for (let n = 0; n < this.#trial.jobs || this.#kills.length < this.#trial.kills; n += 1) {
      while (this.#ids.length - this.#over.size >= JOBS_AT_ONCE) {
        await delay(POLL_MS);
        await this.#look(service);
      }
      const url = fake.serve(`file-${n}.wav`, fileOf(spoken, PARTS_PER_JOB, random));
      const { id } = await service.ask<Item>("POST", "/transcriptions", { url, language: "en" });
      this.#ids.push(id);
      if (this.#ids.length % 25 === 0)
        this.#print(`  ${this.#trial.store}: ${this.#ids.length} of ${this.#trial.jobs} files`);
    }
  }

  async #killAll(service: KilledService, stores: Stores): Promise<void> {
    const { kills, store } = this.#trial;
    while (this.#kills.length < kills) {
      await delay(this.#random.between(...KILL_AFTER_MS));
      const stored = await this.#storedParts(stores);
      const atMs = Date.now();
      const victim = this.#random.pick(VICTIMS);
      if (!service.kill(victim)) continue;
      this.#kills.push({ atMs, stored });
      // Processes are started again by their supervisor; that one is not.
      if (victim === "service") await service.run();
      if (this.#kills.length % 20 === 0) this.#print(`  ${store}: ${this.#kills.length} of ${kills} kills`);
    }
  }

  /** The words of all parts whose result is stored, or stands in the result of their transcription. */
  async #storedParts({ transcriptions }: Stores): Promise<ReadonlySet<string>> {
    const stored: string[] = [];
    for (const id of this.#ids as TranscriptionId[]) {
      let words = this.#resultWords.get(id);
      if (words === undefined) {
        const parts = await transcriptions.parts(id);
        stored.push(...parts.flatMap(({ outcome }) => outcome?.words ?? []).map(({ text }) => text));
        const over = await transcriptions.find(id);
        if (over?.status !== "completed") continue;
        words = (await transcriptions.result(over.accountId, id))?.words.map(({ text }) => text) ?? [];
        this.#resultWords.set(id, words);
      }
      stored.push(...words);
    }
    return new Set(stored);
  }

  async #settle(service: KilledService): Promise<void> {
    const endMs = performance.now() + SETTLE_MS_MAX;
    while (this.#over.size < this.#ids.length && performance.now() < endMs) {
      await delay(POLL_MS);
      await this.#look(service);
    }
  }

  /** An event that was not delivered at once is sent again. */
  async #awaitEvents(service: KilledService): Promise<void> {
    const endMs = performance.now() + EVENTS_MS_MAX;
    const lacksEvent = (id: string): boolean => eventIdsOf(service.deliveries, id).length === 0;
    while (this.#ids.some(lacksEvent) && performance.now() < endMs) await delay(POLL_MS);
  }

  /** Notes which are over: those that are in neither list of others. */
  async #look(service: KilledService): Promise<void> {
    const known = [...this.#ids];
    const waiting = new Set<string>();
    for (const status of ["queued", "processing"]) {
      const { data } = await service.ask<{ data: Item[] }>("GET", `/transcriptions?status=${status}&limit=100`);
      for (const { id } of data) waiting.add(id);
    }
    for (const id of known) if (!waiting.has(id)) this.#over.add(id);
  }

  async #evidence(service: KilledService): Promise<JobEvidence[]> {
    const jobs: JobEvidence[] = [];
    for (const id of this.#ids) {
      const { status, result } = await service.ask<Item>("GET", `/transcriptions/${id}`);
      const words = result?.words.map(({ text }) => text) ?? [];
      jobs.push({ id, status, words, parts: result?.parts ?? [], eventIds: eventIdsOf(service.deliveries, id) });
    }
    return jobs;
  }
}

/** The ids of the events of its end that were delivered about a transcription. */
const eventIdsOf = (deliveries: KilledService["deliveries"], id: string): string[] =>
  deliveries.flatMap(({ id: eventId, body }) => {
    const { data } = JSON.parse(body) as { data?: { transcription?: { id?: string } } };
    return data?.transcription?.id === id ? [eventId] : [];
  });
