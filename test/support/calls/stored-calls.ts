import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { callMs } from "../../../src/core/clocks.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import type { AgentDefinition } from "../../../src/store/agent-store.ts";
import type { CallEnd, CallQuery, CallRecord, ListedCall, NewCall } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { ManualClock } from "../manual-clock.ts";
import { mintToken, redeemedBy } from "../tokens.ts";
export const SPEC: CallSpec = {
  systemPrompt: "You book tables at Lario’s.",
  voiceId: "espeak/gmw/en-US",
  language: "en-US",
  languagePinned: false,
  model: "model_b",
  temperature: 0,
  greeting: "Lario’s, good evening.",
  firstSpeaker: "agent",
  interruptible: false,
  maxDurationMs: 3_000_000,
  inactivityTimeoutMs: 30_000,
  inactivityAction: "prompt",
  recordingEnabled: true,
  connectionType: "carrier_a",
  tools: [{ kind: "built_in", name: "hang_up", fixedArguments: {} }],
  metadata: { order: 17, note: "né \u0000 \u2028 👋", nested: { __list: [1, null, "x"] } },
};

export const TURNS: readonly TranscriptTurn[] = [
  { role: "agent", text: "Lario’s, good evening.", startMs: callMs(40), endMs: callMs(1_900.5), interrupted: false },
  { role: "user", text: "a table\0 for two", startMs: callMs(2_400), endMs: callMs(3_800), interrupted: false },
  {
    role: "agent",
    text: "For when",
    startMs: callMs(4_400),
    endMs: callMs(4_900),
    interrupted: true,
    latency: { endOfTurnMs: 500, firstTextMs: 510, firstAudioMs: 560.25, firstFrameMs: 580 },
  },
];

export const AGENT: AgentDefinition = {
  name: "Front desk",
  basePrompt: "You answer the telephone.",
  context: "",
  customInstructions: "",
  languageId: "en-US",
  voiceId: "espeak/gmw/en-US",
  callSettings: {},
  toolIds: [],
  corpusIds: [],
  variables: [],
  allowedOverrides: [],
};

export const TTL_MS = 60_000;

/** A call that waits for its stream, and the hash of its token. */
export async function createCall(stores: Stores, accountId: AccountId, spec = SPEC, more: Partial<NewCall> = {}) {
  const tokenHash = hashSecret(mintToken());
  const made = await stores.calls.create({ accountId, spec, tokenHash, tokenTtlMs: TTL_MS, ...more });
  if (made.kind !== "created") throw new Error("not created");
  return { id: made.call.id, record: made.call, tokenHash };
}

/** A possible end of a call, at present. */
export const endAt = (clock: ManualClock, changes: Partial<CallEnd> = {}): CallEnd => ({
  status: "ended",
  endReason: "caller_hangup",
  endedAtMs: clock.epochMs(),
  durationMs: 5_000.5,
  turns: TURNS,
  ...changes,
});

/** One call in each status, in the order they were created. */
export async function inEveryStatus(stores: Stores, accountId: AccountId, clock: ManualClock, spec: CallSpec = SPEC) {
  const create = (more?: Partial<NewCall>) => createCall(stores, accountId, spec, more);
  const [created, active, ended, failed] = [await create(), await create(), await create(), await create()];
  const expired = await create({ tokenTtlMs: 0 });
  for (const { tokenHash } of [active, ended, failed])
    await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  await stores.calls.finish(ended.id, endAt(clock));
  await stores.calls.finish(failed.id, endAt(clock, { status: "failed", endReason: "provider_error" }));
  return { created, active, ended, failed, expired };
}

/** A record as lists show it. */
export const listed = ({ settings: { tools: _, ...settings }, ...record }: CallRecord): ListedCall => ({
  ...record,
  settings,
});

/** The ids of the calls that a list gives, in its order. */
export async function listedIds(stores: Stores, accountId: AccountId, query: Partial<CallQuery> = {}) {
  const { calls } = await stores.calls.list(accountId, { limit: 100, ...query });
  return calls.map((call) => call.id);
}
