import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Libsql from "libsql";
import { systemClock } from "../../../src/core/clock.ts";
import { startService } from "../../../src/simulator/service/process.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { CountingCaller } from "../../callers/counting-caller.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { Random } from "../../support/random.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { FailingEndpoint } from "./endpoint.ts";

// The stores under kills: whole services, real databases, and an endpoint of webhooks that fails half the time.

const PROGRAM = { path: fileURLToPath(new URL("../../../dist/main.js", import.meta.url)), execArgv: [] };
const FULL = { calls: 1_000, kills: 200 };
const REDUCED = { calls: 60, kills: 8 };
const CALLS_AT_ONCE = 20;
const CALL_MS = [500, 2_000] as const;
const KILL_EVERY_MS = [300, 2_500] as const;
const RETRY_MS = 100;
const SETTLE_MS_MAX = 120_000;
const FRAME_MS = 20;
const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
  firstSpeaker: "user",
  inactivityTimeout: 300,
};

interface Trial {
  store: "SQLite" | "Postgres";
  calls: number;
  kills: number;
  seed: number;
}

interface TrialResult extends Trial {
  begun: number;
  controlKills: number;
  postgresKills: number;
  recorded: number;
  lost: number;
  /** Calls whose end has more than one event id. */
  doubled: number;
  undelivered: number;
  attempts: number;
  wrong: number;
  tookS: number;
}

/** 1,000 calls on each store while processes are killed. Writes the section "proof -- stores" of bench/RESULTS.md. */
export async function proveStores(proof: Proof): Promise<void> {
  const { reduced, checks } = proof;
  const size = reduced ? REDUCED : FULL;
  const results: TrialResult[] = [];
  for (const store of ["SQLite", "Postgres"] as const) {
    if (store === "Postgres" && !hasPostgres) {
      checks.skipped("Postgres: calls under kills", "PostgreSQL is not installed", 1);
      continue;
    }
    const result = await new StoreTrial({ store, ...size, seed: 1 }, checks.print).run();
    results.push(result);
    const { begun, recorded, lost, doubled, undelivered, wrong } = result;
    const seen = `${begun} begun, ${recorded} recorded, ${lost} lost, ${doubled} doubled, ${undelivered} undelivered, ${wrong} wrong`;
    const isRight = recorded === begun && lost + doubled + undelivered + wrong === 0 && begun >= size.calls;
    checks.check(
      `${store}: ${begun} calls under ${result.controlKills + result.postgresKills} kills: records lost 0, doubled 0; one call.ended id for each, delivered`,
      isRight ? "" : seen,
    );
  }
  await writeSection(proof, "Stores", "stores", table(results));
}

class StoreTrial {
  readonly #trial: Trial;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #dataDir = mkdtempSync(join(tmpdir(), "trunkline-stores-"));
  readonly #callers: CountingCaller[] = [];
  #server: PostgresServer | undefined;
  #endpoint: FailingEndpoint | undefined;
  #databaseUrl: string | undefined;
  #apiUrl = "";
  #key = "";
  #controlKills = 0;
  #postgresKills = 0;
  #isOver = false;

  constructor(trial: Trial, print: (line: string) => void) {
    this.#trial = trial;
    this.#random = new Random(trial.seed);
    this.#print = print;
  }

  async run(): Promise<TrialResult> {
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
    this.#endpoint.secret = ((await response.json()) as { secret: string }).secret;
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

  async #dial(): Promise<void> {
    const { calls } = this.#trial;
    const line = async (): Promise<void> => {
      while (this.#begun.length < calls) await this.#placeCall();
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, line));
    this.#isOver = true;
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

  async #kill(): Promise<void> {
    const { kills, store } = this.#trial;
    for (let count = 0; count < kills && !this.#isOver; count += 1) {
      await delay(this.#random.between(...KILL_EVERY_MS));
      if (store === "Postgres" && count % 2 === 1) await this.#killPostgres();
      else await this.#killControl();
      if ((count + 1) % 10 === 0) {
        this.#print(`  ${store}: ${count + 1} of ${kills} kills, ${this.#begun.length} calls begun`);
      }
    }
  }

  async #killPostgres(): Promise<void> {
    await this.#server?.kill();
    this.#postgresKills += 1;
    await delay(this.#random.between(0, 1_000));
    await this.#server?.run();
  }

  async #killControl(): Promise<void> {
    const pid = this.#controlPid();
    if (pid === undefined) return;
    process.kill(pid, "SIGKILL");
    this.#controlKills += 1;
  }

  /** The last control process that was started and has not died. */
  #controlPid(): number | undefined {
    const lines = readFileSync(join(this.#dataDir, "service.log"), "utf8").split("\n");
    const log = lines.filter((line) => line.startsWith('{"')).flatMap((line) => parsed(line));
    const dead = new Set(log.filter(({ msg }) => msg === "process died").map(({ pid }) => pid));
    return log.findLast(({ msg, kind, pid }) => msg === "process started" && kind === "control" && !dead.has(pid))?.pid;
  }

  /** Until every call has its record and every event is delivered. What waits for a later attempt is made due. */
  async #settle(): Promise<void> {
    const stores = await openStores(this.#place, systemClock);
    try {
      for (const endMs = performance.now() + SETTLE_MS_MAX; performance.now() < endMs; await delay(500)) {
        await this.#makeDue();
        const { counts } = await stores.jobs.statistics();
        const open = counts.filter(({ kind, status }) => kind === "webhook.deliver" && status !== "dead");
        const active = await stores.calls.listActive();
        const waiting = await stores.calls.listWaiting();
        if (open.length === 0 && active.length === 0 && waiting.length === 0) return;
      }
    } finally {
      await stores.close();
    }
  }

  async #makeDue(): Promise<void> {
    const sql = "UPDATE jobs SET due_age_ms = 0 WHERE status = 'pending' AND kind = 'webhook.deliver'";
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

  async #result(tookS: number): Promise<TrialResult> {
    let [recorded, lost, doubled, undelivered] = [0, 0, 0, 0];
    for (const { story } of this.#begun) {
      const record = (await (await this.#fetch(`/calls/${story.callId}`))?.json()) as { status?: string } | undefined;
      const isRecorded = record?.status === "ended" || record?.status === "failed";
      if (isRecorded) recorded += 1;
      else lost += 1;
      const ids = this.#endpoint?.idsOf("call.ended", story.callId).size ?? 0;
      if (ids > 1) doubled += 1;
      if (ids === 0) undelivered += 1;
    }
    return {
      ...this.#trial,
      begun: this.#begun.length,
      controlKills: this.#controlKills,
      postgresKills: this.#postgresKills,
      recorded,
      lost,
      doubled,
      undelivered,
      attempts: this.#endpoint?.received ?? 0,
      wrong: this.#endpoint?.wrong ?? 0,
      tookS,
    };
  }
}

const parsed = (line: string): { msg: string; kind?: string; pid?: number }[] => {
  try {
    return [JSON.parse(line)];
  } catch {
    // The last line may still be written.
    return [];
  }
};

function table(results: readonly TrialResult[]): string {
  const headings = [
    ...["store", "seed", "calls begun", "control process killed", "Postgres killed", "records lost"],
    ...["events doubled", "call.ended undelivered", "attempts", "s"],
  ];
  const rows = results.map((result) => [
    ...[result.store, result.seed, result.begun, result.controlKills, result.postgresKills, result.lost],
    ...[result.doubled, result.undelivered, result.attempts, Math.round(result.tookS)],
  ]);
  const lines = [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [
    "Calls over a carrier's stream while processes are killed at random times; an endpoint of webhooks fails half the time,",
    "and accepts a part of what it fails. After the kills, deliveries that wait for a later attempt are made due at once.",
    "",
    ...lines,
  ].join("\n");
}
