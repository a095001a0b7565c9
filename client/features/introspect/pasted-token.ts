/** The token in text pasted from a log or header, without whitespace, quotes and scheme. */
export const tokenIn = (text: string): string =>
  text
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, '')
    .replace(/^["'`]+|(?<!["'`,;])["'`,;]+$/g, '')
    .replace(/\s+/g, '');
