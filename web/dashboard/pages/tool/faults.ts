import type { Schema } from "../../../client/src/index.ts";

export type Fault = NonNullable<Schema<"ToolTestResult">["fault"]>;

/** What went wrong with a run, in words. */
export const FAULTS: Readonly<Record<Fault, string>> = {
  arguments: "The arguments do not fit the tool's schema or its address.",
  busy: "Too many tools are running.",
  timeout: "It took longer than its timeout.",
  address_refused: "The address is one that tools may not call: it is not on the public internet.",
  unreachable: "The server could not be reached.",
  secret_refused: "A header names a secret that there is not, or that may not be sent to this server.",
  status: "The server answered with a status that is no success.",
  too_large: "The answer is too long.",
  unreadable: "The body of the answer is neither JSON nor text.",
  protocol: "The server answered with an error of the protocol, or with what cannot be understood.",
  server: "The server reported that its tool failed.",
  client: "The client reported a failure.",
  internal: "This is a defect of the service: its log says more.",
};
