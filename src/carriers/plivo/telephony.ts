import { credential, isCarrierId, routingText } from "../rest.ts";
import type { CarrierTelephony } from "../telephony.ts";
import { plivoDocument } from "./documents.ts";
import * as rest from "./rest.ts";
import { isPlivoWebhook } from "./signature.ts";
import { readPlivoWebhook } from "./webhooks.ts";

/** carrier_c: calls and numbers of Plivo Voice. */
export const PLIVO_TELEPHONY: CarrierTelephony = {
  credentialFields: [
    {
      name: "authId",
      isSecret: false,
      isIdentity: true,
      pattern: /^[MS]A[A-Z0-9]{18}$/,
      rule: "must be MA or SA and 18 capital letters or digits",
      meaning: "the Auth ID, on the first page of the console",
      example: "MAXXXXXXXXXXXXXXXXXX",
    },
    {
      name: "authToken",
      isSecret: true,
      pattern: /^[A-Za-z0-9+/=_-]{20,128}$/,
      rule: "must be 20 to 128 letters, digits or characters of base64",
      meaning: "the Auth Token of the same account or subaccount: webhooks and streams are signed with it",
      example: "WkRVMk1qVTVNVEV4TWpNME5UWTNPRGt3TVRJek5EVTI",
    },
  ],
  apiUrl: { variable: "CARRIER_C_API_URL", value: "https://api.plivo.com" },
  missing: {},
  waitsForStreamEnd: true,
  streamSecret: (credentials) => credential(credentials, "authToken"),
  verify: rest.verify,
  listNumbers: rest.listNumbers,
  readNumber: rest.readNumber,
  attachNumber: rest.attachNumber,
  readAttachment: (credentials, number) => rest.findApplication(credentials, rest.applicationName(number)),
  isAttachedRouting: (_credentials, routing, _urls, applicationId) =>
    isCarrierId(applicationId) && routingText(routing, "app_id") === applicationId,
  detachNumber: rest.detachNumber,
  dial: rest.dial,
  findCalls: rest.findCalls,
  hangUp: rest.hangUp,
  sendDtmf: rest.sendDtmf,
  readPrice: rest.readPrice,
  document: plivoDocument,
  instruct(credentials, carrierCallId, instruction, { documentUrl }) {
    if (instruction.kind === "hang_up") return rest.hangUp(credentials, carrierCallId);
    // A call that was answered cannot be rejected any more.
    if (instruction.kind === "refuse" && instruction.text === undefined) return rest.hangUp(credentials, carrierCallId);
    const operation = { stream: "connect", transfer: "transfer", refuse: "hang_up" } as const;
    return rest.redirect(credentials, operation[instruction.kind], carrierCallId, documentUrl);
  },
  isAuthenticWebhook: (credentials, webhook) => isPlivoWebhook(credential(credentials, "authToken"), webhook),
  readWebhook: readPlivoWebhook,
};
