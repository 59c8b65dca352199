import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Libsql from "libsql";
import { systemClock } from "../../../src/core/clock.ts";
import { startService } from "../../../src/simulator/service/process.ts";
import { DELIVERY_JOB, RENDER_JOB } from "../../../src/store/job-kinds.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { CountingCaller } from "../../callers/counting-caller.ts";
import { type OracleRecord, verdict } from "../../chaos/oracle.ts";
import { PostgresServer } from "../../support/postgres/server.ts";
import { Random } from "../../support/random.ts";
import { FailingEndpoint } from "./endpoint.ts";

// Calls under kills: whole services, real databases, and an endpoint of webhooks that fails half the time.

const PROGRAM = { path: fileURLToPath(new URL("../../../dist/main.js", import.meta.url)), execArgv: [] };
const CALLS_AT_ONCE = 20;
const CALL_MS = [500, 2_000] as const;
const KILL_AFTER_MS = [300, 2_500] as const;
const RETRY_MS = 100;
/** Of so many calls one has the file of its recording looked at. */
const SAMPLED = 10;
/** Of a recording: 16-bit PCM, both sides. */
const WAV_HEAD_BYTES = 44;
const WAV_FRAME_BYTES = 4;
const SETTLE_MS_MAX = 120_000;
const FRAME_MS = 20;
const AWAITED_JOBS: readonly string[] = [DELIVERY_JOB, RENDER_JOB];
const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
  firstSpeaker: "user",
  inactivityTimeout: 300,
};

export interface CallTrialOptions {
  store: "SQLite" | "Postgres";
  calls: number;
  kills: number;
  seed: number;
}

export interface CallTrialResult extends CallTrialOptions {
  begun: number;
  controlKills: number;
  postgresKills: number;
  recorded: number;
  lost: number;
  /** Calls whose end has more than one event id or delivery. */
  doubled: number;
  undelivered: number;
  attempts: number;
  wrong: number;
  /** What the oracle of `npm run chaos` says of the calls and their records; empty for a clean run. */
  problems: readonly string[];
  tookS: number;
}

export class CallTrial {
  readonly #trial: CallTrialOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #dataDir = mkdtempSync(join(tmpdir(), "trunkline-stores-"));
  readonly #callers: CountingCaller[] = [];
  #server: PostgresServer | undefined;
  #endpoint: FailingEndpoint | undefined;
  #databaseUrl: string | undefined;
  #apiUrl = "";
  #key = "";
  #webhookId = "";
  /** By the times of their starts: the system gives pids again. */
  readonly #killedStarts = new Set<number>();
  #postgresKills = 0;
  /** When the control process or Postgres was killed, of `performance.now()`. */
  readonly #killsMs: number[] = [];
  #hasKilled = false;

  constructor(trial: CallTrialOptions, print: (line: string) => void) {
    this.#trial = trial;
    this.#random = new Random(trial.seed);
    this.#print = print;
  }

  async run(): Promise<CallTrialResult> {
    const begunMs = performance.now();
    try {
      await this.#prepare();
      const service = await startService(
        {
          program: PROGRAM,
          dataDir: this.#dataDir,
          clock: systemClock,
          env: {
            WORKERS: "1",
            DRAIN_MS: "30000",
            TOKEN_TTL_S: "5",
            WEBHOOKS_ALLOW_LOOPBACK: "true",
            ...(this.#databaseUrl !== undefined && { DATABASE_URL: this.#databaseUrl }),
          },
        },
        new AbortController().signal,
      );
      try {
        this.#apiUrl = `${service.apiUrl}/api/v1`;
        await this.#createWebhook();
        await Promise.all([this.#dial(), this.#kill()]);
        await this.#settle();
        return await this.#result((performance.now() - begunMs) / 1_000);
      } finally {
        await service.stop();
      }
    } finally {
      this.#endpoint?.close();
      await this.#server?.remove();
      rmSync(this.#dataDir, { recursive: true, force: true });
    }
  }

  get #place(): StorePlace {
    return { dataDir: this.#dataDir, databaseUrl: this.#databaseUrl };
  }

  async #prepare(): Promise<void> {
    if (this.#trial.store === "Postgres") {
      this.#server = await PostgresServer.start({ settings: { fsync: "on" } });
      this.#databaseUrl = await this.#server.createDatabase();
    }
    this.#endpoint = await FailingEndpoint.start(this.#random.fork());
    const stores = await openStores(this.#place, systemClock);
    try {
      const accountId = await stores.accounts.ensure("proof");
      this.#key = (await stores.apiKeys.create({ accountId, name: "proof" })).key;
    } finally {
      await stores.close();
    }
  }

  async #createWebhook(): Promise<void> {
    if (this.#endpoint === undefined) throw new Error("the endpoint runs");
    const { url } = this.#endpoint;
    const response = await this.#fetch("/webhooks", { url, eventTypes: ["call.created", "call.ended"] });
    if (response?.status !== 201) throw new Error(`the webhook was not created: ${await response?.text()}`);
    const { id, secret } = (await response.json()) as { id: string; secret: string };
    this.#webhookId = id;
    this.#endpoint.secret = secret;
  }

  /** Undefined while nothing answers. */
  async #fetch(path: string, body?: object): Promise<Response | undefined> {
    return await fetch(`${this.#apiUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-API-Key": this.#key, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined);
  }

  /** Calls go on until there are enough of them and the last process was killed. */
  async #dial(): Promise<void> {
    const { calls } = this.#trial;
    const line = async (): Promise<void> => {
      while (this.#begun.length < calls || !this.#hasKilled) await this.#placeCall();
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, line));
  }

  /** One call, if the service takes one now. */
  async #placeCall(): Promise<void> {
    const response = await this.#fetch("/calls", NEW_CALL);
    if (response?.status !== 201) {
      if (response !== undefined && response.status !== 503) throw new Error(`POST /calls: ${await response.text()}`);
      await delay(RETRY_MS);
      return;
    }
    const { id, websocketUrl } = (await response.json()) as { id: string; websocketUrl: string };
    const caller = new CountingCaller(id, websocketUrl, () => performance.now());
    this.#callers.push(caller);
    const lastsMs = this.#random.between(...CALL_MS);
    for (let ms = 0; ms < lastsMs && !caller.isOver; ms += FRAME_MS) {
      caller.sendFrames(1);
      await delay(FRAME_MS);
    }
    caller.hangUp();
    for (let ms = 0; ms < 5_000 && !caller.isOver; ms += RETRY_MS) await delay(RETRY_MS);
  }

  get #begun(): readonly CountingCaller[] {
    return this.#callers.filter(({ story }) => story.outcome === "hung_up" || story.outcome === "lost");
  }

  /** Each kill waits for its share of the calls to begin, so that all of them are spread over the kills. */
  async #kill(): Promise<void> {
    const { calls, kills, store } = this.#trial;
    for (let count = 0; count < kills; count += 1) {
      while (this.#begun.length < (count * calls) / kills) await delay(RETRY_MS);
      await delay(this.#random.between(...KILL_AFTER_MS));
      if (store === "Postgres" && count % 2 === 1) await this.#killPostgres();
      else await this.#killControl();
      if ((count + 1) % 10 === 0) {
        this.#print(`  ${store}: ${count + 1} of ${kills} kills, ${this.#begun.length} calls begun`);
      }
    }
    this.#hasKilled = true;
  }

  async #killPostgres(): Promise<void> {
    this.#killsMs.push(performance.now());
    await this.#server?.kill();
    this.#postgresKills += 1;
    await delay(this.#random.between(0, 1_000));
    await this.#server?.run();
  }

  async #killControl(): Promise<void> {
    for (;;) {
      const control = this.#control();
      const atMs = performance.now();
      if (control !== undefined && isKilled(control.pid)) {
        this.#killsMs.push(atMs);
        this.#killedStarts.add(control.time);
        return;
      }
      await delay(RETRY_MS);
    }
  }

  /** The control process that was started last, where it is not known to be dead. */
  #control(): { pid: number; time: number } | undefined {
    const { pid, time } =
      this.#log().findLast(({ msg, kind }) => msg === "process started" && kind === "control") ?? {};
    return pid === undefined || time === undefined || this.#killedStarts.has(time) ? undefined : { pid, time };
  }

  #log(): readonly LogLine[] {
    const lines = readFileSync(join(this.#dataDir, "service.log"), "utf8").split("\n");
    return lines.filter((line) => line.startsWith('{"')).flatMap((line) => parsed(line));
  }

  /**
   * Until every call has its record and its recording, and every event is delivered. What waits for a later attempt is made
   * due.
   */
  async #settle(): Promise<void> {
    const stores = await openStores(this.#place, systemClock);
    try {
      for (const endMs = performance.now() + SETTLE_MS_MAX; performance.now() < endMs; await delay(500)) {
        await this.#makeDue();
        // The jobs last: the record of a call makes some.
        const active = await stores.calls.listActive();
        const waiting = await stores.calls.listWaiting();
        const { counts } = await stores.jobs.statistics();
        const open = counts.filter(({ kind, status }) => AWAITED_JOBS.includes(kind) && status !== "dead");
        if (open.length === 0 && active.length === 0 && waiting.length === 0) return;
      }
    } finally {
      await stores.close();
    }
  }

  async #makeDue(): Promise<void> {
    const kinds = AWAITED_JOBS.map((kind) => `'${kind}'`).join(", ");
    const sql = `UPDATE jobs SET due_age_ms = 0 WHERE status = 'pending' AND kind IN (${kinds})`;
    if (this.#server !== undefined) {
      await this.#server.query(sql, this.#databaseUrl);
      return;
    }
    const file = new Libsql(join(this.#dataDir, "trunkline.db"));
    try {
      file.exec("PRAGMA busy_timeout = 2000");
      file.exec(sql);
    } finally {
      file.close();
    }
  }

  async #result(tookS: number): Promise<CallTrialResult> {
    let [recorded, lost, doubled, undelivered] = [0, 0, 0, 0];
    const records = await this.#records();
    for (const { story } of this.#begun) {
      const record = records.get(story.callId);
      const isRecorded = record?.status === "ended" || record?.status === "failed";
      if (isRecorded) recorded += 1;
      else lost += 1;
      const ids = this.#endpoint?.idsOf("call.ended", story.callId).size ?? 0;
      if (ids > 1 || (await this.#deliveriesOf(story.callId)) > 1) doubled += 1;
      if (ids === 0) undelivered += 1;
    }
    return {
      ...this.#trial,
      begun: this.#begun.length,
      controlKills: this.#killedStarts.size,
      postgresKills: this.#postgresKills,
      recorded,
      lost,
      doubled,
      undelivered,
      attempts: this.#endpoint?.received ?? 0,
      wrong: this.#endpoint?.wrong ?? 0,
      problems: [...this.#undecided(), ...this.#verdict(records)],
      tookS,
    };
  }

  #verdict(records: ReadonlyMap<string, OracleRecord>): string[] {
    return verdict({
      stories: this.#callers.map(({ story }) => story),
      records,
      recordedMs: recordedMs(this.#log()),
      kills: [],
      controlKillsMs: this.#killsMs,
    });
  }

  /** Streams that were neither taken nor refused. */
  #undecided(): string[] {
    const undecided = this.#callers.filter(({ story }) => story.outcome === "dialling" || story.outcome === "live");
    return undecided.map(({ story }) => `${story.callId}: its stream is still ${story.outcome}`);
  }

  /** Deliveries of a call's end to the one webhook. */
  async #deliveriesOf(callId: string): Promise<number> {
    const filters = `eventType=call.ended&callId=${callId}`;
    const response = await this.#fetch(`/webhooks/${this.#webhookId}/deliveries?${filters}`);
    return ((await response?.json()) as { data: unknown[] }).data.length;
  }

  async #records(): Promise<ReadonlyMap<string, OracleRecord>> {
    const records = new Map<string, OracleRecord>();
    for (const { story } of this.#callers) {
      const response = await this.#fetch(`/calls/${story.callId}`);
      if (response?.status !== 200) continue;
      const record = (await response.json()) as OracleRecord;
      const isSampled = records.size % SAMPLED === 0 && record.recording !== null;
      records.set(story.callId, isSampled ? { ...record, samples: await this.#samplesOf(story.callId) } : record);
    }
    return records;
  }

  /** Samples of each side in the file of a call's recording. */
  async #samplesOf(callId: string): Promise<number> {
    const file = await (await this.#fetch(`/calls/${callId}/recording`))?.arrayBuffer();
    return ((file?.byteLength ?? 0) - WAV_HEAD_BYTES) / WAV_FRAME_BYTES;
  }
}

/** False where the process is gone already. */
function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

interface LogLine {
  msg: string;
  time: number;
  kind?: string;
  pid?: number;
  callId?: string;
}

/** When the log said that a call's record was made, by call ids; of `performance.now()`. */
function recordedMs(log: readonly LogLine[]): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { msg, callId, time } of log) {
    if (msg !== "call record stored" || callId === undefined) continue;
    times.set(callId, [...(times.get(callId) ?? []), time - performance.timeOrigin]);
  }
  return times;
}

const parsed = (line: string): LogLine[] => {
  try {
    return [JSON.parse(line)];
  } catch {
    // The last line may still be written.
    return [];
  }
};
