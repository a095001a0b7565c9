import type { Router } from 'express';
import type { Database } from '../../db/database.ts';
import { lease } from '../../db/lease.ts';
import type { Log } from '../../log/log.ts';
import { type CheckedServicesOptions, checkedServices } from './checked-services.ts';
import { serviceChanges } from './service-changes.ts';
import { serviceStates } from './service-states.ts';
import { serviceWatch, type WatchPace } from './service-watch.ts';
import { servicesRouter } from './services-router.ts';

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
