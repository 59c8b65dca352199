import { strict as assert } from "node:assert";
import type { CallSpec, EndReason, TranscriptTurn } from "../core/call-spec.ts";
import { INACTIVITY_PROMPTS_MAX, LEG_START_MS_MAX, MODEL_FAILURES_MAX, REPLY_PIECES_MAX } from "../core/limits.ts";
import { Conversation } from "./conversation.ts";
import type { CallEvent, CallSink, CallState } from "./events.ts";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "./parameters.ts";
import { phrasesOf } from "./phrases.ts";
import { Playout } from "./playout.ts";
import { Reply } from "./reply.ts";
import { SpeechDetector } from "./speech-detector.ts";
import { describeTools } from "./tools.ts";
import {
  START,
  stepTurn,
  type Turn,
  type TurnAction,
  type TurnEvent,
  type TurnPolicy,
  turnDeadlineMs,
  wordsText,
} from "./turn.ts";

export interface CallOptions {
  spec: CallSpec;
  /** The leg's rate: what samples in events are counted at, Hz. */
  rateHz: number;
  earHasPartials: boolean;
  parameters?: Readonly<TurnParameters>;
  sink: CallSink;
}

/**
 * One call, as a machine: events and time in, commands out. `handle` is its single door; nothing awaits inside, no clock is
 * read, no sample is held. Times are milliseconds since redemption and must not go backwards. The same events at the same
 * times give the same commands, always: that is what makes a journal a replay.
 */
export class Call {
  readonly #spec: CallSpec;
  readonly #rateHz: number;
  readonly #policy: TurnPolicy;
  readonly #sink: CallSink;
  readonly #detector: SpeechDetector;
  readonly #playout: Playout;
  readonly #conversation: Conversation;

  #turn: Turn = START;
  #reply: Reply | undefined;
  #nextTurnId = 1;
  #firstMessage = true;
  #legStarted = false;
  #ended = false;
  #state: CallState = "listening";
  #nowMs = 0;
  #nextDeadlineMs = 0;
  /** The last moment somebody was heard, other than the caller's voice, which the detector knows. */
  #quietSinceMs = 0;
  #promptsUnanswered = 0;
  #modelFailures = 0;

  constructor(options: CallOptions) {
    this.#spec = options.spec;
    this.#rateHz = options.rateHz;
    const { parameters = DEFAULT_TURN_PARAMETERS, earHasPartials } = options;
    this.#policy = { parameters, earHasPartials };
    this.#sink = options.sink;
    this.#detector = new SpeechDetector(parameters);
    this.#playout = new Playout(options.rateHz);
    this.#conversation = new Conversation(options.spec, options.sink);
    this.#nextDeadlineMs = this.#findDeadline();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** When the call wants a `tick` though nothing else happens, ms; Infinity after the end. */
  get nextDeadlineMs(): number {
    return this.#nextDeadlineMs;
  }

  /** The call's single door. After the end nothing is heard and nothing is said. */
  handle(event: CallEvent, nowMs: number): void {
    if (this.#ended) return;
    assert.ok(nowMs >= this.#nowMs, "time must not go backwards");
    this.#nowMs = nowMs;
    // The cap comes before everything: whatever else happens in this moment, the reason is the same.
    if (nowMs >= this.#spec.maxDurationMs) this.#end("max_duration");
    else this.#dispatch(event);
    this.#nextDeadlineMs = this.#findDeadline();
  }

  #dispatch(event: CallEvent): void {
    switch (event.kind) {
      case "frame-in":
        this.#onFrameIn(event.voiced, event.mediaMs);
        return;
      case "frame-out":
        this.#onFrameOut(event.turnId, event.samples);
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
      case "mark":
        this.#onMark(event.name);
        return;
      case "dtmf":
        this.#quietSinceMs = this.#nowMs;
        this.#promptsUnanswered = 0;
        return;
      case "ear-partial":
      case "ear-final":
        this.#step({ kind: "words", text: event.text, final: event.kind === "ear-final" });
        return;
      case "ear-failed":
        this.#end("provider_error");
        return;
      default:
        this.#onReplyEvent(event);
    }
  }

  #onReplyEvent(event: Extract<CallEvent, { turnId: number }>): void {
    const reply = this.#reply;
    // Work of a reply that was cut comes late by nature; the number tells it from the reply that lives.
    if (reply === undefined || reply.turnId !== event.turnId) return;
    switch (event.kind) {
      case "reply-text":
        if (Number.isNaN(reply.moments.firstTextMs)) reply.moments.firstTextMs = this.#nowMs;
        if (reply.pieceCount < REPLY_PIECES_MAX) this.#speak(reply, reply.pieceCount, reply.pushText(event.text));
        return;
      case "reply-tool":
        if (event.name === "hang_up" && this.#spec.tools.includes("hang_up")) reply.hangUp = true;
        return;
      case "reply-end":
        this.#modelFailures = 0;
        this.#speak(reply, reply.pieceCount, reply.endText());
        this.#finishIfHeard(reply);
        return;
      case "reply-failed":
        this.#onModelFailed(reply);
        return;
      case "piece-audio":
        if (Number.isNaN(reply.moments.firstAudioMs)) reply.moments.firstAudioMs = this.#nowMs;
        reply.pieceAudio(event.piece, event.words);
        return;
      case "piece-end":
        reply.pieceEnded(event.piece, event.samples);
        this.#markPieces(reply);
        this.#finishIfHeard(reply);
        return;
      case "piece-failed":
        // Without a voice there is no call: nothing can be said about it either.
        this.#end("provider_error");
        return;
      case "frame-out":
        return;
    }
  }

  #onLegStarted(): void {
    if (this.#legStarted) return;
    this.#legStarted = true;
    this.#quietSinceMs = this.#nowMs;
    if (this.#spec.firstSpeaker !== "agent") return;
    if (this.#spec.greeting === undefined) this.#ask();
    else this.#say(this.#spec.greeting);
  }

  #onFrameIn(voiced: boolean, mediaMs: number): void {
    const change = this.#detector.frame(voiced, mediaMs, this.#nowMs);
    if (change === "started") this.#step({ kind: "speech-started", startMs: this.#detector.speechStartMs });
    else if (change === "ended") this.#step({ kind: "speech-ended", endMs: this.#detector.lastVoicedMs });
  }

  #onFrameOut(turnId: number, samples: number): void {
    const reply = this.#reply;
    if (reply === undefined || reply.turnId !== turnId) return;
    if (!reply.audible) this.#onAudible(reply);
    reply.frameSent(samples);
    this.#playout.sent(samples, this.#nowMs);
    this.#markPieces(reply);
  }

  /** The first frame of a reply goes out: what it answers is settled now, and it is the caller who may interrupt. */
  #onAudible(reply: Reply): void {
    reply.moments.firstFrameMs = this.#nowMs;
    this.#firstMessage = false;
    this.#conversation.settle();
    this.#step({ kind: "reply-audible", turnId: reply.turnId });
    this.#showState("speaking");
  }

  #markPieces(reply: Reply): void {
    for (let piece = reply.takePieceToMark(); piece !== undefined; piece = reply.takePieceToMark()) {
      const name = this.#playout.mark(reply.turnId, piece);
      if (name !== undefined) this.#sink({ kind: "mark", name });
    }
  }

  #onMark(name: string): void {
    const played = this.#playout.returned(name, this.#nowMs);
    const reply = this.#reply;
    if (played === undefined || reply === undefined || reply.turnId !== played.turnId) return;
    reply.piecePlayed(played.piece);
    this.#finishIfHeard(reply);
  }

  #onTick(): void {
    if (!this.#legStarted && this.#nowMs >= LEG_START_MS_MAX) {
      this.#end("protocol_error");
      return;
    }
    if (this.#nowMs >= this.#detector.deadlineMs) {
      this.#detector.starved();
      this.#step({ kind: "speech-ended", endMs: this.#detector.lastVoicedMs });
    }
    if (this.#reply !== undefined) this.#finishIfHeard(this.#reply);
    if (this.#ended) return;
    this.#step({ kind: "tick" });
    if (this.#nowMs >= this.#inactivityDeadlineMs()) this.#onInactivity();
  }

  #onInactivity(): void {
    if (this.#spec.inactivityAction === "hang_up" || this.#promptsUnanswered >= INACTIVITY_PROMPTS_MAX) {
      this.#end("inactivity");
      return;
    }
    this.#promptsUnanswered += 1;
    this.#quietSinceMs = this.#nowMs;
    if (this.#reply !== undefined) this.#cut(this.#reply);
    if (this.#reply === undefined) this.#say(phrasesOf(this.#spec.language).stillThere);
  }

  #onModelFailed(reply: Reply): void {
    this.#modelFailures += 1;
    if (this.#modelFailures >= MODEL_FAILURES_MAX) {
      this.#end("provider_error");
      return;
    }
    // What was already said stays said; the apology follows as a reply of its own.
    this.#cut(reply);
    if (this.#reply === undefined) this.#say(phrasesOf(this.#spec.language).apology);
  }

  #step(event: TurnEvent): void {
    const { turn, actions } = stepTurn(this.#turn, event, this.#nowMs, this.#policy);
    this.#turn = turn;
    for (const action of actions) this.#act(action);
  }

  #act(action: TurnAction): void {
    switch (action.do) {
      case "cut":
        if (this.#reply !== undefined) this.#cut(this.#reply);
        return;
      case "answer":
        this.#promptsUnanswered = 0;
        this.#conversation.said(action);
        this.#ask();
        return;
    }
  }

  #ask(): void {
    const reply = this.#beginReply();
    const messages = this.#conversation.messages();
    this.#showState("thinking");
    this.#sink({ kind: "ask", turnId: reply.turnId, messages, tools: describeTools(this.#spec.tools) });
  }

  /** A reply of our own, without the model. */
  #say(text: string): void {
    const reply = this.#beginReply();
    this.#speak(reply, 0, [...reply.pushText(text), ...reply.endText()]);
    this.#finishIfHeard(reply);
  }

  #beginReply(): Reply {
    assert.ok(this.#reply === undefined, "one reply at a time");
    const interruptible = !this.#firstMessage || this.#spec.interruptible;
    const reply = new Reply({
      turnId: this.#nextTurnId,
      interruptible,
      rateHz: this.#rateHz,
      spokenMs: this.#conversation.open?.endMs,
      nowMs: this.#nowMs,
    });
    this.#nextTurnId += 1;
    this.#reply = reply;
    this.#step({ kind: "reply-began", turnId: reply.turnId, interruptible });
    return reply;
  }

  #speak(reply: Reply, firstPiece: number, texts: readonly string[]): void {
    for (const [index, text] of texts.entries()) {
      this.#sink({ kind: "speak", turnId: reply.turnId, piece: firstPiece + index, text });
    }
  }

  /** Stops a reply where the caller is now; what was heard of it becomes its turn. */
  #cut(reply: Reply): void {
    this.#sink({ kind: "cut", turnId: reply.turnId, clear: reply.audible });
    if (reply.audible) this.#commitCutReply(reply);
    this.#playout.flush(this.#nowMs);
    this.#dropReply(reply);
  }

  #dropReply(reply: Reply): void {
    this.#reply = undefined;
    this.#showState("listening");
    this.#step({ kind: "reply-done", turnId: reply.turnId });
  }

  /** Ends a reply that the caller has heard to its last sample, as far as marks or the playback clock can tell. */
  #finishIfHeard(reply: Reply): void {
    if (this.#nowMs < this.#heardDeadlineMs(reply)) return;
    if (reply.audible) this.#commitAgentTurn(reply, reply.text, false);
    else this.#conversation.settle();
    if (reply.hangUp) {
      this.#reply = undefined;
      this.#end("agent_hangup");
      return;
    }
    this.#dropReply(reply);
  }

  /** From when on a reply counts as heard to its end, ms; Infinity while some of it has not been sent. */
  #heardDeadlineMs(reply: Reply): number {
    if (!reply.allSent) return Number.POSITIVE_INFINITY;
    if (!reply.audible || reply.allPlayed) return this.#nowMs;
    return this.#playout.playsUntilMs + this.#policy.parameters.markGraceMs;
  }

  #commitCutReply(reply: Reply): void {
    const heardSamples = reply.heardSamples(this.#playout.unplayedMs(this.#nowMs));
    this.#commitAgentTurn(reply, reply.heardText(heardSamples), true);
  }

  #commitAgentTurn(reply: Reply, text: string, interrupted: boolean): void {
    const startMs = reply.moments.firstFrameMs;
    const endMs = Math.min(this.#nowMs, this.#playout.playsUntilMs);
    this.#quietSinceMs = endMs;
    const turn: TranscriptTurn = { role: "agent", text, startMs, endMs, interrupted };
    if (reply.latency !== undefined) turn.latency = reply.latency;
    this.#conversation.answered(turn);
  }

  /** Once, with one reason: what was heard and said until now is told, everything alive is stopped, and then nothing more. */
  #end(reason: EndReason): void {
    assert.ok(!this.#ended, "a call ends once");
    this.#ended = true;
    this.#conversation.settle();
    const reply = this.#reply;
    if (reply !== undefined) {
      this.#reply = undefined;
      if (reply.audible) this.#commitCutReply(reply);
      this.#sink({ kind: "cut", turnId: reply.turnId, clear: false });
    }
    const { caller } = this.#turn;
    if (caller.at !== "silent" && wordsText(caller.words) !== "") {
      const endMs = caller.at === "pausing" ? caller.endMs : this.#nowMs;
      this.#conversation.said({ text: wordsText(caller.words), startMs: caller.startMs, endMs });
      this.#conversation.settle();
    }
    this.#sink({ kind: "end", reason });
  }

  #showState(state: CallState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#sink({ kind: "state", state });
  }

  /** Silence begins when the last thing was heard; it does not count while the agent is heard. */
  #inactivityDeadlineMs(): number {
    if (!this.#legStarted || this.#reply?.audible === true) return Number.POSITIVE_INFINITY;
    const voicedMs = this.#detector.lastVoicedMs;
    const quietSinceMs = Number.isNaN(voicedMs) ? this.#quietSinceMs : Math.max(voicedMs, this.#quietSinceMs);
    return quietSinceMs + this.#spec.inactivityTimeoutMs;
  }

  #findDeadline(): number {
    if (this.#ended) return Number.POSITIVE_INFINITY;
    return Math.min(
      this.#spec.maxDurationMs,
      this.#legStarted ? Number.POSITIVE_INFINITY : LEG_START_MS_MAX,
      this.#detector.deadlineMs,
      turnDeadlineMs(this.#turn, this.#policy),
      this.#inactivityDeadlineMs(),
      this.#reply === undefined ? Number.POSITIVE_INFINITY : this.#heardDeadlineMs(this.#reply),
    );
  }
}
