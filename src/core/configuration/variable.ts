/**
 * An environment variable that an operator can set. docs/configuration.md shows it. Texts are in Markdown, and their links are
 * relative to docs/.
 */
export interface Variable {
  /** The value where the variable is not set; absent where there is none, or where it is no constant. */
  readonly default?: string;
  /** The default in words, where it is no constant. */
  readonly defaultText?: string;
  /** The allowed whole numbers. */
  readonly range?: readonly [min: number, max: number];
  /** A word that is allowed in place of a number. */
  readonly orWord?: string;
  /** The allowed words. */
  readonly oneOf?: readonly string[];
  /** The format of a value that is neither a number nor one of a few words. */
  readonly format?: string;
  readonly meaning: string;
}

/** Variables by name. */
export type Variables = Readonly<Record<string, Variable>>;

/** Reads declared variables of an environment, by the names `Name`. */
export interface DeclaredReader<Name extends string = string> {
  /** The text of a variable; where it is empty or not set `fallback`, by default the declared one. */
  text(name: Name, fallback?: string): string;
  /** The whole number of a variable; NaN, and a problem of the configuration, where it is out of the declared range. `fallback` is as with `text`. */
  integer(name: Name, fallback?: number): number;
}
