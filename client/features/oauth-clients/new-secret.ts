import { base64url } from '../../lib/base64url.ts';

const BYTES = 32;

/** A client secret of letters, digits, `-` and `_`: others are lost in Basic authentication where nobody escapes them. */
export const newSecret = (): string => base64url(crypto.getRandomValues(new Uint8Array(BYTES)));
