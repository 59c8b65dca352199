import { type Random, seededRandom } from "../../core/seeded-random.ts";

/** Ids, keys and nonces that depend only on the seed. None of them protects anything: the emulator is for one machine. */
export class SeededIds {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Lower-case hexadecimal digits. */
  hex(digits: number): string {
    return this.#text("0123456789abcdef", digits);
  }

  digits(count: number): string {
    return this.#text("123456789", count);
  }

  /** Capital letters and digits. */
  capitals(count: number): string {
    return this.#text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", count);
  }

  uuid(): string {
    return this.hex(32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
  }

  #text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[Math.floor(this.#random() * alphabet.length)]).join("");
  }
}
