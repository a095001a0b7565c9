import type { ErrorBody } from '../../shared/errors.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { sessionEnded } from '../session/session-end.ts';
import { ConnectionError, RequestError } from './request-error.ts';
import { serviceBehind } from './upstream-api.ts';

const PATIENCE_MS = 30_000;

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form instead, where the protocol requires one. */
  form?: Record<string, string>;
  /** An entity tag: the change applies only if it still matches. */
  ifMatch?: string | undefined;
  /** The request may only create, not replace. */
  onlyNew?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * All requests to the service go through here. Resolves with a successful response without reading its body. A 401
 * `not_authenticated` also tells the app that the session has ended.
 * @throws RequestError for a 4xx or 5xx response, ConnectionError when there is none
 */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const headers: Record<string, string> = { Accept: 'application/json' };
  const init: RequestInit = {
    method: options.method ?? 'GET',
    headers,
    signal: options.signal === undefined ? patience : AbortSignal.any([patience, options.signal]),
  };
  if (options.ifMatch !== undefined) headers['If-Match'] = options.ifMatch;
  if (options.onlyNew) headers['If-None-Match'] = '*';
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
    throw new ConnectionError(patience.aborted, error);
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
    code: 'unreadable_answer',
    message: `The response (status ${response.status}) could not be read.`,
    service: serviceBehind(response.url),
    requestId: requestIdOf(response),
    retryAfter: retryAfterOf(response),
  });

/**
 * The upstream that failed, or that refused the service's API key; undefined for limits and errors of the service
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

/** The 401 of `/api/auth/session` has only `error` (docs/api.md#errors), so the message is optional. */
const isErrorBody = (body: unknown): body is { error: ErrorBody['error']; message?: string; hint?: string } =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
