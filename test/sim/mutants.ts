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
  mutant(
    "a call that is over does nothing any more",
    "one end, and nothing after it",
    "gateway/connection.ts",
    "    this.#over = true;\n",
    "",
  ),
  mutant(
    "output runs ahead by the lead and no more",
    "output stays within the lead",
    "media/playback-clock.ts",
    "const TOP_UP_BELOW_MS = OUTPUT_LEAD_MS + 1.5 * FRAME_MS;",
    "const TOP_UP_BELOW_MS = 3 * OUTPUT_LEAD_MS + FRAME_MS;",
  ),
  mutant(
    "what was not sent of a reply that is cut is dropped",
    "one speaker at a time, each frame in its order",
    "gateway/connection.ts",
    "        this.#engines.cut(command.reason);\n",
    "",
  ),
  mutant(
    "of a paused reply nothing is sent",
    "a paused reply is not sent",
    "gateway/agent-audio.ts",
    "this.#pausedTurnId = turnId;",
    "this.#pausedTurnId = undefined;",
  ),
  mutant(
    "a reply goes on from the very sample",
    "one speaker at a time, each frame in its order",
    "gateway/agent-audio.ts",
    "  resume(): void {\n    this.#pausedTurnId = undefined;",
    "  resume(): void {\n    this.#options.speech.shift();\n    this.#pausedTurnId = undefined;",
  ),
  mutant(
    "a reply that was paused goes on",
    "voice over the agent holds it, and no longer than it must",
    "call/turn.ts",
    "if (nowMs < resumeAtMs(caller, pausedMs, policy)) return undefined;",
    "if (nowMs < resumeAtMs(caller, pausedMs, policy) + 60_000) return undefined;",
  ),
  mutant(
    "voice pauses the agent",
    "voice over the agent holds it, and no longer than it must",
    "call/turn.ts",
    "return agent.pauses < parameters.voicePausesMax;",
    "return false;",
  ),
  mutant(
    "voice alone pauses a reply twice and no more",
    "voice over the agent holds it, and no longer than it must",
    "call/turn.ts",
    "return agent.pauses < parameters.voicePausesMax;",
    "return true;",
  ),
  mutant(
    "nothing pauses a greeting that may not be interrupted",
    "voice over the agent holds it, and no longer than it must",
    "call/turn.ts",
    'caller.at !== "speaking" || !agent.audible || !agent.interruptible) return false;',
    'caller.at !== "speaking" || !agent.audible) return false;',
  ),
  mutant(
    "nothing cuts a greeting that may not be interrupted",
    "a greeting that may not be interrupted is heard whole",
    "call/turn.ts",
    "  if (!agent.interruptible) return undefined;\n",
    "",
  ),
  mutant(
    "words cut the agent",
    "words over the agent stop it",
    "call/turn.ts",
    'isBackChannel(event.text, language, !event.final) ? undefined : "words"',
    "undefined",
  ),
  mutant(
    "a back-channel does not",
    "a reply is cut for what the caller did",
    "call/turn.ts",
    'isBackChannel(event.text, language, !event.final) ? undefined : "words"',
    '"words"',
  ),
  mutant(
    "the beginning of a back-channel does not",
    "a reply is cut for what the caller did",
    "call/turn.ts",
    "language, !event.final)",
    "language)",
  ),
  mutant(
    "keys and what is typed cut the agent",
    "words over the agent stop it",
    "call/turn.ts",
    'if (event.kind === "key" || (event.kind === "typed" && event.text !== "")) return event.kind;',
    "",
  ),
  mutant(
    "voice that is not sustained does not cut the agent",
    "a reply is cut for what the caller did",
    "call/turn.ts",
    "  if (nowMs < caller.voiceMs + parameters.sustainedVoiceMs) return undefined;\n",
    "",
  ),
  mutant(
    "nothing is answered while keys are entered",
    "DTMF digits arrive as they were pressed",
    "call/turn.ts",
    'const keying = event.kind === "key" || (turn.keying && event.kind !== "typed");',
    "const keying = false;",
  ),
  mutant(
    "keys that are being entered when the call ends are told",
    "DTMF digits arrive as they were pressed",
    "call/call.ts",
    "const unfinished = this.#unfinished();",
    "const unfinished = saidUntil(this.#turn.caller, this.#nowMs);",
  ),
  mutant(
    "what the ear is not done with is not lost to keys",
    "no word of the caller is lost or doubled",
    "call/caller-turn.ts",
    'caller.at === "silent" ? "" : wordsText(caller.words), partial',
    'caller.at === "silent" ? "" : caller.words.final, partial',
  ),
  mutant(
    "an entry of keys is over when no more come",
    "what the caller said is answered",
    "call/digits.ts",
    'this.#entry === "" ? Number.POSITIVE_INFINITY : this.#lastMs + this.#gapMs',
    "Number.POSITIVE_INFINITY",
  ),
  mutant(
    "what was answered before the ear was done with it is not answered again",
    "no word of the caller is lost or doubled",
    "call/turn.ts",
    "{ ...turn, answered: joinTexts(turn.answered, words.partial) }",
    "{ ...turn, answered: turn.answered }",
  ),
  mutant(
    "a turn ends no sooner than its pause",
    "a turn ends with its pause, not before, and at once then",
    "call/turn.ts",
    "isFinal ? endpointMs(words.final, language, parameters) : ",
    "isFinal ? 0 : ",
  ),
  mutant(
    "and no later",
    "a turn ends with its pause, not before, and at once then",
    "call/turn.ts",
    "isFinal ? endpointMs(words.final, language, parameters) : ",
    "isFinal ? 1_200 : ",
  ),
  mutant(
    "the voice is pulled no further than there is room",
    "what waits stays within its bounds",
    "gateway/voice-out.ts",
    "new FrameRing(OUTPUT_RING_FRAMES_MAX, ",
    "new FrameRing(8 * OUTPUT_RING_FRAMES_MAX, ",
  ),
  mutant(
    "a model that talks without end is stopped",
    "what waits stays within its bounds",
    "gateway/model-answer.ts",
    "        this.#textChars += Math.min(event.text.length, roomChars);\n",
    "",
  ),
  mutant(
    "a reply that is not audible in time begins with words of our own",
    "the caller is not left in silence",
    "call/reply-watch.ts",
    "? Number.POSITIVE_INFINITY : this.#beganMs + fillerMs;",
    "? Number.POSITIVE_INFINITY : Number.POSITIVE_INFINITY;",
  ),
  mutant(
    "a model that says nothing has failed",
    "no reply hangs",
    "call/reply-watch.ts",
    'if (nowMs >= this.#modelMs()) return "model";',
    "",
  ),
  mutant(
    "a voice that says nothing has failed",
    "no reply hangs",
    "call/reply-watch.ts",
    'if (nowMs >= this.#voiceMs(standing)) return "voice";',
    "",
  ),
  mutant(
    "the model uses so many tools at once and no more",
    "tools are used within their limits, and their results reach the LLM",
    "call/tool-use.ts",
    "this.#asked.length >= TOOL_CALLS_PER_ROUND_MAX",
    "false",
  ),
  mutant(
    "the model has so many rounds of tools and no more",
    "tools are used within their limits, and their results reach the LLM",
    "call/tool-use.ts",
    "return this.#rounds.length >= TOOL_ROUNDS_MAX;",
    "return false;",
  ),
  mutant(
    "a result that comes too late is known to the model",
    "tools are used within their limits, and their results reach the LLM",
    "call/call.ts",
    "        this.#conversation.lateResult(event.key, event.result);\n",
    "",
  ),
  {
    guard: "an answer to what the caller has not said in the end is dropped",
    edits: [
      {
        file: "call/preemptive.ts",
        from: 'if (plain === "") this.#asks = 0;\n    this.drop();',
        to: 'if (plain === "") this.#asks = 0;',
      },
      { file: "call/preemptive.ts", from: "if (isSame && spoken === language) this", to: "if (isSame || true) this" },
    ],
    seen: "the model knows what was heard, and nothing else",
  },
  mutant(
    "what tools did in a reply that was cut is known to the model",
    "tools are used within their limits, and their results reach the LLM",
    "call/speaker.ts",
    "    conversation.used(reply.tools.messages());\n",
    "",
  ),
  mutant(
    "arguments that are fixed are not the model's to choose",
    "tools are used within their limits, and their results reach the LLM",
    "call/tools.ts",
    "{ ...given, ...tool.fixedArguments }",
    "{ ...given }",
  ),
  mutant(
    "a goodbye is heard to its end",
    "an end has its cause, and a cause its end",
    "call/speaker.ts",
    "if (reply !== undefined && nowMs >= this.#heard.deadlineMs(reply, nowMs)) this.#finish(reply, nowMs);",
    "if (reply !== undefined && (reply.afterwards || nowMs >= this.#heard.deadlineMs(reply, nowMs))) this.#finish(reply, nowMs);",
  ),
  mutant(
    "a reply ends when it was heard, not when it was sent",
    "nothing counts as heard that was not played",
    "call/heard-ledger.ts",
    "return reply.allPlayed ? playedMs : playedMs + this.#parameters.markGraceMs;",
    "return reply.allPlayed ? playedMs : nowMs;",
  ),
  mutant(
    "nothing counts as heard behind the last sign of a line that is dead",
    "nothing counts as heard that was not played",
    "call/playout.ts",
    "return atMs - this.#confirmedMs <= this.#confirmationMs;",
    "return true;",
  ),
  mutant(
    "what was sent is not what was heard",
    "nothing counts as heard that was not played",
    "call/reply.ts",
    "const byClock = this.#sentSamples - (unplayedMs * this.#rateHz) / 1_000;",
    "const byClock = this.#sentSamples;",
  ),
  mutant(
    "a mark that does not come back is not waited for",
    "no reply hangs",
    "call/heard-ledger.ts",
    "return reply.allPlayed ? playedMs : playedMs + this.#parameters.markGraceMs;",
    "return reply.allPlayed ? playedMs : Number.POSITIVE_INFINITY;",
  ),
  mutant(
    "the model is told what was heard, not what was generated",
    "the model knows what was heard, and nothing else",
    "call/conversation.ts",
    'this.#messages.push({ role: "assistant", text: turn.text });',
    'this.#messages.push({ role: "assistant", text: turn.text.toUpperCase() });',
  ),
  mutant(
    "the clock of inactivity begins when somebody was heard last",
    "inactivity comes when it is due and not before",
    "call/inactivity.ts",
    "Math.max(this.#quietSinceMs, Number.isNaN(voicedMs) ? 0 : voicedMs, playsUntilMs)",
    "0",
  ),
  mutant(
    "the third unanswered prompt is the last",
    "inactivity comes when it is due and not before",
    "call/inactivity.ts",
    "this.#promptsUnanswered >= INACTIVITY_PROMPTS_MAX",
    "false",
  ),
  mutant(
    "what came of a tool is not written of an unrecorded call",
    "no word of an unrecorded call is written",
    "record/redact.ts",
    '        result: "",\n',
    "        result: event.result,\n",
  ),
  mutant(
    "the journal tells voice from silence",
    "the journal gives the same call again",
    "record/journal-format.ts",
    "(voiced ? FLAG_VOICED : 0)",
    "0",
  ),
  mutant(
    "engines are stopped with their call",
    "everything stops with the call",
    "gateway/connection.ts",
    "for (const event of this.#engines.close()) journal.event(this.#call.eventMs, event);",
    "",
  ),
  mutant(
    "the ear is given what the caller sends",
    "the STT receives every frame",
    "gateway/connection.ts",
    "    this.#engines.hear(frame.samples, event.voiced, nowMs);\n",
    "",
  ),
  mutant(
    "what was played counts as heard",
    "nothing that was played is missing",
    "call/reply.ts",
    "const byClock = this.#sentSamples - (unplayedMs * this.#rateHz) / 1_000;",
    "const byClock = this.#sentSamples - ((unplayedMs + 500) * this.#rateHz) / 1_000;",
  ),
  mutant(
    "a call ends at its cap, whatever hangs",
    "no deadline is missed",
    "call/call.ts",
    "if (nowMs >= this.#spec.maxDurationMs) this.#end",
    "if (nowMs < 0) this.#end",
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
    for (const part of ["src", "test/sim", "test/support", "package.json"]) {
      cpSync(join(project, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
    for (const edit of edits) writeFileSync(join(root, "src", edit.file), edited(root, edit));
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const args = ["--import", tsx, "test/sim/run.ts", "--seeds", String(seeds), "--until", seen];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: root, timeout: TIMEOUT_MS }, (_, stdout) => resolve(stdout));
    });
    const failures = [...output.matchAll(/^FAILED .*--seed (\d+)$/gm)];
    const isSeen = output.includes(`: ${seen}: `);
    return { output, isSeen, firstSeed: isSeen ? Number(failures.at(-1)?.[1]) : undefined };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
