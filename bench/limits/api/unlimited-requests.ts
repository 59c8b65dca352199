import { SELECTED_TOOLS_MAX } from "../../../src/core/limits/agents/tools.ts";
import { BODY_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import { RawWs } from "../../../test/support/network/raw-ws.ts";
import { mintToken } from "../../../test/support/tokens.ts";
import { differentKeys } from "../../../test/support/wires/costly-json.ts";
import { sendRequest as askService, type BenchService, withService } from "../../rig/service.ts";
import { LOOP_SHARE_MAX } from "../limit.ts";
import type { UnlimitedRequestCost } from "../result.ts";
import { threadCpuMs } from "../thread-cpu.ts";
import { LARGE_LIST, makeLargeCalls } from "./large-lists.ts";

// Requests that no limit bounds for one client: what each costs the loop that serves it, and how many a second take a tenth of it.

const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "websocket",
  firstSpeaker: "user",
};
/** As many tools as a call may have, whose schemas fill the body and are compiled in the control process's thread. */
const MANY_TOOLS = JSON.stringify({
  ...NEW_CALL,
  selectedTools: Array.from({ length: SELECTED_TOOLS_MAX }, (_, index) => ({
    definition: {
      ...{ type: "client", name: `tool_${index}`, description: "Does nothing." },
      parameters: { type: "object", description: `${index}${"x".repeat(7_000)}` },
    },
  })),
});
const PATH = "/api/v1/calls";

interface UnlimitedRequest {
  name: string;
  process: "control" | "worker";
  /** Before the first one. */
  prepare?(service: BenchService): Promise<void>;
  /** Sends one, and resolves when it is answered. */
  send(service: BenchService): Promise<unknown>;
}

/** With the key of the first account, whose calls are small. */
const ask = (service: BenchService, method: "GET" | "POST", path: string, expected: number, body?: string) =>
  askService({ ...service, key: service.keys[0] }, method, path, expected, body);

const hugeBody = (): string => differentKeys(BODY_BYTES_MAX, Math.floor(Math.random() * 10_000), '"systemPrompt":1');

const largeKey = ({ keys }: BenchService): string => keys[1] ?? "";

const REQUESTS: readonly UnlimitedRequest[] = [
  { name: "POST /calls", process: "control", send: (to) => ask(to, "POST", PATH, 201, JSON.stringify(NEW_CALL)) },
  { name: "GET /calls?limit=100", process: "control", send: (to) => ask(to, "GET", `${PATH}?limit=100`, 200) },
  { name: "POST /calls with 32 tools", process: "control", send: (to) => ask(to, "POST", PATH, 201, MANY_TOOLS) },
  {
    name: "GET /calls?limit=100 of the largest calls",
    process: "control",
    prepare: (service) => makeLargeCalls(service, largeKey(service)),
    send: (to) => askService({ ...to, key: largeKey(to) }, "GET", LARGE_LIST, 200),
  },
  { name: "GET /voices", process: "control", send: (to) => ask(to, "GET", "/api/v1/voices", 200) },
  {
    name: "an unknown API key",
    process: "control",
    send: (to) => askService({ ...to, key: "unknown" }, "GET", PATH, 401),
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
export const measureUnlimitedRequests = (
  count: number,
  write: (line: string) => void,
): Promise<UnlimitedRequestCost[]> =>
  withService({ accounts: 2 }, async (service) => {
    const costs: UnlimitedRequestCost[] = [];
    for (const { name, process, prepare, send } of REQUESTS) {
      await prepare?.(service);
      for (let index = 0; index < count / 4; index += 1) await send(service);
      const beforeMs = threadCpuMs(service.pids[process]);
      for (let index = 0; index < count; index += 1) await send(service);
      const unitUs = (1_000 * (threadCpuMs(service.pids[process]) - beforeMs)) / count;
      write(`${name}: ${unitUs.toFixed(0)} µs of the ${process} process each`);
      costs.push({ name, process, unitUs, perSecondAtBound: (LOOP_SHARE_MAX * 1e6) / unitUs });
    }
    return costs;
  });
