import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

type Answer = { value: unknown } | { error: string };

/** The official SDK of Plivo, in a process that trusts an authority of certificates and uses a proxy. */
export class PlivoSdk {
  readonly #child: ChildProcess;
  /** The calls follow each other, so that each answer belongs to one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ authId, authToken }: Readonly<Record<string, string>>, proxy: string, authorityFile: string) {
    const path = fileURLToPath(new URL("plivo-client.mjs", import.meta.url));
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile, NODE_NO_WARNINGS: "1" };
    // The SDK writes to the standard output.
    this.#child = fork(path, [authId ?? "", authToken ?? "", proxy], {
      env,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  }

  /** Calls a function of the client by its path, such as `calls.create`. Rejects with the status and the message of the SDK's error. */
  call<Value>(path: string, args: readonly unknown[] = [], token?: string): Promise<Value> {
    const answered = this.#last.then(() => this.#ask<Value>(path, args, token));
    this.#last = answered.catch(() => {});
    return answered;
  }

  async #ask<Value>(path: string, args: readonly unknown[], token: string | undefined): Promise<Value> {
    this.#child.send({ path, args, token });
    const [answer] = (await once(this.#child, "message")) as [Answer];
    if ("error" in answer) throw new Error(answer.error);
    return answer.value as Value;
  }

  close(): void {
    this.#child.disconnect();
  }
}
