import type { Random } from "../../../support/random.ts";
import type { ObservedCarrier, SeenWebhook } from "../carriers.ts";

// Webhooks that no carrier has sent: real ones with something changed that their signature covers, or with another signature.

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export type WebhookRequest = Pick<SeenWebhook, "url" | "method" | "headers" | "body">;
/** `name`: what is forged of it. */
export type ForgedWebhook = WebhookRequest & { readonly name: string };
type Forgery = (webhook: WebhookRequest, random: Random, others: readonly WebhookRequest[]) => WebhookRequest;

const FORGERIES: Readonly<Record<string, Forgery>> = {
  "no signature": (webhook) => ({ ...webhook, headers: withSignature(webhook, () => undefined) }),
  "an empty signature": (webhook) => ({ ...webhook, headers: withSignature(webhook, () => "") }),
  "one character of the signature": (webhook, random) => ({
    ...webhook,
    headers: withSignature(webhook, (signature) => changedAt(signature, random.whole(0, 19), random)),
  }),
  "the signature of another webhook": (webhook, random, others) => ({
    ...webhook,
    headers: { ...webhook.headers, ...signaturesOf(random.pick(others).headers) },
  }),
  "one character of the body": (webhook, random) => ({
    ...webhook,
    body: changedAt(webhook.body, random.whole(0, webhook.body.length - 1), random),
  }),
  "a parameter more": (webhook) => ({ ...webhook, body: withMore(webhook.body) }),
  "another account": (webhook, random) => ({ ...webhook, url: changedAfter(webhook.url, "/telephony/", random) }),
  "another call": (webhook, random) => ({
    ...webhook,
    url: changedAfter(webhook.url, webhook.url.includes("/calls/call_") ? "/calls/call_" : "/telephony/", random),
  }),
};

/** Forgeries of what these carriers have sent; each a kind of forgery by turns. */
export function forgedWebhooks(
  carriers: readonly ObservedCarrier[],
  count: number,
  random: Random,
): readonly ForgedWebhook[] {
  const originals = carriers.map(({ webhooks }) => webhooks.filter(({ status }) => status === 200).map(requestOf));
  const kinds = Object.entries(FORGERIES);
  return Array.from({ length: count }, (_, index) => {
    const [name, forge] = kinds[index % kinds.length] ?? random.pick(kinds);
    const ofCarrier = random.pick(originals);
    const webhook = random.pick(ofCarrier);
    const others = ofCarrier.filter(({ body }) => body !== webhook.body);
    return { ...forge(webhook, random, others), name };
  });
}

const requestOf = ({ url, method, headers, body }: SeenWebhook): WebhookRequest => ({ url, method, headers, body });

const isSignature = (name: string): boolean => /signature/i.test(name) && !/nonce/i.test(name);

const signaturesOf = (headers: WebhookRequest["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isSignature(name)));

function withSignature(
  { headers }: WebhookRequest,
  change: (signature: string) => string | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const changed = isSignature(name) ? change(value) : value;
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}

/** With another character at this place. The two cases of a letter mean the same in `%2b`. */
function changedAt(text: string, at: number, random: Random): string {
  const before = (text[at] ?? "").toLowerCase();
  const other = random.pick([...BASE64].filter((each) => each.toLowerCase() !== before));
  return text.slice(0, at) + other + text.slice(at + 1);
}

/** With another letter after this part. */
function changedAfter(text: string, part: string, random: Random): string {
  const at = text.indexOf(part) + part.length;
  return text.slice(0, at) + random.pick([..."ghijkl"].filter((each) => each !== text[at])) + text.slice(at + 1);
}

const withMore = (body: string): string => (body.startsWith("{") ? `${body.slice(0, -1)},"x":"1"}` : `${body}&x=1`);
