import { z } from "zod";
import { CARRIER_NAMES, CONNECTION_TYPES } from "../../../carriers/list.ts";
import {
  CONNECTION_TYPE_DEFAULT,
  MODEL_DEFAULT,
  MODEL_NAMES,
  STREAM_CODECS,
  STREAM_RATES_HZ,
  type StreamCodec,
} from "../../../core/calls/spec.ts";
import { MAX_COST_MAX, MAX_COST_MIN } from "../../../core/limits/accounts/spend.ts";
import { SELECTED_TOOLS_MAX } from "../../../core/limits/agents/tools.ts";
import {
  INACTIVITY_PROMPTS_MAX,
  INACTIVITY_S_DEFAULT,
  INACTIVITY_S_MAX,
  INACTIVITY_S_MIN,
  MAX_DURATION_S_DEFAULT,
  MAX_DURATION_S_MAX,
  MAX_DURATION_S_MIN,
  METADATA_BYTES_MAX,
  METADATA_DEPTH_MAX,
} from "../../../core/limits/calls/calls.ts";
import { CARRIER_RATE_HZ } from "../../../core/limits/streams/media.ts";
import { STREAM_MESSAGE_MS_MAX } from "../../../core/limits/streams/messages.ts";
import { depthOf } from "../../../core/schemas/shape.ts";
import { documentedAs } from "../../http/documented-as.ts";
import {
  ALONGSIDE_FIELD_ERRORS,
  anyObject,
  flag,
  listOf,
  numberBetween,
  oneOf,
  text,
  textNotBlank,
  wholeNumber,
} from "../../http/requests/fields.ts";
import { SelectedTool } from "../../tools/schemas.ts";
import { AnalysisBody, RedactList } from "../after-call.ts";
import { NEW_CALLS } from "./examples.ts";

export const metadata = anyObject
  .superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    const bytes = Buffer.byteLength(JSON.stringify(value));
    // The depth of metadata that is too large is not checked.
    if (bytes > METADATA_BYTES_MAX)
      return refuse(`must take at most ${METADATA_BYTES_MAX} bytes as JSON, not ${bytes}`);
    const levels = depthOf(value);
    if (levels > METADATA_DEPTH_MAX) refuse(`must have at most ${METADATA_DEPTH_MAX} levels, not ${levels}`);
  })
  .meta({
    description: `Any JSON object, returned unchanged: at most ${METADATA_BYTES_MAX} bytes as JSON and ${METADATA_DEPTH_MAX} levels deep. Numbers are doubles; only the key \`__proto__\` is refused.`,
    examples: [{ order: "A-17", vip: true }],
  });

/** Settings of a call from any source of its prompt; the defaults are in `NewCallBody`. */
const settings = {
  languagePinned: flag.meta({
    description:
      "Whether the call stays in its language. Otherwise the agent answers in the language that the STT detects, where it can, and switches back when the caller does.",
  }),
  model: oneOf(MODEL_NAMES).meta({ description: "The configured LLM to use." }),
  temperature: numberBetween(0, 1).meta({ description: "Sampling temperature of the LLM." }),
  greeting: text.meta({
    description:
      "The opening line when the agent speaks first, spoken verbatim without the LLM. Without a greeting the LLM opens. Ignored when the user speaks first.",
    examples: ["Hello, this is the bakery."],
  }),
  firstSpeaker: oneOf(["agent", "user"]).meta({ description: "Who opens the conversation." }),
  interruptible: flag.meta({
    description:
      "Whether the caller may interrupt the agent's first message; every later one can be interrupted. Speech over an uninterruptible first message is answered after it.",
  }),
  maxDuration: wholeNumber(MAX_DURATION_S_MIN, MAX_DURATION_S_MAX).meta({
    description: "Maximum length of the call in seconds, from the redemption of its stream token.",
  }),
  inactivityTimeout: wholeNumber(INACTIVITY_S_MIN, INACTIVITY_S_MAX).meta({
    description: "Seconds without speech, typed text or DTMF after which `inactivityAction` is taken.",
  }),
  inactivityAction: oneOf(["hang_up", "prompt"]).meta({
    description: `\`prompt\`: the agent asks whether the caller is still there, and hangs up after ${INACTIVITY_PROMPTS_MAX} unanswered prompts in a row.`,
  }),
  maxCost: numberBetween(MAX_COST_MIN, MAX_COST_MAX).meta({
    description:
      "Maximum cost of the call in the currency of the service's prices, by the usage that its providers report. When it is reached, or the next request to the LLM or the TTS would exceed it, the agent says so and the call ends with `spend_limit`. STT without a price is not counted. 400 when a price of the LLM or the TTS is not configured.",
    examples: [0.5],
  }),
  recordingEnabled: flag.meta({
    description:
      "When false, no audio of the call is stored, and there is no recording. Words are stored all the same unless `transcriptEnabled` is false, too.",
  }),
  transcriptEnabled: flag.meta({
    description:
      "When false, no word of the call is stored, spoken, typed or dialled, and neither are its prompt, its greeting and the parameters of its start: the transcript has times and no text. Audio, in which the words can be heard, is stored all the same unless `recordingEnabled` is false, too.",
  }),
  useParameters: flag.meta({
    description:
      "Whether the LLM is given the parameters of the carrier's `start`, as one JSON object marked as data. Otherwise only the record shows them.",
  }),
  redact: RedactList,
  analysis: AnalysisBody,
  selectedTools: listOf(SelectedTool, SELECTED_TOOLS_MAX, "must be a list of objects").meta({
    description: "Tools that the agent may call.",
    examples: [[{ toolName: "hang_up" }]],
  }),
};

/** The call settings of a saved agent as received: absent settings take the default of `POST /calls` in each call. */
export const CallSettingsBody = z.strictObject(settings, { error: "must be an object" }).partial();
export type CallSettingsBody = z.output<typeof CallSettingsBody>;

/** The protocol of connectionType `websocket`, for the author of a client. */
const STREAM_PROTOCOL = `

Binary messages are audio: 20 ms each from the service, and any length up to ${STREAM_MESSAGE_MS_MAX / 1_000} s from the client; with \
Opus, one packet each in both directions. Text messages are JSON objects with a \`type\`; ignore unknown types and fields.

- From the service: \`ready\` (\`callId\`, \`input\`, \`output\`) comes first; \`state\` (\`state\`: listening, thinking, speaking, held; \
\`latency\`, as in a turn, when a reply starts to play); \
\`transcript\` (\`role\`, \`text\`, \`final\`, \`turnId\`; \`approximate\`, as in a turn); \`mark\` (\`name\`): return it once all audio \
before it has been played; \`clear\`: drop the audio that has not been played, and the marks in it; \`toolCall\` (\`id\`, \`name\`, \
\`arguments\`): carry out this tool of the type \`client\`; \`error\` (\`code\`, \`message\`); \`ended\` \
(\`reason\`: an \`endReason\`), then the socket closes.
- From the client: \`mark\` (\`name\`); \`cleared\`, optional, confirms a \`clear\`; \`dtmf\` (\`digit\`); \`text\` (\`text\`): what \
the caller typed; \`toolResult\` (\`id\`, and \`result\`, any JSON, or \`error\`, a text); \`end\`: hangs up.`;

export const STREAM_RATE_HZ_DEFAULT = 16_000;
/** These codecs allow only the telephone's rate, which is then also the default. */
export const isG711 = (codec: StreamCodec): boolean => codec === "mulaw" || codec === "alaw";

const G711_RATE_RULE = `must be ${CARRIER_RATE_HZ} with the codecs mulaw and alaw`;

const rate = z.literal(STREAM_RATES_HZ, { error: `must be one of ${STREAM_RATES_HZ.join(", ")}` });

/** The `websocket` object. */
export const WebsocketBody = z
  .strictObject(
    {
      codec: oneOf(STREAM_CODECS)
        .default("pcm_s16le")
        .meta({
          description:
            "For both directions. `pcm_s16le`: signed 16-bit samples, little-endian. `mulaw`, `alaw`: G.711. `opus`: one packet a " +
            "message. The reference STT (`STT=reference`) decodes Opus at 16000 Hz and above at the bit rate that libopus " +
            "chooses; at 8000 Hz it needs 32 kbit/s or more, and finds no words at the 10 kbit/s that libopus chooses there.",
        }),
      inputSampleRate: rate.optional().meta({ description: "Hertz of the audio that the client sends." }),
      outputSampleRate: rate.optional().meta({ description: "Hertz of the audio that the service sends." }),
    },
    { error: "must be an object" },
  )
  .superRefine(({ codec, inputSampleRate, outputSampleRate }, context) => {
    if (!isG711(codec)) return;
    for (const [name, rateHz] of Object.entries({ inputSampleRate, outputSampleRate })) {
      if (rateHz === undefined || rateHz === CARRIER_RATE_HZ || !STREAM_RATES_HZ.includes(rateHz)) continue;
      context.addIssue({ code: "custom", path: [name], message: G711_RATE_RULE, input: rateHz });
    }
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({
    id: "Websocket",
    description: `How audio travels when \`connectionType\` is \`websocket\`; ignored otherwise. One channel; the rates \
are ${STREAM_RATE_HZ_DEFAULT} by default, and must be ${CARRIER_RATE_HZ} with mulaw and alaw.${STREAM_PROTOCOL}`,
    examples: [
      { inputSampleRate: 16_000, outputSampleRate: 24_000 },
      { codec: "mulaw", inputSampleRate: 8_000, outputSampleRate: 8_000 },
    ],
  });

/** `POST /calls`, as in the specification's table 4.1. The voice and the language are looked up afterwards. */
export const NewCallBody = z
  .strictObject(
    {
      systemPrompt: textNotBlank.meta({
        description: "The entire system prompt; not blank.",
        examples: ["You answer the telephone of a bakery. The bakery is open from eight to six."],
      }),
      voice: text.meta({
        description:
          "The id of a voice from `GET /voices` that speaks `language`, or its name if no other has the same.",
        examples: ["English (America)"],
      }),
      language: text.meta({
        description: "A code from `GET /languages`, in upper or lower case: the language of the agent and of the STT.",
        examples: ["en-US"],
      }),
      languagePinned: settings.languagePinned.default(false),
      model: settings.model.default(MODEL_DEFAULT),
      temperature: settings.temperature.default(0),
      greeting: settings.greeting.optional(),
      firstSpeaker: settings.firstSpeaker.default("agent"),
      interruptible: settings.interruptible.default(false),
      maxDuration: settings.maxDuration.default(MAX_DURATION_S_DEFAULT),
      inactivityTimeout: settings.inactivityTimeout.default(INACTIVITY_S_DEFAULT),
      inactivityAction: settings.inactivityAction.default("prompt"),
      maxCost: settings.maxCost.optional(),
      recordingEnabled: settings.recordingEnabled.default(true),
      transcriptEnabled: settings.transcriptEnabled.default(true),
      useParameters: settings.useParameters.default(false),
      redact: settings.redact.default([]),
      analysis: settings.analysis.optional(),
      connectionType: oneOf(CONNECTION_TYPES)
        .default(CONNECTION_TYPE_DEFAULT)
        .meta({
          description:
            `The protocol of the media stream. ${CARRIER_NAMES.map((name) => `\`${name}\``).join(", ")}: the protocol of a ` +
            "telephone carrier, in G.711 at 8000 Hz. `websocket`: a protocol for your own programs, described at `websocket`. `webrtc`: for browsers: audio as RTP beside a WebSocket; 501 where the service lacks the optional package `node-datachannel` or `WEBRTC_UDP_PORTS`.",
        }),
      // Read only when `connectionType` is `websocket`; any other value is accepted otherwise.
      websocket: documentedAs(z.unknown(), WebsocketBody).optional(),
      selectedTools: settings.selectedTools.default([]),
      metadata: metadata.optional(),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewCall",
    description: "Configuration of the call. All fields except the first three have defaults.",
    examples: NEW_CALLS,
  });
export type NewCallBody = z.output<typeof NewCallBody>;
