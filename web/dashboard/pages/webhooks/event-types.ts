import type { Schema } from "../../../client/src/index.ts";

export type WebhookEventType = Schema<"Webhook">["eventTypes"][number];

/** When each event is sent. As an object, so that the compiler finds one that is missing when the API has another. */
export const WEBHOOK_EVENTS: Readonly<Record<WebhookEventType, string>> = {
  "call.created": "A call waits for its media stream.",
  "call.started": "The media stream of a call has connected.",
  "call.ended": "A call is over: with its record, transcript, tool runs, cost and analysis.",
  "call.expired": "The media stream of a call did not connect in time.",
  "recording.ready": "The recording of a call can be downloaded.",
  "tool.failed": "A tool of a call has failed; sent when the call is over.",
  "transcription.completed": "A transcription is complete: with its text.",
  "transcription.failed": "A transcription has failed, and why.",
  "document.ready": "A document of a corpus is processed.",
  "document.failed": "A document of a corpus could not be processed, and why.",
  "webhook.disabled": "Another webhook of the account was disabled.",
};

export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as readonly WebhookEventType[];
