import { expect, test } from "vitest";
import { withListeningPort } from "../../../src/core/network/media-urls.ts";

test("an address with any free port gets the port that was taken; every other address stays", () => {
  expect(withListeningPort("ws://127.0.0.1:0", 4_711)).toBe("ws://127.0.0.1:4711");
  expect(withListeningPort("wss://[::1]:0", 4_711)).toBe("wss://[::1]:4711");
  for (const url of ["ws://127.0.0.1:8080", "wss://media.example.com", "wss://media.example.com/a:0/b"]) {
    expect(withListeningPort(url, 4_711)).toBe(url);
  }
});
