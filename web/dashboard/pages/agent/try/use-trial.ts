import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type CallState, TrunklineCall, TrunklineCallError } from "../../../../sdk/src/index.ts";
import { Conversation, type Turn } from "../../../../ui/conversation.ts";
import { causeOf, WORKLET_URL } from "./session.ts";

/** A call in this page. */
export interface Trial {
  /** `idle` before the first call; the latest call stays when it has ended. */
  state: CallState;
  /** Undefined until the service has made the call. */
  callId: string | undefined;
  turns: readonly Turn[];
  /** Why the call ended. */
  endReason: string | undefined;
  /** Why it did not start, or what went wrong in it. */
  error: unknown;
  /** The browser has stopped the sound until the person clicks. */
  needsGesture: boolean;
  isMuted: boolean;
  hasMicrophone: boolean;
  /** What the page was asked to do by tools that a page carries out. */
  toolRequests: readonly string[];
  start: (source: TrialSource) => void;
  stop: () => void;
  setMuted: (isMuted: boolean) => void;
  sendText: (text: string) => void;
  resumeAudio: () => void;
}

/** A call to make. */
export interface TrialSource {
  microphone: boolean;
  create: () => Promise<{ id: string; websocketUrl: string }>;
  /** The names of the tools that a page carries out. This page answers that it cannot. */
  clientTools: readonly string[];
}

interface TrialState
  extends Pick<Trial, "state" | "callId" | "endReason" | "error" | "needsGesture" | "isMuted" | "hasMicrophone"> {
  toolRequests: readonly string[];
}

const IDLE: TrialState = {
  state: "idle",
  callId: undefined,
  endReason: undefined,
  error: undefined,
  needsGesture: false,
  isMuted: false,
  hasMicrophone: false,
  toolRequests: [],
};

/** One call at a time; it ends when the page is left. `onLevel`: how loud both sides are, 20 times a second. */
export function useTrial(onLevel: (input: number, output: number) => void): Trial {
  const [state, setState] = useState(IDLE);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const current = useRef<TrunklineCall | undefined>(undefined);
  const level = useRef(onLevel);
  level.current = onLevel;

  const start = useCallback(({ microphone, create, clientTools }: TrialSource): void => {
    current.current?.stop();
    const set = (changes: Partial<TrialState>): void => {
      if (current.current === call) setState((before) => ({ ...before, ...changes }));
    };
    const createIt = async (): Promise<{ websocketUrl: string }> => {
      const created = await create();
      set({ callId: created.id });
      return created;
    };
    const call = new TrunklineCall({ session: createIt }, { microphone, workletUrl: WORKLET_URL });
    current.current = call;
    setState({ ...IDLE, state: "connecting", hasMicrophone: microphone });
    setTurns([]);
    follow(call, { set, showTurns: setTurns, onLevel: (input, output) => level.current(input, output) });
    for (const name of clientTools) {
      call.registerTool(name, (args) => {
        setState((before) => ({
          ...before,
          toolRequests: [...before.toolRequests, `${name} ${JSON.stringify(args)}`],
        }));
        throw new Error("this page tries the agent, and cannot carry out tools");
      });
    }
    call.start().catch((failure: unknown) => {
      const isStopped = failure instanceof TrunklineCallError && failure.code === "not_connected";
      set({ ...(!isStopped && { error: causeOf(failure) }), ...(call.state === "idle" && { state: "idle" }) });
    });
  }, []);
  const stop = useCallback(() => current.current?.stop(), []);
  useEffect(() => stop, [stop]);
  return {
    ...state,
    turns,
    start,
    stop,
    setMuted: (isMuted) => {
      current.current?.setMuted(isMuted);
      setState((before) => ({ ...before, isMuted }));
    },
    sendText: (text) => current.current?.sendText(text),
    resumeAudio: () => {
      setState((before) => ({ ...before, needsGesture: false, error: undefined }));
      void current.current?.resumeAudio();
    },
  };
}

interface Following {
  set: (changes: Partial<TrialState>) => void;
  showTurns: (turns: readonly Turn[]) => void;
  onLevel: (input: number, output: number) => void;
}

/** Shows what a call does, as long as it is the latest one. */
function follow(call: TrunklineCall, { set, showTurns, onLevel }: Following): void {
  const conversation = new Conversation();
  // Another list, because the conversation changes its own.
  const show = (): void => showTurns(conversation.turns.map((turn) => ({ ...turn })));
  call.addEventListener("state", ({ detail: { state, latency } }) => {
    set({ state });
    // At the end of the call the sentence that was spoken is one that was cut.
    if (state === "ended") return;
    if (state !== "connecting") conversation.speaking(state === "speaking");
    const delayMs = latency?.firstFrameMs;
    if (typeof delayMs === "number") conversation.delay(delayMs);
    show();
  });
  call.addEventListener("transcript", ({ detail }) => {
    conversation.transcript(detail);
    show();
  });
  call.addEventListener("mark", ({ detail }) => {
    if (conversation.mark(detail) !== undefined) show();
  });
  call.addEventListener("volume", ({ detail }) => onLevel(detail.input, detail.output));
  call.addEventListener("error", ({ detail: { code, message, fatal } }) => {
    // What ends the call, or keeps it from starting, is the error of `start`.
    if (code === "needs_gesture" && !fatal) set({ needsGesture: true });
    else if (!fatal || call.callId !== undefined) set({ error: new Error(message) });
  });
  call.addEventListener("ended", ({ detail: { reason } }) => {
    conversation.end();
    show();
    set({ endReason: reason });
    onLevel(0, 0);
  });
}
