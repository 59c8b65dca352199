import { seconds } from "./conditions.ts";
import type { Reply } from "./replies.ts";
import type { Timeline } from "./timeline.ts";
import type { Span, Turn } from "./types.ts";

/** One row of the transcript in time. */
export type TranscriptRow = Span &
  (
    | {
        readonly kind: "turn";
        readonly role: Turn["role"];
        readonly text: string | undefined;
        readonly isInterrupted: boolean;
        readonly isApproximate: boolean;
        /** What the agent would have said and was not heard; empty where all of it was. */
        readonly unheard: string;
        /** From the caller's last voiced frame to the first frame of the reply. */
        readonly delayMs: number | undefined;
        readonly turnId: number | undefined;
      }
    /** Something that happened between the turns. */
    | { readonly kind: "note"; readonly text: string; readonly turnId: number | undefined }
  );

/** The rows of a call's transcript: its turns, and what happened between them, in the order of time. */
export function transcriptRows(timeline: Timeline): TranscriptRow[] {
  const replyOf = new Map(timeline.replies.flatMap((reply) => (reply.agentTurn ? [[reply.agentTurn, reply]] : [])));
  const answerTo = new Map(timeline.replies.flatMap((reply) => (reply.callerTurn ? [[reply.callerTurn, reply]] : [])));
  const rows = timeline.turns.map((turn) => turnRow(turn, replyOf.get(turn) ?? answerTo.get(turn)));
  for (const reply of timeline.replies) rows.push(...notesOf(reply));
  for (const { startMs, endMs, text } of timeline.conditions)
    rows.push({ kind: "note", startMs, endMs, text, turnId: undefined });
  return rows.sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
}

function turnRow(turn: Turn, reply: Reply | undefined): TranscriptRow {
  const { role, text, startMs, endMs, interrupted, approximate, latency } = turn;
  return {
    kind: "turn",
    role,
    text,
    startMs,
    endMs,
    isInterrupted: interrupted,
    isApproximate: approximate === true,
    unheard: role === "agent" && reply !== undefined ? unheardOf(reply, text ?? "") : "",
    delayMs: latency?.firstFrameMs,
    turnId: reply?.turnId,
  };
}

/** The rest of a reply's text after what was heard. */
function unheardOf({ segments, cancelled }: Reply, heard: string): string {
  if (cancelled === undefined) return "";
  const whole = segments
    .map(({ text }) => text)
    .join(" ")
    .replaceAll(/\s+/g, " ");
  return whole.startsWith(heard) ? whole.slice(heard.length).trim() : "";
}

function notesOf({ tools, cancelled, agentTurn, turnId, startMs }: Reply): TranscriptRow[] {
  const notes: TranscriptRow[] = tools.map(({ name, startMs: from, endMs: to = from, failed, result }) => ({
    kind: "note",
    startMs: from,
    endMs: to,
    text: `Tool ${name}: ${result === undefined ? "no result" : `${seconds(to - from)}${failed === true ? ", failed" : ""}`}`,
    turnId,
  }));
  if (cancelled !== undefined && agentTurn === undefined) {
    const text = `A reply was cancelled before any of it was heard: ${cancelled.reason.replaceAll("_", " ")}`;
    notes.push({ kind: "note", startMs, endMs: cancelled.atMs, text, turnId });
  }
  return notes;
}
