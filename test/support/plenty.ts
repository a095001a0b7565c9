import { memoryBudgets, PLENTY_BYTES } from '../../server/memory.ts';

/** As on a machine with enough memory. */
export const PLENTY = memoryBudgets(PLENTY_BYTES);
