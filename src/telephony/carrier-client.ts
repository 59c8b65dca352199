import type { CarrierAnswer, CarrierOperation, Exchange } from "../carriers/telephony.ts";
import type { CarrierType } from "../core/calls/spec.ts";

/** Sends requests to the carriers' APIs. */
export interface CarrierClient {
  /**
   * Sends the exchange's request once, and reads the answer. Never rejects: where no connection can be made the answer is `busy` with
   * `isUnreachable`, and where one is lost, or no complete answer comes within `timeoutMs`, it is `uncertain`.
   */
  send<Value>(
    carrier: CarrierType,
    exchange: Exchange<Value>,
    options?: { timeoutMs?: number },
  ): Promise<CarrierAnswer<Value>>;
}

/** What became of a request, in metrics: the kind of its answer, or that the carrier was not reached. */
export const CARRIER_OUTCOMES = ["done", "refused", "gone", "busy", "unreachable", "uncertain"] as const;
export type CarrierOutcome = (typeof CARRIER_OUTCOMES)[number];

/** The outcome of a request, for metrics. */
export const outcomeOf = (answer: CarrierAnswer<unknown>): CarrierOutcome =>
  answer.kind === "busy" && answer.isUnreachable === true ? "unreachable" : answer.kind;

/** Counts a request. */
export type CountCarrierRequest = (carrier: CarrierType, operation: CarrierOperation, outcome: CarrierOutcome) => void;
