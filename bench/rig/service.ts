import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { SCOPES } from "../../src/core/accounts/scopes.ts";
import { type ChildModule, childModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { startService } from "../../src/simulator/service/process.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";

/** What the service does first, for example with calls of a process that is gone, may take long on a machine that is busy. */
const READY_MS_MAX = 90_000;
/** Of the body of an unexpected answer. */
const ANSWER_CHARS_MAX = 300;

/** A whole service, for what is measured of requests to it. */
export interface BenchService {
  apiUrl: string;
  mediaUrl: string;
  /** Of an account of its own each. */
  keys: readonly [string, ...string[]];
  pids: Readonly<Record<"control" | "worker", number>>;
}

export interface BenchServiceOptions {
  /** So many accounts are made, each with an API key. */
  accounts: number;
  /** Further environment variables of the service. */
  env?: Readonly<Record<string, string>>;
  /** The service's `main`; that of the code that runs by default. */
  program?: ChildModule;
  /** A Postgres database; SQLite by default. */
  databaseUrl?: string | undefined;
  /** Fills the stores before the service starts. */
  prepare?: (place: StorePlace) => Promise<void>;
}

/** Sends one request; rejects when the answer has another status than `expected`. Resolves with its body. */
export async function sendRequest(
  { apiUrl, key }: { apiUrl: string; key: string },
  method: "GET" | "POST" | "DELETE",
  path: string,
  expected: number,
  body?: string,
): Promise<Buffer> {
  const headers = { "X-API-Key": key, ...(body !== undefined && { "Content-Type": "application/json" }) };
  const response = await request(`${apiUrl}${path}`, { method, headers, body: body ?? null });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode === expected) return bytes;
  const answer = bytes.toString("utf8").slice(0, ANSWER_CHARS_MAX);
  throw new Error(`${method} ${path} was answered with ${response.statusCode}, not ${expected}: ${answer}`);
}

/** The name of the account with this number. */
export const accountName = (index: number): string => (index === 0 ? "bench" : `bench ${index}`);

/** Starts a service with one worker, and stops it when `work` is over. */
export async function withService<T>(
  {
    accounts,
    env = {},
    databaseUrl,
    prepare,
    program = childModule(import.meta.url, "../../src/main"),
  }: BenchServiceOptions,
  work: (service: BenchService) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  const place: StorePlace = { dataDir, databaseUrl };
  try {
    await prepare?.(place);
    const fixed = {
      WORKERS: "1",
      CALLS_PER_WORKER: "10000",
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    };
    const options = { program, dataDir, clock: systemClock, env: { ...fixed, ...env }, readyMsMax: READY_MS_MAX };
    const running = await startService(options, new AbortController().signal);
    try {
      const keys = await makeKeys(place, accounts);
      return await work({ apiUrl: running.apiUrl, keys, ...fromLog(join(dataDir, "service.log")) });
    } finally {
      await running.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function makeKeys(place: StorePlace, accounts: number): Promise<BenchService["keys"]> {
  const stores = await openStores(place, systemClock);
  try {
    const keyOf = async (name: string): Promise<string> =>
      (await stores.apiKeys.create({ accountId: await stores.accounts.ensure(name), name, scopes: SCOPES })).key;
    const keys: [string, ...string[]] = [await keyOf(accountName(0))];
    while (keys.length < accounts) keys.push(await keyOf(accountName(keys.length)));
    return keys;
  } finally {
    await stores.close();
  }
}

interface LogLine {
  msg: string;
  kind?: string;
  pid?: number;
  mediaUrl?: string;
}

/** What the service says of its processes when it starts. */
function fromLog(path: string): Pick<BenchService, "mediaUrl" | "pids"> {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as LogLine);
  const pid = (child: string): number =>
    lines.findLast((line) => line.msg === "process started" && line.kind === child)?.pid ?? Number.NaN;
  const mediaUrl = lines.findLast(({ msg }) => msg === "service ready")?.mediaUrl ?? "";
  return { mediaUrl, pids: { control: pid("control"), worker: pid("worker") } };
}
