/** One entity tag of a list, weak or strong (RFC 9110, 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * What an `If-Match` header asks of a resource that exists (RFC 9110, 13.1.1): one of its tags by strong comparison, so
 * that a weak one never fits. Without the header everything fits; one that is malformed fits nothing.
 */
export function ifMatch(header: string | undefined): (tag: string) => boolean {
  if (header === undefined || header.trim() === '*') return () => true;
  const tags = header.split(',').map((part) => part.trim());
  return (tag) => tags.every((one) => ENTITY_TAG.test(one)) && tags.includes(tag);
}
