import { Router } from 'express';
import { LOCKED_IDENTIFIER_MAX_CHARACTERS, LOCKED_IDENTIFIERS_MAX } from '../../../shared/locked-accounts.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';
import { bodyFields, labelField, textField } from '../../http/json-fields.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { textParameter } from '../../http/page-parameters.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { sessionOf } from '../../session/current-session.ts';
import type { LockedAccounts } from './locked-accounts.ts';

/** `GET /api/security/locked-accounts`, of some identifiers or of all, and `POST …/unlock`. @param limit of unlocks per session */
export function lockedAccountsRouter(accounts: LockedAccounts, limit: RateLimit): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (req, res) => {
      const identifiers = parseIdentifiers(req.query['identifier']);
      res.json(await (identifiers === undefined ? accounts.list() : accounts.locksOf(identifiers)));
    })
    .all(methodNotAllowed('GET, HEAD'));
  router
    .route('/unlock')
    .post(async (req, res) => {
      const identifier = parseIdentifier(req.body);
      const { identityId, sessionId } = sessionOf(res);
      limit.use(sessionId);
      if (!(await accounts.unlock(identifier, identityId)))
        throw new ApiError('not_found', { message: 'This account is not locked.' });
      res.json({ success: true });
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** Those asked for, as the login page writes them; undefined for all. @throws 400 that names the parameter */
function parseIdentifiers(identifier: unknown): string[] | undefined {
  if (identifier === undefined || identifier === '') return undefined;
  const asked: unknown[] = [identifier].flat();
  if (asked.length > LOCKED_IDENTIFIERS_MAX)
    throw badRequest('identifier', `must be given at most ${LOCKED_IDENTIFIERS_MAX} times`);
  const refusal = () =>
    badRequest('identifier', `must be 1 to ${LOCKED_IDENTIFIER_MAX_CHARACTERS} characters without control characters`);
  const texts = asked.map((one) => {
    const text = textParameter(one, LOCKED_IDENTIFIER_MAX_CHARACTERS, refusal)?.trim().toLowerCase();
    if (!text) throw refusal();
    return text;
  });
  return [...new Set(texts)];
}

/** Trimmed and in lower case, as the login page writes it. @throws 400 that names the field */
function parseIdentifier(body: unknown): string {
  const { identifier } = bodyFields(body, ['identifier']);
  const text = textField('identifier', identifier).trim().toLowerCase();
  return labelField('identifier', text, LOCKED_IDENTIFIER_MAX_CHARACTERS);
}
