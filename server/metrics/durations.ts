import type { Registry } from 'prom-client';

/** Seconds. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Series {
  labels: Record<string, string>;
  count: number;
  sum: number;
  /** Of each bucket what is in none before it. */
  counts: number[];
}

/**
 * A histogram for what is measured with every request: `prom-client` looks its labels up anew each time, which costs more
 * than the rest of the measurement.
 */
export interface Durations {
  /** A series to give to `observe`, one for the same labels; kept by the caller. */
  series(labels: Record<string, string>): Series;
  observe(series: Series, seconds: number): void;
}

/** @param labelNames of every series */
export function durations(
  registry: Registry,
  { name, help, labelNames }: { name: string; help: string; labelNames: readonly string[] },
): Durations {
  const all = new Map<string, Series>();
  const values = () =>
    [...all.values()].flatMap(({ labels, count, sum, counts }) => {
      let below = 0;
      const buckets = BUCKETS.map((le, index) => {
        below += counts[index] ?? 0;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
      });
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
  const metric = {
    name,
    labelNames,
    get: async () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' }),
    reset: () => {},
  };
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
  return {
    series(labels) {
      const name = JSON.stringify(labels);
      const series: Series = all.get(name) ?? { labels, count: 0, sum: 0, counts: BUCKETS.map(() => 0) };
      all.set(name, series);
      return series;
    },
    observe(series, seconds) {
      series.count += 1;
      series.sum += seconds;
      for (let index = 0; index < BUCKETS.length; index += 1)
        if (seconds <= (BUCKETS[index] as number)) {
          series.counts[index] = (series.counts[index] as number) + 1;
          return;
        }
    },
  };
}
