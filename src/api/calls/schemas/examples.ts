/** Examples for the OpenAPI document. A test checks each against its schema, and sends those of requests. */

const ID = "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10";

const LEAST = {
  systemPrompt: "You answer the telephone of a bakery. The bakery is open from eight to six.",
  voice: "English (America)",
  language: "en-US",
};

const ORDER_STATUS = {
  type: "http",
  name: "order_status",
  description: "Tells how far an order is.",
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  timeoutMs: 5_000,
  readOnly: true,
  idempotent: false,
};
const ORDER_REQUEST = { method: "GET", url: "https://api.example.com/orders/{order}" };

const ANALYSIS = {
  schema: {
    type: "object",
    properties: { wantsCallback: { type: "boolean" } },
    required: ["wantsCallback"],
  },
  prompt: "A caller who asks to be called again wants a callback.",
  summary: true,
};

const SETTINGS = {
  languagePinned: false,
  model: "model_b",
  temperature: 0.3,
  firstSpeaker: "agent",
  interruptible: true,
  maxDuration: 600,
  inactivityTimeout: 20,
  inactivityAction: "hang_up",
  recordingEnabled: true,
  transcriptEnabled: true,
  useParameters: true,
  redact: ["card_number"],
  analysis: ANALYSIS,
  selectedTools: [
    { toolName: "hang_up" },
    { toolName: "transfer", parameterOverrides: { target: "+15550100" } },
    { definition: { ...ORDER_STATUS, http: { ...ORDER_REQUEST, headers: { Accept: "application/json" } } } },
  ],
};

/** The same tools as responses show them. */
const SHOWN_TOOLS = [
  ...SETTINGS.selectedTools.slice(0, 2),
  { definition: { ...ORDER_STATUS, http: { ...ORDER_REQUEST, headerNames: ["Accept"] } } },
];

const METADATA = { order: "A-17", vip: true };

/** The smallest call, a call over a raw WebSocket, and a call with every field that this version supports. */
export const NEW_CALLS = [
  LEAST,
  { ...LEAST, connectionType: "websocket", websocket: { inputSampleRate: 16_000, outputSampleRate: 24_000 } },
  { ...LEAST, ...SETTINGS, greeting: "Hello, this is the bakery.", connectionType: "carrier_a", metadata: METADATA },
];

export const CREATED_CALLS = [
  {
    id: ID,
    websocketUrl: "wss://media.example.com/stream/l8mZpUT0cgqnHkGmRKgO2oVhZ8vAUIUSvh4Xg1wqB1E",
    status: "created",
    connectionType: "carrier_a",
    createdAt: "2026-11-21T08:00:00.000Z",
  },
];

export const CALLS = [
  {
    id: ID,
    agentId: null,
    agentVersion: null,
    variables: null,
    status: "ended",
    connectionType: "carrier_a",
    createdAt: "2026-11-21T08:00:00.000Z",
    startedAt: "2026-11-21T08:00:02.140Z",
    endedAt: "2026-11-21T08:00:14.300Z",
    durationMs: 12_160,
    endReason: "caller_hangup",
    heldSince: null,
    carrierCallId: "CA0123456789abcdef0123456789abcdef",
    phone: {
      direction: "inbound",
      from: "+15550199",
      to: "+15550100",
      carrierId: "carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
      phoneNumberId: "number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
      headers: null,
      carrierCode: null,
      price: { amount: 0.0085, currency: "USD" },
    },
    parameters: { branch: "Mill Street", returning: "true" },
    configuration: {
      ...SETTINGS,
      maxCost: null,
      selectedTools: SHOWN_TOOLS,
      voice: "espeak/gmw/en-US",
      language: "en-US",
      websocket: null,
    },
    metadata: METADATA,
    recording: { channels: 2, sampleRateHz: 8_000, durationMs: 12_160, complete: true },
    recordingDeletedAt: null,
    transcriptDeletedAt: null,
    redaction: { card_number: 1 },
    recordingPauses: null,
    analysis: {
      status: "completed",
      reason: null,
      summary: "The caller asked for the opening hours.",
      data: { wantsCallback: false },
      truncated: false,
    },
    transcriptComplete: true,
    counters: { framesIn: 608, framesOut: 236 },
    latency: {
      endOfTurn: { count: 2, p50Ms: 520, p90Ms: 540, p95Ms: 540, p99Ms: 540 },
      llmFirstToken: { count: 2, p50Ms: 120, p90Ms: 310, p95Ms: 310, p99Ms: 310 },
      total: { count: 2, p50Ms: 780, p90Ms: 990, p95Ms: 990, p99Ms: 990 },
    },
    network: null,
    usage: [
      { stage: "stt", provider: "deepgram", audioSeconds: 12.02, cost: 0.001542567 },
      {
        stage: "llm",
        provider: "openai",
        model: "gpt-4o-mini",
        inputTokens: 512,
        outputTokens: 61,
        cost: 0.0001134,
      },
      { stage: "tts", provider: "espeak", characters: 208, cost: null },
    ],
    cost: { currency: "USD", total: 0.001655967, complete: false },
  },
];

export const CALL_SUMMARIES = CALLS.map(
  ({ configuration: { selectedTools: _, analysis: __, ...configuration }, analysis: ___, ...call }) => ({
    ...call,
    configuration,
  }),
);

export const TURNS = [
  {
    role: "agent",
    text: "We are open from eight",
    startMs: 5_400,
    endMs: 7_020,
    interrupted: true,
    latency: {
      finalTranscriptMs: 310,
      endOfTurnMs: 520,
      retrievalMs: 520,
      llmRequestedMs: 520,
      firstTextMs: 640,
      firstSegmentMs: 690,
      firstAudioMs: 760,
      firstFrameMs: 780,
    },
    retrieval: {
      tookMs: 12,
      passages: [
        {
          corpusId: "cor_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e57",
          documentId: "doc_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e58",
          documentName: "Opening hours.pdf",
          page: 1,
          ordinal: 0,
          score: 7.4,
        },
      ],
    },
  },
];
