/** Parses a Go timestamp (RFC 3339, 0 to 9 fractional digits) to milliseconds since the epoch; 0 for anything else. */
export function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}
