import type { ErrorBody, ErrorCode } from '../../shared/errors.ts';
import { encodeReason, REASON_HEADER } from '../../shared/reason.ts';
import { identityService, UPSTREAM_NAMES, type UpstreamName, upstreamPrefix } from '../../shared/upstreams.ts';
import { deployment } from '../deployment.ts';
import { sessionEnded } from '../lib/sign-in.ts';

const TIMEOUT_MS = 30_000;

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  /** Sent as a form instead, for endpoints that require it. */
  form?: Record<string, string>;
  /** Sends `If-Match`: the change applies only if this tag still matches. */
  ifMatch?: string | undefined;
  /** Sends `If-None-Match: *`: create, but never replace. */
  onlyNew?: boolean;
  /** The operator's reason or ticket, for the audit record. */
  reason?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * All requests to the API go through this function. Resolves with a successful response without reading its body. A
 * 401 `not_authenticated` also notifies the app that the session has ended.
 * @throws RequestError for a 4xx or 5xx response, ConnectionError without one, the reason of an aborted `signal`
 */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const headers: Record<string, string> = { Accept: 'application/json' };
  const init: RequestInit = {
    method: options.method ?? 'GET',
    headers,
    signal: options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]),
  };
  if (options.ifMatch !== undefined) headers['If-Match'] = options.ifMatch;
  if (options.onlyNew) headers['If-None-Match'] = '*';
  const reason = encodeReason(options.reason ?? '');
  if (reason !== undefined) headers[REASON_HEADER] = reason;
  if (options.body !== undefined) {
    init.body = JSON.stringify(options.body);
    headers['Content-Type'] = 'application/json';
  }
  if (options.form !== undefined) init.body = new URLSearchParams(options.form);
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ConnectionError(timeout.aborted, error);
  }
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (failure.status === 401 && failure.code === 'not_authenticated') sessionEnded();
  throw failure;
}

/**
 * Sends a request and parses the JSON response. The service's own responses are trusted to match the shared type.
 * @throws RequestError also when a successful response is not JSON
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  return response.status === 204 ? (undefined as T) : await bodyOf<T>(response);
}

/** @throws RequestError when the body is not JSON */
export async function bodyOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch {
    throw unreadable(response);
  }
}

/** A JSON response with its entity tag; a proxy may drop the tag. */
export async function requestWithTag<T>(
  path: string,
  options: RequestOptions = {},
): Promise<T & { tag: string | undefined }> {
  const response = await send(path, options);
  return { ...(await bodyOf<T>(response)), tag: tagOf(response) };
}

async function failureOf(response: Response): Promise<RequestError> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!isErrorBody(body)) return unreadable(response);
  return new RequestError({
    status: response.status,
    code: body.error,
    message: body.message ?? body.error,
    hint: body.hint,
    service: failedService(response, body.error),
    requestId: requestIdOf(response),
    retryAfter: retryAfterOf(response),
  });
}

const unreadable = (response: Response): RequestError =>
  new RequestError({
    status: response.status,
    code: 'unreadable_response',
    message: `The response (status ${response.status}) could not be read.`,
    service: serviceBehind(response.url),
    requestId: requestIdOf(response),
    retryAfter: retryAfterOf(response),
  });

/**
 * The upstream that failed or rejected the service's API key; undefined for errors and rate limits of the service
 * itself.
 */
function failedService({ status, url }: Response, code: string): UpstreamName | undefined {
  const failed = [500, 502, 504].includes(status) && code !== 'internal_error' && code !== 'decryption_failed';
  const refused = code === 'upstream_error' && [401, 403, 429, 503].includes(status);
  return failed || refused ? serviceBehind(url) : undefined;
}

const requestIdOf = (response: Response): string | undefined => response.headers.get('X-Request-Id') ?? undefined;

/** `Retry-After`, as seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterOf(response: Response): number | undefined {
  const value = response.headers.get('Retry-After');
  if (value === null || value === '') return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** The message is optional: a 401 of `/api/auth/session` has only `error` (docs/api.md#errors). */
const isErrorBody = (body: unknown): body is { error: ErrorBody['error']; message?: string; hint?: string } =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';

/** An error response (docs/api.md#errors), or a problem that the client reports in the same way. */
export class RequestError extends Error {
  readonly status!: number;
  /** A stable code to branch on; `unreadable_response` if the body does not match the API. */
  readonly code!: ErrorCode | 'unreadable_response' | 'Not authenticated';
  readonly hint?: string | undefined;
  /** Identifies the request in the server's log. */
  readonly requestId?: string | undefined;
  /** Delay in seconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** The upstream that failed, if any; callers may look up its state. */
  readonly service?: UpstreamName | undefined;

  constructor({ message, cause, ...response }: Omit<RequestError, 'name' | 'stack'>) {
    super(message, { cause });
    Object.assign(this, response, { name: 'RequestError' });
  }
}

export type UpstreamService = 'identity service' | 'OAuth server';

/** For a 200 whose body does not match the API. */
export const unreadableResponse = (service: UpstreamService, what: string): RequestError =>
  new RequestError({
    status: 200,
    code: 'unreadable_response',
    message: `The ${service} did not return ${what}.`,
  });

export type QueryParameters = Readonly<Record<string, string | number | undefined>>;

export function withQuery(path: string, parameters: QueryParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  if (query.size === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** No response: network or service down, or a timeout. The server may have processed the request. */
export class ConnectionError extends Error {
  readonly code = 'no_connection';
  readonly timedOut: boolean;

  constructor(
    timedOut: boolean,
    cause: unknown,
    message = timedOut ? 'The service did not respond in time.' : 'The service cannot be reached.',
  ) {
    super(message, { cause });
    this.name = 'ConnectionError';
    this.timedOut = timedOut;
  }
}

/** The same error with another message, and the original as its cause. */
export function reworded(error: Error, message: string): Error {
  if (error instanceof ConnectionError) return new ConnectionError(error.timedOut, error, message);
  if (!(error instanceof RequestError)) return new Error(message, { cause: error });
  return new RequestError({ ...error, message, cause: error });
}

/** Whether the failure was not the request's fault, so that a retry may succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof RequestError && [502, 503, 504].includes(error.status));

/** Whether a failed write may have been carried out: its response was lost. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof RequestError && [500, 502, 504].includes(error.status));

/** For `catch`: undefined if something does not exist (any more). */
export function unlessGone(error: unknown): undefined {
  if (!(error instanceof RequestError && error.status === 404)) throw error;
}

/** Deletes what is at a path. @returns false if it did not exist */
export const deleteAt = (path: string, reason?: string): Promise<boolean> =>
  send(path, { method: 'DELETE', reason }).then(
    () => true,
    (error) => unlessGone(error) ?? false,
  );

const ownService = identityService(deployment);

/** A path of this deployment's identity admin API; `path` is relative to `/admin`. */
export const identityAdmin = (path: string): string => `${upstreamPrefix(ownService.adminApi)}/admin${path}`;

export const identityPublic = (path: string): string => `${upstreamPrefix(ownService.publicApi)}${path}`;

/** A path of the OAuth server's admin API; `path` is relative to `/admin`. */
export const oauthAdmin = (path: string): string => `${upstreamPrefix('oauth-admin')}/admin${path}`;

export const oauthPublic = (path: string): string => `${upstreamPrefix('oauth')}${path}`;

/** The upstream behind a URL of this service; undefined if the service itself responds. */
function serviceBehind(url: string): UpstreamName | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  if (/^\/api\/identities(?:\/|$)/.test(path)) return ownService.adminApi;
  return UPSTREAM_NAMES.find((name) => path.startsWith(`${upstreamPrefix(name)}/`));
}

/** An RFC 6902 operation that the upstreams accept. They all reject `test`. */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string };

/**
 * The entity tag of a response, as a strong tag: compressing proxies weaken it, and earlier versions of the service
 * reject weak tags. Undefined if a proxy drops it.
 */
export const tagOf = (response: Response): string | undefined =>
  response.headers.get('ETag')?.replace(/^W\//, '') || undefined;
