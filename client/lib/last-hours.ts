const LAST_HOURS = /^([1-9]\d{0,3})h$/;

/**
 * When the last hours began, `24h` for example, on a whole minute and never later than asked.
 * @param now milliseconds since the epoch @returns ISO 8601; undefined for any other text
 */
export function startOfLast(hours: string, now: number): string | undefined {
  const asked = LAST_HOURS.exec(hours)?.[1];
  return asked && new Date(Math.floor((now - Number(asked) * 3_600_000) / 60_000) * 60_000).toISOString();
}
