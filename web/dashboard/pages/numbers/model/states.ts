import type { Schema } from "../../../../client/src/index.ts";
import type { Tone } from "../../../ui/tone.ts";
import type { Carrier } from "./carriers.ts";

export type PhoneNumber = Schema<"PhoneNumber">;

/** A state in words, how it is marked, and what is wrong, each with what to do about it. */
export interface ShownState {
  text: string;
  tone: Tone;
  problems: readonly string[];
}

/** What says whether a carrier reaches the service. */
export type Reachable = Pick<Carrier, "webhookUrls" | "emulated">;

/** Whether the carrier can reach the addresses that it is given. */
export function webhookStateOf({ webhookUrls, emulated }: Reachable): ShownState {
  if (webhookUrls === null) {
    const problem = "The service has no address that a carrier can reach: its operator sets PUBLIC_API_URL.";
    return { text: "no address", tone: "bad", problems: [problem] };
  }
  if (emulated) return { text: "ready, emulated", tone: "good", problems: [] };
  const { protocol, hostname } = new URL(webhookUrls.voice);
  if (isPrivate(hostname)) {
    const problem =
      `No carrier can reach ${hostname}: the operator sets PUBLIC_API_URL to a public https:// address. ` +
      "Then attach the numbers again.";
    return { text: "private address", tone: "warn", problems: [problem] };
  }
  if (protocol !== "https:") {
    const problem =
      "The address has no TLS, so that others can read what the carrier sends: PUBLIC_API_URL should begin with https://.";
    return { text: "without TLS", tone: "warn", problems: [problem] };
  }
  return { text: "ready", tone: "good", problems: [] };
}

/** Hosts that no carrier reaches: names and addresses of this machine and of private networks. */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || /\.(localhost|local|internal|lan)$/.test(host)) return true;
  if (host.includes(":")) return host === "::1" || /^f[cd]|^fe[89ab]/.test(host);
  return /^(0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(host);
}

/** Whether calls to a number are answered. `carrier` is undefined for people who may not see carriers. */
export function numberStateOf(
  { attached, agentId, inboundWebhookUrl }: Pick<PhoneNumber, "attached" | "agentId" | "inboundWebhookUrl">,
  carrier: Reachable | undefined,
): ShownState {
  const isAnswered = agentId !== null || inboundWebhookUrl !== null;
  const noAgent = "No agent answers: calls are refused until one is chosen.";
  if (!attached) {
    const problems = [
      "The carrier does not send calls to the service: attach the number, which sets the addresses at the carrier.",
      ...(isAnswered ? [] : [noAgent]),
    ];
    return { text: "not attached", tone: "neutral", problems };
  }
  if (!isAnswered) return { text: "no agent", tone: "warn", problems: [noAgent] };
  const webhook = carrier === undefined ? undefined : webhookStateOf(carrier);
  if (webhook !== undefined && webhook.problems.length > 0) {
    return { text: `attached, ${webhook.text}`, tone: "warn", problems: webhook.problems };
  }
  return { text: "answers calls", tone: "good", problems: [] };
}
