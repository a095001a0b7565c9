import { gunzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Database } from '../../server/db/database.ts';
import { signInLog } from '../../server/events/sign-in-log.ts';
import type { Log } from '../../server/log.ts';
import { redactor } from '../../server/upstream/proxy/errors.ts';
import { silentLog } from './context.ts';
import { readText } from './repository-files.ts';

/** The recorded requests, by what was done. */
export const recordedRequests = new Map<string, Buffer>(
  ['kratos', 'hydra'].flatMap((service) =>
    (JSON.parse(readText(`test/fixtures/otlp/${service}.json`)) as { act: string; gzip: string }[]).map(
      ({ act, gzip }) => [act, gunzipSync(Buffer.from(gzip, 'base64'))] as const,
    ),
  ),
);

export type SentEvent = readonly [name: string, at: number, attributes?: Record<string, string>];
export interface SentSpan {
  service?: string;
  /** 32 hexadecimal digits. */
  trace?: string;
  attributes?: Record<string, string>;
  events?: SentEvent[];
}

const field = (number: number, content: string | Uint8Array): Uint8Array =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(Buffer.from(content)).finish();
const message = (number: number, ...fields: Uint8Array[]): Uint8Array => field(number, Buffer.concat(fields));
const attributesAt = (number: number, attributes: Record<string, string> = {}): Uint8Array[] =>
  Object.entries(attributes).map(([key, value]) => message(number, field(1, key), message(2, field(1, value))));
const eventOf = ([name, at, attributes]: SentEvent): Uint8Array => {
  const time = new BinaryWriter()
    .tag(1, WireType.Bit64)
    .fixed64(BigInt(at) * 1_000_000n)
    .finish();
  return message(11, time, field(2, name), ...attributesAt(3, attributes));
};

/** An `ExportTraceServiceRequest` with these spans. */
export const exportRequest = (...spans: SentSpan[]): Buffer =>
  Buffer.concat(
    spans.map(({ service = 'kratos', trace = 'ab'.repeat(16), attributes, events = [] }) => {
      const span = [field(1, Buffer.from(trace, 'hex')), ...attributesAt(9, attributes), ...events.map(eventOf)];
      return message(1, message(1, ...attributesAt(1, { 'service.name': service })), message(2, message(2, ...span)));
    }),
  );

export const EVENTS_KEY = 'key-of-the-tests-for-events-0123456789';

/** @returns the status of the response */
export async function sendEvents(port: number, body: Buffer, headers: Record<string, string> = {}): Promise<number> {
  const all = { authorization: `Bearer ${EVENTS_KEY}`, 'content-type': 'application/x-protobuf', ...headers };
  const options = { method: 'POST', headers: all, body: new Uint8Array(body) };
  return (await fetch(`http://127.0.0.1:${port}/v1/traces`, options)).status;
}

const OSLO = { city: 'Oslo', country: 'Norway', countryCode: 'NO', lat: 60, lng: 11 };
export type LogOptions = {
  days?: number;
  log?: Log;
  answersSince?: () => Promise<string | undefined>;
  rowsMax?: number;
};

/** A sign-in log that listens, with a clock that the test sets; 203.0.113.9 is in Oslo. */
export async function startSignInLog(database: Database, time: { now: number }, options: LogOptions = {}) {
  const { days = 30, log = silentLog, answersSince = async () => undefined, ...others } = options;
  const isClientGone = async () => false;
  const signIns = signInLog({
    ...{
      ...others,
      answersSince,
      isClientGone,
      database,
      log,
      redact: redactor([]),
      now: () => time.now,
      monotonic: () => time.now,
    },
    config: { host: '127.0.0.1', port: 0, key: EVENTS_KEY, days },
    openGeo: async () => (address) => (address === '203.0.113.9' ? OSLO : undefined),
  });
  const port = await signIns.start();
  await signIns.upkeep();
  const send = (body: Buffer, headers?: Record<string, string>): Promise<number> => sendEvents(port, body, headers);
  return { ...signIns, close: signIns.stop, send };
}
export type TestLog = Awaited<ReturnType<typeof startSignInLog>>;
