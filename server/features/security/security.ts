import type { Request, Router } from 'express';
import { AUDIT_ACTIONS, type AuditPage } from '../../../shared/audit.ts';
import type { Capability } from '../../../shared/capabilities.ts';
import { isUuid } from '../../../shared/json.ts';
import { isOperatorId } from '../../../shared/security.ts';
import type { Route } from '../../app.ts';
import { type ChainWatch, chainWatch, keyAnchoring } from '../../audit/chain-watch.ts';
import { withReason } from '../../audit/event.ts';
import type { AuditPosition, AuditSearch } from '../../audit/search.ts';
import { chainWalk } from '../../audit/verify.ts';
import type { Context } from '../../context.ts';
import { bodyFields, textField } from '../../http/bodies.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import { rateLimit } from '../../http/limits.ts';
import {
  booleanParameter,
  choiceParameter,
  namedParameter,
  pageSizeParameter,
  pageTokenParameter,
  reasonOf,
  timeParameter,
} from '../../http/parameters.ts';
import { pathRoutes, readRoutes } from '../../http/response.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import { lockedAccounts, lockedAccountsRouter } from './locked-accounts.ts';
import { identityNames, subjectNamesRouter } from './names.ts';
import { operatorList, operatorNamesRouter, operatorsIn } from './operators.ts';

const UNLOCKS_A_MINUTE = 60;
const DAY_MS = 86_400_000;

export function security(context: Context) {
  const { config, database, audit, auditSearch, chain, index, log, clock, operators: store, claimsOperators } = context;
  const { now, monotonic } = clock;
  const watch = chainWatch({ walk: chainWalk(database, chain), head: auditSearch.head, log, now, elapsed: monotonic });
  const operators = operatorList({
    search: auditSearch,
    // With an address, operators sign in elsewhere, and not with the second factors of their identities.
    store: config.auth.operators.from === 'email' ? undefined : store,
    withRole: operatorsIn(index, config, claimsOperators),
    roles: config.auth.roles,
    clock,
  });
  const unlocks = rateLimit({ limit: UNLOCKS_A_MINUTE, windowMs: 60_000, monotonic });
  const accounts = lockedAccounts({ database, audit, now });
  const names = identityNames(store, monotonic, {
    ...claimsOperators,
    areAll: config.auth.operators.from === 'claims',
  });
  const anchoring = keyAnchoring({ database, chain, audit, log, elapsed: monotonic });
  anchoring.start();
  const prune = (): void => {
    claimsOperators.prune().catch((error) => log.warn({ error }, 'former operators could not be removed'));
  };
  prune();
  const pruning = setInterval(prune, DAY_MS).unref();
  const routes: Route[] = [
    ['/api/security/audit', trailNeeds, auditRouter(auditSearch, watch)],
    [
      '/api/security/locked-accounts',
      { read: 'locks.read', write: 'locks.write' },
      lockedAccountsRouter(accounts, unlocks, context.refuseOperators),
    ],
    ['/api/security/operators/names', namesNeed, operatorNamesRouter(names, audit)],
    [
      '/api/security/operators',
      'operators.read',
      readRoutes({ '/': async (_req, res) => void res.json(await operators()) }),
    ],
    ['/api/security/revocations', 'operators.write', revocationsRouter(context)],
    ['/api/security/subject-names', 'identities.read', subjectNamesRouter(context)],
  ];
  return {
    routes,
    operators,
    chain: watch,
    async stop(): Promise<void> {
      clearInterval(pruning);
      await Promise.all([watch.close(), anchoring.close()]);
    },
  };
}

/**
 * `POST /api/security/revocations`: ends all current dashboard sessions of an identity, immediately in this process.
 * The audit record is written first, in the same transaction.
 */
const revocationsRouter = ({ revocations, audit }: Context): Router =>
  pathRoutes({
    'POST /': async (req, res) => {
      const target = parseIdentityId(req.body);
      const { identityId: actor } = sessionOf(res);
      const record = { action: 'session_revoke', actor, target, ...withReason(reasonOf(req)) } as const;
      await revocations.raiseEpoch(target, (trx) => audit.record(record, trx));
      res.status(204).end();
    },
  });

/** @throws 400 that names the field */
function parseIdentityId(body: unknown): string {
  const id = textField('identity_id', bodyFields(body, ['identity_id']).identity_id);
  if (!isOperatorId(id)) throw badRequest('identity_id', 'must be the id of an operator');
  return id;
}

/** The records about exactly one identity are its timeline. */
const trailNeeds = ({ path, query }: Request): Capability =>
  path === '/' &&
  typeof query['subject'] === 'string' &&
  /^identity:/.test(query['subject']) &&
  isUuid(query['subject'].slice(9))
    ? 'timeline.read'
    : 'audit.read';

/** Anybody in the operators' store can be found by an identifier, although it may be that of the other deployment. */
const namesNeed = ({ query }: Request): Capability =>
  query['identifier'] === undefined ? 'operators.names' : 'audit.read';

const ACTOR_MAX_CHARACTERS = 255;
/** The length of `setting:` and the longest key. */
const SUBJECT_MAX_CHARACTERS = 1040;

/**
 * Validates the query of `GET /api/security/audit`. An empty parameter counts as absent.
 * @throws 400 that names the parameter, `invalid_page_size` or `invalid_page_token`
 */
function parseAuditQuery(query: Record<string, unknown>) {
  const text = (name: string, max: number): string | undefined => namedParameter(name, query[name], max);
  return {
    filter: {
      action: choiceParameter('action', text('action', 64), AUDIT_ACTIONS),
      actor: text('actor', ACTOR_MAX_CHARACTERS),
      // Records have UUIDs in lower case.
      subject: text('subject', SUBJECT_MAX_CHARACTERS)?.replace(/^(?:identity|session):.*/, (one) => one.toLowerCase()),
      from: timeParameter('from', text('from', 64)),
      to: timeParameter('to', text('to', 64)),
      changes: booleanParameter('changes', text('changes', 64)),
    },
    size: pageSizeParameter(query['page_size']),
    after: positionIn(pageTokenParameter(query['page_token'])),
  };
}

const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/(\d{1,15})\/(\d{1,15})$/;

const pageTokenOf = ({ timestamp, sequence, head }: AuditPosition): string =>
  Buffer.from(`${timestamp}/${sequence}/${head}`).toString('base64url');

/** A forged token is harmless: it only limits the search, whose results its sender may read anyway. */
function positionIn(token: string | undefined): AuditPosition | undefined {
  if (token === undefined) return undefined;
  const [, timestamp, sequence, head] = POSITION.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? [];
  if (timestamp === undefined) throw new ApiError('invalid_page_token');
  return { timestamp, sequence: Number(sequence), head: Number(head) };
}

/** `GET /api/security/audit` and `GET …/chain`. */
function auditRouter(search: Pick<AuditSearch, 'page'>, watch: Pick<ChainWatch, 'state'>): Router {
  return readRoutes({
    '/': async (req, res) => {
      const { filter, size, after } = parseAuditQuery(req.query);
      const { records, next } = await search.page(filter, size, after);
      const next_page_token = next === undefined ? null : pageTokenOf(next);
      res.json({ events: records, next_page_token, has_more: next !== undefined } satisfies AuditPage);
    },
    '/chain': async (_req, res) => void res.json(await watch.state()),
  });
}
