import type { CarrierAnswer, CarrierNotice, FoundCall } from "../../../src/carriers/telephony.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import { TRANSFER_TRIES_MAX } from "../../../src/core/limits/phone/phone-calls.ts";
import {
  type CarrierCommand,
  isCarrierCommand,
  type PhoneCallCommand,
} from "../../../src/telephony/machine/commands.ts";
import type { PhoneCallEvent } from "../../../src/telephony/machine/events.ts";
import { dueMs, inboundCall, outboundCall, type PhoneCallState } from "../../../src/telephony/machine/state.ts";
import { isWanted, step } from "../../../src/telephony/machine/step.ts";
import { Carrier, type Document, type ServiceEnd } from "./carrier.ts";
import { StreamTokens } from "./tokens.ts";
import { Worker } from "./worker.ts";
import type { World } from "./world.ts";

const RING_MS_MAX = 30_000;
/** How long after its start the service handles no deadlines. */
const RESTART_MS = 3_000;

interface Job {
  number: number;
  command: CarrierCommand;
  attempts: number;
}

/** What survives the process: the machine's state, the jobs, the tokens and the record. */
interface Stored {
  state: PhoneCallState | undefined;
  jobs: Job[];
  tokens: StreamTokens;
  record: { isActive: boolean; reason?: EndReason };
}

/** The control process around the machine: it stores each step, carries out the commands, and dies between any two of them. */
export class Service implements ServiceEnd {
  readonly #world: World;
  readonly carrier: Carrier;
  readonly worker: Worker;
  readonly stored: Stored;
  /** In memory: lost with the process. */
  hasSlot = false;
  isAlive = true;
  #process = 1;
  #jobCount = 0;
  /** What the service may know, for the oracle. */
  readonly known: {
    isDialAnswered: boolean;
    isUnplaced: boolean;
    hangUpS?: number;
    learnedS?: number;
    transferredS?: number;
  } = {
    isDialAnswered: false,
    isUnplaced: false,
  };

  constructor(world: World) {
    this.#world = world;
    this.stored = { state: undefined, jobs: [], tokens: new StreamTokens(world), record: { isActive: false } };
    this.carrier = new Carrier(world, this);
    this.worker = new Worker(world, this);
    this.carrier.onBridgedCut = () => {
      if (this.known.transferredS === undefined || this.known.hangUpS !== undefined) return;
      world.violated("a caller with the target of a transfer stays there", "hung up");
    };
  }

  start(): void {
    if (this.#world.direction === "outbound") {
      this.stored.state = outboundCall({ ringMsMax: RING_MS_MAX, ...this.#ways }, this.#world.nowMs);
      this.#schedule();
    } else this.carrier.comesIn();
  }

  get #ways() {
    const { takesDocuments, waitsForStreamEnd } = this.#world;
    return { takesDocuments, waitsForStreamEnd };
  }

  get state(): PhoneCallState | undefined {
    return this.stored.state;
  }

  /** Handles an event if the process lives; `answer` gets the document for a webhook. */
  handle(event: PhoneCallEvent, answer?: (document: Document | undefined) => void): void {
    const world = this.#world;
    const { state } = this.stored;
    if (!this.isAlive || state === undefined) {
      answer?.(undefined);
      return;
    }
    if (this.#crashes("before a step")) return;
    const before = state;
    const result = step(state, event, world.nowMs);
    world.note(
      `${event.kind === "notice" ? `notice ${event.notice.kind}` : event.kind}: ${before.phase.at} -> ${result.state.phase.at}` +
        `${result.commands.length === 0 ? "" : `; ${result.commands.map(textOf).join(", ")}`}`,
    );
    this.#checkMoves(before, result.state);
    this.#commit(result.state, result.commands);
    if (event.kind === "dial-answered") this.known.isDialAnswered = event.answer.kind !== "uncertain";
    if (event.kind === "hang-up-requested" && this.known.hangUpS === undefined) this.known.hangUpS = world.seconds;
    if (this.#crashes("after a step")) {
      answer?.(undefined);
      return;
    }
    this.#schedule();
    const document = this.#carryOut(result.commands);
    if (document === "unavailable") {
      answer?.(undefined);
      return;
    }
    if (event.kind === "notice" && event.notice.kind === "transfer") this.#checkReturn(event.notice.outcome, document);
    answer?.(document ?? { kind: "none" });
  }

  /** The caller of a transfer that led to nothing waits for a document, and comes back by it. */
  #checkReturn(outcome: string, document: Document | undefined): void {
    const call = this.carrier.calls.at(-1);
    if (outcome === "answered" || outcome === "completed" || call?.line !== "document" || call.isOver) return;
    const isHeard = document?.kind === "stream" || document?.kind === "refuse";
    if (isHeard || !this.isAlive || !this.stored.record.isActive || this.known.hangUpS !== undefined) return;
    if (this.stored.state?.phase.at === "ending") return;
    this.#world.violated("no caller is lost", "a failed transfer is answered without a stream");
  }

  #checkMoves(before: PhoneCallState, after: PhoneCallState): void {
    if (before.phase.at === "over" && after.phase.at !== "over") {
      this.#world.violated("a call that is over stays over", after.phase.at);
    }
  }

  /** One transaction. */
  #commit(state: PhoneCallState, commands: readonly PhoneCallCommand[]): void {
    const { stored } = this;
    for (const command of commands) {
      if (isCarrierCommand(command)) {
        this.#jobCount += 1;
        stored.jobs.push({ number: this.#jobCount, command, attempts: 0 });
      }
      if (command.kind === "connect") {
        stored.tokens.ordered();
        if (state.phase.at !== "returning") this.#issueToken(state.connects);
      }
      if (command.kind !== "end-record" || stored.record.isActive || stored.record.reason !== undefined) continue;
      stored.record.reason = command.reason;
    }
    stored.state = JSON.parse(JSON.stringify(state));
    if (state.carrierCallId !== undefined) this.known.learnedS ??= this.#world.seconds;
    if (state.phase.at === "ending" && state.phase.isBridged) this.known.transferredS ??= this.#world.seconds;
  }

  #issueToken(connect: number): void {
    const world = this.#world;
    const call = this.carrier.calls.at(-1);
    const { tokens, record } = this.stored;
    if (world.direction === "outbound" && call?.isAnswered !== true) {
      world.violated("no token exists before the answer", `at ${world.seconds} s`);
    }
    if (this.stored.state?.isRecordOver === true)
      world.violated("a call that is over gets no token", record.reason ?? "");
    if (this.known.hangUpS !== undefined) world.violated("a hang-up is obeyed", "a token after it");
    if (this.worker.isAttached) world.violated("a caller returns once", "a token while a stream is connected");
    tokens.issue(connect);
  }
  #isSending = false;

  /** Carries out what is done at once; returns the answer to the webhook, which the carrier repeats where it is `unavailable`. */
  #carryOut(commands: readonly PhoneCallCommand[]): Document | "unavailable" | undefined {
    const world = this.#world;
    const process = this.#process;
    let document: Document | "unavailable" | undefined;
    for (const command of commands) {
      if (this.#process !== process) return undefined;
      if (isCarrierCommand(command)) {
        const job = this.stored.jobs.find((stored) => stored.command === command);
        if (job !== undefined) this.#runLater(job, world.between(1, 60));
        continue;
      }
      switch (command.kind) {
        case "connect":
        case "repeat-connect":
          document = this.#streamDocument() ?? "unavailable";
          break;
        case "transfer-by-document":
          document = { kind: "transfer", transfer: this.stored.state?.transfers ?? 0 };
          break;
        case "refuse":
          document = { kind: "refuse" };
          break;
        case "hang-up-by-document":
          document = { kind: "hang_up" };
          break;
        default:
          if (this.#crashes(`before ${command.kind}`)) return undefined;
          this.#transient(command);
      }
    }
    return document;
  }

  /** Undefined where the worker of a call whose caller comes back is not connected: it makes the address. */
  #streamDocument(): Document | undefined {
    const { phase, connects = 0 } = this.stored.state ?? {};
    const { tokens } = this.stored;
    if (phase?.at === "returning" && !tokens.has(connects)) {
      if (!this.worker.isConnected) return undefined;
      this.#issueToken(connects);
    }
    const token = tokens.valid;
    return token === undefined ? { kind: "none" } : { kind: "stream", token, connect: connects };
  }

  #transient(command: PhoneCallCommand): void {
    const world = this.#world;
    switch (command.kind) {
      case "reserve-slot": {
        const isGranted = this.hasSlot || !world.chance(world.faults.slotRefused);
        if (isGranted) this.hasSlot = true;
        this.#later(world.chance(0.1) ? 300 : 0, () =>
          this.handle(isGranted ? { kind: "slot-granted" } : { kind: "slot-refused" }),
        );
        return;
      }
      case "release-slot":
        this.hasSlot = false;
        return;
      case "send-dial": {
        const { attempt } = command;
        this.#isSending = true;
        if (!this.hasSlot) world.violated("a call is dialled in its slot", "no slot");
        this.carrier.request(
          () => this.carrier.dial(RING_MS_MAX),
          (answer) =>
            this.#later(0, () => {
              this.handle({ kind: "dial-answered", attempt, answer });
              const job = this.stored.jobs.find((stored) => stored.command.kind === "dial");
              if (job !== undefined) this.#settle(job);
            }),
        );
        return;
      }
      case "inform":
        this.#inform(command);
        return;
      case "check-record": {
        const { reason, isActive } = this.stored.record;
        if (reason !== undefined || (!isActive && this.worker.hasBegun)) {
          this.#later(0, () => this.handle({ kind: "record-ended", reason: reason ?? "worker_lost" }));
        } else this.#later(0, () => this.handle({ kind: "record-checked", isActive }));
        return;
      }
      default:
    }
  }

  #inform({ update, transfer }: Extract<PhoneCallCommand, { kind: "inform" }>): void {
    const isInformed = !this.#world.chance(this.#world.faults.informLost) && this.worker.hear(update);
    if (transfer !== undefined) this.#later(5, () => this.handle({ kind: "worker-informed", transfer, isInformed }));
  }

  /** Runs in this process, if it still lives then. */
  #later(delayMs: number, run: () => void): void {
    const process = this.#process;
    this.#world.after(delayMs, () => {
      if (this.#process === process && this.isAlive) run();
    });
  }

  #runLater(job: Job, delayMs: number): void {
    this.#later(delayMs, () => this.#run(job));
    if (this.#world.chance(this.#world.faults.jobTwice))
      this.#later(delayMs + this.#world.between(4_000, 9_000), () => this.#run(job));
  }

  #run(job: Job): void {
    const { state, jobs } = this.stored;
    if (state === undefined || !jobs.includes(job)) return;
    const { command } = job;
    if (!isWanted(state, command, this.#world.nowMs)) {
      this.#settle(job);
      return;
    }
    const id = state.carrierCallId ?? "";
    switch (command.kind) {
      case "dial":
        this.known.isDialAnswered = false;
        this.#isSending = false;
        this.handle({ kind: "dial-due", attempt: command.attempt });
        // Otherwise the job lasts until the answer.
        if (!this.#isSending) this.#settle(job);
        return;
      case "find-calls":
        this.carrier.request<{ calls: readonly FoundCall[]; isComplete: boolean }>(
          () => ({ kind: "done", value: { calls: this.carrier.list(), isComplete: this.#world.chance(0.9) } }),
          (answer) => {
            // What the last answer shows.
            this.known.isUnplaced =
              answer.kind === "done" && answer.value.isComplete && answer.value.calls.length === 0;
            this.#report(job, { kind: "calls-found", ask: command.ask, answer });
          },
        );
        return;
      case "connect": {
        const document = this.#streamDocument();
        // Its stream is connected, whatever the answers to earlier attempts were.
        if (document === undefined || document.kind === "none") this.#settle(job);
        else {
          this.#attempt(
            job,
            3,
            () => this.carrier.connect(id, document, command.connect),
            (answer) => ({
              kind: "connect-answered",
              connect: command.connect,
              answer,
            }),
          );
        }
        return;
      }
      case "refuse":
        if (this.worker.isAttached) this.#world.violated("a caller with a stream keeps it", "a refusal instead");
        this.#attempt(job, 3, () => this.carrier.connect(id, { kind: "refuse" }));
        return;
      case "transfer":
        this.#attempt(
          job,
          this.#world.waitsForStreamEnd ? TRANSFER_TRIES_MAX : 1,
          () => this.carrier.transfer(id, command.transfer),
          (answer) => ({
            kind: "transfer-answered",
            transfer: command.transfer,
            answer,
          }),
        );
        return;
      case "hang-up":
        this.#attempt(job, 12, () => this.carrier.hangUp(command.carrierCallId));
        return;
      case "read-price":
        this.#report(job, { kind: "price-read", answer: { kind: "done", value: { amount: 0.01, currency: "USD" } } });
    }
  }

  #attempt(
    job: Job,
    attemptsMax: number,
    work: () => CarrierAnswer<undefined>,
    eventOf?: (answer: CarrierAnswer<undefined>) => PhoneCallEvent,
  ): void {
    job.attempts += 1;
    this.carrier.request(work, (answer) => {
      const isRepeated = answer.kind === "uncertain" || (answer.kind === "busy" && job.command.kind !== "transfer");
      if (isRepeated && job.attempts < attemptsMax) {
        this.#runLater(job, 1_000 * 2 ** Math.min(job.attempts, 5));
        return;
      }
      this.#report(job, eventOf?.(answer));
    });
  }

  #report(job: Job, event: PhoneCallEvent | undefined): void {
    this.#later(0, () => {
      if (event !== undefined) this.handle(event);
      if (this.isAlive) this.#settle(job);
    });
  }

  #settle(job: Job): void {
    const { jobs } = this.stored;
    const index = jobs.indexOf(job);
    if (this.isAlive && index >= 0) jobs.splice(index, 1);
  }

  /** The machine is due at some time. */
  #schedule(): void {
    const { state } = this.stored;
    const due = state && dueMs(state);
    if (due === undefined) return;
    const delayMs = millisecondsOf(due) - millisecondsOf(this.#world.nowMs);
    this.#later(Math.max(delayMs, 1), () => {
      const latest = this.stored.state && dueMs(this.stored.state);
      if (latest !== undefined && millisecondsOf(latest) <= millisecondsOf(this.#world.nowMs))
        this.handle({ kind: "tick" });
    });
  }

  #crashes(where: string): boolean {
    const world = this.#world;
    if (!this.isAlive || !world.chance(world.faults.crash)) return !this.isAlive;
    world.note(`the process dies ${where}`);
    this.isAlive = false;
    this.#process += 1;
    this.hasSlot = false;
    this.worker.isConnected = false;
    world.after(world.between(500, 15_000), () => this.#restart());
    return true;
  }

  #restart(): void {
    this.isAlive = true;
    this.#process += 1;
    this.#world.note("the process starts again");
    this.hasSlot = this.stored.state?.hasSlot ?? false;
    for (const job of this.stored.jobs) this.#runLater(job, this.#world.between(1_000, 60_000));
    // Workers report first.
    this.#later(RESTART_MS, () => this.#schedule());
    // A busy worker needs longer to connect again.
    if (this.#world.chance(0.3)) this.#later(this.#world.between(1_000, 20_000), () => this.worker.connect());
    else this.worker.connect();
  }

  webhook(notice: CarrierNotice, transfer: number | undefined, answer: (document: Document | undefined) => void): void {
    if (!this.isAlive) {
      answer(undefined);
      return;
    }
    if (this.stored.state === undefined && notice.kind === "incoming") {
      const options = { ringMsMax: RING_MS_MAX, ...this.#ways };
      this.stored.state = inboundCall(options, notice.carrierCallId, this.#world.nowMs);
    }
    const isAdmitted = this.stored.state?.phase.at === "ringing" && notice.kind === "incoming";
    if (!isAdmitted || !this.#world.takesDocuments) {
      this.handle({ kind: "notice", notice, ...(transfer !== undefined && { transfer }) }, answer);
      return;
    }
    // The slot is decided before the webhook is answered.
    const isGranted = !this.#world.chance(this.#world.faults.slotRefused);
    this.hasSlot ||= isGranted;
    this.handle(isGranted ? { kind: "slot-granted" } : { kind: "slot-refused" }, answer);
  }

  streamOver(connect: number, answer: (document: Document | undefined) => void): void {
    const { isActive, reason } = this.stored.record;
    this.handle({ kind: "stream-over", connect, hasConnected: isActive || reason !== undefined }, (document) => {
      this.#checkFollows(document);
      answer(document);
    });
  }

  /** The caller of a call that is not over waits for a document, and is not hung up by it. */
  #checkFollows(document: Document | undefined): void {
    const call = this.carrier.calls.at(-1);
    if (document === undefined || call?.line !== "document" || call.isOver) return;
    const isHeard = document.kind !== "hang_up" && document.kind !== "none";
    if (isHeard || this.stored.record.reason !== undefined || this.known.hangUpS !== undefined) return;
    if (this.stored.state?.phase.at === "ending") return;
    this.#world.violated("no caller is lost", "nothing follows a stream");
  }

  streamFailed(): void {
    this.stored.tokens.streamFailed();
  }

  attach(token: string): boolean {
    const { tokens, record } = this.stored;
    if (record.reason !== undefined || !tokens.redeem(token)) return false;
    record.isActive = true;
    this.worker.attach();
    return true;
  }

  detach(): void {
    this.worker.detach();
    const call = this.carrier.calls.at(-1);
    if (call?.line !== "target" || this.stored.record.reason !== "caller_hangup") return;
    this.#world.violated("a transfer does not end the call", "the worker did not know of it");
  }

  /** The worker has waited for the caller as long as it may. */
  callerGivenUp(): void {
    const { crash, requestLost, answerLost, answer500, busy, slotRefused } = this.#world.faults;
    const isHard = crash + requestLost + answerLost + answer500 + busy + slotRefused > 0;
    const line = this.carrier.calls.at(-1)?.line;
    if (!isHard && line === "silence") this.#world.violated("no caller is lost", "the worker has waited in vain");
  }

  /** The worker has ended the call. */
  recordEnds(reason: EndReason): void {
    const { record } = this.stored;
    record.isActive = false;
    record.reason ??= reason;
    this.hasSlot = false;
  }
}

const textOf = (command: PhoneCallCommand): string =>
  command.kind === "inform"
    ? `inform ${command.update.kind}`
    : "by" in command
      ? `${command.kind} by ${command.by}`
      : command.kind;
