import { SttServer, type SttServerAction, type SttServerOptions, sendMessage } from "./stt-server.ts";

type TurnEvent = "StartOfTurn" | "Update" | "EagerEndOfTurn" | "TurnResumed" | "EndOfTurn";

interface TurnFlags {
  index?: number;
  /** Why the turn ended. */
  trigger?: "model" | "manual" | "timeout";
  /** What `flux-general-multi` detected. */
  languages?: readonly string[];
}

/** One message of a turn of Deepgram's `/v2/listen`, in the shape of its documentation. */
export function turnInfo(event: TurnEvent, transcript: string, confidence: number, flags: TurnFlags = {}): object {
  const { index = 0, trigger = "model", languages } = flags;
  return {
    type: "TurnInfo",
    request_id: "00000000-0000-4000-8000-000000000000",
    sequence_id: 1,
    event,
    turn_index: index,
    audio_window_start: 0,
    audio_window_end: 1,
    transcript,
    words: transcript.split(" ").map((word) => ({ word, confidence: 0.99 })),
    end_of_turn_confidence: confidence,
    ...(event === "EndOfTurn" ? { trigger } : {}),
    ...(languages === undefined ? {} : { languages, languages_hinted: ["en"] }),
  };
}

/** Its answer to ForceEndTurn where no turn is open. */
export const NO_ACTIVE_TURN = {
  type: "Warning",
  request_id: "00000000-0000-4000-8000-000000000000",
  sequence_id: 2,
  code: "FORCE_END_TURN_NO_ACTIVE_TURN",
  description: "There is no active turn to end.",
};

const connected: SttServerAction = sendMessage({
  type: "Connected",
  request_id: "00000000-0000-4000-8000-000000000000",
  sequence_id: 0,
});

export const fakeFlux = (options: SttServerOptions = {}): Promise<SttServer> =>
  SttServer.listen({
    greeting: connected,
    ...options,
    answers: {
      ForceEndTurn: sendMessage(NO_ACTIVE_TURN),
      // It closes without a code, and ends no turn.
      CloseStream: (socket) => socket.close(),
      ...options.answers,
    },
  });
