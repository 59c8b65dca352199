import { strict as assert } from "node:assert";
import type { CancelReason, EndReason, SpeakReason } from "../../core/calls/reasons.ts";
import type { RecordingRequest } from "../../core/calls/recording-pause.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import type { TurnLatency } from "../../core/calls/transcript.ts";
import { addMs, type CallMs, callMs, earliest, latest } from "../../core/clocks.ts";
import { asTurnId, NO_REPLY_TURN_ID, type ToolCallId, type TurnId } from "../../core/ids.ts";
import { referenceOf } from "../../core/knowledge/call-knowledge.ts";
import { REPLY_SEGMENTS_MAX } from "../../core/limits/calls/calls.ts";
import type { Conversation } from "../conversation.ts";
import type { CallEvent, CallSink, CallState } from "../events.ts";
import type { TurnRetrieval } from "../knowledge/turn-retrieval.ts";
import type { TurnParameters } from "../parameters.ts";
import type { CallPhrases } from "../phrases.ts";
import type { CallSnapshot } from "../snapshot.ts";
import { describeTools, offeredTools, planTool, type ToolEffect } from "../tools/plan.ts";
import type { ToolRun } from "../tools/rounds.ts";
import type { Transcript } from "../transcript.ts";
import type { Inactivity } from "../turn-taking/inactivity.ts";
import type { TurnAction, TurnEvent } from "../turn-taking/turn-events.ts";
import { HeardLedger } from "./heard-ledger.ts";
import { PendingTones } from "./pending-tones.ts";
import type { PlayedWord } from "./played-words.ts";
import { Playout } from "./playout.ts";
import { Reply } from "./reply.ts";
import type { AnsweredUtterance } from "./timings.ts";
import type { ReplyProgress } from "./watchdog.ts";

const NEVER = callMs(Number.POSITIVE_INFINITY);
/** For the LLM. */
const TOO_MANY_DIGITS = "Error: the keys that were pressed before are still being sent; wait, and press these again.";

export interface AgentSideOptions {
  spec: CallSpec;
  rateHz: number;
  parameters: Readonly<TurnParameters>;
  conversation: Conversation;
  inactivity: Inactivity;
  phrases: CallPhrases;
  transcript: Transcript;
  /** Undefined where no passages are fetched for the caller's turns. */
  retrieval: TurnRetrieval | undefined;
  sink: CallSink;
  /** Reports what the agent does to turn taking. */
  step: (event: TurnEvent) => void;
  /** The turn that the current reply answers is final, though the reply is not audible yet. */
  turnSettled: () => void;
  /** Ends the call. */
  end: (reason: EndReason) => void;
  /** The LLM has finished the current reply, or has failed. */
  llmDone: (failed: boolean) => void;
  /** The agent has asked the telephone network for a transfer, by this tool call, and has been heard. */
  requestTransfer: (toolCallId: ToolCallId, target: string) => void;
  /** The agent has asked for a hold of this time at most, by this tool call, and has been heard. */
  requestHold: (toolCallId: ToolCallId, msMax: number) => void;
  /** The reply that asked for the hold is gone. */
  beginHold: () => void;
  /** The LLM asks for the call to continue in another language. */
  switchLanguage: (language: string) => void;
  /** The LLM pauses or resumes the recording; a pause begins at once. */
  changeRecording: (request: RecordingRequest) => void;
}

/**
 * The agent's side of a call: the current reply, from the first request to the last word heard. Times are ms of call
 * time; each method is given the current time.
 */
export class AgentSide {
  readonly #options: AgentSideOptions;
  readonly #playout: Playout;
  readonly #heardLedger: HeardLedger;
  readonly #tones = new PendingTones();
  #isDetached = false;
  #reply: Reply | undefined;
  /** The reply before the current one, or the last one: its last words may still come back as an echo. */
  #previousReply: Reply | undefined;
  #nextTurnId = 1;
  #firstMessage = true;
  #state: CallState = "listening";
  #language: string;
  /** Read on every frame, therefore allocated once. */
  readonly #progressNow: ReplyProgress = { unsent: false, hasSegments: false, playsUntilMs: callMs(0) };

  constructor(options: AgentSideOptions) {
    this.#options = options;
    this.#language = options.spec.language;
    this.#playout = new Playout(options.rateHz, options.parameters.confirmationMs);
    this.#heardLedger = new HeardLedger(this.#playout, options.parameters);
  }

  /** There is a current reply: it is being generated or played. */
  get busy(): boolean {
    return this.#reply !== undefined;
  }

  /** A tool is running, so the silence is not the caller's. */
  get areToolsRunning(): boolean {
    return this.#reply?.tools.running ?? false;
  }

  /** Takes effect with the next reply. */
  set language(language: string) {
    this.#language = language;
  }

  /** When the playout of everything sent so far ends, ms; in the past when it has ended. */
  get playsUntilMs(): CallMs {
    return this.#playout.playsUntilMs;
  }

  /** The words of the agent that began to play in the last `windowMs`, in order. */
  playedWords(windowMs: number, nowMs: CallMs): PlayedWord[] {
    const sinceMs = addMs(nowMs, -windowMs);
    return [this.#previousReply, this.#reply].flatMap((reply) => reply?.playedWords(sinceMs) ?? []);
  }

  /** Requests a reply from the LLM. */
  generateReply(nowMs: CallMs): void {
    this.#requestLlm(this.#beginThinking(nowMs), nowMs);
  }

  /** The same to the turn that the caller has just ended, with the passages for it. */
  answer(nowMs: CallMs): void {
    const { retrieval, sink } = this.#options;
    const reply = this.#beginThinking(nowMs);
    const { turnId } = reply;
    if (retrieval?.isAwaited !== true) {
      this.#requestWithPassages(reply, nowMs);
      return;
    }
    const { waitMsMax, asked } = retrieval;
    reply.passagesDueMs = addMs(nowMs, waitMsMax);
    sink({ kind: "await-passages", turnId, retrieval: asked, waitMsMax });
  }

  #beginThinking(nowMs: CallMs): Reply {
    const reply = this.#begin(this.#options.conversation.pendingUtterance, nowMs);
    this.#setState("thinking");
    return reply;
  }

  /** When the current reply waits for passages no longer, ms; Infinity where it does not wait. */
  get passagesDueMs(): CallMs {
    return this.#reply?.passagesDueMs ?? NEVER;
  }

  /** The reply that waits for passages goes on once they are there, or are due. Called on every event. */
  continueWithPassages(nowMs: CallMs): void {
    const reply = this.#reply;
    if (reply === undefined || reply.passagesDueMs === NEVER) return;
    if (this.#options.retrieval?.isAwaited !== true || nowMs >= reply.passagesDueMs)
      this.#requestWithPassages(reply, nowMs);
  }

  #requestWithPassages(reply: Reply, nowMs: CallMs): void {
    const { retrieval } = this.#options;
    reply.passagesDueMs = NEVER;
    const found = retrieval?.take(reply.turnId, reply.timings.waitedMs(nowMs));
    if (retrieval !== undefined) reply.timings.retrieved(nowMs);
    if (found !== undefined) {
      reply.passages = found.message;
      reply.addRetrieval({ tookMs: found.tookMs, passages: found.passages.map(referenceOf) });
    }
    this.#requestLlm(reply, nowMs);
  }

  /**
   * Says a text without the LLM. With `endReason` it is a goodbye: it cannot be interrupted, and the call ends after
   * it.
   */
  say(text: string, reason: SpeakReason, nowMs: CallMs, endReason?: EndReason): void {
    const reply = this.#begin(undefined, nowMs, endReason);
    this.#speak(reply, 0, reply.wholeText(text, nowMs), nowMs, reason);
    this.finishIfHeard(nowMs);
  }

  /**
   * Handles an event of a reply. Events of a cancelled reply arrive late; the turn id tells them from the current
   * one's.
   */
  handle(event: Extract<CallEvent, { turnId: TurnId }>, nowMs: CallMs): void {
    const reply = this.#reply;
    if (event.kind === "frame-out" && event.turnId === NO_REPLY_TURN_ID) {
      this.#onOtherFrame(event.samples, nowMs);
      return;
    }
    if (reply === undefined || reply.turnId !== event.turnId) return;
    switch (event.kind) {
      case "frame-out":
        this.#onFrameOut(reply, event.samples, nowMs);
        return;
      case "reply-text": {
        reply.watchdog.llmActive(nowMs);
        const { segmentCount } = reply;
        if (segmentCount < REPLY_SEGMENTS_MAX)
          this.#speak(reply, segmentCount, reply.pushText(event.text, nowMs), nowMs);
        return;
      }
      case "reply-tool-call": {
        reply.watchdog.llmActive(nowMs);
        const { id, name, argumentsJson } = event;
        reply.tools.request({ id, name, argumentsJson });
        return;
      }
      case "reply-end":
        this.#onLlmEnd(reply, nowMs);
        return;
      case "tool-result":
        this.#onToolResult(reply, event, nowMs);
        return;
      case "reply-failed":
        this.#options.llmDone(true);
        return;
      case "segment-audio":
        reply.watchdog.ttsActive(nowMs);
        reply.segmentAudio(event.segment, event.words, nowMs);
        return;
      case "segment-end":
        reply.watchdog.ttsActive(nowMs);
        reply.segmentEnded(event.segment, event.samples);
        this.#markSegments(reply, nowMs);
        this.finishIfHeard(nowMs);
        return;
      case "segment-failed":
        // Without a TTS the agent cannot speak, nor say that it failed.
        this.#options.end("provider_error");
        return;
    }
  }

  #onToolResult(reply: Reply, event: Extract<CallEvent, { kind: "tool-result" }>, nowMs: CallMs): void {
    if (!reply.tools.setResult(event.toolCallId, event.result)) return;
    if (event.retrieval !== undefined) reply.addRetrieval(event.retrieval);
    this.#continueWithResults(reply, nowMs);
  }

  /**
   * Sends digits, by whichever way the call has; false where too many wait. As tones they interrupt the reply, which goes on after
   * them, and nothing that the caller does interrupts them.
   */
  sendDtmf(digits: string, inBand: boolean): boolean {
    const { sink } = this.#options;
    if (!inBand) sink({ kind: "send-dtmf", digits });
    else if (!this.#isDetached) {
      if (!this.#tones.add(digits.length)) return false;
      sink({ kind: "send-dtmf", digits, inBand });
    }
    return true;
  }

  /** Whether there is a leg for tones, and room for those of so many digits. */
  canSendTones(digits: number): boolean {
    return !this.#isDetached && this.#tones.hasRoomFor(digits);
  }

  /** Tones are to be sent, or not played to their end. */
  areTonesPending(nowMs: CallMs): boolean {
    return this.#tones.arePending(nowMs);
  }

  /** The peer sent a frame, a mark or a pong. */
  confirmed(nowMs: CallMs): void {
    this.#heardLedger.confirmed(this.#reply, nowMs);
  }

  /** The peer returned a mark. */
  markReturned(name: string, nowMs: CallMs): void {
    const played = this.#playout.markReturned(name, nowMs);
    const reply = this.#reply;
    if (played === undefined || reply === undefined || reply.turnId !== played.turnId) return;
    reply.segmentPlayed(played.segment);
    this.finishIfHeard(nowMs);
  }

  /**
   * The peer carried out a clear. The turn of the cancelled reply is already final; the next one's playout is more
   * precise.
   */
  cleared(playedMs: number): void {
    this.#playout.cleared(playedMs);
  }

  /** Pauses sending of the current reply. What has been sent is still played. */
  pause(turnId: TurnId, nowMs: CallMs): void {
    const reply = this.#reply;
    reply?.watchdog.pause(true, nowMs);
    if (reply !== undefined) reply.isPausedUnheard = !reply.audible;
    this.#options.sink({ kind: "pause", turnId });
    this.#setState("listening");
  }

  /** Resumes with the sample after the last one sent. */
  resume({ turnId, reason }: Extract<TurnAction, { do: "resume" }>, nowMs: CallMs): void {
    const reply = this.#reply;
    reply?.watchdog.pause(false, nowMs);
    this.#options.sink({ kind: "resume", turnId, reason });
    this.#setState(reply?.audible === false ? "thinking" : "speaking");
    if (reply === undefined) return;
    reply.isPausedUnheard = false;
    if (reply.hasWaitingRound) this.#endRound(reply, nowMs);
  }

  /**
   * The leg is lost: what the caller has not heard of the current reply is sent again on the next one, as far back as
   * REWIND_MS_MAX.
   */
  detached(nowMs: CallMs): void {
    const reply = this.#reply;
    this.#isDetached = true;
    this.#tones.drop();
    const unplayedMs = reply === undefined ? 0 : this.#heardLedger.unplayedMs(reply, nowMs);
    this.#playout.restart(nowMs);
    if (reply === undefined) return;
    reply.watchdog.detach(true, nowMs);
    const samples = reply.rewind(unplayedMs);
    if (samples > 0) this.#options.sink({ kind: "rewind", turnId: reply.turnId, samples });
  }

  /** Another leg has started. */
  attached(nowMs: CallMs): void {
    this.#isDetached = false;
    this.#reply?.watchdog.detach(false, nowMs);
    this.finishIfHeard(nowMs);
  }

  /** The caller is on hold; there is no current reply. */
  held(): void {
    this.#setState("held");
  }

  /** The hold is over; with `clear`, what the caller has not heard of its audio is dropped. */
  resumed(clear: boolean, nowMs: CallMs): void {
    if (clear) this.#playout.flush(nowMs);
    this.#setState("listening");
  }

  /** Cancels the current reply, if any. What the caller has heard of it becomes the agent's turn. */
  cancel(reason: CancelReason, speechMs: number, nowMs: CallMs): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    // What the reply does when it has been heard waits for its tones.
    const isWaiting = reply.finalEffect !== undefined && this.#tones.arePending(nowMs);
    if (!isWaiting && this.#heardLedger.isPlayedToEnd(reply, nowMs)) {
      // It was heard to its end, though no mark has confirmed that yet: there is nothing to cancel.
      this.#finish(reply, nowMs);
      return;
    }
    const { turnId, audible } = reply;
    const clear = audible && !this.#tones.arePending(nowMs);
    const heardText = this.#heardLedger.text(reply, nowMs);
    this.#options.retrieval?.release();
    // Clients see a turn that comes to nothing closed before its audio is dropped.
    if (heardText === "") this.#options.transcript.discard("agent");
    this.#options.sink({
      kind: "cancel-reply",
      turnId,
      clear,
      reason,
      speechMs: Math.round(speechMs),
      heardText,
    });
    if (reply.finalEffect !== undefined) reply.tools.revoke(reply.finalEffect.toolCallId);
    this.#settle(reply, false, nowMs);
    if (clear) this.#playout.flush(nowMs);
    reply.flushed(nowMs);
    this.#drop(reply);
  }

  /** The call has ended: what was heard of the current reply becomes the agent's turn, and the rest is dropped. */
  stop(nowMs: CallMs): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    this.#reply = undefined;
    const heardText = this.#heardLedger.text(reply, nowMs);
    this.#settle(reply, false, nowMs);
    const { turnId } = reply;
    this.#options.sink({ kind: "cancel-reply", turnId, clear: false, reason: "call_ended", speechMs: 0, heardText });
  }

  /** Checks whether the current reply has timed out, and acts on it. */
  checkWatchdog(nowMs: CallMs): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    const timeout = reply.watchdog.timedOut(this.#progress(reply), nowMs);
    if (timeout === "llm") this.#options.llmDone(true);
    else if (timeout === "tts") this.#options.end("provider_error");
    else if (timeout === "filler") {
      reply.watchdog.fillerStarted();
      const filler = this.#fillerOf(reply);
      this.#speak(reply, reply.segmentCount, reply.insert(filler, nowMs), nowMs, "filler");
    }
  }

  /** What a tool that is running says for itself, or else the service phrase. */
  #fillerOf(reply: Reply): string {
    const { spec, phrases } = this.#options;
    for (const running of reply.tools.runningNames) {
      const tool = spec.tools.find(({ name }) => name === running);
      if (tool !== undefined && tool.kind !== "built_in" && tool.whileRunning !== undefined) return tool.whileRunning;
    }
    return phrases.in(this.#language).filler;
  }

  /** Ends a reply that the caller has heard completely, according to marks or the playback clock. */
  finishIfHeard(nowMs: CallMs): void {
    const reply = this.#reply;
    if (reply !== undefined && nowMs >= this.#heardMs(reply, nowMs)) this.#finish(reply, nowMs);
  }

  /** When the current reply must be checked though no event comes, ms. */
  deadlineMs(nowMs: CallMs): CallMs {
    const reply = this.#reply;
    if (reply === undefined) return callMs(Number.POSITIVE_INFINITY);
    return earliest(this.#heardMs(reply, nowMs), reply.watchdog.deadlineMs(this.#progress(reply)));
  }

  /** When the reply, and the tones that were sent meanwhile, count as heard to their end; Infinity while some are not sent. */
  #heardMs(reply: Reply, nowMs: CallMs): CallMs {
    return latest(this.#heardLedger.deadlineMs(reply, nowMs), this.#tones.untilMs);
  }

  /** The state of the agent's side. */
  snapshot(nowMs: CallMs): Pick<CallSnapshot, "state" | "language" | "reply"> {
    const reply = this.#reply;
    const state = this.#state;
    const language = this.#language;
    if (reply === undefined) return { state, language, reply };
    const unplayedMs = this.#heardLedger.unplayedMs(reply, nowMs);
    const deadlines = {
      heardMs: this.#heardMs(reply, nowMs),
      ...reply.watchdog.deadlines(this.#progress(reply)),
    };
    return { state, language, reply: { ...reply.snapshot(unplayedMs), deadlines } };
  }

  #progress(reply: Reply): Readonly<ReplyProgress> {
    const progress = this.#progressNow;
    progress.unsent = reply.unsent;
    progress.hasSegments = reply.segmentCount > 0;
    progress.playsUntilMs = this.#playout.playsUntilMs;
    return progress;
  }

  #begin(answered: AnsweredUtterance | undefined, nowMs: CallMs, endReason?: EndReason): Reply {
    assert.ok(this.#reply === undefined, "one reply at a time");
    const { spec, rateHz, parameters, step } = this.#options;
    const interruptible = endReason === undefined && (!this.#firstMessage || spec.interruptible);
    const turnId = asTurnId(this.#nextTurnId);
    this.#nextTurnId += 1;
    const reply = new Reply({
      turnId,
      language: this.#language,
      interruptible,
      endReason,
      rateHz,
      answered,
      parameters,
      nowMs,
    });
    this.#reply = reply;
    step({ kind: "reply-began", turnId, interruptible });
    return reply;
  }

  #requestLlm(reply: Reply, nowMs: CallMs): void {
    const { conversation, sink, spec } = this.#options;
    const { turnId, tools: toolRounds } = reply;
    const toolMessages = toolRounds.messages().flatMap(({ request, results }) => [request, ...results]);
    reply.offeredTools = toolRounds.exhausted ? [] : offeredTools(spec.tools, toolRounds.hasReadPassages);
    const tools = describeTools(reply.offeredTools);
    reply.watchdog.llmActive(nowMs);
    reply.timings.llmRequested(nowMs);
    sink({
      kind: "generate-reply",
      turnId,
      messages: conversation.prompt(turnId, toolMessages, reply.passages),
      tools,
      language: this.#language,
    });
  }

  /** The LLM has finished the reply, or the text before its tool calls. */
  #onLlmEnd(reply: Reply, nowMs: CallMs): void {
    reply.watchdog.llmDone();
    this.#options.llmDone(false);
    this.#speak(reply, reply.segmentCount, reply.endRound(nowMs), nowMs);
    // The caller may be going on with the turn, and what its tools do cannot be taken back.
    if (reply.isPausedUnheard) reply.hasWaitingRound = true;
    else this.#endRound(reply, nowMs);
  }

  /** Runs the tools of a round that the LLM has finished; without any, the reply is complete. */
  #endRound(reply: Reply, nowMs: CallMs): void {
    reply.hasWaitingRound = false;
    const runs = reply.tools.startRound(reply.takeRoundText());
    if (runs.length === 0) {
      reply.endText();
      this.finishIfHeard(nowMs);
      return;
    }
    // Tools have effects: the turn that they were called for is final, whatever the caller says next.
    this.#options.conversation.settle();
    this.#options.turnSettled();
    reply.watchdog.toolsStarted(nowMs);
    for (const run of runs) this.#runTool(reply, run);
    this.#continueWithResults(reply, nowMs);
  }

  #runTool(reply: Reply, run: ToolRun): void {
    const { sink, spec } = this.#options;
    const plan = planTool(run.call, spec.tools, reply.offeredTools);
    if (plan.kind === "run") {
      sink({
        kind: "run-tool",
        turnId: reply.turnId,
        toolCallId: run.toolCallId,
        name: plan.tool.name,
        arguments: plan.arguments,
      });
      return;
    }
    const isRefused = plan.effect !== undefined && !this.#applyEffect(reply, run.toolCallId, plan.effect);
    reply.tools.setResult(run.toolCallId, isRefused ? TOO_MANY_DIGITS : plan.result);
  }

  /** False where it is not carried out. */
  #applyEffect(reply: Reply, toolCallId: ToolCallId, effect: ToolEffect): boolean {
    switch (effect.kind) {
      case "hang-up":
      case "transfer":
      case "hold":
        reply.finalEffect ??= { toolCallId, effect };
        return true;
      case "send-dtmf":
        return this.sendDtmf(effect.digits, this.#options.spec.dtmfInBand === true);
      case "language":
        this.#options.switchLanguage(effect.language);
        return true;
      case "recording":
        this.#options.changeRecording(effect.request);
        return true;
    }
  }

  /** Once every tool has its result, the LLM continues, unless it hangs up, or the caller is transferred or put on hold. */
  #continueWithResults(reply: Reply, nowMs: CallMs): void {
    if (reply.tools.running) return;
    reply.watchdog.toolsDone();
    this.#options.inactivity.activityUntil(nowMs);
    if (reply.finalEffect === undefined) {
      this.#requestLlm(reply, nowMs);
      return;
    }
    reply.endText();
    this.finishIfHeard(nowMs);
  }

  #speak(reply: Reply, firstSegment: number, texts: readonly string[], nowMs: CallMs, reason?: SpeakReason): void {
    if (texts.length === 0) return;
    const reasonMember = reason === undefined ? {} : { reason };
    reply.watchdog.ttsActive(nowMs);
    for (const [index, text] of texts.entries()) {
      this.#options.sink({ kind: "speak", turnId: reply.turnId, segment: firstSegment + index, text, ...reasonMember });
    }
    this.#options.transcript.update("agent", reply.generatedText);
  }

  /** A frame of hold audio or of tones. */
  #onOtherFrame(samples: number, nowMs: CallMs): void {
    this.#playout.sent(samples, nowMs);
    if (!this.#tones.areToBeSent) return;
    this.#tones.sent(this.#playout.playsUntilMs);
    // The reply waits for them, and not the other way round.
    this.#reply?.watchdog.ttsActive(nowMs);
  }

  #onFrameOut(reply: Reply, samples: number, nowMs: CallMs): void {
    const isFirst = !reply.audible;
    reply.watchdog.ttsActive(nowMs);
    reply.frameSent(samples, nowMs, latest(nowMs, this.#playout.playsUntilMs));
    this.#playout.sent(samples, nowMs);
    if (isFirst) this.#onAudible(reply);
    this.#markSegments(reply, nowMs);
  }

  /**
   * The first frame of a reply was sent: the turn that it answers is final, and the caller may interrupt from now on.
   */
  #onAudible(reply: Reply): void {
    this.#firstMessage = false;
    this.#options.conversation.settle();
    this.#setState("speaking", reply.timings.latency);
    this.#options.step({ kind: "reply-audible", turnId: reply.turnId });
  }

  #markSegments(reply: Reply, nowMs: CallMs): void {
    for (let segment = reply.takeSegmentToMark(); segment !== undefined; segment = reply.takeSegmentToMark()) {
      const name = this.#playout.mark(reply.turnId, segment, nowMs);
      if (name !== undefined) this.#options.sink({ kind: "mark", name });
    }
  }

  #finish(reply: Reply, nowMs: CallMs): void {
    if (!reply.audible) this.#options.conversation.settle();
    this.#settle(reply, true, nowMs);
    const { finalEffect } = reply;
    const effect = finalEffect?.effect;
    if (finalEffect !== undefined && effect?.kind === "transfer" && this.#options.spec.phoneControl) {
      this.#options.requestTransfer(finalEffect.toolCallId, effect.target);
      this.#drop(reply);
      return;
    }
    if (finalEffect !== undefined && effect?.kind === "hold") {
      this.#options.requestHold(finalEffect.toolCallId, effect.msMax);
      this.#drop(reply);
      this.#options.beginHold();
      return;
    }
    const reason = reply.endReason ?? (effect && (effect.kind === "transfer" ? "transferred" : "agent_hangup"));
    if (reason === undefined) {
      this.#drop(reply);
      return;
    }
    this.#reply = undefined;
    if (effect?.kind === "transfer") this.#options.sink(effect);
    this.#options.end(reason);
  }

  #drop(reply: Reply): void {
    this.#reply = undefined;
    this.#previousReply = reply;
    this.#setState("listening");
    this.#options.step({ kind: "reply-done", turnId: reply.turnId });
  }

  /**
   * Ends a reply: the results of its tools join the conversation, and what was heard of it becomes the agent's turn.
   * `isComplete` means that it was heard to its end.
   */
  #settle(reply: Reply, isComplete: boolean, nowMs: CallMs): void {
    const { inactivity, conversation, transcript } = this.#options;
    conversation.addToolRounds(reply.tools.messages());
    if (reply.audible) {
      // With a mark it was heard until now; without one, until some time within the grace period.
      inactivity.activityUntil(isComplete ? nowMs : this.#heardLedger.heardUntilMs(nowMs));
      conversation.addAgentTurn(this.#heardLedger.turn(reply, isComplete, nowMs));
    }
    transcript.discard("agent");
  }

  #setState(state: CallState, latency?: TurnLatency): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.sink({ kind: "state", state, ...(latency === undefined ? {} : { latency }) });
  }
}
