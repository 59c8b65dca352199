import { type EpochMs, elapsedMs, millisecondsOf } from "../../../core/clocks.ts";
import { reversedId, uuidOf } from "../../peers/carrier.ts";
import type { EndCause, Leg } from "../network.ts";
import type { RestResponse } from "../rest/endpoint.ts";

// The JSON of the REST API: https://developers.telnyx.com/api-reference/call-commands/dial,
// https://developers.telnyx.com/api-reference/phone-number-configurations/list-phone-numbers and
// https://developers.telnyx.com/api-reference/call-control-applications/retrieve-a-call-control-application

/** As the simulated stream names its call. */
export const callControlIdOf = (leg: Leg): string => `v3:${leg.hex}`;
export const callLegIdOf = (leg: Leg): string => uuidOf(leg.hex);
/** The legs of a transferred call have one session. */
export const callSessionIdOf = (leg: Leg): string => uuidOf(reversedId((leg.parent ?? leg).hex));

/** ISO 8601 with microseconds, of which the emulator has the first three. */
export const isoMicroseconds = (time: EpochMs): string =>
  new Date(millisecondsOf(time)).toISOString().replace("Z", "000Z");

/** https://developers.telnyx.com/api-reference/callbacks/call-hangup */
export const HANGUP_CAUSES: Readonly<Record<EndCause, { cause: string; sip: string }>> = {
  completed: { cause: "normal_clearing", sip: "200" },
  busy: { cause: "user_busy", sip: "486" },
  declined: { cause: "call_rejected", sip: "603" },
  no_answer: { cause: "timeout", sip: "487" },
  invalid_number: { cause: "not_found", sip: "404" },
  failed: { cause: "unspecified", sip: "503" },
  canceled: { cause: "originator_cancel", sip: "487" },
};

export function callResource(leg: Leg, now: EpochMs, clientState: string | undefined): Record<string, unknown> {
  const { answeredAt, endedAt } = leg;
  const duration = answeredAt === undefined ? 0 : Math.floor(elapsedMs(answeredAt, endedAt ?? now) / 1_000);
  return {
    record_type: "call",
    call_control_id: callControlIdOf(leg),
    call_leg_id: callLegIdOf(leg),
    call_session_id: callSessionIdOf(leg),
    is_alive: leg.state !== "ended",
    call_duration: duration,
    client_state: clientState ?? null,
    start_time: isoMicroseconds(leg.createdAt),
    ...(endedAt !== undefined && { end_time: isoMicroseconds(endedAt) }),
  };
}

export interface TelnyxNumber {
  readonly id: string;
  readonly phoneNumber: string;
  connectionId: string;
  tags: readonly string[];
}

export const numberResource = (
  { id, phoneNumber, connectionId, tags }: TelnyxNumber,
  connectionName: string | null,
  createdAt: EpochMs,
): Record<string, unknown> => ({
  record_type: "phone_number",
  id,
  phone_number: phoneNumber,
  country_iso_alpha2: "US",
  status: "active",
  phone_number_type: "local",
  connection_id: connectionId === "" ? null : connectionId,
  connection_name: connectionName,
  customer_reference: null,
  external_pin: null,
  tags,
  billing_group_id: null,
  emergency_enabled: false,
  emergency_address_id: null,
  emergency_status: "disabled",
  call_forwarding_enabled: false,
  call_recording_enabled: false,
  caller_id_name_enabled: false,
  cnam_listing_enabled: false,
  t38_fax_gateway_enabled: false,
  hd_voice_enabled: false,
  inbound_call_screening: "disabled",
  messaging_profile_id: null,
  messaging_profile_name: null,
  deletion_lock_enabled: false,
  source_type: null,
  created_at: isoMicroseconds(createdAt),
  purchased_at: isoMicroseconds(createdAt),
  updated_at: isoMicroseconds(createdAt),
});

export interface TelnyxApplication {
  readonly id: string;
  name: string;
  webhookUrl: string;
  failoverUrl: string | null;
  costInWebhooks: boolean;
}

export const applicationResource = (application: TelnyxApplication, createdAt: EpochMs): Record<string, unknown> => ({
  record_type: "call_control_application",
  id: application.id,
  application_name: application.name,
  active: true,
  anchorsite_override: "Latency",
  call_cost_in_webhooks: application.costInWebhooks,
  dtmf_type: "RFC 2833",
  first_command_timeout: false,
  first_command_timeout_secs: 30,
  inbound: {
    channel_limit: null,
    shaken_stir_enabled: false,
    sip_subdomain: null,
    sip_subdomain_receive_settings: "from_anyone",
  },
  outbound: { channel_limit: null, outbound_voice_profile_id: "1293384261075731499" },
  redact_dtmf_debug_logging: false,
  tags: [],
  webhook_api_version: "2",
  webhook_event_url: application.webhookUrl,
  webhook_event_failover_url: application.failoverUrl,
  webhook_timeout_secs: 25,
  created_at: isoMicroseconds(createdAt),
  updated_at: isoMicroseconds(createdAt),
});

const PAGE_SIZE_DEFAULT = 20;
const PAGE_SIZE_MAX = 250;

/** One page of a list: https://developers.telnyx.com/development/api-fundamentals/pagination */
export function pageOf(items: readonly unknown[], query: URLSearchParams): RestResponse {
  const size = Math.min(Math.max(Number(query.get("page[size]") ?? PAGE_SIZE_DEFAULT) || 1, 1), PAGE_SIZE_MAX);
  const page = Math.max(Number(query.get("page[number]") ?? 1) || 1, 1);
  const meta = {
    page_number: page,
    page_size: size,
    total_pages: Math.ceil(items.length / size),
    total_results: items.length,
  };
  return { status: 200, body: { data: items.slice((page - 1) * size, page * size), meta } };
}

/** https://developers.telnyx.com/development/api-fundamentals/errors */
const ERRORS: Readonly<Record<number, { code: string; title: string; detail: string }>> = {
  400: { code: "10015", title: "Bad Request", detail: "The request failed because it was not well-formed." },
  401: {
    code: "10009",
    title: "Authentication failed",
    detail: "The required authentication headers were either invalid or not included in the request.",
  },
  403: {
    code: "10010",
    title: "Authorization failed",
    detail: "You do not have permission to perform the requested action on the specified resource or resources.",
  },
  404: { code: "10005", title: "Resource not found", detail: "The requested resource or URL could not be found." },
  409: { code: "10012", title: "Duplicate resource", detail: "Resource is a duplicate." },
  422: { code: "10004", title: "Missing required parameter", detail: "A required parameter was missing." },
  429: {
    code: "10011",
    title: "Too many requests",
    detail: "You have exceeded the maximum number of allowed requests.",
  },
  500: { code: "10007", title: "Unexpected error", detail: "An unexpected error occured." },
  503: { code: "10016", title: "Service unavailable", detail: "The service is temporarily unavailable." },
};

export function telnyxError(status: number, error?: { code: string; title: string; detail?: string }): RestResponse {
  const known = ERRORS[status] ?? { code: "10007", title: "Unexpected error", detail: "An unexpected error occured." };
  const { code, title, detail = title } = error ?? known;
  const meta = { url: `https://developers.telnyx.com/docs/overview/errors/${code}` };
  return { status, body: { errors: [{ code, title, detail, meta }] } };
}

/** A command for a call that is over, as the API refuses it. */
export const CALL_ENDED = { code: "90018", title: "Call has already ended" } as const;
/** A command that needs an answered call. */
export const CALL_NOT_ANSWERED = { code: "90034", title: "Call not answered yet" } as const;
