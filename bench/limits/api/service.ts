import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { childModule } from "../../../src/core/child-module.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { startService } from "../../../src/simulator/service/process.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";

/** A whole service, for what is measured of requests to it. */
export interface BenchService {
  apiUrl: string;
  mediaUrl: string;
  /** Of an account of its own each. */
  keys: readonly [string, ...string[]];
  pids: Readonly<Record<"control" | "worker", number>>;
}

/** Sends one request; rejects when the answer has another status than `expected`. Resolves with its body. */
export async function sendRequest(
  { apiUrl, key }: { apiUrl: string; key: string },
  method: "GET" | "POST",
  path: string,
  expected: number,
  body?: string,
): Promise<Buffer> {
  const headers = { "X-API-Key": key, ...(body !== undefined && { "Content-Type": "application/json" }) };
  const response = await request(`${apiUrl}${path}`, { method, headers, body: body ?? null });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode === expected) return bytes;
  throw new Error(`${method} ${path} was answered with ${response.statusCode}, not ${expected}`);
}

/** Starts a service with so many accounts, and stops it when `work` is over. */
export async function withService<T>(accounts: number, work: (service: BenchService) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  const program = childModule(import.meta.url, "../../../src/main");
  const env = { WORKERS: "1", CALLS_PER_WORKER: "10000" };
  const running = await startService({ program, dataDir, clock: systemClock, env }, new AbortController().signal);
  try {
    const stores = await openSqliteStores(dataDir, systemClock);
    const keyOf = async (name: string): Promise<string> =>
      (await stores.apiKeys.create({ accountId: await stores.accounts.ensure(name), name })).key;
    const keys: [string, ...string[]] = [await keyOf("bench")];
    while (keys.length < accounts) keys.push(await keyOf(`bench ${keys.length}`));
    await stores.close();
    return await work({ apiUrl: running.apiUrl, keys, ...fromLog(join(dataDir, "service.log")) });
  } finally {
    await running.stop();
    rmSync(dataDir, { recursive: true, force: true });
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
