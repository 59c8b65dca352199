import { Agent, request } from "undici";
import { serve } from "../../rig/child-process.ts";
import type { ClientQuestions, LoadReport, OpenLoad, RequestSpec } from "./requests.ts";

// The clients of the API, in a process of their own: what they do must not be taken for what the service does.

/** More than are under way at once unless the service has stopped. */
const CONNECTIONS_MAX = 256;
const agent = new Agent({ connections: CONNECTIONS_MAX, pipelining: 1 });

/** Resolves when the answer is read; rejects with its status and code where it is an error. */
async function send({ method, apiUrl, path, key, body }: RequestSpec): Promise<void> {
  const headers = { "X-API-Key": key, ...(body !== undefined && { "Content-Type": "application/json" }) };
  const response = await request(`${apiUrl}${path}`, { method, headers, body: body ?? null, dispatcher: agent });
  if (response.statusCode < 300) return await response.body.dump();
  const { error } = (await response.body.json()) as { error: { code: string } };
  throw new Error(`${response.statusCode} ${error.code}`);
}

function openLoad(load: OpenLoad): Promise<LoadReport> {
  const count = Math.round(load.perSecond * load.seconds);
  const [tookMs, lateMs] = [new Float32Array(count), new Float32Array(count)];
  const failures: Record<string, number> = {};
  const fail = (why: string): void => {
    failures[why] = (failures[why] ?? 0) + 1;
  };
  return new Promise((resolve) => {
    const startMs = performance.now();
    let sent = 0;
    let answered = 0;
    const dueMs = (index: number): number => startMs + (index * 1_000) / load.perSecond;
    const one = async (index: number): Promise<void> => {
      lateMs[index] = performance.now() - dueMs(index);
      try {
        await send(load);
      } catch (error) {
        fail(error instanceof Error ? error.message : String(error));
      }
      tookMs[index] = performance.now() - dueMs(index);
      answered += 1;
      if (answered === count) resolve({ tookMs, lateMs, failures });
    };
    const turn = (): void => {
      for (; sent < count && dueMs(sent) <= performance.now(); sent += 1) void one(sent);
      if (sent < count) setTimeout(turn, Math.max(0, dueMs(sent) - performance.now()));
    };
    turn();
  });
}

serve<ClientQuestions>({
  openLoad,
  async inTurn({ requests, times }) {
    const timesMs = requests.map(() => new Float32Array(times));
    for (let round = 0; round < times; round += 1) {
      for (const [index, spec] of requests.entries()) {
        const startMs = performance.now();
        await send(spec);
        (timesMs[index] as Float32Array)[round] = performance.now() - startMs;
      }
    }
    return timesMs;
  },
});
