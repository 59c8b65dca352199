import {
  MALFORMED_PER_SECOND_MAX,
  TEXTS_PER_SECOND_MAX,
  TYPED_CHARS_BURST_MAX,
  TYPED_CHARS_PER_SECOND_MAX,
} from "../core/limits/streams/messages.ts";
import { FINALIZE_PER_SECOND_MAX } from "../core/limits/transcriptions/transcriptions.ts";

const TYPED_CHARS_MAX = TYPED_CHARS_BURST_MAX.toLocaleString("en-US");

/** The errors that a client is sent while its stream continues, each with its meaning, in Markdown for docs/errors.md. */
export const CLIENT_ERROR_MEANINGS = {
  wire_malformed:
    "a field is missing or wrong, a binary message is empty, or its bytes are no Opus packet; the message has no effect. " +
    `More than ${MALFORMED_PER_SECOND_MAX} in a second end the call with \`protocol_error\``,
  bad_offer: "the SDP `offer` of a WebRTC client cannot be used; `message` says why. The third one ends the call",
  unknown_type: "no message has this `type`: it is ignored, and so are later ones, without another `error`",
  unknown_tool_call: "no pending `toolCall` has the `id` of this `toolResult`, which is ignored",
  rate_limited:
    `more than ${TEXTS_PER_SECOND_MAX} \`text\` in a second, or of more than ${TYPED_CHARS_MAX} characters at once and ` +
    `${TYPED_CHARS_PER_SECOND_MAX} a second after that, or more than ${FINALIZE_PER_SECOND_MAX} \`finalize\` in a second: the ` +
    "message is ignored",
} as const;
export type ClientErrorCode = keyof typeof CLIENT_ERROR_MEANINGS;
