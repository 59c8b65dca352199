import { setTimeout as delay } from "node:timers/promises";
import { asCorpusId, asDocumentId } from "../../../src/core/ids.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { Random } from "../../support/random.ts";
import { KilledService, type StoreName } from "../killed-service.ts";
import { documentOf, type SentDocument } from "./documents.ts";
import { type DocumentEvidence, type KillVerdict, verdictOf } from "./verdict.ts";

// Documents that are processed while the processes of the service are killed at random times.

/** Documents that are not over at any time. */
const AT_ONCE = 40;
const KILL_AFTER_MS = [200, 3_000] as const;
const POLL_MS = 500;
/** By then everything is over, whatever was killed last. */
const SETTLE_MS_MAX = 900_000;
/** By then the events of their ends are delivered, whatever attempt a kill has ended. */
const EVENTS_MS_MAX = 180_000;
/** By then the index has all that is ready: after a failure it is tried again within a minute. */
const INDEXED_MS_MAX = 180_000;
const VICTIMS = ["control", "ingester", "ingester", "retrieval", "service"] as const;
const CHUNKS_PER_READ = 500;

export interface KillTrialOptions {
  store: StoreName;
  /** At least so many. */
  documents: number;
  kills: number;
  seed: number;
}

export interface KillTrialResult extends KillTrialOptions {
  verdict: KillVerdict;
  /** How many were really killed. */
  killed: number;
  tookS: number;
}

interface Item {
  id: string;
  status: string;
  failure: { code: string } | null;
  chunks: number | null;
}

export class KillTrial {
  readonly #trial: KillTrialOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #sent = new Map<string, SentDocument>();
  #kills = 0;
  #open = 0;
  #corpusId = "";

  constructor(trial: KillTrialOptions, print: (line: string) => void) {
    this.#trial = trial;
    this.#random = new Random(trial.seed);
    this.#print = print;
  }

  async run(): Promise<KillTrialResult> {
    const begunMs = performance.now();
    const service = await KilledService.start(this.#trial.store, {});
    try {
      const { id } = await service.ask<{ id: string }>("POST", "/corpora", { name: "Pumps" });
      this.#corpusId = id;
      await Promise.all([this.#createAll(service), this.#killAll(service)]);
      await this.#settle(service);
      await this.#awaitEvents(service);
      const listed = await this.#listed(service);
      const found = await this.#found(service);
      const documents = await service.withStores((stores) => this.#evidence(stores, { listed, found }, service));
      const verdict = verdictOf(documents, [...this.#sent.keys()], [...listed.keys()]);
      return {
        ...this.#trial,
        documents: this.#sent.size,
        verdict,
        killed: this.#kills,
        tookS: (performance.now() - begunMs) / 1_000,
      };
    } finally {
      await service.remove();
    }
  }

  async #createAll(service: KilledService): Promise<void> {
    const { documents, store } = this.#trial;
    const random = this.#random.fork();
    // More where they are processed before all kills have happened.
    for (let n = 0; n < documents || this.#kills < this.#trial.kills; n += 1) {
      while (this.#open >= AT_ONCE) {
        await delay(POLL_MS);
        await this.#look(service);
      }
      const sent = documentOf(n, random);
      const path = `/corpora/${this.#corpusId}/documents`;
      const { id } = await service.sendFile<Item>(path, sent.name, sent.content);
      this.#sent.set(id, sent);
      this.#open += 1;
      if (this.#sent.size % 100 === 0) this.#print(`  ${store}: ${this.#sent.size} of ${documents} documents`);
    }
  }

  async #killAll(service: KilledService): Promise<void> {
    const { kills, store } = this.#trial;
    while (this.#kills < kills) {
      await delay(this.#random.between(...KILL_AFTER_MS));
      const victim = this.#random.pick(VICTIMS);
      if (!service.kill(victim)) continue;
      this.#kills += 1;
      // Processes are started again by their supervisor; that one is not.
      if (victim === "service") await service.run();
      if (this.#kills % 20 === 0) this.#print(`  ${store}: ${this.#kills} of ${kills} kills`);
    }
  }

  async #settle(service: KilledService): Promise<void> {
    const endMs = performance.now() + SETTLE_MS_MAX;
    do {
      await delay(POLL_MS);
      await this.#look(service);
    } while (this.#open > 0 && performance.now() < endMs);
  }

  async #look(service: KilledService): Promise<void> {
    const { documents } = await service.ask<{ documents: { processing: number } }>("GET", `/corpora/${this.#corpusId}`);
    this.#open = documents.processing;
  }

  /** An event that was not delivered at once is sent again. */
  async #awaitEvents(service: KilledService): Promise<void> {
    const endMs = performance.now() + EVENTS_MS_MAX;
    while (performance.now() < endMs) {
      const events = eventsOf(service.deliveries);
      if ([...this.#sent.keys()].every((id) => events.has(id))) return;
      await delay(POLL_MS);
    }
  }

  async #listed(service: KilledService): Promise<ReadonlyMap<string, Item>> {
    const items = new Map<string, Item>();
    let query = "limit=100";
    for (;;) {
      const path = `/corpora/${this.#corpusId}/documents?${query}`;
      const { data, nextCursor } = await service.ask<{ data: Item[]; nextCursor: string | null }>("GET", path);
      for (const item of data) items.set(item.id, item);
      if (nextCursor === null) return items;
      query = `limit=100&cursor=${encodeURIComponent(nextCursor)}`;
    }
  }

  /** The ids of the documents that a question finds, by the word that the question is. */
  async #found(service: KilledService): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    const endMs = performance.now() + INDEXED_MS_MAX;
    for (const [id, { word, failure }] of this.#sent) {
      let ids = await this.#ask(service, word);
      while (failure === undefined && !ids.includes(id) && performance.now() < endMs) {
        await delay(POLL_MS);
        ids = await this.#ask(service, word);
      }
      found.set(word, ids);
    }
    return found;
  }

  async #ask(service: KilledService, text: string): Promise<readonly string[]> {
    const path = `/corpora/${this.#corpusId}/query`;
    const { passages } = await service.ask<{ passages: { documentId: string }[] }>("POST", path, { text });
    return passages.map(({ documentId }) => documentId);
  }

  async #evidence(
    { corpora }: Pick<Stores, "corpora">,
    { listed, found }: { listed: ReadonlyMap<string, Item>; found: ReadonlyMap<string, readonly string[]> },
    { deliveries }: KilledService,
  ): Promise<DocumentEvidence[]> {
    const versions = new Map(
      (await corpora.indexable(asCorpusId(this.#corpusId))).map(({ id, version }) => [id, version]),
    );
    const events = eventsOf(deliveries);
    const evidence: DocumentEvidence[] = [];
    for (const { id, status, failure, chunks } of listed.values()) {
      const { word = "", failure: expectedFailure } = this.#sent.get(id) ?? {};
      const version = versions.get(asDocumentId(id));
      const stored = version === undefined ? [] : await corpora.chunks(asDocumentId(id), version, 0, CHUNKS_PER_READ);
      evidence.push({
        id,
        status,
        failure: failure?.code,
        expectedFailure,
        places: stored.filter(({ text }) => text.includes(word)).length,
        chunks: chunks ?? 0,
        storedChunks: stored.length,
        foundIds: found.get(word) ?? [],
        eventIds: events.get(id) ?? [],
      });
    }
    return evidence;
  }
}

/** The ids of the events of their ends that were delivered, by document. */
function eventsOf(deliveries: KilledService["deliveries"]): ReadonlyMap<string, readonly string[]> {
  const events = new Map<string, string[]>();
  for (const { id: eventId, body } of deliveries) {
    const { data } = JSON.parse(body) as { data?: { document?: { id?: string } } };
    const id = data?.document?.id;
    if (id !== undefined) events.set(id, [...(events.get(id) ?? []), eventId]);
  }
  return events;
}
