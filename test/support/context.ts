import { createLog } from '../../server/log.ts';
import { memoryBudgets, PLENTY_BYTES } from '../../server/memory.ts';

/** For code that requires a log, in tests that look at no line of it. */
export const silentLog = createLog({ level: 'silent', production: false }, { write: () => {} });

/** The memory budgets of a machine with enough memory. */
export const PLENTY = memoryBudgets(PLENTY_BYTES);
