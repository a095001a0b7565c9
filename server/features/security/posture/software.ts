import type { GeoFileState } from '../../../geo/geo-file.ts';
import { type Check, fail, gravest, pass, unknown, warn } from './check.ts';
import { DAY_MS } from './key-age.ts';

const GEO_WARN_DAYS = 180;
const GEO_FAIL_DAYS = 730;

/** The end of life of each release line (github.com/nodejs/release, schedule.json). */
const NODE_ENDS: Record<number, string> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};
const NODE_WARN_DAYS = 90;

/**
 * The runtime and its data files.
 * @param sources.node Node's version, such as `v22.1.0`
 * @param sources.now milliseconds since the epoch
 */
export const softwareChecks = (sources: {
  geoFiles: () => Promise<readonly GeoFileState[]>;
  node: string;
  now: () => number;
}): Check[] => [
  {
    id: 'geo_data',
    title: 'IP geolocation data',
    why: 'Address ranges change hands. With old data, sign-ins appear in the wrong country, and suspicious ones go unnoticed.',
    look: async () => {
      const files = await sources.geoFiles();
      const action = 'Replace the file with a newer one.';
      return gravest(
        files.map(({ problem, builtAt }) => {
          if (problem !== null || builtAt === null)
            return fail('A file cannot be read.', 'Correct GEOIP_DATABASE, or set it to off.');
          const days = Math.floor((sources.now() - builtAt.getTime()) / DAY_MS);
          const detail = `The data was built on ${builtAt.toISOString().slice(0, 10)}.`;
          if (days >= GEO_FAIL_DAYS) return fail(detail, action);
          return days >= GEO_WARN_DAYS ? warn(detail, action) : pass(detail);
        }),
        unknown(
          'Addresses are not located: no file is configured or installed.',
          'Set GEOIP_DATABASE if you want locations.',
        ),
      );
    },
  },
  {
    id: 'node_release',
    title: 'Node.js',
    why: 'A release line past its end of life gets no security fixes.',
    look: async () => {
      const major = Number(/^v(\d+)\./.exec(sources.node)?.[1]);
      const end = NODE_ENDS[major];
      if (end === undefined)
        return unknown(`The end of life of Node.js ${major} is not known here.`, 'Look it up at nodejs.org.');
      const daysLeft = Math.ceil((Date.parse(end) - sources.now()) / DAY_MS);
      const action = 'Upgrade to the newest long-term support line.';
      if (daysLeft <= 0) return fail(`Node.js ${major} has received no fixes since ${end}.`, action);
      const detail = `Node.js ${major} receives fixes until ${end}.`;
      return daysLeft < NODE_WARN_DAYS ? warn(detail, action) : pass(detail);
    },
  },
];
