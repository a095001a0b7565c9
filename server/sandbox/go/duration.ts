const UNITS: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `1h30m`, `-1h` or `0`; undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/.exec(text) ?? [];
  if (rest === '0') return 0;
  if (!/^(?:[0-9]+(?:\.[0-9]*)?(?:ns|us|µs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of rest.matchAll(/([0-9.]+)([a-zµ]+)/g))
    total += Number(amount) * (UNITS[unit] ?? 0);
  return sign === '-' ? -total : total;
}

/** Go's notation: `1h30m0s`, `30m0s`, `1m30s`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const seconds = Math.abs(milliseconds) / 1000;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const parts = [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${seconds % 60}s`];
  return sign + parts.join('');
}
