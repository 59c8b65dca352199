import { strict as assert } from "node:assert";
import type { DeclaredReader } from "../../core/configuration/variable.ts";
import { declaredVariable } from "./all.ts";

/** Reads variables of an environment by their declarations. A value is read without the space around it. */
export class VariableReader implements DeclaredReader {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #problems: string[];

  /** Adds to `problems` a sentence for each value that is not allowed. */
  constructor(env: Readonly<Record<string, string | undefined>>, problems: string[]) {
    this.#env = env;
    this.#problems = problems;
  }

  /** The text of a variable; where it is empty or not set `fallback`, by default the declared one. */
  readonly text = (name: string, fallback = declaredVariable(name).default ?? ""): string =>
    this.#env[name]?.trim() || fallback;

  /** The whole number of a variable, within its declared range; NaN with a problem. `fallback` is as with `text`. */
  readonly integer = (name: string, fallback?: number): number => {
    const { range, orWord } = declaredVariable(name);
    assert.ok(range, `${name} is declared without a range`);
    const [min, max] = range;
    const given = this.text(name, fallback === undefined ? undefined : String(fallback));
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) {
      const word = orWord === undefined ? "" : `${orWord} or `;
      const problem = `${name} must be ${word}a whole number from ${min} to ${max}, not ${JSON.stringify(given)}`;
      // Several providers may read one variable.
      if (!this.#problems.includes(problem)) this.#problems.push(problem);
    }
    return value;
  };

  /** One of `words`; the declared default with a problem where it is another. */
  word<Word extends string>(name: string, words: readonly Word[]): Word {
    const given = this.text(name);
    const word = words.find((candidate) => candidate === given);
    if (word !== undefined) return word;
    this.#problems.push(`${name} must be one of ${words.join(", ")}, not ${JSON.stringify(given)}`);
    return declaredVariable(name).default as Word;
  }

  /** Whether a variable has the first of its two declared words; a third one is a problem. */
  flag(name: string): boolean {
    const { oneOf = [] } = declaredVariable(name);
    const given = this.text(name);
    if (!oneOf.includes(given)) {
      this.#problems.push(`${name} must be ${oneOf.join(" or ")}, not ${JSON.stringify(given)}`);
    }
    return given === oneOf[0];
  }
}
