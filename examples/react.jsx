// An agent as a component of React 19. The file worklet.js of the package trunkline-sdk lies beside the bundle.
import { useEffect, useState } from "react";
import { TrunklineCall } from "trunkline-sdk";

export function Agent({ session }) {
  const [call, setCall] = useState();
  const [lines, setLines] = useState({ state: "idle" });
  const show = (name, line) => setLines((shown) => ({ ...shown, [name]: line }));
  const talk = () => {
    const next = new TrunklineCall({ session });
    next.addEventListener("state", ({ detail }) => show("state", detail.state));
    next.addEventListener("transcript", ({ detail }) => show(detail.turnId, `${detail.role}: ${detail.text}`));
    next.start().catch(({ message }) => show("state", message));
    setCall(next);
  };
  useEffect(() => () => call?.stop(), [call]);
  const buttons = Object.entries({ Talk: talk, End: () => call?.stop() });
  const texts = Object.entries(lines).map(([name, line]) => <p key={name}>{line}</p>);
  return [...texts, ...buttons.map(([name, press]) => <input key={name} type="button" value={name} onClick={press} />)];
}
