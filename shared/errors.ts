/** The body of every 4xx and 5xx response (docs/api.md#errors). Clients decide by `error`, never by `message`. */
export interface ErrorBody {
  error: ErrorCode;
  message: string;
  hint?: string;
  /** Only for `upstream_error` with status 410, a used challenge: where the browser should continue. */
  redirect_to?: string;
}

/** The stable error codes; docs/api.md#errors says when each is used. */
export const ERROR_CODES = [
  'bad_request',
  'invalid_page_size',
  'invalid_page_token',
  'invalid_credentials_identifier',
  'search_not_supported',
  'not_authenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'own_account',
  'inactive',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'misdirected_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'too_many_requests',
  'internal_error',
  'decryption_failed',
  'proxy_error',
  'upstream_error',
  'bad_gateway',
  'service_unavailable',
  'gateway_timeout',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];
