/** What the supervisor sends to a parent that forked it when all processes are up. */
export interface ServiceReady {
  kind: "ready";
  apiUrl: string;
  mediaUrl: string;
  /** Absent where no worker carries WebRTC calls. */
  webrtcUrl?: string;
}
