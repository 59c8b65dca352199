import type { Schema } from "../../../client/src/index.ts";
import type { Tone } from "../../ui/tone.ts";

export type Webhook = Schema<"Webhook">;
export type Delivery = Schema<"WebhookDelivery">;

type Reason = NonNullable<Webhook["disabledReason"]>;

/** A state in words, how it is marked, and what to do about it where something is wrong. */
export interface WebhookState {
  text: string;
  tone: Tone;
  /** A sentence or two. */
  advice?: string;
}

const DISABLED: Readonly<Record<Reason, WebhookState>> = {
  client: {
    text: "disabled",
    tone: "neutral",
    advice: "It was disabled by a person or a program, and gets no events.",
  },
  gone: {
    text: "disabled: gone",
    tone: "bad",
    advice: "The endpoint answered 410, which says that it wants no more events. Enable it when it is there again.",
  },
  failing: {
    text: "disabled: failing",
    tone: "bad",
    advice:
      "No attempt has succeeded for five days. Mend the endpoint, enable the webhook, and send again what has failed.",
  },
  secret_lost: {
    text: "disabled: secret lost",
    tone: "bad",
    advice:
      "The service has lost the key of its secret, and made another secret. Rotate the secret, give it to the endpoint, and then enable the webhook.",
  },
};

/** The state of a webhook. */
export function webhookStateOf({ disabledReason, failingSince }: Webhook): WebhookState {
  if (disabledReason !== null) return DISABLED[disabledReason];
  if (failingSince === null) return { text: "enabled", tone: "good" };
  return {
    text: "failing",
    tone: "warn",
    advice: "No attempt has succeeded since then. After five days the webhook is disabled.",
  };
}

const DELIVERY_TONES: Readonly<Record<Delivery["status"], Tone>> = {
  pending: "active",
  delivered: "good",
  failed: "bad",
};

/** The state of a delivery. */
export const deliveryStateOf = ({ status, attempts }: Pick<Delivery, "status" | "attempts">): WebhookState =>
  status === "pending" && attempts > 0
    ? { text: "waits for a retry", tone: "warn" }
    : { text: status, tone: DELIVERY_TONES[status] };

/** What the endpoint answered, in a few words. */
export function answerText(answer: Delivery["answer"]): string {
  if (answer === null) return "";
  return answer.status === null ? "no answer" : String(answer.status);
}
