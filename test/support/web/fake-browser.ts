import { vi } from "vitest";
import { FakeSocket } from "./fake-socket.ts";

/** What a page's browser has done, and does when it is asked. */
export interface FakeBrowser {
  /** The sockets that the page has opened. */
  sockets: FakeSocket[];
  /** What it answers where a microphone is asked for; by default that there is none. */
  microphone: () => Promise<unknown>;
  /** What the page's permission for the microphone is before it asks. */
  permission: "granted" | "prompt" | "denied";
  /** The person has clicked, or pressed a key. */
  hasGesture: boolean;
  /** It plays nothing until a page resumes within a gesture. */
  isSuspended: boolean;
  /** Tells the page that the sound was stopped. */
  suspend(): void;
}

/** A microphone that is there. */
export const openedMicrophone = async (): Promise<object> => ({ getAudioTracks: () => [{ stop() {} }] });

/**
 * Stubs the globals of a browser without WebRTC and without Opus, whose pages cannot choose the loudspeaker. Undone by
 * `vi.unstubAllGlobals()`.
 */
export function fakeBrowser(): FakeBrowser {
  const contexts: { onstatechange?: () => void }[] = [];
  const browser: FakeBrowser = {
    sockets: [],
    microphone: () => Promise.reject(new DOMException("none", "NotFoundError")),
    permission: "prompt",
    hasGesture: false,
    isSuspended: false,
    suspend() {
      browser.isSuspended = true;
      for (const context of contexts) context.onstatechange?.();
    },
  };
  class FakeAudioContext {
    readonly destination = {};
    readonly audioWorklet = { addModule: async (): Promise<void> => {} };
    constructor() {
      contexts.push(this as (typeof contexts)[number]);
    }
    get state(): string {
      return browser.isSuspended ? "suspended" : "running";
    }
    resume = async (): Promise<void> => {};
    close = async (): Promise<void> => {};
    createMediaStreamSource = (): object => ({ connect() {}, disconnect() {} });
  }
  class FakeWorkletNode {
    readonly port = { postMessage() {} };
    connect(): void {}
    disconnect(): void {}
  }
  class OpenedSocket extends FakeSocket {
    constructor(url: string) {
      super(url);
      browser.sockets.push(this);
    }
  }
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("navigator", {
    onLine: true,
    mediaDevices: { getUserMedia: () => browser.microphone() },
    permissions: { query: async () => ({ state: browser.permission }) },
    userActivation: {
      get hasBeenActive() {
        return browser.hasGesture;
      },
    },
  });
  vi.stubGlobal("AudioContext", FakeAudioContext);
  vi.stubGlobal("AudioWorkletNode", FakeWorkletNode);
  vi.stubGlobal("MediaStream", class {});
  vi.stubGlobal("WebSocket", OpenedSocket);
  return browser;
}
