import { changed } from "../../../app/changed.ts";
import { numberOrNull, textOrNull } from "../../../app/form-values.ts";
import type { PhoneNumber } from "./states.ts";

/** What the form of a number has: texts as they stand in its fields. */
export interface NumberForm {
  name: string;
  /** Empty: no agent. */
  agentId: string;
  inboundWebhookUrl: string;
  maxConcurrentCalls: string;
  refusalText: string;
}

export const numberFormOf = (number: PhoneNumber): NumberForm => ({
  name: number.name,
  agentId: number.agentId ?? "",
  inboundWebhookUrl: number.inboundWebhookUrl ?? "",
  maxConcurrentCalls: number.maxConcurrentCalls === null ? "" : String(number.maxConcurrentCalls),
  refusalText: number.refusalText ?? "",
});

const bodyOf = (form: NumberForm) => ({
  name: form.name,
  agentId: textOrNull(form.agentId),
  inboundWebhookUrl: textOrNull(form.inboundWebhookUrl),
  maxConcurrentCalls: numberOrNull(form.maxConcurrentCalls),
  refusalText: textOrNull(form.refusalText),
});

/** Only what differs: setting the address of the webhook again would make another secret. */
export const numberChangesOf = (before: NumberForm, form: NumberForm) => changed(bodyOf(before), bodyOf(form));
