/**
 * One `Accept` or `Accept-Encoding` header: what is named, in lower case and without parameters, with its weight
 * (RFC 9110, section 12.4.2). A weight that cannot be read counts as 0, so that it never widens what is accepted.
 */
function weights(header: string | undefined): Map<string, number> {
  const found = new Map<string, number>();
  for (const element of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    if (name !== '') found.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  return found;
}

/** Whether the caller names HTML or everything: a browser that opens a page does; one that says nothing does not. */
export function namesHtml(accept: string | undefined): boolean {
  const named = weights(accept);
  return (named.get('text/html') ?? named.get('*/*') ?? 0) > 0;
}

/**
 * The content coding the caller likes best, among equals the first of `available`.
 * @returns undefined for the bytes as they are, also where nothing is acceptable (RFC 9110, section 12.5.3 allows it)
 */
export function preferredCoding<T extends string>(
  acceptEncoding: string | undefined,
  available: readonly T[],
): T | undefined {
  const named = weights(acceptEncoding);
  const weightOf = (coding: string) => named.get(coding) ?? named.get('*') ?? 0;
  let best: T | undefined;
  // Unnamed, the bytes as they are are acceptable, but the last choice.
  let bestWeight = named.get('identity') ?? 0;
  for (const coding of available) {
    if (weightOf(coding) > bestWeight || (best === undefined && weightOf(coding) === bestWeight && bestWeight > 0)) {
      best = coding;
      bestWeight = weightOf(coding);
    }
  }
  return best;
}
