import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../http/errors.ts';
import { isUnsafeMethod } from '../../http/response.ts';
import { failureAnswer, failureOf, UpstreamFailure } from '../failure.ts';
import type { Attempt, ConnectionClaim, FairConnections, Forwarder } from './forwarder.ts';
import type { HeaderList } from './headers.ts';
import type { ThroughputLimits, Ticked, Ticker } from './throughput.ts';
import { type TransferThroughput, transferThroughput } from './throughput.ts';

/** What all exchanges with one upstream share. */
export interface UpstreamConnection {
  forwarder: Forwarder;
  connections: FairConnections;
  ticker: Ticker;
  throughput: ThroughputLimits;
  /** How often throughput is measured. */
  measureMs: number;
  timeoutMs: number;
}

export interface ExchangeOptions {
  path: string;
  headers: HeaderList;
  /** The key its connection counts for. */
  shareKey: string;
  /** Called before the first byte of a body is read. */
  bodyBegins(): void;
  /** Takes over the response: passes it on or translates it, and calls `finished` at its end. */
  answer(answer: IncomingMessage, exchange: Exchange): void;
  /** Called with the error to send if no response began. */
  refuse(error: ApiError): void;
}

const DISCARDED_BYTES = 65_536;
const isReset = (error: unknown): boolean =>
  error instanceof Error && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Forwards one request to the upstream and passes on its response. Waits for a connection, enforces timeouts, retries
 * what failed on a stale connection, and lets no upstream connection outlive its client. One object is all of it: the
 * claim for a connection, the attempts, and what the ticker of the upstream watches.
 */
export class Exchange implements ConnectionClaim, Attempt, Ticked {
  readonly path: string;
  readonly headers: HeaderList;
  readonly framing: Attempt['framing'];
  fresh = false;

  readonly #at: UpstreamConnection;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #options: ExchangeOptions;
  #client: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #settled = false;
  /** The number of requests to the upstream, including those the library is about to create. */
  #under = 0;
  #giveUp: (() => void) | undefined;

  /** How long nothing has moved. Not counted while the client is the slow party or a connection is awaited. */
  #idleMs = 0;
  #held = true;
  #timed = true;
  #onSilence: (() => void) | undefined;
  /** Created when first measured: most exchanges are over before. */
  #transfer: TransferThroughput | undefined;
  #unmeasuredMs = 0;

  constructor(at: UpstreamConnection, req: IncomingMessage, res: ServerResponse, options: ExchangeOptions) {
    const { 'transfer-encoding': coding, 'content-length': length } = req.headers;
    this.path = options.path;
    this.headers = options.headers;
    this.framing = coding !== undefined ? 'chunked' : length === undefined ? 'none' : { length };
    this.#at = at;
    this.#req = req;
    this.#res = res;
    this.#options = options;
  }

  begin(): void {
    if (this.#res.destroyed) return;
    this.#res.on('close', () => this.#closed());
    this.#at.ticker.add(this);
    // A connection may be granted within this call.
    this.#giveUp = this.#at.connections.claim(this.#options.shareKey, this);
  }

  // ConnectionClaim

  granted(): void {
    this.touch();
    this.#forward();
  }

  refused(): void {
    this.#end(new ApiError('service_unavailable', { headers: { 'Retry-After': '1' } }));
  }

  stalledMs(): number {
    return this.#transfer?.callerSlowMs() ?? 0;
  }

  /** Ends the exchange now: a party is too slow, though not idle, or others need the connection. */
  cut(): void {
    this.#timed = false;
    if (this.#onSilence !== undefined) this.#onSilence();
    else if (this.#callerIsSilent()) this.#end(new ApiError('request_timeout', { headers: { Connection: 'close' } }));
    else this.#end(failureAnswer(new UpstreamFailure('timeout')));
  }

  // Attempt

  begun(outgoing: ClientRequest): void {
    const touch = (): void => this.touch();
    touch();
    this.#client = outgoing;
    outgoing.on('close', () => this.#over());
    if (this.#settled) outgoing.destroy();
    outgoing.on('upgrade', (_answer, socket) => {
      socket.on('error', () => {}).destroy();
      this.#end(failureAnswer(new UpstreamFailure('broken', { cause: new Error('protocol switched') })));
    });
    if (!this.#hasBody()) return;
    this.#options.bodyBegins();
    // The library pipes right after this; the response timeout starts when the body has ended.
    this.#req.on('data', touch);
    this.#req.once('end', touch);
    outgoing.on('drain', touch);
  }

  answered(answer: IncomingMessage): void {
    if (this.#settled) return void answer.destroy();
    this.#settled = true;
    this.#answer = answer;
    this.touch();
    try {
      this.#options.answer(answer, this);
    } catch (error) {
      this.#settled = false;
      this.#end(failureAnswer(new UpstreamFailure('broken', { cause: error })));
    }
  }

  failed(error: unknown): void {
    const client = this.#client;
    if (client === undefined) this.#under -= 1;
    if (this.#settled) return;
    const repeatable = !this.#hasBody() && !isUnsafeMethod(this.#req.method) && !this.fresh && !this.#res.destroyed;
    if (repeatable && client?.reusedSocket === true && isReset(error)) {
      this.#at.forwarder.dropIdle();
      this.fresh = true;
      this.#forward();
    } else this.#end(failureAnswer(failureOf(error)));
  }

  // Ticked

  tick(elapsedMs: number): void {
    if (this.#timed && !this.#held) {
      this.#idleMs += elapsedMs;
      if (this.#idleMs >= this.#at.timeoutMs) {
        this.cut();
        return;
      }
    }
    this.#unmeasuredMs += elapsedMs;
    if (this.#unmeasuredMs < this.#at.measureMs) return;
    this.#transfer ??= transferThroughput(this.#at.throughput, {
      req: this.#req,
      res: this.#res,
      hasBody: this.#hasBody(),
      client: () => this.#client,
      answer: () => this.#answer,
    });
    const isTooSlow = this.#transfer.observe(this.#unmeasuredMs);
    this.#unmeasuredMs = 0;
    if (isTooSlow) this.cut();
  }

  // For whatever passes on the response.

  /** Restarts the timeout: data has moved. */
  touch(): void {
    this.#held = false;
    // The next tick may come at once.
    this.#idleMs = -this.#at.ticker.milliseconds;
  }

  /** Pauses the timeout: the client is not reading at the moment. */
  hold(): void {
    this.#held = true;
  }

  /** Replaces what happens when a party has gone silent or is too slow. */
  onSilence(act: () => void): void {
    this.#onSilence = act;
  }

  /** To be called when the response has been read to its end, or will not be. */
  finished(): void {
    this.#timed = false;
    // An upstream that responds before reading the whole request does not want the rest.
    if (!this.#req.complete) this.#leave();
  }

  /**
   * For a response whose body is not wanted: reads a short one, so that the connection can be reused, and aborts a long
   * one.
   */
  discard(unwanted: IncomingMessage): void {
    this.onSilence(() => unwanted.destroy());
    unwanted.once('close', () => this.finished());
    if (Number(unwanted.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= DISCARDED_BYTES) unwanted.resume();
    else unwanted.destroy();
  }

  #hasBody(): boolean {
    return this.framing === 'chunked' || (this.framing !== 'none' && Number(this.framing.length) > 0);
  }

  #callerIsSilent(): boolean {
    const client = this.#client;
    return !this.#req.complete && client?.socket?.connecting === false && !client.writableNeedDrain;
  }

  #forward(): void {
    this.#under += 1;
    this.#client = undefined;
    this.#at.forwarder.forward(this.#req, this);
  }

  /** The connection is free for others once none of our requests uses it. */
  #over(): void {
    this.#under -= 1;
    if (this.#under === 0) this.#release();
  }

  #release(): void {
    this.#at.ticker.remove(this);
    this.#giveUp?.();
  }

  #leave(): void {
    this.#client?.destroy();
    // Read and discard what the client still sends; otherwise the next request on its connection would not be seen.
    this.#req.unpipe();
    this.#req.resume();
  }

  #end(error: ApiError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#timed = false;
    this.#leave();
    this.#options.refuse(error);
  }

  #closed(): void {
    if (this.#under === 0) this.#release();
    if (this.#res.writableFinished) return;
    this.#settled = true;
    this.#timed = false;
    this.#client?.destroy();
  }
}
