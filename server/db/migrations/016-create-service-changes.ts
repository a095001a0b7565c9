import { creationOf } from '../create-table.ts';

/**
 * What changed of the services behind the dashboard, numbered for each in the order it was found. `since` is when its
 * status began, which may be long before `at`, when only the problem has changed. `one_replica` is 1 for what a process
 * saw while it could store nothing.
 */
export const createServiceChanges = creationOf('service_changes', ({ exact, integer }) => [
  `service ${exact(32)} not null`,
  `number ${integer} not null`,
  `status ${exact(16)} not null`,
  `problem ${exact(32)}`,
  `at ${exact(24)} not null`,
  `since ${exact(24)} not null`,
  `one_replica ${integer} not null`,
  'primary key (service, number)',
]);
