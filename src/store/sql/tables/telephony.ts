import type { CarrierType } from "../../../core/calls/spec.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, AgentId, CallId, CarrierId, PhoneNumberId } from "../../../core/ids.ts";

/** Carriers' accounts, telephone numbers and their calls. */
export interface TelephonyTables {
  /** Accounts at carriers. */
  carriers: {
    id: CarrierId;
    account_id: AccountId;
    carrier: CarrierType;
    name: string;
    /** JSON, names to texts. */
    public_credentials: string;
    /** JSON of all credentials, sealed; empty where the key was lost and forgotten. */
    sealed_credentials: string;
    webhook_key: string;
    max_concurrent_calls: number | null;
    calls_per_second: number;
    /** JSON of a list, as is `allowed_numbers`. */
    allowed_countries: string | null;
    allowed_numbers: string | null;
    created_at: EpochMs;
    updated_at: EpochMs;
    verified_at: EpochMs;
  };
  /** Telephone numbers, of which an account has each once. */
  phone_numbers: {
    id: PhoneNumberId;
    account_id: AccountId;
    /** E.164. */
    number: string;
    carrier_id: CarrierId;
    carrier_number_id: string;
    name: string;
    agent_id: AgentId | null;
    inbound_webhook_url: string | null;
    /** Sealed; null without an address. */
    inbound_webhook_secret: string | null;
    max_concurrent_calls: number | null;
    /** JSON of a text. */
    refusal_text: string | null;
    is_attached: number;
    /** JSON of NumberRouting; null while it is not attached, unless the attachment was forgotten without asking the carrier. */
    routing_before: string | null;
    created_at: EpochMs;
    updated_at: EpochMs;
  };
  /** The machines of telephone calls. */
  phone_calls: {
    call_id: CallId;
    account_id: AccountId;
    carrier_id: CarrierId;
    /** JSON of a text; one carrier has each once. */
    carrier_call_id: string | null;
    /** JSON. */
    state: string;
    event_count: number;
    /** Null where the machine waits for no time. */
    due_at: EpochMs | null;
    /** 1 while it holds a slot, and after its end. */
    holds_slot: number;
    /**
     * 0 while the carrier may have to be asked for something other than the price; null in rows of an earlier version, which leaves the 0
     * where it ends a call.
     */
    is_over: number | null;
    /** Of the latest token; both null before there is one, and `sealed_token` where it was not given. */
    token_hash: string | null;
    sealed_token: string | null;
  };
  /** The journals of telephone calls. */
  phone_call_events: {
    call_id: CallId;
    /** 0 for the first event of the call. */
    position: number;
    account_id: AccountId;
    at: EpochMs;
    /** JSON. */
    event: string;
    /** JSON of a list. */
    commands: string;
  };
  /** When the next call may be placed from a number, over all nodes, by the database's clock. */
  dial_paces: { carrier_id: CarrierId; from_number: string; next_at: EpochMs };
}
