import { SttServer, type SttServerAction, type SttServerOptions, sendMessage } from "./stt-server.ts";

/** One result of Deepgram's `/v1/listen`, in the shape of its documentation. */
export function results(
  text: string,
  range: readonly [startS: number, endS: number],
  flags: { final?: boolean; speechFinal?: boolean; fromFinalize?: boolean; languages?: string[] } = {},
): object {
  const [startS, endS] = range;
  const { final = false, speechFinal = false, fromFinalize = false, languages } = flags;
  const words = text.split(" ").map((word) => ({
    word: word.toLowerCase(),
    start: startS,
    end: endS,
    confidence: 0.99,
    punctuated_word: word,
  }));
  return {
    type: "Results",
    channel_index: [0, 1],
    duration: endS - startS,
    start: startS,
    is_final: final,
    speech_final: speechFinal,
    channel: {
      alternatives: [{ transcript: text, confidence: 0.99, ...(languages === undefined ? {} : { languages }), words }],
    },
    metadata: {
      request_id: "00000000-0000-4000-8000-000000000000",
      model_info: { name: "general-nova-3", version: "2025-04-17.21547", arch: "nova-3" },
      model_uuid: "00000000-0000-4000-8000-000000000001",
    },
    from_finalize: fromFinalize,
  };
}

export const UTTERANCE_END = { type: "UtteranceEnd", channel: [0, 1], last_word_end: 2.395 };

/** What it sends before it closes. */
const METADATA = {
  type: "Metadata",
  transaction_key: "deprecated",
  request_id: "00000000-0000-4000-8000-000000000000",
  sha256: "0000000000000000000000000000000000000000000000000000000000000000",
  created: "2026-01-01T00:00:00.000Z",
  duration: 0,
  channels: 1,
};

const onCloseStream: SttServerAction = (socket) => {
  sendMessage(METADATA)(socket);
  socket.close(1000);
};

export const fakeDeepgram = (options: SttServerOptions = {}): Promise<SttServer> =>
  SttServer.listen({ ...options, answers: { CloseStream: onCloseStream, ...options.answers } });
