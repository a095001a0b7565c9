/** The token in what was pasted from a log or a header: without blanks, quotes and the scheme before it. */
export const tokenIn = (text: string): string =>
  text
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, '')
    .replace(/^["'`]+|(?<!["'`,;])["'`,;]+$/g, '')
    .replace(/\s+/g, '');
