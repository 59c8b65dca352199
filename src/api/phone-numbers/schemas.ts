import { z } from "zod";
import { asAgentId, asCarrierId, asPhoneNumberId, type PhoneNumberId } from "../../core/ids.ts";
import {
  INBOUND_WEBHOOK_URL_CHARS_MAX,
  REFUSAL_CHARS_MAX,
  TEST_CALL_CHARS_MAX,
  TEST_CALL_TEXTS_MAX,
} from "../../core/limits/phone/carriers.ts";
import { agentId } from "../agents/schemas.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { carrierId, maxConcurrentCalls, name } from "../carrier-accounts/schemas.ts";
import { flag } from "../http/requests/fields.ts";
import { parameter } from "../http/requests/query.ts";
import { isBlank } from "../http/requests/validation.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

const phoneNumberId = z.string().meta({
  description: "`number_` and a UUIDv7.",
  examples: ["number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<PhoneNumberId, string>;

export const PhoneNumberParams = z.object({ id: phoneNumberId });

const urlRule = {
  error: `must be an https:// or http:// address of at most ${INBOUND_WEBHOOK_URL_CHARS_MAX} characters`,
};
const inboundWebhookUrl = z
  .string(urlRule)
  .max(INBOUND_WEBHOOK_URL_CHARS_MAX, urlRule)
  .refine(URL.canParse, urlRule)
  .nullable()
  .meta({
    description:
      "Asked for overrides before a call is answered: an address of the public internet. The number's agent answers as it is saved where " +
      "no usable answer comes within 2 s. Null for none. Whenever an address is set, it gets a new secret.",
    examples: ["https://example.com/inbound"],
  });

const refusalRule = {
  error: `must be a string of 1 to ${REFUSAL_CHARS_MAX} characters that is not blank and has no control characters`,
};
export const refusalWords = z
  .string(refusalRule)
  .max(REFUSAL_CHARS_MAX, refusalRule)
  .refine((value) => !isBlank(value) && !/\p{Cc}/u.test(value), refusalRule);
const refusalText = refusalWords.nullable().meta({
  description: "What a caller hears who is not connected; null for a phrase of the service.",
  examples: ["All our lines are busy. Please call again later."],
});

const answeringAgent = agentId.nullable().meta({
  description: "The saved agent that answers calls to the number; null for none: they are refused.",
  examples: ["agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
});
const inboundCalls = maxConcurrentCalls.meta({
  description:
    "How many inbound calls the number may have at once; further ones are refused. Null for no limit of its own.",
  examples: [5],
});

/** `POST /phone-numbers/import`. */
export const ImportBody = z
  .strictObject(
    {
      carrierId,
      cursor: parameter.optional().meta({ description: "The `nextCursor` of the answer before." }),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "PhoneNumberImport",
    description: "The carrier whose numbers to import.",
    examples: [{ carrierId: asCarrierId("carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10") }],
  });

/** `PATCH /phone-numbers/{id}`. Whether the agent exists is looked up afterwards. */
export const PhoneNumberChangesBody = z
  .strictObject(
    {
      name: name.optional(),
      agentId: answeringAgent.optional(),
      inboundWebhookUrl: inboundWebhookUrl.optional(),
      maxConcurrentCalls: inboundCalls.optional(),
      refusalText: refusalText.optional(),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "PhoneNumberChanges",
    description: "What to change; the rest stays.",
    examples: [{ name: "front desk", maxConcurrentCalls: 5 }],
  });

/** `POST /phone-numbers/{id}/detach`. */
export const DetachBody = z
  .strictObject(
    {
      force: flag.default(false).meta({
        description:
          "Takes the number for detached without asking the carrier, for an account at the carrier that is no longer there.",
      }),
    },
    { error: "must be a JSON object, or be left out" },
  )
  .nullish()
  .meta({ description: "How to detach it." });

const saysRule = { error: `must be a list of at most ${TEST_CALL_TEXTS_MAX} texts` };
const sayRule = { error: `must be a string of 1 to ${TEST_CALL_CHARS_MAX} characters that is not blank` };

/** `POST /phone-numbers/{id}/test-call`. */
export const TestCallBody = z
  .strictObject(
    {
      says: z
        .array(
          z
            .string(sayRule)
            .max(TEST_CALL_CHARS_MAX, sayRule)
            .refine((text) => !isBlank(text), sayRule),
          saysRule,
        )
        .max(TEST_CALL_TEXTS_MAX, saysRule)
        .default([])
        .meta({
          description:
            "What the person says, each after the agent has spoken; they hang up after the last reply. Without texts they listen for 10 s.",
          examples: [["Hello", "When do you open?"]],
        }),
    },
    { error: "must be a JSON object, or be left out" },
  )
  .nullish()
  .meta({ description: "What the person who calls says." });

export const TestCallItem = z
  .object({
    from: z
      .string()
      .meta({ description: "The number of the person, in E.164: by it and `to` the call is found in `GET /calls`." }),
    to: z.string().meta({ description: "The number that they call." }),
  })
  .meta({
    id: "TestCall",
    description: "A call that a person of an emulated carrier begins.",
    examples: [{ from: "+12025550142", to: "+12025550187" }],
  });

export const EmptyBody = z
  .strictObject({}, { error: "must be a JSON object without fields, or be left out" })
  .nullish();

export const PhoneNumberItem = z
  .object({
    id: phoneNumberId,
    number: z.string().meta({ description: "E.164." }),
    carrierId,
    name: z.string().meta({ description: "What it is for; the number itself at first." }),
    agentId: answeringAgent,
    inboundWebhookUrl,
    maxConcurrentCalls: inboundCalls,
    refusalText,
    attached: z.boolean().meta({ description: "The carrier sends the calls of the number to the service." }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({
    id: "PhoneNumber",
    description: "A telephone number of the account.",
    examples: [
      {
        id: asPhoneNumberId("number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"),
        number: "+15550100",
        carrierId: asCarrierId("carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"),
        name: "front desk",
        agentId: asAgentId("agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"),
        inboundWebhookUrl: null,
        maxConcurrentCalls: 5,
        refusalText: null,
        attached: true,
        createdAt: "2026-11-20T08:00:00.000Z",
        updatedAt: "2026-11-20T08:00:00.000Z",
      },
    ],
  });

/** The answer to `PATCH /phone-numbers/{id}`. */
export const ChangedPhoneNumber = PhoneNumberItem.extend({
  inboundWebhookSecret: z
    .string()
    .optional()
    .meta({
      description:
        "Where the request has set `inboundWebhookUrl`: verifies what is sent there, as Standard Webhooks says. Shown only here.",
      examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazNhbGRldmVy"],
    }),
}).meta({ id: "ChangedPhoneNumber", description: "The number as it is now." });

export const PhoneNumberFilters = z.strictObject({
  ...pageFields,
  carrierId: (parameter as unknown as typeof carrierId).optional().meta({ description: "Numbers of this carrier." }),
});

export const PhoneNumberList = pageSchema(PhoneNumberItem, "A page of telephone numbers, oldest first.");

export const ImportedNumbers = pageSchema(
  PhoneNumberItem,
  "The numbers of one page of the carrier's list, as the account has them now.",
);
