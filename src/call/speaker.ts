import { strict as assert } from "node:assert";
import type { CallSpec, CutReason, EndReason, SpeakReason, TurnLatency } from "../core/call-spec.ts";
import { REPLY_PIECES_MAX } from "../core/limits.ts";
import type { Conversation } from "./conversation.ts";
import type { CallEvent, CallSink, CallState } from "./events.ts";
import { HeardLedger } from "./heard-ledger.ts";
import type { Inactivity } from "./inactivity.ts";
import type { TurnParameters } from "./parameters.ts";
import type { CallPhrases } from "./phrases.ts";
import { Playout } from "./playout.ts";
import { Reply } from "./reply.ts";
import type { Asked } from "./reply-moments.ts";
import type { ReplyStanding } from "./reply-watch.ts";
import type { CallStanding } from "./standing.ts";
import type { ToolRun } from "./tool-use.ts";
import { describeTools, planTool, type ToolEffect } from "./tools.ts";
import type { TurnAction, TurnEvent } from "./turn.ts";

export interface SpeakerOptions {
  spec: CallSpec;
  rateHz: number;
  parameters: Readonly<TurnParameters>;
  conversation: Conversation;
  inactivity: Inactivity;
  phrases: CallPhrases;
  sink: CallSink;
  /** What the agent does, for turn taking. */
  step: (event: TurnEvent) => void;
  /** The call is over. */
  end: (reason: EndReason) => void;
  /** The model is done with the reply that lives, or has failed at it. */
  modelDone: (failed: boolean) => void;
  /** The model wants the call to go on in another language. */
  speakLanguage: (language: string) => void;
}

/**
 * The agent's side of a call: the one reply that lives, from the first word asked for to the last one heard. Times are ms of
 * call time, and each method is told the time that it is called at.
 */
export class Speaker {
  readonly #options: SpeakerOptions;
  readonly #playout: Playout;
  readonly #heard: HeardLedger;
  #reply: Reply | undefined;
  #nextTurnId = 1;
  #firstMessage = true;
  #state: CallState = "listening";
  #language: string;
  /** Asked for with every frame, so made once. */
  readonly #standingNow: ReplyStanding = { unsent: false, hasPieces: false, playsUntilMs: 0 };

  constructor(options: SpeakerOptions) {
    this.#options = options;
    this.#language = options.spec.language;
    this.#playout = new Playout(options.rateHz, options.parameters.confirmationMs);
    this.#heard = new HeardLedger(this.#playout, options.parameters);
  }

  /** A reply lives: it is being made, or heard. */
  get busy(): boolean {
    return this.#reply !== undefined;
  }

  /** A tool runs: the silence is not the caller's. */
  get usesTools(): boolean {
    return this.#reply?.tools.running ?? false;
  }

  /** From the next reply on. */
  set language(language: string) {
    this.#language = language;
  }

  /** When everything sent so far will have been played, ms; in the past when it has been. */
  get playsUntilMs(): number {
    return this.#playout.playsUntilMs;
  }

  /** Has the model answer what was said. */
  ask(nowMs: number): void {
    const reply = this.#begin(this.#options.conversation.asked, nowMs);
    this.#show("thinking");
    this.#askModel(reply, nowMs);
  }

  /** A reply of our own, without the model. A `leave` is a goodbye: nothing interrupts it, and the call ends with it. */
  say(text: string, reason: SpeakReason, nowMs: number, leave?: EndReason): void {
    const reply = this.#begin(undefined, nowMs, leave);
    this.#speak(reply, 0, reply.wholeText(text, nowMs), nowMs, reason);
    this.finishIfHeard(nowMs);
  }

  /** Something happened to a reply. Work of one that was cut comes late by nature; its number tells it from the one that lives. */
  handle(event: Extract<CallEvent, { turnId: number }>, nowMs: number): void {
    const reply = this.#reply;
    if (reply === undefined || reply.turnId !== event.turnId) return;
    switch (event.kind) {
      case "frame-out":
        this.#onFrameOut(reply, event.samples, nowMs);
        return;
      case "reply-text": {
        reply.watch.modelHeard(nowMs);
        const { pieceCount } = reply;
        if (pieceCount < REPLY_PIECES_MAX) this.#speak(reply, pieceCount, reply.pushText(event.text, nowMs), nowMs);
        return;
      }
      case "reply-tool": {
        reply.watch.modelHeard(nowMs);
        const { id, name, argumentsJson } = event;
        reply.tools.ask({ id, name, argumentsJson });
        return;
      }
      case "reply-end":
        this.#onModelEnd(reply, nowMs);
        return;
      case "tool-result":
        if (reply.tools.settle(event.key, event.result)) this.#goOnWithResults(reply, nowMs);
        return;
      case "reply-failed":
        this.#options.modelDone(true);
        return;
      case "piece-audio":
        reply.watch.voiceHeard(nowMs);
        reply.pieceAudio(event.piece, event.words, nowMs);
        return;
      case "piece-end":
        reply.watch.voiceHeard(nowMs);
        reply.pieceEnded(event.piece, event.samples);
        this.#markPieces(reply, nowMs);
        this.finishIfHeard(nowMs);
        return;
      case "piece-failed":
        // Without a voice there is no call: nothing can be said about it either.
        this.#options.end("provider_error");
        return;
    }
  }

  /** The peer sent a frame, a mark or a pong. */
  confirmed(nowMs: number): void {
    this.#heard.confirmed(this.#reply, nowMs);
  }

  /** A mark came back. */
  marked(name: string, nowMs: number): void {
    const played = this.#playout.returned(name, nowMs);
    const reply = this.#reply;
    if (played === undefined || reply === undefined || reply.turnId !== played.turnId) return;
    reply.piecePlayed(played.piece);
    this.finishIfHeard(nowMs);
  }

  /** A clear was carried out; what of the reply was heard has been told already, and the next is known better. */
  cleared(playedMs: number): void {
    this.#playout.cleared(playedMs);
  }

  /** Holds the reply that lives; what has been sent of it is still heard. */
  pause(turnId: number, nowMs: number): void {
    this.#reply?.watch.pause(true, nowMs);
    this.#options.sink({ kind: "pause", turnId });
    this.#show("listening");
  }

  /** It goes on from the sample behind the last one that was sent. */
  resume({ turnId, reason }: Extract<TurnAction, { do: "resume" }>, nowMs: number): void {
    this.#reply?.watch.pause(false, nowMs);
    this.#options.sink({ kind: "resume", turnId, reason });
    this.#show("speaking");
  }

  /** Stops the reply that lives, if any, where the caller is now; what was heard of it becomes its turn. */
  cut(reason: CutReason, voicedMs: number, nowMs: number): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    if (this.#heard.isOver(reply, nowMs)) {
      // Heard to its end, though no mark has said so yet: there is nothing left to cut.
      this.#finish(reply, nowMs);
      return;
    }
    const { turnId, audible } = reply;
    const heardText = this.#heard.text(reply, nowMs);
    this.#options.sink({ kind: "cut", turnId, clear: audible, reason, voicedMs: Math.round(voicedMs), heardText });
    if (reply.afterwards !== undefined) reply.tools.takeBack(reply.afterwards.key);
    this.#settle(reply, false, nowMs);
    if (audible) this.#playout.flush(nowMs);
    this.#drop(reply);
  }

  /** The call is over: what was heard of the reply that lives becomes its turn, and the rest is never said. */
  stop(nowMs: number): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    this.#reply = undefined;
    const heardText = this.#heard.text(reply, nowMs);
    this.#settle(reply, false, nowMs);
    const { turnId } = reply;
    this.#options.sink({ kind: "cut", turnId, clear: false, reason: "call_ended", voicedMs: 0, heardText });
  }

  /** Looks whether the reply that lives is short of something, and helps it. */
  attend(nowMs: number): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    const shortage = reply.watch.shortOf(this.#standing(reply), nowMs);
    if (shortage === "model") this.#options.modelDone(true);
    else if (shortage === "voice") this.#options.end("provider_error");
    else if (shortage === "filler") {
      reply.watch.filled();
      const { filler } = this.#options.phrases.in(this.#language);
      this.#speak(reply, reply.pieceCount, reply.insert(filler, nowMs), nowMs, "filler");
    }
  }

  /** Ends a reply that the caller has heard to its last sample, as far as marks or the playback clock can tell. */
  finishIfHeard(nowMs: number): void {
    const reply = this.#reply;
    if (reply !== undefined && nowMs >= this.#heard.deadlineMs(reply, nowMs)) this.#finish(reply, nowMs);
  }

  /** When the reply that lives must be looked at though nothing happens, ms. */
  deadlineMs(nowMs: number): number {
    const reply = this.#reply;
    if (reply === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(this.#heard.deadlineMs(reply, nowMs), reply.watch.deadlineMs(this.#standing(reply)));
  }

  /** How the agent's side stands. */
  standing(nowMs: number): Pick<CallStanding, "state" | "language" | "reply"> {
    const [reply, state, language] = [this.#reply, this.#state, this.#language];
    if (reply === undefined) return { state, language, reply };
    const waits = { heardMs: this.#heard.deadlineMs(reply, nowMs), ...reply.watch.waits(this.#standing(reply)) };
    return { state, language, reply: { ...reply.asItStands(this.#heard.unplayedMs(reply, nowMs)), waits } };
  }

  #standing(reply: Reply): Readonly<ReplyStanding> {
    const now = this.#standingNow;
    now.unsent = reply.unsent;
    now.hasPieces = reply.pieceCount > 0;
    now.playsUntilMs = this.#playout.playsUntilMs;
    return now;
  }

  #begin(answers: Asked | undefined, nowMs: number, leave?: EndReason): Reply {
    assert.ok(this.#reply === undefined, "one reply at a time");
    const { spec, rateHz, parameters, step } = this.#options;
    const interruptible = leave === undefined && (!this.#firstMessage || spec.interruptible);
    const turnId = this.#nextTurnId;
    this.#nextTurnId += 1;
    const reply = new Reply({
      turnId,
      language: this.#language,
      interruptible,
      leave,
      rateHz,
      answers,
      parameters,
      nowMs,
    });
    this.#reply = reply;
    step({ kind: "reply-began", turnId, interruptible });
    return reply;
  }

  #askModel(reply: Reply, nowMs: number): void {
    const { conversation, sink, spec } = this.#options;
    const { turnId, tools: used } = reply;
    const ofTools = used.messages().flatMap(({ asked, results }) => [asked, ...results]);
    const tools = used.exhausted ? [] : describeTools(spec.tools);
    reply.watch.modelHeard(nowMs);
    reply.moments.asked(nowMs);
    sink({ kind: "ask", turnId, messages: conversation.prompt(turnId, ofTools), tools, language: this.#language });
  }

  /** The model is done, with the reply or with what it says before its tools. */
  #onModelEnd(reply: Reply, nowMs: number): void {
    reply.watch.modelDone();
    this.#options.modelDone(false);
    this.#speak(reply, reply.pieceCount, reply.endRound(nowMs), nowMs);
    const runs = reply.tools.begin(reply.takeRoundText());
    if (runs.length === 0) {
      reply.endText();
      this.finishIfHeard(nowMs);
      return;
    }
    // Tools have effects: what they were used for is settled, whatever the caller says next.
    this.#options.conversation.settle();
    reply.watch.toolsBegan(nowMs);
    for (const run of runs) this.#run(reply, run);
    this.#goOnWithResults(reply, nowMs);
  }

  #run(reply: Reply, run: ToolRun): void {
    const { sink, spec } = this.#options;
    const plan = planTool(run.call, spec.tools);
    if (plan.kind === "run") {
      sink({ kind: "tool", turnId: reply.turnId, key: run.key, name: plan.tool.name, arguments: plan.arguments });
      return;
    }
    reply.tools.settle(run.key, plan.result);
    if (plan.effect !== undefined) this.#take(reply, run.key, plan.effect);
  }

  #take(reply: Reply, key: string, effect: ToolEffect): void {
    switch (effect.kind) {
      case "hang-up":
      case "transfer":
        reply.afterwards ??= { key, effect };
        return;
      case "send-dtmf":
        this.#options.sink(effect);
        return;
      case "language":
        this.#options.speakLanguage(effect.language);
        return;
    }
  }

  /** Every tool has its result: the model goes on, unless it has taken leave. */
  #goOnWithResults(reply: Reply, nowMs: number): void {
    if (reply.tools.running) return;
    reply.watch.toolsDone();
    this.#options.inactivity.heardUntil(nowMs);
    if (reply.afterwards === undefined) {
      this.#askModel(reply, nowMs);
      return;
    }
    reply.endText();
    this.finishIfHeard(nowMs);
  }

  #speak(reply: Reply, firstPiece: number, texts: readonly string[], nowMs: number, reason?: SpeakReason): void {
    const why = reason === undefined ? {} : { reason };
    if (texts.length > 0) reply.watch.voiceHeard(nowMs);
    for (const [index, text] of texts.entries()) {
      this.#options.sink({ kind: "speak", turnId: reply.turnId, piece: firstPiece + index, text, ...why });
    }
  }

  #onFrameOut(reply: Reply, samples: number, nowMs: number): void {
    const first = !reply.audible;
    reply.watch.voiceHeard(nowMs);
    reply.frameSent(samples, nowMs);
    this.#playout.sent(samples, nowMs);
    if (first) this.#onAudible(reply);
    // A caller who was talking already may have cut it in this very step.
    if (this.#reply === reply) this.#markPieces(reply, nowMs);
  }

  /** The first frame of a reply goes out: what it answers is settled now, and it is the caller who may interrupt. */
  #onAudible(reply: Reply): void {
    this.#firstMessage = false;
    this.#options.conversation.settle();
    this.#show("speaking", reply.moments.latency);
    this.#options.step({ kind: "reply-audible", turnId: reply.turnId });
  }

  #markPieces(reply: Reply, nowMs: number): void {
    for (let piece = reply.takePieceToMark(); piece !== undefined; piece = reply.takePieceToMark()) {
      const name = this.#playout.mark(reply.turnId, piece, nowMs);
      if (name !== undefined) this.#options.sink({ kind: "mark", name });
    }
  }

  #finish(reply: Reply, nowMs: number): void {
    if (!reply.audible) this.#options.conversation.settle();
    this.#settle(reply, true, nowMs);
    const afterwards = reply.afterwards?.effect;
    const reason = reply.leave ?? (afterwards && (afterwards.kind === "transfer" ? "transferred" : "agent_hangup"));
    if (reason === undefined) {
      this.#drop(reply);
      return;
    }
    this.#reply = undefined;
    if (afterwards?.kind === "transfer") this.#options.sink(afterwards);
    this.#options.end(reason);
  }

  #drop(reply: Reply): void {
    this.#reply = undefined;
    this.#show("listening");
    this.#options.step({ kind: "reply-done", turnId: reply.turnId });
  }

  /**
   * A reply is over: what its tools did is known from here on, and what was heard of it becomes the agent's turn. One that is
   * `whole` was heard to its end.
   */
  #settle(reply: Reply, whole: boolean, nowMs: number): void {
    const { inactivity, conversation } = this.#options;
    conversation.used(reply.tools.messages());
    if (!reply.audible) return;
    // By a mark it was heard just now; without one it was within the grace.
    inactivity.heardUntil(whole ? nowMs : this.#heard.heardUntilMs(nowMs));
    conversation.answered(this.#heard.turn(reply, whole, nowMs));
  }

  #show(state: CallState, latency?: TurnLatency): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.sink({ kind: "state", state, ...(latency === undefined ? {} : { latency }) });
  }
}
