/** Types of eSpeak NG's Emscripten build, which has none of its own. Only program.ts may import it: it is GPL. */
declare module "@echogarden/espeak-ng-emscripten" {
  /** https://github.com/espeak-ng/espeak-ng, `src/include/espeak-ng/speak_lib.h`, `espeak_EVENT`. */
  export interface EspeakEvent {
    type:
      | "list_terminated"
      | "word"
      | "sentence"
      | "mark"
      | "play"
      | "end"
      | "msg_terminated"
      | "phoneme"
      | "samplerate";
    /** Its code point in the text, counted from 1. */
    text_position: number;
    word_length: number;
    /** Milliseconds from the first sample. */
    audio_position: number;
    /** A phoneme's name, in IPA; empty for a pause. */
    id: string | number | undefined;
  }
  export interface EspeakVoice {
    name: string;
    identifier: string;
    languages: { priority: number; name: string }[];
  }
  export interface Espeak {
    get_samplerate(): number;
    list_voices(): EspeakVoice[];
    /** Takes a voice's identifier. Returns 0, or an error code. */
    set_voice(identifier: string): number;
    /** Speaks SSML synchronously. `deliver` gets the audio in parts of 100 ms and returns true to end the synthesis. */
    synthesize(ssml: string, deliver: (samples: Int16Array, events: EspeakEvent[]) => boolean): void;
  }
  export interface EspeakModule {
    eSpeakNGWorker: new () => Espeak;
  }
  // biome-ignore lint/style/noDefaultExport: the package has no other export.
  export default function load(options: {
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<EspeakModule>;
}
