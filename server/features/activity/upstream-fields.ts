const TEXT_MAX_CHARACTERS = 255;

/** An identifier or a name: 1 to 255 characters. Anything longer is ignored. */
export const shortText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_MAX_CHARACTERS ? value : undefined;

/** Parses a Go timestamp (RFC 3339, 0 to 9 fractional digits) to milliseconds since the epoch. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
