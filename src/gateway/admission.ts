import { createHash } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { elapsedMs } from "../core/clocks.ts";
import { codeOf } from "../core/errors.ts";
import { REDEMPTIONS_MAX, REFUSAL_MS_MIN } from "../core/limits/service/admission.ts";
import type { Logger } from "../core/log/logger.ts";
import type { WorkerMetrics } from "../core/metrics/worker-metrics.ts";
import { isSignedToken } from "../core/stream-token.ts";
import type { CallLlm, CallStt, TtsPool } from "../speech/contracts.ts";
import type { CallHandoff, RedeemedCall } from "../store/call-handoff.ts";
import type { UpgradeAuthentication, UpgradeHeaders } from "../wire/upgrade.ts";
import type { Admission } from "./server/media-server.ts";
import type { Transport, TransportListener } from "./transport/transport.ts";

export interface AdmissionGateOptions {
  handoff: Pick<CallHandoff, "tokenKeys" | "redeem">;
  metrics: Pick<WorkerMetrics, "redemption" | "upgradeRefused">;
  clock: Clock;
  log: Logger;
  /** The stream's address up to `/stream/{token}`: some carriers sign it. */
  mediaUrl: () => string;
  /** Which connection types an upgrade may belong to. */
  authentication: UpgradeAuthentication;
  /** Prepares the providers of a call. Must not reject: a call whose token was redeemed is opened in any case. */
  prepare: (redeemed: RedeemedCall) => Promise<PreparedProviders>;
  /** Starts the call of a redeemed token. Must not throw. */
  open: (redeemed: RedeemedCall, prepared: PreparedProviders, stream: OpenedStream) => TransportListener;
  /** An admission is complete: its call was opened, or it was refused. */
  onSettled: () => void;
}

/** The stream of a redeemed token. */
export interface OpenedStream {
  transport: Transport;
  /** The client wants to come back when the connection is lost. */
  asksToResume: boolean;
}

/** The providers of one call. */
export interface CallProviders {
  /** Undefined for an agent without an STT. */
  stt: CallStt | undefined;
  llm: CallLlm;
  tts: Pick<TtsPool, "forVoice">;
}

/** The providers of a call, or why it cannot have any. */
export type PreparedProviders = { providers: CallProviders } | { error: unknown };

const REFUSED: Admission = { kind: "refused", status: 401 };
const UNREACHABLE: Admission = { kind: "refused", status: 504 };
const BUSY: Admission = { kind: "refused", status: 503 };

/** Decides which upgrades become calls: checks their tokens and signatures, and redeems the tokens. */
export class AdmissionGate {
  readonly #options: AdmissionGateOptions;
  #pending = 0;
  #isClosed = false;

  constructor(options: AdmissionGateOptions) {
    this.#options = options;
  }

  /** Tokens that are being redeemed, and handshakes that are not complete. */
  get pending(): number {
    return this.#pending;
  }

  /** Refuses new admissions from now on; pending ones complete. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Exchanges a stream token for a call slot. Malformed, unsigned, unknown, used and expired tokens are refused in the
   * same way, and no refusal is sent before REFUSAL_MS_MIN. Every admission must be opened, even if its peer has
   * disconnected meanwhile.
   *
   * A token that is not signed with one of our keys is refused here: it reaches neither the control process nor the
   * store, and does not count against the limit on redemptions.
   *
   * A token without the signature that its call's carrier must send is refused like any other, and stays valid. Where the call has
   * credentials of its own, those who redeem tokens check the signature, because workers have no credentials. A valid
   * token is admitted even at capacity: its slot was reserved when the token was created.
   */
  async admit(token: string, headers: UpgradeHeaders, asksToResume: boolean): Promise<Admission> {
    const sinceMs = this.#options.clock.nowMs();
    const admission = await this.#decide(token, headers, asksToResume);
    return admission.kind === "refused" ? await this.refuse(admission.status, sinceMs) : admission;
  }

  /** A refusal of a request that came at `sinceMs`, counted; that of a token not before REFUSAL_MS_MIN. */
  async refuse(status: 401 | 503 | 504, sinceMs = this.#options.clock.nowMs()): Promise<Admission> {
    const { clock, metrics } = this.#options;
    metrics.upgradeRefused(status);
    if (status === 503) return BUSY;
    if (status === 504) return UNREACHABLE;
    await new Promise<void>((resolve) => {
      clock.after(REFUSAL_MS_MIN - elapsedMs(sinceMs, clock.nowMs()), resolve);
    });
    return REFUSED;
  }

  async #decide(token: string, headers: UpgradeHeaders, asksToResume: boolean): Promise<Admission> {
    const { handoff, metrics, log, mediaUrl, authentication } = this.#options;
    // Tokens cannot be verified before the control process has sent its token keys.
    if (handoff.tokenKeys.length === 0) return BUSY;
    if (!isSignedToken(token, handoff.tokenKeys)) {
      metrics.redemption("unsigned");
      return REFUSED;
    }
    const url = `${mediaUrl()}/stream/${token}`;
    const allowedTypes = authentication.allowedTypes(url, headers);
    if (this.#isClosed || this.#pending >= REDEMPTIONS_MAX) return BUSY;
    this.#pending += 1;
    try {
      const tokenHash = createHash("sha256").update(token).digest("hex");
      const redeemed = await handoff.redeem(tokenHash, allowedTypes, { url, headers });
      metrics.redemption(redeemed === undefined ? "refused" : "redeemed");
      if (redeemed !== undefined) {
        const prepared = await this.#options.prepare(redeemed);
        return {
          kind: "admitted",
          open: (transport) => this.#open(redeemed, prepared, { transport, asksToResume }),
        };
      }
      this.#settle();
      return REFUSED;
    } catch (error) {
      this.#settle();
      metrics.redemption("failed");
      log.warn({ code: codeOf(error) }, "token redemption failed");
      return BUSY;
    }
  }

  #open(redeemed: RedeemedCall, prepared: PreparedProviders, stream: OpenedStream): TransportListener {
    try {
      return this.#options.open(redeemed, prepared, stream);
    } finally {
      this.#settle();
    }
  }

  #settle(): void {
    this.#pending -= 1;
    this.#options.onSettled();
  }
}
