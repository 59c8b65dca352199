import { z } from "zod";
import { STREAM_CODECS, STREAM_RATES_HZ } from "../../../core/calls/spec.ts";
import { MAX_DURATION_S_DEFAULT, MAX_DURATION_S_MAX, MAX_DURATION_S_MIN } from "../../../core/limits/calls/calls.ts";
import { CARRIER_RATE_HZ } from "../../../core/limits/streams/media.ts";
import { STREAM_MESSAGE_MS_MAX } from "../../../core/limits/streams/messages.ts";
import { isG711, metadata, STREAM_RATE_HZ_DEFAULT } from "../../calls/schemas/request-schemas.ts";
import { time } from "../../calls/schemas/response-schemas.ts";
import { documentedAs } from "../../http/documented-as.ts";
import { ALONGSIDE_FIELD_ERRORS, oneOf, text, wholeNumber } from "../../http/requests/fields.ts";
import { redact } from "./request-schemas.ts";
import { transcriptionId } from "./response-schemas.ts";

/** The protocol of the stream, for the author of a client. */
const STREAM_PROTOCOL = `

Binary messages from the client are audio, of any length up to ${STREAM_MESSAGE_MS_MAX / 1_000} s and no faster than real time; with \
Opus, one packet each. Text messages are JSON objects with a \`type\`; ignore unknown types and fields.

- From the service: \`ready\` (\`transcriptionId\`, \`input\`, \`durationMs\`) comes first; \`interim\` (\`text\`, \`startMs\`): the utterance \
so far; \`final\` (\`index\`, \`text\`, \`startMs\`, \`endMs\`, \`words\`; \`language\`): an utterance that is over; \`error\` (\`code\`, \
\`message\`); \`end\` (\`reason\`: an \`endReason\`, \`durationMs\`), then the socket closes.
- From the client: \`finalize\`: ends the utterance now, whose \`final\` comes at once, empty where nothing was said; \`keepAlive\`: \
it is there, although it sends no audio; \`end\`: finalizes, then the transcription ends.`;

const rate = z.literal(STREAM_RATES_HZ, { error: `must be one of ${STREAM_RATES_HZ.join(", ")}` });

/** The `websocket` object, as that of `POST /calls` without what a service that says nothing does not need. */
export const LiveWebsocketBody = z
  .strictObject(
    {
      codec: oneOf(STREAM_CODECS)
        .default("pcm_s16le")
        .meta({ description: "As in `POST /calls`. `pcm_s16le`: signed 16-bit samples, little-endian." }),
      inputSampleRate: rate.optional().meta({ description: "Hertz of the audio that the client sends." }),
    },
    { error: "must be an object" },
  )
  .superRefine(({ codec, inputSampleRate }, context) => {
    if (!isG711(codec) || inputSampleRate === undefined || inputSampleRate === CARRIER_RATE_HZ) return;
    const message = `must be ${CARRIER_RATE_HZ} with the codecs mulaw and alaw`;
    context.addIssue({ code: "custom", path: ["inputSampleRate"], message, input: inputSampleRate });
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({
    id: "LiveWebsocket",
    description: `How the audio travels. One channel; the rate is ${STREAM_RATE_HZ_DEFAULT} by default, and must be ${CARRIER_RATE_HZ} \
with mulaw and alaw.${STREAM_PROTOCOL}`,
    examples: [{ inputSampleRate: 16_000 }, { codec: "opus", inputSampleRate: 48_000 }],
  });

/** `POST /transcriptions/live`. The language is looked up afterwards. */
export const NewLiveTranscriptionBody = z
  .strictObject(
    {
      language: text.meta({
        description: "A code from `GET /languages`, in upper or lower case. All of the audio is transcribed in it.",
        examples: ["en-US"],
      }),
      websocket: LiveWebsocketBody.default({ codec: "pcm_s16le" }),
      maxDuration: wholeNumber(MAX_DURATION_S_MIN, MAX_DURATION_S_MAX).default(MAX_DURATION_S_DEFAULT).meta({
        description: "Maximum length in seconds, from the redemption of its stream token.",
      }),
      vocabulary: documentedAs(z.unknown(), z.array(z.string()).max(0)).optional().meta({
        description: "Words that are likely. No provider takes them for live streams: a list that is not empty is 400.",
      }),
      redact: redact.meta({
        description:
          "What is not kept of the words, once the transcription is over: card numbers, telephone numbers, email addresses and national " +
          "ids, as for calls. The stream has the words as they are.",
        examples: [["card_number"]],
      }),
      metadata: metadata.default({}),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewLiveTranscription",
    description: "How the stream is transcribed.",
    examples: [
      { language: "en-US" },
      { language: "en-US", websocket: { codec: "opus", inputSampleRate: 48_000 } },
      { language: "en-US", redact: ["card_number"] },
    ],
  });

export const CreatedLiveTranscription = z
  .object({
    id: transcriptionId,
    status: z.literal("queued"),
    websocketUrl: z.string().meta({
      description: "Where the client connects, once, until `expiresAt`. It contains a secret.",
      examples: ["wss://media.example.com/stream/LBv3oVx0nUTkHcEPWqFJ8mRy2KsGdZtI5aXb7N1fQ9hYwuM4"],
    }),
    createdAt: time,
    expiresAt: time,
  })
  .meta({
    id: "CreatedLiveTranscription",
    description: "A live transcription that waits for its stream.",
    examples: [
      {
        id: "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
        status: "queued",
        websocketUrl: "wss://media.example.com/stream/LBv3oVx0nUTkHcEPWqFJ8mRy2KsGdZtI5aXb7N1fQ9hYwuM4",
        createdAt: "2026-11-21T08:00:00.000Z",
        expiresAt: "2026-11-21T08:01:00.000Z",
      },
    ],
  });
