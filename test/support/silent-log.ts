import { createLog } from '../../server/log.ts';

/** For what takes a log and of which no line is looked at. */
export const silentLog = createLog({ level: 'silent', production: false }, { write: () => {} });
