/** An integer as `strconv.Atoi` reads it, or the message it gives. */
export function parseInteger(text) {
  const problem = (what) => ({ problem: `strconv.Atoi: parsing ${JSON.stringify(text)}: ${what}` });
  if (!/^[+-]?[0-9]+$/.test(text)) return problem('invalid syntax');
  const value = Number(text);
  return Number.isSafeInteger(value) ? { value } : problem('value out of range');
}
