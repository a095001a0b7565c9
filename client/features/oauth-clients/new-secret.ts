import { base64url } from '../../lib/base64url.ts';

const BYTES = 32;

/**
 * A client secret of letters, digits, `-` and `_`: other characters get lost in Basic authentication without escaping.
 */
export const newSecret = (): string => base64url(crypto.getRandomValues(new Uint8Array(BYTES)));
