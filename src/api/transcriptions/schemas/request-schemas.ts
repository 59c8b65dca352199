import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import type { CallId } from "../../../core/ids.ts";
import { BYTES_PER_MB } from "../../../core/limits/storage/storage.ts";
import {
  TRANSCRIPTION_BYTES_DEFAULT,
  TRANSCRIPTION_URL_CHARS_MAX,
  VOCABULARY_WORD_CHARS_MAX,
  VOCABULARY_WORDS_MAX,
} from "../../../core/limits/transcriptions/transcriptions.ts";
import { TRANSCRIPTION_REDACTION_KINDS } from "../../../core/redaction/kinds.ts";
import { CHANNEL_MODES, DEFAULT_TRANSCRIPTION_OPTIONS, TIMESTAMP_KINDS } from "../../../core/transcriptions/options.ts";
import { metadata } from "../../calls/schemas/request-schemas.ts";
import { ALONGSIDE_FIELD_ERRORS, flag, listOf, oneOf, text, textNotBlank } from "../../http/requests/fields.ts";

// Each `error` continues the field's name: see fields.ts.

const urlRule = {
  error: `must be an https:// or http:// address of at most ${TRANSCRIPTION_URL_CHARS_MAX} characters`,
};
const isFetchable = (given: string): boolean => URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);

const wordRule = { error: `must be a word of 1 to ${VOCABULARY_WORD_CHARS_MAX} characters` };

const { channels, timestamps, speakers } = DEFAULT_TRANSCRIPTION_OPTIONS;

/** `redact` of any transcription. */
export const redact = listOf(
  oneOf(TRANSCRIPTION_REDACTION_KINDS),
  TRANSCRIPTION_REDACTION_KINDS.length,
  "must be a list of kinds",
).default([]);

/** What can be asked of the transcription of a file. */
const options = {
  language: text.optional().meta({
    description:
      "A code from `GET /languages`, in upper or lower case, or `auto`: the provider detects the language. By default `auto` where a " +
      "configured provider can, otherwise `en`, or the first language that one transcribes.",
    examples: ["en-US"],
  }),
  channels: oneOf(CHANNEL_MODES)
    .default(channels)
    .meta({
      description:
        "`mix`: all channels are mixed to one. `separate`: each channel is transcribed for itself, as in a recording of a call, which has " +
        "the caller left and the agent right.",
    }),
  timestamps: oneOf(TIMESTAMP_KINDS).default(timestamps).meta({
    description: "`word`: the result has each word with its times. `segment`: only the utterances have times.",
  }),
  speakers: flag.default(speakers).meta({ description: "Whether speakers are distinguished, by numbers from 0." }),
  vocabulary: listOf(
    textNotBlank.max(VOCABULARY_WORD_CHARS_MAX, wordRule),
    VOCABULARY_WORDS_MAX,
    "must be a list of words",
  )
    .default([])
    .meta({
      description: `Words that are likely, such as names: at most ${VOCABULARY_WORDS_MAX} of ${VOCABULARY_WORD_CHARS_MAX} characters.`,
      examples: [["Lario’s", "Trunkline"]],
    }),
  redact: redact.meta({
    description:
      "What is not kept of the words: card numbers, telephone numbers, email addresses and national ids, as for calls. The audio is then deleted when the transcription is over.",
    examples: [["card_number"]],
  }),
  metadata: metadata.default({}),
  deleteAudio: flag.default(false).meta({
    description: "Whether the audio is deleted as soon as the transcription is over, whatever the retention says.",
  }),
};

/** The options of an upload, after its fields were read. */
export const UploadOptions = z.strictObject(options);

const source = {
  url: z
    .string(urlRule)
    .max(TRANSCRIPTION_URL_CHARS_MAX, urlRule)
    .refine(isFetchable, urlRule)
    .optional()
    .meta({
      description:
        "Where the audio is fetched: an address of the public internet. It is looked up when it is fetched; a private address is refused.",
      examples: ["https://example.com/meeting.mp3"],
    }),
  callId: (text as unknown as z.ZodType<CallId, string>).optional().meta({
    description: "A call of the account whose recording is transcribed.",
    examples: ["call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
  }),
};

/** `POST /transcriptions` as JSON. */
export const NewTranscriptionBody = z
  .strictObject({ ...source, ...options }, { error: "must be a JSON object" })
  .superRefine(({ url, callId }, context) => {
    if ((url === undefined) !== (callId === undefined)) return;
    const message = "must have either url or callId; a file is sent as multipart/form-data";
    context.addIssue({ code: "custom", message });
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({
    id: "NewTranscription",
    description: "What to transcribe, and how. One of `url` and `callId` is required.",
    examples: [
      { url: "https://example.com/meeting.mp3", vocabulary: ["Lario’s"], metadata: { meeting: "A-17" } },
      { callId: "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10", language: "en-US", channels: "separate" },
    ],
  });

const DEFAULT_MB = Math.floor(TRANSCRIPTION_BYTES_DEFAULT / BYTES_PER_MB);

const field = (schema: z.ZodType): object => {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return shown;
};

/** `POST /transcriptions` as multipart/form-data, for the document. Every field is a text; `vocabulary` is repeated, `metadata` is JSON. */
export const UPLOAD_FORM: OpenAPIV3_1.SchemaObject = {
  type: "object",
  description:
    `The audio as the part \`file\`, of at most ${DEFAULT_MB.toLocaleString("en-US")} MB unless the operator sets TRANSCRIPTION_BYTES_MAX, ` +
    "and the options as fields: `vocabulary` and `redact` once for each word and kind, `metadata` as JSON, anywhere in the body. Fields before the file, but for " +
    "`language`, are checked before it is read.",
  required: ["file"],
  additionalProperties: false,
  properties: {
    file: { type: "string", contentMediaType: "application/octet-stream", description: "The audio, in any format." },
    ...(Object.fromEntries(Object.entries(options).map(([name, schema]) => [name, field(schema)])) as Record<
      string,
      OpenAPIV3_1.SchemaObject
    >),
  },
};
