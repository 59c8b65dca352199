import { unlink } from "node:fs";
import type { CallSpec } from "../../src/core/call-spec.ts";
import { journalPath } from "../../src/record/journal-reader.ts";
import type { HandOff, RedeemedCall } from "../../src/store/hand-off.ts";
import { hashSecret, mintToken } from "../../src/store/secrets.ts";

/** The agent opens and talks for ever: model_a is the endless one. It cannot be interrupted, though the caller speaks too. */
const LOAD_SPEC: CallSpec = {
  systemPrompt: "You answer the telephone of a bakery.",
  voiceId: "replay/voice",
  language: "en-US",
  languagePinned: false,
  model: "model_a",
  temperature: 0,
  firstSpeaker: "agent",
  interruptible: false,
  maxDurationMs: 7_200_000,
  inactivityTimeoutMs: 300_000,
  inactivityAction: "hang_up",
  recordingEnabled: false,
  connectionType: "carrier_a",
  tools: [],
};

/** A whole conversation, with the reference brain. */
const FULL_SPEC: CallSpec = {
  ...LOAD_SPEC,
  model: "model_b",
  firstSpeaker: "user",
  tools: [{ kind: "built_in", name: "hang_up", fixedArguments: {} }],
};

/**
 * Stands in for the control process, which has no part in a frame's way: calls that were never created by a request, and tokens
 * that are good once.
 */
export class ServiceCalls implements HandOff {
  readonly #dataDir: string;
  readonly #waiting = new Map<string, RedeemedCall>();
  readonly #indexes = new Map<string, number>();
  #count = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** One more call and its path; `index` is its number in the fleet, undefined for a full caller's. */
  create(index: number | undefined, recorded: boolean): string {
    const token = mintToken();
    const tokenHash = hashSecret(token);
    this.#count += 1;
    const callId = `call_${this.#count}`;
    const spec = { ...(index === undefined ? FULL_SPEC : LOAD_SPEC), recordingEnabled: recorded };
    this.#waiting.set(tokenHash, { callId, accountId: "bench", spec });
    if (index !== undefined) this.#indexes.set(token, index);
    return `/stream/${token}`;
  }

  /** The number in the fleet of the call that a token stands for. */
  indexOf(token: string): number | undefined {
    return this.#indexes.get(token);
  }

  async redeem(tokenHash: string): Promise<RedeemedCall | undefined> {
    const call = this.#waiting.get(tokenHash);
    this.#waiting.delete(tokenHash);
    return call;
  }

  ended(callId: string): void {
    // What counts is that it was written; a long run must not fill the disk.
    unlink(journalPath(this.#dataDir, callId), () => {});
  }
}
