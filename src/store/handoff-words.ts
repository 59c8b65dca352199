import { strict as assert } from "node:assert";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { CallWords } from "./call-store.ts";
import type { WordsMessage } from "./handoff-messages.ts";
import type { UnwrittenWords } from "./redemptions.ts";

/** The control process's end: what its stores keep and forget goes to the thread that redeems. */
export class WordsSender implements UnwrittenWords {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  get(): never {
    assert.fail("only the handoff thread redeems, and has the words");
  }

  set(callId: string, words: CallWords): void {
    this.#port.postMessage({ callId, words } satisfies WordsMessage);
  }

  delete(callId: string): void {
    this.#port.postMessage({ callId, words: undefined } satisfies WordsMessage);
  }
}

/** The thread's end. */
export class WordsReceiver implements Pick<UnwrittenWords, "get"> {
  readonly #port: MessagePort;
  readonly #words = new Map<string, CallWords>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (message: WordsMessage) => this.#take(message));
  }

  /**
   * Reads what has been posted first: a call's words were posted before anybody was given its token, but their event may still wait
   * behind that of the redemption.
   */
  get(callId: string): CallWords | undefined {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
      this.#take(next.message);
    }
    return this.#words.get(callId);
  }

  #take({ callId, words }: WordsMessage): void {
    if (words === undefined) this.#words.delete(callId);
    else this.#words.set(callId, words);
  }
}
