import { expect, test } from "vitest";
import { turnServers } from "../../../src/gateway/webrtc/turn.ts";

const URLS = ["turn:turn.example.com:3478?transport=udp", "turns:turn.example.com:5349"];

test("the user name has the time of expiry, and the password is its HMAC-SHA1", () => {
  // printf 1433895918:ninefingers | openssl dgst -sha1 -hmac north -binary | base64
  const [server] = turnServers({
    urls: URLS,
    secret: "north",
    userId: "ninefingers",
    ttlS: 600,
    nowS: 1_433_895_318.9,
  });
  expect(server).toEqual({
    urls: URLS,
    username: "1433895918:ninefingers",
    credential: "jy8hTxmOO7UtEKXqSkSlvakPVYA=",
  });
});

test("without a server there are no credentials", () => {
  expect(turnServers({ urls: [], secret: "north", userId: "x", ttlS: 600, nowS: 0 })).toEqual([]);
});
