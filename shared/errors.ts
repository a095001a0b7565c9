/** Every 4xx and 5xx answer of the service (docs/api.md#errors): clients decide on `error`, never on `message`. */
export interface ErrorBody {
  error: ErrorCode;
  message: string;
  hint?: string;
  /** Of `upstream_error` 410 alone: where the user of a challenge that was used before goes on. */
  redirect_to?: string;
}

/** The stable error codes; docs/api.md#errors says when each is answered. */
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
