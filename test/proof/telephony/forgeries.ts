import type { Random } from "../../support/random.ts";
import type { ObservedCarrier, SeenWebhook } from "./carriers.ts";

// Webhooks that no carrier has sent: real ones with something changed that their signature covers, or with another signature.

const AT_ONCE = 8;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export interface ForgeryResult {
  sent: number;
  /** Those that were answered as the carrier's own are, each in words. */
  accepted: readonly string[];
  /** How many were answered with which status. */
  statuses: Readonly<Record<string, number>>;
}

type Request = Pick<SeenWebhook, "url" | "method" | "headers" | "body">;
type Forgery = (webhook: SeenWebhook, random: Random, others: readonly SeenWebhook[]) => Request;

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

/** Sends forgeries of what carriers have sent; each a kind of forgery by turns. */
export async function forgeWebhooks(
  carriers: readonly ObservedCarrier[],
  count: number,
  random: Random,
): Promise<ForgeryResult> {
  const originals = carriers.map(({ webhooks }) => webhooks.filter(({ status }) => status === 200));
  const names = Object.keys(FORGERIES);
  const accepted: string[] = [];
  const statuses: Record<string, number> = {};
  let sent = 0;
  const line = async (): Promise<void> => {
    while (sent < count) {
      const name = names[sent % names.length] ?? "";
      const ofCarrier = random.pick(originals);
      const webhook = random.pick(ofCarrier);
      const others = ofCarrier.filter(({ body }) => body !== webhook.body);
      const forged = FORGERIES[name]?.(webhook, random, others);
      sent += 1;
      if (forged === undefined) continue;
      const status = await statusOf(forged);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status < 400) accepted.push(`${name}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  return { sent, accepted, statuses };
}

async function statusOf({ url, method, headers, body }: Request): Promise<number> {
  const response = await fetch(url, { method, headers, body });
  await response.arrayBuffer();
  return response.status;
}

const isSignature = (name: string): boolean => /signature/i.test(name) && !/nonce/i.test(name);

const signaturesOf = (headers: Request["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isSignature(name)));

function withSignature(
  { headers }: SeenWebhook,
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
