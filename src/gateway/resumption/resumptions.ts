import { createHash } from "node:crypto";
import type { CallId } from "../../core/ids.ts";
import { RESUME_ADDRESSES_MAX } from "../../core/limits/streams/connections.ts";
import { WorkerTokens } from "./worker-tokens.ts";

const TOKENS = new WorkerTokens("r_", "resume");

/** Whether this token resumes a call, if it is valid. */
export const isResumeToken = (token: string): boolean => TOKENS.has(token);

export interface ResumptionsOptions {
  /** Of this process; its tokens name it, so that another worker that gets one knows where the call is. */
  workerTag: string;
  /** The keys that sign tokens, the newest first; empty before the control process has sent them. */
  tokenKeys: () => readonly Uint8Array[];
  /** The stream's address up to `/stream/{token}`. */
  mediaUrl: () => string;
}

type FoundToken =
  | { kind: "call"; callId: CallId }
  | { kind: "elsewhere"; workerTag: string }
  | { kind: "used" }
  | { kind: "invalid" };

/**
 * The single-use addresses by which clients come back to calls of this process after their connection was lost, and carriers after a
 * failed transfer. The token in the path is all that they need: carriers strip the query. A call
 * has at most one valid address: a new one takes the place of the one before.
 */
export class Resumptions {
  readonly #options: ResumptionsOptions;
  /** By the hash of the token, so that a look-up takes no time that depends on how much of a token is right. */
  readonly #callIds = new Map<string, CallId>();
  readonly #hashes = new Map<CallId, string>();
  /** What `addressOf` has answered last for each call. */
  readonly #latest = new Map<CallId, { connect: number; url: string }>();
  /** How many addresses each call has had. */
  readonly #counts = new Map<CallId, number>();

  constructor(options: ResumptionsOptions) {
    this.#options = options;
  }

  /** A new address for the call; undefined before there is a token key, and after RESUME_ADDRESSES_MAX of them. */
  issue(callId: CallId): string | undefined {
    const { workerTag, tokenKeys, mediaUrl } = this.#options;
    const [key] = tokenKeys();
    const count = (this.#counts.get(callId) ?? 0) + 1;
    this.#revoke(callId);
    if (key === undefined || count > RESUME_ADDRESSES_MAX) return undefined;
    this.#counts.set(callId, count);
    const token = TOKENS.mint(workerTag, key);
    const hash = hashOf(token);
    this.#callIds.set(hash, callId);
    this.#hashes.set(callId, hash);
    return `${mediaUrl()}/stream/${token}`;
  }

  /**
   * The address for the connection of this number of a telephone call: the same as often as it is asked for, because carriers and nodes
   * ask more than once. Older versions send no number, and get a new one each time.
   */
  addressOf(callId: CallId, connect: number | undefined): string | undefined {
    const latest = this.#latest.get(callId);
    if (latest !== undefined && latest.connect === connect) return latest.url;
    const url = this.issue(callId);
    if (url !== undefined && connect !== undefined) this.#latest.set(callId, { connect, url });
    return url;
  }

  /** Uses up a token: see `find`. */
  take(token: string): FoundToken {
    const found = this.find(token);
    if (found.kind === "call") this.#revoke(found.callId);
    return found;
  }

  /**
   * What a token is of. `elsewhere`: it is of this service and, if it is good, of a call of the worker with that tag; `used`:
   * it was of a call of this process; `invalid`: it is not of this service.
   */
  find(token: string): FoundToken {
    const { tokenKeys, workerTag: own } = this.#options;
    const workerTag = TOKENS.workerTagOf(token, tokenKeys());
    if (workerTag === undefined) return { kind: "invalid" };
    if (workerTag !== own) return { kind: "elsewhere", workerTag };
    const callId = this.#callIds.get(hashOf(token));
    return callId === undefined ? { kind: "used" } : { kind: "call", callId };
  }

  /** The call is over. */
  forget(callId: CallId): void {
    this.#revoke(callId);
    this.#counts.delete(callId);
    this.#latest.delete(callId);
  }

  #revoke(callId: CallId): void {
    const hash = this.#hashes.get(callId);
    if (hash === undefined) return;
    this.#hashes.delete(callId);
    this.#callIds.delete(hash);
  }
}

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");
