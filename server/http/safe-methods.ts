const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request may change something (RFC 9110, section 9.2.1). `TRACE`, which is never served, counts as unsafe.
 */
export const isUnsafeMethod = (method: string | undefined): boolean => !SAFE_METHODS.has(method ?? '');
