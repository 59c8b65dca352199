import type { Clock } from "../core/clock.ts";
import { addMs } from "../core/clocks.ts";
import { codeOf } from "../core/errors.ts";
import type { DeliveryId } from "../core/ids.ts";
import { DELIVERY_MS_MAX, DELIVERY_RETRY_DELAYS_MS } from "../core/limits/control-api/webhooks.ts";
import type { Logger } from "../core/log/logger.ts";
import { type JobContext, JobFailure, type JobHandler } from "../jobs/handler.ts";
import { plannedDelayMs } from "../jobs/retries.ts";
import type { ClaimedJob } from "../store/job-store.ts";
import type { DueDelivery, WebhookStore } from "../store/webhooks/webhook-store.ts";
import type { EventDocuments } from "./documents.ts";
import type { Sender, SentMessage } from "./sender.ts";

export interface DeliveryJobOptions {
  webhooks: Pick<WebhookStore, "abandon" | "due" | "recordAttempt">;
  documents: EventDocuments;
  sender: Sender;
  clock: Clock;
  log: Logger;
  /** An attempt is over. */
  onAttempt?: (outcome: "delivered" | "failed", tookMs: number) => void;
  onDisabled?: (reason: string) => void;
}

/** Leaves the store time to record an attempt that took as long as it may. */
const RECORD_MS = 15_000;

/** Sends one delivery. Its result is stored before the job is settled, so a delivered one is not sent again. */
export class DeliveryJob implements JobHandler {
  readonly attemptMsMax = DELIVERY_MS_MAX + RECORD_MS;
  readonly retryDelaysMs = DELIVERY_RETRY_DELAYS_MS;
  readonly #options: DeliveryJobOptions;

  constructor(options: DeliveryJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, { signal }: JobContext): Promise<void> {
    const { webhooks, documents, sender } = this.#options;
    const { deliveryId } = job.payload as { deliveryId: DeliveryId };
    const due = await this.#due(deliveryId);
    if (due === "unsealable") {
      const answer = { excerpt: "the secret of the webhook cannot be opened", tookMs: 0 };
      return await this.#record(job, deliveryId, { isDelivered: false, isGone: false, answer });
    }
    if (due === undefined) {
      // Its webhook is disabled, maybe since just before the event was stored.
      await webhooks.abandon(deliveryId);
      return;
    }
    const body = await documents.bodyOf(due.event);
    if (body === undefined) {
      const answer = { excerpt: "what the event is about was deleted", tookMs: 0 };
      await webhooks.recordAttempt(deliveryId, { kind: "failed", answer, isGone: false });
      return;
    }
    const { webhook, event, secrets } = due;
    const sent = await sender.send({ url: webhook.url, eventId: event.id, body, secrets }, signal);
    // The service stops, or another runner has the job: the attempt does not count.
    if (signal.aborted) throw new Error("the attempt was aborted");
    await this.#record(job, deliveryId, sent);
  }

  async #due(id: DeliveryId): Promise<DueDelivery | "unsealable" | undefined> {
    try {
      return await this.#options.webhooks.due(id);
    } catch (error) {
      if (codeOf(error) === "unsealable") return "unsealable";
      throw error;
    }
  }

  async #record(job: ClaimedJob, deliveryId: DeliveryId, sent: SentMessage): Promise<void> {
    const { webhooks, clock, log, onAttempt, onDisabled } = this.#options;
    const { isDelivered, isGone, retryAfterMs = 0, answer } = sent;
    onAttempt?.(isDelivered ? "delivered" : "failed", answer.tookMs);
    if (isDelivered) {
      await webhooks.recordAttempt(deliveryId, { kind: "delivered", answer });
      return;
    }
    const plannedMs = isGone ? undefined : plannedDelayMs(job, this, Math.random());
    const delayMs = plannedMs === undefined ? undefined : Math.max(plannedMs, retryAfterMs);
    const nextAttemptAtMs = delayMs === undefined ? undefined : addMs(clock.epochMs(), Math.round(delayMs));
    const disabled = await webhooks.recordAttempt(deliveryId, { kind: "failed", answer, nextAttemptAtMs, isGone });
    if (disabled !== undefined) {
      log.warn({ webhookId: job.lane, reason: disabled }, "webhook disabled: its endpoint fails or is gone");
      onDisabled?.(disabled);
    }
    // The delivery has the outcome; no job is dead for an endpoint that fails.
    if (delayMs === undefined || disabled !== undefined) return;
    throw new JobFailure(`status ${answer.status ?? "none"}`, { afterMs: delayMs });
  }
}
