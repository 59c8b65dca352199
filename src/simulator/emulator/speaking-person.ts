import type { Tts } from "../../speech/contracts.ts";
import { TELEPHONE } from "../audio/format.ts";
import { Caller, type Step } from "../callers/caller.ts";
import { synthesise, type Utterance } from "../callers/utterance.ts";
import { type PersonOf, silentPerson } from "./media-streams.ts";

const VOICE = { voiceId: "reference/gmw/en-US", language: "en-US" };
/** How long a person waits for the other end to speak first, and for a reply. */
const LISTENS_MS_MAX = 10_000;

/** People who say what their plans have, by this TTS, and are silent where the plan has nothing. */
export function speakingPeople(tts: Tts, signal: AbortSignal): PersonOf {
  return (leg, hangUp, outboundCodec) => {
    const silent = silentPerson(leg, hangUp, outboundCodec);
    const { says } = leg.person;
    if (says.length === 0) return silent;
    let caller: Caller | undefined;
    // The stream does not wait for the synthesis: until then the person is silent.
    const begin = (utterances: readonly Utterance[]): void => {
      caller = new Caller({
        script: scriptOf(utterances),
        formats: { inbound: TELEPHONE, outbound: { ...TELEPHONE, codec: outboundCodec } },
        hangUpAfterMs: Number.POSITIVE_INFINITY,
        // The person notices that the other end speaks, without understanding it.
        listen: () => {},
        hangUp,
        press: () => {},
        type: () => {},
        onEvent: () => {},
      });
    };
    // Without a TTS the person stays silent.
    void utterancesOf(says, tts, signal).then(begin, () => {});
    return {
      frame: () => (caller === undefined ? silent.frame() : caller.frame()),
      played: (frame, atMs) => caller?.played(frame, atMs),
    };
  };
}

async function utterancesOf(says: readonly string[], tts: Tts, signal: AbortSignal): Promise<Utterance[]> {
  const utterances: Utterance[] = [];
  for (const text of says) utterances.push(await synthesise(tts, { text, ...VOICE }, signal));
  return utterances;
}

const scriptOf = (utterances: readonly Utterance[]): Step[] => [
  ...utterances.flatMap((utterance): Step[] => [
    { do: "listen", atMostMs: LISTENS_MS_MAX },
    { do: "say", utterance },
  ]),
  { do: "listen", atMostMs: LISTENS_MS_MAX },
];
