import { Router } from 'express';
import type { ServiceHistory, ServiceName, ServiceState, Services } from '../../../shared/services.ts';
import type { Route } from '../../app.ts';
import type { Context } from '../../context.ts';
import { isUnavailable } from '../../db/errors.ts';
import { lease } from '../../db/lease.ts';
import { ApiError, methodNotAllowed } from '../../http/errors.ts';
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
  /**
   * The stored statuses as last read; used while the database is unavailable to tell since when other services are
   * down.
   */
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

  function stateOf(name: string): () => Promise<CheckedState> {
    const state = states.get(name as ServiceName);
    if (state === undefined) throw new ApiError('not_found');
    return state;
  }

  const router = Router({ caseSensitive: true });
  router.get('/', async (_req, res) => {
    const [found] = await Promise.all([Promise.all([...states.values()].map((state) => state())), readStored()]);
    res.json({ services: found.map(withSince) } satisfies Services);
  });
  router.get('/:name', async (req, res) => {
    const [found] = await Promise.all([stateOf(req.params.name)(), readStored()]);
    res.json(withSince(found));
  });
  router.get('/:name/history', async (req, res) => {
    stateOf(req.params.name);
    const name = req.params.name as ServiceName;
    res.json({ name, changes: await changes.history(name) } satisfies ServiceHistory);
  });
  router.all(['/', '/:name', '/:name/history'], methodNotAllowed('GET, HEAD'));
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
