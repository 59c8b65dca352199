import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../src/cli/simulated/service.ts";
import { childModule } from "../../src/core/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { BODY_BYTES_MAX } from "../../src/core/limits.ts";
import { openStores } from "../../src/store/sqlite/stores.ts";
import { differentKeys } from "../../test/support/costly-json.ts";
import { RawWs } from "../../test/support/raw-ws.ts";
import { mintToken } from "../../test/support/tokens.ts";
import { LOOP_SHARE_MAX } from "./limit.ts";
import type { OpenCost } from "./limits-result.ts";
import { threadCpuMs } from "./thread-cpu.ts";

// Requests that no limit bounds for one client: what each costs the loop that serves it, and how many a second take a tenth of it.

const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "websocket",
  firstSpeaker: "user",
};
const PATH = "/api/v1/calls";

interface Service {
  apiUrl: string;
  mediaUrl: string;
  key: string;
  pids: Readonly<Record<"control" | "worker", number>>;
}

interface OpenRequest {
  name: string;
  process: "control" | "worker";
  /** Sends one, and resolves when it is answered. */
  send(service: Service): Promise<void>;
}

const ask = (
  { apiUrl, key }: Service,
  method: "GET" | "POST",
  path: string,
  expected: number,
  body?: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { "X-API-Key": key, ...(body !== undefined && { "Content-Type": "application/json" }) };
    const sent = httpRequest(`${apiUrl}${path}`, { method, headers }, (response) => {
      response.resume().once("end", () => {
        if (response.statusCode === expected) resolve();
        else reject(new Error(`${method} ${path} was answered with ${response.statusCode}, not ${expected}`));
      });
    });
    sent.once("error", reject).end(body);
  });

const hugeBody = (): string => differentKeys(BODY_BYTES_MAX, Math.floor(Math.random() * 10_000), '"systemPrompt":1');

const REQUESTS: readonly OpenRequest[] = [
  { name: "POST /calls", process: "control", send: (to) => ask(to, "POST", PATH, 201, JSON.stringify(NEW_CALL)) },
  { name: "GET /calls?limit=100", process: "control", send: (to) => ask(to, "GET", `${PATH}?limit=100`, 200) },
  { name: "GET /voices", process: "control", send: (to) => ask(to, "GET", "/api/v1/voices", 200) },
  {
    name: "an unknown API key",
    process: "control",
    send: (to) => ask({ ...to, key: "nobody's" }, "GET", PATH, 401),
  },
  {
    name: "POST of 256 KiB of different keys",
    process: "control",
    send: (to) => ask(to, "POST", PATH, 400, hugeBody()),
  },
  {
    name: "upgrades with an unknown token",
    process: "worker",
    async send({ mediaUrl }) {
      const ws = await RawWs.connect(mediaUrl);
      const answer = await ws.upgrade(`/stream/${mintToken()}`);
      ws.destroy();
      if (answer?.status !== 401) throw new Error(`an unknown token was answered with ${answer?.status}, not 401`);
    },
  },
];

/** Sends each request `count` times, one after the other, to a service of its own. */
export async function measureOpenCosts(count: number, write: (line: string) => void): Promise<OpenCost[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  const program = childModule(import.meta.url, "../../src/main");
  const env = { WORKERS: "1", CALLS_PER_WORKER: "10000" };
  const running = await startService({ program, dataDir, clock: systemClock, env }, new AbortController().signal);
  try {
    const stores = await openStores(dataDir, systemClock);
    const { key } = await stores.apiKeys.create({ accountId: await stores.accounts.ensure("bench"), name: "bench" });
    await stores.close();
    const service: Service = { apiUrl: running.apiUrl, key, ...fromLog(join(dataDir, "service.log")) };
    const costs: OpenCost[] = [];
    for (const { name, process, send } of REQUESTS) {
      for (let index = 0; index < count / 4; index += 1) await send(service);
      const beforeMs = threadCpuMs(service.pids[process]);
      for (let index = 0; index < count; index += 1) await send(service);
      const unitUs = (1_000 * (threadCpuMs(service.pids[process]) - beforeMs)) / count;
      write(`${name}: ${unitUs.toFixed(0)} µs of the ${process} process each`);
      costs.push({ name, process, unitUs, perSecondAtBound: (LOOP_SHARE_MAX * 1e6) / unitUs });
    }
    return costs;
  } finally {
    await running.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface LogLine {
  msg: string;
  child?: string;
  pid?: number;
  mediaUrl?: string;
}

/** What the service says of its processes when it starts. */
function fromLog(path: string): Pick<Service, "mediaUrl" | "pids"> {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as LogLine);
  const pid = (child: string): number =>
    lines.findLast((line) => line.msg === "process started" && line.child === child)?.pid ?? Number.NaN;
  const mediaUrl = lines.findLast(({ msg }) => msg === "service ready")?.mediaUrl ?? "";
  return { mediaUrl, pids: { control: pid("control"), worker: pid("worker") } };
}
