/** What the widget says, in one language. */
export interface Texts {
  /** Opens the widget; the name of its panel. */
  open: string;
  close: string;
  /** Starts a call with the microphone. */
  start: string;
  /** Starts a call without one. */
  write: string;
  /** Before a call starts. */
  consent: string;
  mute: string;
  unmute: string;
  end: string;
  again: string;
  /** Of the field for a text. */
  message: string;
  send: string;
  transcript: string;
  user: string;
  agent: string;
  connecting: string;
  listening: string;
  thinking: string;
  speaking: string;
  /** The caller is on hold. */
  held: string;
  reconnecting: string;
  ended: string;
  /** Errors, as sentences that say what to do. */
  microphoneRefused: string;
  noMicrophone: string;
  gesture: string;
  busy: string;
  unreachable: string;
  lost: string;
  forbidden: string;
  failed: string;
}
