import type { ClientRequest } from 'node:http';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { ApiError } from '../http/errors.ts';

/** How a request to an upstream ended: the class of its status, the kind of failure, or `abandoned` by the caller. */
export type UpstreamOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | FailureKind | 'abandoned';
/**
 * @param by `proxy` if the request was forwarded for a caller; otherwise it was the dashboard's own
 * @param seconds from the request to the head of its response, or to its failure
 */
export type ObserveUpstream = (
  upstream: UpstreamName,
  by: 'proxy' | 'dashboard',
  outcome: UpstreamOutcome,
  seconds: number,
) => void;

export const classOf = (status: number): UpstreamOutcome =>
  (['1xx', '2xx', '3xx', '4xx', '5xx'] as const)[Math.trunc(status / 100) - 1] ?? '5xx';

/** How a request to an upstream failed. */
export type FailureKind =
  /** It has no configured address; no request was made. */
  | 'not_configured'
  /** The stored key cannot be decrypted or sent; no request was made. */
  | 'key_unreadable'
  /** Connection refused, name not resolved, or connection closed before TLS was established. */
  | 'unreachable'
  /** Its certificate was refused, or it refused the connection for want of one of ours. */
  | 'certificate'
  /** No complete response in time. */
  | 'timeout'
  /** Reset, malformed HTTP, or too large. */
  | 'broken'
  /** Its response did not fit into the memory budget and was not read completely. */
  | 'no_room'
  /** It responded 401 or 403 to our key, or to no key. */
  | 'refuses_key'
  /** It responded 429. */
  | 'too_many_requests'
  /** It responded 5xx. */
  | 'failing'
  /** It responded with a status other than 200: it rejects the request. */
  | 'refused'
  /** It responded 200 with something other than requested, with too many headers, or with no TLS that we speak. */
  | 'nonsense';

interface FailedResponse {
  status: number;
  text: string;
}

/** A request without a usable response. The message contains no address, and logs never include the response. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  /** Why TLS was refused, as a code of Node or OpenSSL: `CERT_HAS_EXPIRED`. */
  readonly reason: string | undefined;
  readonly #response: FailedResponse | undefined;

  constructor(kind: FailureKind, options: { cause?: unknown; reason?: string; response?: FailedResponse } = {}) {
    super(`upstream ${kind}`, { cause: options.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.reason = options.reason;
    this.#response = options.response;
  }

  /** Logged, since logs include only the names and codes of errors. */
  get code(): string {
    const detail = this.reason ?? this.response?.status;
    return detail === undefined ? this.kind : `${this.kind} ${detail}`;
  }

  get response(): FailedResponse | undefined {
    return this.#response;
  }
}

const UNREACHABLE = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL'.split(' '),
);

/** Alerts about a certificate, or the lack of one: in TLS 1.2 a handshake failure, in TLS 1.3 after the handshake. */
const ABOUT_CERTIFICATES = /certificate|unknown ca|access denied|alert handshake failure/;

/**
 * Classifies an error of a socket, of TLS or of the parser.
 * @param request whose error it is: its socket tells whether TLS was established
 */
export function failureOf(error: unknown, request?: Pick<ClientRequest, 'socket'>): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const socket = (request?.socket ?? {}) as { authorizationError?: unknown; secureConnecting?: boolean };
  const failed = (kind: FailureKind, reason?: string) => new UpstreamFailure(kind, { cause: error, reason });
  if (code !== '' && socket.authorizationError === code) return failed('certificate', code);
  // Within a handshake, Node's own code is always EPROTO.
  const [, problem] = /:SSL routines:[^:]*:([^:]+)/.exec(message) ?? [];
  const reason = problem && `ERR_SSL_${problem.toUpperCase().replace(/\W+/g, '_')}`;
  if (problem && ABOUT_CERTIFICATES.test(problem)) return failed('certificate', reason);
  if (code === 'HPE_HEADER_OVERFLOW' || (reason && socket.secureConnecting)) return failed('nonsense', reason);
  if (code === 'ETIMEDOUT') return failed('timeout');
  return failed(socket.secureConnecting || UNREACHABLE.has(code) ? 'unreachable' : 'broken');
}

/** The failure for a response with an unexpected status. */
export function failureOfStatus({ status, text }: FailedResponse): UpstreamFailure {
  let kind: FailureKind = status >= 500 ? 'failing' : 'refused';
  if (status === 401 || status === 403) kind = 'refuses_key';
  if (status === 429) kind = 'too_many_requests';
  return new UpstreamFailure(kind, { response: { status, text } });
}

/** The API error for a failed request (docs/api.md#errors). */
export function gatewayError(error: unknown): ApiError {
  const cause = failureOf(error);
  switch (cause.kind) {
    case 'timeout':
      return new ApiError('gateway_timeout', { cause });
    case 'no_room':
      return new ApiError('service_unavailable', { cause, headers: { 'Retry-After': '1' } });
    case 'broken':
    case 'key_unreadable':
      return new ApiError('proxy_error', { cause });
    default:
      return new ApiError('bad_gateway', { cause });
  }
}

/** The same for our own routes, where a broken response is 502 as well. Any other error is returned unchanged. */
export function routeError(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure)) return error;
  return error.kind === 'broken' ? new ApiError('bad_gateway', { cause: error }) : gatewayError(error);
}
