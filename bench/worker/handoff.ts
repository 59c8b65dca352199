import { unlink } from "node:fs";
import type { CallSpec } from "../../src/core/calls/spec.ts";
import { asAccountId, asCallId, type CallId } from "../../src/core/ids.ts";
import { journalPath } from "../../src/record/journal/reader.ts";
import type { SimulatedWire } from "../../src/simulator/lines.ts";
import type { CallHandoff, RedeemedCall } from "../../src/store/call-handoff.ts";
import { hashSecret } from "../../src/store/secrets.ts";
import { mintToken, TOKEN_KEY } from "../../test/support/tokens.ts";
import { benchLine } from "../rig/lines.ts";

/** What all calls of the benches have in common. */
const BENCH_SPEC = {
  systemPrompt: "You answer the telephone of a bakery.",
  voiceId: "replay/voice",
  language: "en-US",
  languagePinned: false,
  temperature: 0,
  maxDurationMs: 7_200_000,
  inactivityTimeoutMs: 300_000,
  inactivityAction: "hang_up",
} as const;

const lineFields = (wire: SimulatedWire): Pick<CallSpec, "connectionType" | "websocket"> => {
  const line = benchLine(wire);
  return { connectionType: wire, ...(line.wire === "websocket" ? { websocket: line.format } : {}) };
};

/** The agent opens and talks for ever: model_a is the endless one. It cannot be interrupted, though the caller speaks too. */
export const loadSpec = (wire: SimulatedWire, recorded: boolean): CallSpec => ({
  ...BENCH_SPEC,
  ...lineFields(wire),
  model: "model_a",
  firstSpeaker: "agent",
  interruptible: false,
  recordingEnabled: recorded,
  tools: [],
});

/** A whole conversation, with the reference LLM, which is model_b. */
export const conversationSpec = (wire: SimulatedWire, recorded: boolean): CallSpec => ({
  ...loadSpec(wire, recorded),
  model: "model_b",
  firstSpeaker: "user",
  tools: [{ kind: "built_in", name: "hang_up", fixedArguments: {} }],
});

/**
 * Stands in for the control process, which has no part in a frame's way: calls that were never created by a request, and tokens
 * that are good once.
 */
export class BenchHandoff implements CallHandoff {
  readonly tokenKeys = [TOKEN_KEY];
  readonly #dataDir: string;
  readonly #waiting = new Map<string, RedeemedCall>();
  readonly #indexes = new Map<string, number>();
  #count = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** One more call and its path; `index` is its number in the fleet, if it is one of it. */
  create(spec: CallSpec, index?: number): string {
    const token = mintToken();
    this.#count += 1;
    this.#waiting.set(hashSecret(token), {
      callId: asCallId(`call_${this.#count}`),
      accountId: asAccountId("bench"),
      spec,
    });
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

  streamStarted(): void {}

  async isStreamOf(): Promise<boolean> {
    return false;
  }

  phoneRequested(): boolean {
    return false;
  }

  mediaChanged(): void {}

  holdChanged(): void {}

  ended(callId: CallId): void {
    // What counts is that it was written; a long run must not fill the disk.
    unlink(journalPath(this.#dataDir, callId), () => {});
  }
}
