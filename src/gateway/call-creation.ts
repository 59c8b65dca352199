import type { TurnParameters } from "../call/parameters.ts";
import { promptTokensMaxOf } from "../call/prompt-budget.ts";
import type { CallSpec } from "../core/calls/spec.ts";
import { isoTime } from "../core/clock.ts";
import { mediaKeyOf } from "../core/encryption/chunks.ts";
import { HISTORY_TOKENS_DEFAULT } from "../core/limits/speech-providers/llm.ts";
import type { JournaledLeg } from "../record/journal/records.ts";
import type { EndSummary, RedeemedCall } from "../store/call-handoff.ts";
import type { CallProviders } from "./admission.ts";
import type { GatewayOptions } from "./gateway.ts";
import { CallSession } from "./session.ts";
import { CallSpend } from "./spend/call.ts";

export interface NewSession {
  redeemed: RedeemedCall;
  /** The call's providers. */
  own: CallProviders;
  format: JournaledLeg;
  mayResume: boolean;
  parameters: Readonly<TurnParameters>;
  onDetached: () => void;
  onDone: (end: EndSummary) => void;
}

/** The session of a redeemed call, with its journal, before its first leg is attached. */
export function createSession(
  options: Omit<GatewayOptions, "callsMax" | "onFull" | "authentication" | "createWire">,
  { redeemed, own, format, mayResume, parameters, onDetached, onDone }: NewSession,
): CallSession {
  // Its API keys are in the adapters, its secrets in its tools, and go no further.
  const { providers: _, toolSecrets: __, ...call } = redeemed;
  const { callId, accountId, mediaKey } = call;
  const spec = withDtmf(call.spec, options.sendsTones);
  const { providers, httpTools, journals, metrics, clock, voiceActivity, historyTokensMax } = options;
  const { spend: settings, accountSpends, prices } = options;
  const { llm, tts } = own;
  const stt = own.stt?.forLanguage?.(spec.language) ?? own.stt;
  const promptTokensMax = promptTokensMaxOf(spec, llm.contextTokens, historyTokensMax ?? HISTORY_TOKENS_DEFAULT);
  const start = {
    ...{ callId, accountId, spec, parameters, promptTokensMax },
    startedAt: isoTime(clock.epochMs()),
    leg: format,
    detector: voiceActivity.version,
    sttHasInterim: stt?.capabilities.interimTranscripts ?? false,
    sttFinalPerUtterance: stt?.capabilities.finalPerUtterance ?? false,
  };
  return new CallSession({
    ...{ redeemed: { ...call, spec }, format, mayResume, parameters, promptTokensMax, stt, llm, metrics, clock },
    makeResampler: options.makeResampler,
    turnModel: providers.turnModel,
    tts: tts.forVoice(spec.voiceId),
    httpTools: httpTools.forCall(redeemed),
    retriever: options.retriever,
    schemas: options.schemas,
    phrases: options.phrases,
    spend: new CallSpend({
      ...{ accountId, settings, accountSpends, prices, metrics },
      maxCost: spec.maxCost,
      nowMs: () => clock.nowMs(),
    }),
    journal: journals.open(start, mediaKey === undefined ? undefined : mediaKeyOf(callId, mediaKey)),
    log: options.log.child({ callId }),
    phone: spec.phoneControl && {
      request: (request) => options.handoff.phoneRequested(callId, request),
      mediaChanged: (state) => options.handoff.mediaChanged({ callId, state }),
    },
    onHold: (sinceMs) => options.handoff.holdChanged({ callId, sinceMs }),
    onStarted: (carrierCallId) => options.handoff.streamStarted(callId, carrierCallId),
    onDetached,
    onDone,
  });
}

/** Says which way digits of the agent take, for calls that may have some. */
function withDtmf(spec: CallSpec, sendsTones: GatewayOptions["sendsTones"]): CallSpec {
  const maySend = spec.phoneControl === true || spec.tools.some(({ name }) => name === "send_dtmf");
  return maySend && sendsTones(spec) ? { ...spec, dtmfInBand: true } : spec;
}
