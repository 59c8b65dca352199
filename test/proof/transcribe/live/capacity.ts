import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { type BenchService, sendRequest, withService } from "../../../../bench/rig/service.ts";
import { NEW_CALL } from "../../../../bench/stores/scene.ts";
import { FRAME_MS } from "../../../../src/core/limits/streams/media.ts";
import { builtProgram } from "../../../support/services/build.ts";
import { framesOf } from "./streams.ts";

// What a live transcription and a call cost the media worker: as many of each, with the same audio, in one service, one after the other.

/** Clock ticks of /proc in a second: the same on every Linux. */
const TICKS_PER_S = 100;
const CONNECT_MS = 1_000;
/** Callers begin one after the other, as they do. */
const STAGGER_MS = 137;

export interface CapacityResult {
  each: number;
  seconds: number;
  /** Of the worker, for so many of each: how many a core could carry by that. */
  streamsPerCore: number;
  callsPerCore: number;
}

/** `speech` is what every client says again and again, with as much silence after it. */
export async function measureCapacity(
  speech: Int16Array,
  { each, seconds }: { each: number; seconds: number },
): Promise<CapacityResult> {
  const frames = framesOf(Int16Array.from({ length: 2 * speech.length }, (_, at) => speech[at] ?? 0));
  const program = { path: builtProgram("main"), execArgv: [] };
  return await withService({ accounts: 1, program, env: { STT: "reference", TTS: "reference" } }, async (service) => {
    const run = async (path: string, body: object): Promise<number> => {
      const clients: Client[] = [];
      for (let n = 0; n < each; n += 1) {
        clients.push(new Client(await addressOf(service, path, body), frames));
        await delay(STAGGER_MS);
      }
      await delay(CONNECT_MS);
      const [beforeS, startMs] = [cpuSecondsOf(service.pids.worker), performance.now()];
      await delay(seconds * 1_000);
      const cores = (cpuSecondsOf(service.pids.worker) - beforeS) / ((performance.now() - startMs) / 1_000);
      const lost = clients.filter(({ isOpen }) => !isOpen).length;
      for (const client of clients) client.close();
      if (lost > 0) throw new Error(`${lost} of ${each} clients of POST ${path} were disconnected`);
      return each / cores;
    };
    const live = { language: "en-US", websocket: { codec: "pcm_s16le", inputSampleRate: 16_000 } };
    // The first of all is slower: the worker compiles what it runs.
    await run("/transcriptions/live", live);
    const call = { ...NEW_CALL, websocket: { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 16_000 } };
    const callsPerCore = await run("/calls", call);
    return { each, seconds, callsPerCore, streamsPerCore: await run("/transcriptions/live", live) };
  });
}

async function addressOf({ apiUrl, keys: [key] }: BenchService, path: string, body: object): Promise<string> {
  const answer = await sendRequest({ apiUrl, key }, "POST", `/api/v1${path}`, 201, JSON.stringify(body));
  return (JSON.parse(answer.toString()) as { websocketUrl: string }).websocketUrl;
}

/** Of a process, user and system. */
function cpuSecondsOf(pid: number): number {
  // What follows the name, which may have spaces: the state and ten others before these two.
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** Sends frames in real time, again and again, until it is closed. */
class Client {
  readonly #socket: WebSocket;
  readonly #frames: readonly Uint8Array[];
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;

  constructor(url: string, frames: readonly Uint8Array[]) {
    this.#frames = frames;
    this.#socket = new WebSocket(url);
    this.#socket.on("error", () => {});
    this.#socket.once("open", () => {
      const startMs = performance.now();
      this.#timer = setInterval(() => {
        while (this.isOpen && this.#sent * FRAME_MS <= performance.now() - startMs) this.#send();
      }, FRAME_MS);
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #send(): void {
    this.#socket.send(this.#frames[this.#sent % this.#frames.length] as Uint8Array);
    this.#sent += 1;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.close();
  }
}
