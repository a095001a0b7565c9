const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The identity's id that this text is, as pasted from a log: in any case, quoted or in braces; otherwise undefined. */
export function identityIdIn(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^["'{<(]+|(?<!["'}>),;])["'}>),;]+$/g, '')
    .toLowerCase();
  return UUID.test(bare) ? bare : undefined;
}

/** Whether a text looks like all of what somebody is known by: an id, an e-mail address, `provider:subject` or a number. */
export const mayBeWhole = (text: string): boolean =>
  identityIdIn(text) !== undefined || /[@:]/.test(text) || /^\+?[\d ()/-]{6,}$/.test(text);
