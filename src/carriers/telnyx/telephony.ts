import { CARRIER_RATE_HZ } from "../../core/limits/streams/media.ts";
import { credential, routingText, secondsOf } from "../rest.ts";
import { spokenLanguage } from "../spoken-language.ts";
import type {
  CallInstruction,
  CarrierCredentials,
  CarrierTelephony,
  Exchange,
  StreamOrder,
  TransferOrder,
} from "../telephony.ts";
import { encodeClientState } from "./client-state.ts";
import * as rest from "./rest.ts";
import { isTelnyxWebhook, streamAuthToken } from "./signature.ts";
import { isOfConnection, readTelnyxWebhook } from "./webhooks.ts";

/** `language` of `speak` with the basic voices: https://developers.telnyx.com/api-reference/call-commands/speak-text */
const LANGUAGES = [
  ...["en-US", "en-GB", "en-AU", "en-IN", "de-DE", "es-ES", "es-MX", "es-US", "fr-FR", "fr-CA", "it-IT", "pt-BR"],
  ...["pt-PT", "nl-NL", "pl-PL", "da-DK", "sv-SE", "nb-NO", "cy-GB", "hi-IN", "is-IS", "ja-JP", "ko-KR", "ro-RO"],
  ...["ru-RU", "tr-TR"],
];

/** carrier_b: calls and numbers of Telnyx Call Control. */
export const TELNYX_TELEPHONY: CarrierTelephony = {
  credentialFields: [
    {
      name: "apiKey",
      isSecret: true,
      pattern: /^[\x21-\x7e]{16,256}$/,
      rule: "must be 16 to 256 printable characters without a space",
      meaning: "an API key, version 2, from the page API Keys of the portal",
      example: "KEY0123456789ABCDEF0123456789ABCDEF_example",
    },
    {
      name: "publicKey",
      isSecret: false,
      pattern: /^[A-Za-z0-9+/]{43}=$/,
      rule: "must be 32 bytes in base64",
      meaning:
        "the public key of the account, from the page Keys & Credentials of the portal: webhooks are checked with it",
      example: "eu2zvPjhY6odxV34Z/EsRiERvTodkev4Fq0SlK90Izg=",
    },
    {
      name: "connectionId",
      isSecret: false,
      isIdentity: true,
      pattern: /^[0-9]{1,32}$/,
      rule: "must be 1 to 32 digits",
      meaning:
        "the id of a Voice API (Call Control) application that nothing else uses: its webhook address becomes the service's when a number is attached. For outbound calls it needs an outbound voice profile",
      example: "1293384261075731499",
    },
  ],
  apiUrl: { variable: "CARRIER_B_API_URL", value: "https://api.telnyx.com" },
  missing: {},
  streamSecret: (credentials) => streamAuthToken(credential(credentials, "apiKey")),
  verify: rest.verify,
  listNumbers: rest.listNumbers,
  readNumber: rest.readNumber,
  attachNumber: rest.attachNumber,
  isAttachedRouting: (credentials, routing) =>
    routingText(routing, "connection_id") === credential(credentials, "connectionId"),
  detachNumber: rest.detachNumber,
  dial: rest.dial,
  findCalls: rest.findCalls,
  hangUp: (credentials, carrierCallId) => rest.command(credentials, "hang_up", carrierCallId, "hangup", {}),
  sendDtmf: (credentials, carrierCallId, digits) =>
    rest.command(credentials, "send_dtmf", carrierCallId, "send_dtmf", { digits }),
  document: () => undefined,
  instruct(credentials, carrierCallId, instruction, { commandId, isAnswered }) {
    const id = { command_id: commandId };
    switch (instruction.kind) {
      case "stream":
        // `answer` could begin a stream, but without a token: only a command of its own has one.
        return isAnswered
          ? rest.command(credentials, "connect", carrierCallId, "streaming_start", {
              ...id,
              ...stream(instruction.stream),
            })
          : rest.command(credentials, "answer", carrierCallId, "answer", id);
      case "transfer":
        return rest.command(credentials, "transfer", carrierCallId, "transfer", {
          ...id,
          ...transfer(instruction.transfer, carrierCallId),
        });
      case "refuse":
        return refuse(credentials, carrierCallId, instruction, id, isAnswered);
      case "hang_up":
        return rest.command(credentials, "hang_up", carrierCallId, "hangup", id);
    }
  },
  isAuthenticWebhook: (credentials, webhook, nowMs) =>
    isTelnyxWebhook(credential(credentials, "publicKey"), webhook, nowMs) &&
    isOfConnection(webhook, credential(credentials, "connectionId")),
  readWebhook: readTelnyxWebhook,
};

/** Only a call that was answered can be spoken to, and only one that was not can be rejected. */
function refuse(
  credentials: CarrierCredentials,
  carrierCallId: string,
  { text, language, reason }: Extract<CallInstruction, { kind: "refuse" }>,
  id: { command_id: string },
  isAnswered: boolean,
): Exchange<undefined> {
  if (text !== undefined) {
    if (!isAnswered) return rest.command(credentials, "answer", carrierCallId, "answer", id);
    const speech = {
      payload: text,
      payload_type: "text",
      voice: "female",
      language: spokenLanguage(language, LANGUAGES),
    };
    return rest.command(credentials, "hang_up", carrierCallId, "speak", { ...id, ...speech });
  }
  if (isAnswered) return rest.command(credentials, "hang_up", carrierCallId, "hangup", id);
  const cause = reason === "busy" ? "USER_BUSY" : "CALL_REJECTED";
  return rest.command(credentials, "hang_up", carrierCallId, "reject", { ...id, cause });
}

/** https://developers.telnyx.com/api-reference/call-commands/streaming-start */
const stream = ({ url, callId, connect, authToken, outboundCodec = "mulaw" }: StreamOrder): object => ({
  client_state: encodeClientState({ callId, connect }),
  stream_url: url,
  stream_auth_token: authToken,
  stream_track: "inbound_track",
  // Without it, a call with another codec would be streamed in that one.
  stream_codec: "PCMU",
  stream_bidirectional_mode: "rtp",
  stream_bidirectional_codec: outboundCodec === "alaw" ? "PCMA" : "PCMU",
  stream_bidirectional_sampling_rate: CARRIER_RATE_HZ,
});

/** When the target is not reached, the caller's leg stays: https://developers.telnyx.com/api-reference/call-commands/transfer-call */
const transfer = ({ target, from, ringMsMax, resultUrl }: TransferOrder, carrierCallId: string): object => ({
  to: target,
  from,
  timeout_secs: secondsOf(ringMsMax, rest.RING_S_MIN, rest.RING_S_MAX),
  target_leg_client_state: encodeClientState({ transferOf: carrierCallId }),
  webhook_url: resultUrl,
  webhook_url_method: "POST",
});
