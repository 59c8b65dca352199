import { z } from "zod";
import { SPEND_ACTIONS, SPEND_LIMITS, SPEND_SCOPES } from "../../core/billing/spend.ts";
import { CANCEL_REASONS, END_REASONS, RESUME_REASONS, SPEAK_REASONS } from "../../core/calls/spec.ts";
import { STAGES } from "../../core/metrics/worker-metrics.ts";
import { PHRASE_ORIGINS } from "../../core/phrases/phrases.ts";
import { FAILOVER_CODES } from "../../speech/contracts.ts";
import { Transcript } from "./request-schemas.ts";
import { TurnLatency } from "./response-schemas.ts";

const atMs = z.int().meta({ description: "Milliseconds since the media stream came.", examples: [5240] });
const turnId = z.int().meta({ description: "The reply: they are counted from 1." });
const segment = z
  .int()
  .meta({ description: "The piece of the reply that is spoken in one go: they are counted from 0." });
const samples = z.int().meta({ description: "At the rate of the stream." });
const code = z.string().meta({ description: "As the service's log names the failure." });
const reason = z.enum(END_REASONS);
const name = z.string().meta({ description: "Reply and piece, as in `2.0`." });
const text = z.string().meta({ description: "Empty when the call is not recorded." });
const chars = z.int().optional().meta({ description: "How long the text was that is left out, in UTF-16 units." });
const redactedText = { text, chars };
const language = z.string().optional().meta({ description: "What the ear takes it to be, where it says that." });
const toolCallId = z.string().meta({ description: "The use of a tool: what came of it has the same." });

const words = z
  .array(z.object({ text: z.string(), startMs: z.number(), endMs: z.number() }))
  .readonly()
  .meta({ description: "Words that sound in it, in milliseconds of the piece. Empty when the call is not recorded." });

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

/** What happened to the call: by the names of the call machine and its journal, and what single frames come to. */
const InputEventItem = z
  .discriminatedUnion("kind", [
    event("leg-started", "The carrier's stream began: from here on audio can be sent.", {
      codec: z.enum(["mulaw", "alaw", "pcm_s16le"]).meta({ description: "What the caller's audio is kept in." }),
      carrierCallId: z
        .string()
        .optional()
        .meta({ description: "The carrier's own id for the call, where it has one." }),
    }),
    event("leg-closed", "The stream is gone, or has to go.", { reason }),
    event("end-requested", "Somebody other than the two speakers wants the call to end.", { reason }),
    event("goodbye-requested", "The same, but the caller is to hear a goodbye first.", { reason }),
    event("internal-error", "The service itself failed at what came before, and the call ends.", { code }),
    event("speech-started", "The caller speaks, as the service takes it.", {
      startMs: atMs.meta({ description: "Since when, in milliseconds since the media stream came." }),
    }),
    event("speech-ended", "The caller is silent, as the service takes it.", {
      endMs: atMs.meta({ description: "The last voiced frame, in milliseconds since the media stream came." }),
    }),
    event("stt-interim", "What the ear understands of the utterance up to now.", { ...redactedText, language }),
    event("stt-final", "What the ear has understood of the utterance.", { ...redactedText, language }),
    event("stt-failed", "The ear failed.", { code }),
    event("dtmf", "The caller pressed a key.", {
      digit: z.string().meta({ description: "Empty when the call is not recorded." }),
      chars,
    }),
    event("typed", "The caller typed something.", redactedText),
    event("reply-text", "More text came from the model.", { turnId, ...redactedText }),
    event("reply-tool-call", "The model wants to use a tool.", {
      turnId,
      id: z.string(),
      name: z.string().meta({ description: "Empty for a tool that there is not, when the call is not recorded." }),
      argumentsJson: z.string().meta({ description: "Empty when the call is not recorded." }),
      chars,
    }),
    event("reply-end", "The model has said all of the reply, or all before it waits for its tools.", { turnId }),
    event("reply-failed", "The model failed.", { turnId, code }),
    event("segment-audio", "Speech came from the voice.", {
      turnId,
      segment,
      samples,
      words,
      wordCount: z.int().optional().meta({ description: "How many words are left out." }),
    }),
    event("segment-end", "The voice has spoken the piece.", {
      turnId,
      segment,
      samples: samples.meta({ description: "How long the piece is, at the rate of the stream." }),
    }),
    event("segment-failed", "The voice failed.", { turnId, segment, code }),
    event("playout-started", "The reply is sent to the caller; or is again, after the voice did not keep up.", {
      turnId,
    }),
    event(
      "playout-ended",
      "The caller has heard what was sent of the reply, as far as a clock can tell; or the rest of it was taken back.",
      { turnId, sentMs: z.int().meta({ description: "Milliseconds of audio that were sent since it began." }) },
    ),
    event("voice-chosen", "Another voice speaks from here on, for the call's language has changed.", {
      language: z.string().meta({ description: "What was asked for." }),
      voiceId: z.string().meta({ description: "An id from `GET /voices`." }),
      supportsLanguage: z
        .boolean()
        .meta({ description: "False where no voice does: then it is the one that spoke before, and stays." }),
    }),
    event(
      "phrases-chosen",
      "What the service says in its own name, while the call is in this language, is not what it brings along.",
      {
        language: z.string(),
        origin: z.enum(PHRASE_ORIGINS).meta({
          description:
            "`file`: the operator's own, by `PHRASES_FILE`. `translated`: by the LLM. `english`: there is nothing in this language.",
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
    event(
      "provider-switched",
      "A provider did not do what it was asked, and the next one of its chain is asked for it.",
      {
        stage: z.enum(STAGES).meta({ description: "What it does for the call." }),
        from: z.string().meta({ description: "The provider that is left.", examples: ["deepgram"] }),
        to: z.string().meta({ description: "The provider that is asked now.", examples: ["openai"] }),
        code: z.enum(FAILOVER_CODES).meta({
          description:
            "`failed`: its connection or its answer did. `refused`: it answered with an error status. `silent`: it told nothing in " +
            "time. `skipped`: it was not even asked, for it keeps failing, or has as many streams as it may.",
        }),
      },
    ),
    event("context-exceeded", "An LLM provider refused a prompt as longer than its model's context.", {
      provider: z.string().meta({ description: "The provider that refused.", examples: ["openai"] }),
      tokensMax: z
        .int()
        .meta({ description: "What prompts of the call may come to from here on, in estimated tokens." }),
      retried: z.boolean().meta({ description: "The same question was asked again at once, that much shorter." }),
    }),
    event("limit-reached", "A provider was not asked, because the call or its account may spend no more.", {
      scope: z.enum(SPEND_SCOPES).meta({ description: "Whose limit it is." }),
      limit: z
        .enum(SPEND_LIMITS)
        .meta({ description: "What has reached its limit per minute; `cost`: `maxCost` of the call." }),
      action: z.enum(SPEND_ACTIONS).meta({
        description:
          "`refuse`: the agent says that it cannot answer, and the call goes on. `end`: it says so, and the call ends.",
      }),
    }),
    event("tool-result", "A tool is done, or has failed: this is what the model is told.", {
      turnId,
      toolCallId,
      result: z.string().meta({ description: "Empty when the call is not recorded." }),
      failed: z.boolean(),
      chars,
    }),
    event("mark", "The carrier says that a piece was played, or dropped.", { name, chars }),
    event("cleared", "The client says that it dropped what it had not played.", {
      playedMs: z.number().meta({ description: "Milliseconds of audio that it has played in the whole call." }),
    }),
    event("tick", "A deadline of the call came.", {}),
  ])
  .meta({ id: "HappenedEvent", description: "What happened to the call." });

/** What the call did about it. */
const CommandItem = z
  .discriminatedUnion("kind", [
    command("state", "What the agent does from here on.", {
      state: z.enum(["listening", "thinking", "speaking"]),
      latency: TurnLatency.optional().meta({
        description: "Of an answer that begins to be heard: where the time before it went.",
      }),
    }),
    command("generate-reply", "The model is asked for a reply, or to go on with it, now that its tools are done.", {
      turnId,
      messages: z.int().meta({ description: "How many messages of the conversation it is given." }),
      language: z.string().meta({ description: "What it is asked to answer in." }),
    }),
    command(
      "preemptive-start",
      "The model is asked for what the caller seems to have said: the next `ask`, if the caller really has, finds its answer there.",
      {
        messages: z.int().meta({ description: "How many messages of the conversation it is given." }),
        language: z.string().meta({ description: "What it is asked to answer in." }),
      },
    ),
    command(
      "conversation-trimmed",
      "The conversation no longer fits the prompt: its oldest turns are left out of the next `ask`, and of every later one.",
      {
        turnId,
        droppedTurns: z
          .int()
          .meta({ description: "Turns of the caller that were left out, each with all that followed it." }),
        droppedMessages: z.int().meta({ description: "Messages that these turns were." }),
        truncatedResults: z.int().meta({ description: "Results of tools that are shown to the LLM in part." }),
        tokens: z.int().meta({ description: "What the prompt comes to now, in estimated tokens." }),
        tokensMax: z.int().meta({ description: "What it may come to." }),
      },
    ),
    command("preemptive-cancel", "The caller has said something else: what the model was asked ahead is dropped.", {}),
    command("speak", "The voice is given a piece of the reply: the model's words, or some of the service's own.", {
      turnId,
      segment,
      ...redactedText,
      reason: z
        .enum(SPEAK_REASONS)
        .optional()
        .meta({
          description:
            "Absent from the model's words. `greeting`: as the call has it. `inactivity`: nobody was heard for too long. `filler`: " +
            "the answer takes long. `apology`: the model failed. `goodbye`: the service ends the call. `limit`: the call may spend no more.",
        }),
    }),
    command("mark", "The carrier is asked to say when a piece has been played.", { name }),
    command(
      "pause",
      "Voice over the reply: no more of it is sent until it is known what that is. `resume` or `cut` comes next, unless " +
        "all of it had been sent.",
      { turnId },
    ),
    command("resume", "It was nothing: the reply that was paused goes on from the very sample.", {
      turnId,
      reason: z.enum(RESUME_REASONS).meta({
        description:
          "`no_words`: the voice ended, and no word came. `back_channel`: it was an mm-hm. `pause_timeout`: it goes on and tells " +
          "no word, as a television's.",
      }),
    }),
    command("ignore", "The caller said this over the agent, and it asks for no answer.", {
      ...redactedText,
      startMs: atMs,
      endMs: atMs,
    }),
    command("cancel-reply", "The reply is stopped for good: this is why the agent fell silent.", {
      turnId,
      clear: z.boolean().meta({ description: "The carrier is told to drop what it has not played." }),
      reason: z.enum(CANCEL_REASONS).meta({
        description:
          "`words`, `voice`, `key`, `typed`: the caller barged in, by a word that is no back-channel, by voice that lasted (where " +
          "the ear tells no words in time), by a key, by typing. `silence`: the reply hung, and the caller is asked whether " +
          "anybody is there. `llm_failed`: the model failed, or told nothing for too long; an apology takes the reply's " +
          "place. `spend_limit`: the call may spend no more, and the agent says so. `call_ended`: `end` says why.",
      }),
      speechMs: z.int().meta({ description: "For how long the caller had been heard without a break; 0 when silent." }),
      heardText: z.string().meta({ description: "What was heard of the reply. Empty when the call is not recorded." }),
      chars,
    }),
    command("run-tool", "A tool is carried out: the model goes on when its `tool-result` is there.", {
      turnId,
      toolCallId,
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()).meta({ description: "Empty when the call is not recorded." }),
    }),
    command("send-dtmf", "Keys are pressed towards the far end.", { digits: z.string(), chars }),
    command("language", "From here on the call is in this language.", {
      language: z.string(),
      reason: z
        .enum(["detected", "tool"])
        .meta({ description: "The caller was heard to speak it, or the model chose it." }),
    }),
    command("transfer", "The caller is to be handed on, and the call ends with that.", {
      target: z.string().meta({ description: "To whom. Empty when the call is not recorded." }),
      chars,
    }),
    command("turn", "A turn of the transcript is settled.", { turn: Transcript.shape.data.element, chars }),
    command("end", "The call is over. Nothing comes behind it.", { reason }),
  ])
  .meta({ id: "CommandEvent", description: "What the call did about what happened to it." });

/** An item of the list. The journal has its own type of it: the compiler holds the two together where they are joined. */
export const CallEventItem = z.discriminatedUnion("source", [InputEventItem, CommandItem]).meta({
  id: "CallEvent",
  description: "What happened to a call (`event`), or what the call did about it (`command`).",
});

const INTERRUPTION: z.output<typeof CallEventItem>[] = [
  { atMs: 5_240, source: "event", kind: "speech-started", startMs: 5_200 },
  { atMs: 5_240, source: "command", kind: "pause", turnId: 2 },
  { atMs: 5_340, source: "event", kind: "playout-ended", turnId: 2, sentMs: 1_320 },
  { atMs: 5_510, source: "event", kind: "stt-interim", text: "and on" },
  {
    atMs: 5_510,
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
    nextCursor: z
      .string()
      .nullable()
      .meta({
        description:
          "Leads on; null when nothing more can come. Behind the last event of a call that is not over, it leads to what " +
          "happens next.",
      }),
  })
  .meta({ description: "Events in the order of time.", examples: [{ data: INTERRUPTION, nextCursor: null }] });
