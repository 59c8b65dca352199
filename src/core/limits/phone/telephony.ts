// Telephone calls: what is believed of carriers.

/** A carrier's id of a call or a number. Longer ones are malformed. */
export const CARRIER_ID_CHARS_MAX = 256;

/** A text of a webhook, such as a number or the value of a header; the rest of a longer one is dropped. */
export const WEBHOOK_TEXT_CHARS_MAX = 256;

/** Parameters of one webhook; more are malformed. Twilio sends about 30. */
export const WEBHOOK_FIELDS_MAX = 256;

/** SIP headers of an inbound call; the rest are dropped. */
export const SIP_HEADERS_MAX = 16;

/** A text in the stored routing of a number, of which there are seven at most: 4 KiB in all. */
export const ROUTING_TEXT_CHARS_MAX = 512;

/** How old a signed webhook may be, where the carrier signs the time. */
export const WEBHOOK_AGE_MS_MAX = 300_000;

/** How much earlier than an order, by the carrier's clock, a call may be that the order placed: the difference of two clocks. */
export const CARRIER_CLOCK_MS_MAX = 60_000;
