import { createHmac } from "node:crypto";

/**
 * The header `X-Twilio-Signature`: base64 of HMAC-SHA1 over the address and, for a form, each name followed by its value, sorted by
 * name. https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export function twilioSignature(authToken: string, url: string, form: Readonly<Record<string, string>> = {}): string {
  const fields = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`);
  return createHmac("sha1", authToken)
    .update(`${url}${fields.join("")}`)
    .digest("base64");
}
