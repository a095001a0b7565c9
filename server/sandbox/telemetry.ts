import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { whileRunning } from '../caches.ts';

type Attributes = Record<string, string | undefined>;

/** What a service reports of a request. Times in milliseconds since the epoch. */
export interface Trace {
  service: string;
  /** 16 bytes. */
  id: Buffer;
  method: string;
  path: string;
  userAgent: string | undefined;
  address: string;
  at: number;
  events: { name: string; at: number; attributes: Attributes }[];
}
export interface EventTarget {
  url: string;
  key: string | undefined;
}

const current = new AsyncLocalStorage<(name: string, attributes: Attributes) => void>();

/** Adds an event to the trace of the current request, if there is one. */
export const recordEvent = (name: string, attributes: Attributes): void => current.getStore()?.(name, attributes);

/** The address of a device as Kratos records it: without a proxy, it includes the port. */
export const addressOf = ({ headers, socket }: IncomingMessage): string =>
  String(headers['x-real-ip'] ?? `${socket.remoteAddress}:${socket.remotePort}`);

const EVERY_MS = 1_000;
/** Of at most two spans each. */
const BATCH_TRACES = 256;
const QUEUE_MAX_TRACES = 10_000;
/** Ory's servers do not trace probes. */
const HEALTH = /^(?:\/admin)?\/health\//;
/** On the OAuth server's port, but of Kratos. */
const PAGES = /^\/(?:login|recovery)(?:\/|$)/;

/** Sends traces as Kratos and Hydra do by OpenTelemetry: in batches; what cannot be sent is dropped. */
export function telemetry(kratos: string, now: () => number) {
  const ending = new AbortController();
  const queue: Trace[] = [];
  let target: EventTarget | undefined;
  const flush = whileRunning(async () => {
    while (target !== undefined && queue.length > 0) {
      const { url, key } = target;
      const headers = { 'Content-Type': 'application/x-protobuf', Authorization: `Bearer ${key}` };
      const body = encode({ 1: queue.splice(0, BATCH_TRACES).map(resourceSpans) }).finish();
      const sent = fetch(`${url}/v1/traces`, { method: 'POST', headers, body, signal: ending.signal });
      await sent.catch(() => {});
    }
  });
  const timer = setInterval(flush, EVERY_MS).unref();
  function add(traces: readonly Trace[]): void {
    if (target !== undefined && queue.length + traces.length <= QUEUE_MAX_TRACES) queue.push(...traces);
  }

  return {
    traced:
      (app: RequestListener, ofPort: string): RequestListener =>
      (req, res) => {
        const { method = '', url = '' } = req;
        const [path = ''] = url.split('?');
        const service = PAGES.test(path) ? kratos : ofPort;
        const from = { userAgent: req.headers['user-agent'], address: addressOf(req) };
        const trace: Trace = { service, id: randomBytes(16), method, path, ...from, at: now(), events: [] };
        if (!HEALTH.test(path)) res.once('close', () => add([trace]));
        const record = (name: string, attributes: Attributes) => trace.events.push({ name, at: now(), attributes });
        current.run(record, () => app(req, res));
      },
    /** @param past what to report first */
    sendTo(to: EventTarget, past: readonly Trace[]): void {
      target = to;
      add(past);
    },
    /** Resolves when everything so far has been sent or dropped. */
    flush,
    close(): void {
      target = undefined;
      ending.abort();
      clearInterval(timer);
    },
  };
}

/** A message of protobuf, by field number. */
interface Message {
  [field: number]: string | bigint | Uint8Array | Message | readonly Message[];
}

/** A part of an `ExportTraceServiceRequest` (OpenTelemetry's trace/v1/trace.proto): the request's span, and one of events. */
function resourceSpans({ service, id, method, path, userAgent, address, at, events }: Trace): Message {
  const common = { 1: id, 7: nanoseconds(at), 8: nanoseconds(at) };
  const ofRequest = { 'http.request.method': method, 'url.path': path, 'user_agent.original': userAgent };
  const request = { ...common, 2: id.subarray(0, 8), 5: `${method} ${path}`, 9: keyValues(ofRequest) };
  const reported = events.map((event): Message => {
    const attributes = keyValues({ ...event.attributes, ClientIP: address });
    return { 1: nanoseconds(event.at), 2: event.name, 3: attributes };
  });
  const inside = { ...common, 2: id.subarray(8), 4: id.subarray(0, 8), 5: 'events', 11: reported };
  return {
    1: { 1: keyValues({ 'service.name': service }) },
    2: { 2: events.length > 0 ? [inside, request] : [request] },
  };
}

const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms)) * 1_000_000n;

const keyValues = (attributes: Attributes): Message[] =>
  Object.entries(attributes).flatMap(([key, text]) => (text === undefined ? [] : { 1: key, 2: { 1: text } }));

function encode(message: Message, writer = new BinaryWriter()): BinaryWriter {
  for (const [field, values] of Object.entries(message))
    for (const value of Array.isArray(values) ? values : [values])
      if (typeof value === 'bigint') writer.tag(Number(field), WireType.Bit64).fixed64(value);
      else if (typeof value === 'string') writer.tag(Number(field), WireType.LengthDelimited).string(value);
      else if (value instanceof Uint8Array) writer.tag(Number(field), WireType.LengthDelimited).bytes(value);
      else encode(value, writer.tag(Number(field), WireType.LengthDelimited).fork()).join();
  return writer;
}
