import { strict as assert } from "node:assert";
import type { TurnParameters } from "../../../src/call/parameters.ts";
import { upgradeAuthentication } from "../../../src/carriers/authentication.ts";
import { CONNECTION_TYPES, sendsTones } from "../../../src/carriers/list.ts";
import { wireFactory } from "../../../src/carriers/wire-factory.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { addMs, millisecondsOf, monotonicMs } from "../../../src/core/clocks.ts";
import { asAccountId, asCallId } from "../../../src/core/ids.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import { HttpTools } from "../../../src/core/tools/http/client.ts";
import { failed, type ToolOutcome } from "../../../src/core/tools/outcome.ts";
import { Gateway } from "../../../src/gateway/gateway.ts";
import type { JournalFiles } from "../../../src/gateway/journal/writer.ts";
import { JournalWriters } from "../../../src/gateway/journal/writers.ts";
import { AccountSpends } from "../../../src/gateway/spend/account.ts";
import type { Transport, TransportListener } from "../../../src/gateway/transport/transport.ts";
import { opusCodecs } from "../../../src/media/opus/codecs.ts";
import { createWasmOpus, loadLibopusModule } from "../../../src/media/opus/wasm.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import { loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";
import { type AudioFormat, encodeSamples, frameBytes, silenceByte } from "../../../src/simulator/audio/format.ts";
import { carrierCodecs, formatsOf, type SimulatedLine, simulatePeer } from "../../../src/simulator/lines.ts";
import type { SimulatedPeer } from "../../../src/simulator/peers/peer.ts";
import { WebsocketClient } from "../../../src/simulator/peers/websocket-client.ts";
import { vowelAt } from "../audio/vowel.ts";
import { SPEC } from "../calls/virtual-call.ts";
import { DEFAULT_LIVENESS } from "../configuration/liveness.ts";
import { ManualClock, sleep } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { INLINE_SCHEMAS } from "../stubs/inline-schemas.ts";
import { NO_SPEND_LIMITS } from "../stubs/no-limits.ts";
import { mintToken, TOKEN_KEY } from "../tokens.ts";
import { goldenEngines } from "./engines.ts";
import { GOLDEN_LINES, type GoldenLine, specOf } from "./lines.ts";
import { type LiveCall, Scene, type ScriptedTool } from "./scene.ts";

// The native Opus library is not installed everywhere, and need not code to the same bits: golden calls use the other one.
const [voiceActivity, makeResampler, libopus] = await Promise.all([
  loadFvadDetection(),
  loadResampler(),
  loadLibopusModule(),
]);
const opus = opusCodecs(createWasmOpus(libopus));

/** A message to the peer, and when it was sent, ms of the call. */
export interface SentMessage {
  atMs: number;
  message: string | Uint8Array;
}

export interface HeldCall {
  /** The journal, as the gateway wrote it. */
  journal: Buffer;
  sent: readonly SentMessage[];
  /** What the service did that the protocol of the line forbids. */
  violations: readonly string[];
  /** Log lines that report a bug. */
  bugs: readonly string[];
}

const CALL_ID = asCallId("call_01980000-0000-7000-8000-000000000001");
const ACCOUNT_ID = asAccountId("account_01980000-0000-7000-8000-000000000002");
/** One way. */
const NETWORK_MS = 5;
const STEP_MS = 100;
const CLOSE_NORMAL = 1_000;

/** A disk that takes a millisecond of the call's own time for everything. */
class ClockedDisk implements JournalFiles {
  readonly #clock: ManualClock;
  readonly #parts: Buffer[] = [];

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  create(_path: string, done: (error: Error | null, fd: number) => void): void {
    this.#clock.after(1, () => done(null, 1));
  }

  write(_fd: number, bytes: Uint8Array, done: (error: Error | null, writtenBytes: number) => void): void {
    this.#clock.after(1, () => {
      this.#parts.push(Buffer.from(bytes));
      done(null, bytes.length);
    });
  }

  sync(_fd: number, done: (error: Error | null) => void): void {
    this.#clock.after(1, () => done(null));
  }

  close(_fd: number, done: (error: Error | null) => void): void {
    this.#clock.after(1, () => done(null));
  }
}

/** Tools of the service whose servers answer as scripted. */
class ScriptedHttpTools extends HttpTools {
  readonly #clock: ManualClock;
  readonly #tools: ReadonlyMap<string, ScriptedTool>;

  constructor(clock: ManualClock, tools: ReadonlyMap<string, ScriptedTool>) {
    super({ secrets: new Map(), allowLoopback: false, resolve: async () => [] });
    this.#clock = clock;
    this.#tools = tools;
  }

  override async carryOut(tool: { name: string }, _given: object, signal: AbortSignal): Promise<ToolOutcome> {
    const { afterMs, ...outcome } = this.#tools.get(tool.name) ?? { afterMs: 0, ...failed("unreachable", "no server") };
    await sleep(this.#clock, afterMs, signal);
    return outcome;
  }
}

/** Holds the call of a script over a line, through the gateway of this build, in virtual time. The same call gives the same bytes. */
export async function holdCall(
  line: GoldenLine,
  script: (scene: Scene) => void,
  dataDir: string,
  parameters?: Readonly<TurnParameters>,
): Promise<HeldCall> {
  const scene = new Scene();
  script(scene);
  scene.parameters = parameters ?? scene.parameters;
  const call = new GoldenCallRun(GOLDEN_LINES[line], scene, dataDir);
  return await call.hold();
}

/** One call: the gateway, the peer, and the network between them. */
class GoldenCallRun implements LiveCall {
  readonly #line: SimulatedLine;
  readonly #scene: Scene;
  readonly #clock = new ManualClock();
  readonly #disk = new ClockedDisk(this.#clock);
  readonly #accounts: AccountSpends;
  readonly #gateway: Gateway;
  readonly #logged: readonly string[];
  readonly #sent: SentMessage[] = [];
  readonly #peer: SimulatedPeer;
  readonly #speech: readonly Uint8Array[];
  readonly #silence: Uint8Array;
  #leg: TransportListener | undefined;
  #lastAudio: string | Uint8Array = "";
  #isDead = false;
  #isStuck = false;
  #isClosed = false;
  #isOver = false;

  constructor(line: SimulatedLine, scene: Scene, dataDir: string) {
    this.#line = line;
    this.#scene = scene;
    const clock = this.#clock;
    const { inbound } = formatsOf(line);
    this.#speech = vowelFrames(inbound);
    this.#silence = new Uint8Array(frameBytes(inbound)).fill(silenceByte(inbound));
    const { log, lines } = memoryLog();
    this.#logged = lines;
    const spend = scene.spend ?? NO_SPEND_LIMITS;
    this.#accounts = new AccountSpends({ limits: spend.account, clock });
    const tools = new ScriptedHttpTools(clock, scene.tools);
    const gateway: Gateway = new Gateway({
      handoff: {
        tokenKeys: [TOKEN_KEY],
        redeem: async () => ({ callId: CALL_ID, accountId: ACCOUNT_ID, spec: this.#spec() }),
        streamStarted: () => {},
        isStreamOf: async () => false,
        phoneRequested: () => false,
        mediaChanged: () => {},
        holdChanged: () => {},
        ended: () => {
          this.#isOver = true;
        },
      },
      providers: goldenEngines(scene.providers, clock),
      sendsTones,
      createWire: wireFactory({
        outboundCodecs: line.wire === "websocket" ? {} : { [line.wire]: carrierCodecs(line).outbound },
        opus,
      }),
      connectionTypes: CONNECTION_TYPES,
      voiceActivity: { ...voiceActivity, open: failingAt(scene.detectorFailsAtFrame) },
      makeResampler,
      httpTools: { forCall: () => tools, callEnded() {} },
      schemas: INLINE_SCHEMAS,
      journals: new JournalWriters({ dataDir, software: "trunkline/golden", clock, log, files: this.#disk }),
      phrases: { find: async (language) => scene.phrases.get(language) },
      spend,
      accountSpends: this.#accounts,
      prices: scene.prices,
      metrics: new WorkerMetrics(CONNECTION_TYPES, () => gateway.readings()),
      ...(scene.parameters === undefined ? {} : { parameters: scene.parameters }),
      ...(scene.historyTokensMax === undefined ? {} : { historyTokensMax: scene.historyTokensMax }),
      clock,
      log,
      callsMax: 1,
      onFull: () => {},
      authentication: upgradeAuthentication({}),
      mediaUrl: () => "wss://media.example.com",
    });
    this.#gateway = gateway;
    this.#peer = simulatePeer(line, {
      clock,
      id: "0123456789abcdef0123456789abcdef",
      opus,
      send: (message) => this.sends(message),
      close: () => this.closes(CLOSE_NORMAL, false),
      microphone: () => this.#microphone(),
      earphone: () => {},
      onServiceMessage: (message) => {
        if (message.type === "toolCall") scene.onToolCall(message, this);
      },
    });
  }

  async hold(): Promise<HeldCall> {
    const clock = this.#clock;
    const admission = await this.#gateway.admit(mintToken(), {});
    assert.ok(admission.kind === "admitted");
    this.#leg = admission.open(this.#socket());
    for (const { atMs, run } of this.#scene.steps) clock.after(atMs, () => run(this));
    if (this.#scene.starts) this.#peer.start();
    while (!this.#isOver && clock.nowMs() < monotonicMs(this.#scene.untilMs)) await clock.play(STEP_MS);
    assert.ok(this.#isOver, "a golden call comes to its end");
    await clock.play(STEP_MS);
    const violations = [...this.#peer.violations.keys()];
    this.#peer.closed();
    return {
      journal: this.#disk.bytes,
      sent: this.#sent,
      violations,
      bugs: this.#logged.filter((entry) => entry.includes('"fault":"bug"')),
    };
  }

  types(text: string): void {
    this.#peer.typeText(text);
  }

  presses(digit: string): void {
    this.#peer.pressDigit(digit);
  }

  hangsUp(): void {
    this.#peer.stop();
  }

  closes(code: number, violated: boolean): void {
    this.#clock.after(NETWORK_MS, () => this.#closed(code, violated));
  }

  lineDies(): void {
    this.#isDead = true;
  }

  stopsReading(): void {
    this.#isStuck = true;
  }

  sends(message: string | Uint8Array): void {
    if (this.#isDead) return;
    const bytes = Buffer.from(message as Uint8Array);
    if (typeof message !== "string") this.#lastAudio = bytes;
    else if (message.includes('"event":"media"')) this.#lastAudio = message;
    this.#clock.after(NETWORK_MS, () => {
      if (!this.#isClosed) this.#leg?.message(bytes, typeof message !== "string");
    });
  }

  floodsAudio(frames: number): void {
    const last = this.#lastAudio;
    if (typeof last !== "string") {
      for (let n = 0; n < frames; n += 1) this.sends(last);
      return;
    }
    const message = JSON.parse(last) as { media: { chunk: string | number; timestamp: string } };
    const { chunk, timestamp } = message.media;
    for (let n = 1; n <= frames; n += 1) {
      const next = Number(chunk) + n;
      const media = {
        ...message.media,
        chunk: typeof chunk === "string" ? String(next) : next,
        timestamp: String(Number(timestamp) + n * FRAME_MS),
      };
      this.sends(JSON.stringify({ ...message, media }));
    }
  }

  drains(): void {
    this.#gateway.endAllWithGoodbye();
  }

  endedByApi(): void {
    this.#gateway.end(CALL_ID, "api_hangup");
  }

  accountIsOver(): void {
    this.#accounts.setExceeded([{ accountId: ACCOUNT_ID, limit: "llm_requests" }]);
  }

  answersTool(id: string, outcome: { result: unknown } | { error: string }): void {
    assert.ok(this.#peer instanceof WebsocketClient, "carriers have no tools");
    this.#peer.answerTool(id, outcome);
  }

  #spec(): CallSpec {
    const { greeting, ...rest } = SPEC;
    const first = this.#scene.withoutGreeting || greeting === undefined ? {} : { greeting };
    return { ...rest, ...first, voiceId: "tts-1/one", ...specOf(this.#line), ...this.#scene.spec };
  }

  #socket(): Transport {
    const clock = this.#clock;
    return {
      liveness: DEFAULT_LIVENESS,
      bufferedBytes: 0,
      send: (message) => {
        if (this.#isStuck) return false;
        const copy = typeof message === "string" ? message : this.#received(message);
        this.#sent.push({ atMs: millisecondsOf(clock.nowMs()), message: copy });
        if (!this.#isDead) clock.after(NETWORK_MS, () => this.#peer.receive(copy));
        return true;
      },
      ping: () => {
        if (this.#isDead || !this.#scene.answersPings) return;
        clock.after(2 * NETWORK_MS, () => {
          if (!this.#isClosed) this.#leg?.ponged();
        });
      },
      close: (code) => {
        clock.after(NETWORK_MS, () => {
          // A peer that was cut off learns nothing of the end.
          if (!this.#isDead && !this.#isStuck) this.#peer.closed();
          this.#closed(code, false);
        });
      },
    };
  }

  /** A message of the service that is only valid now: carriers take texts, however they were handed over. */
  #received(message: Uint8Array): string | Uint8Array {
    return this.#line.wire === "websocket" ? Uint8Array.from(message) : Buffer.from(message).toString();
  }

  #closed(code: number, violated: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leg?.closed(code, violated);
  }

  #microphone(): Uint8Array | undefined {
    // In the middle of the frame that has just been spoken.
    const spokenMs = addMs(this.#clock.nowMs(), -(FRAME_MS / 2));
    const isWithin = ({ fromMs, untilMs }: { fromMs: number; untilMs: number }): boolean =>
      monotonicMs(fromMs) <= spokenMs && spokenMs < monotonicMs(untilMs);
    if (this.#scene.muted.some(isWithin)) return undefined;
    if (!this.#scene.speech.some(isWithin)) return this.#silence;
    return this.#speech[Math.floor(millisecondsOf(spokenMs) / FRAME_MS) % this.#speech.length];
  }
}

/** So much of a vowel, again and again: short enough for gzip to find it again. */
const VOWEL_SECONDS = 0.2;

/** The frames of the vowel. */
function vowelFrames(format: AudioFormat): Uint8Array[] {
  const { codec, rateHz } = format;
  const bytes = encodeSamples(
    Int16Array.from({ length: VOWEL_SECONDS * rateHz }, (_, n) => vowelAt(n / rateHz)),
    codec,
  );
  const count = frameBytes(format);
  return Array.from({ length: bytes.length / count }, (_, frame) => bytes.subarray(frame * count, (frame + 1) * count));
}

/** The real voice detector, which fails at a frame. */
const failingAt =
  (frame: number): VoiceActivityDetection["open"] =>
  (rateHz) => {
    const vad = voiceActivity.open(rateHz);
    let frames = 0;
    return {
      isSpeech: (samples) => {
        frames += 1;
        if (frames === frame) throw new Error("the voice detector fails as scripted");
        return vad.isSpeech(samples);
      },
      destroy: () => vad.destroy(),
    };
  };
