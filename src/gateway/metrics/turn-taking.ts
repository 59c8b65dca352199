import type { CallCommand } from "../../call/events.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { CallCounters } from "./call-counters.ts";

/** The metrics of turn taking. */
export type TurnTakingMetrics = Pick<
  WorkerMetrics,
  | "turnEnded"
  | "turnReopened"
  | "replyPaused"
  | "replyResumed"
  | "transcriptIgnored"
  | "interimRequested"
  | "inactivityPrompted"
>;

/** Counts what turn taking does about sounds, transcripts and silence, for the metrics and the log line of the call. */
export function countTurnTaking(command: CallCommand, counters: CallCounters, metrics: TurnTakingMetrics): void {
  switch (command.kind) {
    case "turn-ended":
      metrics.turnEnded(command.pauseMs);
      return;
    case "cancel-reply":
      if (command.reason !== "words" || command.clear || command.heardText !== "") return;
      counters.turnsReopened += 1;
      metrics.turnReopened();
      return;
    case "preemptive-start":
      counters.preemptiveStarts += 1;
      return;
    case "preemptive-cancel":
      counters.preemptiveCancels += 1;
      return;
    case "pause":
      counters.pauses += 1;
      metrics.replyPaused();
      return;
    case "resume":
      metrics.replyResumed(command.reason);
      return;
    case "ignore":
      if (command.reason === "echo") counters.echoesIgnored += 1;
      metrics.transcriptIgnored(command.reason);
      return;
    case "request-interim":
      counters.interimRequests += 1;
      metrics.interimRequested();
      return;
    case "speak":
      if (command.reason !== "inactivity") return;
      counters.inactivityPrompts += 1;
      metrics.inactivityPrompted();
      return;
    default:
      return;
  }
}
