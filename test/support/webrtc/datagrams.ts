import { createHmac, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { writeRtp } from "../../../src/media/rtp/packet.ts";

// Datagrams as an attacker makes them: RFC 7983 says by which first byte each kind is known.

const STUN_COOKIE = 0x2112_a442;

function stunAttribute(type: number, value: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

/** A binding request of ICE, RFC 8445: `username` is `theirs:ours`, and `password` signs it. */
export function bindingRequest(username: string, password: string): Buffer {
  const header = (length: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt16BE(1, 0);
    bytes.writeUInt16BE(length, 2);
    bytes.writeUInt32BE(STUN_COOKIE, 4);
    return bytes;
  };
  const transaction = randomBytes(12);
  const attributes = Buffer.concat([
    stunAttribute(0x0006, Buffer.from(username)),
    stunAttribute(0x0024, Buffer.from([0x6e, 0x7f, 0x1e, 0xff])),
    stunAttribute(0x802a, randomBytes(8)),
    stunAttribute(0x0025, Buffer.alloc(0)),
  ]);
  // Both lengths count the attribute that they sign: RFC 8489, sections 14.5 and 14.7.
  const signed = Buffer.concat([header(attributes.length + 24), transaction, attributes]);
  const integrity = stunAttribute(0x0008, createHmac("sha1", password).update(signed).digest());
  const checked = Buffer.concat([header(attributes.length + 32), transaction, attributes, integrity]);
  const fingerprint = Buffer.alloc(4);
  fingerprint.writeUInt32BE((crc32(checked) ^ 0x5354_554e) >>> 0);
  return Buffer.concat([checked, stunAttribute(0x8028, fingerprint)]);
}

/** A DTLS ClientHello that offers no encryption: TLS_NULL_WITH_NULL_NULL and its kin, as in CVE-2023-51443. */
export function nullClientHello(): Buffer {
  const body = Buffer.concat([
    Buffer.from([0xfe, 0xfd]),
    randomBytes(32),
    // No session, no cookie; two cipher suites; no compression.
    Buffer.from([0, 0, 0, 4, 0x00, 0x00, 0x00, 0x02, 1, 0]),
  ]);
  const length = Buffer.from([0, 0, body.length]);
  const handshake = Buffer.concat([Buffer.of(1), length, Buffer.of(0, 0, 0, 0, 0), length, body]);
  const record = Buffer.from([22, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, handshake.length]);
  return Buffer.concat([record, handshake]);
}

/** What is no SRTP, but looks like RTP of this source. */
export function plainRtp(ssrc: number, sequence: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + payload.length);
  writeRtp(
    { payloadType: 111, marker: false, sequence: sequence & 0xffff, timestamp: (960 * sequence) >>> 0, ssrc },
    payload,
    bytes,
  );
  return bytes;
}

/** RFC 7983: SRTP and SRTCP begin with 128 to 191, DTLS with 20 to 63, STUN with 0 to 3. */
export const isSrtp = (datagram: Uint8Array): boolean => ((datagram[0] as number) & 0xc0) === 0x80;
export const isDtls = (datagram: Uint8Array): boolean => (datagram[0] as number) >= 20 && (datagram[0] as number) < 64;
