import type { CallEvent } from "../../call/events.ts";
import { type CallNetwork, type NetworkReport, networkOf } from "../../core/calls/network.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { RecordingPause } from "../../core/calls/recording-pause.ts";
import type { StartParameters } from "../../core/calls/start-parameters.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { millisecondsOf } from "../../core/clocks.ts";
import type { CarrierCallId } from "../../core/ids.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { CallToolRun } from "../../store/calls/call-store.ts";
import type { JournalFile } from "../journal/reader.ts";
import { type JournaledCommand, type JournalHeader, transcriptionSpecOf } from "../journal/records.ts";
import { type FrameCounts, summarizeJournal } from "../journal/summary.ts";
import { replayJournal, type TimedCommand } from "../replay/replay.ts";
import { isSubsetEqual } from "../replay/subset-equal.ts";
import { CallSpans } from "../traces/call-spans.ts";
import type { CallSpan, SpanRequest } from "../traces/spans.ts";
import { liveResultOf, SttProviders } from "./live-result.ts";
import { type RecordedUsage, UsageGatherer } from "./preemptive-usage.ts";
import { ToolRunGatherer } from "./tool-runs.ts";

type LegStarted = Extract<CallEvent, { kind: "leg-started" }>;

/** The record of a call, made from its journal. */
export interface ProjectedCall {
  header: JournalHeader;
  /** The turns as they were heard, in order; without text when words are not stored. */
  turns: TranscriptTurn[];
  endReason: EndReason;
  /** The carrier's id of the call; undefined where it had none or never connected. */
  carrierCallId: CarrierCallId | undefined;
  /** Those of the first start, as for the call itself; undefined where it had none, empty where words are not stored. */
  parameters: StartParameters | undefined;
  /** What providers did for the call, request by request. */
  usageEvents: readonly RecordedUsage[];
  /** The tool calls of the LLM, in the order in which they began. */
  toolRuns: readonly CallToolRun[];
  /** When neither audio nor words were stored, in order. */
  recordingPauses: readonly RecordingPause[];
  /** What was measured of the network; undefined for a call that had no leg on RTP. */
  network: CallNetwork | undefined;
  /** What was said in a live transcription; undefined for a conversation. */
  transcription: TranscriptionResult | undefined;
  /** What was asked for of the call's trace, without its own span. */
  spans: readonly CallSpan[];
  /** From redemption to the end, or to the last record. */
  durationMs: number;
  frames: FrameCounts;
  /**
   * The journal has the call's end. If it is truncated, `endReason` is the reason that the replayed state machine
   * gives.
   */
  hasEnd: boolean;
  /** The journal has its end, and the audio of all frames that should have some. */
  complete: boolean;
}

/**
 * Makes the record of a call from its journal. If the journal has no end because the worker died, the state machine
 * runs again over it and is then ended. The record so has all turns as they were heard until that moment, including
 * unfinished ones. With `trace` it has the spans that are asked for as well.
 *
 * Rejects with `journal_unreadable`.
 */
export async function projectJournal(journal: JournalFile, trace?: SpanRequest): Promise<ProjectedCall> {
  const spans = trace && new CallSpans(trace);
  const journaled: TimedCommand[] = [];
  const gatherer = new UsageGatherer();
  const sttProviders = new SttProviders();
  const tools = new ToolRunGatherer();
  const networkReports: NetworkReport[] = [];
  let carrierCallId: CarrierCallId | undefined;
  let started: LegStarted | undefined;
  const { header, durationMs, endReason, frames, complete } = await summarizeJournal(journal, (record) => {
    spans?.take(record);
    gatherer.take(record);
    sttProviders.take(record);
    tools.take(record);
    if (record.kind === "command") journaled.push({ timeMs: record.timeMs, command: record.command });
    else if (record.kind === "event" && record.event.kind === "network") networkReports.push(record.event);
    else if (record.kind === "event" && record.event.kind === "leg-started") {
      started ??= record.event;
      ({ carrierCallId } = record.event);
    }
  });
  const projected = {
    header,
    carrierCallId,
    parameters: started?.parameters,
    usageEvents: gatherer.usage,
    toolRuns: tools.runs,
    recordingPauses: pausesIn(journaled, durationMs),
    network: networkOf(networkReports),
    durationMs,
    frames,
    complete,
  };
  const transcribed = transcriptionSpecOf(header);
  const said = (commands: readonly TimedCommand[]): Pick<ProjectedCall, "turns" | "transcription"> => ({
    turns: turnsOf(commands),
    transcription:
      transcribed && liveResultOf(commandsOf(commands), transcribed.language, sttProviders, gatherer.usage),
  });
  if (endReason !== undefined) {
    const hasEnd = header.redaction?.recovered !== true;
    return { ...projected, hasEnd, endReason, ...said(journaled), spans: spans?.completed() ?? [] };
  }
  const commands = header.spec === undefined ? journaled : await replayToEnd(journal, journaled);
  for (const { timeMs, command } of commands.slice(journaled.length)) spans?.take({ kind: "command", timeMs, command });
  spans?.end();
  const last = commands.at(-1)?.command;
  const lost = last?.kind === "end" ? last.reason : "worker_lost";
  return { ...projected, hasEnd: false, endReason: lost, ...said(commands), spans: spans?.completed() ?? [] };
}

/** The commands of a truncated call and those that end it; only the former where the call cannot be replayed. */
export async function replayToEnd(journal: JournalFile, journaled: TimedCommand[]): Promise<TimedCommand[]> {
  try {
    const { replayed } = await replayJournal(journal, "worker_lost");
    // Another version of the state machine may decide differently from the one that spoke with the caller.
    return isSubsetEqual(journaled, replayed.slice(0, journaled.length)) ? replayed : journaled;
  } catch {
    // What crashed the worker may crash the replay, too. Then only the journaled commands are available.
    return journaled;
  }
}

/** The pauses of the recording; one that was not resumed lasts until the end. */
function pausesIn(commands: readonly TimedCommand[], durationMs: number): RecordingPause[] {
  const pauses: RecordingPause[] = [];
  let startMs: number | undefined;
  for (const { timeMs, command } of commands) {
    if (command.kind === "recording-paused") startMs = Math.round(millisecondsOf(timeMs));
    if (command.kind !== "recording-resumed" || startMs === undefined) continue;
    pauses.push({ startMs, endMs: Math.round(millisecondsOf(timeMs)) });
    startMs = undefined;
  }
  return startMs === undefined ? pauses : [...pauses, { startMs, endMs: Math.round(durationMs) }];
}

const commandsOf = (commands: readonly TimedCommand[]): JournaledCommand[] => commands.map(({ command }) => command);

function turnsOf(commands: readonly TimedCommand[]): TranscriptTurn[] {
  return commands.flatMap(({ command }) => (command.kind === "turn" ? [command.turn] : []));
}
