import type { Registry } from "prom-client";
import { counter, gauge, histogram } from "./instruments.ts";

/**
 * What becomes of a request to another node: it was `answered`; the node could not do it (`failed`) or did not answer in time
 * (`unreachable`); the database did not take it (`unavailable`); or too many wait (`refused`).
 */
export const REQUEST_OUTCOMES = ["answered", "failed", "unreachable", "unavailable", "refused"] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

/** What becomes of a request of another node here. */
export const HANDLING_OUTCOMES = ["handled", "failed"] as const;

/** What becomes of an announcement: too many waited (`dropped`), the database did not take it (`failed`), or it cannot be opened (`unreadable`). */
export const ANNOUNCEMENT_OUTCOMES = ["sent", "dropped", "failed", "received", "unreadable"] as const;

const REQUEST_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** The messages between the nodes of a cluster. Registered where there is one. */
export class NodeMessageMetrics {
  readonly #requests;
  readonly #requestTime;
  readonly #handled;
  readonly #announcements;
  readonly #listening;
  readonly #losses;

  /** `kinds`: of requests. */
  constructor(registry: Registry, kinds: readonly string[]) {
    this.#requests = counter(
      registry,
      "node_requests_total",
      "Requests to other nodes of the cluster. `failed`: the node could not do it. `unreachable`: it did not answer in time. `unavailable`: the database did not take the request. `refused`: too many wait.",
      ["kind", "outcome"],
    );
    this.#requestTime = histogram(
      registry,
      "node_request_duration_seconds",
      "From a request to another node to its answer, or to the end of the wait for it.",
      ["kind"],
      REQUEST_BUCKETS_S,
    );
    this.#handled = counter(
      registry,
      "node_requests_handled_total",
      "Requests of other nodes of the cluster, which were handled here or could not be.",
      ["kind", "outcome"],
    );
    this.#announcements = counter(
      registry,
      "node_announcements_total",
      "What was said to all nodes of the cluster. `dropped`: too much waited to be sent. `failed`: the database did not take it. `unreadable`: it came from a node with another SECRETS_KEY.",
      ["outcome"],
    );
    this.#listening = gauge(
      registry,
      "node_listening",
      "1 while the node is notified of messages of other nodes; otherwise it looks for them once a second.",
    );
    this.#losses = counter(
      registry,
      "node_listening_losses_total",
      "How often the connection was lost by which the node is notified of messages.",
    );
    for (const kind of kinds) {
      for (const outcome of REQUEST_OUTCOMES) this.#requests.inc({ kind, outcome }, 0);
      for (const outcome of HANDLING_OUTCOMES) this.#handled.inc({ kind, outcome }, 0);
      this.#requestTime.zero({ kind });
    }
    for (const outcome of ANNOUNCEMENT_OUTCOMES) this.#announcements.inc({ outcome }, 0);
  }

  /** A request to another node is over. */
  requestSettled(kind: string, outcome: RequestOutcome, tookMs: number): void {
    this.#requests.inc({ kind, outcome });
    this.#requestTime.observe({ kind }, tookMs / 1_000);
  }

  /** A request of another node was handled here; `unknown` where this version has no such kind. */
  requestHandled(kind: string, outcome: (typeof HANDLING_OUTCOMES)[number]): void {
    this.#handled.inc({ kind, outcome });
  }

  announced(outcome: (typeof ANNOUNCEMENT_OUTCOMES)[number]): void {
    this.#announcements.inc({ outcome });
  }

  listening(isListening: boolean): void {
    this.#listening.set(Number(isListening));
    if (!isListening) this.#losses.inc();
  }
}
