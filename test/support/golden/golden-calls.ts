import * as conversations from "./conversations.ts";
import * as failures from "./failures.ts";
import { EVERY_WIRE, GOLDEN_LINE_NAMES, type GoldenLine } from "./lines.ts";
import type { Scene } from "./scene.ts";
import * as tools from "./tools.ts";

/** One kind of call, and the lines that it is recorded on. */
export interface GoldenCall {
  name: string;
  script: (scene: Scene) => unknown;
  lines: readonly GoldenLine[];
}

/** Only raw WebSockets have a message for it. */
const WEBSOCKET: readonly GoldenLine[] = ["websocket"];
/** Only this carrier has one. */
const CARRIER_C: readonly GoldenLine[] = ["carrier_c"];

const call = (name: string, script: (scene: Scene) => unknown, lines = EVERY_WIRE): GoldenCall => ({
  name,
  script,
  lines,
});

export const GOLDEN_CALLS: readonly GoldenCall[] = [
  call("conversation", conversations.conversation, GOLDEN_LINE_NAMES),
  call("interruption", conversations.interruption, GOLDEN_LINE_NAMES),
  call("interruption-without-transcripts", conversations.interruptionWithoutTranscripts),
  call("back-channel", conversations.backChannel, GOLDEN_LINE_NAMES),
  call("cough", conversations.cough),
  call("babble", conversations.babble),
  call("greeting-not-interrupted", conversations.greetingNotInterrupted),
  call("greeting-interrupted", conversations.greetingInterrupted),
  call("llm-opens", conversations.llmOpens),
  call("caller-opens", conversations.callerOpens),
  call("trailing-turn", conversations.trailingTurn),
  call("hang-up-in-reply", conversations.hangUpInReply),
  call("dtmf", conversations.dtmf, GOLDEN_LINE_NAMES),
  call("typed", conversations.typed, WEBSOCKET),
  call("preemptive-used", conversations.preemptiveUsed),
  call("preemptive-cancelled", conversations.preemptiveCancelled),
  call("language-detected", conversations.languageDetected),
  call("language-without-voice", conversations.languageWithoutVoice),
  call("muted", conversations.muted),
  call("inactivity", conversations.inactivity),
  call("inactivity-hang-up", conversations.inactivityHangUp),
  call("max-duration", conversations.maxDuration),
  call("server-tool", tools.serverTool),
  call("slow-tool", tools.slowTool),
  call("late-tool-result", tools.lateToolResult),
  call("failing-tools", tools.failingTools),
  call("too-many-tools", tools.tooManyTools),
  call("too-many-rounds", tools.tooManyRounds),
  call("client-tool", tools.clientTool, WEBSOCKET),
  call("agent-hang-up", tools.agentHangUp),
  call("agent-hang-up-interrupted", tools.agentHangUpInterrupted),
  call("transfer", tools.transfer),
  call("send-dtmf", tools.sendDtmf, CARRIER_C),
  call("switch-language", tools.switchLanguage),
  call("failover", failures.failover),
  call("llm-failover", failures.llmFailover),
  call("providers-full", failures.providersFull),
  call("llm-circuit-open", failures.llmCircuitOpen),
  call("llm-silent-inactivity", failures.llmSilentInactivity),
  call("llm-fails", failures.llmFails),
  call("llm-fails-in-reply", failures.llmFailsInReply),
  call("llm-silent", failures.llmSilent),
  call("stt-fails", failures.sttFails),
  call("stt-silent", failures.sttSilent),
  call("tts-fails", failures.ttsFails),
  call("tts-silent", failures.ttsSilent),
  call("tts-slow", failures.ttsSlow),
  call("trimmed", failures.trimmed),
  call("context-exceeded", failures.contextExceeded),
  call("no-pongs", failures.noPongs),
  call("spend-refused", failures.spendRefused),
  call("spend-ends", failures.spendEnds),
  call("account-limit", failures.accountLimit),
  call("cost-limit", failures.costLimit),
  call("connection-lost", failures.connectionLost),
  call("socket-gone", failures.socketGone),
  call("framing-broken", failures.framingBroken),
  call("slow-consumer", failures.slowConsumer),
  call("malformed", failures.malformed),
  call("no-start", failures.noStart, ["carrier_a", "carrier_b", "carrier_c"]),
  call("message-flood", failures.messageFlood),
  call("audio-flood", failures.audioFlood),
  call("ended-by-api", failures.endedByApi),
  call("drained", failures.drained),
  call("internal-error", failures.internalError),
  call("unrecorded", failures.unrecorded, GOLDEN_LINE_NAMES),
  call("unrecorded-tool", failures.unrecordedTool),
  call("unrecorded-typed", failures.unrecordedTyped, WEBSOCKET),
];
