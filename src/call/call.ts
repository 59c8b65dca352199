import { strict as assert } from "node:assert";
import type { CallSpec, CutReason, EndReason, SpeakReason } from "../core/call-spec.ts";
import { LEG_START_MS_MAX, MODEL_FAILURES_MAX } from "../core/limits.ts";
import type { Phrases } from "../core/phrases.ts";
import type { CallOptions } from "./call-options.ts";
import { partialOf, saidUntil, stepCaller, wordsOf } from "./caller-turn.ts";
import { Conversation, type Said } from "./conversation.ts";
import { asTyped, Digits } from "./digits.ts";
import type { CallEvent, CallSink } from "./events.ts";
import { isSameLanguage, tellsLanguage } from "./heard-language.ts";
import { isConfirmation } from "./heard-ledger.ts";
import { Inactivity } from "./inactivity.ts";
import { type LastWords, Leave } from "./leave.ts";
import { DEFAULT_TURN_PARAMETERS } from "./parameters.ts";
import { CallPhrases } from "./phrases.ts";
import { Preemptive } from "./preemptive.ts";
import { Speaker } from "./speaker.ts";
import { SpeechDetector } from "./speech-detector.ts";
import { type CallStanding, NO_WAITS } from "./standing.ts";
import {
  START,
  stepTurn,
  type Turn,
  type TurnAction,
  type TurnEvent,
  type TurnPolicy,
  turnDeadlineMs,
} from "./turn.ts";

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
  readonly #speaker: Speaker;
  readonly #preemptive: Preemptive;
  readonly #digits: Digits;
  readonly #phrases = new CallPhrases();
  readonly #leave = new Leave((words) => this.#sayLast(words));

  #turn: Turn = START;
  /** The turn that was looked at last for what may be asked ahead. */
  #seenTurn: Turn = START;
  /** What `turnDeadlineMs` says: it looks at words, and is asked for with every frame, but changes only with the turn. */
  #turnDeadlineMs = Number.POSITIVE_INFINITY;
  #legStarted = false;
  #ended = false;
  /** The last command was given. */
  #silent = false;
  #nowMs = 0;
  /** NaN until somebody asks: several events may come before that. */
  #nextDeadlineMs = Number.NaN;
  #modelFailures = 0;

  constructor(options: CallOptions) {
    const { spec, rateHz, parameters = DEFAULT_TURN_PARAMETERS, earHasPartials } = options;
    const { promptTokensMax = Number.POSITIVE_INFINITY } = options;
    this.#spec = spec;
    this.#policy = { parameters, earHasPartials, language: spec.language };
    this.#sink = (command) => {
      assert.ok(!this.#silent, "no command after the end");
      this.#silent = command.kind === "end";
      options.sink(command);
    };
    this.#detector = new SpeechDetector(parameters);
    this.#conversation = new Conversation(spec, this.#sink, promptTokensMax);
    this.#inactivity = new Inactivity(spec);
    this.#digits = new Digits(parameters.digitGapMs);
    this.#preemptive = new Preemptive({ spec, parameters, conversation: this.#conversation, sink: this.#sink });
    this.#speaker = new Speaker({
      spec,
      rateHz,
      parameters,
      conversation: this.#conversation,
      inactivity: this.#inactivity,
      phrases: this.#phrases,
      sink: this.#sink,
      step: (event) => this.#step(event),
      // A goodbye that cannot be spoken is none.
      end: (reason) => this.#end(reason === "provider_error" ? (this.#leave.reason ?? reason) : reason),
      modelDone: (failed) => this.#onModelDone(failed),
      speakLanguage: (language) => this.#speakLanguage(language, "tool"),
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
  get standing(): CallStanding {
    const waits: CallStanding["waits"] = this.#ended
      ? NO_WAITS
      : {
          max_duration: this.#spec.maxDurationMs,
          goodbye: this.#leave.untilMs,
          stream: this.#streamMs(),
          voice: this.#detector.deadlineMs,
          turn: this.#turnDeadlineMs,
          ahead: this.#aheadMs(),
          digits: this.#digits.deadlineMs,
          inactivity: this.#inactivityDeadlineMs(),
          reply: this.#speaker.deadlineMs(this.#nowMs),
        };
    return { ...this.#speaker.standing(this.#nowMs), ended: this.#ended, turn: this.#turn, waits };
  }

  /** The call's single door. After the end nothing is heard and nothing is said. */
  handle(event: CallEvent, nowMs: number): void {
    if (this.#ended) return;
    assert.ok(nowMs >= this.#nowMs, "time must not go backwards");
    this.#nowMs = nowMs;
    // The cap comes before everything: whatever else happens in this moment, the reason is the same.
    if (nowMs >= this.#spec.maxDurationMs) this.#end("max_duration");
    else this.#dispatch(event);
    if (!this.#ended && this.#policy.parameters.preemptiveMs > 0) this.#lookAhead();
    this.#nextDeadlineMs = Number.NaN;
  }

  /** With every event, so words are looked at only where the turn has changed. */
  #lookAhead(): void {
    if (this.#turn !== this.#seenTurn) {
      this.#seenTurn = this.#turn;
      const { caller, agent, keying } = this.#turn;
      const isOpen = agent.at === "idle" && !keying && this.#leave.reason === undefined;
      this.#preemptive.hears(isOpen ? wordsOf(caller) : "", partialOf(caller) === "", this.#nowMs);
    }
    this.#preemptive.attend(this.#detector.lastVoicedMs, this.#nowMs, this.#policy.language);
  }

  #dispatch(event: CallEvent): void {
    if (isConfirmation(event)) this.#speaker.confirmed(this.#nowMs);
    switch (event.kind) {
      case "frame-in":
        this.#onFrameIn(event.voiced, event.mediaMs);
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
        this.#leave.goodbye(event.reason, this.#ownPhrases, this.#nowMs);
        return;
      case "limit-reached":
        if (this.#leave.limitReached(event.action, this.#ownPhrases, this.#nowMs))
          this.#replace(this.#ownPhrases.limit, "limit", "spend_limit");
        return;
      case "mark":
        this.#speaker.marked(event.name, this.#nowMs);
        return;
      case "cleared":
        this.#speaker.cleared(event.playedMs);
        return;
      case "dtmf":
        this.#onKey(event.digit);
        return;
      case "ear-partial":
      case "ear-final":
        this.#conversation.heard(event.text, event.kind === "ear-final", this.#nowMs);
        if (event.kind === "ear-final" && tellsLanguage(event.text)) this.#onLanguage(event.language);
        this.#onWords({ kind: "words", text: event.text, final: event.kind === "ear-final" });
        return;
      case "typed":
        this.#onWords(event);
        return;
      case "ear-failed":
        // Who hears nothing can answer nothing, but take leave.
        this.#leave.goodbye("provider_error", this.#ownPhrases, this.#nowMs);
        return;
      case "context-exceeded":
        this.#conversation.limitPrompt(event.tokensMax);
        return;
      case "voice-chosen":
      case "provider-switched":
      case "used":
      case "pong":
        // For the record, or a confirmation: what is said does not hang on who says it.
        return;
      case "phrases-chosen":
        this.#phrases.give(event.language, event.phrases);
        return;
      case "tool-result":
        // A result that comes when its reply is over is still true.
        this.#conversation.lateResult(event.key, event.result);
        this.#preemptive.drop();
        this.#speaker.handle(event, this.#nowMs);
        return;
      default:
        this.#speaker.handle(event, this.#nowMs);
    }
  }

  #onLegStarted(): void {
    if (this.#legStarted) return;
    this.#legStarted = true;
    this.#inactivity.heardUntil(this.#nowMs);
    if (this.#spec.firstSpeaker !== "agent") return;
    if (this.#spec.greeting === undefined) this.#speaker.ask(this.#nowMs);
    else this.#speaker.say(this.#spec.greeting, "greeting", this.#nowMs);
  }

  /** Whatever is being said or done makes way for a goodbye; where no stream has begun nobody hears one. */
  #sayLast({ text, why, reason }: LastWords): void {
    if (!this.#legStarted) {
      this.#end(reason);
      return;
    }
    this.#speaker.cut("call_ended", 0, this.#nowMs);
    if (!this.#ended) this.#speaker.say(text, why, this.#nowMs, reason);
  }

  #onFrameIn(voiced: boolean, mediaMs: number): void {
    const change = this.#detector.frame(voiced, mediaMs, this.#nowMs);
    if (change === "started") {
      // With an ear for words, noise is no answer to "are you still there".
      if (!this.#policy.earHasPartials) this.#inactivity.callerHeard(this.#nowMs);
      this.#step({ kind: "speech-started", startMs: this.#detector.speechStartMs });
    } else if (change === "ended") this.#step({ kind: "speech-ended", endMs: this.#detector.lastVoicedMs });
  }

  #onWords(event: Extract<TurnEvent, { text: string }>): void {
    if (event.text !== "") this.#inactivity.callerHeard(this.#nowMs);
    this.#step(event);
  }

  #onKey(digit: string): void {
    this.#inactivity.callerHeard(this.#nowMs);
    this.#step({ kind: "key" });
    // What it came too late to cut may have been the agent's goodbye.
    if (this.#ended) return;
    const entry = this.#digits.press(digit, this.#nowMs);
    if (entry !== undefined) this.#step(asTyped(entry));
  }

  /** What the caller is heard to speak is answered in the same. */
  #onLanguage(language: string | undefined): void {
    if (language === undefined || this.#spec.languagePinned || isSameLanguage(language, this.#policy.language)) return;
    this.#speakLanguage(language, "heard");
  }

  #speakLanguage(language: string, reason: "heard" | "tool"): void {
    // Back where the call began it is spoken as it was: de-AT, not de.
    const chosen = isSameLanguage(language, this.#spec.language) ? this.#spec.language : language;
    if (chosen === this.#policy.language) return;
    this.#policy = { ...this.#policy, language: chosen };
    this.#turnDeadlineMs = turnDeadlineMs(this.#turn, this.#nowMs, this.#policy);
    this.#speaker.language = chosen;
    this.#sink({ kind: "language", language: chosen, reason });
  }

  #onTick(): void {
    if (!this.#legStarted && this.#nowMs >= LEG_START_MS_MAX) {
      this.#end("protocol_error");
      return;
    }
    if (this.#leave.reason !== undefined && this.#nowMs >= this.#leave.untilMs) {
      this.#end(this.#leave.reason);
      return;
    }
    if (this.#nowMs >= this.#detector.deadlineMs) {
      this.#detector.starved();
      this.#step({ kind: "speech-ended", endMs: this.#detector.lastVoicedMs });
    }
    this.#speaker.finishIfHeard(this.#nowMs);
    if (!this.#ended) this.#speaker.attend(this.#nowMs);
    if (!this.#ended && this.#nowMs >= this.#digits.deadlineMs) this.#step(asTyped(this.#digits.take()));
    if (!this.#ended) this.#step({ kind: "tick" });
    if (!this.#ended && this.#nowMs >= this.#inactivityDeadlineMs()) this.#onInactivity();
  }

  /** What the service says in its own name, in the language of the call. */
  get #ownPhrases(): Phrases {
    return this.#phrases.in(this.#policy.language);
  }

  #onInactivity(): void {
    if (this.#inactivity.expired(this.#nowMs) === "end") this.#end("inactivity");
    // A reply that lives through such a silence hangs, and may be dropped whatever it was.
    else this.#replace(this.#ownPhrases.inactivity, "inactivity", "silence");
  }

  #onModelDone(failed: boolean): void {
    this.#modelFailures = failed ? this.#modelFailures + 1 : 0;
    if (!failed) this.#leave.answered();
    else if (this.#modelFailures >= MODEL_FAILURES_MAX) this.#end("provider_error");
    // What was already said stays said; the apology follows as a reply of its own.
    else this.#replace(this.#ownPhrases.apology, "apology", "model_failed");
  }

  /** Drops the reply there is, if any, for words of our own; unless its end made way for another, or was the end of the call. */
  #replace(text: string, why: SpeakReason, cutReason: CutReason): void {
    this.#speaker.cut(cutReason, 0, this.#nowMs);
    if (!this.#speaker.busy && !this.#ended) this.#speaker.say(text, why, this.#nowMs);
  }

  #step(event: TurnEvent): void {
    const { turn, actions } = stepTurn(this.#turn, event, this.#nowMs, this.#policy);
    this.#turn = turn;
    this.#turnDeadlineMs = turnDeadlineMs(turn, this.#nowMs, this.#policy);
    for (const action of actions) this.#act(action);
  }

  #act(action: TurnAction): void {
    switch (action.do) {
      case "cut":
        this.#speaker.cut(action.reason, action.voicedMs, this.#nowMs);
        return;
      case "pause":
        this.#speaker.pause(action.turnId, this.#nowMs);
        return;
      case "resume":
        this.#speaker.resume(action, this.#nowMs);
        return;
      case "pass-over": {
        const { text, startMs, endMs } = action;
        this.#sink({ kind: "pass-over", text, startMs: Math.round(startMs), endMs: Math.round(endMs) });
        return;
      }
      case "answer":
        this.#conversation.said(action);
        if (this.#leave.reason !== undefined) return;
        this.#preemptive.settle(this.#policy.language);
        this.#speaker.ask(this.#nowMs);
        return;
    }
  }

  /** Once, with one reason: what was heard and said until now is told, everything alive is stopped, and then nothing more. */
  #end(reason: EndReason): void {
    assert.ok(!this.#ended, "a call ends once");
    this.#ended = true;
    this.#conversation.settle();
    this.#speaker.stop(this.#nowMs);
    const unfinished = this.#unfinished();
    if (unfinished !== undefined) this.#conversation.said(unfinished);
    this.#conversation.settle();
    this.#sink({ kind: "end", reason });
  }

  /** What the caller was saying, and the keys that were being entered. */
  #unfinished(): Said | undefined {
    const entry = this.#digits.take();
    const { caller } = this.#turn;
    return saidUntil(entry === "" ? caller : stepCaller(caller, asTyped(entry), this.#nowMs), this.#nowMs);
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
          this.#leave.untilMs,
          this.#streamMs(),
          this.#detector.deadlineMs,
          this.#turnDeadlineMs,
          this.#aheadMs(),
          this.#digits.deadlineMs,
          this.#inactivityDeadlineMs(),
          this.#speaker.deadlineMs(this.#nowMs),
        );
  }

  #streamMs(): number {
    return this.#legStarted ? Number.POSITIVE_INFINITY : LEG_START_MS_MAX;
  }

  #aheadMs(): number {
    if (this.#policy.parameters.preemptiveMs === 0) return Number.POSITIVE_INFINITY;
    return this.#preemptive.deadlineMs(this.#detector.lastVoicedMs);
  }

  /** What was sent last moves with every frame, so the clock stands still while the agent is heard. */
  #inactivityDeadlineMs(): number {
    if (!this.#legStarted || this.#leave.reason !== undefined || this.#speaker.usesTools)
      return Number.POSITIVE_INFINITY;
    return this.#inactivity.deadlineMs(this.#detector.lastVoicedMs, this.#speaker.playsUntilMs);
  }
}
