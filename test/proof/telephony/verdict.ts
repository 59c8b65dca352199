import type { EndCause } from "../../../src/simulator/emulator/network.ts";
import type { PhoneCallEventRow } from "../../../src/store/telephony/phone-call-store.ts";

/** What is known of one outbound call: by the service, and by the carrier. */
export interface CallEvidence {
  readonly callId: string;
  readonly carrier: string;
  readonly status: string;
  readonly endReason: string | null;
  readonly journal: readonly Pick<PhoneCallEventRow, "atMs" | "event" | "commands">[];
  /** Whether a stream token was ever stored for it. */
  readonly hasToken: boolean;
  /** What the carrier has placed, oldest first: a call for each request that it has carried out. */
  readonly legs: readonly { readonly answeredAtMs?: number; readonly cause?: EndCause }[];
  /** How many requests to dial it came to after one of which the carrier did not say that it had done nothing. */
  readonly dialsInDoubt: number;
  /** The fault that its requests to dial met, of which the service cannot know whether they were carried out. */
  readonly hasUncertainFault: boolean;
  /** A webhook of it was late, lost, doubled or out of order, or a request of it met some fault. */
  readonly isDisturbed: boolean;
}

export interface TrialEvidence {
  readonly calls: readonly CallEvidence[];
  /** When the control process, alone or with all others, was killed; Unix time. */
  readonly controlKillsMs: readonly number[];
  /** When any process was killed; Unix time. */
  readonly killsMs: readonly number[];
  /** Tokens that carriers were given; `answeredAtMs` of the call that each is for. */
  readonly tokens: readonly { readonly token: string; readonly atMs: number; readonly answeredAtMs?: number }[];
  /** Everything in which no token may be: the log, the database, answers of the API. */
  readonly texts: Readonly<Record<string, string>>;
}

export interface TrialVerdict {
  /** Calls that the carrier has placed more than once. */
  readonly placedTwice: readonly string[];
  /** Calls that were dialled again although the carrier may have placed them. */
  readonly dialledAgain: readonly string[];
  /** Calls that have not ended. */
  readonly lost: readonly string[];
  /** Calls that ended as `unknown` although the service could know. */
  readonly wronglyUnknown: readonly string[];
  /** Undisturbed calls whose end is not what the carrier saw. */
  readonly wrongEnds: readonly string[];
  /** Tokens that were made, or given away, before the carrier's report of the answer; and those that are readable anywhere. */
  readonly leakedTokens: readonly string[];
}

/** The states of a call that has ended. */
export const OVER: readonly string[] = ["ended", "failed"];
/** By then the request of a process that was killed has met the carrier, or never will. */
const REQUEST_MS_MAX = 15_000;
/** By then what a kill has cut off goes on. */
const DISTURBED_MS = 30_000;

/** What each end of a line that nothing disturbed is for the service. */
const REASONS: Readonly<Record<EndCause, readonly string[]>> = {
  completed: ["caller_hangup"],
  busy: ["busy"],
  no_answer: ["no_answer"],
  declined: ["declined"],
  invalid_number: ["invalid_number"],
  // The service cancels what rings for too long.
  canceled: ["no_answer"],
  failed: ["carrier_failed"],
};

/** Says in words what is wrong with a run, by kind. Empty lists are a clean run. */
export function verdictOf(evidence: TrialEvidence): TrialVerdict {
  const { calls } = evidence;
  const those = (filter: (call: CallEvidence) => boolean): string[] => calls.filter(filter).map(described);
  return {
    placedTwice: those(({ legs }) => legs.length > 1),
    dialledAgain: those(({ dialsInDoubt }) => dialsInDoubt > 0),
    lost: those(({ status }) => !OVER.includes(status)),
    wronglyUnknown: those((call) => call.endReason === "unknown" && !isUnknowable(call, evidence)),
    wrongEnds: those((call) => isWrongEnd(call, evidence)),
    leakedTokens: [...those(hasEarlyToken), ...leaks(evidence)],
  };
}

const described = ({ callId, carrier, status, endReason, legs, journal }: CallEvidence): string => {
  const story = journal.map(({ event }) => (event as { kind: string }).kind).join(" ");
  const causes = legs.map(({ cause = "live" }) => cause).join(", ") || "none";
  return `${callId} (${carrier}): ${status} ${endReason}, placed: ${causes}; ${story}`;
};

/** Whether no side could know what became of the request to dial. */
function isUnknowable({ journal, hasUncertainFault }: CallEvidence, { controlKillsMs }: TrialEvidence): boolean {
  if (hasUncertainFault) return true;
  const sentAt = journal.findLastIndex(({ commands }) => commands.some((command) => kindOf(command) === "send-dial"));
  if (sentAt < 0) return false;
  const answered = journal.slice(sentAt).find(({ event }) => kindOf(event) === "dial-answered");
  const sentMs = Number(journal[sentAt]?.atMs);
  const untilMs = answered === undefined ? sentMs + REQUEST_MS_MAX : Number(answered.atMs);
  return controlKillsMs.some((atMs) => atMs >= sentMs && atMs <= untilMs);
}

/** The service and the carrier disagree, although nothing has come between them. */
function isWrongEnd({ legs, endReason, journal, isDisturbed }: CallEvidence, { killsMs }: TrialEvidence): boolean {
  const [leg] = legs;
  const [firstMs, lastMs] = [journal.at(0)?.atMs, journal.at(-1)?.atMs].map(Number);
  if (isDisturbed || leg?.cause === undefined || firstMs === undefined || lastMs === undefined) return false;
  if (killsMs.some((atMs) => atMs >= firstMs - DISTURBED_MS && atMs <= lastMs + DISTURBED_MS)) return false;
  return !REASONS[leg.cause].includes(endReason ?? "");
}

/** A token was made for a call that was not answered, or before that. */
function hasEarlyToken({ hasToken, legs, journal }: CallEvidence): boolean {
  const answeredAtMs = legs.find((leg) => leg.answeredAtMs !== undefined)?.answeredAtMs;
  if (answeredAtMs === undefined) return hasToken;
  const made = journal.find(({ commands }) => commands.some((command) => kindOf(command) === "connect"));
  return made !== undefined && Number(made.atMs) < answeredAtMs;
}

function leaks({ tokens, texts }: TrialEvidence): string[] {
  const early = tokens.filter(({ atMs, answeredAtMs }) => answeredAtMs === undefined || atMs < answeredAtMs);
  const readable = Object.entries(texts).flatMap(([place, text]) =>
    tokens.some(({ token }) => text.includes(token)) ? [`a token can be read in ${place}`] : [],
  );
  return [...(early.length > 0 ? [`${early.length} tokens given to a carrier before the answer`] : []), ...readable];
}

const kindOf = (value: unknown): unknown => (value as { kind?: unknown }).kind;
