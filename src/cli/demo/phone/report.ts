import type { BodyOf } from "#client";
import type { EmulatedName } from "../../../simulator/emulator/emulator.ts";
import type { LoggedRequest } from "../../../simulator/emulator/rest/request-log.ts";
import type { SentWebhook } from "../../../simulator/emulator/webhook-sender.ts";
import { type DemoDocument, type DemoResult, demoDocument, demoSummary } from "../report.ts";
import { shortened } from "./progress.ts";
import type { PhoneScript } from "./scenario.ts";

/** A call as the API shows it. */
type CallRecord = BodyOf<"get", "/calls/{id}">;
/** A webhook as the emulator's log has it, but for its body. */
type ShownWebhook = Omit<SentWebhook, "body">;

/** A telephone call from all ends. */
export interface PhoneCallResult extends DemoResult {
  script: PhoneScript;
  record: CallRecord;
  transcriptPath: string;
  /** From the answer of the line to the first sample of the greeting, at the person's end. Absent where none was heard. */
  answerToGreetingMs?: number;
  /** What became of the transfer, in a call that has one: whether the carrier kept the two people connected. */
  transfer?: { target: string; connected: boolean };
  /** What the service asked the carrier, without secrets. */
  requests: readonly LoggedRequest[];
  webhooks: readonly ShownWebhook[];
}

export interface PhoneDemoResult {
  carrier: EmulatedName;
  /** The requests by which credentials were checked, numbers imported and one attached. */
  setUpRequests: readonly LoggedRequest[];
  inbound: PhoneCallResult;
  outbound: PhoneCallResult;
  /** How many calls the carrier was made to place. */
  placed: number;
}

/** What `npm run demo -- --phone --json` prints. */
export interface PhoneDemoDocument {
  carrier: EmulatedName;
  setUpRequests: readonly LoggedRequest[];
  inbound: PhoneCallDocument;
  outbound: PhoneCallDocument;
}

interface PhoneCallDocument extends DemoDocument {
  /** As `GET /calls/{id}` shows it. */
  record: CallRecord;
  answerToGreetingMs: number | null;
  transfer: { target: string; connected: boolean } | null;
  requests: readonly LoggedRequest[];
  webhooks: readonly ShownWebhook[];
  transcriptPath: string;
}

/** The result as `--json` prints it. */
export const phoneDemoDocument = ({
  carrier,
  setUpRequests,
  inbound,
  outbound,
}: PhoneDemoResult): PhoneDemoDocument => ({
  carrier,
  setUpRequests,
  inbound: callDocument(inbound),
  outbound: callDocument(outbound),
});

function callDocument(result: PhoneCallResult): PhoneCallDocument {
  const { record, answerToGreetingMs, transfer, requests, webhooks, transcriptPath } = result;
  return {
    ...demoDocument(result),
    record,
    answerToGreetingMs: answerToGreetingMs === undefined ? null : Math.round(answerToGreetingMs),
    transfer: transfer ?? null,
    requests,
    webhooks,
    transcriptPath,
  };
}

/** Summarises both calls as text. */
export const phoneDemoSummary = ({ inbound, outbound }: PhoneDemoResult): string =>
  [inbound, outbound].map(callSummary).join("\n\n");

function callSummary(result: PhoneCallResult): string {
  const { script, answerToGreetingMs, transfer, requests, webhooks, transcriptPath } = result;
  const answer = answerToGreetingMs === undefined ? "no greeting" : `greeting ${Math.round(answerToGreetingMs)} ms`;
  const title = `${script.direction === "inbound" ? "Inbound" : "Outbound"} call from ${script.from} to ${script.to}`;
  return [
    title,
    demoSummary(result),
    `Transcript: ${transcriptPath}`,
    `Answered, then ${answer} later`,
    ...(transfer === undefined
      ? []
      : [`Transferred to ${transfer.target}, ${transfer.connected ? "connected" : "not connected"}`]),
    `Webhooks of the carrier: ${webhooks.length}. Requests to it: ${requests.length}`,
    ...requests.map(({ method, path, status }) => `  ${method} ${shortened(path)}  ${status}`),
  ].join("\n");
}
