import type { EndReason } from "../../core/calls/reasons.ts";
import { addMs, type EpochMs } from "../../core/clocks.ts";
import {
  LIVE_CHECK_MS,
  PRICE_AT_MS,
  REFUSAL_MS_MAX,
  STREAM_CONNECT_MS_MAX,
  STREAM_REPORT_MS_MAX,
} from "../../core/limits/phone/phone-calls.ts";
import type { PhoneCallCommand } from "./commands.ts";
import type { Phase, PhoneCallState } from "./state.ts";

/** The next state of a call, while a step makes it, with the commands so far. */
export class Draft {
  readonly nowMs: EpochMs;
  readonly commands: PhoneCallCommand[] = [];
  state: PhoneCallState;

  constructor(state: PhoneCallState, nowMs: EpochMs) {
    this.state = state;
    this.nowMs = nowMs;
  }

  get phase(): Phase {
    return this.state.phase;
  }

  emit(...commands: readonly PhoneCallCommand[]): void {
    this.commands.push(...commands);
  }

  change(change: Partial<PhoneCallState>): void {
    this.state = { ...this.state, ...change };
  }

  go(phase: Phase): void {
    this.change({ phase });
  }

  /** The carrier has placed the call, or reports its answer: it rings. */
  learn(carrierCallId: string): void {
    if (this.state.carrierCallId === undefined) this.change({ carrierCallId });
  }

  live(): void {
    this.go({ at: "live", untilMs: addMs(this.nowMs, LIVE_CHECK_MS) });
  }

  /** Connects a stream, with a new token. */
  connect(by: "document" | "rest"): void {
    const connect = this.state.connects + 1;
    const { isAnswered } = this.state;
    this.emit(by === "document" ? { kind: "connect", by, connect } : { kind: "connect", by, connect, isAnswered });
    this.change({ connects: connect, isAnswered: true });
  }

  /** Connects the stream that has its token, to a call that the carrier has answered for it. */
  connectAnswered(): void {
    this.emit({ kind: "connect", by: "rest", connect: this.state.connects, isAnswered: true });
  }

  /** From then on a stream whose token is issued now cannot have connected. */
  get connectUntilMs(): EpochMs {
    return addMs(this.nowMs, STREAM_CONNECT_MS_MAX + STREAM_REPORT_MS_MAX);
  }

  /** Hangs up, if there is a call to hang up. */
  hangUp(): void {
    const { carrierCallId, isCarrierOver } = this.state;
    if (carrierCallId !== undefined && !isCarrierOver) this.emit({ kind: "hang-up", carrierCallId });
  }

  /** The call is over for its machine, and its record ends by `reason` if it has not ended. */
  over(reason: EndReason, { isBridged = false, isRefused = false } = {}): void {
    const { isRecordOver, hasSlot, carrierCallId, isCarrierOver } = this.state;
    if (!isRecordOver) this.emit({ kind: "end-record", reason });
    if (hasSlot) this.emit({ kind: "release-slot" });
    this.change({ isRecordOver: true, hasSlot: false });
    const [firstMs] = PRICE_AT_MS;
    const asksPrice = carrierCallId !== undefined && !this.state.hasPrice && firstMs !== undefined;
    this.go({
      at: "over",
      isBridged,
      sinceMs: this.nowMs,
      priceAsks: 0,
      ...(isRefused && !isCarrierOver && { cutMs: addMs(this.nowMs, REFUSAL_MS_MAX) }),
      ...(asksPrice && { priceMs: addMs(this.nowMs, firstMs) }),
    });
  }

  /** Hangs up, and the call is over. */
  cut(reason: EndReason): void {
    this.hangUp();
    this.over(reason);
  }

  /** Says that the call cannot go on, and the call is over. */
  refuse(reason: EndReason, by: "document" | "rest"): void {
    const { isCarrierOver, isAnswered } = this.state;
    if (!isCarrierOver) this.emit(by === "rest" ? { kind: "refuse", by, isAnswered } : { kind: "refuse", by });
    this.over(reason, { isRefused: true });
  }
}
