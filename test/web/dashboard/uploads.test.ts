import { describe, expect, test } from "vitest";
import type { BytesSent } from "../../../web/dashboard/app/send-file.ts";
import { UploadQueue } from "../../../web/dashboard/app/uploads.ts";

interface Sending {
  name: string;
  onSent: (bytes: BytesSent) => void;
  signal: AbortSignal;
  resolve: (answer: string) => void;
  reject: (error: unknown) => void;
}

function scene() {
  const sending: Sending[] = [];
  const queue = new UploadQueue<{ name: string; size: number }, string>({
    send: ({ name }, onSent, signal) =>
      new Promise((resolve, reject) => {
        sending.push({ name, onSent, signal, resolve, reject });
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  const states = (): string[] => queue.uploads.value.map(({ name, state }) => `${name} ${state}`);
  const files = (...names: string[]) => names.map((name) => ({ name, size: 100 }));
  return { queue, sending, states, files };
}

/** After what promises that are settled have to do. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("uploads", () => {
  test("go three at once, in their order, and the next follows when one is over", async () => {
    const { queue, sending, states, files } = scene();
    let done = 0;
    queue.onDone = () => {
      done += 1;
    };
    queue.add(files("a", "b", "c", "d"));
    expect(states()).toEqual(["a sending", "b sending", "c sending", "d waiting"]);
    sending[1]?.resolve("doc_b");
    await settled();
    expect(states()).toEqual(["a sending", "b done", "c sending", "d sending"]);
    expect(queue.uploads.value[1]?.answer).toBe("doc_b");
    expect(done).toBe(1);
    queue.clearDone();
    expect(states()).toEqual(["a sending", "c sending", "d sending"]);
  });

  test("say how much has left the browser, and that the service has not answered yet", () => {
    const { queue, sending, files } = scene();
    queue.add(files("a"));
    sending[0]?.onSent({ sent: 40, total: 130 });
    expect(queue.uploads.value[0]).toMatchObject({ state: "sending", sentBytes: 40, totalBytes: 130 });
    sending[0]?.onSent({ sent: 130, total: 130 });
    expect(queue.uploads.value[0]?.state).toBe("sent");
    expect(queue.isBusy).toBe(true);
  });

  test("one that fails holds no other up, says why, and can be sent again", async () => {
    const { queue, sending, states, files } = scene();
    queue.add(files("a", "b"));
    sending[0]?.reject(new Error("too large"));
    sending[1]?.resolve("doc_b");
    await settled();
    expect(states()).toEqual(["a failed", "b done"]);
    expect(String(queue.uploads.value[0]?.error)).toContain("too large");
    expect(queue.isBusy).toBe(false);
    queue.retry(1);
    expect(states()[0]).toBe("a sending");
    sending[2]?.resolve("doc_a");
    await settled();
    expect(states()[0]).toBe("a done");
  });

  test("one that is taken out is broken off, and its place goes to the next", async () => {
    const { queue, sending, states, files } = scene();
    queue.add(files("a", "b", "c", "d"));
    queue.remove(1);
    expect(sending[0]?.signal.aborted).toBe(true);
    await settled();
    expect(states()).toEqual(["b sending", "c sending", "d sending"]);
  });
});
