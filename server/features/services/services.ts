import { Router } from 'express';
import type { ServiceHistory, ServiceName, ServiceState, Services } from '../../../shared/services.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/errors.ts';
import { lease } from '../../db/lease.ts';
import { ApiError, methodNotAllowed } from '../../http/errors.ts';
import type { Log } from '../../log.ts';
import { type ServiceChanges, type Standing, serviceChanges } from './service-changes.ts';
import { type CheckedServicesOptions, checkedServices } from './service-checks.ts';
import { type FoundState, type ServiceStates, serviceStates, serviceWatch, type WatchPace } from './service-watch.ts';

/**
 * `GET /api/services`, `GET /api/services/:name` and `GET /api/services/:name/history`.
 * @param options.wake called when a service is found otherwise than it is stored
 */
export function servicesRouter(options: {
  states: ServiceStates;
  changes: Pick<ServiceChanges, 'standings' | 'history'>;
  wake: () => void;
}): Router {
  const { states, changes, wake } = options;
  /** As last read: while the database is away, what else is down has been so since then. */
  let standings: ReadonlyMap<ServiceName, Standing> = new Map();

  async function readStandings(): Promise<void> {
    try {
      standings = await changes.standings();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      standings = new Map([...standings].filter(([name]) => name !== 'database'));
    }
  }

  function withSince(state: FoundState): ServiceState {
    const standing = standings.get(state.name);
    const isStored = standing?.status === state.status;
    if (!isStored) wake();
    return { ...state, since: isStored ? standing.since : null };
  }

  function known(name: string): () => Promise<FoundState> {
    const state = states.get(name as ServiceName);
    if (state === undefined) throw new ApiError('not_found');
    return state;
  }

  const router = Router({ caseSensitive: true });
  router.get('/', async (_req, res) => {
    const [found] = await Promise.all([Promise.all([...states.values()].map((state) => state())), readStandings()]);
    const answer: Services = { services: found.map(withSince) };
    res.json(answer);
  });
  router.get('/:name', async (req, res) => {
    const [found] = await Promise.all([known(req.params.name)(), readStandings()]);
    res.json(withSince(found));
  });
  router.get('/:name/history', async (req, res) => {
    known(req.params.name);
    const name = req.params.name as ServiceName;
    const answer: ServiceHistory = { name, changes: await changes.history(name) };
    res.json(answer);
  });
  router.all(['/', '/:name', '/:name/history'], methodNotAllowed('GET, HEAD'));
  return router;
}

/** How the services behind the dashboard stand, and since when. */
export interface WatchedServices {
  router: Router;
  start(): void;
  stop(): Promise<void>;
}

interface WatchedServicesOptions extends CheckedServicesOptions {
  database: Database;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
  pace?: WatchPace | undefined;
}

export function watchedServices(options: WatchedServicesOptions): WatchedServices {
  const { database, now, monotonic, log, pace } = options;
  const states = serviceStates(checkedServices(options), now, monotonic);
  const changes = serviceChanges({ database, now, monotonic });
  const held = lease(database, 'services');
  const watch = serviceWatch({ states, changes, lease: held, monotonic, log, ...(pace && { pace }) });
  return { router: servicesRouter({ states, changes, wake: watch.wake }), start: watch.start, stop: watch.stop };
}
