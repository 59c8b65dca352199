// The kinds of the jobs that stores enqueue in their own transactions.

/** Renders the recording of a call; the payload is `{callId}`. */
export const RENDER_JOB = "recording.render";

/** Sends one delivery of a webhook; the payload is `{deliveryId}`. */
export const DELIVERY_JOB = "webhook.deliver";
