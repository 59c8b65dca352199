import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { DTMF_ENTRY_DIGITS_MAX } from "../../../src/core/limits/calls/calls.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isComplete, isOver, needsReply, TICK_MS } from "../observer/facts.ts";
import type { SimulatedStt } from "../providers/stt.ts";
import type { Rule } from "./rule.ts";

const {
  markGraceMs,
  finalWaitMs,
  wordlessSpeechMs: wordlessVoiceMs,
  frameLossMs,
  hangoverMs,
  fillerMs,
  dtmfGapMs: digitGapMs,
  llmSilenceMs,
  ttsSilenceMs,
} = DEFAULT_TURN_PARAMETERS;
/** The longest time from the last words to the reply. */
const ANSWER_WITHIN_MS = finalWaitMs + wordlessVoiceMs + frameLossMs + hangoverMs;

/** What sets the providers to work. */
const WORK: readonly CallCommand["kind"][] = ["generate-reply", "speak", "resume"];
const PROVIDERS_SILENT_MS_MAX = Math.max(llmSilenceMs, ttsSilenceMs);
/** An entry of keys, as it stands among what was said. */
const ENTRY = /DTMF: (\S+)/g;

/** What the caller says is heard, understood and answered, all of it, and answers come to their end. */
export class Answers implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #stt: SimulatedStt | undefined;
  /** What came of the caller, in order: what was said, by its finals, and what was typed. */
  readonly #finals: string[] = [];
  #partial = "";
  /** What the service made of it: turns, and what it ignored. */
  readonly #emitted: string[] = [];
  #keys = "";
  /** When somebody last did something for the reply that lives. */
  #workedMs = 0;
  /** Until when more keys may belong to the last one; NaN when it was the last of its entry. */
  #enteringUntilMs = Number.NaN;
  /** Since when words of the caller wait for an answer; undefined while none do. */
  #waitingMs: number | undefined;

  constructor(facts: Facts, chronicle: Chronicle, stt: SimulatedStt | undefined) {
    this.#facts = facts;
    this.#chronicle = chronicle;
    this.#stt = stt;
  }

  event(event: CallEvent): void {
    if (this.#facts.lastEventCounts) this.#workedMs = this.#facts.nowMs;
    if (needsReply(event, this.#facts.userMessage)) this.#waitingMs = this.#facts.nowMs;
    if (event.kind === "dtmf") this.#pressed(event.digit);
    if (event.kind === "typed") this.#enteringUntilMs = Number.NaN;
    if (event.kind !== "stt-interim" && event.kind !== "stt-final" && event.kind !== "typed") return;
    this.#partial = event.kind === "stt-interim" ? event.text : "";
    if (event.kind !== "stt-interim") this.#finals.push(event.text);
  }

  /** Voice may go on with what was said; but not for ever, where an STT would emit its words. */
  frameIn(voiced: boolean): void {
    const isSettled = this.#stt?.capabilities.interimTranscripts === true && this.#partial === "";
    if (voiced && this.#waitingMs !== undefined && !isSettled) this.#waitingMs = this.#facts.nowMs;
  }

  frameOut(): void {
    this.#workedMs = this.#facts.nowMs;
  }

  command(command: CallCommand): void {
    if (WORK.includes(command.kind)) this.#workedMs = this.#facts.nowMs;
    if (["generate-reply", "await-passages", "ignore"].includes(command.kind)) this.#waitingMs = undefined;
    if (command.kind === "generate-reply") this.#checkEntering(command.turnId);
    if (command.kind === "ignore") this.#emitted.push(command.text);
    if (command.kind === "turn" && command.turn.role === "user") this.#emitted.push(command.turn.text);
  }

  inspect(): void {
    const { end, nowMs, reply, playsUntilMs, markLateMs, state } = this.#facts;
    if (end !== undefined) return;
    const isAlive = reply !== undefined && !isOver(reply);
    if (!isAlive && state !== "listening") this.#chronicle.violated("no reply hangs", `${state}, without a reply`);
    // On a line that confirms nothing it waits for a frame, a mark or a pong.
    const confirmedMs = this.#facts.confirmedMs >= playsUntilMs ? this.#facts.playedConfirmedMs : nowMs;
    const dueMs = Math.max(playsUntilMs, confirmedMs) + markGraceMs + markLateMs;
    if (isAlive && reply.sentFrames > 0 && isComplete(reply) && nowMs > this.#facts.latestMs(dueMs, TICK_MS)) {
      this.#chronicle.violated("no reply hangs", `reply ${reply.turnId} was played by ${playsUntilMs} ms`);
    }
    // While an answer is held, the caller speaks.
    const isAwaited = isAlive && reply.pausedMs === undefined;
    const fillerDueMs = isAwaited ? Math.max(reply.beganMs + fillerMs, reply.resumedMs) : Number.POSITIVE_INFINITY;
    if (isAwaited && reply.segments.length === 0 && nowMs > this.#facts.latestMs(fillerDueMs, TICK_MS)) {
      const detail = `nothing is said of reply ${reply.turnId} since ${reply.beganMs} ms`;
      this.#chronicle.violated("the caller is not left in silence", detail);
    }
    const isWorkedAt = !isAlive || isComplete(reply) || reply.pausedMs !== undefined || reply.toolsRunning.size > 0;
    if (!isWorkedAt && nowMs > this.#facts.latestMs(this.#workedMs + PROVIDERS_SILENT_MS_MAX, TICK_MS)) {
      this.#chronicle.violated("no reply hangs", `nothing is done for ${reply.turnId} since ${this.#workedMs} ms`);
    }
    // What may not be interrupted is heard out first.
    if (isAlive && this.#waitingMs !== undefined) this.#waitingMs = nowMs;
    this.#checkAnswered();
  }

  over(): void {
    this.#checkKeys();
    if (this.#stt === undefined) return;
    const { heardMs, isHonest } = this.#stt;
    const { framesIn } = this.#facts;
    // A resampler holds something back.
    if (heardMs < (framesIn - 1) * FRAME_MS) {
      this.#chronicle.violated("the STT receives every frame", `${heardMs} ms of ${framesIn} frames`);
    }
    const emitted = this.#emitted.join(" ").replaceAll(ENTRY, "").trim().replaceAll(/ +/g, " ");
    const heard = `${this.#finals.filter((text) => text !== "").join(" ")} ${this.#partial}`.trim();
    if (!isHonest || emitted === heard) return;
    const detail = `emitted ${JSON.stringify(emitted)}, heard ${JSON.stringify(heard)}`;
    this.#chronicle.violated("no word of the caller is lost or doubled", detail);
  }

  #pressed(key: string): void {
    this.#keys += key;
    const isLast = key === "#" || (this.#keys.split("#").at(-1) ?? "").length >= DTMF_ENTRY_DIGITS_MAX;
    this.#enteringUntilMs = isLast ? Number.NaN : this.#facts.nowMs + digitGapMs;
  }

  /** Only the LLM's own tools go on while keys are entered. */
  #checkEntering(turnId: number): void {
    const { nowMs, replies } = this.#facts;
    if (replies.get(turnId)?.asks !== 1 || !(nowMs < this.#enteringUntilMs - TICK_MS)) return;
    this.#chronicle.violated("DTMF digits arrive as they were pressed", `asked in the middle of ${this.#keys}`);
  }

  /** Entries are what was pressed, without what ends them; but for a last digit that only showed that the goodbye had been heard. */
  #checkKeys(): void {
    const entered = [...this.#emitted.join(" ").matchAll(ENTRY)]
      .map(([, keys = ""]) => keys.replaceAll("#", ""))
      .join("");
    const pressed = this.#keys.replaceAll("#", "");
    if (pressed.startsWith(entered) && pressed.length - entered.length <= 1) return;
    this.#chronicle.violated("DTMF digits arrive as they were pressed", `entered ${entered}, pressed ${this.#keys}`);
  }

  #checkAnswered(): void {
    const { nowMs } = this.#facts;
    if (this.#waitingMs === undefined || this.#stt?.isHonest !== true) return;
    if (nowMs <= this.#facts.latestMs(this.#waitingMs + ANSWER_WITHIN_MS, TICK_MS)) return;
    this.#chronicle.violated("what the caller said is answered", `said by ${this.#waitingMs} ms, at ${nowMs} ms`);
    this.#waitingMs = undefined;
  }
}
