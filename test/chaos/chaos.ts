import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ChildModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { SupervisorFile } from "../../src/process/supervisor/state-file.ts";
import { startService } from "../../src/simulator/service/process.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../src/store/stores.ts";
import { type CallerStory, CountingCaller } from "../callers/counting-caller.ts";
import { type Evidence, type Kill, type OracleRecord, recoveriesMs, verdict } from "./oracle.ts";

export interface ChaosOptions {
  /** The service's `main` module. */
  program: ChildModule;
  dataDir: string;
  /** Live calls at any time. */
  calls: number;
  workers: number;
  kills: number;
  /** Kills of the control process, after those of workers: no live call may notice, and no record may be missing. */
  controlKills: number;
  /** Kills of the renderer, after those of workers: no record or recording may be missing. */
  rendererKills: number;
  /** Rolls, each of which replaces every worker, after the kills. */
  rolls: number;
  /** Between two kills, or rolls, at least: the next one waits until every place has its worker again. */
  everyMs: number;
  /** The longest that a call lasts, unless its worker dies. */
  callMsMax: number;
  /** One call in so many has its transcript and its recording's file looked at. */
  sampled: number;
  say: (line: string) => void;
}

export interface ChaosResult {
  begun: number;
  hungUp: number;
  lost: number;
  /** Streams that were not taken, by what the callers saw: an HTTP status, or an error of the connection. */
  refused: Readonly<Record<string, number>>;
  /** Creations that were put off with 503. */
  overloaded: number;
  framesSent: number;
  framesReceived: number;
  /** From the kill to the record of each lost call, and from the death of each worker to the next; sorted. */
  recoveriesMs: number[];
  restartsMs: number[];
  /** The greatest lateness of this process's own ticks, which shows stalls of the machine. */
  ownLatenessMs: number;
  problems: string[];
}

/** Speaks for a second or two, then listens; or only listens. */
const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  greeting: "Good day, this is the bakery.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
  inactivityTimeout: 300,
};
/** One agent in so many speaks: with all of them it would be the voice that a busy machine fails first. */
const SPEAKING_EVERY = 5;
const CALL_MS_MIN = 1_000;
/** Callers dial one after the other: voices are made for each. */
const DIAL_MS = 25;
const RETRY_MS = 200;
/** A machine may hold us up for longer than a caller may be held up. */
const LATE_MS_MAX = 500;
/** The last records, and tokens that were never redeemed. */
const SETTLE_MS_MAX = 20_000;
const UP_MS_MAX = 40_000;
const ACCOUNT = "chaos";
const WAV_HEAD_BYTES = 44;
/** Two sides of 16 bits. */
const WAV_FRAME_BYTES = 4;

interface LogLine {
  time: number;
  msg: string;
  callId?: string;
  kind?: string;
  pid?: number;
}

/** Starts the service, keeps calls alive, kills workers, and says what is wrong with what is left. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { dataDir, workers, program } = options;
  const env = { WORKERS: String(workers), DRAIN_MS: "60000", TOKEN_TTL_S: "5", CALLS_PER_WORKER: "1000" };
  const service = await startService({ program, dataDir, clock: systemClock, env }, new AbortController().signal);
  try {
    const stores = await openSqliteStores(dataDir, systemClock);
    try {
      const accountId = await stores.accounts.ensure(ACCOUNT);
      const { key } = await stores.apiKeys.create({ accountId, name: ACCOUNT });
      return await new Chaos(options, `${service.apiUrl}/api/v1`, key, stores).run();
    } finally {
      await stores.close();
    }
  } finally {
    await service.stop();
  }
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #stores: Stores;
  readonly #callers: CountingCaller[] = [];
  readonly #kills: Kill[] = [];
  readonly #controlKillsMs: number[] = [];
  readonly #controlPids: number[] = [];
  #live: { caller: CountingCaller; untilMs: number }[] = [];
  #overloaded = 0;
  #ownLatenessMs = 0;
  #running = true;

  constructor(options: ChaosOptions, baseUrl: string, key: string, stores: Stores) {
    this.#options = options;
    this.#baseUrl = baseUrl;
    this.#key = key;
    this.#stores = stores;
  }

  async run(): Promise<ChaosResult> {
    const working = Promise.all([this.#tick(), this.#dial()]);
    try {
      // Whichever fails first is what is wrong.
      await Promise.race([this.#strike(), working]);
    } finally {
      this.#running = false;
      await working.catch(() => {});
    }
    for (const { caller } of this.#live) caller.hangUp();
    await this.#until("the last connection to close", () => this.#callers.every(({ isOver }) => isOver));
    await this.#until("the last call to end", async () => (await this.#stores.calls.listActive()).length === 0);
    return await this.#result();
  }

  async #strike(): Promise<void> {
    const { kills, controlKills, rendererKills, rolls, everyMs, calls, say } = this.#options;
    await this.#until("all calls to live", () => this.#live.length >= calls);
    for (let count = 1; count <= kills; count += 1) {
      await delay(everyMs);
      await this.#kill();
      say(`kill ${count} of ${kills}: ${this.#live.length} calls live, ${this.#count("lost")} lost until now`);
    }
    for (let count = 1; count <= controlKills; count += 1) {
      await delay(everyMs);
      await this.#killControl();
      say(`control process killed ${count} of ${controlKills}: ${this.#live.length} calls live`);
    }
    for (let count = 1; count <= rendererKills; count += 1) {
      await delay(everyMs);
      await this.#killRenderer();
      say(`renderer killed ${count} of ${rendererKills}: ${this.#count("hung_up")} calls hung up until now`);
    }
    for (let count = 1; count <= rolls; count += 1) {
      await delay(everyMs);
      await this.#roll();
      say(`roll ${count} of ${rolls}: ${this.#callers.length} calls until now, ${this.#count("refused")} refused`);
    }
    await delay(everyMs);
    await this.#allUp();
  }

  /** Every call is due each 20 ms; the calls are spread over four slots. */
  async #tick(): Promise<void> {
    const slotMs = FRAME_MS / 4;
    let dueMs = performance.now();
    for (let slot = 0; this.#running; slot = (slot + 1) % 4) {
      dueMs += slotMs;
      await delay(Math.max(0, dueMs - performance.now()));
      const lateMs = performance.now() - dueMs;
      this.#ownLatenessMs = Math.max(this.#ownLatenessMs, lateMs);
      // What we could not say in time is not said: all at once it would be a flood, and the service would be right to end it.
      if (lateMs > LATE_MS_MAX) dueMs += lateMs;
      for (let at = slot; at < this.#live.length; at += 4) this.#live[at]?.caller.sendFrames(1);
      if (slot === 0) this.#tidy();
    }
  }

  #tidy(): void {
    const nowMs = performance.now();
    for (const { caller, untilMs } of this.#live) if (nowMs >= untilMs) caller.hangUp();
    this.#live = this.#live.filter(({ caller }) => ["dialling", "live"].includes(caller.story.outcome));
  }

  async #dial(): Promise<void> {
    while (this.#running) {
      if (this.#live.length >= this.#options.calls) {
        await delay(DIAL_MS);
        continue;
      }
      const call = await this.#create();
      if (call === undefined) {
        await delay(RETRY_MS);
        continue;
      }
      const lastsMs = CALL_MS_MIN + Math.random() * (this.#options.callMsMax - CALL_MS_MIN);
      const caller = new CountingCaller(call.id, call.websocketUrl, () => performance.now());
      this.#callers.push(caller);
      this.#live.push({ caller, untilMs: performance.now() + lastsMs });
      await delay(DIAL_MS);
    }
  }

  /** Undefined while no calls are taken. */
  async #create(): Promise<{ id: string; websocketUrl: string } | undefined> {
    const firstSpeaker = this.#callers.length % SPEAKING_EVERY === 0 ? "agent" : "user";
    const response = await this.#fetch("/calls", { ...NEW_CALL, firstSpeaker }).catch(() => undefined);
    if (response?.status === 201) return (await response.json()) as { id: string; websocketUrl: string };
    // Its answer died with the control process.
    if (response === undefined && this.#controlKillsMs.length === 0) throw new Error("the API cannot be reached");
    const said = await response?.text().catch(() => "");
    if (response !== undefined && response.status !== 503)
      throw new Error(`a call was not created: ${response.status} ${said}`);
    this.#overloaded += 1;
    return undefined;
  }

  #fetch(path: string, body?: object): Promise<Response> {
    const headers = { "X-API-Key": this.#key, ...(body !== undefined && { "Content-Type": "application/json" }) };
    return fetch(`${this.#baseUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async #kill(): Promise<void> {
    const pids = await this.#allUp();
    // Each in turn, the older one first.
    const [pid] = pids;
    if (pid === undefined) throw new Error("there is no worker");
    const active = await this.#stores.calls.listActive();
    const workers = new Map(active.map((call) => [call.id, call.workerId]));
    this.#kills.push({ pid, atMs: performance.now(), workers });
    process.kill(pid, "SIGKILL");
  }

  async #killControl(): Promise<void> {
    const [pid] = await this.#allUp("control", 1, this.#controlPids.at(-1));
    if (pid === undefined) throw new Error("there is no control process");
    await this.#until("new calls to be taken", async () => {
      const answer = await fetch(new URL("/readyz", this.#baseUrl)).catch(() => undefined);
      return answer?.ok === true;
    });
    this.#controlPids.push(pid);
    this.#controlKillsMs.push(performance.now());
    process.kill(pid, "SIGKILL");
  }

  async #killRenderer(): Promise<void> {
    let pid: number | undefined;
    await this.#until("a renderer to be up", () => {
      const of = (msg: string): number[] =>
        this.#log().flatMap((line) => (line.msg === msg && line.pid !== undefined ? [line.pid] : []));
      const dead = of("renderer died");
      // One whose control process was killed died without a line.
      pid = of("renderer started").findLast((one) => !dead.includes(one));
      return pid !== undefined;
    });
    process.kill(pid ?? 0, "SIGKILL");
  }

  async #roll(): Promise<void> {
    await this.#allUp();
    const ended = (): number => this.#log().filter(({ msg }) => msg === "worker roll finished").length;
    const before = ended();
    process.kill(new SupervisorFile(this.#options.dataDir).read()?.pid ?? 0, "SIGHUP");
    await this.#until("the roll to end", () => ended() > before);
  }

  /** Waits until every place has its process, by default every worker's; returns their process ids, the oldest first. */
  async #allUp(
    child = "worker",
    count = this.#options.workers,
    justKilled = this.#kills.at(-1)?.pid,
  ): Promise<number[]> {
    let pids: number[] = [];
    await this.#until(`every ${child} process to be up`, () => {
      const pidsOf = (msg: string): (number | undefined)[] =>
        this.#log()
          .filter((line) => line.msg === msg && line.kind === child)
          .map(({ pid }) => pid);
      const dead = new Set([...pidsOf("process died"), ...pidsOf("process replaced")]);
      pids = pidsOf("process started").filter((pid): pid is number => pid !== undefined && !dead.has(pid));
      return pids.length === count && !pids.includes(justKilled ?? 0);
    });
    return pids;
  }

  #log(): LogLine[] {
    const text = readFileSync(join(this.#options.dataDir, "service.log"), "utf8");
    const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
    return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as LogLine);
  }

  #count(outcome: string): number {
    return this.#callers.filter(({ story }) => story.outcome === outcome).length;
  }

  async #until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (const endMs = performance.now() + UP_MS_MAX + SETTLE_MS_MAX; !(await holds()); await delay(RETRY_MS)) {
      if (performance.now() > endMs) throw new Error(`waited in vain for ${what}`);
    }
  }

  async #result(): Promise<ChaosResult> {
    const log = this.#log();
    const epochMs = performance.timeOrigin;
    const recordedMs = new Map<string, number[]>();
    for (const { msg, callId, time } of log) {
      if (msg !== "call record stored" || callId === undefined) continue;
      recordedMs.set(callId, [...(recordedMs.get(callId) ?? []), time - epochMs]);
    }
    const stories = this.#callers.map(({ story }) => story);
    const records = new Map<string, OracleRecord>();
    for (const [index, { callId, outcome }] of stories.entries()) {
      const isSampled = index % this.#options.sampled === 0 && (outcome === "lost" || outcome === "hung_up");
      records.set(callId, await this.#record(callId, isSampled));
    }
    const evidence: Evidence = {
      stories,
      records,
      recordedMs,
      kills: this.#kills,
      controlKillsMs: this.#controlKillsMs,
    };
    return {
      begun: this.#count("hung_up") + this.#count("lost"),
      hungUp: this.#count("hung_up"),
      lost: this.#count("lost"),
      refused: refusals(stories),
      overloaded: this.#overloaded,
      framesSent: stories.reduce((sum, { sent }) => sum + sent, 0),
      framesReceived: stories.reduce((sum, { received }) => sum + received, 0),
      recoveriesMs: recoveriesMs(evidence).sort((a, b) => a - b),
      restartsMs: restartsMs(log).sort((a, b) => a - b),
      ownLatenessMs: this.#ownLatenessMs,
      problems: verdict(evidence),
    };
  }

  async #record(callId: string, isSampled: boolean): Promise<OracleRecord> {
    const record = (await (await this.#fetch(`/calls/${callId}`)).json()) as OracleRecord;
    if (!isSampled || record.recording === null) return record;
    const { data } = (await (await this.#fetch(`/calls/${callId}/transcript`)).json()) as { data: unknown[] };
    const { byteLength } = await (await this.#fetch(`/calls/${callId}/recording`)).arrayBuffer();
    // A call that was lost before its agent had been heard has nothing to say.
    const turns = record.counters !== null && record.counters.framesOut > 50 ? data.length : undefined;
    return { ...record, turns, samples: (byteLength - WAV_HEAD_BYTES) / WAV_FRAME_BYTES };
  }
}

function refusals(stories: readonly CallerStory[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome, why } of stories) if (outcome === "refused") counts[why] = (counts[why] ?? 0) + 1;
  return counts;
}

/** From the death of each worker until there were as many as before; ms. */
function restartsMs(log: readonly LogLine[]): number[] {
  const ofWorkers = log.filter(({ kind }) => kind === "worker");
  return ofWorkers.flatMap(({ msg, time }, at) => {
    const next =
      msg === "process died" ? ofWorkers.slice(at).find((line) => line.msg === "process started") : undefined;
    return next === undefined ? [] : [next.time - time];
  });
}
