import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate that vouches for itself, and its private key; PEM, new in every run. */
interface Certificate {
  cert: string;
  key: string;
}

/** @param name the one host that it is for */
export function selfSigned(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const commonName = sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(name)))));
  const names = sequence(element(0x82, Buffer.from(name)));
  // RFC 5280, section 4.1.
  const content = sequence(
    VERSION_3,
    element(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName,
    sequence(time('250101000000Z'), time('491231235959Z')),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(sequence(SUBJECT_ALT_NAME, element(0x04, names)))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]);
  const der = sequence(content, ECDSA_WITH_SHA256, element(0x03, signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

const VERSION_3 = Buffer.from('a003020102', 'hex');
/** 1.2.840.10045.4.3.2, as an algorithm. */
const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
/** 2.5.4.3 */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
/** 2.5.29.17 */
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');

/** In DER: a tag, the length, the content. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const lengthOctets = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthOctets]), content]);
}
const sequence = (...parts: Buffer[]): Buffer => element(0x30, Buffer.concat(parts));
const time = (utc: string): Buffer => element(0x17, Buffer.from(utc));
