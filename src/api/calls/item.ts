import type { z } from "zod";
import { type StreamFormat, storesWords } from "../../core/calls/spec.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { isoTime } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";
import type { CallRecord, ListedCall } from "../../store/calls/call-store.ts";
import { toolItemOf } from "../tools/tool-specs.ts";
import type { CallItem, CallSummary, Turn } from "./schemas/response-schemas.ts";

const timeOrNull = (time: EpochMs | undefined): string | null => (time === undefined ? null : isoTime(time));

/** Since when the caller of a live call is on hold; undefined for one who is not. */
export type HeldSince = (callId: CallId) => EpochMs | undefined;

/** A call as the API shows it. `heldSinceMs`: since when its caller is on hold. */
export function itemOf(call: CallRecord, heldSinceMs?: EpochMs): z.output<typeof CallItem> {
  const summary = summaryOf(call, heldSinceMs);
  const selectedTools = call.settings.tools.map(toolItemOf);
  const analysis = call.settings.analysis ?? null;
  return {
    ...summary,
    configuration: { ...summary.configuration, selectedTools, analysis: analysis === null ? null : { ...analysis } },
    analysis: analysisItemOf(call.analysis),
  };
}

const analysisItemOf = (analysis: CallRecord["analysis"]): z.output<typeof CallItem>["analysis"] =>
  analysis === undefined
    ? null
    : {
        status: analysis.status,
        reason: analysis.reason ?? null,
        summary: analysis.summary ?? null,
        data: analysis.data === undefined ? null : { ...analysis.data },
        truncated: analysis.truncated ?? false,
      };

/** A call as lists show it. */
export function summaryOf(call: ListedCall, heldSinceMs?: EpochMs): z.output<typeof CallSummary> {
  const { settings } = call;
  return {
    id: call.id,
    agentId: call.agentId ?? null,
    agentVersion: call.agentVersion ?? null,
    variables: call.variables === undefined ? null : { ...call.variables },
    status: call.status,
    connectionType: settings.connectionType,
    createdAt: isoTime(call.createdAtMs),
    startedAt: timeOrNull(call.startedAtMs),
    endedAt: timeOrNull(call.endedAtMs),
    durationMs: call.durationMs ?? null,
    endReason: call.endReason ?? null,
    heldSince: call.status === "active" ? timeOrNull(heldSinceMs) : null,
    carrierCallId: call.carrierCallId ?? null,
    phone: phoneOf(call),
    parameters: call.parameters === undefined ? null : { ...call.parameters },
    configuration: {
      voice: settings.voiceId,
      language: settings.language,
      languagePinned: settings.languagePinned,
      model: settings.model,
      temperature: settings.temperature,
      firstSpeaker: settings.firstSpeaker,
      interruptible: settings.interruptible,
      maxDuration: settings.maxDurationMs / 1_000,
      inactivityTimeout: settings.inactivityTimeoutMs / 1_000,
      inactivityAction: settings.inactivityAction,
      maxCost: settings.maxCost ?? null,
      recordingEnabled: settings.recordingEnabled,
      transcriptEnabled: storesWords(settings),
      useParameters: settings.useParameters ?? false,
      redact: [...(settings.redact ?? [])],
      websocket: settings.websocket === undefined ? null : websocketOf(settings.websocket),
    },
    metadata: settings.metadata ?? null,
    recording: call.recording ?? null,
    recordingDeletedAt: timeOrNull(call.recordingDeletedAtMs),
    transcriptDeletedAt: timeOrNull(call.transcriptDeletedAtMs),
    redaction: call.redaction === undefined ? null : { ...call.redaction },
    recordingPauses: call.recordingPauses?.map((pause) => ({ ...pause })) ?? null,
    transcriptComplete: call.transcriptComplete ?? null,
    counters: call.counters ? { ...call.counters } : null,
    latency: call.latency ?? null,
    network: networkItemOf(call.network),
    usage: call.usage?.map((used) => ({ ...used })) ?? null,
    cost: call.cost ?? null,
  };
}

function phoneOf({ phone, carrierPrice }: ListedCall): z.output<typeof CallItem>["phone"] {
  if (phone === undefined) return null;
  return {
    direction: phone.direction,
    from: phone.from,
    to: phone.to,
    carrierId: phone.carrierId ?? null,
    phoneNumberId: phone.phoneNumberId ?? null,
    headers: phone.headers === undefined ? null : { ...phone.headers },
    carrierCode: phone.carrierCode ?? null,
    price: carrierPrice ?? null,
  };
}

const networkItemOf = (network: CallRecord["network"]): z.output<typeof CallItem>["network"] =>
  network === undefined
    ? null
    : {
        lossInPercent: network.lossInPercent ?? null,
        lossOutPercent: network.lossOutPercent ?? null,
        jitterInMs: network.jitterInMs ?? null,
        jitterOutMs: network.jitterOutMs ?? null,
        roundTripMs: network.roundTripMs ?? null,
      };

/** Uses the names of `POST /calls`. */
const websocketOf = ({ codec, inputRateHz, outputRateHz }: StreamFormat) => ({
  codec,
  inputSampleRate: inputRateHz,
  outputSampleRate: outputRateHz,
});

/** The turns of a transcript as the API shows them. */
export const turnItemsOf = (
  { settings }: Pick<CallRecord, "settings">,
  turns: readonly TranscriptTurn[] = [],
): z.output<typeof Turn>[] => turns.map(({ text, ...turn }) => (storesWords(settings) ? { ...turn, text } : turn));
