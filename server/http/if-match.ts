/** One entity tag of a list, weak or strong (RFC 9110, section 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** What reverse proxies that compress add to a tag: Apache, Jetty, Caddy and others. */
const ADDED = ['', '-gzip', '--gzip', ';gzip', '-br', ';br', '-zstd', ';zstd', '-deflate'];

/**
 * Evaluates `If-Match` for a resource that exists (RFC 9110, section 13.1.1): whether one of its tags is that of the
 * resource. Proxies that compress a response weaken or lengthen its tag, and the client sends that one back: such a tag
 * still names one version, so it counts as the tag itself. Without the header everything matches; a malformed one matches
 * nothing.
 */
export function ifMatch(header: string | undefined): (tag: string) => boolean {
  if (header === undefined || header.trim() === '*') return () => true;
  const parts = header.split(',').map((part) => part.trim());
  const tags = new Set(
    parts.every((part) => ENTITY_TAG.test(part)) ? parts.map((part) => part.replace(/^W\//, '')) : [],
  );
  return (tag) => ADDED.some((added) => tags.has(`${tag.slice(0, -1)}${added}"`));
}
