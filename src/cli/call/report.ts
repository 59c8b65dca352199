import { elapsedMs, millisecondsOf } from "../../core/clocks.ts";
import { codecsOf, formatsOf } from "../../simulator/lines.ts";
import type { CallResult } from "./run.ts";

/** What `npm run call -- --json` prints. Times are whole milliseconds since the stream began. */
export interface CallDocument {
  wire: string;
  /** From the service's side: inbound is the caller's audio. */
  codecs: { inbound: string; outbound: string };
  /** Sample rates of the caller's microphone and earphone. */
  ratesHz: { inbound: number; outbound: number };
  durationMs: number;
  hungUpBy: "caller" | "other-end";
  closeCode: number;
  said: { text: string; startMs: number; endMs: number; overAgent: boolean }[];
  /** As the caller's STT decoded it from the played audio; empty for a TTS other than the reference TTS. */
  heard: { text: string; startMs: number; endMs: number; latencyMs?: number }[];
  /** How often the other end broke the protocol, by kind. */
  violations: Record<string, number>;
  /** Errors that the other end reported. */
  serviceErrors: readonly string[];
  recordedTo: string | null;
  /** The service's record; null when only the stream's address was given. */
  service: {
    callId: string;
    /** The saved agent and its version; null without one. */
    agentId: string | null;
    agentVersion: number | null;
    status: string;
    endReason: string | null;
    parameters: Readonly<Record<string, string>> | null;
    transcript: { role: "agent" | "user"; text: string; interrupted: boolean }[];
  } | null;
  /** Problems of the call, one sentence each; empty when the exit code is 0. */
  faults: string[];
}

/** The end reasons of a call that ended normally. */
const NORMAL_END_REASONS: readonly (string | null)[] = ["caller_hangup", "agent_hangup"];
const NORMAL_CLOSURE = 1_000;

/** One sentence for each problem; none when the call took place and ended normally. */
export function callFaults(result: CallResult): string[] {
  const { caller, violations, serviceErrors, hungUpBy, closeCode, service } = result;
  const found: string[] = [];
  if (!caller.finished) {
    found.push(`${hungUpBy === "caller" ? "The caller" : "The other end"} hung up before everything was said.`);
  }
  if (hungUpBy === "other-end" && closeCode !== NORMAL_CLOSURE) {
    found.push(`The stream was closed with ${closeCode}, not ${NORMAL_CLOSURE}.`);
  }
  if (caller.heard.length === 0) found.push("The caller heard nothing.");
  for (const [kind, count] of violations) {
    found.push(`The other end broke the protocol: ${kind} (${count}).`);
  }
  for (const serviceError of serviceErrors) found.push(`The other end reported the error ${serviceError}.`);
  if (
    service !== undefined &&
    !(service.record.status === "ended" && NORMAL_END_REASONS.includes(service.record.endReason))
  ) {
    found.push(`The service's record says ${service.record.status}, ${service.record.endReason}.`);
  }
  return found;
}

/** The result as `--json` prints it; times are whole ms since the start of the call. */
export function callDocument(result: CallResult): CallDocument {
  const { caller, service, startedMs } = result;
  const { inbound, outbound } = formatsOf(result.line);
  const since = (ms: number): number => Math.round(ms - millisecondsOf(startedMs));
  return {
    wire: result.line.wire,
    codecs: codecsOf(result.line),
    ratesHz: { inbound: inbound.rateHz, outbound: outbound.rateHz },
    durationMs: since(millisecondsOf(result.endedMs)),
    hungUpBy: result.hungUpBy,
    closeCode: result.closeCode,
    said: caller.said.map((turn) => ({ ...turn, startMs: since(turn.startMs), endMs: since(turn.endMs) })),
    heard: caller.heard.map(({ text, startMs, endMs, latencyMs }) => ({
      text,
      startMs: since(startMs),
      endMs: since(endMs),
      ...(latencyMs === undefined ? {} : { latencyMs: Math.round(latencyMs) }),
    })),
    violations: Object.fromEntries(result.violations),
    serviceErrors: result.serviceErrors,
    recordedTo: result.recordPath ?? null,
    service:
      service === undefined
        ? null
        : {
            callId: service.callId,
            agentId: service.record.agentId,
            agentVersion: service.record.agentVersion,
            status: service.record.status,
            endReason: service.record.endReason,
            parameters: service.record.parameters,
            transcript: service.transcript.map(({ role, text, interrupted }) => ({ role, text, interrupted })),
          },
    faults: callFaults(result),
  };
}

/** Summarises a finished call as text: what the caller heard, and the service's record of it. */
export function callSummary(result: CallResult): string {
  const { caller, service, recordPath, startedMs, endedMs } = result;
  const heard = caller.heard.map(({ text, startMs, endMs }) =>
    text === "" ? `  (speech that the reference STT cannot decode, ${seconds(endMs - startMs)})` : `  ${text}`,
  );
  const lines = [
    `${result.line.wire}: ${seconds(elapsedMs(startedMs, endedMs))}, the ${result.hungUpBy === "caller" ? "caller" : "other end"} hung up`,
    "",
    "The caller heard:",
    ...(heard.length === 0 ? ["  nothing"] : heard),
  ];
  if (service !== undefined) {
    const { callId, record, transcript } = service;
    lines.push("", `The service's transcript of ${callId} (${record.status}, ${record.endReason}):`);
    for (const { role, text, interrupted } of transcript) {
      lines.push(`  ${role.padEnd(5)}  ${text}${interrupted ? " [interrupted]" : ""}`);
    }
    if (record.agentId !== null) lines.push("", `The call had version ${record.agentVersion} of ${record.agentId}`);
    const parameters = Object.entries(record.parameters ?? {});
    if (parameters.length > 0) lines.push("", "The parameters of its start, in the service's record:");
    for (const [name, value] of parameters) lines.push(`  ${name}: ${value}`);
  }
  if (recordPath !== undefined) lines.push("", `What the caller heard is in ${recordPath}`);
  return lines.join("\n");
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
