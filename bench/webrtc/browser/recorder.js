/** Hands the page the peaks of its inputs, or the samples of the first one, block by block. */
class Recorder extends AudioWorkletProcessor {
  #posts;

  constructor({ processorOptions }) {
    super();
    this.#posts = processorOptions.posts;
  }

  process(inputs) {
    if (this.#posts === "peaks") {
      const peaks = inputs.map(
        ([samples]) => samples?.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) ?? 0,
      );
      this.port.postMessage({ atS: currentTime, peaks });
    } else if (inputs[0][0] !== undefined) this.port.postMessage(inputs[0][0].slice());
    return true;
  }
}

registerProcessor("recorder", Recorder);
