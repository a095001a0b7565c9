const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The identity id in a text pasted from a log (any case, quoted or in braces); otherwise undefined. */
export function identityIdIn(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^["'{<(]+|(?<!["'}>),;])["'}>),;]+$/g, '')
    .toLowerCase();
  return UUID.test(bare) ? bare : undefined;
}

/** Whether a text looks like a complete identifier: an id, an e-mail address, `provider:subject` or a number. */
export const mayBeWhole = (text: string): boolean =>
  identityIdIn(text) !== undefined || /[@:]/.test(text) || /^\+?[\d ()/-]{6,}$/.test(text);
