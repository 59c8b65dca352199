import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { TrunklineCall, TrunklineCallError } from "../../../../sdk/src/index.ts";
import { api } from "../../../app/api.ts";
import { causeOf, SOCKET_FORMAT, WORKLET_URL } from "./session.ts";

/** A voice, and what it is to say. */
export interface Sample {
  voiceId: string;
  language: string;
  text: string;
}

export interface VoiceSample {
  /** The voice that is heard, or is about to be. */
  voiceId: string | undefined;
  error: unknown;
  play: (sample: Sample) => void;
  stop: () => void;
}

/** Seconds: the shortest that a call may be limited to. */
const LONGEST_S = 60;

/**
 * Lets a voice be heard: by a call of its own, without a microphone, that ends when its first words are over. So it sounds as it does
 * in calls. Nothing of it is stored but that there was a call.
 */
export function useVoiceSample(): VoiceSample {
  const [voiceId, setVoiceId] = useState<string>();
  const [error, setError] = useState<unknown>();
  const current = useRef<TrunklineCall | undefined>(undefined);

  const stop = useCallback((): void => {
    current.current?.stop();
    current.current = undefined;
    setVoiceId(undefined);
  }, []);
  const play = useCallback(
    (sample: Sample): void => {
      stop();
      setError(undefined);
      setVoiceId(sample.voiceId);
      const call = new TrunklineCall(
        { session: () => startSample(sample) },
        { microphone: false, transport: "websocket", resume: false, workletUrl: WORKLET_URL },
      );
      current.current = call;
      let hasSpoken = false;
      call.addEventListener("state", ({ detail: { state } }) => {
        if (state === "speaking") hasSpoken = true;
        else if (state === "listening" && hasSpoken) call.stop();
      });
      call.addEventListener("ended", () => {
        if (current.current === call) stop();
      });
      call.start().catch((failure: unknown) => {
        if (current.current !== call) return;
        current.current = undefined;
        setVoiceId(undefined);
        // A call that is over before all is ready says nothing else.
        const isStopped = failure instanceof TrunklineCallError && failure.code === "not_connected";
        if (!isStopped) setError(causeOf(failure));
      });
    },
    [stop],
  );
  useEffect(() => stop, [stop]);
  return { voiceId, error, play, stop };
}

const startSample = ({ voiceId, language, text }: Sample): Promise<{ websocketUrl: string }> =>
  api.post("/calls", {
    body: {
      systemPrompt: "Say nothing more.",
      voice: voiceId,
      language,
      greeting: text,
      recordingEnabled: false,
      transcriptEnabled: false,
      maxDuration: LONGEST_S,
      connectionType: "websocket",
      websocket: SOCKET_FORMAT,
      metadata: { dashboard: "voice sample" },
    },
  });
