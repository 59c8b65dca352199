import { strict as assert } from "node:assert";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { CallId } from "../../core/ids.ts";
import type { CallPrompts } from "../calls/call-store.ts";
import type { UnpersistedPrompts } from "../redemptions.ts";
import type { PromptsMessage } from "./thread-messages.ts";

/** The control process's end: passes what its stores add and remove to the handoff thread. */
export class PromptsSender implements UnpersistedPrompts {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  get(): never {
    assert.fail("only the handoff thread redeems, and has the words");
  }

  set(callId: CallId, prompts: CallPrompts): void {
    this.#port.postMessage({ callId, prompts } satisfies PromptsMessage);
  }

  delete(callId: CallId): void {
    this.#port.postMessage({ callId, prompts: undefined } satisfies PromptsMessage);
  }
}

/** The handoff thread's end. */
export class PromptsReceiver implements Pick<UnpersistedPrompts, "get"> {
  readonly #port: MessagePort;
  readonly #prompts = new Map<CallId, CallPrompts>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (message: PromptsMessage) => this.#take(message));
  }

  /**
   * Reads posted messages first. A call's words were posted before its token was given out, but their event may still
   * be queued after the redemption's.
   */
  get(callId: CallId): CallPrompts | undefined {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
      this.#take(next.message);
    }
    return this.#prompts.get(callId);
  }

  #take({ callId, prompts }: PromptsMessage): void {
    if (prompts === undefined) this.#prompts.delete(callId);
    else this.#prompts.set(callId, prompts);
  }
}
