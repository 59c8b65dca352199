import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll } from "vitest";
import { TrunklineClient } from "#client";
import type { CallCost, ProviderUsage } from "../../../src/core/billing/prices.ts";
import type { LatencySummary } from "../../../src/core/calls/latency.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import type { ServiceReady } from "../../../src/core/child-processes/service-ready.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { addMs } from "../../../src/core/clocks.ts";
import type { AccountId, CallId } from "../../../src/core/ids.ts";
import { transcriptOf } from "../../../src/simulator/service/api-calls.ts";
import { openStores } from "../../../src/store/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { newDatabase } from "../postgres/new-database.ts";
import { builtProgram } from "./build.ts";

const READY_MS_MAX = 90_000;
const POLL_MS = 10;
const TAKEN_MS_MAX = 20_000;
const WARNINGS_SHOWN = 5;
/** The account of the API key that every service gets. */
const ACCOUNT = "end-to-end";
/** A server of Postgres on which services are in place of SQLite, each in a database of its own: `npm run proof` sets it. */
const POSTGRES_URL = process.env.SERVICES_POSTGRES_URL;
/** The databases of such services, by their data directories. */
const databases = new Map<string, string>();

/** The least that makes a call with the reference pair; the LLM answers from the prompt. */
export const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
  selectedTools: [{ toolName: "hang_up" }],
};

export interface ServiceOptions {
  /** The path of its `main` module; by default that of the build. */
  main?: string;
  /** A directory of an earlier service of the same test file, to start again on; otherwise one is made. */
  dataDir?: string;
  /** Beside, or instead of, the reference pair on free ports. */
  env?: Readonly<Record<string, string>>;
  /** How many descriptors each of its processes may have; by default as many as this one. Needs `prlimit` of util-linux. */
  descriptors?: number;
}

/** A call as `GET /calls/{id}` shows it, as far as the tests look. */
export interface CallItem {
  id: string;
  status: string;
  configuration: { recordingEnabled: boolean };
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
  endReason: string | null;
  transcriptComplete: boolean | null;
  recording: { channels: number; sampleRateHz: number; durationMs: number; complete: boolean } | null;
  counters: Record<string, number> | null;
  latency: LatencySummary | null;
  usage: ProviderUsage[] | null;
  cost: CallCost | null;
}

/** An answer of the API, or of the media server to plain HTTP. */
export interface HttpAnswer<T = unknown> {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** The parsed JSON; undefined for anything else. */
  body: T;
}

/** A line of the service's log. */
export interface LogLine {
  level: string;
  process: string;
  msg: string;
  callId?: string;
  kind?: string;
  pid?: number;
  [field: string]: unknown;
}

const directories = new Set<string>();
const groups = new Set<number>();

// What a test file leaves, in particular a failed one, is removed with it.
afterAll(() => {
  for (const groupId of groups) signalGroup(groupId, "SIGKILL");
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});

/** The `main` module as a process of its own, in a process group of its own: whether or not it ever gets ready. */
export class ServiceProcess {
  readonly dataDir: string;
  /** Resolves with the supervisor's exit code; null when it was killed. */
  readonly exited: Promise<number | null>;
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;

  constructor({ main = builtProgram("main"), dataDir, env, descriptors }: ServiceOptions = {}) {
    this.dataDir = dataDir ?? mkdtempSync(join(tmpdir(), "trunkline-service-"));
    directories.add(this.dataDir);
    this.#child = fork(main, [], {
      ...(descriptors === undefined
        ? { execArgv: [] }
        : { execPath: "prlimit", execArgv: [`--nofile=${descriptors}`, process.execPath] }),
      env: {
        API_PORT: "0",
        MEDIA_PORT: "0",
        METRICS_PORT: "0",
        DATA_DIR: this.dataDir,
        STT: "reference",
        TTS: "reference",
        ESPEAK_PROCESSES: "1",
        TMPDIR: tmpdir(),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    groups.add(this.groupId);
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.exited = new Promise((resolve) => {
      this.#child.once("exit", (code) => resolve(code));
    });
  }

  /** The supervisor's process id, which is that of the group too. */
  get groupId(): number {
    return this.#child.pid as number;
  }

  /** The addresses, once the service says that it takes calls. Rejects with what it wrote when it ends before that. */
  ready(): Promise<ServiceReady> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`the service ${why}:\n${this.stdout}\n${this.stderr}`));
      const cancel = systemClock.after(READY_MS_MAX, () => fail("was not ready in time"));
      this.#child.once("message", (message: ServiceReady) => {
        cancel();
        resolve(message);
      });
      void this.exited.then((code) => {
        cancel();
        fail(`ended with ${code}`);
      });
    });
  }

  /** All whole lines of the log until now. */
  get log(): LogLine[] {
    return this.stdout
      .slice(0, this.stdout.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** Sends a signal to the supervisor alone. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Process ids of everything of the service that lives. */
  living(): number[] {
    return livingOf(this.groupId);
  }

  /** Ends supervisor, control process, worker and voice programs at once, as `kill -9` of them all does. */
  async kill(): Promise<void> {
    signalGroup(this.groupId, "SIGKILL");
    await this.exited;
    await until("nothing of the service to live", 5_000, () => this.living().length === 0);
  }
}

/** The whole service, running, with an API key. */
export class Service {
  readonly process: ServiceProcess;
  readonly apiUrl: string;
  readonly mediaUrl: string;
  readonly dataDir: string;
  readonly apiKey: string;
  readonly client: TrunklineClient;

  private constructor(process: ServiceProcess, { apiUrl, mediaUrl }: ServiceReady, apiKey: string) {
    this.process = process;
    this.apiUrl = apiUrl;
    this.mediaUrl = mediaUrl;
    this.dataDir = process.dataDir;
    this.apiKey = apiKey;
    this.client = new TrunklineClient({ baseUrl: apiUrl, apiKey });
  }

  /** Starts it; `apiKey` is one of an earlier service on the same directory. */
  static async start({ apiKey, ...options }: ServiceOptions & { apiKey?: string } = {}): Promise<Service> {
    const process = new ServiceProcess(await onPostgres(options));
    const ready = await process.ready();
    const service = new Service(process, ready, apiKey ?? (await withStores(process.dataDir, makeApiKey)));
    // The message may overtake the log, which tells the process ids.
    await until("the log to tell that it is ready", 5_000, () => service.logged("service ready").length > 0);
    return service;
  }

  /** A request with the API key; `path` follows the base path. */
  async api<T>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<HttpAnswer<T>> {
    return await this.fetch<T>(method, `/api/v1${path}`, body);
  }

  async fetch<T>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<HttpAnswer<T>> {
    const response = await fetch(`${this.apiUrl}${path}`, {
      method,
      headers: { "X-API-Key": this.apiKey, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const parsed: unknown = isJson ? JSON.parse(bytes.toString("utf8")) : undefined;
    return { status: response.status, headers: response.headers, bytes, body: parsed as T };
  }

  /**
   * Creates a call; `body` replaces fields of `NEW_CALL`. A machine that has other things to do makes the loop lag, and then no
   * calls are taken for some seconds: a test that needs one waits.
   */
  async createCall(body: object = {}): Promise<{ id: CallId; websocketUrl: string }> {
    const answer = await until("a call to be taken", TAKEN_MS_MAX, async () => {
      const said = await this.api<{ id: CallId; websocketUrl: string }>("POST", "/calls", { ...NEW_CALL, ...body });
      return !said.bytes.includes('"overloaded"') && said;
    });
    if (answer.status !== 201) {
      const warnings = this.warnings.slice(-WARNINGS_SHOWN).map((line) => JSON.stringify(line));
      const latest = `the service's last warnings:\n${warnings.join("\n")}`;
      throw new Error(`the call was not created: ${answer.status} ${answer.bytes}; ${latest}`);
    }
    return answer.body;
  }

  async call(id: string): Promise<CallItem> {
    return (await this.api<CallItem>("GET", `/calls/${id}`)).body;
  }

  /** The call's record once it is over, with its recording where one is rendered soon after. */
  async ended(id: string, withinMs = 5_000): Promise<CallItem> {
    const record = await until(`call ${id} to have its record`, withinMs, async () => {
      const call = await this.call(id);
      return call.status !== "created" && call.status !== "active" && call;
    });
    if (record.startedAt === null || !record.configuration.recordingEnabled) return record;
    return await this.withRecording(id).catch(() => record);
  }

  /** The call's record once its recording can be downloaded, which is rendered after the record. */
  async withRecording(id: string, withinMs = 10_000): Promise<CallItem> {
    return await until(`call ${id} to have its recording`, withinMs, async () => {
      const call = await this.call(id);
      return call.recording !== null && call;
    });
  }

  async transcript(id: string): Promise<TranscriptTurn[]> {
    return await transcriptOf(this.client, id);
  }

  async recording(id: string): Promise<HttpAnswer> {
    return await this.api("GET", `/calls/${id}/recording`);
  }

  /** Lines of the log with this message, of one call or of all. */
  logged(msg: string, callId?: string): LogLine[] {
    return this.process.log.filter((line) => line.msg === msg && (callId === undefined || line.callId === callId));
  }

  /** Lines of the log at the levels `warn`, `error` and `fatal`. */
  get warnings(): LogLine[] {
    return this.process.log.filter(({ level }) => ["warn", "error", "fatal"].includes(level));
  }

  /** The process id of the latest of its kind, as the supervisor tells it. */
  pid(child: "worker" | "control"): number {
    const started = this.logged("process started").findLast((line) => line.kind === child);
    if (started?.pid === undefined) throw new Error(`no ${child} was started`);
    return started.pid;
  }

  /** Kills one process as `kill -9` does; resolves when the supervisor has seen it die. */
  async killChild(child: "worker" | "control"): Promise<void> {
    const deaths = (): number => this.logged("process died").filter((line) => line.kind === child).length;
    const before = deaths();
    process.kill(this.pid(child), "SIGKILL");
    await until(`the death of the ${child} to be seen`, 5_000, () => deaths() > before);
  }

  /** Stops it as an operator does, and returns the exit code. */
  async stop(): Promise<number | null> {
    this.process.signal("SIGTERM");
    return await this.process.exited;
  }
}

/** The same service on the Postgres of POSTGRES_URL; unchanged without one. */
async function onPostgres(options: ServiceOptions): Promise<ServiceOptions> {
  if (POSTGRES_URL === undefined || options.env?.DATABASE_URL !== undefined) return options;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "trunkline-service-"));
  const url = databases.get(dataDir) ?? (await newDatabase(POSTGRES_URL));
  databases.set(dataDir, url);
  return { ...options, dataDir, env: { ...options.env, DATABASE_URL: url } };
}

/** All that the agent said, as far as it was heard. */
export const agentText = (transcript: readonly TranscriptTurn[]): string =>
  transcript
    .filter((turn) => turn.role === "agent")
    .map((turn) => turn.text)
    .join(" ");

/** Opens the stores of a data directory, beside the running service or after it, as `npm run api-keys` does. */
export async function withStores<T>(
  dataDir: string,
  work: (stores: Stores, accountId: AccountId) => Promise<T>,
): Promise<T> {
  const stores = await openStores({ dataDir, databaseUrl: databases.get(dataDir) }, systemClock);
  try {
    return await work(stores, await stores.accounts.ensure(ACCOUNT));
  } finally {
    await stores.close();
  }
}

async function makeApiKey({ apiKeys }: Stores, accountId: AccountId): Promise<string> {
  return (await apiKeys.create({ accountId, name: "test" })).key;
}

/** A machine that many share may be so many times as slow as one that does nothing else. */
const SLOWNESS_MAX = 4;

/**
 * Asks until there is an answer that is neither undefined nor false, and returns it; `what` names it in the error. `withinMs` is how long
 * that may take on a machine that does nothing else.
 */
export async function until<T>(
  what: string,
  withinMs: number,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const waitMs = withinMs * SLOWNESS_MAX;
  for (const endMs = addMs(systemClock.nowMs(), waitMs); ; await delay(POLL_MS)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (systemClock.nowMs() > endMs) throw new Error(`waited ${waitMs} ms in vain for ${what}`);
  }
}

function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * The living processes of a group. Linux tells zombies (in a container without an init) from
 * the living; elsewhere the group's id stands for whatever is left of it.
 */
function livingOf(groupId: number): number[] {
  if (!existsSync("/proc/self/stat")) return signalGroup(groupId, 0) ? [groupId] : [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      // proc_pid_stat(5): the name may hold anything, parentheses included; state, parent and group follow it.
      const [state, , group] = statOf(pid)
        .replace(/^.*\) /s, "")
        .split(" ");
      return Number(group) === groupId && state !== "Z";
    });
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return "";
  }
}
