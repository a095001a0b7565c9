/** A UUID in its usual notation (RFC 9562, section 4), as part of a case-insensitive regular expression. */
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const WHOLE = new RegExp(`^${UUID}$`, 'i');

export const isUuid = (text: string): boolean => WHOLE.test(text);
