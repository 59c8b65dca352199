import type { Clock } from "../../../../core/clock.ts";
import { NO_SPEECH } from "../../../../media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent, SttStream, SttStreamOptions } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import { Finalization } from "../../finalization.ts";
import { withQueryDefaults } from "../query-defaults.ts";
import { SttSocket } from "../stt-socket.ts";
import { fluxHint } from "./languages.ts";
import { FluxTurns } from "./turns.ts";

interface FluxOptions {
  apiKey: string;
  model: string;
  /** The address of `/v2/listen`, `wss:` or `ws:`. Parameters in its query take precedence over ours. */
  url: string;
  /** Whether a turn can be ended on request: at Deepgram. A Flux of one's own closes the stream on the message. */
  endsTurnsOnRequest: boolean;
  clock: Clock;
}

const FORCE_END_TURN = '{"type":"ForceEndTurn"}';
const CLOSE_STREAM = '{"type":"CloseStream"}';

/** Flux ends a turn after this silence, however unsure it is: where noise hides the pause from the call, or where it cannot be asked. */
const TURN_TIMEOUT_MS = 1_000;
/**
 * From this figure on Flux sends it at once, and not only with the next message of every 250 ms. The call decides what
 * it is worth.
 */
const EAGER_THRESHOLD = 0.4;
/** Audio in messages of 80 ms, as Deepgram recommends. */
const CHUNK_FRAMES = 4;
/** What of the reason of a close is logged. */
const CLOSE_REASON_CODE = /^(?:DATA|NET)-\d{4}/;

/**
 * Deepgram Flux, `/v2/listen` over WebSocket: STT that finds the end of a turn itself and says with every message how
 * sure it is. It is asked to end a turn where the call has decided first, or where it has not decided in a long pause.
 *
 * Built from developers.deepgram.com, as of November 2026: reference/speech-to-text/listen-flux, and of docs/flux state,
 * configuration, force-end-turn, close-stream and language-prompting; and from the types of deepgram/deepgram-js-sdk.
 */
export function createFluxStt(options: FluxOptions): Stt {
  const model = new URL(options.url).searchParams.get("model") ?? options.model;
  return {
    provider: "flux",
    capabilities: {
      ratesHz: [8_000, 16_000],
      interimTranscripts: true,
      detectsLanguage: (language) => fluxHint(model, language) !== undefined,
    },
    open: (opened, signal) => openStream({ ...options, model }, opened, signal),
  };
}

function openStream(
  { apiKey, model, url, endsTurnsOnRequest, clock }: FluxOptions,
  { language, rateHz, onOpened }: SttStreamOptions,
  signal: AbortSignal,
): SttStream {
  const events = new EventQueue<SttEvent>(signal);
  if (signal.aborted) return { write: () => {}, events };
  const finalization = new Finalization({ detectsTurns: true });
  const turns = new FluxTurns({
    language,
    emit: (event) => events.push(event),
    onEnded: () => finalization.finished(),
  });
  const hint = fluxHint(model, language);
  const socket = new SttSocket({
    provider: "flux",
    url: withQueryDefaults(url, {
      model,
      ...(hint === undefined ? {} : { language_hint: hint }),
      encoding: "linear16",
      sample_rate: String(rateHz),
      eager_eot_threshold: String(EAGER_THRESHOLD),
      eot_timeout_ms: String(TURN_TIMEOUT_MS),
    }),
    headers: { authorization: `Token ${apiKey}` },
    rateHz,
    chunkFrames: CHUNK_FRAMES,
    closeMessage: CLOSE_STREAM,
    closeReasonCode: CLOSE_REASON_CODE,
    clock,
    signal,
    onMessage: (message) => {
      if (message.type === "Connected") onOpened?.();
      const problem = turns.take(message);
      if (problem !== undefined) socket.fail(problem);
    },
    onFailure: (error) => events.fail(error),
  });
  return {
    write(frame, activity = NO_SPEECH) {
      socket.write(frame);
      if (!finalization.frame(activity) || !endsTurnsOnRequest) return;
      socket.flush();
      socket.sendText(FORCE_END_TURN);
      turns.requested();
    },
    events,
  };
}
