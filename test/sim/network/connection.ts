import type { EndReason } from "../../../src/core/calls/reasons.ts";
import { SOCKET_PAYLOAD_BYTES_MAX } from "../../../src/core/limits/streams/connections.ts";
import type { Transport } from "../../../src/gateway/transport/transport.ts";
import type { Connection } from "../../support/calls/connection.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Fault } from "../plan/kinds.ts";
import type { Process } from "../process.ts";
import type { MessageKind, MessageKinds } from "./message-kinds.ts";
import { Path } from "./path.ts";

export interface SimulatedConnectionOptions {
  world: ManualClock;
  process: Process;
  fate: FaultPlan;
  kinds: MessageKinds;
  /** By which the far end calls its stream; undefined where the stream begins with its socket. */
  streamId(): string | undefined;
  /** A message of the service reaches the carrier: audio as bytes where the dialect has it so, and all else as text. */
  toCarrier(message: string | Uint8Array): void;
  /** The service's close reaches the carrier. */
  carrierClosed(): void;
  /** The service hands a message to its socket, which takes it or does not. */
  onSent(kind: MessageKind, taken: boolean): void;
  /** The service closes its socket. */
  onEnded(): void;
  /** Something reaches the service. */
  onInput(handle: () => void): void;
  /** Something reaches the service that must end the call, for this reason, before `handle` returns. */
  onFatal(reason: EndReason, handle: () => void): void;
}

/** Each repeated frame is audio that the caller never had time for; more of them are a flood. */
const REPEATED_MEDIA_MAX = 30;
/** A strange start comes within this time of the right one. */
const STRANGE_START_MS = 15_000;

/** What lies between the carrier and the service: the two ways of a network, and a carrier that does not always say what it should. */
export class SimulatedConnection implements Transport {
  readonly liveness = DEFAULT_LIVENESS;
  readonly bufferedBytes = 0;
  readonly in: Path;
  readonly out: Path;
  readonly #options: SimulatedConnectionOptions;
  readonly #fate: FaultPlan;
  readonly #bytes = Buffer.alloc(SOCKET_PAYLOAD_BYTES_MAX);
  #connection: Connection | undefined;
  #started = false;
  #clogged = false;
  #over = false;
  #isClean = true;
  /** A message of audio that waits for the next one to overtake it. */
  #held: string | Uint8Array | undefined;
  #repeated = 0;

  constructor(options: SimulatedConnectionOptions) {
    this.#options = options;
    this.#fate = options.fate;
    const { world, fate } = options;
    const { random } = fate;
    const jitterMs = fate.occurs("jitter") ? random.between(20, 400) : random.between(0, 10);
    this.in = new Path({ world, random: random.fork(), baseMs: random.between(1, 60), jitterMs });
    this.out = new Path({ world, random: random.fork(), baseMs: random.between(1, 60), jitterMs });
  }

  /** From here on somebody takes what comes. */
  open(connection: Connection): void {
    this.#connection = connection;
    if (this.#options.streamId() !== undefined) return;
    this.#started = true;
    connection.begin();
  }

  /** By which the far end calls its stream. */
  get streamId(): string | undefined {
    return this.#options.streamId();
  }

  /** Both ends have seen everything that the other one said, and how it closed. */
  get isClean(): boolean {
    return this.#isClean;
  }

  /** The service knows that the carrier's stream has begun. */
  get started(): boolean {
    return this.#started;
  }

  send(message: Uint8Array | string, isBinary = false): boolean {
    const kept =
      typeof message === "string" ? message : isBinary ? message.slice() : Buffer.from(message).toString("latin1");
    this.#options.onSent(this.#options.kinds.sent(message), !this.#clogged);
    if (!this.#clogged) this.out.send(() => this.#options.toCarrier(kept));
    return !this.#clogged;
  }

  /** The far end's library answers by itself, as long as anything reaches it and comes back. */
  ping(): void {
    if (this.#clogged) return;
    this.out.send(() => this.in.send(() => this.#arrive((connection) => connection.ponged())));
  }

  /** As uWebSockets.js has it: the service is notified of the close within the call that closes. */
  close(code: number): void {
    this.#options.onEnded();
    this.#over = true;
    this.out.send(() => this.#options.carrierClosed());
    this.#connection?.closed(code, false);
  }

  /** A message of the carrier's, with which anything may happen. */
  fromCarrier(message: string | Uint8Array): void {
    const kind = this.#options.kinds.received(message);
    if (kind === "media") this.#media(typeof message === "string" ? message : message.slice());
    else if (typeof message !== "string") this.pass(message);
    else if (kind === "start") this.#start(message);
    else if (kind === "mark") this.#mark(message);
    else if (kind === "stop") this.#stop(message);
    else this.pass(message);
  }

  /** A message of the carrier's as it stands. */
  pass(message: string | Uint8Array): void {
    this.in.send(() => this.#arrive((connection) => this.#take(connection, message)));
  }

  /** Messages that arrive at once and end the call. */
  passFatal(reason: EndReason, messages: readonly (string | Uint8Array)[]): void {
    this.in.send(() =>
      this.fail(reason, (connection) => {
        for (const message of messages) this.#take(connection, message);
      }),
    );
  }

  /** Something other than a message ends the call. */
  fail(reason: EndReason, how: (connection: Connection) => void): void {
    this.#arrive((connection) => this.#options.onFatal(reason, () => how(connection)));
  }

  /** The carrier closes the socket, after all that it has said. */
  hangUp(): void {
    this.in.send(() => this.#closed("caller_hangup", 1_000, false));
  }

  /** The carrier is gone without a word; the service learns of it when the socket is given up. */
  vanish(unknownForMs: number): void {
    this.#isClean = false;
    this.in.cut();
    this.out.cut();
    this.#options.world.after(unknownForMs, () => this.#closed("caller_hangup", 1_006, false));
  }

  /** The peer breaks the WebSocket protocol, and the library drops its socket. */
  breakProtocol(): void {
    this.#isClean = false;
    this.#closed("protocol_error", 1_006, true);
    this.#options.carrierClosed();
  }

  /** From now on the peer does not read: no message is taken. */
  clog(): void {
    this.#isClean = false;
    this.#clogged = true;
  }

  #closed(reason: EndReason, code: number, violated: boolean): void {
    this.fail(reason, (connection) => {
      this.#over = true;
      connection.closed(code, violated);
    });
  }

  #arrive(handle: (connection: Connection) => void): void {
    this.#options.process.input(() => {
      const connection = this.#connection;
      if (!this.#over && connection !== undefined) this.#options.onInput(() => handle(connection));
    });
  }

  /** The next message comes in the same bytes, as those of a socket may. */
  #take(connection: Connection, message: string | Uint8Array): void {
    const isBinary = typeof message !== "string";
    if (isBinary) this.#bytes.set(message);
    const length = isBinary ? message.length : this.#bytes.write(message);
    connection.message(this.#bytes.subarray(0, length), isBinary);
  }

  #start(text: string): void {
    if (this.#fate.occurs("no-start")) return;
    const { random } = this.#fate;
    const heldMs = this.#fate.occurs("media-before-start") ? random.between(100, 4_500) : 0;
    this.#after(heldMs, () => {
      this.pass(text);
      this.in.send(() => this.#arrive(() => this.#noteStarted()));
    });
    this.#strangeStart("second-start", heldMs, () => this.pass(text));
    const foreign = text.replaceAll(this.#options.streamId() ?? "", "somebody-else");
    this.#strangeStart("foreign-start", heldMs, () => this.passFatal("protocol_error", [foreign]));
  }

  #noteStarted(): void {
    this.#started = true;
  }

  #strangeStart(trouble: Fault, notBeforeMs: number, task: () => void): void {
    if (!this.#fate.has(trouble)) return;
    this.#after(notBeforeMs + this.#fate.random.between(1, STRANGE_START_MS), () => {
      this.#fate.chronicle.note(trouble);
      task();
    });
  }

  /** Before its start a stream cannot be stopped: then only the closed socket ends the call. */
  #stop(text: string): void {
    this.in.send(() =>
      this.#arrive((connection) => {
        const stop = (): void => this.#take(connection, text);
        if (this.#started) this.#options.onFatal("caller_hangup", stop);
        else stop();
      }),
    );
  }

  #media(message: string | Uint8Array): void {
    if (this.#fate.occurs("lost-media", 0.03)) return;
    if (this.#held === undefined && this.#fate.occurs("reordered-media", 0.03)) {
      this.#held = message;
      return;
    }
    this.pass(message);
    if (this.#held !== undefined) this.pass(this.#held);
    this.#held = undefined;
    // One message of a client's may be a second of audio, which is no frame too many but a flood.
    if (typeof message !== "string" || this.#repeated >= REPEATED_MEDIA_MAX) return;
    if (!this.#fate.occurs("duplicate-media", 0.03)) return;
    this.#repeated += 1;
    this.pass(message);
  }

  #mark(text: string): void {
    const { random } = this.#fate;
    if (this.#fate.occurs("lost-mark", 0.5)) return;
    this.#after(this.#fate.occurs("late-mark", 0.5) ? random.between(200, 4_000) : 0, () => this.pass(text));
    if (this.#fate.occurs("duplicate-mark", 0.5)) this.#after(random.between(1, 4_000), () => this.pass(text));
  }

  #after(delayMs: number, task: () => void): void {
    if (delayMs === 0) task();
    else this.#options.world.after(delayMs, task);
  }
}
