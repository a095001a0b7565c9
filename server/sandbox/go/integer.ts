/** Parses an integer like `strconv.Atoi`, or returns its error message. */
export function parseInteger(text: string): { value: number } | { problem: string } {
  const problem = (what: string) => ({ problem: `strconv.Atoi: parsing ${JSON.stringify(text)}: ${what}` });
  if (!/^[+-]?[0-9]+$/.test(text)) return problem('invalid syntax');
  const value = Number(text);
  return Number.isSafeInteger(value) ? { value } : problem('value out of range');
}
