/** The types of events that webhooks deliver, each with its meaning, in Markdown. */
export const WEBHOOK_EVENT_MEANINGS = {
  "call.created": "a call was created and waits for its media stream",
  "call.started": "the media stream of a call has connected",
  "call.ended": "a call is over, and its record and transcript are complete; the event has all of it",
  "call.expired": "a call was created, and its media stream did not connect in time",
  "recording.ready": "the recording of a call can be downloaded",
  "tool.failed": "a tool of a call has failed; sent when the call is over, at most 20 a call",
  "transcription.completed": "a transcription is complete; the event has its text",
  "transcription.failed": "a transcription has failed; the event says why",
  "document.ready": "a document of a corpus is processed: its text is found from now on",
  "document.failed": "a document of a corpus could not be processed; the event says why",
  "webhook.disabled":
    "another webhook of the account was disabled, because its endpoint fails or is gone, or its secret was lost",
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENT_MEANINGS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENT_MEANINGS) as [WebhookEventType, ...WebhookEventType[]];
