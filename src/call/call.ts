import { strict as assert } from "node:assert";
import type { CallSpec, EndReason } from "../core/call-spec.ts";
import { LEG_START_MS_MAX, MODEL_FAILURES_MAX, REPLY_PIECES_MAX } from "../core/limits.ts";
import { Conversation } from "./conversation.ts";
import type { CallEvent, CallSink, CallState } from "./events.ts";
import { Inactivity } from "./inactivity.ts";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "./parameters.ts";
import { phrasesOf } from "./phrases.ts";
import { Playout } from "./playout.ts";
import { Reply } from "./reply.ts";
import { SpeechDetector } from "./speech-detector.ts";
import { describeTools } from "./tools.ts";
import {
  START,
  saidUntil,
  stepTurn,
  type Turn,
  type TurnAction,
  type TurnEvent,
  type TurnPolicy,
  turnDeadlineMs,
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
  readonly #inactivity: Inactivity;

  #turn: Turn = START;
  #reply: Reply | undefined;
  #nextTurnId = 1;
  #firstMessage = true;
  #legStarted = false;
  #ended = false;
  /** The last command was given. */
  #silent = false;
  #state: CallState = "listening";
  #nowMs = 0;
  #nextDeadlineMs = 0;
  #modelFailures = 0;

  constructor(options: CallOptions) {
    this.#spec = options.spec;
    this.#rateHz = options.rateHz;
    const { parameters = DEFAULT_TURN_PARAMETERS, earHasPartials } = options;
    this.#policy = { parameters, earHasPartials };
    this.#sink = (command) => {
      assert.ok(!this.#silent, "no command after the end");
      this.#silent = command.kind === "end";
      options.sink(command);
    };
    this.#detector = new SpeechDetector(parameters);
    this.#playout = new Playout(options.rateHz);
    this.#conversation = new Conversation(options.spec, this.#sink);
    this.#inactivity = new Inactivity(options.spec);
    this.#nextDeadlineMs = this.#findDeadline();
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
        this.#inactivity.callerHeard(this.#nowMs);
        return;
      case "ear-partial":
      case "ear-final":
        this.#onWords({ kind: "words", text: event.text, final: event.kind === "ear-final" });
        return;
      case "typed":
        this.#onWords(event);
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
      case "reply-text": {
        const { pieceCount } = reply;
        if (pieceCount < REPLY_PIECES_MAX) this.#speak(reply, pieceCount, reply.pushText(event.text, this.#nowMs));
        return;
      }
      case "reply-tool":
        if (event.name === "hang_up" && this.#spec.tools.includes("hang_up")) reply.hangUp = true;
        return;
      case "reply-end":
        this.#modelFailures = 0;
        this.#speak(reply, reply.pieceCount, reply.endText());
        this.#finishIfHeard(reply);
        return;
      case "reply-failed":
        this.#onModelFailed();
        return;
      case "piece-audio":
        reply.pieceAudio(event.piece, event.words, this.#nowMs);
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
    this.#inactivity.heardUntil(this.#nowMs);
    if (this.#spec.firstSpeaker !== "agent") return;
    if (this.#spec.greeting === undefined) this.#ask();
    else this.#say(this.#spec.greeting);
  }

  #onFrameIn(voiced: boolean, mediaMs: number): void {
    const change = this.#detector.frame(voiced, mediaMs, this.#nowMs);
    if (change === "started") {
      // With an ear for words, noise is no answer to "are you still there".
      if (!this.#policy.earHasPartials) this.#inactivity.callerHeard(this.#nowMs);
      this.#step({ kind: "speech-started", startMs: this.#detector.speechStartMs });
    } else if (change === "ended") this.#step({ kind: "speech-ended", endMs: this.#detector.lastVoicedMs });
  }

  #onFrameOut(turnId: number, samples: number): void {
    const reply = this.#reply;
    if (reply === undefined || reply.turnId !== turnId) return;
    const first = !reply.audible;
    reply.frameSent(samples, this.#nowMs);
    this.#playout.sent(samples, this.#nowMs);
    if (first) this.#onAudible(reply);
    // A caller who was talking already may have cut it in this very step.
    if (this.#reply === reply) this.#markPieces(reply);
  }

  /** The first frame of a reply goes out: what it answers is settled now, and it is the caller who may interrupt. */
  #onAudible(reply: Reply): void {
    this.#firstMessage = false;
    this.#conversation.settle();
    this.#showState("speaking");
    this.#step({ kind: "reply-audible", turnId: reply.turnId });
  }

  #markPieces(reply: Reply): void {
    for (let piece = reply.takePieceToMark(); piece !== undefined; piece = reply.takePieceToMark()) {
      const name = this.#playout.mark(reply.turnId, piece, this.#nowMs);
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

  #onWords(event: Extract<TurnEvent, { text: string }>): void {
    if (event.text !== "") this.#inactivity.callerHeard(this.#nowMs);
    this.#step(event);
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
    if (!this.#ended && this.#nowMs >= this.#inactivityDeadlineMs()) this.#onInactivity();
  }

  #onInactivity(): void {
    if (this.#inactivity.expired(this.#nowMs) === "end") this.#end("inactivity");
    // A reply that lives through such a silence hangs, and may be dropped whatever it was.
    else this.#replace(phrasesOf(this.#spec.language).stillThere);
  }

  #onModelFailed(): void {
    this.#modelFailures += 1;
    if (this.#modelFailures >= MODEL_FAILURES_MAX) this.#end("provider_error");
    // What was already said stays said; the apology follows as a reply of its own.
    else this.#replace(phrasesOf(this.#spec.language).apology);
  }

  /** Drops the reply there is, if any, for words of our own; unless its end made way for another, or was the end of the call. */
  #replace(text: string): void {
    if (this.#reply !== undefined) this.#cut(this.#reply);
    if (this.#reply === undefined && !this.#ended) this.#say(text);
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
        this.#conversation.said(action);
        this.#ask();
        return;
    }
  }

  #ask(): void {
    const reply = this.#beginReply(this.#conversation.open?.endMs);
    const messages = this.#conversation.messages();
    this.#showState("thinking");
    this.#sink({ kind: "ask", turnId: reply.turnId, messages, tools: describeTools(this.#spec.tools) });
  }

  /** A reply of our own, without the model. */
  #say(text: string): void {
    const reply = this.#beginReply(undefined);
    this.#speak(reply, 0, reply.wholeText(text));
    this.#finishIfHeard(reply);
  }

  /** `spokenMs` is when the caller stopped saying what it answers. */
  #beginReply(spokenMs: number | undefined): Reply {
    assert.ok(this.#reply === undefined, "one reply at a time");
    const interruptible = !this.#firstMessage || this.#spec.interruptible;
    const turnId = this.#nextTurnId;
    this.#nextTurnId += 1;
    const reply = new Reply({ turnId, interruptible, rateHz: this.#rateHz, spokenMs, nowMs: this.#nowMs });
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
    if (reply.audible && reply.allSent && this.#playout.unplayedMs(this.#nowMs) === 0) {
      // Heard to its end, though no mark has said so yet: there is nothing left to cut.
      this.#finish(reply);
      return;
    }
    this.#sink({ kind: "cut", turnId: reply.turnId, clear: reply.audible });
    if (reply.audible) this.#commit(reply, false);
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
    if (this.#nowMs >= this.#heardDeadlineMs(reply)) this.#finish(reply);
  }

  #finish(reply: Reply): void {
    if (reply.audible) this.#commit(reply, true);
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

  /** What was heard of a reply becomes the agent's turn; a reply that is `whole` was heard to its end. */
  #commit(reply: Reply, whole: boolean): void {
    const playsUntilMs = Math.min(this.#nowMs, this.#playout.playsUntilMs);
    const turn = reply.asHeard(whole ? 0 : this.#playout.unplayedMs(this.#nowMs), playsUntilMs);
    this.#inactivity.heardUntil(turn.endMs);
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
      if (reply.audible) this.#commit(reply, false);
      this.#sink({ kind: "cut", turnId: reply.turnId, clear: false });
    }
    const unfinished = saidUntil(this.#turn, this.#nowMs);
    if (unfinished !== undefined) this.#conversation.said(unfinished);
    this.#conversation.settle();
    this.#sink({ kind: "end", reason });
  }

  #showState(state: CallState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#sink({ kind: "state", state });
  }

  /** What was sent last moves with every frame, so the clock stands still while the agent is heard. */
  #inactivityDeadlineMs(): number {
    if (!this.#legStarted) return Number.POSITIVE_INFINITY;
    return this.#inactivity.deadlineMs(this.#detector.lastVoicedMs, this.#playout.playsUntilMs);
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
