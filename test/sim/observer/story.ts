import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { storesWords } from "../../../src/core/calls/spec.ts";
import type { Plan } from "../plan/plan.ts";

// The readable story of a call: a line for everything but frames.

export function eventText(event: CallEvent): string {
  switch (event.kind) {
    case "leg-closed":
    case "end-requested":
    case "goodbye-requested":
      return `${event.kind}: ${event.reason}`;
    case "mark":
      return `mark ${event.name} came back`;
    case "dtmf":
      return `key ${event.digit}`;
    case "typed":
    case "stt-interim":
    case "stt-final":
      return `${event.kind} ${JSON.stringify(event.text)}`;
    case "tool-result":
      return `tool ${event.toolCallId} ${event.failed ? "failed" : "is done"}: ${JSON.stringify(event.result.slice(0, 80))}`;
    case "cleared":
      return `cleared, ${event.playedMs} ms played in all`;
    case "passages":
      return `${event.passages.length} passages ${event.retrieval} after ${event.tookMs} ms`;
    case "retrieval-failed":
      return `passages ${event.retrieval}: ${event.code}`;
    case "reply-text":
      return `model ${event.turnId}: ${JSON.stringify(event.text.slice(0, 80))}`;
    case "reply-tool-call":
      return `model ${event.turnId}: ${event.name}(${event.argumentsJson})`;
    case "reply-end":
    case "reply-failed":
      return `model ${event.turnId}: ${event.kind}`;
    case "segment-audio":
      return `voice ${event.turnId}.${event.segment}: at ${event.samples} samples [${event.words.map(wordText).join(", ")}]`;
    case "segment-end":
      return `voice ${event.turnId}.${event.segment}: over with ${event.samples} samples`;
    case "segment-failed":
      return `voice ${event.turnId}.${event.segment}: failed`;
    default:
      return event.kind;
  }
}

export function commandText(command: CallCommand): string {
  switch (command.kind) {
    case "generate-reply":
      return `ask ${command.turnId}: ${JSON.stringify(command.messages.at(-1))}`;
    case "preemptive-start":
      return `start preemptive generation: ${JSON.stringify(command.messages.at(-1))}`;
    case "conversation-trimmed":
      return `trim the conversation: ${command.droppedTurns} turns, ${command.truncatedResults} results`;
    case "retrieve":
      return `ask the corpora ${command.retrieval}: ${JSON.stringify(command.question)}`;
    case "await-passages":
      return `wait for passages ${command.retrieval}, at most ${command.waitMsMax} ms`;
    case "passages-used":
      return `${command.passages.length} passages ${command.retrieval} after ${command.waitMs} ms`;
    case "retrieval-ended":
      return `passages ${command.retrieval}: ${command.outcome}`;
    case "preemptive-cancel":
      return "cancel preemptive generation";
    case "speak":
      return `speak ${command.turnId}.${command.segment}: ${JSON.stringify(command.text)}`;
    case "mark":
      return `mark ${command.name}`;
    case "cancel-reply":
      return `cut ${command.turnId}${command.clear ? " and clear" : ""}: ${command.reason}`;
    case "pause":
      return `pause ${command.turnId}`;
    case "resume":
      return `resume ${command.turnId}: ${command.reason}`;
    case "rewind":
      return `rewind ${command.turnId} by ${command.samples}`;
    case "turn-ended":
      return `the turn is over: ${command.summary}`;
    case "ignore":
      return `ignore ${JSON.stringify(command.text)}`;
    case "request-interim":
      return "request an interim transcript";
    case "run-tool":
      return `tool ${command.toolCallId} ${command.name} ${JSON.stringify(command.arguments)}`;
    case "send-dtmf":
      return `keys ${command.digits}`;
    case "language":
      return `language ${command.language}: ${command.reason}`;
    case "transfer":
      return `transfer to ${command.target}`;
    case "held":
      return `hold, at most ${command.msMax} ms`;
    case "resumed":
      return `end of the hold: ${command.reason}`;
    case "recording-paused":
      return "the recording is paused";
    case "recording-resumed":
      return `the recording goes on after ${command.pausedMs} ms`;
    case "state":
      return `state ${command.state}`;
    case "turn": {
      const { role, text, startMs, endMs, interrupted } = command.turn;
      return `turn of the ${role}, ${startMs} to ${endMs} ms${interrupted ? ", interrupted" : ""}: ${JSON.stringify(text)}`;
    }
    case "transcript": {
      const { turnId, role, text, final } = command;
      return `transcript ${turnId} of the ${role}${final ? ", final" : ""}: ${JSON.stringify(text)}`;
    }
    case "interim":
    case "utterance":
      return `${command.kind} ${JSON.stringify(command.text)}`;
    case "finalize-stt":
      return "have the STT send its final";
    case "end":
      return `end: ${command.reason}`;
  }
}

/** What a seed has drawn, before anything happens. */
export function planText({ seed, spec, line, manner, leave, troubles }: Plan): string {
  const { firstSpeaker, greeting, interruptible, maxDurationMs, inactivityAction, inactivityTimeoutMs } = spec;
  return [
    `seed ${seed}: over ${JSON.stringify(line)} the ${firstSpeaker} begins, ${greeting === undefined ? "no greeting" : JSON.stringify(greeting)}`,
    `  ${interruptible ? "interruptible" : "not interruptible"}, at most ${maxDurationMs} ms, ${inactivityAction} after ` +
      `${inactivityTimeoutMs} ms, ${spec.recordingEnabled ? "recorded" : "not recorded"}, ${storesWords(spec) ? "with" : "without"} words, tools [${spec.tools.map(({ name }) => name).join()}]`,
    `  the caller is ${manner} and ${leave}`,
    `  troubles: ${[...troubles].join(", ") || "none"}`,
  ].join("\n");
}

const wordText = ({ text, endMs }: { text: string; endMs: number }): string => `${text} to ${Math.round(endMs)}`;
