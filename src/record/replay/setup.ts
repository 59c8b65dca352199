import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../../call/parameters.ts";
import type { CallSpec, ToolSpec } from "../../core/calls/spec.ts";
import { type JournalHeader, type JournalRedaction, journalUnreadable } from "../journal/records.ts";

/**
 * The configuration of a replay. A journal holds the parameters of its call. One of another build may lack parameters
 * that were added since, or have unknown ones.
 */
export interface ReplaySetup extends ReplayParameters {
  spec: CallSpec;
}

export interface ReplayParameters {
  parameters: Readonly<TurnParameters>;
  /** Missing parameters that have a value at which the state machine behaves as it did without them. */
  assumed: readonly string[];
  /** Missing parameters without such a value: their defaults apply. */
  unmatched: readonly string[];
  /** Journaled parameters that this state machine does not know. */
  unknown: readonly string[];
}

type Parameter = keyof TurnParameters;

/**
 * For each parameter that was added later, the value at which the state machine behaves as before: never, or no
 * different.
 */
const parametersBefore = ({
  endpointMs,
  endpointSentenceMs = endpointMs,
}: Partial<TurnParameters>): Partial<TurnParameters> => ({
  ...(endpointMs === undefined ? {} : { endpointSentenceMs: endpointMs, endpointTrailingMs: endpointMs }),
  ...(endpointSentenceMs === undefined ? {} : { endpointQuestionMs: endpointSentenceMs }),
  turnWaitMsMin: 0,
  turnWaitMsMax: 0,
  steadyNoiseMs: Number.POSITIVE_INFINITY,
  speechPausesMax: 0,
  resumeMs: Number.POSITIVE_INFINITY,
  pauseMsMax: Number.POSITIVE_INFINITY,
  interimRequestMs: Number.POSITIVE_INFINITY,
  interimIntervalMs: 0,
  interimRequestsMax: 0,
  inactivityRequestMs: 0,
  inactivityGraceMs: 0,
  wordlessCallMsMax: Number.POSITIVE_INFINITY,
  echoWindowMs: 0,
  backChannelAnswerMs: Number.POSITIVE_INFINITY,
  preemptiveMs: 0,
  firstClauseChars: Number.POSITIVE_INFINITY,
  fillerMs: Number.POSITIVE_INFINITY,
  toolFillerMs: Number.POSITIVE_INFINITY,
  llmSilenceMs: Number.POSITIVE_INFINITY,
  ttsSilenceMs: Number.POSITIVE_INFINITY,
  confirmationMs: Number.POSITIVE_INFINITY,
});

/** Added parameters without such a value: a digit never ended a turn before, however long the next one took. */
const WITHOUT_EARLIER_VALUE: readonly Parameter[] = ["dtmfGapMs"];

/**
 * The configuration for the journal that begins with `header`. Throws `journal_unreadable` when words are not
 * stored, or when the header lacks what every journal of this format has.
 */
export function replaySetupOf({ spec, parameters, redaction }: JournalHeader): ReplaySetup {
  if (redaction !== undefined) throw journalUnreadable(redactedReason(redaction));
  if (spec === undefined)
    throw journalUnreadable("the words of the call are not recorded, and it cannot be replayed without them");
  return { spec: currentSpecOf(spec), ...replayParametersOf(parameters ?? {}) };
}

/** Says what is gone, for the operator who replays. */
function redactedReason({ found }: JournalRedaction): string {
  const counts = Object.entries(found).map(([kind, count]) => `${kind} ${count}`);
  const what = counts.length === 0 ? "nothing was found in what is left" : `found: ${counts.join(", ")}`;
  return `the call was redacted when it was over (${what}); its prompt, its interim transcripts and the texts of its replies are gone, and it cannot be replayed without them`;
}

/** The turn parameters for a journal with the `journaled` ones. Throws `journal_unreadable` as `replaySetupOf` does. */
export function replayParametersOf(journaled: Partial<TurnParameters>): ReplayParameters {
  const earlier = parametersBefore(journaled);
  const assumed: Parameter[] = [];
  const unmatched: Parameter[] = [];
  const parameters = { ...DEFAULT_TURN_PARAMETERS };
  for (const name of Object.keys(DEFAULT_TURN_PARAMETERS) as Parameter[]) {
    const value = journaled[name] ?? earlier[name];
    if (value === undefined && !WITHOUT_EARLIER_VALUE.includes(name))
      throw journalUnreadable(`its header has no ${name}`);
    if (journaled[name] === undefined) (value === undefined ? unmatched : assumed).push(name);
    if (value !== undefined) parameters[name] = value;
  }
  const unknown = Object.keys(journaled).filter((name) => !Object.hasOwn(DEFAULT_TURN_PARAMETERS, name));
  return { parameters, assumed, unmatched, unknown };
}

/** Before tools had definitions, a call had the names of built-in ones, and its language could not change. */
function currentSpecOf(spec: CallSpec): CallSpec {
  const tools = (spec.tools as readonly (ToolSpec | "hang_up")[]).map((tool) =>
    tool === "hang_up" ? ({ kind: "built_in", name: tool, fixedArguments: {} } as const) : tool,
  );
  return { ...spec, tools, languagePinned: spec.languagePinned ?? true };
}
