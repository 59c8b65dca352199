import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ChildModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { BYTES_PER_MB } from "../../src/core/limits/storage/storage.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { SupervisorFile } from "../../src/process/supervisor/state-file.ts";
import { type RunningService, startService } from "../../src/simulator/service/process.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { CountingCaller } from "../callers/counting-caller.ts";

/** What becomes of the calls that are live while something happens to the disk or the supervisor. */
export interface AccidentResult {
  /** Why it could not be tried; then there is nothing else. */
  skipped?: string;
  figures: readonly (readonly [name: string, value: number])[];
  problems: readonly string[];
}

export interface AccidentOptions {
  program: ChildModule;
  /** Live calls. */
  calls: number;
}

const ACCOUNT = "chaos";
const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
  firstSpeaker: "user",
  inactivityTimeout: 300,
};
const POLL_MS = 50;
const WAIT_MS_MAX = 30_000;
const TALK_MS = 2_000;
/** A machine that does other things makes the last frames late. */
const DURATION_TOLERANCE_MS = 1_500;
const DISK_MB = 64;
const DISK_FREE_MIN_MB = 24;
const FILLER_BYTES = BYTES_PER_MB;
const LAST_FILLER_BYTES = 4_096;

interface Answer {
  status: number;
  body: { id?: string; websocketUrl?: string; error?: { code: string } };
}

interface CallRecord {
  status: string;
  endReason: string | null;
  durationMs: number | null;
  counters: { framesIn: number } | null;
}

/** A running service, and callers who send 50 frames a second until they hang up. */
class Scene {
  readonly problems: string[] = [];
  readonly dataDir: string;
  readonly #options: AccidentOptions;
  readonly #env: Readonly<Record<string, string>>;
  readonly #callers: { caller: CountingCaller; beganMs: number; lastedMs: number }[] = [];
  readonly #logFolder = mkdtempSync(join(tmpdir(), "trunkline-chaos-log-"));
  #service: RunningService | undefined;
  #key = "";
  #ticking = true;

  constructor(options: AccidentOptions, dataDir: string, env: Readonly<Record<string, string>> = {}) {
    this.#options = options;
    this.dataDir = dataDir;
    this.#env = { WORKERS: "1", DRAIN_MS: "60000", DATA_DIR: dataDir, ...env };
  }

  /** Starts the service, or another one on the same directory. Its log stands beside the directory. */
  async start(): Promise<void> {
    const { program } = this.#options;
    const options = { program, dataDir: this.#logFolder, clock: systemClock, env: this.#env };
    this.#service = await startService(options, new AbortController().signal);
  }

  async makeKey(): Promise<void> {
    const stores = await openSqliteStores(this.dataDir, systemClock);
    const accountId = await stores.accounts.ensure(ACCOUNT);
    this.#key = (await stores.apiKeys.create({ accountId, name: ACCOUNT })).key;
    await stores.close();
  }

  async stop(): Promise<void> {
    this.#ticking = false;
    await this.#service?.stop();
    if (this.problems.length === 0) rmSync(this.#logFolder, { recursive: true });
    else console.log(`the service's log is in ${this.#logFolder}`);
  }

  async ask(path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#service?.apiUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-API-Key": this.#key, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }

  /** Places a call, as soon as one is taken. */
  async call(): Promise<void> {
    const { body } = await this.until("a call to be taken", async () => {
      const answer = await this.ask("/api/v1/calls", NEW_CALL);
      return answer.status === 201 && answer;
    });
    const caller = new CountingCaller(body.id ?? "", body.websocketUrl ?? "", () => performance.now());
    this.#callers.push({ caller, beganMs: performance.now(), lastedMs: Number.NaN });
  }

  async callAll(): Promise<void> {
    for (let call = 0; call < this.#options.calls; call += 1) await this.call();
    void this.#talk();
    await this.until("all streams to be open", () =>
      this.#callers.every(({ caller }) => caller.story.outcome === "live"),
    );
    await delay(TALK_MS);
  }

  async #talk(): Promise<void> {
    for (let dueMs = performance.now(); this.#ticking; dueMs += FRAME_MS) {
      await delay(Math.max(0, dueMs - performance.now()));
      for (const { caller } of this.#callers) caller.sendFrames(1);
    }
  }

  /** All callers hang up; a caller that had lost its connection before is a problem. */
  hangUp(): void {
    for (const entry of this.#callers) {
      const { story } = entry.caller;
      if (story.outcome !== "live") this.problems.push(`${story.callId}: its caller was cut off (${story.outcome})`);
      entry.lastedMs = performance.now() - entry.beganMs;
      entry.caller.hangUp();
    }
  }

  /** Waits until the record of every call is there, and says what is wrong with it. */
  async checkRecords(): Promise<void> {
    for (const { caller, lastedMs } of this.#callers) {
      const { callId, sent } = caller.story;
      const record = await this.until(`the record of ${callId}`, async () => {
        const answer = (await this.ask(`/api/v1/calls/${callId}`)).body as unknown as CallRecord;
        return answer.status !== "active" && answer;
      });
      const { endReason, durationMs, counters } = record;
      if (endReason !== "caller_hangup") this.problems.push(`${callId}: ended with ${endReason}`);
      if (counters?.framesIn !== sent) this.problems.push(`${callId}: ${counters?.framesIn} of ${sent} frames counted`);
      if (Math.abs((durationMs ?? 0) - lastedMs) > DURATION_TOLERANCE_MS) {
        this.problems.push(`${callId}: lasted ${durationMs} ms by its record, ${Math.round(lastedMs)} by its caller`);
      }
    }
  }

  /** Milliseconds until new calls are refused with this code, by `/readyz` and by `POST /calls`. */
  async refusedWith(code: string): Promise<number> {
    const sinceMs = performance.now();
    await this.until(`${code} of /readyz`, async () => (await this.ask("/readyz")).body.error?.code === code);
    const { status, body } = await this.ask("/api/v1/calls", NEW_CALL);
    if (status !== 503 || body.error?.code !== code) this.problems.push(`a new call got ${status} ${body.error?.code}`);
    return performance.now() - sinceMs;
  }

  /** Milliseconds until new calls are taken. */
  async ready(): Promise<number> {
    const sinceMs = performance.now();
    await this.until("/readyz", async () => (await this.ask("/readyz")).status === 200);
    return performance.now() - sinceMs;
  }

  async until<T>(what: string, ask: () => T | false | Promise<T | false>): Promise<T> {
    for (const endMs = performance.now() + WAIT_MS_MAX; ; await delay(POLL_MS)) {
      const answer = await ask();
      if (answer !== false) return answer;
      if (performance.now() > endMs) throw new Error(`waited in vain for ${what}`);
    }
  }
}

async function played(scene: Scene, play: () => Promise<AccidentResult["figures"]>): Promise<AccidentResult> {
  try {
    await scene.start();
    await scene.makeKey();
    const figures = await play();
    return { figures, problems: scene.problems };
  } finally {
    await scene.stop();
  }
}

/** ADV-M4: the disk fills under live calls, which hang up while it is full; then somebody makes room. */
export async function fullDisk(options: AccidentOptions): Promise<AccidentResult> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", dataDir], { stdio: "ignore" });
  } catch {
    rmSync(dataDir, { recursive: true });
    return { skipped: "a small disk needs root and the right to mount", figures: [], problems: [] };
  }
  const scene = new Scene(options, dataDir, { DISK_FREE_MIN_MB: String(DISK_FREE_MIN_MB) });
  const filler = join(dataDir, "filler");
  try {
    return await played(scene, async () => {
      mkdirSync(filler);
      await scene.callAll();
      fill(filler, (DISK_FREE_MIN_MB - 4) * BYTES_PER_MB);
      const refusedMs = await scene.refusedWith("insufficient_storage");
      fill(filler, 0);
      await delay(TALK_MS);
      scene.hangUp();
      await delay(TALK_MS);
      rmSync(filler, { recursive: true });
      const readyMs = await scene.ready();
      await scene.checkRecords();
      return [
        ["low disk to new calls refused, ms", refusedMs],
        ["room to new calls taken, ms", readyMs],
      ] as const;
    });
  } finally {
    execFileSync("umount", ["-l", dataDir]);
    rmSync(dataDir, { recursive: true });
  }
}

/** Writes files until so little is free, or until the disk is full. */
function fill(folder: string, freeBytes: number): void {
  for (let bytes = FILLER_BYTES, file = 0; ; file += 1) {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize <= freeBytes) return;
    try {
      writeFileSync(join(folder, `${freeBytes}-${file}`), new Uint8Array(bytes));
    } catch {
      // What it had room for is written. The last pages take smaller files.
      if (bytes === LAST_FILLER_BYTES) return;
      bytes = LAST_FILLER_BYTES;
    }
  }
}

/** ADV-L5: the supervisor is killed alone under live calls, and the service is started again at once. */
export async function killedSupervisor(options: AccidentOptions): Promise<AccidentResult> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-killed-supervisor-"));
  // The next service listens where the workers of the one before did.
  const scene = new Scene(options, dataDir, { MEDIA_PORT: String(await freePort()) });
  const result = await played(scene, async () => {
    await scene.callAll();
    const pid = new SupervisorFile(scene.dataDir).read()?.pid;
    if (pid === undefined) throw new Error("the supervisor cannot be found");
    const sinceMs = performance.now();
    process.kill(pid, "SIGKILL");
    for (;;) {
      try {
        await scene.start();
        break;
      } catch (error) {
        // As a service manager does.
        if (performance.now() - sinceMs > 2 * WAIT_MS_MAX) throw error;
      }
    }
    await scene.ready();
    const readyMs = performance.now() - sinceMs;
    await scene.call();
    const callMs = performance.now() - sinceMs;
    await delay(TALK_MS);
    scene.hangUp();
    await scene.checkRecords();
    return [
      ["SIGKILL to /readyz 200, ms", readyMs],
      ["SIGKILL to a new call, ms", callMs],
    ] as const;
  });
  rmSync(scene.dataDir, { recursive: true });
  return result;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** ADV-L7: the database's files are moved away under live calls, which hang up meanwhile, and are put back. */
export async function removedDatabase(options: AccidentOptions): Promise<AccidentResult> {
  const scene = new Scene(options, mkdtempSync(join(tmpdir(), "trunkline-removed-database-")));
  const names = ["trunkline.db", "trunkline.db-wal", "trunkline.db-shm"];
  const result = await played(scene, async () => {
    await scene.callAll();
    const aside = join(scene.dataDir, "aside");
    mkdirSync(aside);
    for (const name of names) renameSync(join(scene.dataDir, name), join(aside, name));
    const refusedMs = await scene.refusedWith("database_lost");
    scene.hangUp();
    await delay(TALK_MS);
    for (const name of names) renameSync(join(aside, name), join(scene.dataDir, name));
    const readyMs = await scene.ready();
    await scene.checkRecords();
    return [
      ["removal to new calls refused, ms", refusedMs],
      ["files back to new calls taken, ms", readyMs],
    ] as const;
  });
  rmSync(scene.dataDir, { recursive: true });
  return result;
}

export const ACCIDENTS = { "ADV-M4": fullDisk, "ADV-L5": killedSupervisor, "ADV-L7": removedDatabase } as const;
