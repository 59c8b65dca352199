// Examples of transcriptions for the API's document.

const USAGE = { provider: "deepgram", model: "nova-3", audioSeconds: 2.5 };

const OPEN = {
  id: "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
  status: "processing",
  source: "upload",
  callId: null,
  url: null,
  fileName: "meeting.mp3",
  options: {
    ...{ language: "auto", channels: "mix", timestamps: "word", speakers: false },
    ...{ vocabulary: ["Lario’s"], redact: [] },
  },
  metadata: { meeting: "A-17" },
  deleteAudio: false,
  hasAudio: true,
  progress: { doneSeconds: 1.2, durationSeconds: 2.5 },
  failure: null,
  createdAt: "2026-11-21T08:00:00.000Z",
  startedAt: "2026-11-21T08:00:00.200Z",
  endedAt: null,
  resultDeletedAt: null,
  usage: null,
  cost: null,
};

const COMPLETED = {
  ...OPEN,
  status: "completed",
  progress: { doneSeconds: 2.5, durationSeconds: 2.5 },
  endedAt: "2026-11-21T08:00:01.400Z",
  usage: [{ ...USAGE, cost: 0.000179167 }],
  cost: { currency: "USD", total: 0.000179167, complete: true },
};

export const SUMMARIES = [OPEN, COMPLETED];

export const TRANSCRIPTIONS = [
  { ...OPEN, result: null },
  {
    ...COMPLETED,
    result: {
      text: "good evening",
      language: "en",
      durationMs: 2_500,
      channels: 1,
      utterances: [{ text: "good evening", startMs: 100, endMs: 800, channel: 0 }],
      words: [
        { text: "good", startMs: 100, endMs: 300, confidence: 0.98, channel: 0 },
        { text: "evening", startMs: 350, endMs: 800, confidence: 0.97, channel: 0 },
      ],
      hasEstimatedTimes: false,
      parts: [{ channel: 0, startMs: 0, endMs: 2_500, provider: "deepgram", requests: 1, usage: [USAGE] }],
    },
  },
];
