import { z } from "zod";
import type { AccountId } from "../../core/ids.ts";
import { ACCOUNT_LANGUAGES_MAX, ACCOUNT_VOICES_MAX } from "../../core/limits/accounts/accounts.ts";
import { RETENTION_DAYS_MAX } from "../../core/retention.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { listOf, text } from "../http/requests/fields.ts";

// Each `error` continues the field's name: see fields.ts.

const accountId = z.string().meta({
  description: "`account_` and a UUIDv7.",
  examples: ["account_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<AccountId, string>;

const daysRule = { error: `must be a whole number from 1 to ${RETENTION_DAYS_MAX}, or null` };
const days = (of: string) =>
  z
    .int(daysRule)
    .min(1, daysRule)
    .max(RETENTION_DAYS_MAX, daysRule)
    .nullable()
    .meta({ description: `Days after a call's end at which ${of} is deleted; null: as the service.`, examples: [30] });

const retentionFields = {
  recordingDays: days("its recording"),
  transcriptDays: days("its transcript"),
  recordDays: days("its whole record"),
};

const available = (of: string, itemsMax: number, example: string) =>
  listOf(text, itemsMax, `must be a list of ${of}, or null`)
    .refine((items) => items.length > 0, { error: `must not be empty: null makes all ${of} available` })
    .nullable()
    .meta({ examples: [[example]] });

const settingsFields = {
  voices: available("ids of voices", ACCOUNT_VOICES_MAX, "espeak/gmw/en-US").meta({
    description: "The ids of the voices that calls and agents may have; null: all that the providers offer.",
  }),
  languages: available("codes of languages", ACCOUNT_LANGUAGES_MAX, "en").meta({
    description:
      "The languages that calls and agents may have, as codes of `GET /languages`; a bare language (`en`) includes its " +
      "regions. Null: all that there are.",
  }),
};

/** `PATCH /account`. */
export const AccountChangesBody = z
  .strictObject(
    {
      retention: z
        .strictObject(retentionFields, { error: "must be an object" })
        .partial()
        .optional()
        .meta({ description: "Days that are fewer than the service's. What is absent stays." }),
      voices: settingsFields.voices.optional(),
      languages: settingsFields.languages.optional(),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "AccountChanges",
    description: "What to change; the rest stays. The operator alone changes the name, the limits and the providers.",
    examples: [{ retention: { recordingDays: 7 } }, { languages: null }],
  });
export type AccountChangesBody = z.output<typeof AccountChangesBody>;

const providers = (stage: string) =>
  z
    .array(z.string())
    .nullable()
    .meta({ description: `The ${stage} providers that calls may use; null: all.`, examples: [null] });

export const AccountItem = z
  .object({
    id: accountId,
    name: z.string().meta({ description: "Unique; the operator sets it.", examples: ["acme"] }),
    limits: z
      .object({
        concurrentCalls: z
          .int()
          .nullable()
          .meta({
            description: "Calls at once, created and active; null: no limit but the service's.",
            examples: [20],
          }),
        creationsPerMinute: z
          .int()
          .nullable()
          .meta({
            description: "Calls that may be created within a minute, all of which may come at once; null: any number.",
            examples: [60],
          }),
        concurrentTranscriptions: z
          .int()
          .nullable()
          .meta({
            description: "Transcriptions in progress at once; others wait. Null: no limit but the service's.",
            examples: [null],
          }),
      })
      .meta({ description: "The operator sets them." }),
    retention: z
      .object(retentionFields)
      .meta({ description: "The account's own days; the fewer of these and the service's count." }),
    providers: z
      .object({ stt: providers("STT"), llm: providers("LLM"), tts: providers("TTS") })
      .meta({ description: "The operator sets them." }),
    ...settingsFields,
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Account", description: "An account: what it may have, and for how long it keeps what it has." });
