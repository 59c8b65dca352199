import { SttServer, type SttServerAction, type SttServerOptions, sendMessage } from "./stt-server.ts";

interface TurnFlags {
  end?: boolean;
  formatted?: boolean;
  /** Words after the transcript that may still change. */
  open?: readonly string[];
  language?: readonly [code: string, confidence: number];
  /** `end_of_turn_confidence`; by default that of the Pro models, 1 at the end and 0 before. */
  confidence?: number;
}

/** One turn of AssemblyAI's `/v3/ws`, in the shape of its documentation. */
export function turn(order: number, transcript: string, flags: TurnFlags = {}): object {
  const { end = false, formatted = false, open = [], language, confidence = end ? 1 : 0 } = flags;
  const closed = transcript === "" ? [] : transcript.split(" ");
  const words = [...closed, ...open].map((text, at) => ({
    text,
    start: at * 100,
    end: at * 100 + 80,
    confidence: 0.9,
    word_is_final: at < closed.length,
  }));
  return {
    type: "Turn",
    turn_order: order,
    turn_is_formatted: formatted,
    end_of_turn: end,
    transcript,
    end_of_turn_confidence: confidence,
    words,
    utterance: end ? transcript : "",
    ...(language === undefined ? {} : { language_code: language[0], language_confidence: language[1] }),
  };
}

const begin: SttServerAction = sendMessage({
  type: "Begin",
  id: "00000000-0000-4000-8000-000000000000",
  expires_at: 1_800_000_000,
});

const onTerminate: SttServerAction = (socket) => {
  sendMessage({ type: "Termination", audio_duration_seconds: 1, session_duration_seconds: 1 })(socket);
  socket.close(1000);
};

/** An error followed by a close; the text describes it. */
export const sessionError =
  (code: number, text: string): SttServerAction =>
  (socket) => {
    sendMessage({ type: "Error", error_code: code, error: text })(socket);
    socket.close(code, text);
  };

export const fakeAssemblyAi = (options: SttServerOptions = {}): Promise<SttServer> =>
  SttServer.listen({ greeting: begin, ...options, answers: { Terminate: onTerminate, ...options.answers } });
