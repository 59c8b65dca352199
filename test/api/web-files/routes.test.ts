import { afterEach, beforeEach, expect, test } from "vitest";
import { readWebFiles } from "../../../src/api/web-files/files.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { BUILT_FILES, builtWebFiles, integrityOf } from "../../support/api/web-files.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest(undefined, { webFiles: readWebFiles(builtWebFiles()) });
});
afterEach(() => api.close());

test("an address with a hash never changes: of this version, and of those before", async () => {
  for (const name of ["aaaa.js", "old0.js"] as const) {
    const answer = await api.get(`/widget/${name}`);
    expect(answer).toMatchObject({
      status: 200,
      text: BUILT_FILES[name][0],
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
        etag: `"${name}"`,
      },
    });
  }
});

test("the unpinned address has this version for five minutes, and v1.json its pinned address and integrity", async () => {
  const answer = await api.get("/widget/v1.js");
  expect(answer).toMatchObject({ status: 200, text: "widget()", headers: { "cache-control": "public, max-age=300" } });
  expect((await api.get("/widget/v1.json")).body).toEqual({
    path: "/widget/aaaa.js",
    integrity: integrityOf("widget()"),
  });
  expect((await api.get("/sdk/v1.json")).body).toEqual({ path: "/sdk/bbbb.js", integrity: integrityOf("sdk()") });
  const etag = String(answer.headers.etag);
  for (const header of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    const again = await api.get("/widget/v1.js", { "if-none-match": header });
    expect([again.status, again.text, again.headers["access-control-allow-origin"]]).toEqual([304, "", "*"]);
  }
  expect((await api.get("/widget/v1.js", { "if-none-match": '"x"' })).status).toBe(200);
});

test("nothing else is open to other origins, and no path leaves the folder", async () => {
  for (const path of ["/", "/talk", "/talk/session", "/healthz", "/docs", "/widget/none.js"]) {
    const answer = await api.get(path, { origin: "https://elsewhere.example" });
    expect([path, answer.headers["access-control-allow-origin"]]).toEqual([path, undefined]);
  }
  for (const path of [
    "manifest.json",
    "..%2fmanifest.json",
    "%2e%2e/%2e%2e/package.json",
    "constructor",
    "__proto__",
  ]) {
    expect([path, (await api.get(`/widget/${path}`)).status]).toEqual([path, 404]);
  }
  expect((await api.post("{}", {}, "/widget/v1.js")).status).toBe(405);
});

test("the page loads its files by their integrity, from this service alone, is not framed, and sends no Referer", async () => {
  const answer = await api.get("/talk");
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "x-frame-options": "SAMEORIGIN",
    "cache-control": "no-store",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' wss://media.test wss://webrtc.test; img-src data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  });
  expect(answer.text).toContain(`src="talk/files/cccc.js" integrity="${integrityOf("talk()")}"`);
  expect(answer.text).toContain(`href="talk/files/dddd.css" integrity="${integrityOf("body {}")}"`);
});

test("with a slash at its end the address of the page leads to the page, whatever a proxy has before it", async () => {
  for (const path of ["/talk/", "/talk/?x=1"]) {
    const answer = await api.get(path);
    expect([path, answer.status, answer.headers.location]).toEqual([path, 302, "../talk"]);
  }
});

test("where nothing was built the answer says what to do, and the service runs", async () => {
  expect(readWebFiles(temporaryDirectory())).toBeUndefined();
  const unbuilt = await apiUnderTest();
  for (const path of ["/talk", "/widget/v1.js", "/widget/v1.json", "/widget/aaaa.js", "/sdk/v1.js"]) {
    const answer = await unbuilt.get(path);
    expect([path, answer.status]).toEqual([path, 503]);
    expect(answer.text).toContain("run npm run build");
  }
  expect((await unbuilt.get("/healthz")).status).toBe(200);
  await unbuilt.close();
});
