import { Router } from 'express';
import type { ServiceHistory, ServiceName, ServiceState, Services } from '../../../shared/services.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { ApiError } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { ServiceChanges, Standing } from './service-changes.ts';
import type { FoundState, ServiceStates } from './service-states.ts';

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
