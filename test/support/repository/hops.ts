import { Session } from "node:inspector";
import type { WebSocket } from "ws";
import { readConfig } from "../../../src/config/config.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { TtsChunk } from "../../../src/speech/contracts.ts";
import { createSpeechProviders } from "../../../src/speech/registry.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { ManualClock, settled } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { fakeDeepgram } from "../providers/stt/deepgram.ts";
import { ELEVENLABS_VOICE, FakeElevenLabs } from "../providers/tts/elevenlabs.ts";
import { mediaService } from "../services/media-service.ts";

/** Through how many files audio passes in the service, measured in a call over real sockets with real adapters. */
export interface Hops {
  /** The files that run when one frame of the caller comes in: from the socket's message to the STT's socket and the journal. */
  frameIn: readonly string[];
  /** The files that run when one chunk of the TTS comes: from its socket's message to the ring of frames. */
  chunk: readonly string[];
  /** The async generators that hand a chunk on, one to the other. */
  chunkGenerators: number;
  /** The files that run when a tick sends one frame: from the timer to the caller's socket. */
  frameOut: readonly string[];
}

/** Frames and chunks that are compared: a file counts that runs for each, so that what happens to run beside them does not. */
const SAMPLES = 8;
/** Left out: the first chunk begins a reply, and the first ticks wait for the caller's playback. */
const FIRST_RUNS = 3;
/** In so many turns of the loop a message has crossed the sockets on both sides, and all that waited for it has run. */
const LOOP_TURNS = 50;
/** A text of more segments of audio than samples are taken. */
const GREETING = `Good morning, ${"this is the bakery in the old town, ".repeat(8)}hello.`;

/** Which files of src/ run, by the engine's own counters. */
class RunningFiles {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** The files of which a function ran since the last call. */
  take(): Set<string> {
    const files = new Set<string>();
    this.#session.post("Profiler.takePreciseCoverage", (error, coverage) => {
      if (error !== null) throw error;
      for (const { url, functions } of coverage.result) {
        const path = /\/(src\/[^?]+\.ts)/.exec(url)?.[1];
        // Vitest exports each name by an anonymous function: a constant that is read does not make its file a hop.
        const ran = functions.some(({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0);
        if (path !== undefined && ran) files.add(path);
      }
    });
    return files;
  }

  /** The files that run because of `act`, which is a message on a socket of this process, or a tick. */
  async during(act: () => unknown): Promise<Set<string>> {
    this.take();
    await act();
    for (let turn = 0; turn < LOOP_TURNS; turn += 1) await settled();
    return this.take();
  }

  close(): void {
    this.#session.disconnect();
  }
}

/** The files that run in each of several runs of `act`, sorted. */
async function commonFiles(running: RunningFiles, act: () => unknown): Promise<string[]> {
  for (let run = 0; run < FIRST_RUNS; run += 1) await running.during(act);
  let common = await running.during(act);
  for (let sample = 1; sample < SAMPLES; sample += 1) {
    const files = await running.during(act);
    common = new Set([...common].filter((file) => files.has(file)));
  }
  return [...common].sort();
}

/**
 * Counts the async generators that yield a chunk. It stands in for the method by which all of them are asked, so it must exist before
 * the speech begins: a loop looks the method up once.
 */
class ChunkGenerators {
  readonly seen = new Set<object>();
  readonly #prototype: AsyncGenerator = Object.getPrototypeOf(async function* () {}.prototype);
  readonly #next = this.#prototype.next;

  constructor() {
    const { seen } = this;
    const next = this.#next;
    this.#prototype.next = async function (this: AsyncGenerator, ...args) {
      const result = await next.apply(this, args);
      if (result.done !== true && isChunk(result.value)) seen.add(this);
      return result;
    };
  }

  close(): void {
    this.#prototype.next = this.#next;
  }
}

const isChunk = (value: unknown): value is TtsChunk =>
  typeof value === "object" && value !== null && "samples" in value && "words" in value;

/** ElevenLabs' server, which sends its messages of audio one at a time, when it is asked to. */
class HeldElevenLabs extends FakeElevenLabs {
  readonly #held: (() => void)[] = [];

  protected override async deliver(socket: WebSocket, messages: readonly object[]): Promise<void> {
    this.#held.push(...messages.map((message) => () => socket.send(JSON.stringify(message))));
  }

  get held(): number {
    return this.#held.length;
  }

  sendOne(): void {
    const send = this.#held.shift();
    if (send === undefined) throw new Error("the speech has no more messages");
    send();
  }
}

/** Measures one call of carrier_a with Deepgram and ElevenLabs, which stand in for all adapters over a WebSocket. */
export async function measureHops(): Promise<Hops> {
  const clock = new ManualClock();
  const [deepgram, elevenLabs] = [await fakeDeepgram(), await new HeldElevenLabs({ chunkMs: 100 }).listen()];
  const env = {
    STT: "deepgram",
    DEEPGRAM_API_KEY: "key",
    DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}/v1/listen`,
    TTS: "elevenlabs",
    ELEVENLABS_API_KEY: "key",
    ELEVENLABS_URL: elevenLabs.url,
  };
  const providers = await createSpeechProviders(readConfig(env), clock, memoryLog().log);
  const { stt, tts } = providers;
  const service = await mediaService({ clock, ttsPool: tts, mediaServer: "ws", ...(stt !== undefined && { stt }) });
  const running = new RunningFiles();
  const generators = new ChunkGenerators();
  try {
    const { token } = await service.create({
      greeting: GREETING,
      language: "en-GB",
      voiceId: `elevenlabs/${ELEVENLABS_VOICE.voice_id}`,
    });
    const caller = await RawCaller.start(`${service.url}/stream/${token}`);
    while (deepgram.seen.length === 0 || elevenLabs.held < FIRST_RUNS + SAMPLES) await clock.play(FRAME_MS);
    const frameIn = await commonFiles(running, async () => {
      await clock.play(FRAME_MS);
      running.take();
      caller.sendFrames(1);
    });
    const chunk = await commonFiles(running, () => elevenLabs.sendOne());
    const chunkGenerators = generators.seen.size;
    const frameOut = await commonFiles(running, () => clock.advance(FRAME_MS));
    return { frameIn, chunk, chunkGenerators, frameOut };
  } finally {
    running.close();
    generators.close();
    providers.close();
    await service.close();
    deepgram.close();
    await elevenLabs.close();
  }
}
