import { TURN_TEXT_CHARS_MAX } from "../core/limits/calls/calls.ts";
import { FINALIZE_PER_SECOND_MAX } from "../core/limits/transcriptions/transcriptions.ts";

/** A text message of the protocol, in Markdown. docs/stream-protocol.md shows it; links are relative to docs/. */
interface MessageDescription {
  /** Its fields in addition to `type`; empty for none. */
  fields: string;
  meaning: string;
}

const TEXT_CHARS_MAX = TURN_TEXT_CHARS_MAX.toLocaleString("en-US");

/** What the service sends, by `type`. */
export const SERVICE_MESSAGES = {
  ready: {
    fields: "`callId`, `input`, `output` (`{codec, sampleRate}`); `resumeUrl`",
    meaning: "the first message: what was negotiated, and where to [connect again](#a-lost-connection)",
  },
  state: {
    fields: "`state`: `listening`, `thinking`, `speaking`, `held`; `latency`",
    meaning: "what the agent does; with `speaking`, [the latency of the turn](api.md#latency-usage-and-cost)",
  },
  transcript: {
    fields: "`role` (`agent`, `user`), `text`, `final`, `turnId`, `approximate`",
    meaning:
      `all of a turn so far (at most ${TEXT_CHARS_MAX} characters until it is \`final\`). The agent's words are sent ` +
      "before they are heard; once `final`, `text` is what was heard, and empty when nothing was. With " +
      "`approximate: true` the end of `text` is an estimate",
  },
  mark: { fields: "`name`", meaning: "send it back once all audio before it has been played" },
  clear: {
    fields: "",
    meaning: "the agent was interrupted: drop the audio that you have not played, and the marks in it",
  },
  error: {
    fields: "`code`: [an error of a client](errors.md#errors-of-a-websocket-client); `message`",
    meaning: "a message of yours was wrong; the call continues",
  },
  toolCall: {
    fields: "`id`, `name`, `arguments`",
    meaning: "carry out this tool, and send a `toolResult`",
  },
  ended: {
    fields: "`reason`: [an end reason](errors.md#end-reasons)",
    meaning: "the call is over; the socket closes after it",
  },
} as const satisfies Readonly<Record<string, MessageDescription>>;
export type ServiceMessageType = keyof typeof SERVICE_MESSAGES;

/** What a client may send, by `type`. */
export const CLIENT_MESSAGES = {
  mark: { fields: "`name`", meaning: "all audio before this mark has been played" },
  cleared: {
    fields: "`playedMs`, optional",
    meaning:
      "done, after a `clear`; `playedMs` is how much audio has been played in the whole call, and makes the playback " +
      "position more exact",
  },
  dtmf: {
    fields: "`digit`: one of `0`-`9`, `*`, `#`, `A`-`D`",
    meaning: "the caller pressed a key of the telephone",
  },
  text: {
    fields: `\`text\`: 1 to ${TEXT_CHARS_MAX} characters, not blank`,
    meaning: "the caller typed this; it is answered like speech",
  },
  toolResult: {
    fields: "`id`, `result` or `error`",
    meaning:
      "the result of a `toolCall`; one without a pending `toolCall` is answered with `error` `unknown_tool_call`",
  },
  end: { fields: "", meaning: "hangs up" },
} as const satisfies Readonly<Record<string, MessageDescription>>;
export type ClientMessageType = keyof typeof CLIENT_MESSAGES;

/** What the service sends to the client of a live transcription, by `type`. docs/transcribe.md shows it. */
export const TRANSCRIPTION_SERVICE_MESSAGES = {
  ready: {
    fields: "`transcriptionId`, `input` (`{codec, sampleRate}`), `durationMs`; `resumeUrl`",
    meaning:
      "the first message: what was negotiated, how much audio there was until now, and where to " +
      "[connect again](stream-protocol.md#a-lost-connection)",
  },
  interim: { fields: "`text`, `startMs`", meaning: "all of the utterance so far; words of it may still change" },
  final: {
    fields: "`index`, `text`, `startMs`, `endMs`, `words` (`{text, startMs, endMs}`); `language`",
    meaning:
      "an utterance that is over, the first with `index` 0. `text` is empty where `finalize` found nothing, and where the words of an `interim` are taken back. " +
      "The times of `words` are estimates. `language`: where the STT has detected one",
  },
  error: {
    fields: "`code`: [an error of a client](errors.md#errors-of-a-websocket-client); `message`",
    meaning: "a message of yours was wrong; the transcription continues",
  },
  end: {
    fields: "`reason`: [an end reason](errors.md#end-reasons); `durationMs`",
    meaning: "the transcription is over, after so much audio; the socket closes after it",
  },
} as const satisfies Readonly<Record<string, MessageDescription>>;
export type TranscriptionMessageType = keyof typeof TRANSCRIPTION_SERVICE_MESSAGES;

/** What the client of a live transcription may send, by `type`. */
export const TRANSCRIPTION_CLIENT_MESSAGES = {
  finalize: {
    fields: "",
    meaning:
      "ends the utterance now: its `final` comes at once, with an empty `text` where nothing was said. At most " +
      `${FINALIZE_PER_SECOND_MAX} in a second`,
  },
  keepAlive: {
    fields: "",
    meaning: "you are there although you send no audio: send it more often than `MEDIA_TIMEOUT_S`, where that is set",
  },
  end: { fields: "", meaning: "finalizes, then the transcription ends" },
} as const satisfies Readonly<Record<string, MessageDescription>>;

/** Whether live transcriptions have a text message of this `type` from clients. */
export const isTranscriptionClientMessage = (type: string): type is keyof typeof TRANSCRIPTION_CLIENT_MESSAGES =>
  Object.hasOwn(TRANSCRIPTION_CLIENT_MESSAGES, type);

/** Whether the protocol has a text message of this `type` from clients. */
export const isClientMessageType = (type: string): type is ClientMessageType => Object.hasOwn(CLIENT_MESSAGES, type);
