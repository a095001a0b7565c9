import type { SignInSource } from '../../shared/sign-ins.ts';
import { type CheckSources, type Checks, DAY_MS, type Finding, pass, warn, worst } from './check.ts';

const SAMPLING = 'No check can see whether sampling_ratio is below 1.';
const NAMES = { identity: 'Kratos', oauth: 'Hydra' };

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
        const search = eventSearch(database);
        const [rows, gaps] = await Promise.all([search.sources(), search.gaps()]);
        const sources = rows.map(shownSource);
        const recently = new Date(clock.now() - DAY_MS).toISOString();
        const refused = new Set(
          gaps.filter(({ cause, to }) => cause === 'refused' && to >= recently).map(({ detail }) => detail),
        );
        const apis = config.upstreams
          .filter(({ url, admin, deployment = config.deployment }) => url && admin && deployment === config.deployment)
          .map(({ holdsIdentities }) => (holdsIdentities ? 'identity' : 'oauth'));
        return worst([
          ...apis.map((api) => arrivals(api, sources, recently)),
          refused.size > 0 &&
            warn(
              `Requests were refused within a day: ${[...refused].join(', ')}.`,
              'Compare EVENTS_KEY with authorization_header at Kratos and Hydra; see “Refused requests” in docs/sign-in-log.md.',
            ),
          pass(SAMPLING),
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
  if (last === undefined || last < recently)
    return warn(
      `${NAMES[api]} has ${last === undefined ? 'never reported anything' : `reported nothing since ${last.slice(0, 10)}`}.`,
      `Compare its configuration with what “setup” prints, and check that it reaches EVENTS_PORT. ${SAMPLING}`,
    );
  const since = sources.map((source) => `${source.service} since ${source.since.slice(0, 10)}`);
  return pass(`${NAMES[api]} reports: ${since.join(', ')}.`);
}
