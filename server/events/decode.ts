import { setImmediate as breathe } from 'node:timers/promises';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** An event of a span, with the attributes that were requested. */
export interface SpanEvent {
  service: string;
  /** 32 hexadecimal digits. */
  trace: string;
  name: string;
  /** Nanoseconds since the epoch. */
  time: bigint;
  attributes: Readonly<Record<string, string>>;
}

/** A span, as far as it is of interest. */
export interface Span {
  service: string;
  trace: string;
  /** Only of a span for an HTTP request. */
  path: string | undefined;
  userAgent: string | undefined;
  events: SpanEvent[];
}

/** The body is not an `ExportTraceServiceRequest`. */
export class MalformedRequest extends Error {}

/** How long a slice takes. */
const SLICE_MS = 1;
/** Of a span or a resource, so that each takes less than a slice. Those of Kratos and Hydra have a few hundred fields. */
const FIELDS_MAX = 5_000;
const EVENTS_MAX = 128;
/** Longer texts are cut. */
const TEXT_MAX_BYTES = 4_096;
const SPAN_ATTRIBUTES = new Set(['url.path', 'http.target', 'user_agent.original', 'http.user_agent']);
const SERVICE = new Set(['service.name']);

/** The attributes to read by name of the event; undefined skips the event. */
type Reads = (event: string) => ReadonlySet<string> | undefined;

/** How many fields may still be read; the others are skipped. */
interface Budget {
  fields: number;
}

let previous: Promise<unknown> = Promise.resolve();

/**
 * Decodes an `ExportTraceServiceRequest` (OpenTelemetry's trace/v1/trace.proto), one body after the other and in slices, so
 * that other requests are served in between. Everything but the requested attributes is skipped.
 * @throws MalformedRequest
 */
export function decodeTraces(body: Uint8Array, reads: Reads, onSpan: (span: Span) => void): Promise<void> {
  const decoded = previous.then(() => decodeInSlices(body, reads, onSpan));
  previous = decoded.catch(() => {});
  return decoded;
}

async function decodeInSlices(body: Uint8Array, reads: Reads, onSpan: (span: Span) => void): Promise<void> {
  let end = performance.now() + SLICE_MS;
  let skipped = 0;
  try {
    for (const span of spansIn(body, reads)) {
      if (span !== undefined) onSpan(span);
      else if (++skipped % 64 !== 0) continue;
      if (performance.now() < end) continue;
      await breathe();
      end = performance.now() + SLICE_MS;
    }
  } catch (error) {
    // What the reader of the wire format throws.
    throw new MalformedRequest('', { cause: error });
  }
}

/** Spans, and undefined for any other field. */
function* spansIn(body: Uint8Array, reads: Reads): Generator<Span | undefined> {
  for (const [field, resourceSpans] of messages(body)) {
    yield;
    if (field !== 1) continue;
    let service = '';
    for (const [part, bytes] of messages(resourceSpans)) {
      yield;
      if (part === 1) service = attributesIn(bytes, 1, SERVICE, { fields: FIELDS_MAX })['service.name'] ?? '';
    }
    for (const [part, scopeSpans] of messages(resourceSpans)) {
      yield;
      if (part !== 2) continue;
      for (const [member, span] of messages(scopeSpans)) yield member === 2 ? spanIn(span, service, reads) : undefined;
    }
  }
}

function spanIn(bytes: Uint8Array, service: string, reads: Reads): Span {
  const budget = { fields: FIELDS_MAX };
  const events: Uint8Array[] = [];
  let trace = '';
  for (const [field, content] of messages(bytes, budget)) {
    if (field === 1 && content.length === 16) trace = Buffer.from(content).toString('hex');
    else if (field === 11) events.push(content);
  }
  const attributes = attributesIn(bytes, 9, SPAN_ATTRIBUTES, budget);
  const found: SpanEvent[] = [];
  for (const content of events) {
    if (budget.fields <= 0 || found.length === EVENTS_MAX) break;
    const event = eventIn(content, { service, trace }, reads, budget);
    if (event !== undefined) found.push(event);
  }
  return {
    ...{ service, trace },
    path: attributes['url.path'] ?? attributes['http.target'],
    userAgent: attributes['user_agent.original'] ?? attributes['http.user_agent'],
    events: found,
  };
}

function eventIn(
  bytes: Uint8Array,
  span: Pick<Span, 'service' | 'trace'>,
  reads: Reads,
  budget: Budget,
): SpanEvent | undefined {
  const reader = new BinaryReader(bytes);
  let name = '';
  let time = 0n;
  while (reader.pos < reader.len && budget.fields-- > 0) {
    const [field, type] = reader.tag();
    if (field === 1 && type === WireType.Bit64) time = BigInt(reader.fixed64());
    else if (field === 2 && type === WireType.LengthDelimited) name = textOf(reader.bytes());
    else skip(reader, type, field);
  }
  const names = reads(name);
  return names && { ...span, name, time, attributes: attributesIn(bytes, 3, names, budget) };
}

/** The `KeyValue` members in this field, of those named; booleans and numbers are skipped. The first of a name counts. */
function attributesIn(
  bytes: Uint8Array,
  field: number,
  names: ReadonlySet<string>,
  budget: Budget,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [number, keyValue] of messages(bytes, budget)) {
    if (number !== field) continue;
    let key = '';
    let text: string | undefined;
    for (const [member, content] of messages(keyValue, budget)) {
      if (member === 1) key = textOf(content);
      if (member === 2 && names.has(key))
        for (const [kind, value] of messages(content, budget)) if (kind === 1) text = textOf(value);
    }
    if (text !== undefined && names.has(key) && found[key] === undefined) found[key] = text;
  }
  return found;
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, TEXT_MAX_BYTES)).toString();

const SKIPPED: [field: number, content: Uint8Array] = [0, new Uint8Array()];

/** The length-delimited fields of a message, and 0 for every other field. */
function* messages(
  bytes: Uint8Array,
  budget: Budget = { fields: Number.POSITIVE_INFINITY },
): Generator<typeof SKIPPED> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len && budget.fields-- > 0) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) yield [field, reader.bytes()];
    else {
      skip(reader, type, field);
      yield SKIPPED;
    }
  }
}

/** Groups, which OpenTelemetry does not use, throw: however long, they would be skipped at once. */
const skip = (reader: BinaryReader, type: WireType, field: number): unknown => reader.skip(type, field, 0);
