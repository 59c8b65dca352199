import { z } from "zod";
import { DTMF_DIGITS_MAX, RING_S_DEFAULT, RING_S_MAX, RING_S_MIN } from "../../core/limits/phone/phone-calls.ts";
import { textNotBlank, wholeNumber } from "../http/requests/fields.ts";

/** What a telephone call has besides its configuration, which is that of `POST /calls` or of a saved agent. */
export const NewPhoneCallBody = z
  .looseObject(
    {
      to: textNotBlank.meta({
        description:
          "The number to call, in E.164. By default only numbers of the country of `from` are called, and no emergency, premium-rate, " +
          "shared-cost or satellite numbers: see `allowedCountries` and `allowedNumbers` of the carrier.",
        examples: ["+12025550123"],
      }),
      from: textNotBlank.meta({
        description: "The number that calls: the id of one of the account's telephone numbers, or its number in E.164.",
        examples: ["+12025550100"],
      }),
      ringTimeout: wholeNumber(RING_S_MIN, RING_S_MAX)
        .default(RING_S_DEFAULT)
        .meta({ description: "How long it rings, in seconds, before the call ends with `no_answer`." }),
      agentId: textNotBlank.optional().meta({
        description:
          "The saved agent of the call. The other fields are then those of `POST /agents/{id}/calls` (`version`, `variables`, `overrides`, " +
          "`metadata`); without it they are those of `POST /calls`.",
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewPhoneCall",
    description:
      "The number to call, and the configuration of the call. `connectionType` follows from `from`; another one is refused.",
    examples: [
      {
        to: "+12025550123",
        from: "+12025550100",
        systemPrompt: "You take orders for a bakery.",
        voice: "English (America)",
        language: "en-US",
      },
    ],
  });

export const TransferBody = z
  .strictObject(
    {
      target: textNotBlank.meta({
        description: "A number in E.164, within the same rules as those of `POST /phone-calls`, or a SIP address.",
        examples: ["+12025550199", "sip:desk@example.com"],
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({ id: "TransferRequest", description: "Where the caller goes.", examples: [{ target: "+12025550199" }] });

export const DtmfBody = z
  .strictObject(
    {
      digits: textNotBlank.meta({
        description: `The digits to send: 1 to ${DTMF_DIGITS_MAX} of 0-9, A-D, \`*\` and \`#\`.`,
        examples: ["42#"],
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({ id: "DtmfRequest", description: "Digits for the other end.", examples: [{ digits: "42#" }] });
