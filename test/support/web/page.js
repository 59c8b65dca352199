// What the test page does beside the SDK: it keeps the events of its call, and observes the browser's audio and peer connections
// from outside of the SDK.

/** All that went to the loudspeaker by Web Audio, at the context's rate. */
const heard = { isTapped: false, rateHz: 0, samples: [] };
const elements = [];
const peers = [];

const { connect } = AudioNode.prototype;
AudioNode.prototype.connect = function (target, ...rest) {
  if (target instanceof AudioDestinationNode && this instanceof AudioWorkletNode) void tap(this);
  return connect.call(this, target, ...rest);
};

async function tap(node) {
  const { context } = node;
  Object.assign(heard, { isTapped: false, rateHz: context.sampleRate, samples: [] });
  await context.audioWorklet.addModule("/tap.js");
  const recorder = new AudioWorkletNode(context, "tap");
  recorder.port.onmessage = ({ data }) => heard.samples.push(...data);
  connect.call(node, recorder);
  connect.call(recorder, context.destination);
  heard.isTapped = true;
}

const { play } = HTMLMediaElement.prototype;
HTMLMediaElement.prototype.play = function () {
  elements.push(this);
  return play.call(this);
};
/** The microphones that were opened. */
const microphones = [];
const { getUserMedia } = MediaDevices.prototype;
MediaDevices.prototype.getUserMedia = async function (constraints) {
  const stream = await getUserMedia.call(this, constraints);
  microphones.push(...stream.getAudioTracks());
  return stream;
};

const OwnPeer = RTCPeerConnection;
globalThis.RTCPeerConnection = class extends OwnPeer {
  constructor(...args) {
    super(...args);
    peers.push(this);
  }
};

/** The other end of the SDK's peer connection: it plays a tone, and keeps what it gets. */
async function answer(sdp) {
  const peer = new OwnPeer();
  const context = new AudioContext();
  const oscillator = new OscillatorNode(context, { frequency: 600 });
  const out = context.createMediaStreamDestination();
  oscillator.connect(new GainNode(context, { gain: 0.5 })).connect(out);
  oscillator.start();
  peer.ontrack = ({ track }) => {
    new Audio().srcObject = new MediaStream([track]);
    const meter = context.createAnalyser();
    context.createMediaStreamSource(new MediaStream([track])).connect(meter);
    page.service.meter = meter;
  };
  await peer.setRemoteDescription({ type: "offer", sdp });
  const [transceiver] = peer.getTransceivers();
  transceiver.direction = "sendrecv";
  await transceiver.sender.replaceTrack(out.stream.getAudioTracks()[0]);
  await peer.setLocalDescription(await peer.createAnswer());
  page.service.peer = peer;
  while (peer.iceGatheringState !== "complete") await new Promise((resolve) => setTimeout(resolve, 10));
  return peer.localDescription.sdp;
}

const { TrunklineCall } = await import("/sdk/index.js");
const TYPES = ["ready", "state", "transcript", "volume", "error", "ended"];
const events = [];

function open(source, options) {
  events.length = 0;
  const call = new TrunklineCall(source, options);
  for (const type of TYPES) {
    call.addEventListener(type, ({ detail }) => events.push({ type, atMs: performance.now(), ...detail }));
  }
  page.call = call;
  return call;
}

/** Errors as what crosses to the test. */
const codeOf = (promise) =>
  promise.then(
    () => "started",
    (error) => `${error.name} ${error.code}: ${error.message}`,
  );

const page = {
  events,
  heard,
  elements,
  peers,
  microphones,
  service: { answer },
  open,
  start: (source, options) => codeOf(open(source, options).start()),
  again: () => codeOf(page.call.start()),
};
globalThis.page = page;

const tell = (outcome) => console.info("outcome", outcome);
document.querySelector("button").addEventListener("click", async () => tell(await page.again()));
if (globalThis.automatic) tell(await page.start(...globalThis.automatic));
