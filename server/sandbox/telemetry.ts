import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** What a service reports of a request. Times in milliseconds since the epoch. */
export interface Trace {
  service: string;
  /** 16 bytes. */
  id: Buffer;
  method: string;
  path: string;
  userAgent: string | undefined;
  address: string;
  start: number;
  end: number;
  events: { name: string; at: number; attributes: Attributes }[];
}
export type Attributes = Record<string, string | undefined>;

const current = new AsyncLocalStorage<(name: string, attributes: Attributes) => void>();

/** Adds an event to the trace of the current request, if there is one. */
export const recordEvent = (name: string, attributes: Attributes): void => current.getStore()?.(name, attributes);

/** The address of a device as Kratos records it: without a proxy, it includes the port. */
export const addressOf = ({ headers, socket }: IncomingMessage): string =>
  String(headers['x-real-ip'] ?? `${socket.remoteAddress}:${socket.remotePort}`);

const EVERY_MS = 1_000;
/** Two spans each, so 512 spans at most. */
const BATCH_TRACES = 256;
const QUEUE_MAX_TRACES = 10_000;
const ATTEMPTS = 3;
const TIMEOUT_MS = 5_000;

/** Sends traces as Kratos and Hydra do by OpenTelemetry: in batches; what cannot be sent is dropped. */
export function telemetry(now: () => number) {
  const ending = new AbortController();
  const queue: Trace[] = [];
  let target: { url: string; key: string | undefined } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();

  async function post(body: Uint8Array): Promise<void> {
    for (let attempt = 1; target !== undefined && attempt <= ATTEMPTS; attempt += 1) {
      const headers = { 'Content-Type': 'application/x-protobuf', Authorization: `Bearer ${target.key}` };
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const sent = fetch(`${target.url}/v1/traces`, { method: 'POST', headers, body, signal });
      const { status } = await sent.catch(() => ({ status: 503 }));
      if (status !== 429 && status !== 503) return;
      await sleep(attempt * EVERY_MS, undefined, { ref: false, signal: ending.signal }).catch(() => {});
    }
  }
  async function sendQueue(): Promise<void> {
    while (queue.length > 0) await post(exportRequest(queue.splice(0, BATCH_TRACES)));
  }
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending = sending.then(sendQueue);
    return sending;
  }
  function add(traces: readonly Trace[]): void {
    if (target === undefined || queue.length + traces.length > QUEUE_MAX_TRACES) return;
    queue.push(...traces);
    timer ??= setTimeout(flush, EVERY_MS).unref();
  }

  return {
    /** @param serviceOf the service that reports a request for a path; undefined for none */
    traced:
      (app: RequestListener, serviceOf: (path: string) => string | undefined): RequestListener =>
      (req, res) => {
        const { method = '', url = '', headers } = req;
        const [path = ''] = url.split('?');
        const service = serviceOf(path);
        if (service === undefined) return app(req, res);
        const base = { service, id: randomBytes(16), method, path, userAgent: headers['user-agent'] };
        const trace: Trace = { ...base, address: addressOf(req), start: now(), end: 0, events: [] };
        res.once('close', () => add([{ ...trace, end: now() }]));
        current.run(
          (name, attributes) => trace.events.push({ name, at: now(), attributes }),
          () => app(req, res),
        );
      },
    /** @param past what to report first */
    sendTo(to: typeof target, past: readonly Trace[]): void {
      target = to;
      add(past);
    },
    /** Resolves when everything so far has been sent or dropped. */
    flush,
    close(): void {
      target = undefined;
      ending.abort();
      clearTimeout(timer);
    },
  };
}

type Field = [number: number, value: string | number | bigint | Uint8Array | Field[]];

/** An `ExportTraceServiceRequest` (OpenTelemetry's trace/v1/trace.proto). */
function exportRequest(traces: readonly Trace[]): Uint8Array {
  const services = [...new Set(traces.map(({ service }) => service))];
  const spansOf = (service: string) => traces.filter((trace) => trace.service === service).flatMap(spans);
  const resources = services.map((service): Field => {
    const resource = attributesAs(1, { 'service.name': service });
    return [
      1,
      [
        [1, resource],
        [2, spansOf(service)],
      ],
    ];
  });
  return encode(resources, new BinaryWriter()).finish();
}

const INTERNAL = 1;
const SERVER = 2;

/** The span of the request, after one with its events, if there are any. */
function spans({ id, method, path, userAgent, address, start, end, events }: Trace): Field[] {
  const span = (kind: number, name: string, members: Field[]): Field => [
    2,
    [[1, id], [2, randomBytes(8)], [5, name], [6, kind], [7, nanoseconds(start)], [8, nanoseconds(end)], ...members],
  ];
  const members = events.map(({ name, at, attributes }): Field => {
    const values = attributesAs(3, { ...attributes, ClientIP: address });
    return [11, [[1, nanoseconds(at)], [2, name], ...values]];
  });
  const ofRequest = { 'http.request.method': method, 'url.path': path, 'user_agent.original': userAgent };
  const request = span(SERVER, `${method} ${path}`, attributesAs(9, ofRequest));
  return members.length === 0 ? [request] : [span(INTERNAL, 'event', members), request];
}

const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms)) * 1_000_000n;

const attributesAs = (number: number, attributes: Attributes): Field[] =>
  Object.entries(attributes).flatMap(([key, text]): Field[] =>
    text === undefined
      ? []
      : [
          [
            number,
            [
              [1, key],
              [2, [[1, text]]],
            ],
          ],
        ],
  );

function encode(message: readonly Field[], writer: BinaryWriter): BinaryWriter {
  for (const [number, value] of message)
    if (typeof value === 'number') writer.tag(number, WireType.Varint).int32(value);
    else if (typeof value === 'bigint') writer.tag(number, WireType.Bit64).fixed64(value);
    else if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
    else if (value instanceof Uint8Array) writer.tag(number, WireType.LengthDelimited).bytes(value);
    else encode(value, writer.tag(number, WireType.LengthDelimited).fork()).join();
  return writer;
}
