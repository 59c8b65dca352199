import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Invariant } from "./plan/kinds.ts";

/** A guard that is taken out of the service, by replacing text that stands in a file once, and what must be seen without it. */
export interface Mutant {
  guard: string;
  edits: readonly { file: string; from: string; to: string }[];
  seen: Invariant;
}

const mutant = (guard: string, seen: Invariant, file: string, from: string, to: string): Mutant => ({
  guard,
  edits: [{ file, from, to }],
  seen,
});

export const MUTANTS: readonly Mutant[] = [
  {
    guard: "a call that has ended does nothing more",
    seen: "one end, and nothing after it",
    edits: [
      { file: "gateway/session.ts", from: '    this.#state = { at: "over" };\n', to: "" },
      { file: "gateway/leg/attachment.ts", from: "    this.#state = OVER;\n", to: "" },
    ],
  },
  mutant(
    "output runs ahead by the lead and no further",
    "output stays within the lead",
    "media/playback-clock.ts",
    "const FIRST_EARLY_MS = 2 * FRAME_MS;",
    "const FIRST_EARLY_MS = 11 * FRAME_MS;",
  ),
  mutant(
    "unsent audio of an interrupted reply is dropped",
    "one speaker at a time, each frame in its order",
    "gateway/session.ts",
    "    this.#pipeline.interrupt(command.reason);\n",
    "",
  ),
  mutant(
    "a paused reply sends nothing",
    "a paused reply is not sent",
    "gateway/leg/agent-audio.ts",
    "this.#pausedTurnId = turnId;",
    "this.#pausedTurnId = undefined;",
  ),
  mutant(
    "a paused reply resumes at the next sample",
    "one speaker at a time, each frame in its order",
    "gateway/leg/agent-audio.ts",
    "  resume(): void {\n    this.#pausedTurnId = undefined;",
    "  resume(): void {\n    this.#options.ttsOutput.shift();\n    this.#pausedTurnId = undefined;",
  ),
  mutant(
    "a paused reply resumes",
    "voice over the agent holds it, and no longer than it must",
    "call/turn-taking/turn.ts",
    "if (nowMs < resumeAtMs(caller, agent, policy)) return undefined;",
    "if (nowMs < resumeAtMs(caller, agent, policy) + 60_000) return undefined;",
  ),
  mutant(
    "speech pauses the agent",
    "voice over the agent holds it, and no longer than it must",
    "call/turn-taking/turn.ts",
    "return agent.pauses < parameters.speechPausesMax;",
    "return false;",
  ),
  mutant(
    "speech without words pauses a reply twice and no more",
    "voice over the agent holds it, and no longer than it must",
    "call/turn-taking/turn.ts",
    "return agent.pauses < parameters.speechPausesMax;",
    "return true;",
  ),
  mutant(
    "a greeting that is not interruptible is not paused",
    "voice over the agent holds it, and no longer than it must",
    "call/turn-taking/turn.ts",
    "!(agent.audible ? agent.interruptible : answered !== undefined)",
    "(!agent.audible && answered === undefined)",
  ),
  mutant(
    "a greeting that is not interruptible is not interrupted",
    "a greeting that may not be interrupted is heard whole",
    "call/turn-taking/turn.ts",
    "  if (!agent.interruptible) return undefined;\n",
    "",
  ),
  mutant(
    "words interrupt the agent",
    "words over the agent stop it",
    "call/turn-taking/turn.ts",
    'event.kind === "words" && event.text !== "" && !isBackChannel(event.text, language, !event.final);',
    "false;",
  ),
  mutant(
    "a back-channel does not interrupt",
    "a reply is cut for what the caller did",
    "call/turn-taking/turn.ts",
    'event.text !== "" && !isBackChannel(event.text, language, !event.final);',
    'event.text !== "" && language !== "";',
  ),
  mutant(
    "the beginning of a back-channel does not interrupt",
    "a reply is cut for what the caller did",
    "call/turn-taking/turn.ts",
    "language, !event.final)",
    "language)",
  ),
  mutant(
    "DTMF digits and typed texts interrupt the agent",
    "words over the agent stop it",
    "call/turn-taking/turn.ts",
    'if (event.kind === "dtmf" || (event.kind === "typed" && event.text !== "")) return event.kind;',
    "",
  ),
  mutant(
    "sound without words does not interrupt the agent",
    "a reply is cut for what the caller did",
    "call/turn-taking/turn.ts",
    'return bringsWords(event, policy) ? "words" : undefined;',
    'return event.kind === "speech-ended" || bringsWords(event, policy) ? "words" : undefined;',
  ),
  mutant(
    "a reply resumes when an STT without interim transcripts answers that there are no words",
    "voice over the agent holds it, and no longer than it must",
    "call/turn-taking/turn.ts",
    "if (!policy.sttHasInterim) return event.text",
    "if (policy.parameters.resumeMs < 0) return event.text",
  ),
  mutant(
    "no turn ends before the floor",
    "a turn ends with its pause, not before, and at once then",
    "call/turn-taking/end-of-turn/pause-end.ts",
    "Math.max(turnWaitMsMin, decided.waitMs)",
    "decided.waitMs / 8",
  ),
  mutant(
    "no turn ends later than the ceiling",
    "a turn ends with its pause, not before, and at once then",
    "call/turn-taking/end-of-turn/pause-end.ts",
    "Math.min(turnWaitMsMax, Math.max(turnWaitMsMin, decided.waitMs))",
    "4 * turnWaitMsMax",
  ),
  mutant(
    "a turn that goes on is no longer pending",
    "no word of the caller is lost or doubled",
    "call/conversation.ts",
    "this.#pending = this.#pendingBefore;",
    "",
  ),
  mutant(
    "nothing is answered during a DTMF entry",
    "DTMF digits arrive as they were pressed",
    "call/turn-taking/turn.ts",
    'const isEnteringDtmf = event.kind === "dtmf" || (turn.isEnteringDtmf && event.kind !== "typed");',
    "const isEnteringDtmf = false;",
  ),
  mutant(
    "DTMF digits entered when the call ends are in the transcript",
    "DTMF digits arrive as they were pressed",
    "call/call.ts",
    "const unfinished = this.#unfinished();",
    "const unfinished = unansweredUtterance(this.#turnTaking.turn.caller, this.#nowMs);",
  ),
  mutant(
    "an interim transcript is not lost to a DTMF entry",
    "no word of the caller is lost or doubled",
    "call/turn-taking/caller-turn.ts",
    'caller.at === "silent" ? "" : wordsText(caller.words), interim',
    'caller.at === "silent" ? "" : caller.words.final, interim',
  ),
  mutant(
    "a DTMF entry ends when no more digits arrive",
    "what the caller said is answered",
    "call/turn-taking/dtmf-entry.ts",
    'this.#entry === "" ? callMs(Number.POSITIVE_INFINITY) : addMs(this.#lastMs, this.#gapMs)',
    "callMs(Number.POSITIVE_INFINITY)",
  ),
  mutant(
    "an interim transcript that was answered is not answered again as final",
    "no word of the caller is lost or doubled",
    "call/turn-taking/turn-end.ts",
    "{ ...turn, answeredPrefix: joinTexts(turn.answeredPrefix, words.interim) }",
    "{ ...turn, answeredPrefix: turn.answeredPrefix }",
  ),
  mutant(
    "a turn ends no sooner than its pause",
    "a turn ends with its pause, not before, and at once then",
    "call/turn-taking/turn-end.ts",
    "isFinal ? endpointMs(words.final, language, parameters) :",
    "isFinal ? 0 : ",
  ),
  mutant(
    "a turn ends no later than its pause",
    "a turn ends with its pause, not before, and at once then",
    "call/turn-taking/turn-end.ts",
    "isFinal ? endpointMs(words.final, language, parameters) :",
    "isFinal ? 1_200 : ",
  ),
  mutant(
    "the TTS is read no further than there is room",
    "what waits stays within its bounds",
    "gateway/agent/tts-output.ts",
    "new FrameRing(OUTPUT_RING_FRAMES_MAX,",
    "new FrameRing(8 * OUTPUT_RING_FRAMES_MAX, ",
  ),
  mutant(
    "an LLM that never stops is aborted",
    "what waits stays within its bounds",
    "gateway/agent/reply-limiter.ts",
    "        this.#textChars += Math.min(event.text.length, roomChars);\n",
    "",
  ),
  mutant(
    "a reply that is late begins with a filler",
    "the caller is not left in silence",
    "call/reply/watchdog.ts",
    "? callMs(Number.POSITIVE_INFINITY) : addMs(this.#beganMs, fillerMs);",
    "? callMs(Number.POSITIVE_INFINITY) : callMs(Number.POSITIVE_INFINITY);",
  ),
  mutant(
    "a silent LLM has failed",
    "no reply hangs",
    "call/reply/watchdog.ts",
    'if (nowMs >= this.#llmMs()) return "llm";',
    "",
  ),
  mutant(
    "a silent TTS has failed",
    "no reply hangs",
    "call/reply/watchdog.ts",
    'if (nowMs >= this.#ttsMs(progress)) return "tts";',
    "",
  ),
  mutant(
    "an LLM calls a limited number of tools at once",
    "tools are used within their limits, and their results reach the LLM",
    "call/tools/rounds.ts",
    "this.#requested.length >= TOOL_CALLS_PER_ROUND_MAX",
    "false",
  ),
  mutant(
    "an LLM has a limited number of tool rounds",
    "tools are used within their limits, and their results reach the LLM",
    "call/tools/rounds.ts",
    "return this.#rounds.length >= TOOL_ROUNDS_MAX;",
    "return false;",
  ),
  mutant(
    "a late tool result reaches the LLM",
    "tools are used within their limits, and their results reach the LLM",
    "call/call.ts",
    "    this.#conversation.lateResult(event.toolCallId, event.result);\n",
    "",
  ),
  {
    guard: "an answer to what the caller has not said in the end is dropped",
    edits: [
      {
        file: "call/reply/preemptive-generation.ts",
        from: "this.#unchangedSinceMs = nowMs;\n    this.cancel();",
        to: "this.#unchangedSinceMs = nowMs;",
      },
      {
        file: "call/reply/preemptive-generation.ts",
        from: "if (isSame && hasSamePassages && pendingLanguage === language) this",
        to: "if (isSame || true) this",
      },
    ],
    seen: "the LLM knows what was heard, and nothing else",
  },
  mutant(
    "an answer waits for its passages no longer than the bound",
    "an answer has its passages, and waits for them briefly",
    "call/reply/agent-side.ts",
    "|| nowMs >= reply.passagesDueMs)",
    "|| nowMs >= addMs(reply.passagesDueMs, 60_000))",
  ),
  mutant(
    "tools with effects wait for the caller after passages were read",
    "an answer has its passages, and waits for them briefly",
    "call/tools/plan.ts",
    "return hasReadPassages && !isAllowed ?",
    "return hasReadPassages && !isAllowed && tools.length > 99 ?",
  ),
  mutant(
    "tool results of an interrupted reply reach the LLM",
    "tools are used within their limits, and their results reach the LLM",
    "call/reply/agent-side.ts",
    "    conversation.addToolRounds(reply.tools.messages());\n",
    "",
  ),
  mutant(
    "fixed arguments override those of the LLM",
    "tools are used within their limits, and their results reach the LLM",
    "call/tools/plan.ts",
    "{ ...given, ...tool.fixedArguments }",
    "{ ...given }",
  ),
  mutant(
    "a goodbye is played to its end",
    "an end has its cause, and a cause its end",
    "call/reply/agent-side.ts",
    "if (reply !== undefined && nowMs >= this.#heardMs(reply, nowMs)) this.#finish(reply, nowMs);",
    "if (reply !== undefined && (reply.finalEffect || nowMs >= this.#heardMs(reply, nowMs))) this.#finish(reply, nowMs);",
  ),
  mutant(
    "a reply ends when it was played, not when it was sent",
    "nothing counts as heard that was not played",
    "call/reply/heard-ledger.ts",
    "return reply.allPlayed ? playedMs : addMs(playedMs, this.#parameters.markGraceMs);",
    "return reply.allPlayed ? playedMs : nowMs;",
  ),
  mutant(
    "nothing counts as heard after the last sign of life of a lost connection",
    "nothing counts as heard that was not played",
    "call/reply/playout.ts",
    "return elapsedMs(this.#confirmedMs, atMs) <= this.#confirmationMs;",
    "return true;",
  ),
  mutant(
    "sent audio does not count as heard",
    "nothing counts as heard that was not played",
    "call/reply/reply.ts",
    "const byClock = this.#sentSamples - (unplayedMs * this.#rateHz) / 1_000;",
    "const byClock = this.#sentSamples;",
  ),
  mutant(
    "a mark that does not return is not waited for",
    "no reply hangs",
    "call/reply/heard-ledger.ts",
    "return reply.allPlayed ? playedMs : addMs(playedMs, this.#parameters.markGraceMs);",
    "return reply.allPlayed ? playedMs : callMs(Number.POSITIVE_INFINITY);",
  ),
  mutant(
    "the prompt has what was heard, not what was generated",
    "the LLM knows what was heard, and nothing else",
    "call/conversation.ts",
    'this.#messages.push({ role: "assistant", text: turn.text });',
    'this.#messages.push({ role: "assistant", text: turn.text.toUpperCase() });',
  ),
  mutant(
    "the inactivity timeout starts when the agent or words were last heard",
    "inactivity comes when it is due and not before",
    "call/turn-taking/inactivity.ts",
    "return addMs(latest(this.#quietSinceMs, playsUntilMs), this.#timeoutMs);",
    "return addMs(callMs(0), this.#timeoutMs);",
  ),
  mutant(
    "an echo of the agent interrupts nothing",
    "a reply is cut for what the caller did",
    "call/call.ts",
    'if (echoWindowMs === 0) return { text, echo: "" };',
    'if (echoWindowMs >= 0) return { text, echo: "" };',
  ),
  mutant(
    "sound is no activity",
    "inactivity comes when it is due and not before",
    "call/call.ts",
    'if (edge === "started") {',
    'if (edge === "started" || isSpeech) this.#inactivity.callerActive(this.#nowMs);\n    if (edge === "started") {',
  ),
  mutant(
    "the third unanswered prompt is the last",
    "inactivity comes when it is due and not before",
    "call/turn-taking/inactivity.ts",
    "this.#promptsUnanswered >= INACTIVITY_PROMPTS_MAX",
    "false",
  ),
  mutant(
    "the journal of an unrecorded call has no tool results",
    "no word of a call without a transcript is written",
    "record/journal/redact.ts",
    'toolCallId, result: "", failed',
    "toolCallId, result, failed",
  ),
  mutant(
    "the journal separates speech from silence",
    "the journal gives the same call again",
    "record/journal/format.ts",
    "(isSpeech ? FLAG_SPEECH : 0)",
    "0",
  ),
  mutant(
    "provider streams are closed with their call",
    "everything stops with the call",
    "gateway/session.ts",
    "for (const event of this.#pipeline.close()) journal.event(this.#call.eventMs, event);",
    "",
  ),
  mutant(
    "the STT receives what the caller sends",
    "the STT receives every frame",
    "gateway/session.ts",
    "    else sttInput?.writeFrame(frame.samples, callerSpeech, silenceFrames, nowMs);\n",
    "",
  ),
  mutant(
    "played audio counts as heard",
    "nothing that was played is missing",
    "call/reply/reply.ts",
    "const byClock = this.#sentSamples - (unplayedMs * this.#rateHz) / 1_000;",
    "const byClock = this.#sentSamples - ((unplayedMs + 500) * this.#rateHz) / 1_000;",
  ),
  mutant(
    "a reply of which nothing was heard ends for clients, too",
    "clients are shown the turns of the call",
    "call/reply/agent-side.ts",
    '    transcript.discard("agent");\n',
    "",
  ),
  mutant(
    "clients see the whole turn of a caller who continues before the answer",
    "clients are shown the turns of the call",
    "call/turn-taking/turn-taking.ts",
    'update("user", conversation.turnTextWith(understoodText(step)))',
    'update("user", understoodText(step))',
  ),
  mutant(
    "clients see words that the same step answers",
    "clients are shown the turns of the call",
    "call/turn-taking/turn.ts",
    'actions.find((action) => "text" in action)?.text ?? callerText(turn.caller)',
    "callerText(turn.caller)",
  ),
  mutant(
    "a call ends at its maximum duration, whatever hangs",
    "no deadline is missed",
    "call/call.ts",
    "if (nowMs >= callMs(this.#spec.maxDurationMs)) this.#end",
    "if (nowMs < callMs(0)) this.#end",
  ),
];

/** What came of the simulation without a guard. */
export interface MutantRun {
  output: string;
  /** It saw what it should, in a call of this seed. */
  isSeen: boolean;
  firstSeed: number | undefined;
}

const TIMEOUT_MS = 240_000;

/** A file of the project at `root` with an edit of a mutant in it. Throws where the text is not there once. */
export function edited(root: string, { file, from, to }: Mutant["edits"][number]): string {
  const source = readFileSync(join(root, "src", file), "utf8");
  assert.equal(source.split(from).length, 2, `${file} has this once: ${from}`);
  return source.replace(from, () => to);
}

/** Runs up to so many seeds over a copy of the source without the guard. Asserts that the source has what the edits replace, once. */
export async function simulateMutant({ edits, seen }: Mutant, seeds: number): Promise<MutantRun> {
  const root = mkdtempSync(join(tmpdir(), "trunkline-mutant-"));
  try {
    const project = fileURLToPath(new URL("../..", import.meta.url));
    for (const part of ["src", "test/sim", "test/callers", "test/support", "package.json"]) {
      cpSync(join(project, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
    for (const edit of edits) writeFileSync(join(root, "src", edit.file), edited(root, edit));
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const args = ["--import", tsx, "test/sim/run.ts", "--seeds", String(seeds), "--until", seen];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: root, timeout: TIMEOUT_MS }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    const failures = [...output.matchAll(/^FAILED .*--seed (\d+)$/gm)];
    const isSeen = output.includes(`: ${seen}: `);
    return { output, isSeen, firstSeed: isSeen ? Number(failures.at(-1)?.[1]) : undefined };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
