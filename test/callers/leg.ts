import type { TurnParameters } from "../../src/call/parameters.ts";
import { CONNECTION_TYPES } from "../../src/carriers/list.ts";
import { createTwilioWire } from "../../src/carriers/twilio/wire.ts";
import type { Prices } from "../../src/core/billing/prices.ts";
import type { SpendSettings } from "../../src/core/billing/spend.ts";
import type { CallSpec } from "../../src/core/calls/spec.ts";
import { asAccountId, asCallId } from "../../src/core/ids.ts";
import type { Retriever } from "../../src/core/knowledge/passages.ts";
import { WorkerMetrics } from "../../src/core/metrics/worker-metrics.ts";
import type { SchemaChecks } from "../../src/core/schemas/checker.ts";
import { HttpTools } from "../../src/core/tools/http/client.ts";
import { Ticker } from "../../src/gateway/event-loop/ticker.ts";
import type { JournalWriter } from "../../src/gateway/journal/writer.ts";
import { JournalWriters } from "../../src/gateway/journal/writers.ts";
import type { PhraseFinder } from "../../src/gateway/phrases/book.ts";
import { legFormatOf } from "../../src/gateway/session.ts";
import type { PhoneNetwork } from "../../src/gateway/session-options.ts";
import { AccountSpends } from "../../src/gateway/spend/account.ts";
import { CallSpend } from "../../src/gateway/spend/call.ts";
import type { LivenessOptions } from "../../src/gateway/transport/liveness.ts";
import type { Transport } from "../../src/gateway/transport/transport.ts";
import { busRateHz } from "../../src/media/bus-rate.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import type { VoiceActivityDetector } from "../../src/media/voice-activity/detector.ts";
import { loadFvadDetection } from "../../src/media/voice-activity/fvad.ts";
import { journalPath } from "../../src/record/journal/reader.ts";
import type { Llm, Stt, Tts } from "../../src/speech/contracts.ts";
import type { Wire } from "../../src/wire/wire.ts";
import { inboundAudio } from "../support/audio/inbound-audio.ts";
import { Connection } from "../support/calls/connection.ts";
import { FIXED_PAUSES } from "../support/calls/fixed-pauses.ts";
import { SPEC } from "../support/calls/virtual-call.ts";
import { DEFAULT_LIVENESS } from "../support/configuration/liveness.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";
import { ScriptedLlm, textReply } from "../support/providers/scripted-llm.ts";
import { ScriptedTts } from "../support/providers/scripted-tts.ts";
import { INLINE_SCHEMAS } from "../support/stubs/inline-schemas.ts";
import { NO_SPEND_LIMITS } from "../support/stubs/no-limits.ts";
import { NO_PHRASES } from "../support/stubs/no-phrases.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { CONNECTED, mediaMessage, startMessage } from "./twilio-stream.ts";

const [voiceActivity, makeResampler] = await Promise.all([loadFvadDetection(), loadResampler()]);

/** A transport that records what was sent; `stuck` drops everything, as with a peer that does not read. */
export class FakeSocket implements Transport {
  readonly liveness: LivenessOptions;
  readonly bufferedBytes = 0;
  /** Texts. */
  readonly sent: string[] = [];
  /** Binary messages. */
  readonly audio: Uint8Array[] = [];
  ended: { code: number; reason: string } | undefined;
  stuck = false;
  pings = 0;
  onPing = (): void => {};
  onEnd = (): void => {};

  constructor(liveness: Partial<LivenessOptions> = {}) {
    this.liveness = { ...DEFAULT_LIVENESS, ...liveness };
  }

  send(message: Uint8Array | string, isBinary = false): boolean {
    if (this.stuck) return false;
    if (isBinary) this.audio.push(Buffer.from(message));
    else this.sent.push(typeof message === "string" ? message : Buffer.from(message).toString("utf8"));
    return true;
  }

  ping(): void {
    this.pings += 1;
    this.onPing();
  }

  close(code: number, reason: string): void {
    this.ended = { code, reason };
    this.onEnd();
  }

  /** The events of the messages sent so far. */
  get events(): string[] {
    return this.sent.map((text) => (JSON.parse(text) as { event: string }).event);
  }

  /** The messages of a raw WebSocket that were sent so far. */
  get messages(): Record<string, unknown>[] {
    return this.sent.map((text) => JSON.parse(text) as Record<string, unknown>);
  }
}

export interface LegOptions {
  /** Whether the peer may come back after its connection was lost; by default it may not. */
  mayResume?: boolean;
  /** By default the service does not control the telephone call. */
  phone?: PhoneNetwork;
  spec?: Partial<CallSpec>;
  stt?: Stt;
  llm?: Llm;
  tts?: Tts;
  vad?: VoiceActivityDetector;
  /** In place of carrier_a's. */
  wire?: Wire;
  parameters?: Readonly<TurnParameters>;
  liveness?: Partial<LivenessOptions>;
  /** Whether the peer answers pings; by default it does. */
  answersPings?: () => boolean;
  /** In place of those that may call this machine. */
  httpTools?: Pick<HttpTools, "carryOut">;
  /** Answers questions from corpora; none by default. */
  retriever?: (clock: ManualClock) => Retriever;
  /** In place of those that answer in this process. */
  schemas?: Pick<SchemaChecks, "prepare" | "check">;
  /** In place of none but the built-in ones. */
  phrases?: PhraseFinder;
  /** What the call and its account may spend; no limit by default. */
  spend?: SpendSettings;
  /** What the account spends beside; by default an account that no other leg has. */
  accounts?: AccountSpends;
  prices?: Prices;
  /** A leg whose clock and ticker this one shares, as calls of one process do. */
  shared?: { clock: ManualClock; ticker: Ticker };
  /** Gets what the connection is made of, to break some of it. */
  tamper?: (parts: { socket: FakeSocket; wire: Wire; journal: JournalWriter; metrics: WorkerMetrics }) => void;
}

/** One connection, by default of carrier_a, with a fake socket and a clock that is moved by hand. */
export function leg(options: LegOptions = {}) {
  const clock = options.shared?.clock ?? new ManualClock();
  const ticker = options.shared?.ticker ?? new Ticker(clock);
  const socket = new FakeSocket(options.liveness);
  const directory = temporaryDirectory();
  const { log, lines: logged } = memoryLog();
  const journals = new JournalWriters({ dataDir: directory, software: "test", clock, log });
  const redeemed = {
    callId: asCallId("call_01980000-0000-7000-8000-000000000001"),
    accountId: asAccountId("account_01980000-0000-7000-8000-000000000002"),
    spec: { ...SPEC, ...options.spec },
  };
  const wire = options.wire ?? createTwilioWire();
  const { parameters = FIXED_PAUSES, spend = NO_SPEND_LIMITS } = options;
  const accountSpends = options.accounts ?? new AccountSpends({ limits: spend.account, clock });
  const journal = journals.open({
    ...redeemed,
    startedAt: "2026-01-01T00:00:00.000Z",
    leg: legFormatOf(wire),
    sttHasInterim: true,
    parameters,
  });
  const metrics = new WorkerMetrics(CONNECTION_TYPES, () => {
    throw new Error("one leg is no worker");
  });
  const keys: string[] = [];
  const { event: journalEvent } = journal;
  journal.event = (atMs, event) => {
    if (event.kind === "dtmf") keys.push(event.digit);
    journalEvent.call(journal, atMs, event);
  };
  options.tamper?.({ socket, wire, journal, metrics });
  let done = 0;
  const started: string[] = [];
  const connection = new Connection({
    redeemed,
    mayResume: options.mayResume ?? false,
    phone: options.phone,
    transport: socket,
    wire,
    inbound: inboundAudio(),
    vad: options.vad ?? voiceActivity.open(busRateHz(wire.inboundRateHz)),
    makeResampler,
    stt: options.stt,
    llm: options.llm ?? new ScriptedLlm(clock, [textReply("I see.")]),
    tts: options.tts ?? new ScriptedTts(clock),
    parameters,
    httpTools: options.httpTools ?? new HttpTools({ secrets: new Map(), allowLoopback: true }),
    retriever: options.retriever?.(clock),
    schemas: options.schemas ?? INLINE_SCHEMAS,
    phrases: options.phrases ?? NO_PHRASES,
    spend: new CallSpend({
      accountId: redeemed.accountId,
      settings: spend,
      accountSpends,
      maxCost: redeemed.spec.maxCost,
      prices: options.prices,
      metrics,
      nowMs: () => clock.nowMs(),
    }),
    journal,
    metrics,
    clock,
    log,
    onStarted: (carrierCallId) => started.push(carrierCallId),
    onDone: () => {
      done += 1;
      stopTicking();
    },
  });
  socket.onPing = () => {
    if (options.answersPings?.() ?? true) connection.ponged();
  };
  socket.onEnd = () => connection.closed(1_006, false);
  const stopTicking = ticker.add(connection);
  connection.begin();
  let chunk = 0;

  return {
    clock,
    ticker,
    socket,
    connection,
    metrics,
    logged,
    /** Its journal; whole once the connection is done. */
    journalPath: journalPath(directory, redeemed.callId),
    /** The carrier's ids of the call that the connection reported at its start. */
    started,
    /** How often the connection reported that it is done. */
    done: () => done,
    /** The DTMF digits that the call received. */
    digits: () => keys.join(""),
    /** The reasons of the call's end that were logged. */
    ends: () =>
      logged.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line.msg === "call ended"),
    /** The carrier connects another stream; what is sent from now on is sent on it. Returns its socket. */
    reconnect(): FakeSocket {
      const next = new FakeSocket(options.liveness);
      const nextWire = createTwilioWire();
      const vad = voiceActivity.open(busRateHz(nextWire.inboundRateHz));
      connection.reconnect({ transport: next, wire: nextWire, vad, inbound: inboundAudio() });
      return next;
    },
    text: (text: string) => connection.message(Buffer.from(text), false),
    json: (message: object) => connection.message(Buffer.from(JSON.stringify(message)), false),
    start(streamId?: string): void {
      this.json(CONNECTED);
      this.json(startMessage(streamId));
    },
    /** 20 ms of silence, or of `payload`. */
    media(payload?: string): void {
      chunk += 1;
      this.json(mediaMessage(chunk, payload));
    },
    /** Advances the clock while the carrier sends a frame of silence every 20 ms. */
    async listen(forMs: number): Promise<void> {
      for (let at = 0; at < forMs; at += 20) {
        await clock.play(20);
        this.media();
      }
    },
  };
}
