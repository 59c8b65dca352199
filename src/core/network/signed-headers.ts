import { Webhook as Signature } from "standardwebhooks";
import { type EpochMs, millisecondsOf } from "../clocks.ts";

/** The headers of a JSON message that these secrets sign now, as Standard Webhooks 1.0.0 says. */
export function signedHeaders(
  { id, body, secrets }: { id: string; body: string; secrets: readonly string[] },
  now: EpochMs,
): Readonly<Record<string, string>> {
  const at = new Date(millisecondsOf(now));
  return {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "trunkline",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(millisecondsOf(now) / 1_000)),
    "webhook-signature": secrets.map((secret) => new Signature(secret).sign(id, at, body)).join(" "),
  };
}
