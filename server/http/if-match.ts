/** One entity tag of a list, weak or strong (RFC 9110, section 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * Evaluates `If-Match` for a resource that exists (RFC 9110, section 13.1.1): one of its tags by strong comparison, so
 * a weak tag never matches. Without the header everything matches; a malformed one matches nothing.
 */
export function ifMatch(header: string | undefined): (tag: string) => boolean {
  if (header === undefined || header.trim() === '*') return () => true;
  const tags = header.split(',').map((part) => part.trim());
  return (tag) => tags.every((one) => ENTITY_TAG.test(one)) && tags.includes(tag);
}
