const WIDTH = 24;
const STEP_PERCENT = 10;

export interface ProgressOutput {
  write(text: string): void;
  /** A line can be written over. */
  isTTY: boolean;
}

/** How far a file is: a bar in a terminal, and a line for each tenth elsewhere. */
export class ProgressBar {
  readonly #output: ProgressOutput;
  readonly #name: string;
  #shown = "";
  #percent = -STEP_PERCENT;

  constructor(output: ProgressOutput, name: string) {
    this.#output = output;
    this.#name = name;
  }

  /** `durationMs` is undefined while it is not known. */
  show(doneMs: number, durationMs: number | undefined): void {
    const share = durationMs ? Math.min(1, doneMs / durationMs) : 0;
    const percent = Math.floor(100 * share);
    const of = durationMs === undefined ? "" : ` of ${timeOf(durationMs)}`;
    if (this.#output.isTTY) {
      const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, "-");
      this.#line(`${this.#name} [${bar}] ${String(percent).padStart(3)} %  ${timeOf(doneMs)}${of}`);
    } else if (percent >= this.#percent + STEP_PERCENT) {
      this.#percent = percent - (percent % STEP_PERCENT);
      this.#output.write(`${this.#name}: ${percent} %, ${timeOf(doneMs)}${of}\n`);
    }
  }

  /** Ends the line with what became of the file. */
  end(outcome: string): void {
    if (this.#output.isTTY) this.#line("");
    this.#output.write(`${this.#name}: ${outcome}\n`);
  }

  #line(text: string): void {
    this.#output.write(`\r${text.padEnd(this.#shown.length)}${text === "" ? "\r" : ""}`);
    this.#shown = text;
  }
}

/** Minutes and seconds, or hours, minutes and seconds. */
function timeOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (parts[0] === 0 ? parts.slice(1) : parts).map((part) => String(part).padStart(2, "0")).join(":");
}
