import { describe, expect, test } from "vitest";
import { VariableReader } from "../../src/config/variables/reader.ts";

const reader = (env: Readonly<Record<string, string>>) => {
  const problems: string[] = [];
  return { ...new VariableReader(env, problems), problems };
};

describe("a reader of declared variables", () => {
  test("gives a text without the space around it, and the declared default where it is empty or not set", () => {
    expect(reader({ API_HOST: " ::1 " }).text("API_HOST")).toBe("::1");
    expect(reader({ API_HOST: " " }).text("API_HOST")).toBe("127.0.0.1");
    expect(reader({}).text("API_HOST")).toBe("127.0.0.1");
    expect(reader({}).text("PHRASES_FILE")).toBe("");
  });

  test("gives the caller's default in place of the declared one", () => {
    expect(reader({}).text("API_HOST", "")).toBe("");
    expect(reader({}).integer("WORKERS", 3)).toBe(3);
    expect(reader({ WORKERS: "5" }).integer("WORKERS", 3)).toBe(5);
  });

  test("gives a number within its range, and a problem for every other value", () => {
    const { integer, problems } = reader({ TOKEN_TTL_S: "600", DRAIN_MS: "1e3", METRICS_PORT: "65536" });
    expect(integer("TOKEN_TTL_S")).toBe(600);
    expect(problems).toEqual([]);
    expect(integer("DRAIN_MS")).toBeNaN();
    integer("METRICS_PORT");
    expect(problems).toEqual([
      'DRAIN_MS must be a whole number from 0 to 7200000, not "1e3"',
      'METRICS_PORT must be off or a whole number from 0 to 65535, not "65536"',
    ]);
  });

  test("throws for a variable that is not declared, or a number without a range", () => {
    expect(() => reader({}).text("API_HOSTS")).toThrow("the variable API_HOSTS is not declared");
    expect(() => reader({}).integer("API_HOST")).toThrow("API_HOST is declared without a range");
  });
});
