// An agent as a component of React 19. The file worklet.js of the package trunkline-sdk lies beside the bundle.
import { useEffect, useState } from "react";
import { TrunklineCall } from "trunkline-sdk";

export function Agent({ session }) {
  const [call, setCall] = useState();
  const [status, setStatus] = useState("idle");
  const [turns, setTurns] = useState({});
  const start = (microphone) => {
    const next = new TrunklineCall({ session }, { microphone });
    next.addEventListener("state", ({ detail }) => setStatus(detail.state));
    next.addEventListener("transcript", ({ detail }) => setTurns((known) => ({ ...known, [detail.turnId]: detail })));
    next.start().catch(({ message }) => setStatus(message));
    setTurns({});
    setCall(next);
  };
  useEffect(() => () => call?.stop(), [call]);
  const buttons = { Talk: () => start(true), Write: () => start(false), End: () => call?.stop() };
  return (
    <form action={(form) => call?.sendText(form.get("message"))}>
      {Object.entries(buttons).map(([name, press]) => (
        <input key={name} type="button" value={name} onClick={press} />
      ))}
      <p role="status">{status}</p>
      {Object.values(turns).map(({ turnId, role, text }) => (
        <p key={turnId}>{`${role}: ${text}`}</p>
      ))}
      <input name="message" aria-label="Message" required />
      <input type="submit" value="Send" />
    </form>
  );
}
