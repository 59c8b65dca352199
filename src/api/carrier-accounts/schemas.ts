import { z } from "zod";
import { CARRIER_NAMES, CARRIERS } from "../../carriers/list.ts";
import { asCarrierId, type CarrierId } from "../../core/ids.ts";
import {
  ALLOWED_NUMBERS_MAX,
  CALLS_PER_SECOND_DEFAULT,
  CALLS_PER_SECOND_MAX,
  CARRIER_NAME_CHARS_MAX,
  PHONE_CALLS_AT_ONCE_MAX,
} from "../../core/limits/phone/carriers.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { documentedAs } from "../http/documented-as.ts";
import { listOf, oneOf, wholeNumber } from "../http/requests/fields.ts";
import { isBlank } from "../http/requests/validation.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

export const carrierId = z.string().meta({
  description: "`carrier_` and a UUIDv7.",
  examples: ["carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<CarrierId, string>;

export const CarrierParams = z.object({ id: carrierId });

const nameRule = {
  error: `must be a string of 1 to ${CARRIER_NAME_CHARS_MAX} characters that is not blank and has no control characters`,
};
/** A name of a carrier or a number. */
export const name = z
  .string(nameRule)
  .refine((value) => [...value].length <= CARRIER_NAME_CHARS_MAX && !isBlank(value) && !/\p{Cc}/u.test(value), nameRule)
  .meta({ description: "What it is for.", examples: ["support"] });

const fieldsOf = ({ connectionType, telephony }: (typeof CARRIERS)[number]): string => {
  const fields = telephony.credentialFields.map((field) => `\`${field.name}\`, ${field.meaning}`);
  return `${connectionType}: ${fields.join("; ")}`;
};

/** Which names it must have depends on the carrier. Its problems never show a value, so no schema checks one. */
const credentials = documentedAs(
  z.record(z.string(), z.unknown(), { error: "must be an object" }),
  z.record(z.string(), z.string()),
).meta({
  description:
    "The credentials that the carrier gave to the account, all of them. They are checked by a harmless request to the carrier, and no " +
    `answer ever shows one that is secret. ${CARRIERS.map(fieldsOf).join(". ")}.`,
  examples: [{ accountSid: `AC${"0".repeat(32)}`, authToken: "0123456789abcdef0123456789abcdef" }],
});

const carrier = oneOf(CARRIER_NAMES).meta({
  description: "Which carrier it is. It is also the `connectionType` of its calls.",
  examples: ["carrier_a"],
});
/** Of a carrier or a number. */
export const maxConcurrentCalls = wholeNumber(1, PHONE_CALLS_AT_ONCE_MAX).nullable();
const carrierCalls = maxConcurrentCalls.meta({
  description: "How many of its calls may be dialling, ringing or live at once; null for no limit of its own.",
  examples: [20],
});
const callsPerSecond = wholeNumber(1, CALLS_PER_SECOND_MAX).meta({
  description: "How many calls it may place a second from each of its numbers; the carrier has a limit, too.",
  examples: [1],
});

const countryRule = "must be a country as two capital letters (ISO 3166-1), such as DE";
const countries = listOf(
  z.string({ error: countryRule }).regex(/^[A-Z]{2}$/, { error: countryRule }),
  ALLOWED_NUMBERS_MAX,
  "must be a list of countries",
)
  .nullable()
  .meta({
    description: "The countries that calls may be placed to; null for the country of the number that calls.",
    examples: [["DE", "AT"]],
  });
const beginningRule = "must be a number in E.164 or the beginning of one, such as +49900";
const numbers = listOf(
  z.string({ error: beginningRule }).regex(/^\+[1-9]\d{0,14}$/, { error: beginningRule }),
  ALLOWED_NUMBERS_MAX,
  "must be a list of numbers or their beginnings",
)
  .nullable()
  .meta({
    description:
      "Numbers, or beginnings of them, that calls may be placed to although their kind is refused: premium, shared-cost, satellite and " +
      "emergency numbers.",
    examples: [["+49180"]],
  });

/** `POST /carriers`. */
export const NewCarrierBody = z
  .strictObject(
    {
      carrier,
      name,
      credentials,
      maxConcurrentCalls: carrierCalls.default(null),
      callsPerSecond: callsPerSecond.default(CALLS_PER_SECOND_DEFAULT),
      allowedCountries: countries.default(null),
      allowedNumbers: numbers.default(null),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewCarrier",
    description: "The account's credentials at a carrier, and what its calls may do.",
    examples: [
      {
        carrier: "carrier_a",
        name: "main",
        credentials: { accountSid: `AC${"0".repeat(32)}`, authToken: "0123456789abcdef0123456789abcdef" },
      },
    ],
  });

/** `PATCH /carriers/{id}`. */
export const CarrierChangesBody = z
  .strictObject(
    {
      name: name.optional(),
      credentials: credentials.optional(),
      maxConcurrentCalls: carrierCalls.optional(),
      callsPerSecond: callsPerSecond.optional(),
      allowedCountries: countries.optional(),
      allowedNumbers: numbers.optional(),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "CarrierChanges",
    description:
      "What to change; the rest stays. A list that is given replaces the whole list, and null removes a limit.",
    examples: [{ maxConcurrentCalls: 20 }],
  });

const url = z.string().meta({ format: "uri" });

export const CarrierItem = z
  .object({
    id: carrierId,
    carrier: z.enum(CARRIER_NAMES).meta({ description: "Which carrier it is." }),
    name: z.string().meta({ description: "What it is for." }),
    credentials: z.record(z.string(), z.string()).meta({ description: "The credentials that are not secret." }),
    webhookUrls: z.object({ voice: url, status: url }).nullable().meta({
      description:
        "The addresses that the carrier calls. Attaching a number sets them at the carrier. Null where the service has no `PUBLIC_API_URL`.",
    }),
    emulated: z.boolean().meta({
      description: "Whether its API is an emulator on this machine, whose people can call a number on request.",
    }),
    maxConcurrentCalls: carrierCalls,
    callsPerSecond,
    allowedCountries: z.array(z.string()).nullable().meta({ description: "As in the request." }),
    allowedNumbers: z.array(z.string()).nullable().meta({ description: "As in the request." }),
    createdAt: time,
    updatedAt: time,
    verifiedAt: time.meta({ description: "When the carrier last accepted the credentials." }),
  })
  .meta({
    id: "Carrier",
    description: "An account at a carrier, without its secrets.",
    examples: [
      {
        id: asCarrierId("carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"),
        carrier: "carrier_a" as const,
        name: "main",
        credentials: { accountSid: `AC${"0".repeat(32)}` },
        webhookUrls: {
          voice: "https://agents.example.com/telephony/ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGf/voice",
          status: "https://agents.example.com/telephony/ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGf/status",
        },
        emulated: false,
        maxConcurrentCalls: null,
        callsPerSecond: 1,
        allowedCountries: null,
        allowedNumbers: null,
        createdAt: "2026-11-20T08:00:00.000Z",
        updatedAt: "2026-11-20T08:00:00.000Z",
        verifiedAt: "2026-11-20T08:00:00.000Z",
      },
    ],
  });

export const CarrierFilters = z.strictObject(pageFields);

export const CarrierList = pageSchema(CarrierItem, "A page of carriers, oldest first.");
