import type {
  CallInstruction,
  CarrierCredentials,
  CarrierNotice,
  CarrierNumber,
  CarrierTelephony,
  DialOrder,
  Exchange,
  WebhookRequest,
} from "../../../src/carriers/telephony.ts";

/** A webhook of the carrier, as its documentation or a log has it, and what it says. */
export interface SampleWebhook {
  readonly name: string;
  readonly body: string;
  readonly notice: CarrierNotice;
}

/** One carrier, for the contract of `CarrierTelephony`. */
export interface TelephonyUnderTest {
  readonly name: string;
  readonly telephony: CarrierTelephony;
  readonly credentials: CarrierCredentials;
  readonly number: CarrierNumber;
  readonly carrierCallId: string;
  readonly webhooks: readonly SampleWebhook[];
  /** The webhook as the carrier with these credentials sends it. */
  sign(body: string): WebhookRequest;
  /** The webhook of an inbound call. */
  incoming(call: { id: string; from: string; to: string }): string;
  /** What an attached number's steps before it gave. */
  readonly attachValues: readonly unknown[];
  /** The body of the answer to a dial that placed the call `id`. */
  dialled(id: unknown): object;
  /** The body of a refusal with this code of the carrier; a carrier without codes leaves it out. */
  refusal(code: string): object;
  readonly hasCodes: boolean;
}

/** When webhooks under test are signed and arrive, Unix time. */
export const NOW_MS = 1_795_780_800_000;

export const ORDER: DialOrder = {
  callId: "call_01976f4e-7a3c-7b1e-9f00-3b1d2c4e5f60",
  to: "+14155550123",
  from: "+442079460123",
  ringMsMax: 30_000,
  urls: {
    voice: "https://api.example.com/telephony/k/calls/call_1/voice",
    status: "https://api.example.com/telephony/k/calls/call_1/status",
  },
};

export const STREAM = {
  kind: "stream",
  stream: {
    url: "wss://media.example.com/stream/TOKEN",
    callId: ORDER.callId,
    connect: 1,
    authToken: "secret-of-the-stream",
    afterUrl: "https://api.example.com/telephony/k/calls/call_1/after-stream/1",
  },
} as const satisfies CallInstruction;

export const TRANSFER = {
  kind: "transfer",
  transfer: {
    target: "+14155550199",
    from: "+442079460123",
    ringMsMax: 25_000,
    resultUrl: "https://api.example.com/telephony/k/calls/call_1/transfer",
  },
} as const satisfies CallInstruction;

export const REFUSAL = { kind: "refuse", reason: "busy" } as const satisfies CallInstruction;
export const SPOKEN_REFUSAL = {
  kind: "refuse",
  reason: "rejected",
  text: "All lines are busy.",
  language: "en-GB",
} as const satisfies CallInstruction;
export const HANG_UP = { kind: "hang_up" } as const satisfies CallInstruction;

export const INSTRUCTIONS: readonly CallInstruction[] = [STREAM, TRANSFER, REFUSAL, SPOKEN_REFUSAL, HANG_UP];

export const OPTIONS = {
  commandId: "command-1",
  isAnswered: true,
  documentUrl: "https://api.example.com/telephony/k/calls/call_1/transfer",
};

/** Every request to one call. */
export function callExchanges(subject: TelephonyUnderTest): readonly Exchange<undefined>[] {
  const { telephony, credentials, carrierCallId } = subject;
  const instructed = INSTRUCTIONS.flatMap((instruction) =>
    [true, false].map((isAnswered) =>
      telephony.instruct(credentials, carrierCallId, instruction, { ...OPTIONS, isAnswered }),
    ),
  );
  const digits = telephony.sendDtmf === undefined ? [] : [telephony.sendDtmf(credentials, carrierCallId, "12#")];
  return [telephony.hangUp(credentials, carrierCallId), ...digits, ...instructed];
}

/** Every request that concerns no call that there is. */
export function otherExchanges(subject: TelephonyUnderTest): readonly Exchange<unknown>[] {
  const { telephony, credentials, number, carrierCallId } = subject;
  const steps = [
    ...telephony.attachNumber(credentials, number, ORDER.urls),
    ...telephony.detachNumber(credentials, number, {}),
  ];
  return [
    telephony.verify(credentials),
    telephony.listNumbers(credentials),
    telephony.readNumber(credentials, number),
    ...steps.map((step) => step(subject.attachValues)),
    telephony.dial(credentials, ORDER),
    telephony.findCalls(credentials, ORDER, NOW_MS),
    ...(telephony.readPrice === undefined ? [] : [telephony.readPrice(credentials, carrierCallId)]),
  ];
}
