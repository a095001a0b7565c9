import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';
import type { EventRefusal } from '../../shared/sign-ins.ts';
import { isSameText } from '../crypto/signer.ts';
import { closeInStages } from '../http/errors.ts';
import { listenBeside, type SideListener } from '../http/side-listener.ts';
import type { Log } from '../log.ts';
import { MalformedRequest } from './decode.ts';

const MIB = 1024 * 1024;
/** As sent, and decompressed. */
const BODY_MAX_BYTES = 4 * MIB;
const INFLATED_MAX_BYTES = 16 * MIB;
/** Of all requests together. */
const ALL_INFLATED_MAX_BYTES = 32 * MIB;
const CONCURRENT = 8;
const CONNECTIONS = 128;
/** For a whole request. */
const REQUEST_MS = 30_000;

/** A request that is refused. */
class Refusal extends Error {
  readonly status: number;
  readonly reason: EventRefusal;

  constructor(status: number, reason: EventRefusal) {
    super(reason);
    this.status = status;
    this.reason = reason;
  }
}

class SenderGone extends Error {}

interface ListenerOptions {
  host: string;
  port: number;
  /** The bearer key of the senders; without one, whoever reaches the port may send. */
  key: string | undefined;
  /** Stores a body. Rejects with MalformedRequest, or if the database is unavailable. */
  receive: (body: Buffer) => Promise<void>;
  isUnavailable: (error: unknown) => boolean;
  refused: (reason: EventRefusal) => void;
  log: Pick<Log, 'warn' | 'error'>;
}

/**
 * Receives what Kratos, Hydra or an OpenTelemetry Collector export by OTLP/HTTP: only `POST /v1/traces`, in protobuf. A
 * response without an error says that the events are stored. Errors have no body.
 * @throws if the port is in use
 */
export function listenForEvents(options: ListenerOptions): Promise<SideListener> {
  const { host, port, key, receive, isUnavailable, refused, log } = options;
  const isKey = (given = ''): boolean =>
    key === undefined || isSameText(`Bearer ${key}`, given.replace(/^bearer /i, 'Bearer '));
  let concurrent = 0;
  let inflated = 0;

  /** @throws Refusal, from the headers alone */
  function admit({ headers }: IncomingMessage): void {
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) throw new Refusal(403, 'browser');
    if (!isKey(headers.authorization)) throw new Refusal(401, 'key');
    const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/x-protobuf') throw new Refusal(415, 'type');
    if (!['identity', 'gzip'].includes(codingOf(headers))) throw new Refusal(415, 'type');
    if (Number(headers['content-length'] ?? 0) > BODY_MAX_BYTES) throw new Refusal(413, 'size');
    if (concurrent >= CONCURRENT) throw new Refusal(429, 'busy');
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    admit(req);
    concurrent += 1;
    let own = 0;
    const use = (bytes: number): void => {
      own += bytes;
      inflated += bytes;
      if (own > INFLATED_MAX_BYTES) throw new Refusal(413, 'size');
      if (inflated > ALL_INFLATED_MAX_BYTES) throw new Refusal(429, 'busy');
    };
    try {
      await receive(await bodyOf(req, use));
    } finally {
      inflated -= own;
      concurrent -= 1;
    }
    // An empty ExportTraceServiceResponse.
    res.writeHead(200, { 'Content-Type': 'application/x-protobuf', 'Content-Length': 0 }).end();
  }

  function refusalFor(error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    if (error instanceof MalformedRequest) return new Refusal(400, 'malformed');
    if (isUnavailable(error)) return new Refusal(503, 'database');
    log.error({ error }, 'events could not be stored');
    return new Refusal(500, 'database');
  }

  return listenBeside(
    (req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      if (req.url !== '/v1/traces') return void end(req, res, 404);
      if (req.method !== 'POST') return void end(req, res.setHeader('Allow', 'POST'), 405);
      handle(req, res).catch((error) => {
        if (error instanceof SenderGone) return;
        const { status, reason } = refusalFor(error);
        refused(reason);
        if (status === 429 || status === 503) res.setHeader('Retry-After', '1');
        end(req, res, status);
      });
    },
    { name: 'events', host, port, connections: CONNECTIONS, requestMs: REQUEST_MS, log },
  );
}

/** Without a body. */
function end(req: IncomingMessage, res: ServerResponse, status: number): void {
  closeInStages(req, res);
  res.writeHead(status, { 'Content-Length': 0 }).end();
}

const codingOf = (headers: IncomingMessage['headers']): string =>
  headers['content-encoding']?.trim().toLowerCase() || 'identity';

/** @param use counts bytes of this request among those of all, and throws if they are too many */
async function bodyOf(req: IncomingMessage, use: (bytes: number) => void): Promise<Buffer> {
  if (codingOf(req.headers) === 'identity') return sentBody(req, use);
  const sent = await sentBody(req, () => {});
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  gunzip.end(sent);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of gunzip) {
      use(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new MalformedRequest('', { cause: error });
  }
  return Buffer.concat(chunks);
}

/** The body as it was sent. After a refusal the rest is discarded, so that the sender can read the response. */
function sentBody(req: IncomingMessage, use: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    function onData(chunk: Buffer): void {
      bytes += chunk.length;
      chunks.push(chunk);
      try {
        if (bytes > BODY_MAX_BYTES) throw new Refusal(413, 'size');
        use(chunk.length);
      } catch (error) {
        chunks.length = 0;
        req.off('data', onData).resume();
        reject(error);
      }
    }
    req.on('data', onData).once('end', () => resolve(Buffer.concat(chunks)));
    for (const event of ['error', 'close']) req.once(event, () => reject(new SenderGone()));
  });
}
