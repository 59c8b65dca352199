import { strict as assert } from "node:assert";
import type { CallSpec, CancelReason, EndReason, SpeakReason } from "../core/calls/spec.ts";
import { LLM_FAILURES_MAX } from "../core/limits/calls.ts";
import { LEG_START_MS_MAX } from "../core/limits/connections.ts";
import type { Phrases } from "../core/phrases/phrases.ts";
import { type CallerUtterance, Conversation } from "./conversation.ts";
import { Ending, type Goodbye } from "./ending.ts";
import type { CallEvent, CallSink } from "./events.ts";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "./parameters.ts";
import { CallPhrases } from "./phrases.ts";
import { AgentSide } from "./reply/agent-side.ts";
import { isConfirmation } from "./reply/heard-ledger.ts";
import { PreemptiveGeneration } from "./reply/preemptive-generation.ts";
import { type CallSnapshot, NO_DEADLINES } from "./snapshot.ts";
import { callerInterim, callerText, stepCaller, unansweredUtterance } from "./turn-taking/caller-turn.ts";
import { DtmfEntry, dtmfAsTyped } from "./turn-taking/dtmf-entry.ts";
import { Inactivity } from "./turn-taking/inactivity.ts";
import { isLanguageReliable, isSameLanguage } from "./turn-taking/language-detection.ts";
import { SpeechDetector } from "./turn-taking/speech-detector.ts";
import { INITIAL_TURN, stepTurn, type Turn, type TurnPolicy, turnDeadlineMs } from "./turn-taking/turn.ts";
import type { TurnAction, TurnEvent } from "./turn-taking/turn-events.ts";

/** What a call machine is made of. */
export interface CallOptions {
  spec: CallSpec;
  /** The rate of the agent's audio: what samples in events are counted at, Hz. */
  rateHz: number;
  sttHasInterim: boolean;
  parameters?: Readonly<TurnParameters>;
  /** What a prompt may come to, estimated tokens; past it old turns are dropped. Absent where there is no bound. */
  promptTokensMax?: number | undefined;
  sink: CallSink;
}

/**
 * One call, as a machine: events and time in, commands out. `handle` is its single door; nothing awaits inside, no clock is
 * read, no sample is held. Times are milliseconds since redemption and must not go backwards. The same events at the same
 * times give the same commands, always: that is what makes a journal a replay.
 */
export class Call {
  readonly #spec: CallSpec;
  #policy: TurnPolicy;
  readonly #sink: CallSink;
  readonly #detector: SpeechDetector;
  readonly #conversation: Conversation;
  readonly #inactivity: Inactivity;
  readonly #agentSide: AgentSide;
  readonly #preemptive: PreemptiveGeneration;
  readonly #dtmfEntry: DtmfEntry;
  readonly #phrases = new CallPhrases();
  readonly #ending = new Ending((words) => this.#sayGoodbye(words));

  #turn: Turn = INITIAL_TURN;
  /** The turn that was looked at last for what may be asked ahead. */
  #lastPreemptiveTurn: Turn = INITIAL_TURN;
  /** What `turnDeadlineMs` says: it looks at words, and is asked for with every frame, but changes only with the turn. */
  #turnDeadlineMs = Number.POSITIVE_INFINITY;
  #legStarted = false;
  #ended = false;
  /** The last command was given. */
  #endEmitted = false;
  #nowMs = 0;
  /** NaN until somebody asks: several events may come before that. */
  #nextDeadlineMs = Number.NaN;
  #llmFailures = 0;

  constructor(options: CallOptions) {
    const { spec, rateHz, parameters = DEFAULT_TURN_PARAMETERS, sttHasInterim } = options;
    const { promptTokensMax = Number.POSITIVE_INFINITY } = options;
    this.#spec = spec;
    this.#policy = { parameters, sttHasInterim, language: spec.language };
    this.#sink = (command) => {
      assert.ok(!this.#endEmitted, "no command after the end");
      this.#endEmitted = command.kind === "end";
      options.sink(command);
    };
    this.#detector = new SpeechDetector(parameters);
    this.#conversation = new Conversation(spec, this.#sink, promptTokensMax);
    this.#inactivity = new Inactivity(spec);
    this.#dtmfEntry = new DtmfEntry(parameters.dtmfGapMs);
    this.#preemptive = new PreemptiveGeneration({
      spec,
      parameters,
      conversation: this.#conversation,
      sink: this.#sink,
    });
    this.#agentSide = new AgentSide({
      spec,
      rateHz,
      parameters,
      conversation: this.#conversation,
      inactivity: this.#inactivity,
      phrases: this.#phrases,
      sink: this.#sink,
      step: (event) => this.#step(event),
      // A goodbye that cannot be spoken is none.
      end: (reason) => this.#end(reason === "provider_error" ? (this.#ending.reason ?? reason) : reason),
      llmDone: (failed) => this.#onLlmDone(failed),
      switchLanguage: (language) => this.#switchLanguage(language, "tool"),
    });
  }

  /** When the call wants a `tick` though nothing else happens, ms; Infinity after the end. */
  get nextDeadlineMs(): number {
    this.#renewDeadline();
    return this.#nextDeadlineMs;
  }

  /** Whether it wants a `tick` at `nowMs`. For the frame path: a moment that a function returns may be left on the heap. */
  isDue(nowMs: number): boolean {
    this.#renewDeadline();
    return nowMs >= this.#nextDeadlineMs;
  }

  /** How the call stands, for whoever explains it. */
  get snapshot(): CallSnapshot {
    const deadlines: CallSnapshot["deadlines"] = this.#ended
      ? NO_DEADLINES
      : {
          max_duration: this.#spec.maxDurationMs,
          goodbye: this.#ending.deadlineMs,
          stream: this.#legStartDeadlineMs(),
          speech: this.#detector.deadlineMs,
          turn: this.#turnDeadlineMs,
          preemptive: this.#preemptiveDeadlineMs(),
          dtmf: this.#dtmfEntry.deadlineMs,
          inactivity: this.#inactivityDeadlineMs(),
          reply: this.#agentSide.deadlineMs(this.#nowMs),
        };
    return { ...this.#agentSide.snapshot(this.#nowMs), ended: this.#ended, turn: this.#turn, deadlines };
  }

  /** The call's single door. After the end nothing is heard and nothing is said. */
  handle(event: CallEvent, nowMs: number): void {
    if (this.#ended) return;
    assert.ok(nowMs >= this.#nowMs, "time must not go backwards");
    this.#nowMs = nowMs;
    // The cap comes before everything: whatever else happens in this moment, the reason is the same.
    if (nowMs >= this.#spec.maxDurationMs) this.#end("max_duration");
    else this.#dispatch(event);
    if (!this.#ended && this.#policy.parameters.preemptiveMs > 0) this.#updatePreemptive();
    this.#nextDeadlineMs = Number.NaN;
  }

  /** With every event, so words are looked at only where the turn has changed. */
  #updatePreemptive(): void {
    if (this.#turn !== this.#lastPreemptiveTurn) {
      this.#lastPreemptiveTurn = this.#turn;
      const { caller, agent, isEnteringDtmf } = this.#turn;
      const isOpen = agent.at === "idle" && !isEnteringDtmf && this.#ending.reason === undefined;
      this.#preemptive.update(isOpen ? callerText(caller) : "", callerInterim(caller) === "", this.#nowMs);
    }
    this.#preemptive.startIfDue(this.#detector.lastSpeechMs, this.#nowMs, this.#policy.language);
  }

  #dispatch(event: CallEvent): void {
    if (isConfirmation(event)) this.#agentSide.confirmed(this.#nowMs);
    switch (event.kind) {
      case "frame-in":
        this.#onFrameIn(event.isSpeech, event.mediaMs);
        return;
      case "tick":
        this.#onTick();
        return;
      case "leg-started":
        this.#onLegStarted();
        return;
      case "leg-closed":
      case "end-requested":
        this.#end(event.reason);
        return;
      case "internal-error":
        this.#end("worker_lost");
        return;
      case "goodbye-requested":
        this.#ending.sayGoodbye(event.reason, this.#ownPhrases, this.#nowMs);
        return;
      case "limit-reached":
        if (this.#ending.limitReached(event.action, this.#ownPhrases, this.#nowMs))
          this.#replace(this.#ownPhrases.limit, "limit", "spend_limit");
        return;
      case "mark":
        this.#agentSide.markReturned(event.name, this.#nowMs);
        return;
      case "cleared":
        this.#agentSide.cleared(event.playedMs);
        return;
      case "dtmf":
        this.#onDtmf(event.digit);
        return;
      case "stt-interim":
      case "stt-final":
        this.#conversation.onTranscript(event.text, event.kind === "stt-final", this.#nowMs);
        if (event.kind === "stt-final" && isLanguageReliable(event.text)) this.#onLanguage(event.language);
        this.#onWords({ kind: "words", text: event.text, final: event.kind === "stt-final" });
        return;
      case "typed":
        this.#onWords(event);
        return;
      case "stt-failed":
        // Who hears nothing can answer nothing, but take leave.
        this.#ending.sayGoodbye("provider_error", this.#ownPhrases, this.#nowMs);
        return;
      case "context-exceeded":
        this.#conversation.limitPrompt(event.tokensMax);
        return;
      case "voice-chosen":
      case "provider-switched":
      case "usage":
      case "pong":
        // For the record, or a confirmation: what is said does not hang on who says it.
        return;
      case "phrases-chosen":
        this.#phrases.set(event.language, event.phrases);
        return;
      case "tool-result":
        // A result that comes when its reply is over is still true.
        this.#conversation.lateResult(event.toolCallId, event.result);
        this.#preemptive.cancel();
        this.#agentSide.handle(event, this.#nowMs);
        return;
      default:
        this.#agentSide.handle(event, this.#nowMs);
    }
  }

  #onLegStarted(): void {
    if (this.#legStarted) return;
    this.#legStarted = true;
    this.#inactivity.activityUntil(this.#nowMs);
    if (this.#spec.firstSpeaker !== "agent") return;
    if (this.#spec.greeting === undefined) this.#agentSide.generateReply(this.#nowMs);
    else this.#agentSide.say(this.#spec.greeting, "greeting", this.#nowMs);
  }

  /** Whatever is being said or done makes way for a goodbye; where no stream has begun nobody hears one. */
  #sayGoodbye({ text, speakReason, endReason }: Goodbye): void {
    if (!this.#legStarted) {
      this.#end(endReason);
      return;
    }
    this.#agentSide.cancel("call_ended", 0, this.#nowMs);
    if (!this.#ended) this.#agentSide.say(text, speakReason, this.#nowMs, endReason);
  }

  #onFrameIn(isSpeech: boolean, mediaMs: number): void {
    const change = this.#detector.frame(isSpeech, mediaMs, this.#nowMs);
    if (change === "started") {
      // With an ear for words, noise is no answer to "are you still there".
      if (!this.#policy.sttHasInterim) this.#inactivity.callerActive(this.#nowMs);
      this.#step({ kind: "speech-started", startMs: this.#detector.speechStartMs });
    } else if (change === "ended") this.#step({ kind: "speech-ended", endMs: this.#detector.lastSpeechMs });
  }

  #onWords(event: Extract<TurnEvent, { text: string }>): void {
    if (event.text !== "") this.#inactivity.callerActive(this.#nowMs);
    this.#step(event);
  }

  #onDtmf(digit: string): void {
    this.#inactivity.callerActive(this.#nowMs);
    this.#step({ kind: "dtmf" });
    // What it came too late to cut may have been the agent's goodbye.
    if (this.#ended) return;
    const entry = this.#dtmfEntry.press(digit, this.#nowMs);
    if (entry !== undefined) this.#step(dtmfAsTyped(entry));
  }

  /** What the caller is heard to speak is answered in the same. */
  #onLanguage(language: string | undefined): void {
    if (language === undefined || this.#spec.languagePinned || isSameLanguage(language, this.#policy.language)) return;
    this.#switchLanguage(language, "detected");
  }

  #switchLanguage(language: string, reason: "detected" | "tool"): void {
    // Back where the call began it is spoken as it was: de-AT, not de.
    const chosen = isSameLanguage(language, this.#spec.language) ? this.#spec.language : language;
    if (chosen === this.#policy.language) return;
    this.#policy = { ...this.#policy, language: chosen };
    this.#turnDeadlineMs = turnDeadlineMs(this.#turn, this.#nowMs, this.#policy);
    this.#agentSide.language = chosen;
    this.#sink({ kind: "language", language: chosen, reason });
  }

  #onTick(): void {
    if (!this.#legStarted && this.#nowMs >= LEG_START_MS_MAX) {
      this.#end("protocol_error");
      return;
    }
    if (this.#ending.reason !== undefined && this.#nowMs >= this.#ending.deadlineMs) {
      this.#end(this.#ending.reason);
      return;
    }
    if (this.#nowMs >= this.#detector.deadlineMs) {
      this.#detector.framesStopped();
      this.#step({ kind: "speech-ended", endMs: this.#detector.lastSpeechMs });
    }
    this.#agentSide.finishIfHeard(this.#nowMs);
    if (!this.#ended) this.#agentSide.checkWatchdog(this.#nowMs);
    if (!this.#ended && this.#nowMs >= this.#dtmfEntry.deadlineMs) this.#step(dtmfAsTyped(this.#dtmfEntry.take()));
    if (!this.#ended) this.#step({ kind: "tick" });
    if (!this.#ended && this.#nowMs >= this.#inactivityDeadlineMs()) this.#onInactivity();
  }

  /** Service phrases, in the language of the call. */
  get #ownPhrases(): Phrases {
    return this.#phrases.in(this.#policy.language);
  }

  #onInactivity(): void {
    if (this.#inactivity.expired(this.#nowMs) === "end") this.#end("inactivity");
    // A reply that lives through such a silence hangs, and may be dropped whatever it was.
    else this.#replace(this.#ownPhrases.inactivity, "inactivity", "inactivity");
  }

  #onLlmDone(failed: boolean): void {
    this.#llmFailures = failed ? this.#llmFailures + 1 : 0;
    if (!failed) this.#ending.answered();
    else if (this.#llmFailures >= LLM_FAILURES_MAX) this.#end("provider_error");
    // What was already said stays said; the apology follows as a reply of its own.
    else this.#replace(this.#ownPhrases.apology, "apology", "llm_failed");
  }

  /** Drops the reply there is, if any, for words of our own; unless its end made way for another, or was the end of the call. */
  #replace(text: string, speakReason: SpeakReason, cancelReason: CancelReason): void {
    this.#agentSide.cancel(cancelReason, 0, this.#nowMs);
    if (!this.#agentSide.busy && !this.#ended) this.#agentSide.say(text, speakReason, this.#nowMs);
  }

  #step(event: TurnEvent): void {
    const { turn, actions } = stepTurn(this.#turn, event, this.#nowMs, this.#policy);
    this.#turn = turn;
    this.#turnDeadlineMs = turnDeadlineMs(turn, this.#nowMs, this.#policy);
    for (const action of actions) this.#act(action);
  }

  #act(action: TurnAction): void {
    switch (action.do) {
      case "interrupt":
        this.#agentSide.cancel(action.reason, action.speechMs, this.#nowMs);
        return;
      case "pause":
        this.#agentSide.pause(action.turnId, this.#nowMs);
        return;
      case "resume":
        this.#agentSide.resume(action, this.#nowMs);
        return;
      case "ignore": {
        const { text, startMs, endMs } = action;
        this.#sink({ kind: "ignore", text, startMs: Math.round(startMs), endMs: Math.round(endMs) });
        return;
      }
      case "answer":
        this.#conversation.addUtterance(action);
        if (this.#ending.reason !== undefined) return;
        this.#preemptive.useOrCancel(this.#policy.language);
        this.#agentSide.generateReply(this.#nowMs);
        return;
    }
  }

  /** Once, with one reason: what was heard and said until now is told, everything alive is stopped, and then nothing more. */
  #end(reason: EndReason): void {
    assert.ok(!this.#ended, "a call ends once");
    this.#ended = true;
    this.#conversation.settle();
    this.#agentSide.stop(this.#nowMs);
    const unfinished = this.#unfinished();
    if (unfinished !== undefined) this.#conversation.addUtterance(unfinished);
    this.#conversation.settle();
    this.#sink({ kind: "end", reason });
  }

  /** What the caller was saying, and the keys that were being entered. */
  #unfinished(): CallerUtterance | undefined {
    const entry = this.#dtmfEntry.take();
    const { caller } = this.#turn;
    return unansweredUtterance(
      entry === "" ? caller : stepCaller(caller, dtmfAsTyped(entry), this.#nowMs),
      this.#nowMs,
    );
  }

  // When each `Wait` is over, ms; Infinity where it is not waited for. One function each: numbers that meet in one variable may be
  // left on the heap, and these are asked for with every frame.

  /** Returns nothing: a number that a function of this size returns is left on the heap. */
  #renewDeadline(): void {
    if (!Number.isNaN(this.#nextDeadlineMs)) return;
    this.#nextDeadlineMs = this.#ended
      ? Number.POSITIVE_INFINITY
      : Math.min(
          this.#spec.maxDurationMs,
          this.#ending.deadlineMs,
          this.#legStartDeadlineMs(),
          this.#detector.deadlineMs,
          this.#turnDeadlineMs,
          this.#preemptiveDeadlineMs(),
          this.#dtmfEntry.deadlineMs,
          this.#inactivityDeadlineMs(),
          this.#agentSide.deadlineMs(this.#nowMs),
        );
  }

  #legStartDeadlineMs(): number {
    return this.#legStarted ? Number.POSITIVE_INFINITY : LEG_START_MS_MAX;
  }

  #preemptiveDeadlineMs(): number {
    if (this.#policy.parameters.preemptiveMs === 0) return Number.POSITIVE_INFINITY;
    return this.#preemptive.deadlineMs(this.#detector.lastSpeechMs);
  }

  /** What was sent last moves with every frame, so the clock stands still while the agent is heard. */
  #inactivityDeadlineMs(): number {
    if (!this.#legStarted || this.#ending.reason !== undefined || this.#agentSide.areToolsRunning)
      return Number.POSITIVE_INFINITY;
    return this.#inactivity.deadlineMs(this.#detector.lastSpeechMs, this.#agentSide.playsUntilMs);
  }
}
