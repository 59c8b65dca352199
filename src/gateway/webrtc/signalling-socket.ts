import type { EndReason } from "../../core/calls/reasons.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import { TrunklineError } from "../../core/errors.ts";
import { parseObject } from "../../core/json.ts";
import {
  NON_AUDIO_MESSAGES_PER_SECOND_MAX,
  TEXT_BYTES_BURST_MAX,
  TEXT_BYTES_PER_SECOND_MAX,
} from "../../core/limits/streams/messages.ts";
import {
  FALLBACK_ANSWER_MS_MAX,
  OFFER_MS_MAX,
  OFFERS_MAX,
  RTP_SILENCE_CHECK_MS,
  RTP_SILENCE_MS_MAX,
  WEBRTC_CONNECT_MS_MAX,
} from "../../core/limits/streams/webrtc.ts";
import type { ClientErrorCode } from "../../wire/client-errors.ts";
import {
  encodeAnswer,
  encodeHello,
  FALLBACK_REQUEST,
  type FallbackCodec,
  type IceServer,
  readSignal,
  type Signal,
  signalTextIn,
} from "../../wire/webrtc/signalling.ts";
import { FixedWindowLimiter } from "../rate-limits/fixed-window.ts";
import { TokenBucket } from "../rate-limits/token-bucket.ts";
import { isCut } from "../transport/close-codes.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import type { PeerEnd } from "./peer.ts";

/** RTP of one peer, which carries a leg of its call once it is connected. */
export interface SignalledRtp {
  /** The SDP answer for the client. */
  readonly answer: string;
  /** When a packet was received last; at first when the link was opened. */
  readonly receivedMs: MonotonicMs;
  /** Attaches the RTP to the call: the leg gets the texts of the client. */
  attach(): TransportListener;
  /** Closes the peer, and leaves the socket open. */
  close(): void;
}

/** What happens to its peer. */
export interface RtpEvents {
  connected(): void;
  closed(reason: PeerEnd): void;
}

export interface SignallingSocketOptions {
  /** The call's WebSocket. */
  socket: Transport;
  iceServers: readonly IceServer[];
  /** Where the client may connect again; absent where it has not asked for that. */
  resumeUrl: string | undefined;
  clock: Pick<Clock, "nowMs" | "after">;
  /** Opens RTP for an offer. Throws `bad_offer`, and `unavailable` when the library fails. */
  openRtp: (sdp: string, events: RtpEvents) => SignalledRtp;
  /** Attaches audio on the socket to the call. Throws `unavailable` when there is no memory for a codec. */
  attachSocket: (codec: FallbackCodec) => TransportListener;
  /** Whether the call has ended. */
  isOver: () => boolean;
  /** Ends the call. */
  end: (reason: EndReason) => void;
  /** The connection is closed, and had no leg. `isCut`: the client did not end it. */
  closedWithoutLeg: (reason: EndReason, isCut: boolean) => void;
}

type State =
  /** The client has sent no usable offer. */
  | { readonly at: "greeting" }
  /** An offer was answered, and its peer is not connected yet. */
  | { readonly at: "connecting"; readonly link: SignalledRtp }
  | { readonly at: "rtp"; readonly link: SignalledRtp; readonly leg: TransportListener }
  | { readonly at: "socket"; readonly leg: TransportListener }
  | { readonly at: "over" };

/**
 * The WebSocket of a WebRTC call: arranges how its audio travels, and carries its texts. Audio begins when RTP is
 * connected, or on this socket when the client chooses that, at any time; then the call has a leg. A client that does
 * neither in time ends its call with `unreachable`.
 */
export class SignallingSocket implements TransportListener {
  readonly #options: SignallingSocketOptions;
  /** Messages that no leg limits. */
  readonly #messages = new FixedWindowLimiter<MonotonicMs>(NON_AUDIO_MESSAGES_PER_SECOND_MAX);
  /** Of texts that no leg parses, bytes. */
  readonly #parseBudget = new TokenBucket<MonotonicMs>({
    atOnce: TEXT_BYTES_BURST_MAX,
    perSecond: TEXT_BYTES_PER_SECOND_MAX,
  });
  #state: State = { at: "greeting" };
  #offers = 0;
  #cancelDeadline = (): void => {};
  /** Of the last deadline. */
  #deadlineMs = monotonicMs(0);
  /** The client was asked for the fallback. */
  #awaitsFallback = false;
  #isClosed = false;

  constructor(options: SignallingSocketOptions) {
    this.#options = options;
  }

  /** Sends `hello`. */
  begin(): void {
    const { socket, iceServers, resumeUrl } = this.#options;
    socket.send(encodeHello(iceServers, resumeUrl));
    this.#endUnless(OFFER_MS_MAX);
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const state = this.#state;
    if (state.at === "over" || this.#options.isOver()) return;
    if (isBinary) {
      // Audio of a client that has not chosen to send it here.
      if (state.at === "socket") state.leg.message(bytes, true);
      else this.#checkRate();
      return;
    }
    const leg = state.at === "rtp" || state.at === "socket" ? state.leg : undefined;
    const text = signalTextIn(bytes);
    if (text === undefined) {
      if (leg !== undefined) leg.message(bytes, false);
      else if (this.#checkRate() && isEnd(bytes)) this.#options.end("caller_hangup");
      return;
    }
    // A leg charges what it reads.
    if (!this.#checkRate() || !this.#checkParsing(bytes.length)) return;
    const signal = readSignal(text);
    if (signal !== undefined) this.#onSignal(signal);
    else leg?.message(bytes, false);
  }

  /** The connection is gone. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** A leg has it, which closes it. */
  get hasLeg(): boolean {
    return this.#state.at === "rtp" || this.#state.at === "socket";
  }

  /** The client has connected again, or the call is over: RTP that no leg has is closed, and nothing more is read. */
  finish(): void {
    const state = this.#state;
    this.#finish();
    if (state.at === "connecting") state.link.close();
  }

  pinged(): void {
    if (this.#state.at === "rtp" || this.#state.at === "socket") this.#state.leg.pinged();
  }

  ponged(): void {
    if (this.#state.at === "rtp" || this.#state.at === "socket") this.#state.leg.ponged();
  }

  closed(code: number, violated: boolean): void {
    const state = this.#state;
    this.#isClosed = true;
    this.#finish();
    if (state.at === "over") return;
    if (state.at === "connecting") state.link.close();
    if (state.at === "rtp" || state.at === "socket") {
      state.leg.closed(code, violated);
      if (state.at === "rtp") state.link.close();
      return;
    }
    this.#options.closedWithoutLeg(violated ? "protocol_error" : "caller_hangup", isCut(code, violated));
  }

  #finish(): void {
    this.#cancelDeadline();
    this.#state = { at: "over" };
  }

  #onSignal(signal: Signal): void {
    switch (signal.kind) {
      case "offer":
        this.#onOffer(signal.sdp);
        return;
      case "fallback":
        this.#onFallback(signal.codec);
        return;
      case "malformed":
        this.#sendError("wire_malformed", signal.message);
        return;
    }
  }

  #onOffer(sdp: string): void {
    if (this.#state.at !== "greeting") {
      this.#sendError("bad_offer", "only one offer can be answered: send `fallback`, or connect again");
      return;
    }
    this.#offers += 1;
    try {
      const link = this.#options.openRtp(sdp, {
        connected: () => this.#onConnected(),
        closed: (reason) => this.#onPeerClosed(reason),
      });
      this.#state = { at: "connecting", link };
      this.#options.socket.send(encodeAnswer(link.answer));
      this.#endUnless(WEBRTC_CONNECT_MS_MAX);
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error;
      if (error.code !== "bad_offer") {
        // The library fails, which no other offer would mend.
        this.#requestFallback();
        return;
      }
      this.#sendError("bad_offer", error.message);
      if (this.#offers >= OFFERS_MAX) this.#options.end("protocol_error");
    }
  }

  #onConnected(): void {
    const state = this.#state;
    if (state.at !== "connecting" || this.#options.isOver()) return;
    this.#cancelDeadline();
    const { link } = state;
    // Attaching sends `ready` and may end the call at once.
    const leg = this.#attached(() => link.attach());
    if (leg === undefined) return;
    this.#state = { at: "rtp", link, leg };
    this.#watchRtp();
  }

  /** The client sends its audio here from now on; what it has not heard of the agent is sent again here. */
  #onFallback(codec: FallbackCodec): void {
    const state = this.#state;
    if (state.at === "socket") return;
    this.#cancelDeadline();
    this.#awaitsFallback = false;
    // Before its leg is detached: that would close this socket.
    if (state.at === "connecting" || state.at === "rtp") state.link.close();
    // The leg of the RTP has no socket to close any more: where there is no memory for another one, the call closes it.
    this.#state = { at: "greeting" };
    const leg = this.#attached(() => this.#options.attachSocket(codec));
    if (leg !== undefined) this.#state = { at: "socket", leg };
  }

  /** A leg; undefined, and the end of the call, where there is no memory for one. */
  #attached(attach: () => TransportListener): TransportListener | undefined {
    try {
      return attach();
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error;
      this.#options.end("worker_lost");
      return undefined;
    }
  }

  #onPeerClosed(reason: PeerEnd): void {
    const { at } = this.#state;
    if (at !== "connecting" && at !== "rtp") return;
    if (reason === "flood") this.#options.end("message_flood");
    else this.#requestFallback();
  }

  /** RTP that stops, while the socket lives, is replaced by audio on the socket. */
  #watchRtp(): void {
    this.#cancelDeadline = this.#options.clock.after(RTP_SILENCE_CHECK_MS, () => {
      if (this.#state.at !== "rtp") return;
      const silentMs = elapsedMs(this.#state.link.receivedMs, this.#options.clock.nowMs());
      if (silentMs >= RTP_SILENCE_MS_MAX) this.#requestFallback();
      else this.#watchRtp();
    });
  }

  #requestFallback(): void {
    if (this.#awaitsFallback) return;
    this.#awaitsFallback = true;
    this.#options.socket.send(FALLBACK_REQUEST);
    // A client that has not connected yet gets no more time by it.
    const leftMs =
      this.#state.at === "connecting" ? elapsedMs(this.#options.clock.nowMs(), this.#deadlineMs) : Infinity;
    this.#endUnless(Math.min(FALLBACK_ANSWER_MS_MAX, Math.max(0, leftMs)));
  }

  /** Without a change of the state the call ends by then. */
  #endUnless(withinMs: number): void {
    this.#cancelDeadline();
    this.#deadlineMs = addMs(this.#options.clock.nowMs(), withinMs);
    this.#cancelDeadline = this.#options.clock.after(withinMs, () => this.#options.end("unreachable"));
  }

  /** False, and the end of the call, when the client sends too many messages that no leg counts. */
  #checkRate(): boolean {
    if (this.#messages.allows(this.#options.clock.nowMs())) return true;
    this.#options.end("protocol_error");
    return false;
  }

  /** False, and the end of the call, when the client has more parsed than a leg would parse. */
  #checkParsing(size: number): boolean {
    if (this.#parseBudget.take(size, this.#options.clock.nowMs())) return true;
    this.#options.end("protocol_error");
    return false;
  }

  #sendError(code: ClientErrorCode, message: string): void {
    this.#options.socket.send(JSON.stringify({ type: "error", code, message }));
  }
}

/** A text `end` has no other field; of a long one only the size is looked at. */
const END_BYTES_MAX = 1_024;

const isEnd = (bytes: Uint8Array): boolean =>
  bytes.length <= END_BYTES_MAX && parseObject(Buffer.from(bytes).toString("utf8"))?.type === "end";
