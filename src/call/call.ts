import { strict as assert } from "node:assert";
import type { SpendAction } from "../core/billing/spend.ts";
import type { HoldEnd, HoldRefusal, HoldRequest } from "../core/calls/hold.ts";
import type { CancelReason, EndReason, SpeakReason } from "../core/calls/reasons.ts";
import type { RecordingRefusal, RecordingRequest } from "../core/calls/recording-pause.ts";
import { type CallSpec, storesWords } from "../core/calls/spec.ts";
import type { StartParameters } from "../core/calls/start-parameters.ts";
import { addMs, type CallMs, callMs, type MediaMs, roundedMs } from "../core/clocks.ts";
import type { ToolCallId } from "../core/ids.ts";
import { LLM_FAILURES_MAX } from "../core/limits/calls/calls.ts";
import { RETRIEVAL_PAUSE_MS } from "../core/limits/knowledge/call-knowledge.ts";
import type { Phrases } from "../core/phrases/names.ts";
import { isSameLanguage } from "../core/text/language-tags.ts";
import type { SpeechSegmenter } from "../media/voice-activity/segmenter.ts";
import type { SegmentState } from "../media/voice-activity/speech-activity.ts";
import { hasFinalForEach } from "../speech/stt/utterance-finals.ts";
import { type CallerUtterance, Conversation } from "./conversation.ts";
import { CallDeadlines } from "./deadlines.ts";
import { Ending, type Goodbye } from "./ending.ts";
import type { CallEvent, CallSink } from "./events.ts";
import { Hold } from "./hold.ts";
import { type TurnRetrieval, turnRetrievalOf } from "./knowledge/turn-retrieval.ts";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "./parameters.ts";
import { CallPhrases } from "./phrases.ts";
import { RecordingPauses } from "./recording-pause.ts";
import { AgentSide } from "./reply/agent-side.ts";
import { isConfirmation } from "./reply/heard-ledger.ts";
import { PreemptiveGeneration } from "./reply/preemptive-generation.ts";
import { type CallSnapshot, NO_DEADLINES } from "./snapshot.ts";
import { Transcript } from "./transcript.ts";
import { Transfer, type TransferResult } from "./transfer.ts";
import { CallerSpeech } from "./turn-taking/caller-speech.ts";
import { callerInterim, callerText, stepCaller, unansweredUtterance } from "./turn-taking/caller-turn.ts";
import { DtmfEntry, dtmfAsTyped } from "./turn-taking/dtmf-entry.ts";
import { type WithoutEcho, WordEchoDetector } from "./turn-taking/echo.ts";
import { Inactivity } from "./turn-taking/inactivity.ts";
import { InterimRequests } from "./turn-taking/interim-requests.ts";
import { isLanguageReliable } from "./turn-taking/language-detection.ts";
import type { TurnEvent } from "./turn-taking/turn-events.ts";
import { INITIAL_TURN, type Turn } from "./turn-taking/turn-state.ts";
import { TurnTaking } from "./turn-taking/turn-taking.ts";

type Requested = Extract<
  CallEvent,
  {
    kind:
      | "goodbye-requested"
      | "hold-requested"
      | "resume-requested"
      | "dtmf-requested"
      | "recording-pause-requested"
      | "recording-resume-requested";
  }
>;

/** What a `Call` is constructed from. */
export interface CallOptions {
  spec: CallSpec;
  /** The sample rate of the agent's audio, Hz. Samples in events are counted at this rate. */
  rateHz: number;
  sttHasInterim: boolean;
  /** The STT sends one final for each utterance: a turn ends with that of its last one. Absent means false. */
  sttFinalPerUtterance?: boolean | undefined;
  parameters?: Readonly<TurnParameters>;
  /**
   * Upper bound of a prompt, in estimated tokens; beyond it the oldest turns are dropped. Absent where there is no
   * bound.
   */
  promptTokensMax?: number | undefined;
  sink: CallSink;
}

/**
 * The state machine of a call, of a conversation or a live transcription: `createCallMachine`. See `Call` for its rules and its
 * members.
 */
export interface CallMachine {
  readonly nextDeadlineMs: CallMs;
  readonly callerSpeech: SegmentState;
  readonly isHeld: boolean;
  /** Undefined where the machine has no state of a conversation. */
  readonly snapshot: CallSnapshot | undefined;
  /** How much audio a live transcription has had, ms; undefined for a conversation. */
  readonly audioMs: number | undefined;
  isDue(nowMs: CallMs): boolean;
  /** Neither audio nor words of the call are to be stored at present. */
  readonly isRecordingPaused: boolean;
  holdRefusal(request: Pick<HoldRequest, "kind">): HoldRefusal | undefined;
  recordingRefusal(request: RecordingRequest): RecordingRefusal | undefined;
  canSendTones(digits: number): boolean;
  handle(event: CallEvent, nowMs: CallMs): void;
}

/**
 * One call as a state machine: events and time go in, commands come out. `handle` is its only entry. It never awaits,
 * reads no clock and stores no samples. Times are milliseconds since redemption and must not go backwards. The same
 * events at the same times always give the same commands; therefore a journal can be replayed.
 */
export class Call implements CallMachine {
  readonly #spec: CallSpec;
  readonly #parameters: Readonly<TurnParameters>;
  readonly #sink: CallSink;
  readonly #segmenter: SpeechSegmenter;
  readonly #transcript: Transcript;
  readonly #conversation: Conversation;
  readonly #inactivity: Inactivity;
  readonly #interimRequests: InterimRequests;
  readonly #echoDetector = new WordEchoDetector();
  readonly #agentSide: AgentSide;
  /** Undefined where no passages are fetched for the caller's turns. */
  readonly #retrieval: TurnRetrieval | undefined;
  readonly #preemptive: PreemptiveGeneration;
  readonly #turnTaking: TurnTaking;
  readonly #callerSpeech: CallerSpeech;
  readonly #dtmfEntry: DtmfEntry;
  readonly #phrases = new CallPhrases();
  readonly #ending = new Ending((words) => this.#sayGoodbye(words));
  readonly #transfer = new Transfer();
  readonly #hold = new Hold();
  readonly #recordingPauses: RecordingPauses;
  readonly #deadlines: CallDeadlines;

  /** The turn for which retrieval and preemptive generation were last updated. */
  #lastUpdatedTurn: Turn = INITIAL_TURN;
  #ended = false;
  /** The `end` command was emitted. */
  #endEmitted = false;
  #nowMs = callMs(0);
  #llmFailures = 0;
  #hasSttFailed = false;

  constructor(options: CallOptions) {
    const { spec, rateHz, parameters = DEFAULT_TURN_PARAMETERS, sttHasInterim } = options;
    const { promptTokensMax = Number.POSITIVE_INFINITY } = options;
    this.#spec = spec;
    this.#parameters = parameters;
    this.#sink = (command) => {
      assert.ok(!this.#endEmitted, "no command after the end");
      this.#endEmitted = command.kind === "end";
      options.sink(command);
    };
    this.#transcript = new Transcript(this.#sink);
    this.#conversation = new Conversation(spec, this.#sink, this.#transcript, promptTokensMax);
    this.#inactivity = new Inactivity(spec, parameters);
    this.#interimRequests = new InterimRequests(parameters, sttHasInterim);
    this.#dtmfEntry = new DtmfEntry(parameters.dtmfGapMs);
    const finals = { interimTranscripts: sttHasInterim, finalPerUtterance: options.sttFinalPerUtterance };
    this.#recordingPauses = new RecordingPauses(hasFinalForEach(finals));
    this.#retrieval = turnRetrievalOf(spec, this.#conversation, this.#sink);
    const shared = {
      ...{ spec, parameters, conversation: this.#conversation, retrieval: this.#retrieval },
      ...{ transcript: this.#transcript, sink: this.#sink },
    };
    this.#preemptive = new PreemptiveGeneration(shared);
    this.#agentSide = new AgentSide({
      ...shared,
      rateHz,
      inactivity: this.#inactivity,
      phrases: this.#phrases,
      step: (event) => this.#step(event),
      turnSettled: () => this.#turnTaking.settled(),
      // A goodbye that cannot be spoken still ends the call for the reason of the goodbye.
      end: (reason) => this.#end(reason === "provider_error" ? (this.#ending.reason ?? reason) : reason),
      llmDone: (failed) => this.#onLlmDone(failed),
      requestTransfer: (toolCallId, target) => this.#requestTransfer(toolCallId, target),
      requestHold: (toolCallId, msMax) => this.#requestHold(toolCallId, msMax),
      beginHold: () => this.#beginHold(),
      switchLanguage: (language) => this.#switchLanguage(language, "tool"),
      changeRecording: (request) => this.#changeRecording(request),
    });
    this.#turnTaking = new TurnTaking({
      ...shared,
      sttHasInterim,
      sttFinalPerUtterance: options.sttFinalPerUtterance ?? false,
      agentSide: this.#agentSide,
      preemptive: this.#preemptive,
      ending: this.#ending,
      transfer: this.#transfer,
      hold: this.#hold,
    });
    this.#callerSpeech = new CallerSpeech({
      parameters,
      turnTaking: this.#turnTaking,
      conversation: this.#conversation,
    });
    this.#segmenter = this.#callerSpeech.segmenter;
    this.#deadlines = new CallDeadlines({
      spec,
      parameters,
      ending: this.#ending,
      transfer: this.#transfer,
      hold: this.#hold,
      recordingPauses: this.#recordingPauses,
      segmenter: this.#segmenter,
      turnTaking: this.#turnTaking,
      preemptive: this.#preemptive,
      dtmfEntry: this.#dtmfEntry,
      interimRequests: this.#interimRequests,
      inactivity: this.#inactivity,
      agentSide: this.#agentSide,
    });
  }

  /** When the call needs a `tick` if no other event comes, ms; Infinity after the end. */
  get nextDeadlineMs(): CallMs {
    return this.#deadlines.nextMs;
  }

  /**
   * Whether the call needs a `tick` at `nowMs`. For the frame path: returning a number could allocate it on the heap.
   */
  isDue(nowMs: CallMs): boolean {
    return this.#deadlines.isDue(nowMs);
  }

  /** Whether the caller speaks, after the latest event. The object is live. */
  get callerSpeech(): SegmentState {
    return this.#segmenter;
  }

  readonly audioMs = undefined;

  /** The caller is on hold. */
  get isHeld(): boolean {
    return this.#hold.isHeld;
  }

  /** Neither audio nor words of the call are to be stored at present. */
  get isRecordingPaused(): boolean {
    return this.#recordingPauses.isPaused;
  }

  /** Why the recording cannot be paused or resumed now; undefined where it can. */
  recordingRefusal(request: RecordingRequest): RecordingRefusal | undefined {
    if (this.#ended || !this.#deadlines.isLegStarted) return "not_live";
    if (!this.#spec.recordingEnabled && !storesWords(this.#spec)) return "not_recorded";
    return this.#recordingPauses.refusal(request);
  }

  /** Whether tones of so many digits can be sent now: there is a leg, and not too many wait already. */
  canSendTones(digits: number): boolean {
    return !this.#ended && this.#deadlines.isLegStarted && this.#agentSide.canSendTones(digits);
  }

  /** Why the call cannot be put on hold now, or be resumed; undefined where it can. */
  holdRefusal({ kind }: Pick<HoldRequest, "kind">): HoldRefusal | undefined {
    if (this.#ended || !this.#deadlines.isLegStarted) return "not_live";
    if (this.#ending.reason !== undefined) return "ending";
    if (this.#transfer.isActive) return "transferring";
    if (kind === "hold") return this.#hold.isHeld ? "on_hold" : undefined;
    return this.#hold.isHeld ? undefined : "not_on_hold";
  }

  /** The state of the call, for diagnostics. */
  get snapshot(): CallSnapshot {
    const deadlines = this.#ended ? NO_DEADLINES : this.#deadlines.all;
    return { ...this.#agentSide.snapshot(this.#nowMs), ended: this.#ended, turn: this.#turnTaking.turn, deadlines };
  }

  /** The only entry of the call. After the end, events have no effect and no commands are emitted. */
  handle(event: CallEvent, nowMs: CallMs): void {
    if (this.#ended) return;
    assert.ok(nowMs >= this.#nowMs, "time must not go backwards");
    this.#nowMs = nowMs;
    this.#deadlines.nowMs = nowMs;
    // The maximum duration is checked first, so that the end reason does not depend on the event that arrives at that
    // time.
    if (nowMs >= callMs(this.#spec.maxDurationMs)) this.#end("max_duration");
    else {
      if (isConfirmation(event)) this.#agentSide.confirmed(this.#nowMs);
      this.#dispatch(event);
    }
    if (!this.#ended && this.#recordingPauses.isEnding) this.#endRecordingPause();
    if (!this.#ended && (this.#parameters.preemptiveMs > 0 || this.#retrieval !== undefined)) this.#prepareAnswer();
    this.#deadlines.renew();
  }

  /** Before the turn is over. Runs on every event, so it reads words only where the turn has changed. */
  #prepareAnswer(): void {
    const { turn } = this.#turnTaking;
    if (turn !== this.#lastUpdatedTurn) {
      this.#lastUpdatedTurn = turn;
      const { caller, agent, isEnteringDtmf } = turn;
      const isAnswered = this.#ending.reason === undefined && !this.#isAway;
      const isOpen = agent.at === "idle" && !isEnteringDtmf && isAnswered;
      const text = isOpen ? callerText(caller) : "";
      const isFinal = callerInterim(caller) === "";
      this.#retrieval?.update(text, isFinal);
      this.#preemptive.update(text, isFinal, this.#nowMs);
    }
    if (this.#retrieval !== undefined) this.#retrieve(this.#retrieval);
    if (this.#parameters.preemptiveMs > 0) this.#startPreemptive();
  }

  #retrieve(retrieval: TurnRetrieval): void {
    const { lastSpeechMs } = this.#segmenter;
    const isPausing = Number.isNaN(lastSpeechMs) || this.#nowMs >= addMs(lastSpeechMs, RETRIEVAL_PAUSE_MS);
    retrieval.startIfDue(isPausing, this.#turnTaking.language, this.#nowMs);
    this.#agentSide.continueWithPassages(this.#nowMs);
  }

  #startPreemptive(): void {
    if (this.#parameters.turnWaitMsMax > 0)
      this.#preemptive.startIfProbable(this.#callerSpeech.pauseEnd, this.#nowMs, this.#turnTaking.language);
    else this.#preemptive.startIfDue(this.#segmenter.lastSpeechMs, this.#nowMs, this.#turnTaking.language);
  }

  #dispatch(event: CallEvent): void {
    switch (event.kind) {
      case "frame-in":
        this.#onFrameIn(event.isSpeech, event.mediaMs);
        return;
      case "tick":
        this.#onTick();
        return;
      case "leg-started":
      case "leg-detached":
        this.#onLeg(event);
        return;
      case "leg-closed":
      case "end-requested":
      case "internal-error":
        this.#end(event.kind === "internal-error" ? "worker_lost" : event.reason);
        return;
      case "limit-reached":
        this.#onLimitReached(event.action);
        return;
      case "mark":
      case "cleared":
        this.#onPlayed(event);
        return;
      case "dtmf":
      case "stt-interim":
      case "stt-final":
      case "typed":
        this.#onCaller(event);
        return;
      case "prosody":
      case "turn-model":
        this.#callerSpeech.pauseJudged(event);
        return;
      case "stt-failed":
        this.#onSttFailed();
        return;
      case "transfer-started":
      case "transfer-failed":
      case "transfer-refused":
        this.#onTransfer(event);
        return;
      case "goodbye-requested":
      case "hold-requested":
      case "resume-requested":
      case "dtmf-requested":
      case "recording-pause-requested":
      case "recording-resume-requested":
        this.#onRequested(event);
        return;
      case "passages":
      case "retrieval-failed":
      case "context-exceeded":
      case "phrases-chosen":
        this.#onInformed(event);
        return;
      case "voice-chosen":
      case "provider-switched":
      case "detector-changed":
      case "usage":
      case "network":
      case "pong":
      case "finalize-requested":
        // Only recorded, only a confirmation, or of live transcriptions: the provider or the voice does not change what is said.
        return;
      case "tool-result":
        this.#onToolResult(event);
        return;
      default:
        this.#agentSide.handle(event, this.#nowMs);
    }
  }

  /** What the call makes use of later. */
  #onInformed(
    event: Extract<CallEvent, { kind: "passages" | "retrieval-failed" | "context-exceeded" | "phrases-chosen" }>,
  ): void {
    if (event.kind === "context-exceeded") this.#conversation.limitPrompt(event.tokensMax);
    else if (event.kind === "phrases-chosen") this.#phrases.set(event.language, event.phrases);
    else this.#retrieval?.received(event);
  }

  #onPlayed(event: Extract<CallEvent, { kind: "mark" | "cleared" }>): void {
    if (event.kind === "mark") this.#agentSide.markReturned(event.name, this.#nowMs);
    else this.#agentSide.cleared(event.playedMs);
  }

  #onLimitReached(action: SpendAction): void {
    if (this.#isAway) return;
    if (this.#ending.limitReached(action, this.#ownPhrases, this.#nowMs))
      this.#replace(this.#ownPhrases.limit, "limit", "spend_limit");
  }

  /** The caller is being transferred or is on hold, or is about to be with the agent again: the agent is silent. */
  get #isAway(): boolean {
    return this.#transfer.isActive || this.#hold.isActive;
  }

  /** Without STT the agent can answer nothing; it only says goodbye, once the caller is with it. */
  #onSttFailed(): void {
    this.#hasSttFailed = true;
    if (!this.#isAway) this.#ending.sayGoodbye("provider_error", this.#ownPhrases, this.#nowMs);
  }

  #requestTransfer(toolCallId: ToolCallId, target: string): void {
    // A hold that the API has just asked for has not begun: the agent was faster.
    this.#hold.over();
    if (!this.#transfer.requested(toolCallId, this.#nowMs)) return;
    this.#preemptive.update("", true, this.#nowMs);
    this.#sink({ kind: "transfer", target });
  }

  #onTransfer(event: Extract<CallEvent, { kind: "transfer-started" | "transfer-failed" | "transfer-refused" }>): void {
    if (event.kind === "transfer-started") this.#onTransferStarted();
    else if (event.kind === "transfer-failed") this.#onTransferOver(this.#transfer.failed(event.outcome));
    else this.#onTransferOver(this.#transfer.refused(event.text));
  }

  #onTransferStarted(): void {
    // First, so that nothing is answered when the reply is gone.
    this.#transfer.started();
    this.#endHold("transfer");
    this.#preemptive.update("", true, this.#nowMs);
    this.#agentSide.cancel("transfer", 0, this.#nowMs);
  }

  #onTransferOver(result: TransferResult | undefined): void {
    if (result === undefined) return;
    this.#onCallerBack(result);
  }

  /** What a program asks for. */
  #onRequested(event: Requested): void {
    switch (event.kind) {
      case "goodbye-requested":
        this.#ending.sayGoodbye(event.reason, this.#ownPhrases, this.#nowMs);
        return;
      case "hold-requested":
        this.#onHoldRequested(event.msMax);
        return;
      case "resume-requested":
        if (this.holdRefusal({ kind: "resume" }) === undefined) this.#endHold("requested");
        return;
      case "dtmf-requested":
        this.#onDtmfRequested(event.digits);
        return;
      case "recording-pause-requested":
        this.#changeRecording({ kind: "pause-recording" });
        return;
      case "recording-resume-requested":
        this.#changeRecording({ kind: "resume-recording" });
        return;
    }
  }

  #onDtmfRequested(digits: string): void {
    if (this.canSendTones(digits.length)) this.#agentSide.sendDtmf(digits, true);
  }

  #onHoldRequested(msMax: number): void {
    if (this.holdRefusal({ kind: "hold" }) !== undefined) return;
    // First, so that nothing is answered when the reply is gone. It may have asked for something else when it was heard.
    this.#hold.requested(undefined, msMax, this.#nowMs);
    this.#agentSide.cancel("hold", 0, this.#nowMs);
    if (!this.#ended) this.#beginHold();
  }

  #requestHold(toolCallId: ToolCallId, msMax: number): void {
    if (this.#ending.reason === undefined && !this.#transfer.isActive)
      this.#hold.requested(toolCallId, msMax, this.#nowMs);
  }

  /** The caller's speech ends with its last frame, as far as the agent is concerned. */
  #beginHold(): void {
    const msMax = this.#hold.begin();
    if (msMax === undefined) return;
    this.#preemptive.update("", true, this.#nowMs);
    this.#endSpeech();
    this.#sink({ kind: "held", msMax });
    this.#agentSide.held();
  }

  #endHold(reason: HoldEnd): void {
    const result = this.#hold.end(this.#nowMs);
    if (result === undefined) return;
    const clear = !this.#agentSide.areTonesPending(this.#nowMs);
    this.#sink({ kind: "resumed", reason, heldMs: result.heldMs, ...(!clear && { clear }) });
    this.#agentSide.resumed(clear, this.#nowMs);
    if (reason === "requested" || reason === "expired") this.#onCallerBack(result);
    else this.#hold.over();
  }

  #changeRecording(request: RecordingRequest): void {
    if (this.recordingRefusal(request) !== undefined) return;
    if (request.kind === "resume-recording") this.#recordingPauses.resume(this.#segmenter.isSpeaking);
    else if (this.#recordingPauses.pause(this.#nowMs)) this.#sink({ kind: "recording-paused" });
  }

  /** A pause that was resumed is over once nothing is left to be said of what was said in it. */
  #endRecordingPause(): void {
    const { caller, isEnteringDtmf } = this.#turnTaking.turn;
    if (this.#recordingPauses.awaitsWords(this.#nowMs)) return;
    if (this.#agentSide.busy || caller.at !== "silent" || isEnteringDtmf || this.#segmenter.isSpeaking) return;
    const pausedMs = this.#recordingPauses.silent(this.#nowMs);
    if (pausedMs !== undefined) this.#sink({ kind: "recording-resumed", pausedMs });
  }

  /** The agent speaks at once, or as soon as there is a leg. */
  #onCallerBack({ toolCallId, text }: Pick<TransferResult, "toolCallId" | "text">): void {
    this.#conversation.callerBack(toolCallId, text);
    if (this.#deadlines.isLegStarted && !this.#deadlines.isDetached) this.#speakAgain();
  }

  /** The caller is with the agent again. */
  #speakAgain(): void {
    this.#transfer.over();
    this.#hold.over();
    this.#inactivity.callerActive(this.#nowMs);
    if (this.#ending.reason !== undefined) return;
    if (this.#hasSttFailed) this.#ending.sayGoodbye("provider_error", this.#ownPhrases, this.#nowMs);
    else {
      // What the caller said before was answered late on purpose: that is no latency.
      this.#conversation.settle();
      this.#agentSide.generateReply(this.#nowMs);
    }
  }

  /** A result that arrives after its reply has ended is still valid. */
  #onToolResult(event: Extract<CallEvent, { kind: "tool-result" }>): void {
    this.#conversation.lateResult(event.toolCallId, event.result);
    this.#preemptive.cancel();
    this.#agentSide.handle(event, this.#nowMs);
  }

  #onLeg(event: Extract<CallEvent, { kind: "leg-started" | "leg-detached" }>): void {
    if (event.kind === "leg-started") this.#onLegStarted(event.parameters);
    else this.#onLegDetached();
  }

  /** The parameters of the first start are those of the call: a later leg does not change what the LLM has been given. */
  #onLegStarted(parameters: StartParameters | undefined): void {
    if (this.#deadlines.isDetached) {
      this.#deadlines.isDetached = false;
      // The caller is back, and neither side could be heard meanwhile.
      this.#inactivity.callerActive(this.#nowMs);
      this.#agentSide.attached(this.#nowMs);
      this.#transfer.legStarted(this.#nowMs);
      if (this.#transfer.isReturning || this.#hold.isReturning) this.#speakAgain();
      return;
    }
    if (this.#deadlines.isLegStarted) return;
    this.#deadlines.isLegStarted = true;
    if (this.#spec.useParameters && parameters !== undefined) this.#conversation.addParameters(parameters);
    this.#inactivity.callerActive(this.#nowMs);
    if (this.#transfer.isReturning) this.#speakAgain();
    else if (!this.#transfer.isActive) this.#greet();
  }

  #greet(): void {
    if (this.#spec.firstSpeaker !== "agent") return;
    if (this.#spec.greeting === undefined) this.#agentSide.generateReply(this.#nowMs);
    else this.#agentSide.say(this.#spec.greeting, "greeting", this.#nowMs);
  }

  /** The caller's speech ends with its last frame, and what the caller has not heard of the reply is sent again later. */
  #onLegDetached(): void {
    if (!this.#deadlines.isLegStarted || this.#deadlines.isDetached) return;
    this.#deadlines.isDetached = true;
    this.#endSpeech();
    if (!this.#ended) this.#agentSide.detached(this.#nowMs);
  }

  /** No more frames of the caller's speech come. */
  #endSpeech(): void {
    if (!this.#segmenter.isSpeaking) return;
    this.#callerSpeech.framesStopped();
    this.#recordingPauses.utteranceEnded(this.#segmenter.lastSpeechMs);
    this.#step({ kind: "speech-ended", endMs: this.#segmenter.lastSpeechMs });
  }

  /**
   * A goodbye replaces the current reply. Before the stream has started, while the call has no leg, and while the carrier rings
   * another target, the caller cannot hear one, so the call ends at once.
   */
  #sayGoodbye({ text, speakReason, endReason }: Goodbye): void {
    if (!this.#deadlines.isLegStarted || this.#deadlines.isDetached || this.#transfer.isRinging) {
      this.#end(endReason);
      return;
    }
    this.#endHold("goodbye");
    this.#agentSide.cancel("call_ended", 0, this.#nowMs);
    if (!this.#ended) this.#agentSide.say(text, speakReason, this.#nowMs, endReason);
  }

  #onFrameIn(isSpeech: boolean, mediaMs: MediaMs): void {
    // For an agent that hears nothing they are silence.
    const edge = this.#callerSpeech.frame(isSpeech && !this.#hold.isHeld, mediaMs, this.#nowMs);
    if (edge === "started") {
      this.#echoDetector.speechStarted(this.#segmenter.speechStartMs);
      this.#step({ kind: "speech-started", startMs: this.#segmenter.speechStartMs });
    } else if (edge === "ended") {
      this.#recordingPauses.utteranceEnded(this.#segmenter.lastSpeechMs);
      this.#step({ kind: "speech-ended", endMs: this.#segmenter.lastSpeechMs });
    }
  }

  #onCaller(event: Extract<CallEvent, { kind: "dtmf" | "stt-interim" | "stt-final" | "typed" }>): void {
    // What comes from the line then is not meant for the agent.
    if (this.#transfer.isRinging) return;
    // Transcripts are of what the caller said before: the STT gets nothing meanwhile.
    if (this.#hold.isHeld && (event.kind === "dtmf" || event.kind === "typed")) return;
    if (event.kind === "dtmf") this.#onDtmf(event.digit);
    else if (event.kind === "typed") this.#onWords(event);
    else this.#onTranscript(event);
  }

  #onTranscript(event: Extract<CallEvent, { kind: "stt-interim" | "stt-final" }>): void {
    const { kind, text: transcript, language, endOfTurn } = event;
    const final = kind === "stt-final";
    if (final) this.#recordingPauses.final();
    const { text, echo } = this.#withoutEcho(transcript, final);
    const isEcho = echo !== "" && text === "";
    if (!isEcho) {
      this.#conversation.onTranscript(text, final, this.#nowMs);
      this.#callerSpeech.transcript(text, final, endOfTurn, this.#nowMs);
    }
    if (final && isLanguageReliable(text)) this.#onLanguage(language);
    this.#onWords({ kind: "words", text, final, ...(isEcho && { isEcho }) });
    if (!final || echo === "" || this.#ended) return;
    const { lastSpeechMs, speechStartMs } = this.#segmenter;
    const startMs = Number.isNaN(speechStartMs) ? this.#nowMs : speechStartMs;
    const endMs = Number.isNaN(lastSpeechMs) ? this.#nowMs : lastSpeechMs;
    this.#sink({ kind: "ignore", text: echo, startMs: roundedMs(startMs), endMs: roundedMs(endMs), reason: "echo" });
  }

  #withoutEcho(text: string, final: boolean): WithoutEcho {
    const { echoWindowMs, steadyNoiseMs } = this.#parameters;
    if (echoWindowMs === 0) return { text, echo: "" };
    const played = this.#agentSide.playedWords(echoWindowMs, this.#nowMs);
    const { turn, language } = this.#turnTaking;
    const isSpeaking = turn.caller.at === "speaking" && this.#nowMs < addMs(turn.caller.lastWordMs, steadyNoiseMs);
    return this.#echoDetector.withoutEcho({ text, final }, { played, language, isSpeaking, nowMs: this.#nowMs });
  }

  #onWords(event: Extract<TurnEvent, { text: string }>): void {
    if (this.#interimRequests.hasNewWords(event, this.#turnTaking.turn.caller))
      this.#inactivity.callerActive(this.#nowMs);
    else this.#interimRequests.wordless(this.#nowMs);
    this.#turnTaking.stepWithWords(event, this.#nowMs);
  }

  #onDtmf(digit: string): void {
    this.#inactivity.callerActive(this.#nowMs);
    this.#step({ kind: "dtmf" });
    // The reply that it could no longer interrupt may have been the agent's goodbye, which ends the call.
    if (this.#ended) return;
    const entry = this.#dtmfEntry.press(digit, this.#nowMs);
    if (entry !== undefined) this.#step(dtmfAsTyped(entry));
  }

  /** The call switches to the language that the STT detects. */
  #onLanguage(language: string | undefined): void {
    if (language === undefined || this.#spec.languagePinned || isSameLanguage(language, this.#turnTaking.language))
      return;
    this.#switchLanguage(language, "detected");
  }

  #switchLanguage(language: string, reason: "detected" | "tool"): void {
    // Back in the original language, its regional variant is used again: de-AT, not de.
    const chosen = isSameLanguage(language, this.#spec.language) ? this.#spec.language : language;
    if (chosen === this.#turnTaking.language) return;
    this.#turnTaking.language = chosen;
    this.#agentSide.language = chosen;
    this.#sink({ kind: "language", language: chosen, reason });
  }

  #onTick(): void {
    if (this.#nowMs >= this.#deadlines.legStartMs) {
      this.#end("protocol_error");
      return;
    }
    if (this.#ending.reason !== undefined && this.#nowMs >= this.#ending.deadlineMs) {
      this.#end(this.#ending.reason);
      return;
    }
    if (this.#nowMs >= this.#deadlines.wordlessMs) {
      this.#end("inactivity");
      return;
    }
    if (this.#nowMs >= this.#segmenter.deadlineMs) this.#endSpeech();
    this.#agentSide.finishIfHeard(this.#nowMs);
    if (!this.#ended) this.#agentSide.checkWatchdog(this.#nowMs);
    if (!this.#ended && this.#nowMs >= this.#dtmfEntry.deadlineMs) this.#step(dtmfAsTyped(this.#dtmfEntry.take()));
    if (!this.#ended) this.#step({ kind: "tick" });
    if (!this.#ended && this.#nowMs >= this.#transfer.deadlineMs) this.#onTransferOver(this.#transfer.expired());
    if (!this.#ended && this.#nowMs >= this.#hold.deadlineMs) this.#endHold("expired");
    if (!this.#ended && this.#nowMs >= this.#deadlines.interimMs) this.#requestInterim();
    if (!this.#ended && this.#nowMs >= this.#deadlines.inactivityMs) this.#onInactivity();
  }

  /** Service phrases in the language of the call. */
  get #ownPhrases(): Phrases {
    return this.#phrases.in(this.#turnTaking.language);
  }

  #requestInterim(): void {
    this.#interimRequests.requested(this.#turnTaking.turn.agent, this.#nowMs);
    this.#sink({ kind: "request-interim" });
  }

  #onInactivity(): void {
    if (this.#inactivity.expired(this.#nowMs) === "end") this.#end("inactivity");
    // A reply that is still there after such a silence is stuck and may be dropped, whatever it is.
    else this.#replace(this.#ownPhrases.inactivity, "inactivity", "inactivity");
  }

  #onLlmDone(failed: boolean): void {
    this.#llmFailures = failed ? this.#llmFailures + 1 : 0;
    if (!failed) this.#ending.answered();
    else if (this.#llmFailures >= LLM_FAILURES_MAX) this.#end("provider_error");
    // What was already said remains in the transcript; the apology follows as a separate reply.
    else this.#replace(this.#ownPhrases.apology, "apology", "llm_failed");
  }

  /**
   * Cancels the current reply, if any, and says a service phrase. Not where the cancelled reply was already replaced by
   * another one, or ended the call.
   */
  #replace(text: string, speakReason: SpeakReason, cancelReason: CancelReason): void {
    this.#agentSide.cancel(cancelReason, 0, this.#nowMs);
    if (!this.#agentSide.busy && !this.#ended) this.#agentSide.say(text, speakReason, this.#nowMs);
  }

  #step(event: TurnEvent): void {
    this.#turnTaking.step(event, this.#nowMs);
  }

  /**
   * Ends the call, once, with one reason: commits what was heard and said until now, cancels the current reply, and
   * emits `end` last.
   */
  #end(reason: EndReason): void {
    assert.ok(!this.#ended, "a call ends once");
    this.#ended = true;
    this.#deadlines.end();
    this.#conversation.settle();
    this.#retrieval?.stop();
    this.#agentSide.stop(this.#nowMs);
    const unfinished = this.#unfinished();
    if (unfinished !== undefined) this.#conversation.addUtterance(unfinished);
    this.#conversation.settle();
    this.#sink({ kind: "end", reason });
  }

  /** What the caller was saying, and the digits of an unfinished DTMF entry. */
  #unfinished(): CallerUtterance | undefined {
    const entry = this.#dtmfEntry.take();
    const { caller } = this.#turnTaking.turn;
    return unansweredUtterance(
      entry === "" ? caller : stepCaller(caller, dtmfAsTyped(entry), this.#nowMs),
      this.#nowMs,
    );
  }
}
