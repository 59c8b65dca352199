// What the page of the bench does: it begins calls by the SDK and notes when their stages were reached; interrupts their agents; and
// holds calls without an agent, over which tones go. Nothing here is measured but by the page's own clock.

import { TrunklineCall } from "/sdk/index.js";

/** When something happened first, since the page began to wait for it. */
let startMs = 0;
let reached = {};
const reach = (stage) => {
  reached[stage] ??= performance.now() - startMs;
};

const devices = navigator.mediaDevices;
const getUserMedia = devices.getUserMedia.bind(devices);
/** In place of the browser's own microphone. */
let injected;
devices.getUserMedia = async (constraints) => {
  const stream = injected?.() ?? (await getUserMedia(constraints));
  reach("microphone");
  return stream;
};

const ownFetch = globalThis.fetch;
globalThis.fetch = async (...request) => {
  const answer = await ownFetch(...request);
  reach("call created");
  return answer;
};

globalThis.WebSocket = class extends WebSocket {
  constructor(...address) {
    super(...address);
    this.addEventListener("open", () => reach("socket open"));
    this.addEventListener("message", ({ data }) => {
      if (typeof data === "string") reach(JSON.parse(data).type);
    });
  }
};

/** Takes the agent's track of each call. */
let onAgent = () => {};
const OwnPeer = RTCPeerConnection;
globalThis.RTCPeerConnection = class extends OwnPeer {
  constructor(...options) {
    super(...options);
    this.addEventListener("track", ({ track }) => onAgent(track));
    this.addEventListener("connectionstatechange", () => {
      if (this.connectionState === "connected") reach("peer connected");
    });
  }
};

const LOUD = 0.01;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** At the rate of the output: what is recorded at another one was resampled twice. */
async function contextWithRecorder(options) {
  const context = new AudioContext();
  await context.audioWorklet.addModule("/recorder.js");
  const recorder = new AudioWorkletNode(context, "recorder", { numberOfInputs: 2, ...options });
  // What is not connected to the output does not run.
  recorder.connect(new GainNode(context, { gain: 0 })).connect(context.destination);
  return { context, recorder };
}

/** One start of a call: when its stages were reached, and when the first sample of the greeting was played. */
async function start(session) {
  const { context, recorder } = await contextWithRecorder({ processorOptions: { posts: "peaks" } });
  const heard = new Promise((resolve) => {
    recorder.port.onmessage = ({ data: { atS, peaks } }) => {
      if (peaks[0] > LOUD) resolve(performance.now() - (context.currentTime - atS) * 1_000);
    };
  });
  onAgent = (track) => context.createMediaStreamSource(new MediaStream([track])).connect(recorder, 0, 0);
  const call = new TrunklineCall({ session });
  const ready = new Promise((resolve) => call.addEventListener("ready", ({ detail }) => resolve(detail.transport)));
  await wait(200);
  reached = {};
  startMs = performance.now();
  await call.start();
  const readyMs = performance.now() - startMs;
  const greetingMs = (await heard) - startMs;
  const result = { ...reached, ready: readyMs, greetingMs, transport: await ready };
  call.stop();
  await context.close();
  return result;
}

/** The page's audio output, and what the callers of this page say; made once. */
let studio;
async function openStudio(rateHz, samples) {
  const capture = await devices.getDisplayMedia({
    video: { width: 16, height: 16, frameRate: 1 },
    audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    preferCurrentTab: true,
  });
  const { context, recorder } = await contextWithRecorder({ processorOptions: { posts: "peaks" } });
  context.createMediaStreamSource(new MediaStream(capture.getAudioTracks())).connect(recorder, 0, 0);
  const microphone = context.createMediaStreamDestination();
  const mouth = new GainNode(context);
  mouth.connect(microphone);
  mouth.connect(recorder, 0, 1);
  const speech = new AudioBuffer({ length: samples.length, sampleRate: rateHz });
  speech.copyToChannel(
    Float32Array.from(samples, (sample) => sample / 32_768),
    0,
  );
  injected = () => new MediaStream(microphone.stream.getAudioTracks().map((track) => track.clone()));
  const blocks = [];
  recorder.port.onmessage = ({ data }) => blocks.push(data);
  studio = { context, mouth, speech, blocks };
}

/** The first block since `fromS` in which an input is loud, once there is one. */
async function loud(input, fromS, withinMs = 15_000) {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += 10) {
    const found = studio.blocks.find(({ atS, peaks }) => atS >= fromS && peaks[input] > LOUD);
    if (found !== undefined) return found.atS;
    await wait(10);
  }
  throw new Error(`input ${input} was not loud`);
}

/** Where the output falls silent after `fromS`, for `silentS`. */
function silentFrom(fromS, silentS) {
  let lastS = fromS;
  for (const { atS, peaks } of studio.blocks) {
    if (atS < fromS || peaks[0] <= LOUD) continue;
    if (atS - lastS > silentS) break;
    lastS = atS;
  }
  return lastS;
}

/** One call whose agent is interrupted after it has spoken for `speakMs`. */
async function interrupt(session, speakMs) {
  const { context, mouth, speech, blocks } = studio;
  blocks.length = 0;
  const call = new TrunklineCall({ session });
  await call.start();
  await loud(0, context.currentTime);
  await wait(speakMs);
  reached = {};
  startMs = performance.now();
  const startedS = context.currentTime;
  const source = new AudioBufferSourceNode(context, { buffer: speech });
  source.connect(mouth);
  source.start();
  const onsetS = await loud(1, startedS);
  const wasSpeaking = blocks.some(({ atS, peaks }) => atS > onsetS - 0.2 && atS <= onsetS && peaks[0] > LOUD);
  await wait(1_500);
  const clearMs = (reached.clear ?? Number.NaN) - (onsetS - startedS) * 1_000;
  const result = { wasSpeaking, silenceMs: (silentFrom(onsetS, 0.3) - onsetS) * 1_000, clearMs };
  call.stop();
  await wait(300);
  return result;
}

/** From the muting of an element that plays, to silence at the output: what the browser takes itself, and its capture. */
async function muted() {
  const { context, blocks } = studio;
  blocks.length = 0;
  const out = context.createMediaStreamDestination();
  const oscillator = new OscillatorNode(context, { frequency: 600 });
  oscillator.connect(out);
  oscillator.start();
  const element = new Audio();
  element.srcObject = out.stream;
  await element.play();
  await loud(0, context.currentTime);
  await wait(300);
  const atS = context.currentTime;
  element.muted = true;
  await wait(500);
  oscillator.stop();
  element.srcObject = null;
  return (silentFrom(atS, 0.2) - atS) * 1_000;
}

/** A call without an agent: it plays a tone, and keeps what it gets. */
class ToneCall {
  async offer(hz) {
    const { context, recorder } = await contextWithRecorder({ processorOptions: { posts: "samples" } });
    this.samples = [];
    recorder.port.onmessage = ({ data }) => this.samples.push(data);
    const microphone = new AudioContext({ sampleRate: 48_000 });
    this.contexts = [context, microphone];
    const oscillator = new OscillatorNode(microphone, { frequency: hz });
    const out = microphone.createMediaStreamDestination();
    oscillator.connect(new GainNode(microphone, { gain: 0.25 })).connect(out);
    oscillator.start();
    this.peer = new OwnPeer({ bundlePolicy: "max-bundle" });
    const [track] = out.stream.getAudioTracks();
    this.transceiver = this.peer.addTransceiver(track, { direction: "sendrecv" });
    this.peer.ontrack = ({ track: agent }) => {
      // As the SDK does.
      this.transceiver.receiver.jitterBufferTarget = 100;
      this.element = new Audio();
      this.element.srcObject = new MediaStream([agent]);
      void this.element.play();
      context.createMediaStreamSource(new MediaStream([agent])).connect(recorder, 0, 0);
    };
    await this.peer.setLocalDescription(await this.peer.createOffer());
    return this.peer.localDescription.sdp;
  }

  answer(sdp) {
    return this.peer.setRemoteDescription({ type: "answer", sdp });
  }

  /** Begins again to keep what it gets. */
  async begin() {
    this.samples.length = 0;
    this.before = await this.#stats();
  }

  /** What it got since, as 16-bit samples in Base64, and what the jitter buffer did to it. */
  async finish() {
    const after = await this.#stats();
    const samples = Int16Array.from(
      this.samples.flatMap((block) => [...block]),
      (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))),
    );
    const bytes = new Uint8Array(samples.buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
    this.peer.close();
    const [{ sampleRate }] = this.contexts;
    for (const context of this.contexts) await context.close();
    const since = (name) => after[name] - this.before[name];
    return {
      base64: btoa(text),
      rateHz: sampleRate,
      received: since("totalSamplesReceived"),
      concealed: since("concealedSamples"),
      accelerated: since("removedSamplesForAcceleration"),
      decelerated: since("insertedSamplesForDeceleration"),
    };
  }

  async #stats() {
    const report = await this.transceiver.receiver.getStats();
    return [...report.values()].find(({ type }) => type === "inbound-rtp") ?? {};
  }
}

globalThis.bench = { start, openStudio, interrupt, muted, tones: { with: new ToneCall(), without: new ToneCall() } };
