import { setTimeout as delay } from "node:timers/promises";
import { encodeFrame, OPCODE, RawWs } from "../../../test/support/network/raw-ws.ts";
import { serve } from "../../rig/child-process.ts";
import { sendRequest } from "../../rig/service.ts";

// Carriers that open the streams of calls, in a process of their own.

/** Streams at a fixed rate, each of which is hung up after a while. */
export interface RedemptionLoad {
  apiUrl: string;
  key: string;
  /** The JSON of the calls; their connection type is `websocket`. */
  body: string;
  perSecond: number;
  seconds: number;
  holdMs: number;
  /** Whether each call sends silence while it is held, a frame every 20 ms. */
  sendsAudio?: boolean;
}

export interface RedemptionReport {
  /** From the time at which a carrier was to connect until it read the answer 101, ms. */
  tookMs: Float32Array;
  /** From the upgrade on the open connection until the answer, ms. */
  upgradeMs: Float32Array;
  failures: Readonly<Record<string, number>>;
}

export type RedeemerQuestions = {
  /** Creates the calls of the next `redeem`, which creates them itself where this was not asked. */
  prepare: { ask: RedemptionLoad; answer: undefined };
  /** Resolves when every stream is over. */
  redeem: { ask: RedemptionLoad; answer: RedemptionReport };
};

const CREATED_AT_ONCE = 4;
const CREATION_TRIES_MAX = 20;
const CREATION_RETRY_MS = 500;
const FRAME_MS = 20;
/** 16-bit PCM at 16 kHz, which calls over a WebSocket have unless they ask for another format. */
const FRAME = encodeFrame({ opcode: OPCODE.binary, payload: new Uint8Array((2 * 16_000 * FRAME_MS) / 1_000) });
const CLOSE = encodeFrame({ opcode: OPCODE.close, payload: Buffer.from([0x03, 0xe8]) });

let prepared: readonly string[] = [];

/** Again after a while where the service refuses it: one that has just started may be overloaded. */
async function createCall(apiUrl: string, key: string, body: string): Promise<string> {
  for (let triesLeft = CREATION_TRIES_MAX; ; triesLeft -= 1) {
    try {
      const answer = await sendRequest({ apiUrl, key }, "POST", "/api/v1/calls", 201, body);
      return (JSON.parse(answer.toString()) as { websocketUrl: string }).websocketUrl;
    } catch (error) {
      if (triesLeft === 1) throw error;
    }
    await delay(CREATION_RETRY_MS);
  }
}

async function createCalls({ apiUrl, key, body, perSecond, seconds }: RedemptionLoad): Promise<readonly string[]> {
  const urls: string[] = [];
  let left = Math.round(perSecond * seconds);
  const create = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      urls.push(await createCall(apiUrl, key, body));
    }
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create));
  return urls;
}

async function redeem(load: RedemptionLoad): Promise<RedemptionReport> {
  const urls = prepared.length > 0 ? prepared : await createCalls(load);
  prepared = [];
  const [tookMs, upgradeMs] = [new Float32Array(urls.length), new Float32Array(urls.length)];
  const failures: Record<string, number> = {};
  const startMs = performance.now();
  const streams = urls.map(async (url, index) => {
    const dueMs = startMs + (index * 1_000) / load.perSecond;
    await delay(Math.max(0, dueMs - performance.now()));
    try {
      const ws = await RawWs.connect(url);
      const upgradedMs = performance.now();
      const answer = await ws.upgrade(new URL(url).pathname);
      const nowMs = performance.now();
      [tookMs[index], upgradeMs[index]] = [nowMs - dueMs, nowMs - upgradedMs];
      if (answer?.status !== 101) throw new Error(`status ${answer?.status ?? "none"}`);
      await hold(ws, load);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      failures[why] = (failures[why] ?? 0) + 1;
    }
  });
  await Promise.all(streams);
  return { tookMs, upgradeMs, failures };
}

async function hold(ws: RawWs, { holdMs, sendsAudio = false }: RedemptionLoad): Promise<void> {
  const untilMs = performance.now() + holdMs;
  for (let dueMs = performance.now(); sendsAudio && dueMs < untilMs; dueMs += FRAME_MS) {
    await delay(Math.max(0, dueMs - performance.now()));
    ws.write(FRAME);
  }
  await delay(Math.max(0, untilMs - performance.now()));
  ws.write(CLOSE);
  await delay(FRAME_MS);
  ws.destroy();
}

serve<RedeemerQuestions>({
  async prepare(load) {
    prepared = await createCalls(load);
    return undefined;
  },
  redeem,
});
