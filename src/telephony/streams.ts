import type { CarrierCredentials, CarrierTelephony, StreamOrder } from "../carriers/telephony.ts";
import type { CarrierType } from "../core/calls/spec.ts";
import type { CallId, WorkerId } from "../core/ids.ts";
import { STREAM_CONNECT_MS_MAX } from "../core/limits/phone/phone-calls.ts";
import type { Keyring } from "../store/sealing/seal.ts";
import { hashSecret } from "../store/secrets.ts";
import type { PhoneCallStep, PhoneCallStore, StoredPhoneCall } from "../store/telephony/phone-call-store.ts";
import { stateOf } from "./orders.ts";

export interface StreamAddressesOptions {
  phoneCalls: Pick<PhoneCallStore, "sealedToken">;
  keys: Pick<Keyring, "seal" | "open">;
  /** A new stream token, signed so that workers accept it. */
  mintToken: () => string;
  /** The address of a stream with this token. */
  urlOf: (carrier: CarrierType, token: string) => string;
  /** The single-use address for this connection of a call that a worker carries; undefined where the worker does not answer. */
  resumeAddress: (workerId: WorkerId, callId: CallId, connect: number) => Promise<string | undefined>;
}

/** The addresses at which carriers connect streams. Each is used once, and none is in a log, a job or a journal. */
export class StreamAddresses {
  readonly #options: StreamAddressesOptions;

  constructor(options: StreamAddressesOptions) {
    this.#options = options;
  }

  /** A token for the first stream of a call, to be stored with the step that is about to connect it. */
  newToken({ callId }: StoredPhoneCall): NonNullable<PhoneCallStep["token"]> {
    const { keys, mintToken } = this.#options;
    const token = mintToken();
    return {
      hash: hashSecret(token),
      ttlMs: STREAM_CONNECT_MS_MAX,
      sealed: keys.seal(token, placeOf(callId)),
    };
  }

  /**
   * The stream of the latest connection of a call: the same address as often as it is asked for, at whichever node. Undefined where it has been used, has
   * expired, or the worker of the call is gone.
   */
  async orderOf(
    call: StoredPhoneCall,
    carrier: CarrierType,
    telephony: CarrierTelephony,
    credentials: CarrierCredentials,
  ): Promise<Omit<StreamOrder, "afterUrl"> | undefined> {
    const { phase, connects: connect } = stateOf(call);
    if (phase.at !== "answered" && phase.at !== "returning") return undefined;
    const url = phase.at === "answered" ? await this.#firstUrl(call, carrier) : await this.#nextUrl(call);
    if (url === undefined) return undefined;
    return { url, callId: call.callId, connect, authToken: telephony.streamSecret(credentials) };
  }

  async #firstUrl({ callId }: StoredPhoneCall, carrier: CarrierType): Promise<string | undefined> {
    const { phoneCalls, keys, urlOf } = this.#options;
    const sealed = await phoneCalls.sealedToken(callId);
    return sealed === undefined ? undefined : urlOf(carrier, keys.open(sealed, placeOf(callId)));
  }

  async #nextUrl(call: StoredPhoneCall): Promise<string | undefined> {
    const { callId, workerId } = call;
    // The worker remembers it: this webhook of the carrier may come again, to another node.
    return workerId && (await this.#options.resumeAddress(workerId, callId, stateOf(call).connects));
  }
}

const placeOf = (callId: CallId) => ({ table: "phone_calls", rowId: callId, column: "sealed_token" });
