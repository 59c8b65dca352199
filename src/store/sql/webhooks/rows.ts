import type { Selectable } from "kysely";
import type { EpochMs } from "../../../core/clocks.ts";
import type { CallId } from "../../../core/ids.ts";
import type { WebhookEventType } from "../../../core/webhook-events.ts";
import type { Delivery, DeliveryStatus, DisabledReason, Webhook, WebhookEvent } from "../../webhooks/webhook-store.ts";
import type { Tables } from "../tables.ts";

export const webhookOf = (row: Selectable<Tables["webhooks"]>, nowMs: EpochMs): Webhook => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  description: JSON.parse(row.description),
  eventTypes: JSON.parse(row.event_types),
  ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason as DisabledReason }),
  ...(row.failing_since !== null && { failingSinceMs: row.failing_since }),
  ...(row.previous_secret_until !== null &&
    row.previous_secret_until > nowMs && { previousSecretUntilMs: row.previous_secret_until }),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
});

export type DeliveryRow = Selectable<Tables["webhook_deliveries"]> & { type: string; call_id: CallId | null };

export const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  eventType: row.type as WebhookEventType,
  ...(row.call_id !== null && { callId: row.call_id }),
  status: row.status as DeliveryStatus,
  attempts: row.attempts,
  createdAtMs: row.created_at,
  ...(row.last_attempt_at !== null && { lastAttemptAtMs: row.last_attempt_at }),
  ...(row.next_attempt_at !== null && { nextAttemptAtMs: row.next_attempt_at }),
  ...(row.answer !== null && { answer: JSON.parse(row.answer) }),
  failedAttempts: JSON.parse(`[${row.failed_attempts ?? ""}]`),
});

export const eventOf = (row: Omit<Selectable<Tables["webhook_events"]>, "fact">): WebhookEvent => ({
  id: row.id,
  accountId: row.account_id,
  type: row.type as WebhookEventType,
  ...(row.call_id !== null && { callId: row.call_id }),
  ...(row.transcription_id !== null && { transcriptionId: row.transcription_id }),
  ...(row.document_id !== null && { documentId: row.document_id }),
  ...(row.data !== null && { data: JSON.parse(row.data) }),
  createdAtMs: row.created_at,
});
