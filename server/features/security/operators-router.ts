import { Router } from 'express';
import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { OPERATOR_NAMES_MAX, type OperatorNames } from '../../../shared/security.ts';
import { isUuid } from '../../../shared/uuid.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { badRequest } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { textParameter } from '../../http/page-parameters.ts';
import { sessionOf } from '../../session/current-session.ts';
import { questionFailed } from '../../upstream/upstream-failure.ts';
import type { OperatorNaming } from './operator-names.ts';
import type { Operators } from './operators.ts';

/**
 * `GET /api/security/operators`, and `…/names`: their names. Looking someone up by an identifier is a search for
 * identities and is recorded as one.
 */
export function operatorsRouter(
  operators: Operators,
  naming: OperatorNaming,
  audit: Pick<AuditTrail, 'record'>,
): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (_req, res) => {
    res.json(await operators.list());
  });
  router.get('/names', async (req, res) => {
    const { ids, identifier } = parseNamesQuery(req.query);
    if (identifier !== undefined)
      await audit.record({
        action: 'identity_search',
        adminId: sessionOf(res).identityId,
        searchFilter: identifier,
      });
    const lookup = identifier === undefined ? naming.names(ids) : naming.find(identifier);
    const names = await lookup.catch((error) => {
      throw questionFailed(error);
    });
    res.json({ names } satisfies OperatorNames);
  });
  router.all(['/', '/names'], methodNotAllowed('GET, HEAD'));
  return router;
}

/** @throws 400 `bad_request` for anything but up to 100 ids or one identifier */
function parseNamesQuery({ id, identifier }: Record<string, unknown>): {
  ids: string[];
  identifier?: string | undefined;
} {
  if ((id === undefined) === (identifier === undefined))
    throw badRequest('id', 'or identifier must be given, but not both');
  const ids: unknown[] = id === undefined ? [] : [id].flat();
  if (ids.length > OPERATOR_NAMES_MAX) throw badRequest('id', `must be given at most ${OPERATOR_NAMES_MAX} times`);
  const refusal = () =>
    badRequest(
      'identifier',
      `must be given once, with 1 to ${CREDENTIALS_IDENTIFIER_MAX_CHARACTERS} characters and no control characters`,
    );
  if (identifier === '') throw refusal();
  return {
    ids: ids.map((one) => {
      if (typeof one !== 'string' || !isUuid(one)) throw badRequest('id', 'must be a UUID');
      return one.toLowerCase();
    }),
    identifier: textParameter(identifier, CREDENTIALS_IDENTIFIER_MAX_CHARACTERS, refusal),
  };
}
