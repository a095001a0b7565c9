import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key as PEM, new in every run. */
interface Certificate {
  cert: string;
  key: string;
}

/** A self-signed certificate. @param name its only host */
export function selfSigned(name: string): Certificate {
  const own = keyPair();
  return { cert: certificate(name, own.publicKey, { name, key: own.privateKey }, hostName(name)), key: pem(own) };
}

/** A new certificate authority. */
export function certificateAuthority() {
  const { publicKey, privateKey } = keyPair();
  const issuer = { name: 'An authority of the tests', key: privateKey };
  return {
    cert: certificate(issuer.name, publicKey, issuer, MAY_ISSUE),
    /** @param name the only host of the certificate @param end in UTC, `YYMMDDhhmmssZ` */
    issue(name: string, end?: string): Certificate {
      const own = keyPair();
      return { cert: certificate(name, own.publicKey, issuer, hostName(name), end), key: pem(own) };
    },
  };
}

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = ({ privateKey }: { privateKey: KeyObject }): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** The PEM of a certificate (RFC 5280, section 4.1). */
function certificate(
  name: string,
  publicKey: KeyObject,
  issuer: { name: string; key: KeyObject },
  extension: Buffer,
  end = '491231235959Z',
): string {
  const content = sequence(
    VERSION_3,
    element(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName(issuer.name),
    sequence(time('250101000000Z'), time(end)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(extension)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, issuer.key)]);
  const der = sequence(content, ECDSA_WITH_SHA256, element(0x03, signature));
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

const VERSION_3 = Buffer.from('a003020102', 'hex');
/** The algorithm with the OID 1.2.840.10045.4.3.2. */
const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
/** The OID 2.5.4.3. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
/** The OID 2.5.29.17. */
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');
/** The critical extension with the OID 2.5.29.19, for the certificate of an authority. */
const MAY_ISSUE = Buffer.from('300f0603551d130101ff040530030101ff', 'hex');

const hostName = (name: string): Buffer =>
  sequence(SUBJECT_ALT_NAME, element(0x04, sequence(element(0x82, Buffer.from(name)))));
const commonName = (name: string): Buffer =>
  sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(name)))));

/** An element in DER: tag, length, content. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const lengthOctets = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthOctets]), content]);
}
const sequence = (...parts: Buffer[]): Buffer => element(0x30, Buffer.concat(parts));
const time = (utc: string): Buffer => element(0x17, Buffer.from(utc));
