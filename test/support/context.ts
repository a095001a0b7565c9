import type { Express } from 'express';
import { normaliseTarget } from '../../server/gate/normalise-path.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/log.ts';
import { memoryBudgets, PLENTY_BYTES } from '../../server/memory.ts';

/** A log for tests that read none of its lines. */
export const silentLog = createLog({ level: 'silent', production: false }, { write: () => {} });

/** The memory budgets of a machine with enough memory. */
export const PLENTY = memoryBudgets(PLENTY_BYTES);

/** The keys of a service. */
export const TEST_KEYS = {
  SESSION_SIGNING_KEY: 'signing-key-of-the-tests-0123456789-abcdefghij',
  ENCRYPTION_KEY: 'encryption-key-of-the-tests-0123456789-abcdef',
};

/** The service's HTTP server, which serves every host and peer, and adds no headers. */
export const httpServerOf = (app: Express, options: Partial<Parameters<typeof createHttpServer>[1]> = {}) =>
  createHttpServer(app, {
    headers: new Map(),
    normalise: normaliseTarget,
    isServed: () => true,
    allowedNetworks: undefined,
    isDraining: () => false,
    log: silentLog,
    ...options,
  });
