import { createHash } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { addMs, type MonotonicMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";
import { LISTEN_ADDRESS_MS, LISTEN_ADDRESSES_PER_CALL_MAX } from "../../core/limits/calls/listening.ts";
import { WorkerTokens } from "../resumption/worker-tokens.ts";

const TOKENS = new WorkerTokens("l_", "listen");

/** Whether this token is that of an address to listen at, if it is valid. */
export const isListenToken = (token: string): boolean => TOKENS.has(token);

export interface ListenAddressesOptions {
  /** Of this process. */
  workerTag: string;
  /** The keys that sign tokens, the newest first; empty before the control process has sent them. */
  tokenKeys: () => readonly Uint8Array[];
  /** The address of streams up to `/stream/{token}`. */
  mediaUrl: () => string;
  clock: Pick<Clock, "nowMs">;
}

interface Issued {
  callId: CallId;
  validUntilMs: MonotonicMs;
}

/** The single-use addresses at which clients listen to the calls of this process. The token in the path is all that they need. */
export class ListenAddresses {
  readonly #options: ListenAddressesOptions;
  /** By the hash of the token, so that a look-up takes no time that depends on how much of a token is right; the oldest first. */
  readonly #issued = new Map<string, Issued>();

  constructor(options: ListenAddressesOptions) {
    this.#options = options;
  }

  /** A new address, valid for LISTEN_ADDRESS_MS; undefined before there is a token key. */
  issue(callId: CallId): string | undefined {
    const { workerTag, tokenKeys, mediaUrl, clock } = this.#options;
    const [key] = tokenKeys();
    if (key === undefined) return undefined;
    this.#forgetExpired();
    const ofCall = [...this.#issued].filter(([, issued]) => issued.callId === callId);
    const [oldest] = ofCall;
    if (oldest !== undefined && ofCall.length >= LISTEN_ADDRESSES_PER_CALL_MAX) this.#issued.delete(oldest[0]);
    const token = TOKENS.mint(workerTag, key);
    this.#issued.set(hashOf(token), { callId, validUntilMs: addMs(clock.nowMs(), LISTEN_ADDRESS_MS) });
    return `${mediaUrl()}/stream/${token}`;
  }

  /** Some address is valid. */
  get hasValid(): boolean {
    this.#forgetExpired();
    return this.#issued.size > 0;
  }

  /** The worker that has issued a token; undefined where the service has not signed it. `isOwn`: this process. */
  issuerOf(token: string): { workerTag: string; isOwn: boolean } | undefined {
    const { workerTag: own, tokenKeys } = this.#options;
    const workerTag = TOKENS.workerTagOf(token, tokenKeys());
    return workerTag === undefined ? undefined : { workerTag, isOwn: workerTag === own };
  }

  /** Uses up a token of this process. Undefined for one that is not valid, or no longer. */
  take(token: string): CallId | undefined {
    this.#forgetExpired();
    const hash = hashOf(token);
    const issued = this.#issued.get(hash);
    this.#issued.delete(hash);
    return issued?.callId;
  }

  /** The call is over. */
  forget(callId: CallId): void {
    for (const [hash, issued] of this.#issued) if (issued.callId === callId) this.#issued.delete(hash);
  }

  #forgetExpired(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const [hash, { validUntilMs }] of this.#issued) {
      if (validUntilMs > nowMs) return;
      this.#issued.delete(hash);
    }
  }
}

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");
