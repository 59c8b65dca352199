import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import type { GeneratorQuestions } from "../../generator/protocol.ts";
import { spreadOf } from "../../harness/statistics.ts";
import { framesWithin } from "../../measurement/phase.ts";
import type { Child } from "../../rig/child-process.ts";
import { machineMonotonicMs } from "../../rig/monotonic.ts";
import { type BenchService, sendRequest } from "../../rig/service.ts";
import { AGENT_SENTENCES } from "../../rig/speech.ts";
import type { FrameRound } from "../result.ts";
import { NEW_CALL } from "../scene.ts";
import type { ProbeReport } from "./probe.ts";

const WIRE = "carrier_a";
/** No voice is faster: what an agent has to say outlasts its call. */
const CHARS_PER_S_MAX = 20;
const CONNECT_S = 10;
/** A new process that sets up all calls at once is overloaded, and refuses some of them. */
const CONNECTING_MAX = 1;
/** A frame is due every 20 ms, but not while the agent's speech is being made. */
const FRAMES_SHARE_MIN = 0.5;

/** Calls whose agents speak without a pause, while their callers speak too. */
export class LiveCalls {
  readonly #callers: Child<GeneratorQuestions>;
  readonly #probeFolder: string;
  readonly #count: number;

  private constructor(callers: Child<GeneratorQuestions>, probeFolder: string, count: number) {
    this.#callers = callers;
    this.#probeFolder = probeFolder;
    this.#count = count;
  }

  /** Creates the calls and opens their streams; they last for `seconds`. */
  static async begin(
    { apiUrl, mediaUrl, keys: [key] }: BenchService,
    options: {
      callers: Child<GeneratorQuestions>;
      audio: Uint8Array;
      probeFolder: string;
      count: number;
      seconds: number;
      /** Whether their audio may be recorded, and be listened to. */
      recordingEnabled?: boolean;
    },
  ): Promise<LiveCalls> {
    const { callers, audio, probeFolder, count, seconds, recordingEnabled = false } = options;
    const all = AGENT_SENTENCES.join(" ");
    const lastS = seconds + CONNECT_S;
    const greeting = Array.from({ length: Math.ceil((lastS * CHARS_PER_S_MAX) / all.length) }, () => all).join(" ");
    const call = {
      ...NEW_CALL,
      connectionType: WIRE,
      firstSpeaker: "agent",
      greeting,
      interruptible: false,
      recordingEnabled,
    };
    const paths: string[] = [];
    while (paths.length < count) {
      const answer = await sendRequest({ apiUrl, key }, "POST", "/api/v1/calls", 201, JSON.stringify(call));
      paths.push(new URL((JSON.parse(answer.toString()) as { websocketUrl: string }).websocketUrl).pathname);
    }
    const { hostname: host, port } = new URL(mediaUrl);
    await callers.ask("begin", {
      target: { host, port: Number(port), secure: false },
      wire: WIRE,
      paths,
      framesMax: framesWithin(lastS),
      baseMs: machineMonotonicMs(),
      audio,
      connectingMax: CONNECTING_MAX,
    });
    return new LiveCalls(callers, probeFolder, count);
  }

  /** What the frames of a round were like, while `during` went on. Throws where the agents hardly spoke. */
  async measure(seconds: number, during: () => Promise<unknown>): Promise<FrameRound> {
    await this.#take();
    await during();
    const { writtenMs, loopP99Ms, loopMaxMs } = await this.#take();
    const framesMin = (FRAMES_SHARE_MIN * this.#count * seconds * 1_000) / 20;
    if (writtenMs.length < framesMin)
      throw new Error(`the agents spoke ${writtenMs.length} frames, and not even ${framesMin}`);
    return { frames: writtenMs.length, writtenMs: spreadOf(Float32Array.from(writtenMs)), loopP99Ms, loopMaxMs };
  }

  /** Hangs up; resolves with why calls were lost before. */
  async end(): Promise<readonly string[]> {
    return (await this.#callers.ask("finish", undefined)).losses;
  }

  /** Of all workers: the one that has the calls is among them, and the others have seen nothing. */
  async #take(): Promise<ProbeReport> {
    const asked = readdirSync(this.#probeFolder).map((name) => reportOf(join(this.#probeFolder, name)));
    const reports = (await Promise.all(asked)).filter((report) => report !== undefined);
    return {
      writtenMs: reports.flatMap(({ writtenMs }) => writtenMs),
      loopP99Ms: Math.max(...reports.map(({ loopP99Ms }) => loopP99Ms)),
      loopMaxMs: Math.max(...reports.map(({ loopMaxMs }) => loopMaxMs)),
    };
  }
}

/** Nothing of a worker that has ended, as a spare may; without the worker that has the calls, too few frames are reported. */
async function reportOf(socketPath: string): Promise<ProbeReport | undefined> {
  const dispatcher = new Agent({ connect: { socketPath } });
  try {
    const { body } = await request("http://localhost/", { dispatcher });
    return (await body.json()) as ProbeReport;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return undefined;
    throw error;
  } finally {
    await dispatcher.close();
  }
}
