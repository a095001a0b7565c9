import type { EventRefusal, SignInGap, SignInSource } from '../../shared/sign-ins.ts';
import { type CheckSources, type Checks, type Finding, pass, warn, worst } from './check.ts';

const DAY_MS = 86_400_000;
const NAMES = { identity: 'Kratos', oauth: 'Hydra' };

const REFUSED: Record<EventRefusal, string> = {
  key: 'with a wrong key',
  browser: 'from a browser',
  type: 'in another format',
  size: 'of too many bytes',
  malformed: 'that could not be read',
  busy: 'because of too many at once',
  database: 'for lack of a database',
};

/** Checks whether events of Kratos and Hydra arrive. It reads what the service has stored of that, as `doctor` can. */
export const signInLogCheck = ({ config, database, clock }: Pick<CheckSources, 'config' | 'database' | 'clock'>) =>
  ({
    sign_in_log: config.events && {
      title: 'Sign-in log',
      why: 'Only Kratos and Hydra know who tried to sign in, and why it failed. What they could not deliver is lost.',
      needs: 'tables',
      look: async () => {
        // Not loaded where the log is off.
        const { eventSearch, shownSource } = await import('../events/event-search.ts');
        const { sources, gaps } = eventSearch(database);
        const [rows, recorded] = await Promise.all([sources(), gaps()]);
        const recently = new Date(clock.now() - DAY_MS).toISOString();
        const apis = config.upstreams
          .filter(({ url, admin, deployment = config.deployment }) => url && admin && deployment === config.deployment)
          .map(({ holdsIdentities }) => (holdsIdentities ? 'identity' : 'oauth'));
        return worst([
          ...apis.map((api) => arrivals(api, rows.map(shownSource), recently)),
          ...gapsIn(recorded.filter(({ to }) => to >= recently)),
          pass('No check can see whether sampling_ratio is below 1.'),
        ]);
      },
    },
  }) satisfies Checks;

function arrivals(api: keyof typeof NAMES, all: readonly SignInSource[], recently: string): Finding {
  const sources = all.filter((source) => source.api === api);
  const last = sources
    .map(({ last_at }) => last_at)
    .sort()
    .at(-1);
  const action = `Compare its configuration with what “setup” prints, and check that it reaches EVENTS_PORT.`;
  if (last === undefined) return warn(`${NAMES[api]} has never reported anything.`, action);
  if (last < recently) return warn(`${NAMES[api]} has reported nothing since ${last.slice(0, 10)}.`, action);
  const since = sources.map((source) => `${source.service} since ${source.since.slice(0, 10)}`);
  return pass(`${NAMES[api]} reports: ${since.join(', ')}.`);
}

function gapsIn(gaps: readonly SignInGap[]): (Finding | false)[] {
  const counts = Object.entries(REFUSED).flatMap(([reason, text]) => {
    const refused = gaps.filter(({ cause, detail }) => cause === 'refused' && detail === reason);
    return refused.length === 0 ? [] : [`${refused.reduce((sum, { count }) => sum + count, 0)} ${text}`];
  });
  return [
    counts.length > 0 &&
      warn(
        `Requests refused within a day: ${counts.join(', ')}.`,
        'Compare EVENTS_KEY with authorization_header at Kratos and Hydra; see “Refused requests” in docs/sign-in-log.md.',
      ),
    gaps.some(({ cause }) => cause !== 'refused') &&
      warn(
        'Within a day, events were missing for a time.',
        'See Security, Sign-ins: it says from when to when, and why.',
      ),
  ];
}
