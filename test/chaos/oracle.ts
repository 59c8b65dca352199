import type { CallerStory } from "../callers/counting-caller.ts";

/** A call's record, as far as the oracle looks. */
export interface OracleRecord {
  status: string;
  endReason: string | null;
  durationMs: number | null;
  recording: { durationMs: number; complete: boolean } | null;
  counters: { framesIn: number; framesOut: number } | null;
  /** Turns of its transcript; undefined where it was not asked for. */
  turns?: number | undefined;
  /** Samples of each side in its recording's file; undefined where it was not asked for. */
  samples?: number | undefined;
}

/** A worker that was killed. */
export interface Kill {
  pid: number;
  atMs: number;
  /** The worker of each call that was live just before, by call ids. */
  workers: ReadonlyMap<string, string>;
}

/** Everything that is known of a run. */
export interface Evidence {
  stories: readonly CallerStory[];
  records: ReadonlyMap<string, OracleRecord>;
  /** When the log reported that a call's record was made: one time for each record. */
  recordedMs: ReadonlyMap<string, readonly number[]>;
  kills: readonly Kill[];
  /** When the control process was killed. */
  controlKillsMs?: readonly number[];
}

/** A call that is lost is recorded by then. */
export const RECOVERED_MS_MAX = 5_000;
/** What the crash of a process may cost of a journal: 1 s. */
const LOST_FRAMES_MAX = 50;
/** Frames that were given to a socket and had not reached the caller when it broke: the lead, and what a busy machine held up. */
const UNDERWAY_FRAMES_MAX = 50;
/** By then every connection of a killed process is seen to break. */
const BREAK_MS_MAX = 1_500;
/** By then another control process answers; until then tokens cannot be redeemed. */
const CONTROL_BACK_MS_MAX = 10_000;
/** By then another worker listens; until then a stream may be refused, or reset. */
const REFUSED_MS_MAX = 3_000;
/** A recording is as long as its call, but for what is cut to whole frames. */
const OFF_MS_MAX = 20;
const SAMPLES_PER_MS = 8;

/**
 * Says in words what is wrong with a run: calls begun by clients are records, with one end each; whom no kill concerned lost
 * no frame in either direction; who was lost was lost with a killed worker, and was recovered. An empty list is a clean run.
 */
export function verdict(evidence: Evidence): string[] {
  const { stories, records, recordedMs, controlKillsMs = [] } = evidence;
  return stories.flatMap((story) => {
    const begun = story.outcome === "hung_up" || story.outcome === "lost";
    const record = records.get(story.callId);
    const problems: string[] = [];
    if (record === undefined) problems.push("it has no record");
    else if (record.status === "active") problems.push("it is still active");
    else if (story.outcome === "hung_up") problems.push(...ofHungUp(story, record));
    else if (story.outcome === "lost") problems.push(...ofLost(story, record, evidence));
    else if (story.outcome === "refused" && !mayBeRefused(story, evidence)) {
      problems.push(`its stream was refused though no process had died: ${story.why}`);
    }
    const count = recordedMs.get(story.callId)?.length ?? 0;
    // The line of the log may have died with the control process that had made the record.
    const isReported = count === 1 || (count === 0 && controlKillsMs.length > 0);
    if (begun && !isReported) problems.push(`it was recorded ${count} times`);
    return problems.map((problem) => `${story.callId} (${story.outcome}): ${problem}`);
  });
}

const mayBeRefused = ({ brokeMs }: CallerStory, { kills, controlKillsMs = [] }: Evidence): boolean =>
  killOf(brokeMs, kills, REFUSED_MS_MAX) !== undefined ||
  controlKillsMs.some((atMs) => brokeMs >= atMs && brokeMs <= atMs + CONTROL_BACK_MS_MAX);

/** How long the record of each lost call took, from the kill on; ms. */
export function recoveriesMs({ stories, recordedMs, kills }: Evidence): number[] {
  return stories.flatMap((story) => {
    const kill = story.outcome === "lost" ? killOfLost(story, { kills }) : undefined;
    const [atMs] = recordedMs.get(story.callId) ?? [];
    return kill === undefined || atMs === undefined ? [] : [atMs - kill.atMs];
  });
}

function ofHungUp({ sent, received }: CallerStory, record: OracleRecord): string[] {
  const { framesIn, framesOut } = record.counters ?? { framesIn: 0, framesOut: 0 };
  return [
    ...unless(record.endReason === "caller_hangup", `it ended with ${record.endReason}`),
    ...unless(framesIn === sent, `${sent} frames were sent, ${framesIn} came`),
    ...unless(framesOut === received, `${framesOut} frames were sent to the caller, ${received} came`),
    ...unless(record.recording?.complete === true, "its recording is not complete"),
    ...ofRecording(record),
  ];
}

function ofLost(
  { callId, brokeMs, sent, received, why }: CallerStory,
  record: OracleRecord,
  evidence: Evidence,
): string[] {
  const kill = killOfLost({ brokeMs }, evidence);
  if (kill === undefined) return [`it was lost though no worker had died: ${record.endReason} ${why}`];
  const { framesIn, framesOut } = record.counters ?? { framesIn: 0, framesOut: 0 };
  const [recordedMs = Number.POSITIVE_INFINITY] = evidence.recordedMs.get(callId) ?? [];
  // What the control process was about to do when it was killed is for the next one to do.
  const interruptedMs = evidence.controlKillsMs?.findLast((atMs) => atMs <= recordedMs) ?? 0;
  const tookMs = recordedMs - Math.max(kill.atMs, interruptedMs);
  // The calls of a killed worker are of one worker.
  const worker = kill.workers.get(callId);
  const others = evidence.stories.filter((other) => other.outcome === "lost" && killOfLost(other, evidence) === kill);
  const ofOtherWorkers = others.filter((other) => (kill.workers.get(other.callId) ?? worker) !== worker);
  return [
    ...unless(record.endReason === "worker_lost", `it ended with ${record.endReason}`),
    ...unless(tookMs <= RECOVERED_MS_MAX, `its record took ${Math.round(tookMs)} ms`),
    ...unless(
      worker === undefined || ofOtherWorkers.length === 0,
      `${ofOtherWorkers.length} of another worker were lost with it`,
    ),
    ...unless(
      framesIn <= sent && framesIn >= sent - LOST_FRAMES_MAX,
      `${sent} frames were sent, ${framesIn} recovered`,
    ),
    ...unless(
      framesOut <= received + UNDERWAY_FRAMES_MAX && framesOut >= received - LOST_FRAMES_MAX,
      `${received} frames had come to the caller, ${framesOut} recovered`,
    ),
    ...unless(framesIn === 0 || record.recording !== null, "it has no recording"),
    ...ofRecording(record),
  ];
}

function ofRecording({ recording, durationMs, samples, turns }: OracleRecord): string[] {
  if (recording === null) return [];
  const offMs = Math.abs(recording.durationMs - (durationMs ?? 0));
  const fileMs = samples === undefined ? recording.durationMs : samples / SAMPLES_PER_MS;
  return [
    ...unless(offMs <= OFF_MS_MAX, `its recording is off by ${offMs} ms`),
    ...unless(Math.abs(fileMs - recording.durationMs) <= 1, `its recording's file holds ${fileMs} ms`),
    ...unless(turns !== 0, "its transcript is empty"),
  ];
}

/** Kills may follow each other within the time that a connection takes to break. */
const killOfLost = ({ brokeMs }: Pick<CallerStory, "brokeMs">, { kills }: Pick<Evidence, "kills">): Kill | undefined =>
  killOf(brokeMs, kills, BREAK_MS_MAX);

/** The latest kill that a moment may be the consequence of. */
const killOf = (atMs: number, kills: readonly Kill[], withinMs: number): Kill | undefined =>
  kills.findLast((kill) => atMs >= kill.atMs && atMs <= kill.atMs + withinMs);

const unless = (holds: boolean, problem: string): string[] => (holds ? [] : [problem]);
