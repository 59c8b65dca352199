import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../call/parameters.ts";
import { promptTokensMaxOf } from "../call/prompt-budget.ts";
import { createPlivoWire } from "../carriers/plivo/wire.ts";
import { createTelnyxWire } from "../carriers/telnyx/wire.ts";
import { createTwilioWire } from "../carriers/twilio/wire.ts";
import type { Prices } from "../core/billing/prices.ts";
import type { SpendSettings } from "../core/billing/spend.ts";
import {
  type CallSpec,
  CONNECTION_TYPES,
  type ConnectionType,
  type EndReason,
  type ModelName,
} from "../core/calls/spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { REDEMPTIONS_MAX, REFUSAL_MS_MIN } from "../core/limits/admission.ts";
import { HISTORY_TOKENS_DEFAULT } from "../core/limits/llm.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../core/limits/messages.ts";
import type { Logger } from "../core/log/logger.ts";
import { TimeHistogram } from "../core/metrics/histogram.ts";
import type {
  AddedLatency,
  CallCounts,
  LiveState,
  WorkerMetrics,
  WorkerReadings,
} from "../core/metrics/worker-metrics.ts";
import type { SchemaChecks } from "../core/schemas/checker.ts";
import { isSignedToken } from "../core/stream-token.ts";
import { busRateHz } from "../media/bus-rate.ts";
import type { G711Codec } from "../media/g711.ts";
import type { OpusCodecs } from "../media/opus/codecs.ts";
import type { ResamplerFactory } from "../media/resampler.ts";
import type { Vad, VadFactory } from "../media/vad.ts";
import type { Llm, Stt, Tts } from "../speech/contracts.ts";
import type { CallHandoff, EndSummary, RedeemedCall } from "../store/call-handoff.ts";
import type { WorkerLoad } from "../store/handoff/messages.ts";
import { createWebsocketWire } from "../wire/websocket/wire.ts";
import type { InboundAudio, Wire } from "../wire/wire.ts";
import { Ticker } from "./event-loop/ticker.ts";
import type { JournalWriters } from "./journal/writer.ts";
import { closeCodeOf } from "./leg/close-codes.ts";
import { Connection } from "./leg/connection.ts";
import type { Admission, Leg, LegSocket } from "./leg/leg.ts";
import type { LivenessOptions } from "./leg/liveness.ts";
import { TimedLeg } from "./leg/timed-leg.ts";
import { addCounts, type CallReading, zeroCounts } from "./metrics/call-counters.ts";
import type { PhraseFinder } from "./phrases/book.ts";
import {
  authenticatedCarriers,
  type CarrierSecrets,
  SIGNING_CARRIERS,
  type SignatureHeaders,
} from "./server/signatures.ts";
import type { AccountSpends } from "./spend/account.ts";
import { CallSpend } from "./spend/call.ts";
import type { HttpTools } from "./tools/http-client.ts";

export interface GatewayOptions {
  handoff: CallHandoff;
  providers: { stt: Stt | undefined; tts: Tts; llm: Readonly<Record<ModelName, Llm>> };
  makeVad: VadFactory;
  makeResampler: ResamplerFactory;
  opus: OpusCodecs;
  httpTools: HttpTools;
  schemas: SchemaChecks;
  journals: JournalWriters;
  /** Service phrases, by language. */
  phrases: PhraseFinder;
  /** What a call and an account may spend. */
  spend: SpendSettings;
  /** What the accounts of this worker's calls spend. */
  accountSpends: AccountSpends;
  /** What providers charge; undefined where nobody has said. */
  prices: Prices | undefined;
  metrics: Omit<WorkerMetrics, "registry" | "exposition">;
  /** How turns are taken. */
  parameters?: Readonly<TurnParameters>;
  /** What a prompt may hold beside the system prompt and the tools, estimated tokens; HISTORY_TOKENS_DEFAULT where absent. */
  historyTokensMax?: number;
  /** When peers are pinged, and when they are lost. */
  liveness: LivenessOptions;
  clock: Clock;
  log: Logger;
  /** With so many calls it is full, and should be sent no more. */
  callsMax: number;
  /** It has become full, or has room again. Connections that are there already are served all the same. */
  onFull: (isFull: boolean) => void;
  /** What upgrades must be signed with. */
  carrierSecrets: CarrierSecrets;
  /** What a stream's address begins with, in front of `/stream/{token}`: some carriers sign it. */
  mediaUrl: string;
  /** What carrier_b was told to expect of us. */
  telnyxOutboundCodec: G711Codec;
}

const REFUSED: Admission = { kind: "refused", status: 401 };
const BUSY: Admission = { kind: "refused", status: 503 };

/** The media plane of one process: redeems tokens and keeps the calls that came of them. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #calls = new Map<string, Connection>();
  /** What was counted in calls that are over; of transports that none has come by yet it is told as 0. */
  readonly #totals = new Map<ConnectionType, CallCounts>(CONNECTION_TYPES.map((type) => [type, zeroCounts()]));
  readonly #addedLatency: AddedLatency = { in: new TimeHistogram(), out: new TimeHistogram() };
  readonly #ticker: Ticker;
  readonly #inbound: InboundAudio;
  /** Tokens that are being redeemed, and handshakes that are not over. */
  #pendingAdmissions = 0;
  #isFull = false;
  #draining = false;
  /** The drain's deadline has passed: what comes late ends at once. */
  #isDrainOver = false;
  #onEmpty: (() => void) | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#ticker = new Ticker(options.clock);
    this.#inbound = {
      bytes: new Uint8Array(CARRIER_MESSAGE_BYTES_MAX),
      samples: new Int16Array(CARRIER_MESSAGE_BYTES_MAX),
      count: 0,
      timestampMs: Number.NaN,
      chunk: Number.NaN,
    };
    const { providers, metrics } = options;
    if (providers.stt !== undefined) metrics.registerStage("stt", providers.stt.provider);
    for (const { provider } of Object.values(providers.llm)) metrics.registerStage("llm", provider);
    metrics.registerStage("tts", providers.tts.provider);
  }

  /** The ids of the calls that live here. */
  callIds(): string[] {
    return [...this.#calls.keys()];
  }

  /** How many calls it carries, and how many it may. */
  load(): Pick<WorkerLoad, "callCount" | "callsMax"> {
    return { callCount: this.#calls.size, callsMax: this.#options.callsMax };
  }

  /** What the metrics ask for. */
  readings(): WorkerReadings {
    const { journals, callsMax } = this.#options;
    const calls: Record<LiveState, number> = { opening: 0, listening: 0, thinking: 0, speaking: 0 };
    const counts = new Map([...this.#totals].map(([type, sums]) => [type, { ...sums }]));
    for (const connection of this.#calls.values()) {
      const reading = connection.read();
      calls[reading.state] += 1;
      add(counts, reading);
    }
    return {
      calls,
      callsMax,
      counts,
      addedLatency: this.#addedLatency,
      tickLateness: this.#ticker.lateness,
      slotsSkipped: this.#ticker.skippedSlots,
      journalBytes: journals.writtenBytes,
      journalPendingBytes: journals.pendingBytes,
      journalFailures: journals.failures,
      journalsUnsynced: journals.unsynced,
    };
  }

  /**
   * Exchanges a token for a place. Refusals of malformed, unsigned, unknown, used and expired tokens are one and the same, and none is
   * answered before REFUSAL_MS_MIN. Whoever is admitted must open its leg, also when its peer has gone meanwhile.
   *
   * A token that none of our keys signed is refused here: it reaches neither the control process nor the store, and takes no part of
   * what redemptions may take.
   *
   * A token that comes without the signature its call's carrier owes is refused like all others, and stays good. One that is
   * good finds room, also where there is none to offer: its place was reserved when it was made.
   */
  async admit(token: string, headers: SignatureHeaders): Promise<Admission> {
    const { clock, metrics } = this.#options;
    const sinceMs = clock.nowMs();
    const admission = await this.#admission(token, headers);
    if (admission.kind === "refused") metrics.upgradeRefused(admission.status);
    if (admission === REFUSED) {
      await new Promise<void>((resolve) => {
        clock.after(REFUSAL_MS_MIN - (clock.nowMs() - sinceMs), resolve);
      });
    }
    return admission;
  }

  async #admission(token: string, headers: SignatureHeaders): Promise<Admission> {
    const { handoff, metrics, log, mediaUrl, carrierSecrets } = this.#options;
    // Which tokens are ours is not known before the control process has told its keys.
    if (handoff.tokenKeys.length === 0) return BUSY;
    if (!isSignedToken(token, handoff.tokenKeys)) {
      metrics.redemption("unsigned");
      return REFUSED;
    }
    // Clients of the raw protocol sign nothing: with them the token is all there is.
    const carriers = authenticatedCarriers(`${mediaUrl}/stream/${token}`, headers, carrierSecrets);
    const only: readonly ConnectionType[] | undefined =
      carriers.size === SIGNING_CARRIERS.length ? undefined : ["websocket", ...carriers];
    if (this.#draining || this.#pendingAdmissions >= REDEMPTIONS_MAX) return BUSY;
    this.#pendingAdmissions += 1;
    try {
      const redeemed = await handoff.redeem(createHash("sha256").update(token).digest("hex"), only);
      metrics.redemption(redeemed === undefined ? "refused" : "redeemed");
      if (redeemed !== undefined) return { kind: "admitted", open: (socket) => this.#open(redeemed, socket) };
      this.#onAdmissionOver();
      return REFUSED;
    } catch (error) {
      this.#onAdmissionOver();
      metrics.redemption("failed");
      log.warn({ code: codeOf(error) }, "token redemption failed");
      return BUSY;
    }
  }

  #onAdmissionOver(): void {
    this.#pendingAdmissions -= 1;
    this.#checkEmpty();
  }

  #checkFull(): void {
    const isFull = this.#calls.size >= this.#options.callsMax;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#options.onFull(isFull);
  }

  #checkEmpty(): void {
    if (this.#calls.size + this.#pendingAdmissions === 0) this.#onEmpty?.();
  }

  /** It has no room for another call. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Takes no more calls; resolves when the last one is over. */
  drain(): Promise<void> {
    this.#draining = true;
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      this.#checkEmpty();
    });
  }

  /** Ends a call that lives here; of any other nothing comes. */
  end(callId: string, reason: EndReason): void {
    this.#calls.get(callId)?.end(reason);
  }

  /** Every call that still lives says goodbye and ends; those whose handshakes are not over yet end as they begin. */
  endAllWithGoodbye(): void {
    this.#isDrainOver = true;
    for (const connection of [...this.#calls.values()]) connection.end("drain_timeout", "with a goodbye");
  }

  /** A call whose token is spent must end in a record, even where it could not begin. */
  #open(redeemed: RedeemedCall, socket: LegSocket): Leg {
    try {
      const { connection, leg } = this.#begin(redeemed, socket);
      connection.begin();
      if (this.#isDrainOver) connection.end("drain_timeout");
      return leg;
    } catch (error) {
      const { callId } = redeemed;
      this.#options.log.error({ err: error, code: codeOf(error), callId }, "call could not be started");
      this.#options.metrics.callEnded("worker_lost");
      this.#options.handoff.ended(callId);
      socket.end(closeCodeOf("worker_lost"), "worker_lost");
      return { message: () => {}, pinged: () => {}, ponged: () => {}, closed: () => {} };
    } finally {
      this.#onAdmissionOver();
    }
  }

  #begin(redeemed: RedeemedCall, socket: LegSocket): { connection: Connection; leg: Leg } {
    const { callId, accountId, spec } = redeemed;
    const { providers, httpTools, schemas, journals, phrases, metrics, clock, makeVad, makeResampler } = this.#options;
    const { spend: settings, accountSpends, prices, historyTokensMax = HISTORY_TOKENS_DEFAULT } = this.#options;
    const { parameters = DEFAULT_TURN_PARAMETERS } = this.#options;
    const log = this.#options.log.child({ callId });
    const wire = this.#createWire(callId, spec);
    const inboundRateHz = busRateHz(wire.inboundRateHz);
    // Wire and detector alone can fail, and come first: what is made before them would stay behind.
    const vad = makeVadFor(wire, () => makeVad(inboundRateHz));
    const llm = providers.llm[spec.model];
    const promptTokensMax = promptTokensMaxOf(spec, llm.contextTokens, historyTokensMax);
    const sttHasInterim = providers.stt?.capabilities.interimTranscripts ?? false;
    const journal = journals.open({
      ...redeemed,
      startedAt: new Date(clock.epochMs()).toISOString(),
      leg: { inboundRateHz, outboundRateHz: wire.outboundRateHz, outboundCodec: wire.outboundCodec },
      sttHasInterim,
      parameters,
      promptTokensMax,
    });
    const connection = new Connection({
      redeemed,
      socket,
      wire,
      inbound: this.#inbound,
      vad,
      makeResampler,
      stt: providers.stt,
      llm,
      tts: providers.tts.forVoice?.(spec.voiceId) ?? providers.tts,
      parameters,
      promptTokensMax,
      liveness: this.#options.liveness,
      httpTools,
      schemas,
      phrases,
      spend: new CallSpend({
        accountId,
        settings,
        accountSpends,
        maxCost: spec.maxCost,
        prices,
        metrics,
        nowMs: () => clock.nowMs(),
      }),
      journal,
      metrics,
      clock,
      log,
      onStarted: (carrierCallId) => this.#options.handoff.streamStarted(callId, carrierCallId),
      onDone: (end) => this.#onDone(callId, connection, stopTicking, end),
    });
    const leg = new TimedLeg(connection, clock, this.#ticker, this.#addedLatency);
    const stopTicking = this.#ticker.add(leg);
    this.#calls.set(callId, connection);
    this.#checkFull();
    metrics.callStarted(spec.connectionType);
    log.info("call started");
    return { connection, leg };
  }

  /** Only calls of a wire that exists are ever created. */
  #createWire(callId: string, { connectionType, websocket: format }: CallSpec): Wire {
    switch (connectionType) {
      case "carrier_a":
        return createTwilioWire();
      case "carrier_b":
        return createTelnyxWire({ outboundCodec: this.#options.telnyxOutboundCodec });
      case "carrier_c":
        return createPlivoWire();
      case "websocket":
        assert.ok(format !== undefined, "its format was negotiated");
        return createWebsocketWire({ format, callId, opus: this.#options.opus });
      case "webrtc":
        throw new Error(`no wire for ${connectionType}`);
    }
  }

  #onDone(callId: string, connection: Connection, stopTicking: () => void, end: EndSummary): void {
    stopTicking();
    this.#calls.delete(callId);
    this.#checkFull();
    add(this.#totals, connection.read());
    this.#options.handoff.ended(callId, end);
    this.#checkEmpty();
  }
}

/** Closes the wire when there is no memory for a detector. */
function makeVadFor(wire: Wire, make: () => Vad): Vad {
  try {
    return make();
  } catch (error) {
    wire.close?.();
    throw error;
  }
}

function add(sums: Map<ConnectionType, CallCounts>, { connectionType, counts }: CallReading): void {
  const sum = sums.get(connectionType);
  assert.ok(sum !== undefined, "every transport is counted from the start");
  addCounts(sum, counts);
}
