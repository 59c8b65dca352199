import type { ListenAnswer } from "../../core/calls/listening.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import {
  LISTEN_ADDRESS_MS,
  LISTENERS_PER_CALL_MAX,
  LISTENERS_PER_WORKER_MAX,
} from "../../core/limits/calls/listening.ts";
import type { Logger } from "../../core/log/logger.ts";
import { LISTENER_ENDS, type ListenerEnd } from "../../core/metrics/labels.ts";
import type { ListeningReadings } from "../../core/metrics/worker-readings.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { JournaledLeg } from "../../record/journal/records.ts";
import { CLOSE_INTERNAL_ERROR, CLOSE_NORMAL, CLOSE_POLICY_VIOLATION } from "../transport/close-codes.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import { ListenAddresses, type ListenAddressesOptions } from "./addresses.ts";
import { CallListeners, type CallTap } from "./call-listeners.ts";

/** A call that can be listened to. */
export interface ListenedCall {
  readonly callId: CallId;
  readonly format: JournaledLeg;
  readonly isOver: boolean;
  readonly log: Logger;
  /** What gets the call's audio from now on. */
  setTap(tap: CallTap | undefined): void;
}

export interface ListeningOptions extends Omit<ListenAddressesOptions, "clock"> {
  makeResampler: ResamplerFactory;
  clock: Pick<Clock, "nowMs">;
}

const NO_LISTENER: TransportListener = { message: () => {}, pinged: () => {}, ponged: () => {}, closed: () => {} };

/** Who listens to the calls of this process. */
export class Listening {
  readonly addresses: ListenAddresses;
  readonly #options: ListeningOptions;
  readonly #calls = new Map<CallId, CallListeners>();
  readonly #ended = Object.fromEntries(LISTENER_ENDS.map((end) => [end, 0])) as Record<ListenerEnd, number>;
  #count = 0;
  #framesDropped = 0;

  constructor(options: ListeningOptions) {
    this.#options = options;
    this.addresses = new ListenAddresses(options);
  }

  /** The connections that listen. */
  get count(): number {
    return this.#count;
  }

  readings(): ListeningReadings {
    return { listeners: this.#count, ended: this.#ended, framesDropped: this.#framesDropped };
  }

  /** A new single-use address for a call. */
  address(call: ListenedCall): ListenAnswer {
    if (call.isOver) return { kind: "refused", reason: "not_live" };
    if (this.#isFull(call.callId)) return { kind: "refused", reason: "too_many_listeners" };
    const url = this.addresses.issue(call.callId);
    return url === undefined
      ? { kind: "refused", reason: "unavailable" }
      : { kind: "address", url, validMs: LISTEN_ADDRESS_MS };
  }

  /** The connection of a client whose address is used up. Never throws. */
  connect(call: ListenedCall, transport: Transport): TransportListener {
    if (call.isOver) return refused(transport, CLOSE_NORMAL, "call_ended");
    if (this.#isFull(call.callId)) return refused(transport, CLOSE_POLICY_VIOLATION, "too_many_listeners");
    try {
      const listeners = this.#calls.get(call.callId) ?? this.#open(call);
      this.#count += 1;
      call.log.info({ listeners: listeners.count + 1 }, "listener connected");
      return listeners.add(transport);
    } catch (error) {
      call.log.error({ err: error, code: codeOf(error) }, "call cannot be listened to");
      return refused(transport, CLOSE_INTERNAL_ERROR, "internal_error");
    }
  }

  #isFull(callId: CallId): boolean {
    const ofCall = this.#calls.get(callId)?.count ?? 0;
    return ofCall >= LISTENERS_PER_CALL_MAX || this.#count >= LISTENERS_PER_WORKER_MAX;
  }

  #open(call: ListenedCall): CallListeners {
    const { callId, format } = call;
    const listeners = new CallListeners({
      callId,
      format,
      makeResampler: this.#options.makeResampler,
      onEnded: (end) => {
        this.#count -= 1;
        this.#ended[end] += 1;
        call.log.info({ reason: end }, "listener disconnected");
      },
      onEmpty: (framesDropped) => {
        this.#framesDropped += framesDropped;
        this.#calls.delete(callId);
        call.setTap(undefined);
      },
    });
    this.#calls.set(callId, listeners);
    call.setTap(listeners);
    return listeners;
  }
}

function refused(transport: Transport, code: number, reason: string): TransportListener {
  transport.close(code, reason);
  return NO_LISTENER;
}
