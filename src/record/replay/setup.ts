import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../../call/parameters.ts";
import type { CallSpec, ToolSpec } from "../../core/calls/spec.ts";
import { type JournalHeader, journalUnreadable } from "../journal/records.ts";

/**
 * What a replay goes by. A journal tells what its call ran with; one of another build may lack what was added since, or have
 * what is not known here.
 */
export interface ReplaySetup {
  spec: CallSpec;
  parameters: Readonly<TurnParameters>;
  /** Lacking, and taken to be what makes the machine do as it did before it had them. */
  assumed: readonly string[];
  /** Lacking, and nothing makes this machine do as that one did: it goes by its own defaults. */
  unmatched: readonly string[];
  /** In the journal, and not known to this machine. */
  unknown: readonly string[];
}

type Parameter = keyof TurnParameters;

/** What was added after journals were first written, as it was before: never, or no different from what there was. */
const parametersBefore = ({ endpointMs }: Partial<TurnParameters>): Partial<TurnParameters> => ({
  ...(endpointMs === undefined ? {} : { endpointSentenceMs: endpointMs, endpointTrailingMs: endpointMs }),
  steadyNoiseMs: Number.POSITIVE_INFINITY,
  speechPausesMax: 0,
  resumeMs: Number.POSITIVE_INFINITY,
  pauseMsMax: Number.POSITIVE_INFINITY,
  backChannelAnswerMs: Number.POSITIVE_INFINITY,
  preemptiveMs: 0,
  firstClauseChars: Number.POSITIVE_INFINITY,
  fillerMs: Number.POSITIVE_INFINITY,
  toolFillerMs: Number.POSITIVE_INFINITY,
  llmSilenceMs: Number.POSITIVE_INFINITY,
  ttsSilenceMs: Number.POSITIVE_INFINITY,
  confirmationMs: Number.POSITIVE_INFINITY,
});

/** What was added and has no such value: a key was no turn once, whenever the next one came. */
const WITHOUT_EARLIER_VALUE: readonly Parameter[] = ["dtmfGapMs"];

/**
 * What to run the call machine with over the journal that begins with `header`. Throws `journal_unreadable` when the call was
 * not to be recorded, or when the header lacks what every journal of this format has.
 */
export function replaySetupOf({ spec, parameters: journaled }: JournalHeader): ReplaySetup {
  if (spec === undefined) throw journalUnreadable("its call was not to be recorded, and cannot be replayed");
  const told: Partial<TurnParameters> = journaled ?? {};
  const earlier = parametersBefore(told);
  const assumed: Parameter[] = [];
  const unmatched: Parameter[] = [];
  const parameters = { ...DEFAULT_TURN_PARAMETERS };
  for (const name of Object.keys(DEFAULT_TURN_PARAMETERS) as Parameter[]) {
    const value = told[name] ?? earlier[name];
    if (value === undefined && !WITHOUT_EARLIER_VALUE.includes(name))
      throw journalUnreadable(`its header lacks ${name}`);
    if (told[name] === undefined) (value === undefined ? unmatched : assumed).push(name);
    if (value !== undefined) parameters[name] = value;
  }
  const unknown = Object.keys(told).filter((name) => !Object.hasOwn(DEFAULT_TURN_PARAMETERS, name));
  return { spec: currentSpecOf(spec), parameters, assumed, unmatched, unknown };
}

/** Before tools had definitions a call had names of built-in ones, and its language could not change. */
function currentSpecOf(spec: CallSpec): CallSpec {
  const tools = (spec.tools as readonly (ToolSpec | "hang_up")[]).map((tool) =>
    tool === "hang_up" ? ({ kind: "built_in", name: tool, fixedArguments: {} } as const) : tool,
  );
  return { ...spec, tools, languagePinned: spec.languagePinned ?? true };
}
