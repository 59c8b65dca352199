import { Socket } from "node:net";
import { encodeMessage, readMessages } from "../../../core/child-processes/socket-messages.ts";
import type { Clock } from "../../../core/clock.ts";
import { SPEECH_PROCESS_MESSAGE_BYTES_MAX } from "../../../core/limits/speech-providers/local-speech.ts";
import type { FromSpeechProcess, ToSpeechProcess } from "./messages.ts";

/**
 * The metrics of the speech process, in the Prometheus text format; undefined when it does not answer within `answerMsMax`. Never
 * rejects.
 */
export function speechMetrics(
  connect: (socket: Socket) => void,
  answerMsMax: number,
  clock: Clock,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = new Socket();
    const end = (exposition?: string): void => {
      cancel();
      socket.destroy();
      resolve(exposition);
    };
    const cancel = clock.after(answerMsMax, end);
    socket.on("error", () => end());
    socket.on("close", () => end());
    socket.on("connect", () => socket.write(encodeMessage({ kind: "metrics" } satisfies ToSpeechProcess)));
    readMessages(socket, SPEECH_PROCESS_MESSAGE_BYTES_MAX, (received) => {
      const message = received as FromSpeechProcess;
      if (message.kind === "metrics") end(message.exposition);
    });
    try {
      connect(socket);
    } catch {
      end();
    }
  });
}
