import { z } from "zod";
import { SPEND_ACTIONS, SPEND_LIMITS, SPEND_SCOPES } from "../../../core/billing/spend.ts";
import { HOLD_ENDS } from "../../../core/calls/hold.ts";
import { TRANSFER_FAILURES } from "../../../core/calls/phone-requests.ts";
import {
  END_REASONS,
  IGNORE_REASONS,
  JOURNALED_CANCEL_REASONS,
  RESUME_REASONS,
  RETRIEVAL_FAILURES,
  SPEAK_REASONS,
} from "../../../core/calls/reasons.ts";
import { STAGES } from "../../../core/calls/stages.ts";
import { type CallMs, callMs } from "../../../core/clocks.ts";
import { PHRASE_ORIGINS } from "../../../core/phrases/phrases.ts";
import { FAILOVER_CODES, FAILOVER_MEANINGS } from "../../../speech/contracts.ts";
import { meaningsOf } from "./meanings.ts";
import { ReplyPassages, retrievalFields, Transcript, TurnLatency } from "./response-schemas.ts";

const atMs = z.int().meta({
  description: "Milliseconds since the media stream connected.",
  examples: [5240],
}) as unknown as z.ZodType<CallMs>;
const turnId = z.int().meta({ description: "The reply; counted from 1." });
const playedTurnId = turnId.meta({ description: "The reply; counted from 1. 0 for hold audio and DTMF tones." });
const msMax = z.int().meta({ description: "Milliseconds after which the hold ends by itself." });
const segment = z
  .int()
  .meta({ description: "The segment of the reply that the TTS synthesises in one request; counted from 0." });
const samples = z.int().meta({ description: "At the rate of the stream." });
const code = z.string().meta({ description: "Error code, also in the service's log." });
const reason = z.enum(END_REASONS);
const name = z.string().meta({ description: "Reply and segment, as in `2.0`." });
const text = z.string().meta({ description: "Empty with `transcriptEnabled: false`." });
const chars = z.int().optional().meta({ description: "Length of the omitted text in UTF-16 units." });
const redactedText = { text, chars };
const target = z.string().meta({ description: "Transfer target. Empty with `transcriptEnabled: false`." });
const language = z
  .string()
  .optional()
  .meta({ description: "The language that the STT detected, where it reports one." });
const endOfTurn = z.number().optional().meta({
  description: "How sure the STT is that the caller's turn is over, 0 to 1; absent from STT without such a signal.",
});
const retrieval = z.int().meta({ description: "The question to the corpora; counted from 1." });
const toolCallId = z.string().meta({ description: "The tool call: its `tool-result` has the same id." });

const words = z
  .array(z.object({ text: z.string(), startMs: z.number(), endMs: z.number() }))
  .readonly()
  .meta({
    description:
      "Words in this audio with their times, in milliseconds from the start of the segment. Empty with `transcriptEnabled: false`.",
  });

const ofSource =
  <const Source extends string>(source: Source) =>
  <const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, description: string, shape: Shape) =>
    z
      .object({ atMs, source: z.literal(source), kind: z.literal(kind), ...shape })
      .meta({ id: pascalCase(`${kind}-${source}`), description });

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

const event = ofSource("event");
const command = ofSource("command");

/** An event's kind and fields are those of the call's state machine and its journal; frames are summarised. */
const InputEventItem = z
  .discriminatedUnion("kind", [
    event("leg-started", "The media stream started; audio can be sent from now on.", {
      codec: z
        .enum(["mulaw", "alaw", "pcm_s16le"])
        .meta({ description: "The codec in which the caller's audio is recorded." }),
      carrierCallId: z
        .string()
        .optional()
        .meta({ description: "The carrier's own id for the call, where it has one." }),
      parameters: z
        .record(z.string(), z.string())
        .optional()
        .meta({ description: "What the carrier's `start` handed to the call. Empty with `transcriptEnabled: false`." }),
      parameterCount: z.int().optional().meta({ description: "Number of omitted parameters." }),
    }),
    event(
      "leg-detached",
      "The media stream was lost. The call goes on when the client or the carrier connects another one: `leg-started` follows.",
      {},
    ),
    event("leg-closed", "The stream was closed, or is being closed.", { reason }),
    event("end-requested", "The end of the call was requested from outside the conversation.", { reason }),
    event("goodbye-requested", "The end of the call was requested from outside the conversation, after a goodbye.", {
      reason,
    }),
    event("internal-error", "The service failed while handling the previous event, and the call ends.", { code }),
    event("speech-started", "The VAD detected that the caller started to speak.", {
      startMs: atMs.meta({ description: "Start of the speech, in milliseconds since the media stream connected." }),
    }),
    event("speech-ended", "The VAD detected that the caller stopped speaking.", {
      endMs: atMs.meta({ description: "The last voiced frame, in milliseconds since the media stream connected." }),
    }),
    event(
      "stt-interim",
      "Interim transcript of the utterance. An empty text answers `request-interim`: there are no words so far.",
      { ...redactedText, language, endOfTurn },
    ),
    event("stt-final", "Final transcript of the utterance; empty where it had no words.", {
      ...redactedText,
      language,
      lateMs: z
        .int()
        .optional()
        .meta({ description: "How much later than its deadline it came, ms; absent where it came in time." }),
      endOfTurn,
    }),
    event("prosody", "How the caller's voice sounded before the pause that began 60 ms before.", {
      quietMs: z.int().meta({
        description: "For how long the caller had been quiet when the last voiced frame was there, in milliseconds.",
      }),
      soundMs: z.int().meta({
        description: "How long after that frame a sound came back, in milliseconds; 0 where none did.",
      }),
    }),
    event("turn-model", "The local turn model has judged the pause.", {
      probability: z.number().meta({ description: "How sure it is that the caller's turn is over, 0 to 1." }),
    }),
    event("stt-failed", "The STT failed.", { code }),
    event("dtmf", "A DTMF digit was received.", {
      digit: z.string().meta({ description: "Empty with `transcriptEnabled: false`." }),
      chars,
    }),
    event("typed", "The caller typed text.", redactedText),
    event("reply-text", "The LLM sent more text of the reply.", { turnId, ...redactedText }),
    event("reply-tool-call", "The LLM called a tool.", {
      turnId,
      id: z.string(),
      name: z.string().meta({ description: "Empty with `transcriptEnabled: false` and no such tool exists." }),
      argumentsJson: z.string().meta({ description: "Empty with `transcriptEnabled: false`." }),
      chars,
    }),
    event("reply-end", "The LLM finished the reply, or the part of it before its tool calls.", { turnId }),
    event("reply-failed", "The LLM failed.", { turnId, code }),
    event("segment-audio", "The TTS sent audio.", {
      turnId,
      segment,
      samples,
      words,
      wordCount: z.int().optional().meta({ description: "Number of omitted words." }),
    }),
    event("segment-end", "The TTS finished the segment.", {
      turnId,
      segment,
      samples: samples.meta({ description: "Length of the segment, in samples at the rate of the stream." }),
    }),
    event("segment-failed", "The TTS failed.", { turnId, segment, code }),
    event(
      "playout-started",
      "Playout of the reply, of hold audio or of DTMF tones started, or restarted after the TTS did not keep up.",
      { turnId: playedTurnId },
    ),
    event(
      "playout-ended",
      "Playout ended: by the playback clock everything sent has been played, or the rest was cleared.",
      {
        turnId: playedTurnId,
        sentMs: z.int().meta({ description: "Milliseconds of audio sent since playout started." }),
      },
    ),
    event(
      "audio-gap",
      "No audio of the caller had arrived for a while, until now: the network stalled or lost it, or the client sent none. Also at the loss of a stream and at the end of a call.",
      {
        gapMs: z.int().meta({ description: "For how long, in milliseconds." }),
        lostMs: z.int().meta({ description: "How much of it never came, in milliseconds; the rest came late." }),
      },
    ),
    event("voice-chosen", "The voice of the agent was selected anew because the language of the call changed.", {
      language: z.string().meta({ description: "The requested language." }),
      voiceId: z.string().meta({ description: "An id from `GET /voices`." }),
      supportsLanguage: z
        .boolean()
        .meta({ description: "False where no voice speaks the language; the previous voice then stays." }),
    }),
    event(
      "phrases-chosen",
      "Service phrases other than the built-in ones are used while the call is in this language.",
      {
        language: z.string(),
        origin: z.enum(PHRASE_ORIGINS).meta({
          description:
            "`file`: from `PHRASES_FILE`. `translated`: translated by the LLM. `english`: English, because there are none in this language.",
        }),
        phrases: z.object({
          inactivity: text,
          apology: text,
          filler: text,
          goodbye: text,
          limit: text.optional().meta({ description: "Absent in calls of older versions." }),
        }),
      },
    ),
    event("provider-switched", "A provider failed, and the call was switched to the next fallback.", {
      stage: z.enum(STAGES).meta({ description: "The stage: `stt`, `llm` or `tts`." }),
      from: z.string().meta({ description: "The provider that failed.", examples: ["deepgram"] }),
      to: z.string().meta({ description: "The fallback that is used from now on.", examples: ["openai"] }),
      code: z.enum(FAILOVER_CODES).meta({ description: meaningsOf(FAILOVER_MEANINGS) }),
    }),
    event("detector-changed", "Another voice activity detector decides from now on whether the caller speaks.", {
      detector: z.string().meta({
        description:
          "Its version. A worker whose event loop lags uses the cheaper `fvad2`, and the first one again when it no longer lags.",
        examples: ["fvad2"],
      }),
    }),
    event("context-exceeded", "An LLM provider refused a prompt as longer than its model's context.", {
      provider: z.string().meta({ description: "The provider that refused.", examples: ["openai"] }),
      tokensMax: z.int().meta({ description: "Limit for later prompts of the call, in estimated tokens." }),
      retried: z.boolean().meta({ description: "The request was retried at once with a shortened prompt." }),
    }),
    event(
      "limit-reached",
      "A provider request was not sent because the call or its account has reached a spend limit.",
      {
        scope: z.enum(SPEND_SCOPES).meta({ description: "Whether the limit is the call's or the account's." }),
        limit: z
          .enum(SPEND_LIMITS)
          .meta({ description: "The unit whose limit per minute is reached; `cost`: the call's `maxCost`." }),
        action: z.enum(SPEND_ACTIONS).meta({
          description:
            "`refuse`: the agent says that it cannot answer, and the call continues. `end`: the agent says so, and the call ends.",
        }),
      },
    ),
    event(
      "transfer-started",
      "The carrier is about to ring the target of a transfer. The agent is silent until the transfer is over, and the stream may be lost meanwhile.",
      { target, chars },
    ),
    event(
      "transfer-failed",
      "The transfer led to nothing: the agent says so, on the stream that is there or on the next one.",
      {
        target,
        outcome: z.enum(TRANSFER_FAILURES).meta({
          description:
            "`refused`: the service or the carrier does not call this target. `failed`: it could not be connected for another reason.",
        }),
        chars,
      },
    ),
    event(
      "transfer-refused",
      "The transfer that the agent asked for is not carried out; `text` is the reason for the LLM. The conversation goes on.",
      redactedText,
    ),
    event("hold-requested", "`POST /calls/{id}/hold` puts the caller on hold.", { msMax }),
    event("resume-requested", "`POST /calls/{id}/resume` ends the hold.", {}),
    event("dtmf-requested", "`POST /calls/{id}/dtmf` sends digits, as tones in the agent's audio.", {
      digits: z.string().meta({ description: "Empty with `transcriptEnabled: false`." }),
      chars,
    }),
    event("recording-pause-requested", "`POST /calls/{id}/recording/pause` pauses the recording.", {}),
    event("recording-resume-requested", "`POST /calls/{id}/recording/resume` resumes the recording.", {}),
    event("tool-result", "A tool call completed or failed; this is what the LLM is given.", {
      turnId,
      toolCallId,
      result: z.string().meta({ description: "Empty with `transcriptEnabled: false`." }),
      failed: z.boolean(),
      retrieval: ReplyPassages.optional().meta({
        description: "What `query_corpus` has found; absent from other tools.",
      }),
      chars,
    }),
    event("passages", "The corpora of the call answered a `retrieve`.", { retrieval, ...retrievalFields }),
    event("retrieval-failed", "They did not, or not in time. The call goes on without.", { retrieval, code }),
    event("mark", "A mark was returned: the audio before it was played or cleared.", { name, chars }),
    event("cleared", "The client confirmed a `clear`: it dropped the audio that it had not played.", {
      playedMs: z.number().meta({ description: "Milliseconds of audio that it has played in the whole call." }),
    }),
    event("tick", "A deadline of the call was reached.", {}),
  ])
  .meta({ id: "InputEvent", description: "Input of the call: what happened to it." });

/** What the call did in response. */
const CommandItem = z
  .discriminatedUnion("kind", [
    command("state", "The new state of the agent.", {
      state: z.enum(["listening", "thinking", "speaking", "held"]),
      latency: TurnLatency.optional().meta({
        description: "Latency of the reply that starts to play.",
      }),
    }),
    command("generate-reply", "A reply is requested from the LLM, or its continuation after tool calls.", {
      turnId,
      messages: z.int().meta({ description: "Number of messages of the conversation in the request." }),
      language: z.string().meta({ description: "The language in which the LLM is asked to reply." }),
    }),
    command(
      "preemptive-start",
      "Preemptive generation starts: the LLM is asked before the end of the turn is certain. The next `generate-reply` uses the result if the caller's words have not changed.",
      {
        messages: z.int().meta({ description: "Number of messages of the conversation in the request." }),
        language: z.string().meta({ description: "The language in which the LLM is asked to reply." }),
      },
    ),
    command(
      "conversation-trimmed",
      "The conversation no longer fits the prompt: its oldest turns are dropped from the next `generate-reply` and all later ones.",
      {
        turnId,
        droppedTurns: z
          .int()
          .meta({ description: "Number of dropped caller turns, each with everything up to the next one." }),
        droppedMessages: z.int().meta({ description: "Number of dropped messages." }),
        truncatedResults: z.int().meta({ description: "Number of tool results that are truncated for the LLM." }),
        tokens: z.int().meta({ description: "Size of the prompt now, in estimated tokens." }),
        tokensMax: z.int().meta({ description: "Limit of the prompt, in estimated tokens." }),
      },
    ),
    command(
      "retrieve",
      "The corpora of the call are asked for what the caller has said so far, with `retrieval` `always`. An earlier question without an answer is aborted.",
      {
        retrieval,
        question: z.string().meta({ description: "Empty with `transcriptEnabled: false`." }),
        language: z.string().meta({ description: "The language of the call." }),
        chars,
      },
    ),
    command("await-passages", "The caller's turn is over, and the answer waits for the passages.", {
      turnId,
      retrieval,
      waitMsMax: z.int().meta({ description: "For how long at most, in milliseconds." }),
    }),
    command("passages-used", "The next `generate-reply` of the reply has these passages.", {
      turnId,
      retrieval,
      ...retrievalFields,
      waitMs: z.int().meta({ description: "How long the answer has waited for them, in milliseconds." }),
    }),
    command("retrieval-ended", "A question to the corpora came to nothing.", {
      retrieval,
      outcome: z.enum(RETRIEVAL_FAILURES).meta({
        description:
          "`late`: the answer to the caller waited no longer; it has the passages to earlier words of the turn, if there are some. " +
          "`failed`: there was no answer. `cancelled`, `unused`: the caller's words changed, before the answer came or after.",
      }),
    }),
    command("preemptive-cancel", "The preemptive reply is cancelled because the caller's words changed.", {}),
    command("speak", "A segment of the reply is handed to the TTS: the LLM's text or a service phrase.", {
      turnId,
      segment,
      ...redactedText,
      reason: z.enum(SPEAK_REASONS).optional().meta({
        description:
          "Absent for text of the LLM. `greeting`: the call's greeting. `inactivity`: neither side spoke for too long. `filler`: the reply takes long. `apology`: the LLM failed. `goodbye`: the service ends the call. `limit`: a spend limit is reached.",
      }),
    }),
    command("mark", "A mark is sent after a segment; the peer returns it once the segment has been played.", { name }),
    command(
      "pause",
      "The caller speaks over the reply: sending is paused until the words are known. `resume` or `cancel-reply` follows, unless all of the reply had been sent.",
      { turnId },
    ),
    command("resume", "The caller's speech was no interruption: the paused reply resumes from the same sample.", {
      turnId,
      reason: z.enum(RESUME_REASONS).meta({
        description:
          "`no_words`: the speech has no words. `back_channel`: it is a back-channel. `echo`: the agent's own words came back. " +
          "`pause_timeout`: it continues, and the STT gave no words in time, such as for a television in the background.",
      }),
    }),
    command(
      "rewind",
      "The caller has not heard the end of what was sent of the reply, because the stream was lost: it is sent again.",
      { turnId, samples: z.int().meta({ description: "How much is sent again, in samples of the agent's audio." }) },
    ),
    command(
      "request-interim",
      "An STT without interim transcripts is asked for the words of the speech so far. It answers by `stt-interim`, or not at all.",
      {},
    ),
    command(
      "turn-ended",
      "The caller's turn is over, and is answered. Until the answer is audible, further words reopen the turn: `cancel-reply` with `words` and without `clear` follows.",
      {
        pauseMs: z.int().meta({ description: "The pause from the last voiced frame until now, in milliseconds." }),
        waitMs: z.int().meta({ description: "The pause that was decided on, in milliseconds." }),
        probability: z.number().meta({ description: "How probable it is that the turn is over, 0 to 1." }),
        reasons: z
          .array(z.string())
          .readonly()
          .meta({
            description:
              "What weighed most. `waited for words`: the words of the last speech came later than `waitMs`.",
            examples: [["provider 0.92", "question"]],
          }),
        summary: z.string().meta({
          description: "The same as one line.",
          examples: ["answered after 180 ms: provider 0.92, question"],
        }),
      },
    ),
    command("ignore", "Words over the agent that are ignored: they need no reply and are in no turn.", {
      ...redactedText,
      startMs: atMs,
      endMs: atMs,
      reason: z
        .enum(IGNORE_REASONS)
        .optional()
        .meta({ description: "`echo`: the agent's own words came back. Absent for a back-channel of the caller." }),
    }),
    command("cancel-reply", "The reply is stopped for good; `reason` says why the agent fell silent.", {
      turnId,
      clear: z.boolean().meta({
        description:
          "Whether the peer is asked to drop the audio that it has not played; not while DTMF tones are among it.",
      }),
      reason: z.enum(JOURNALED_CANCEL_REASONS).meta({
        description:
          "`words`, `dtmf`, `typed`: barge-in by a word that is no back-channel, by a DTMF digit, by typed text. " +
          "`sustained_speech`: only in older calls, by speech without words. `inactivity`: the reply hung, and the caller is " +
          "asked whether anybody is there. `llm_failed`: the LLM failed or timed out; an apology replaces the reply. " +
          "`spend_limit`: a spend limit is reached, and the agent says so. `transfer`: the caller is being transferred. `hold`: the caller is put on hold. " +
          "`call_ended`: `end` says why.",
      }),
      speechMs: z.int().meta({ description: "How long the caller had been speaking without a break; 0 when silent." }),
      heardText: z
        .string()
        .meta({ description: "What the caller heard of the reply. Empty with `transcriptEnabled: false`." }),
      chars,
    }),
    command("run-tool", "A tool call starts; the LLM continues when its `tool-result` is there.", {
      turnId,
      toolCallId,
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()).meta({ description: "Empty with `transcriptEnabled: false`." }),
    }),
    command("send-dtmf", "DTMF digits are sent to the peer, or by the carrier.", {
      digits: z.string(),
      inBand: z.literal(true).optional().meta({
        description:
          "They are tones in the agent's audio. Absent where the stream or the carrier has another way for them.",
      }),
      chars,
    }),
    command("language", "The call continues in this language.", {
      language: z.string(),
      reason: z
        .enum(["detected", "tool"])
        .meta({ description: "`detected`: the STT detected it. `tool`: the LLM called `switch_language`." }),
    }),
    command(
      "transfer",
      "The caller is transferred, and the call ends. Where the service controls the telephone call, this is a request to the carrier: `transfer-started` or `transfer-refused` follows.",
      { target, chars },
    ),
    command(
      "held",
      "The caller is on hold from now on and hears hold audio. The agent is silent, and nothing that the caller says, types or presses reaches it.",
      { msMax },
    ),
    command("resumed", "The hold is over.", {
      reason: z.enum(HOLD_ENDS).meta({
        description:
          "`requested`: by the API. `expired`: after its longest time. `transfer`: the caller is being transferred. `goodbye`: the service ends the call, and the agent says so.",
      }),
      heldMs: z.int().meta({ description: "For how long the caller was on hold, in milliseconds." }),
      clear: z.literal(false).optional().meta({
        description:
          "The peer plays the audio that it has, because DTMF tones are among it. Absent where it is asked to drop it.",
      }),
    }),
    command(
      "recording-paused",
      "From now on neither audio nor words are stored: what follows has no texts until `recording-resumed`.",
      {},
    ),
    command("recording-resumed", "Audio and words are stored again.", {
      pausedMs: z.int().meta({ description: "For how long they were not, in milliseconds." }),
    }),
    command("turn", "A turn of the transcript is complete.", { turn: Transcript.shape.data.element, chars }),
    command("end", "The call is over; the last event of every call.", { reason }),
  ])
  .meta({ id: "CommandEvent", description: "Command of the call: what it did in response to its inputs." });

/** An item of the list. The journal has a type of its own for it; the compiler checks the two where `callEvents` is passed in. */
export const CallEventItem = z.discriminatedUnion("source", [InputEventItem, CommandItem]).meta({
  id: "CallEvent",
  description: "What happened to a call (`event`), or what the call did in response (`command`).",
});

const INTERRUPTION: z.output<typeof CallEventItem>[] = [
  { atMs: callMs(5_240), source: "event", kind: "speech-started", startMs: callMs(5_200) },
  { atMs: callMs(5_240), source: "command", kind: "pause", turnId: 2 },
  { atMs: callMs(5_340), source: "event", kind: "playout-ended", turnId: 2, sentMs: 1_320 },
  { atMs: callMs(5_510), source: "event", kind: "stt-interim", text: "and on" },
  {
    atMs: callMs(5_510),
    source: "command",
    kind: "cancel-reply",
    turnId: 2,
    clear: true,
    reason: "words",
    speechMs: 310,
    heardText: "We are",
  },
];

export const CallEventList = z
  .object({
    data: z.array(CallEventItem),
    nextCursor: z.string().nullable().meta({
      description:
        "Cursor of the next page; null when there can be no more events. For a call that is not over it leads to later events.",
    }),
  })
  .meta({ description: "Events in order of time.", examples: [{ data: INTERRUPTION, nextCursor: null }] });
