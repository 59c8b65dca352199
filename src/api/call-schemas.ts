import { z } from "zod";
import { CONNECTION_TYPES, END_REASONS, MODEL_NAMES } from "../core/call-spec.ts";
import {
  CARRIER_RATE_HZ,
  INACTIVITY_S_DEFAULT,
  INACTIVITY_S_MAX,
  INACTIVITY_S_MIN,
  MAX_DURATION_S_DEFAULT,
  MAX_DURATION_S_MAX,
  MAX_DURATION_S_MIN,
  METADATA_BYTES_MAX,
  METADATA_DEPTH_MAX,
  SELECTED_TOOLS_MAX,
} from "../core/limits.ts";
import { CALL_STATUSES } from "../store/call-store.ts";
import { isBlank, isObject } from "./validation.ts";

// Each `error` continues the field's name: validation.ts makes "maxDuration must be ..., not 7201" of it.

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` });

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const numberBetween = (min: number, max: number) => {
  const error = `must be a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};

const text = z.string({ error: "must be a string" });
const flag = z.boolean({ error: "must be true or false" });
const anyObject = z.record(z.string(), z.unknown(), { error: "must be an object" });

const notBlank = { error: "must be a string that is not blank" };
const textNotBlank = z.string(notBlank).refine((value) => !isBlank(value), notBlank);

const metadata = anyObject.superRefine((value, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  const bytes = Buffer.byteLength(JSON.stringify(value));
  // What takes more bytes than it may is not looked at any further.
  if (bytes > METADATA_BYTES_MAX) return refuse(`must take at most ${METADATA_BYTES_MAX} bytes as JSON, not ${bytes}`);
  const levels = levelsOf(value);
  if (levels > METADATA_DEPTH_MAX) refuse(`must have at most ${METADATA_DEPTH_MAX} levels, not ${levels}`);
});

/** Recursion goes no deeper than JSON_DEPTH_MAX, which has been checked. */
function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let levels = 0;
  for (const child of Object.values(value)) levels = Math.max(levels, levelsOf(child));
  return 1 + levels;
}

/** Every tool the service will carry out itself; which of them this build has, `BUILT_IN_TOOLS` says. */
export const TOOL_NAMES = ["hang_up", "transfer", "send_dtmf", "query_corpus", "switch_language"] as const;

const TOOL_KINDS = ["toolId", "toolName", "definition"] as const;

/** Rules between fields are told together with the rules of each field; zod would otherwise keep them for later. */
const EVEN_AFTER_OTHERS = { when: (payload: { value: unknown }) => isObject(payload.value) };

const SelectedTool = z
  .strictObject(
    {
      toolId: textNotBlank.optional(),
      toolName: oneOf(TOOL_NAMES).optional(),
      definition: anyObject.optional(),
      parameterOverrides: anyObject.optional(),
    },
    { error: "must be an object" },
  )
  .superRefine((tool, context) => {
    if (TOOL_KINDS.filter((kind) => tool[kind] !== undefined).length !== 1) {
      context.addIssue({ code: "custom", message: `must have exactly one of ${TOOL_KINDS.join(", ")}` });
    }
    // It is the one tool this build has, and it takes no parameters.
    const keys = tool.toolName === "hang_up" ? Object.keys(tool.parameterOverrides ?? {}) : [];
    if (keys.length > 0) context.addIssue({ code: "unrecognized_keys", keys, path: ["parameterOverrides"] });
  }, EVEN_AFTER_OTHERS);

const listOfObjects = { error: "must be a list of objects" };
/** A list that is too long is refused before any of its items is looked at. */
const selectedTools = z
  .array(z.unknown(), listOfObjects)
  .superRefine(({ length }, context) => {
    if (length <= SELECTED_TOOLS_MAX) return;
    context.addIssue({ code: "custom", message: `must have at most ${SELECTED_TOOLS_MAX} items, not ${length}` });
  })
  .pipe(z.array(SelectedTool));

/** `POST /calls`, as the specification's table 4.1 has it. Voice and language are looked up afterwards. */
export const NewCallBody = z.strictObject(
  {
    systemPrompt: textNotBlank,
    voice: text,
    language: text,
    model: oneOf(MODEL_NAMES).default("model_b"),
    temperature: numberBetween(0, 1).default(0),
    greeting: text.optional(),
    firstSpeaker: oneOf(["agent", "user"]).default("agent"),
    interruptible: flag.default(false),
    maxDuration: wholeNumber(MAX_DURATION_S_MIN, MAX_DURATION_S_MAX).default(MAX_DURATION_S_DEFAULT),
    inactivityTimeout: wholeNumber(INACTIVITY_S_MIN, INACTIVITY_S_MAX).default(INACTIVITY_S_DEFAULT),
    inactivityAction: oneOf(["hang_up", "prompt"]).default("prompt"),
    recordingEnabled: flag.default(true),
    connectionType: oneOf(CONNECTION_TYPES).default("carrier_a"),
    /** Read only when `connectionType` is `websocket`, by the schema below; otherwise anything may stand here. */
    websocket: z.unknown().optional(),
    selectedTools: selectedTools.default([]),
    metadata: metadata.optional(),
  },
  { error: "must be a JSON object" },
);
export type NewCallBody = z.output<typeof NewCallBody>;

const RATES_HZ: readonly number[] = [8_000, 16_000, 24_000, 48_000];
const RATE_RULE = `must be one of ${RATES_HZ.join(", ")}`;
const G711_RATE_RULE = `must be ${CARRIER_RATE_HZ} with the codecs mulaw and alaw`;

const rate = z.number({ error: RATE_RULE }).refine((rateHz) => RATES_HZ.includes(rateHz), { error: RATE_RULE });

/** The `websocket` object. The G.711 codecs run at 8000 Hz, which is then the default too. */
export const WebsocketBody = z
  .strictObject(
    {
      inputSampleRate: rate.optional(),
      outputSampleRate: rate.optional(),
      codec: oneOf(["pcm_s16le", "mulaw", "alaw", "opus"]).default("pcm_s16le"),
    },
    { error: "must be an object" },
  )
  .superRefine(({ codec, inputSampleRate, outputSampleRate }, context) => {
    if (codec !== "mulaw" && codec !== "alaw") return;
    for (const [name, rateHz] of Object.entries({ inputSampleRate, outputSampleRate })) {
      if (rateHz === undefined || rateHz === CARRIER_RATE_HZ || !RATES_HZ.includes(rateHz)) continue;
      context.addIssue({ code: "custom", path: [name], message: G711_RATE_RULE, input: rateHz });
    }
  }, EVEN_AFTER_OTHERS);

export const CreatedCall = z.object({
  id: z.string(),
  websocketUrl: z.string(),
  status: z.enum(CALL_STATUSES),
  connectionType: z.enum(CONNECTION_TYPES),
  createdAt: z.string(),
});

export const CallId = z.object({ id: z.string() });

/** Times are ISO 8601 in UTC; what is not known yet is null. */
export const CallItem = z.object({
  id: z.string(),
  status: z.enum(CALL_STATUSES),
  connectionType: z.enum(CONNECTION_TYPES),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  endReason: z.enum(END_REASONS).nullable(),
  /** What the call was created with, by the names of `POST /calls`, without the prompt and the greeting. */
  configuration: z.object({
    voice: z.string(),
    language: z.string(),
    model: z.enum(MODEL_NAMES),
    temperature: z.number(),
    firstSpeaker: z.enum(["agent", "user"]),
    interruptible: z.boolean(),
    maxDuration: z.number(),
    inactivityTimeout: z.number(),
    inactivityAction: z.enum(["hang_up", "prompt"]),
    recordingEnabled: z.boolean(),
    selectedTools: z.array(z.object({ toolName: z.enum(TOOL_NAMES) })),
  }),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  recording: z
    .object({ channels: z.number(), sampleRateHz: z.number(), durationMs: z.number(), complete: z.boolean() })
    .nullable(),
  counters: z.record(z.string(), z.number()).nullable(),
});

export const Transcript = z.object({
  data: z.array(
    z.object({
      role: z.enum(["agent", "user"]),
      /** Absent when the call is not recorded. */
      text: z.string().optional(),
      startMs: z.number(),
      endMs: z.number(),
      interrupted: z.boolean(),
      latency: z
        .object({
          endOfTurnMs: z.number(),
          firstTextMs: z.number().optional(),
          firstAudioMs: z.number(),
          firstFrameMs: z.number(),
        })
        .optional(),
    }),
  ),
});
