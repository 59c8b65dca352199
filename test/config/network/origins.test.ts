import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";

const PAGE = "http://localhost:5173";

describe("CORS_ORIGINS", () => {
  const read = (CORS_ORIGINS: string): readonly string[] => readConfig({ CORS_ORIGINS }).corsOrigins;

  test("is empty by default, and lists exact origins without duplicates", () => {
    expect(readConfig({}).corsOrigins).toEqual([]);
    expect(read(" ")).toEqual([]);
    expect(read(` ${PAGE}, https://app.example.com:8443,http://[::1]:3000,${PAGE}`)).toEqual([
      PAGE,
      "https://app.example.com:8443",
      "http://[::1]:3000",
    ]);
  });

  test("refuses everything else, and reports all problems together with what is allowed", () => {
    const given =
      "*,null,localhost:5173,http://localhost:5173/,HTTPS://App.example.com,https://a.example/x?key=secret,http://a.example:80,ftp://a.example,,https://*.a.example";
    const rule = "CORS_ORIGINS must be origins such as http://localhost:5173, separated by commas,";
    expect(() => read(given)).toThrow(
      [
        "bad configuration:",
        '  CORS_ORIGINS must not be "*": every page in a browser could then use an API key that it has obtained; name the origins of your own pages, such as http://localhost:5173',
        `  ${rule} not "null"`,
        `  ${rule} not "localhost:5173"`,
        `  ${rule} not "http://localhost:5173/": write http://localhost:5173`,
        `  ${rule} not "HTTPS://App.example.com": write https://app.example.com`,
        `  ${rule} not "https://a.example/x?…": write https://a.example`,
        `  ${rule} not "http://a.example:80": write http://a.example`,
        `  ${rule} not "ftp://a.example"`,
        `  ${rule} not ""`,
        `  ${rule} not "https://*.a.example"`,
      ].join("\n"),
    );
  });
});
