import { parseObject } from "../../core/json.ts";
import { isCarrierId } from "../rest.ts";

// `client_state`: base64 of what a command gives, returned by every webhook of the leg after it.

/** What the service writes into it. */
export interface ClientState {
  /** Our id of the call that was dialled. */
  readonly callId?: string;
  /** The leg is the target of a transfer of this call, by its `call_control_id`. */
  readonly transferOf?: string;
  /** The latest stream of the call. */
  readonly connect?: number;
}

export const encodeClientState = (state: ClientState): string => Buffer.from(JSON.stringify(state)).toString("base64");

/** What is ours of a state. Other programs of the account may write others. */
export function decodeClientState(text: unknown): ClientState {
  if (typeof text !== "string") return {};
  const { callId, transferOf, connect } = parseObject(Buffer.from(text, "base64").toString()) ?? {};
  return {
    ...(isCarrierId(callId) && { callId }),
    ...(isCarrierId(transferOf) && { transferOf }),
    ...(Number.isSafeInteger(connect) && { connect: connect as number }),
  };
}
