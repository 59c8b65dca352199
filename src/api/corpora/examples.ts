// Examples of corpora and documents for the API's document.

export const CORPUS = {
  id: "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
  name: "Products",
  description: "Prices, sizes and guarantees of our products.",
  languageId: "en",
  mode: "search",
  metadata: {},
  documents: { processing: 1, ready: 12, failed: 0 },
  chunks: 340,
  characters: 412_800,
  createdAt: "2026-11-21T08:00:00.000Z",
  updatedAt: "2026-11-21T08:00:00.000Z",
};

const PROCESSING = {
  id: "doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11",
  corpusId: CORPUS.id,
  name: "catalogue.pdf",
  source: "upload",
  url: null,
  fileName: "catalogue.pdf",
  metadata: {},
  status: "processing",
  failure: null,
  version: 1,
  isFound: false,
  hasFile: true,
  format: null,
  bytes: null,
  pages: null,
  chunks: null,
  characters: null,
  createdAt: "2026-11-21T08:01:00.000Z",
  updatedAt: "2026-11-21T08:01:00.000Z",
  processedAt: null,
};

export const DOCUMENTS = [
  PROCESSING,
  {
    ...PROCESSING,
    status: "ready",
    isFound: true,
    format: "pdf",
    bytes: 310_412,
    pages: 24,
    chunks: 41,
    characters: 48_310,
    updatedAt: "2026-11-21T08:01:01.200Z",
    processedAt: "2026-11-21T08:01:01.200Z",
  },
  {
    ...PROCESSING,
    status: "failed",
    failure: { code: "encrypted", message: "the PDF is encrypted: save it without a password" },
    updatedAt: "2026-11-21T08:01:01.200Z",
    processedAt: "2026-11-21T08:01:01.200Z",
  },
];

export const RETRIEVAL = {
  callId: "call_019aa5d0-2c00-7b3e-9c41-3b8f6a2d7e12",
  turn: 3,
  at: "2026-11-21T09:12:04.310Z",
  question: "How long is the guarantee on tyres?",
  tookMs: 8.4,
  passages: [
    {
      corpusId: CORPUS.id,
      documentId: PROCESSING.id,
      documentName: "catalogue.pdf",
      page: 12,
      ordinal: 20,
      score: 11.25,
    },
  ],
};
