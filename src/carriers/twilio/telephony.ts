import { credential, routingText } from "../rest.ts";
import type { CarrierTelephony } from "../telephony.ts";
import { twilioDocument, twiml } from "./documents.ts";
import * as rest from "./rest.ts";
import { isTwilioWebhook } from "./signature.ts";
import { readTwilioWebhook } from "./webhooks.ts";

/** Of an address of the web: the service may have been at another one, and the path has the key of the carrier's row. */
const pathOf = (url: string): string | undefined => /^https?:\/\/[^/]+(\/[^#]*)/.exec(url)?.[1];

/** carrier_a: calls and numbers of Twilio Programmable Voice. */
export const TWILIO_TELEPHONY: CarrierTelephony = {
  credentialFields: [
    {
      name: "accountSid",
      isSecret: false,
      isIdentity: true,
      pattern: /^AC[0-9a-fA-F]{32}$/,
      rule: "must be AC and 32 hexadecimal digits",
      meaning: "the Account SID, on the first page of the console",
      example: `AC${"0".repeat(32)}`,
    },
    {
      name: "authToken",
      isSecret: true,
      pattern: /^[0-9a-fA-F]{32}$/,
      rule: "must be 32 hexadecimal digits",
      meaning:
        "the primary Auth Token of the account. An API key cannot replace it: webhooks and streams are signed with this token",
      example: "0123456789abcdef0123456789abcdef",
    },
  ],
  apiUrl: { variable: "CARRIER_A_API_URL", value: "https://api.twilio.com" },
  missing: {},
  streamSecret: (credentials) => credential(credentials, "authToken"),
  verify: rest.verify,
  listNumbers: rest.listNumbers,
  readNumber: rest.readNumber,
  attachNumber: rest.attachNumber,
  isAttachedRouting: (_credentials, routing, { voice }) => pathOf(routingText(routing, "voice_url")) === pathOf(voice),
  detachNumber: rest.detachNumber,
  dial: rest.dial,
  findCalls: rest.findCalls,
  hangUp: rest.hangUp,
  readPrice: rest.readPrice,
  document: twilioDocument,
  instruct(credentials, carrierCallId, instruction) {
    if (instruction.kind === "hang_up") return rest.hangUp(credentials, carrierCallId);
    // A call that was answered cannot be rejected any more.
    if (instruction.kind === "refuse" && instruction.text === undefined) return rest.hangUp(credentials, carrierCallId);
    const operation = { stream: "connect", transfer: "transfer", refuse: "hang_up" } as const;
    return rest.replaceDocument(credentials, operation[instruction.kind], carrierCallId, twiml(instruction));
  },
  isAuthenticWebhook: (credentials, webhook) => isTwilioWebhook(credential(credentials, "authToken"), webhook),
  readWebhook: readTwilioWebhook,
};
