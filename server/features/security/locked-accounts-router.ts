import { Router } from 'express';
import { LOCKED_IDENTIFIER_MAX_CHARACTERS } from '../../../shared/locked-accounts.ts';
import { ApiError } from '../../http/api-error.ts';
import { bodyFields, labelField, textField } from '../../http/json-fields.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { sessionOf } from '../../session/current-session.ts';
import type { LockedAccounts } from './locked-accounts.ts';

/** `GET /api/security/locked-accounts` and `POST …/unlock`. @param limit of unlocks per session */
export function lockedAccountsRouter(accounts: LockedAccounts, limit: RateLimit): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (_req, res) => {
      res.json(await accounts.list());
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

/** Trimmed and in lower case, as the login page writes it. @throws 400 that names the field */
function parseIdentifier(body: unknown): string {
  const { identifier } = bodyFields(body, ['identifier']);
  const text = textField('identifier', identifier).trim().toLowerCase();
  return labelField('identifier', text, LOCKED_IDENTIFIER_MAX_CHARACTERS);
}
