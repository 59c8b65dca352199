import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ChildModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { startService } from "../../src/simulator/service/process.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { ServiceApi } from "../attack/service-api.ts";
import { CountingCaller } from "../callers/counting-caller.ts";
import type { AccidentOptions, AccidentResult } from "./accidents.ts";

export interface ClockStepOptions {
  /** The service's `main` module. */
  program: ChildModule;
  dataDir: string;
  say: (line: string) => void;
}

const TOKEN_TTL_S = 10;
const CALLS = 6;
const RECOVERED_MS_MAX = 10_000;
const UP_MS_MAX = 60_000;
const LOOK_MS = 100;
const ACCOUNT = "chaos";

/** `runClockStep` as one of the accidents, where faketime is installed. */
export async function steppedClock({ program }: AccidentOptions): Promise<AccidentResult> {
  const library = faketimeLibrary();
  if (library === undefined) {
    return { skipped: "libfaketime is not installed (apt-get install faketime)", figures: [], problems: [] };
  }
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-clock-step-"));
  const problems = await runClockStep({ program, dataDir, say: (line) => console.log(line) }, library);
  if (problems.length === 0) rmSync(dataDir, { recursive: true, force: true });
  else console.log(`what is left of it is in ${dataDir}`);
  return { figures: [["calls", 2 * CALLS]], problems };
}

/** The library of Debian's package `faketime`, which moves the wall clock of a process and leaves CLOCK_MONOTONIC alone. */
export function faketimeLibrary(): string | undefined {
  const folder = "/usr/lib";
  if (!existsSync(folder)) return undefined;
  const paths = readdirSync(folder).map((name) => join(folder, name, "faketime", "libfaketimeMT.so.1"));
  return paths.find((path) => existsSync(path));
}

/**
 * Moves the wall clock of the whole service back by an hour, then kills its workers, and its control process with one of them: every
 * call has its record within RECOVERED_MS_MAX, a token from before the step is good no longer than it was to be, and new calls are
 * taken. Resolves with what was wrong.
 */
export async function runClockStep({ program, dataDir, say }: ClockStepOptions, library: string): Promise<string[]> {
  const clockFile = `${dataDir}.clock`;
  writeFileSync(clockFile, "+0\n");
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    WORKERS: "2",
    TOKEN_TTL_S: String(TOKEN_TTL_S),
  };
  const service = await startService({ program, dataDir, clock: systemClock, env }, new AbortController().signal);
  try {
    const stores = await openSqliteStores(dataDir, systemClock);
    const accountId = await stores.accounts.ensure(ACCOUNT);
    const { key } = await stores.apiKeys.create({ accountId, name: ACCOUNT });
    await stores.close();
    const run = new ClockStep(new ServiceApi(service.apiUrl, key), dataDir, say);
    return await run.run(() => writeFileSync(clockFile, "-1h\n"));
  } finally {
    await service.stop();
  }
}

class ClockStep {
  readonly #api: ServiceApi;
  readonly #dataDir: string;
  readonly #say: (line: string) => void;
  readonly #problems: string[] = [];

  constructor(api: ServiceApi, dataDir: string, say: (line: string) => void) {
    this.#api = api;
    this.#dataDir = dataDir;
    this.#say = say;
  }

  async run(stepBack: () => void): Promise<string[]> {
    const lost = await this.#live(CALLS);
    const waiting = await this.#created();
    const madeMs = performance.now();
    stepBack();
    for (const pid of this.#pids("worker")) process.kill(pid, "SIGKILL");
    await this.#recovered("the workers were killed", lost);
    await this.#up();
    await delay(Math.max(0, TOKEN_TTL_S * 1_000 - (performance.now() - madeMs)));
    if ((await this.#dial(waiting)) === "live") this.#problems.push("a token was good for longer than TOKEN_TTL_S");
    await this.#ends(waiting.id, "token_expired");

    const second = await this.#live(CALLS);
    const [worker] = this.#pids("worker");
    const [control] = this.#pids("control");
    const kept = await this.#created();
    if (worker === undefined || control === undefined) throw new Error("a process is missing");
    process.kill(control, "SIGKILL");
    process.kill(worker, "SIGKILL");
    await this.#up();
    if ((await this.#dial(kept)) !== "live") this.#problems.push("a restart of the control process lost a token");
    const broken = second.filter(({ caller }) => caller.story.outcome === "lost");
    this.#say(`${broken.length} of ${second.length} calls were lost with one worker and the control process`);
    await this.#recovered("a worker and the control process were killed", broken);
    for (const { caller } of second) caller.hangUp();
    for (const { id } of second) await this.#ends(id);
    return this.#problems;
  }

  /** Calls whose streams are open. */
  async #live(count: number): Promise<{ id: string; caller: CountingCaller }[]> {
    const calls = await this.#api.createAll(count, () => ({ firstSpeaker: "user" }));
    const callers = calls.map(({ id, websocketUrl }) => ({
      id,
      caller: new CountingCaller(id, websocketUrl, () => performance.now()),
    }));
    await until("the streams to open", () => callers.every(({ caller }) => caller.story.outcome !== "dialling"));
    const refused = callers.filter(({ caller }) => caller.story.outcome !== "live");
    if (refused.length > 0) this.#problems.push(`${refused.length} streams were not taken`);
    return callers;
  }

  async #created(): Promise<{ id: string; websocketUrl: string }> {
    const [call] = await this.#api.createAll(1, () => ({ firstSpeaker: "user" }));
    if (call === undefined) throw new Error("no call was created");
    return call;
  }

  /** How a stream ended up; one that was taken is ended. */
  async #dial({ id, websocketUrl }: { id: string; websocketUrl: string }): Promise<string> {
    const caller = new CountingCaller(id, websocketUrl, () => performance.now());
    await until("an answer", () => caller.story.outcome !== "dialling");
    const { outcome } = caller.story;
    caller.hangUp();
    return outcome;
  }

  async #recovered(when: string, calls: readonly { id: string }[]): Promise<void> {
    const sinceMs = performance.now();
    for (const { id } of calls) await this.#ends(id, "worker_lost");
    this.#say(`${when}: ${calls.length} records within ${Math.round(performance.now() - sinceMs)} ms`);
  }

  async #ends(id: string, endReason?: string): Promise<void> {
    const record = await this.#api.ended(id, RECOVERED_MS_MAX);
    if (["created", "active"].includes(record.status)) this.#problems.push(`${id} is still ${record.status}`);
    else if (endReason !== undefined && record.endReason !== endReason) {
      this.#problems.push(`${id} ended with ${record.endReason}, not ${endReason}`);
    }
  }

  /** Waits until every place has its process again, and the API answers. */
  #up(): Promise<void> {
    return until("the processes to be up", async () => {
      if (this.#pids("worker").length < 2 || this.#pids("control").length < 1) return false;
      return await fetch(`${this.#api.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }

  /** Of the processes that live, as the log tells. */
  #pids(kind: "worker" | "control"): number[] {
    const text = readFileSync(join(this.#dataDir, "service.log"), "utf8");
    const lines = text.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; kind?: string; pid?: number });
    const pidsOf = (msg: string): number[] =>
      logged.flatMap((line) => (line.msg === msg && line.kind === kind && line.pid !== undefined ? [line.pid] : []));
    const dead = new Set(pidsOf("process died"));
    return pidsOf("process started").filter((pid) => !dead.has(pid));
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + UP_MS_MAX; !(await holds()); await delay(LOOK_MS)) {
    if (performance.now() > endMs) throw new Error(`waited in vain for ${what}`);
  }
}
