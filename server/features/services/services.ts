import type { ServiceHistory, ServiceName, ServiceState, Services } from '../../../shared/services.ts';
import type { Route } from '../../app.ts';
import type { Context } from '../../context.ts';
import { isUnavailable } from '../../db/errors.ts';
import { lease } from '../../db/lease.ts';
import { ApiError } from '../../http/errors.ts';
import { readRoutes } from '../../http/response.ts';
import { type StoredStatus, serviceChanges } from './service-changes.ts';
import { serviceChecks } from './service-checks.ts';
import { type CheckedState, serviceStates, serviceWatch, type WatchPace } from './service-watch.ts';

/**
 * The services behind the dashboard, and since when each has had its status: `GET /api/services`, `GET
 * /api/services/:name` and `GET /api/services/:name/history`.
 */
export function services(context: Context, pace?: WatchPace) {
  const { database, clock, log } = context;
  const states = serviceStates(serviceChecks(context), clock);
  const changes = serviceChanges({ database, ...clock });
  const watch = serviceWatch({ states, changes, lease: lease(database, 'services'), log, pace, ...clock });
  /** The stored statuses as last read: while the database is unavailable, they say since when others are down. */
  let stored: ReadonlyMap<ServiceName, StoredStatus> = new Map();

  async function readStored(): Promise<void> {
    try {
      stored = await changes.current();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      stored = new Map([...stored].filter(([name]) => name !== 'database'));
    }
  }

  function withSince(state: CheckedState): ServiceState {
    const last = stored.get(state.name);
    if (last?.status === state.status) return { ...state, since: last.since };
    watch.wake();
    return { ...state, since: null };
  }

  function serviceIn({ name }: Record<string, string>) {
    const state = states.get(name as ServiceName);
    if (state === undefined) throw new ApiError('not_found');
    return { name: name as ServiceName, state };
  }

  const router = readRoutes({
    '/': async (_req, res) => {
      const [found] = await Promise.all([Promise.all([...states.values()].map((state) => state())), readStored()]);
      res.json({ services: found.map(withSince) } satisfies Services);
    },
    '/:name': async (req, res) => {
      const [found] = await Promise.all([serviceIn(req.params).state(), readStored()]);
      res.json(withSince(found));
    },
    '/:name/history': async (req, res) => {
      const { name } = serviceIn(req.params);
      res.json({ name, changes: await changes.history(name) } satisfies ServiceHistory);
    },
  });
  const routes: Route[] = [['/api/services', 'services.read', router]];
  return {
    routes,
    /** Since when a service has responded to the regular checks, ISO 8601; undefined if it does not. */
    async upSince(name: ServiceName): Promise<string | undefined> {
      const last = (await changes.current()).get(name);
      return last?.status === 'up' ? last.since : undefined;
    },
    start: watch.start,
    stop: watch.stop,
  };
}
