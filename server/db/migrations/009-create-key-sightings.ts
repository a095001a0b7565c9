import { creationOf } from '../create-table.ts';

/** Since when encryption keys are in use. `from_start` is 0 where a key had been used before it was first noticed. */
export const createKeySightings = creationOf('key_sightings', ({ exact, integer }) => [
  `key_id ${exact(16)} not null primary key`,
  `first_seen ${exact(24)} not null`,
  `from_start ${integer} not null`,
]);
