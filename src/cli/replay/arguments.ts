import { type CallMs, callMs } from "../../core/clocks.ts";
import { readArguments, timeMs, UsageError } from "../command.ts";

export const REPLAY_USAGE = `Replays a call from its journal, and compares every command with the journaled one.

  npm run replay -- data/journals/call_....tlj
  npm run replay -- data/journals/call_....tlj --until 12.3s --trace

  --until <time>   stops at this time after the start of the call: 12.3s, 1500ms, 2m
  --trace          explains the state at the end of the replay: the events around it, the turn state, the transcript so far,
                   and the pending deadlines
  --json           prints one JSON document

An encrypted journal needs its key in MEDIA_KEY, and the name that it has in the data directory:
  MEDIA_KEY=$(npm run --silent admin -- media-key call_...) npm run replay -- data/journals/call_....tlj

The exit code is 0 when every command is the same, 1 when one differs, 2 when the journal cannot be read or
replayed, or for a usage error.
`;

export interface ReplayPlan {
  path: string;
  /** ms since redemption; Infinity for the whole journal. */
  untilMs: CallMs;
  trace: boolean;
  json: boolean;
}

const OPTIONS = { until: { type: "string" }, trace: { type: "boolean" }, json: { type: "boolean" } } as const;

/** Reads the arguments of `npm run replay`. Throws UsageError with all problems together. */
export function planReplay(args: readonly string[]): ReplayPlan {
  const { values, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const problems: string[] = [];
  const [path = "", ...others] = positionals;
  if (path === "") problems.push("the journal is missing: its path, data/journals/<call id>.tlj");
  if (others.length > 0)
    problems.push(`only one journal can be replayed: ${JSON.stringify(others[0])} is one too many`);
  const untilMs = callMs(values.until === undefined ? Number.POSITIVE_INFINITY : timeMs(values.until));
  if (Number.isNaN(untilMs)) problems.push(`--until must be a time such as 12.3s, not ${JSON.stringify(values.until)}`);
  if (problems.length > 0) throw new UsageError(problems);
  return { path, untilMs, trace: values.trace === true, json: values.json === true };
}
