import type { LoggedRequest } from "../../../simulator/emulator/rest/request-log.ts";
import { findMismatches } from "../comparison.ts";
import type { PhoneCallResult, PhoneDemoResult } from "./report.ts";

/** Compares both calls with their scripts. One sentence for each difference; none when all went as scripted. */
export function findPhoneMismatches({ setUpRequests, inbound, outbound, placed }: PhoneDemoResult): string[] {
  const of = (which: string, problems: readonly string[]): string[] => problems.map((text) => `${which}: ${text}`);
  return [
    ...of("Set-up", setUpRequests.flatMap(refusedRequest)),
    ...of("Inbound call", callMismatches(inbound)),
    ...of("Inbound call", inbound.transfer?.connected === true ? [] : ["The carrier did not keep the two connected."]),
    ...of("Outbound call", callMismatches(outbound)),
    ...of("Outbound call", placed === 1 ? [] : [`It was placed ${placed} times.`]),
  ];
}

function callMismatches(result: PhoneCallResult): string[] {
  const { script, record, answerToGreetingMs, requests, webhooks } = result;
  const found = findMismatches(result);
  for (const name of ["direction", "from", "to"] as const) {
    const shown = record.phone?.[name];
    if (shown !== script[name]) found.push(`The record's ${name} is ${shown}, not ${script[name]}.`);
  }
  if (answerToGreetingMs === undefined) found.push("The greeting was not heard after the answer.");
  found.push(...requests.flatMap(refusedRequest));
  for (const { kind, status } of webhooks) {
    if (!isSuccess(status)) found.push(`The service answered the webhook ${kind} with ${status}.`);
  }
  return found;
}

const refusedRequest = ({ method, path, status }: LoggedRequest): string[] =>
  isSuccess(status) ? [] : [`The carrier answered ${method} ${path} with ${status}.`];

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
