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
  /** The end, in nanoseconds since the epoch. */
  end: bigint;
  /** Only of a span for an HTTP request. */
  path: string | undefined;
  userAgent: string | undefined;
  events: SpanEvent[];
}

/** The body is not an `ExportTraceServiceRequest`. */
export class MalformedRequest extends Error {}

/** Fields read at a time, which take a few milliseconds. */
const FIELDS_AT_ONCE = 20_000;
/** Larger spans are skipped: Kratos' and Hydra's have at most 128 events of some 2 KB. */
const SPAN_MAX_BYTES = 1024 * 1024;
const SPAN_ATTRIBUTES = new Set(['url.path', 'http.target', 'user_agent.original', 'http.user_agent']);

/**
 * Decodes an `ExportTraceServiceRequest` (OpenTelemetry's trace/v1/trace.proto), in slices, so that other requests are
 * served in between. Everything but the requested attributes is skipped.
 * @param wanted the attributes to read by name of the event; undefined skips the event
 * @throws MalformedRequest
 */
export async function decodeTraces(
  body: Uint8Array,
  wanted: (event: string) => ReadonlySet<string> | undefined,
  onSpan: (span: Span) => void,
): Promise<void> {
  let fields = 0;
  try {
    for (const step of spansIn(body, wanted)) {
      if (typeof step !== 'number') onSpan(step);
      else {
        fields += step;
        if (fields >= FIELDS_AT_ONCE) {
          fields = 0;
          await breathe();
        }
      }
    }
  } catch (error) {
    // What the reader of the wire format throws.
    throw new MalformedRequest('', { cause: error });
  }
}

/** Spans, and in between how many fields were read. */
function* spansIn(
  body: Uint8Array,
  wanted: (event: string) => ReadonlySet<string> | undefined,
): Generator<Span | number> {
  for (const [field, resourceSpans] of messages(body)) {
    yield 1;
    if (field !== 1) continue;
    let service = '';
    for (const [part, bytes] of messages(resourceSpans)) {
      yield 1;
      if (part === 1) service = attributesIn(bytes, 1, SERVICE)['service.name'] ?? '';
    }
    for (const [part, scopeSpans] of messages(resourceSpans)) {
      yield 1;
      if (part !== 2) continue;
      for (const [member, span] of messages(scopeSpans)) {
        yield 1;
        if (member !== 2 || span.length > SPAN_MAX_BYTES) continue;
        yield Math.ceil(span.length / 50);
        yield spanIn(span, service, wanted);
      }
    }
  }
}

const SERVICE = new Set(['service.name']);

function spanIn(bytes: Uint8Array, service: string, wanted: (event: string) => ReadonlySet<string> | undefined): Span {
  const reader = new BinaryReader(bytes);
  const events: Uint8Array[] = [];
  let trace = '';
  let end = 0n;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === WireType.LengthDelimited) trace = Buffer.from(reader.bytes()).toString('hex');
    else if (field === 8 && type === WireType.Bit64) end = BigInt(reader.fixed64());
    else if (field === 11 && type === WireType.LengthDelimited) events.push(reader.bytes());
    else reader.skip(type, field);
  }
  const attributes = attributesIn(bytes, 9, SPAN_ATTRIBUTES);
  return {
    ...{ service, trace, end },
    path: attributes['url.path'] ?? attributes['http.target'],
    userAgent: attributes['user_agent.original'] ?? attributes['http.user_agent'],
    events: events.flatMap((event) => eventIn(event, { service, trace }, wanted) ?? []),
  };
}

function eventIn(
  bytes: Uint8Array,
  span: Pick<Span, 'service' | 'trace'>,
  wanted: (event: string) => ReadonlySet<string> | undefined,
): SpanEvent | undefined {
  const reader = new BinaryReader(bytes);
  let name = '';
  let time = 0n;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === WireType.Bit64) time = BigInt(reader.fixed64());
    else if (field === 2 && type === WireType.LengthDelimited) name = reader.string();
    else reader.skip(type, field);
  }
  const names = wanted(name);
  return names && { ...span, name, time, attributes: attributesIn(bytes, 3, names) };
}

/** The `KeyValue` members in this field, of those named; booleans and numbers are skipped. The first of a name counts. */
function attributesIn(bytes: Uint8Array, field: number, names: ReadonlySet<string>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [number, keyValue] of messages(bytes)) {
    if (number !== field) continue;
    let key = '';
    let text: string | undefined;
    for (const [member, content] of messages(keyValue)) {
      if (member === 1) key = textOf(content);
      if (member === 2 && names.has(key))
        for (const [kind, value] of messages(content)) if (kind === 1) text = textOf(value);
    }
    if (text !== undefined && names.has(key) && found[key] === undefined) found[key] = text;
  }
  return found;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

/** The length-delimited fields of a message; others are skipped. */
function* messages(bytes: Uint8Array): Generator<[field: number, content: Uint8Array]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) yield [field, reader.bytes()];
    else reader.skip(type, field);
  }
}
