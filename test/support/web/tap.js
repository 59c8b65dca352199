/** Hands what goes to the loudspeaker to the test page. */
class Tap extends AudioWorkletProcessor {
  process([[samples]]) {
    if (samples !== undefined) this.port.postMessage(samples.slice());
    return true;
  }
}

registerProcessor("tap", Tap);
